# ---
# wordings:
#   - text: "Expected reduction dim to be specified for input.numel() == 0"
#     exception: [RuntimeError, IndexError]
#     sample: "RuntimeError: max(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument."
#   - text: "Expected reduction dim {dim:int} to have non-zero size"
#     exception: [RuntimeError, IndexError]
#     sample: "IndexError: max(): Expected reduction dim 0 to have non-zero size."
#   - text: "cannot perform reduction function {op:ident} on a tensor with no elements because the operation does not have an identity"
#     exception: RuntimeError
#     sample: "RuntimeError: cannot perform reduction function max on a tensor with no elements because the operation does not have an identity"
#   - text: "operation does not have an identity"
#     exception: [RuntimeError, IndexError]
#     near: ["torch", "tensor"]
#   - text: "quantile() input tensor must be non-empty"
#     exception: RuntimeError
# tags: [shape, detection, dataloader]
# recover: fix
# related: [shapes/scalar-conversion]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.max.html"]
# causes:
#   whole-tensor:
#     if: paste("Expected reduction dim to be specified", "input tensor must be non-empty", "operation does not have an identity") and not paste("to have non-zero size")
#   along-dim:
#     if: paste("to have non-zero size")
# ---

# %%
import torch

scores = torch.tensor([0.1, 0.4, 0.3])
x = scores[scores > 0.5]  # nothing is left

# %% break whole-tensor
best = x.max()

# %% check whole-tensor
print(x.shape)  # [0]
assert x.numel() == 0

# %% fix whole-tensor
best = x.max() if x.numel() else None  # what "nothing found" means is yours to say

# %% proof whole-tensor
assert best is None

# %%
boxes = torch.tensor([[1.0, 5.0], [2.0, 3.0], [0.0, 4.0]])
images = [torch.zeros(0, 2), boxes]  # boxes of two images; none in the first

# %% break along-dim
largest = [boxes.max(dim=0).values for boxes in images]

# %% check along-dim
print([tuple(boxes.shape) for boxes in images])  # (0, 2): nothing to compare
assert any(len(boxes) == 0 for boxes in images)

# %% fix along-dim
# leave images without boxes out
largest = [boxes.max(dim=0).values for boxes in images if len(boxes)]

# %% proof along-dim
assert [row.tolist() for row in largest] == [[2.0, 5.0]]
