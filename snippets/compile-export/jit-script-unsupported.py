# ---
# wordings:
#   - text: "torch.jit.frontend.NotSupportedError"
#     exception: NotSupportedError
#   - text: "torch.jit.frontend.UnsupportedNodeError"
#     exception: UnsupportedNodeError
#   - text: "torch.jit.frontend.FrontendError"
#     exception: FrontendError
#   - text: "UnsupportedNodeError:"
#     exception: UnsupportedNodeError
#     near: &here [torch.jit, torch/jit, 'torch\jit', HERE]
#   - text: "Compiled functions can't take variable number of arguments or use keyword-only arguments with defaults"
#     exception: NotSupportedError
#   - text: "NotSupportedError: Comprehension ifs are not supported yet"
#   - text: "NotSupportedError: unsupported"
#     near: [torch/jit, 'torch\jit', torch.jit, HERE]
#   - text: "Unknown type name '{type:ident}'"
#     exception: RuntimeError
#     near: *here
#     sample: "Unknown type name 'np.ndarray':"
#   - text: "is currently not supported in Torchscript"
#     exception: RuntimeError
#   - text: "Arguments for call are not valid"
#     exception: RuntimeError
#     near: [The following variants are available]
#   - text: "(This attribute exists on the Python module, but we failed to convert Python type"
#     exception: RuntimeError
#   - text: "Could not export Python function call '{function:ident}'. Remove calls to Python functions before export"
#     exception: RuntimeError
#     sample: "RuntimeError: Could not export Python function call 'SwishImplementation'. Remove calls to Python functions before export. Did you forget to add @script or @script_method annotation? If this is a nn.ModuleList, add it to __constants__"
#   - text: "attribute lookup is not defined on python value of type"
#     exception: RuntimeError
#   - text: "Tried to access nonexistent attribute or method"
#     exception: RuntimeError
#     near: [torch, HERE]
#   - text: "is not usable in a script method (did you forget to add it"
#     exception: RuntimeError
#   - text: "Wrong type for attribute assignment"
#     exception: RuntimeError
#     near: *here
#   - text: "previously has type {_:line} but is now being assigned to a value of type"
#     exception: RuntimeError
#     near: *here
#     sample: "Variable 'v' previously has type Tensor but is now being assigned to a value of type None:"
#   - text: "Return value was annotated as having type"
#     exception: RuntimeError
#     near: [torch, HERE]
#   - text: "TorchScript requires source access in order to carry out compilation"
#     exception: OSError
#   - text: "all inputs of range must be ints, found Tensor (inferred)"
#     exception: RuntimeError
#   - text: "ModuleList/Sequential indexing is only supported with integer literals"
#     exception: RuntimeError
#   - text: "because it was not annotated with an explicit type"
#     exception: RuntimeError
#     near: [Inferred, torch, HERE]
#     sample: "Inferred 'scale' to be of type 'Tensor' because it was not annotated with an explicit type."
#   - text: "Unsupported value kind: Tensor"
#     exception: RuntimeError
#     near: *here
#     sample: "RuntimeError: Unsupported value kind: Tensor\n    model = torch.jit.script(model)"
# tags: [export, inference]
# recover: fix
# related: [compile-export/tracer-warning, compile-export/trace-outputs, compile-export/jit-top-level-function]
# docs: ["https://docs.pytorch.org/docs/stable/jit_unsupported.html", "https://docs.pytorch.org/docs/stable/jit_language_reference.html"]
# cases:
#   types:
#     wrong: {traced: "https://github.com/pytorch/pytorch/issues/120485"}
# causes:
#   syntax:
#     if: >-
#       (paste("NotSupportedError", "UnsupportedNodeError", "FrontendError", "variable number of
#       arguments", "aren't supported", "Could not export Python function call")) and not
#       frames("torch_sparse/", "torch_scatter/", "torch_cluster/", "torch_geometric/",
#       "torch_spline_conv/", "torchvision/") and not paste("supported yet")
#     likely: >-
#       paste("NotSupportedError", "supported yet") and not frames("torch_sparse/",
#       "torch_scatter/", "torch_cluster/", "torch_geometric/", "torch_spline_conv/",
#       "torchvision/")
#   attribute:
#     if: paste("This attribute exists on the Python module", "nonexistent attribute or method", "is not usable in a script method")
#   types:
#     if: read(type) or paste("(inferred)", "not annotated with an explicit type", "Arguments for call are not valid", "is now being assigned to a value of type", "annotated as having type", "not supported in Torchscript")
#   newer-package:
#     likely: >-
#       frames("torch_sparse/", "torch_scatter/", "torch_cluster/", "torch_geometric/",
#       "torch_spline_conv/", "torchvision/")
#     sample: |
#       Traceback (most recent call last):
#         File "site-packages/torchvision/ops/boxes.py", line 11, in <module>
#           @torch.jit.script
#         File "torch/jit/__init__.py", line 359, in _script_graph
#           ast = get_jit_ast(fn)
#       torch.jit.frontend.NotSupportedError: slicing multiple dimensions at the same time isn't supported yet
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
x = torch.rand(2, 4)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def forward(self, *inputs):
        return self.layer(inputs[0])


