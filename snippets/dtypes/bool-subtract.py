# ---
# wordings:
#   - text: "Subtraction, the `-` operator, with a bool tensor is not supported"
#     exception: RuntimeError
#   - text: "Subtraction, the `-` operator, with two bool tensors is not supported"
#     exception: RuntimeError
#   - text: "Negation, the `-` operator, on a bool tensor is not supported"
#     exception: RuntimeError
# tags: [dtype, labels, padding]
# recover: fix
# related: [dtypes/mean-of-long]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.logical_not.html"]
# causes:
#   invert:
#     if: paste("Negation")
#     likely: paste("with a bool tensor")
#   difference:
#     if: paste("with two bool tensors")
# ---

# %%
import torch

x = torch.tensor([3, 0, 2])
mask = x > 0

# %% break invert
padding = 1 - mask

# %% check invert
print(mask.dtype)  # torch.bool
assert mask.dtype == torch.bool

# %% fix invert
padding = ~(x > 0)  # ~mask

# %% proof invert
assert padding.tolist() == [False, True, False] and padding.dtype == torch.bool

# %% use invert
x = torch.tensor([[5, 9, 0], [7, 0, 0]])  # token ids; 0 is padding
scores = torch.randn(2, 3, requires_grad=True)
mask = x > 0
# >>>
padding = 1 - mask
# <<<
weights = scores.masked_fill(padding, float("-inf")).softmax(1)
weights.square().sum().backward()
assert torch.equal(weights == 0, x == 0) and scores.grad.isfinite().all()

# %%
y = torch.tensor([3, 1, 0])

# %% break difference
changed = (x > 0) - (y > 0)

# %% fix difference
changed = (x > 0) ^ (y > 0)  # True where only one of them is

# %% proof difference
assert changed.tolist() == [False, True, True]
