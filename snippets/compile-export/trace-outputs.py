# ---
# wordings:
#   - text: "Only tensors or tuples of tensors can be output from traced functions"
#     exception: RuntimeError
#     sample: "RuntimeError: Only tensors or tuples of tensors can be output from traced functions (getOutput at /pytorch/torch/csrc/jit/tracer.cpp:212)"
#   - text: "Only tensors, lists, tuples of tensors, or dictionary of tensors can be output from traced functions"
#     exception: RuntimeError
#   - text: "Only tensors, lists and tuples of tensors can be output from traced functions"
#     exception: RuntimeError
#   - text: "Encountering a {kind:ident} at the output of the tracer might cause the trace to be incorrect"
#     exception: [RuntimeError, TracerWarning]
#     sample: "RuntimeError: Encountering a dict at the output of the tracer might cause the trace to be incorrect, this is only valid if the container structure does not change based on the module's inputs."
#   - text: "are supported as inputs or outputs of traced functions, but instead got value of type {type:ident}"
#     exception: RuntimeError
#     sample: ":Only tensors and (possibly nested) tuples of tensors, lists, or dicts are supported as inputs or outputs of traced functions, but instead got value of type ndarray."
#   - text: "are supported as inputs or outputs of traced functions"
#     exception: RuntimeError
#     near: [Only tensors]
#   - text: "inputs to traced functions must have consistent"
#     exception: RuntimeError
#     sample: ":List inputs to traced functions must have consistent element type. Found Tensor and int"
#   - text: "cannot be traced. Only Tensors and (possibly nested) Lists, Dicts, and Tuples of Tensors can be traced"
#     exception: RuntimeError
#     sample: "RuntimeError: Type 'Tuple[Tensor, int]' cannot be traced. Only Tensors and (possibly nested) Lists, Dicts, and Tuples of Tensors can be traced"
# tags: [export, onnx, inference]
# recover: fix
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.jit.trace.html"]
# causes:
#   none-or-number:
#     if: paste("Only tensors, lists, tuples of tensors, or dictionary of tensors can be output")
#     likely: read(type) or paste("inputs to traced functions must have consistent")
#   inputs:
#     if: paste("Dicts, and Tuples of Tensors can be traced")
#     sample: "RuntimeError: Type 'Tuple[Tensor, int]' cannot be traced. Only Tensors and (possibly nested) Lists, Dicts, and Tuples of Tensors can be traced"
#   container:
#     if: read(kind)
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def forward(self, x):
        return self.layer(x), None  # no auxiliary output in evaluation


model = Model().eval()
x = torch.rand(2, 4)

# %% break none-or-number
traced = torch.jit.trace(model, x)

# %% check none-or-number
with torch.no_grad():
    outputs = model(x)
print([type(output).__name__ for output in outputs])  # one is no tensor
assert [type(output).__name__ for output in outputs] == ["Tensor", "NoneType"]

# %% fix none-or-number
import torch
from torch import nn


class TensorsOnly(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x)[0]  # or a tuple of tensors


traced = torch.jit.trace(TensorsOnly(model), x)

# %% proof none-or-number
other = torch.rand(5, 4)
torch.testing.assert_close(traced(other), model(other)[0])

# %%


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def forward(self, x):
        return {"logits": self.layer(x), "size": x.sum()}


model = Model().eval()

# %% break container
traced = torch.jit.trace(model, x)

# %% check container
outputs = model(x)
print({name: type(value).__name__ for name, value in outputs.items()})
assert all(isinstance(value, torch.Tensor) for value in outputs.values())

# %% fix container
import torch

traced = torch.jit.trace(model, x, strict=False)

# %% proof container
other = torch.rand(5, 4)
answer = traced(other)
torch.testing.assert_close(answer, model(other))
assert set(answer) == {"logits", "size"}
