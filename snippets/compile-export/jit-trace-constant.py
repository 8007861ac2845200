# ---
# wordings:
#   - text: "Cannot insert a Tensor that requires grad as a constant"
#     exception: RuntimeError
#     sample: "RuntimeError: Cannot insert a Tensor that requires grad as a constant. Consider making it a parameter or input, or detaching the gradient"
# tags: [export, onnx, autograd]
# recover: fix
# related: [compile-export/trace-outputs]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.jit.trace.html"]
# cases:
#   yolo:
#     unbroken: "YOLOv7, which is no package"
#     commands:
#       shell: python detect.py --no-trace
# causes:
#   yolo:
#     if: paste("Convert model to Traced-model")
#     sample: |
#       Convert model to Traced-model...
#       RuntimeError: Cannot insert a Tensor that requires grad as a constant. Consider making it a parameter or input, or detaching the gradient
#   unregistered:
#     if: frames("_create_method_from_trace", "_get_trace_graph", "_trace_and_get_graph_from_model")
#   function:
#     if: frames("_create_function_from_trace")
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)
        self.scales = [nn.Parameter(torch.rand(3)) for _ in range(2)]  # a plain list

    def forward(self, x):
        x = self.layer(x)
        for scale in self.scales:
            x = x * scale
        return x


model = Model()
x = torch.rand(2, 4)

# %% break unregistered
traced = torch.jit.trace(model, x)

# %% check unregistered
names = [name for name, _ in model.named_parameters()]
print(names)  # the scales are missing: they are not trained, saved or moved either
assert names == ["layer.weight", "layer.bias"]

# %% fix unregistered
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)
        self.scales = nn.ParameterList([torch.rand(3) for _ in range(2)])

    def forward(self, x):
        x = self.layer(x)
        for scale in self.scales:
            x = x * scale
        return x


model = Model()
traced = torch.jit.trace(model, x)

# %% proof unregistered
assert len(list(model.parameters())) == 4
other = torch.rand(5, 4)
torch.testing.assert_close(traced(other), model.layer(other) * model.scales[0] * model.scales[1])
traced(other).sum().backward()
assert all(parameter.grad.any() for parameter in model.parameters())

# %%
model = nn.Sequential(nn.Linear(4, 3), nn.ReLU())

# %% break function
traced = torch.jit.trace(lambda x: model(x).sum(1), x)

# %% check function
called = lambda x: model(x).sum(1)
print(isinstance(called, torch.nn.Module))  # False: its parameters are constants
assert not isinstance(called, torch.nn.Module)

# %% fix function
import torch
from torch import nn


class Summed(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model  # now its parameters belong to the traced module

    def forward(self, x):
        return self.model(x).sum(1)


traced = torch.jit.trace(Summed(model), x)

# %% proof function
other = torch.rand(5, 4)
torch.testing.assert_close(traced(other), model(other).sum(1))
assert {name for name, _ in traced.named_parameters()} == {"model.0.weight", "model.0.bias"}
traced(other).sum().backward()
assert model[0].weight.grad.any()
