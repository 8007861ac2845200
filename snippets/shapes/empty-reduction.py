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
#     if: >-
#       paste("Expected reduction dim to be specified", "input tensor must be non-empty") and not
#       paste("to have non-zero size")
#     likely: paste("operation does not have an identity")
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
def best_of(x):
    return x.max() if x.numel() else None  # what "nothing" means is yours to say


best = best_of(x)

# %% proof whole-tensor
assert best is None and best_of(torch.zeros(0, 3)) is None
assert best_of(torch.zeros(3)) == 0 and best_of(torch.tensor([-2.0, -1.0, -3.0])) == -1
assert best_of(torch.tensor([5.0])) == 5

# %% use whole-tensor
found = []
for scores in (torch.tensor([0.1, 0.7]), torch.tensor([0.2, 0.3]), torch.tensor([-0.5, 0.6])):
    x = scores[scores > 0.5]
    # >>>
    best = x.max()
    # <<<
    if best is not None:
        found.append(round(best.item(), 3))
assert found == [0.7, 0.6]

# %%
boxes = torch.tensor([[1.0, 5.0], [2.0, 3.0], [0.0, 4.0]])
# boxes of images; none in some
images = [torch.zeros(0, 2), boxes, torch.zeros(2, 2), torch.zeros(0, 2), -boxes]

# %% break along-dim
largest = [boxes.max(dim=0).values for boxes in images]

# %% check along-dim
print([tuple(boxes.shape) for boxes in images])  # (0, 2): nothing to compare
assert any(len(boxes) == 0 for boxes in images)

# %% fix along-dim
# leave images without boxes out
largest = [boxes.max(dim=0).values for boxes in images if len(boxes)]

# %% proof along-dim
assert [row.tolist() for row in largest] == [[2.0, 5.0], [0.0, 0.0], [0.0, -3.0]]
assert torch.zeros(0, 80).max(dim=1).values.shape == (0,)  # along the other one: an empty result
