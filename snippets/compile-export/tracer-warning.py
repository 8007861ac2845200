# ---
# wordings:
#   - text: "Converting a tensor to a Python {kind:ident} might cause the trace to be incorrect"
#     exception: TracerWarning
#     role: remark
#     sample: "TracerWarning: Converting a tensor to a Python boolean might cause the trace to be incorrect. We can't record the data flow of Python values, so this value will be treated as a constant in the future."
#   - text: "Converting a tensor to a NumPy array might cause the trace to be incorrect"
#     exception: TracerWarning
#     role: remark
#   - text: "Iterating over a tensor might cause the trace to be incorrect"
#     exception: TracerWarning
#     role: remark
#   - text: "Using len to get tensor shape might cause the trace to be incorrect"
#     exception: TracerWarning
#     role: remark
#   - text: "torch.tensor results are registered as constants in the trace"
#     exception: TracerWarning
#     role: remark
#   - text: "torch.from_numpy results are registered as constants in the trace"
#     exception: TracerWarning
#     role: remark
#   - text: "torch.Tensor results are registered as constants in the trace"
#     exception: TracerWarning
#     role: remark
#   - text: "Trace had nondeterministic nodes. Did you forget call .eval() on your model"
#     exception: TracerWarning
#     role: remark
#   - text: "Output nr {_:int}. of the traced function does not match the corresponding output of the Python function"
#     exception: TracerWarning
#     role: remark
#     sample: "TracerWarning: Output nr 1. of the traced function does not match the corresponding output of the Python function. Detailed error:"
#   - text: "there is a live reference to the data being modified when tracing in-place operator"
#     exception: TracerWarning
#     role: remark
#   - text: "torch.jit.TracerWarning:"
#     exception: TracerWarning
#     role: remark
# tags: [onnx, export, warning]
# recover: fix
# related: [compile-export/onnx-torch-export-failed, compile-export/trace-outputs]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.jit.trace.html"]
# causes:
#   branch:
#     likely: paste("Python boolean")
#   number:
#     if: kind in ["integer", "float", "list", "number", "index"] or paste("to a NumPy array", "Iterating over a tensor", "Using len to get", "results are registered as constants")
#   train-mode:
#     if: paste("nondeterministic nodes")
#     likely: paste("does not match the corresponding output")
# ---

# %%
import warnings

import torch
from torch import nn

torch.manual_seed(0)
x = torch.rand(2, 4)


class Model(nn.Module):
    def forward(self, x):
        if x.mean() > 0:
            return x * 2
        return x - 1


# %% break branch
traced = torch.jit.trace(Model(), x)

# %% check branch
model = Model()
traced = torch.jit.trace(model, x)
print(torch.equal(traced(-x), model(-x)))  # False: the trace goes the example's way
assert not torch.equal(traced(-x), model(-x))

# %% fix branch
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        return torch.where(x.mean() > 0, x * 2, x - 1)


traced = torch.jit.trace(Model(), x)

# %% proof branch
signs = torch.tensor([[3.0, -1.0, 0.5, 0.0], [-1.0, 0.2, -0.5, -0.1]])
for sample in (x, -x, signs, -signs):  # the mean decides, not each value or row
    torch.testing.assert_close(traced(sample), sample * 2 if sample.mean() > 0 else sample - 1)

# %%
lengths = torch.tensor([3, 2])


class Model(nn.Module):
    def forward(self, x, lengths):
        return x[:, : int(lengths.max())]


# %% break number
traced = torch.jit.trace(Model(), (x, lengths))

# %% check number
traced = torch.jit.trace(Model(), (x, lengths))
print(traced(x, lengths - 1).shape)  # still 3 columns: the number is frozen
assert traced(x, lengths - 1).shape == (2, 3)

# %% fix number
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x, lengths):
        return x[:, : lengths.max()]  # a tensor as an index stays a tensor


traced = torch.jit.trace(Model(), (x, lengths))

# %% proof number
for longest in (1, 2, 3):
    for order in (lengths, lengths.flip(0)):  # the longest stands anywhere
        torch.testing.assert_close(traced(x, order.clamp(max=longest)), x[:, :longest])

# %%
model = nn.Sequential(nn.Linear(4, 64), nn.Dropout(0.5))

# %% break train-mode
traced = torch.jit.trace(model, x)

# %% check train-mode
print(model.training)  # True: dropout is at work, and differs from run to run
assert model.training

# %% fix train-mode
import torch

model.eval()
traced = torch.jit.trace(model, x)

# %% proof train-mode
other = torch.rand(3, 4)
torch.testing.assert_close(traced(other), model(other))
torch.testing.assert_close(traced(other), traced(other))
