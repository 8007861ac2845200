# ---
# wordings:
#   - text: "expected a non-empty list of Tensors"
#     exception: [ValueError, RuntimeError, NotImplementedError]
#     sample: "RuntimeError: torch.cat(): expected a non-empty list of Tensors"
#   - text: "stack expects a non-empty TensorList"
#     exception: RuntimeError
#     sample: "RuntimeError: stack expects a non-empty TensorList"
#   - text: "There were no tensor arguments to this function (e.g., you passed an empty list of Tensors)"
#     exception: [RuntimeError, NotImplementedError]
#     sample: "RuntimeError: There were no tensor arguments to this function (e.g., you passed an empty list of Tensors), but no fallback function is registered for schema aten::_cat."
# tags: [shape, dataloader, detection]
# recover: fix
# related: [shapes/cat-sizes]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.cat.html"]
# cases: {loop-never-ran: {wrong: {checked-before: "https://github.com/LiamLian0727/WaterMask/issues/1"}}}
# causes:
#   loop-never-ran:
#     if: live("left", "list 0", "its loop never ran")
#     undecided: why the list is empty is not printed
#   found-nothing:
#     if: live("left", "list 0", "its loop ran")
#     likely: >-
#       frames("nms", "boxes", "bboxes", "detect", "detection", "detections", "detector",
#       "postprocess", "post_process")
#     undecided: why the list is empty is not printed
#     sample: |
#       Traceback (most recent call last):
#         File "detector.py", line 88, in postprocess
#           kept = torch.cat(kept)
#       RuntimeError: torch.cat(): expected a non-empty list of Tensors
#   no-parameters:
#     if: frames("parameters_to_vector")
# ---

# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
dataset = TensorDataset(torch.rand(3, 4))  # 3 samples
model = nn.Linear(4, 2)
loader = DataLoader(dataset, batch_size=8, drop_last=True)

# %% break loop-never-ran
outputs = []
for (batch,) in loader:
    outputs.append(model(batch))
outputs = torch.cat(outputs)

# %% check loop-never-ran
print(len(dataset), len(loader))  # 3 samples, 0 batches: all of them are dropped
assert len(loader) == 0

# %% fix loop-never-ran
import torch
from torch.utils.data import DataLoader

loader = DataLoader(dataset, batch_size=8)  # keeps a smaller last batch
outputs = torch.cat([model(batch) for (batch,) in loader])

# %% proof loop-never-ran
assert loader.batch_size == 8
torch.testing.assert_close(outputs, model(dataset.tensors[0]))
outputs.sum().backward()
assert model.weight.grad.any()

# %% wrong checked-before
# A check before `cat`: no error any more, but no sample was seen, and each score of nothing is `nan`.
outputs = [model(batch) for (batch,) in loader]
outputs = torch.cat(outputs) if outputs else torch.empty(0, 2)
print(outputs.mean())

# %% use loop-never-ran
loss_fn = nn.MSELoss()
# >>>
outputs = []
for (batch,) in loader:
    outputs.append(model(batch))
outputs = torch.cat(outputs)
# <<<
loss_fn(outputs, torch.ones(3, 2)).backward()
torch.testing.assert_close(outputs, model(dataset.tensors[0]))
assert model.weight.grad.any()

# %%
images = [torch.tensor([0.1, 0.2]), torch.tensor([0.3, 0.1])]  # scores of boxes

# %% break found-nothing
parts = [scores[scores > 0.5] for scores in images if (scores > 0.5).any()]
found = torch.cat(parts)

# %% check found-nothing
print([(scores > 0.5).sum().item() for scores in images])  # [0, 0]
assert not any((scores > 0.5).any() for scores in images)

# %%
images = [torch.tensor([0.1, 0.2]), torch.tensor([0.3, 0.1]), torch.tensor([0.1])]

# %% fix found-nothing
import torch


def above(images, limit=0.5):
    # no `if` here: empty parts may stay in the list
    return torch.cat([scores[scores > limit] for scores in images])


found = above(images)

# %% proof found-nothing
assert found.shape == (0,) and found.dtype == torch.float32
scores = [torch.tensor([0.9, 0.2]), torch.tensor([0.1]), torch.tensor([0.5, 0.6])]
torch.testing.assert_close(above(scores), torch.tensor([0.9, 0.6]))
assert above(scores, 0.7).shape == (1,)

# %%
model = nn.Sequential(nn.Flatten(), nn.ReLU())

# %% break no-parameters
vector = nn.utils.parameters_to_vector(model.parameters())

# %% check no-parameters
print(len(list(model.parameters())))  # 0
assert len(list(model.parameters())) == 0


# %% fix no-parameters
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 2)])  # a plain list is not seen


vector = nn.utils.parameters_to_vector(Model().parameters())

# %% proof no-parameters
assert vector.shape == (10,) and vector.requires_grad
assert [tuple(p.shape) for p in Model().parameters()] == [(2, 4), (2,)]