model = Model().eval()

# %% break syntax
scripted = torch.jit.script(model)

# %% check syntax
traced = torch.jit.trace(model, x)
other = torch.rand(5, 4)
print(torch.allclose(traced(other), model(other)))  # True: a trace will do
assert torch.allclose(traced(other), model(other))

# %% fix syntax
import torch

traced = torch.jit.trace(model, x)  # records what the example does
traced.save("model.pt")

# %% proof syntax
loaded = torch.jit.load("model.pt")
other = torch.rand(5, 4)
torch.testing.assert_close(loaded(other), model(other))

# %% use syntax
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model.train()
for _ in range(2):
    optimizer.zero_grad()
    model(torch.rand(6, 4)).square().mean().backward()
    optimizer.step()
model.eval()
# >>>
scripted = torch.jit.script(model)
scripted.save("model.pt")
# <<<
served = torch.jit.load("model.pt")
for size in (1, 7):
    batch = torch.randn(size, 4)
    torch.testing.assert_close(served(batch), model(batch))

# %%


class Model(nn.Module):
    def forward(self, x, rounds):
        for _ in range(rounds):
            x = x * 2
        return x


# %% break types
scripted = torch.jit.script(Model())

# %% check types
import inspect

print(inspect.signature(Model.forward))  # without a type, `rounds` is a Tensor
assert "rounds: int" not in str(inspect.signature(Model.forward))

# %% fix types
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x: torch.Tensor, rounds: int) -> torch.Tensor:
        for _ in range(rounds):
            x = x * 2
        return x


scripted = torch.jit.script(Model())

# %% proof types
for rounds in (0, 1, 3):
    torch.testing.assert_close(scripted(x, rounds), x * 2**rounds)

# %% wrong traced
# `torch.jit.trace` in place of `torch.jit.script`: it records the rounds of the example, and makes
# as many whatever comes.
traced = torch.jit.trace(Model(), (x, torch.tensor(3)))
once = traced(x, torch.tensor(1))
print((once / x).mean())  # one round was asked for: 2 was meant
assert torch.equal(once, x * 8)

# %%


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.sizes = [4, "auto"]  # two types in one list

    def forward(self, x):
        return x * len(self.sizes)


# %% break attribute
scripted = torch.jit.script(Model())

# %% check attribute
print({type(value).__name__ for value in Model().sizes})  # more than one
assert len({type(value) for value in Model().sizes}) == 2

# %% fix attribute
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.sizes = ["4", "auto"]  # one type in one list

    def forward(self, x):
        return x * len(self.sizes)


scripted = torch.jit.script(Model())

# %% proof attribute
torch.testing.assert_close(scripted(x), x * 2)
assert scripted.sizes == ["4", "auto"]
