# ---
# wordings:
#   - text: "symbolically traced variables cannot be used as inputs to control flow"
#     exception: TraceError
#     sample: "torch.fx.proxy.TraceError: symbolically traced variables cannot be used as inputs to control flow"
#   - text: "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args or **kwargs function argument"
#     exception: TraceError
#     sample: "torch.fx.proxy.TraceError: Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args or **kwargs function argument."
#   - text: "Proxy object cannot be iterated"
#     exception: TraceError
#     near: [torch/fx, "torch\\fx", torch.fx, symbolic_trace, TraceError]
#     sample: "TraceError: Proxy object cannot be iterated"
#   - text: "is not supported in symbolic tracing by default. If you want this call to be recorded, please call torch.fx.wrap("
#     exception: RuntimeError
#     sample: "RuntimeError: 'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call torch.fx.wrap('len') at module scope"
#   - text: "'Proxy' object cannot be interpreted as an integer"
#     exception: TypeError
#     near: [torch/fx, "torch\\fx", torch.fx, symbolic_trace]
#     sample: "TypeError: 'Proxy' object cannot be interpreted as an integer"
#   - text: "Detected that you are using FX to symbolically trace a dynamo-optimized function"
#     exception: RuntimeError
#     sample: "RuntimeError: Detected that you are using FX to symbolically trace a dynamo-optimized function. This is not supported at the moment."
# tags: [export, compile, quantization]
# recover: fix
# related: [compile-export/export-compiled-model, compile-export/dynamo-unsupported, compile-export/tracer-warning]
# docs: ["https://docs.pytorch.org/docs/stable/fx.html#limitations-of-symbolic-tracing"]
# causes:
#   data-parallel:
#     likely: paste("inputs to control flow") and frames("torch/nn/parallel/", "torch\\nn\\parallel\\")
#     sample: |
#       File "/usr/lib/python3.7/site-packages/torch/nn/parallel/data_parallel.py", line 158, in forward
#         inputs, kwargs = self.scatter(inputs, kwargs, self.device_ids)
#       torch.fx.proxy.TraceError: symbolically traced variables cannot be used as inputs to control flow
#   shape-check:
#     if: paste("Proxy object cannot be iterated", "is not supported in symbolic tracing by default", "'Proxy' object cannot be interpreted as an integer")
#     likely: paste("prepare_fx", "prepare_qat_fx", "quantize_fx.py", "feature_extraction.py")
#     sample: "RuntimeError: 'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call torch.fx.wrap('len') at module scope"
#     undecided: the message does not say what stands in the condition
#   own-flag:
#     undecided: the message does not say what stands in the condition
#   value-check:
#     undecided: the message does not say what stands in the condition
#   compiled-inside:
#     likely: paste("symbolically trace a dynamo-optimized function") and not paste("ThreadPoolExecutor", "concurrent/futures", "threading.py", "anyio", "run_in_executor")
#   other-thread:
#     likely: >-
#       paste("symbolically trace a dynamo-optimized function") and paste("ThreadPoolExecutor", "concurrent/futures", "threading.py", "anyio", "run_in_executor")
#     sample: |
#       File "/usr/lib/python3.12/concurrent/futures/thread.py", line 59, in run
#         result = self.fn(*self.args, **self.kwargs)
#       RuntimeError: Detected that you are using FX to symbolically trace a dynamo-optimized function. This is not supported at the moment.
# ---

# %%
import torch
import torch.fx
from torch import nn


class Short(nn.Module):
    """Short inputs are padded."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        if x.shape[-1] < 4:
            x = nn.functional.pad(x, (0, 4 - x.shape[-1]))
        return self.fc(x)


model = Short()

# %% break shape-check
traced = torch.fx.symbolic_trace(model)

# %% check shape-check
import inspect

# lines of forward that ask for a size or a value
lines = inspect.getsource(type(model).forward).splitlines()
asked = [line.strip() for line in lines if " if " in line]
print(asked)
assert asked == ["if x.shape[-1] < 4:"]

# %% fix shape-check
import torch
import torch.fx
from torch import nn


def pad_short(x):
    if x.shape[-1] < 4:
        x = nn.functional.pad(x, (0, 4 - x.shape[-1]))
    return x


torch.fx.wrap("pad_short")  # beside the function: one step of the graph


class Short(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(pad_short(x))


# %% proof shape-check
new = Short()
new.load_state_dict(model.state_dict())
traced = torch.fx.symbolic_trace(new)
for width in (2, 4):  # both branches are still there
    x = torch.randn(3, width)
    torch.testing.assert_close(traced(x), model(x))
assert [node.name for node in traced.graph.nodes if node.op == "call_function"] == ["pad_short"]


# %%
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(4, 8), nn.Linear(8, 2)

    def forward(self, x, features_only=False):
        x = self.body(x)
        if features_only:
            return x
        return self.head(x)


model = Net()

# %% break own-flag
traced = torch.fx.symbolic_trace(model)

# %% check own-flag
import inspect

# arguments of forward that are no tensors
parameters = inspect.signature(model.forward).parameters.values()
flags = [p.name for p in parameters if isinstance(p.default, bool)]
print(flags)
assert flags == ["features_only"]

# %% fix own-flag
import torch.fx

traced = torch.fx.symbolic_trace(model, concrete_args={"features_only": False})

# %% proof own-flag
x = torch.randn(3, 4)
torch.testing.assert_close(traced(x), model(x))
assert traced(x).shape == (3, 2)


# %%
class Clip(nn.Module):
    def forward(self, x):
        if x.abs().max() > 1:
            x = x / x.abs().max()
        return x


model = Clip()

# %% break value-check
traced = torch.fx.symbolic_trace(model)

# %% check value-check
condition = torch.tensor([0.5, 2.0]).abs().max() > 1
print(type(condition).__name__)  # a tensor: it is known only with data
assert isinstance(condition, torch.Tensor)

# %% fix value-check
import torch
from torch import nn


class Clip(nn.Module):
    def forward(self, x):
        largest = x.abs().max()
        return torch.where(largest > 1, x / largest, x)


# %% proof value-check
traced = torch.fx.symbolic_trace(Clip())
for values in ([0.5, -0.25], [0.5, -4.0]):
    x = torch.tensor(values)
    torch.testing.assert_close(traced(x), model(x))


# %%
class Wrapped(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = torch.compile(nn.Linear(4, 8), backend="eager"), nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.body(x))


model = Wrapped()
x = torch.randn(3, 4)
expected = model(x)

# %% break compiled-inside
traced = torch.fx.symbolic_trace(model)

# %% check compiled-inside
modules = model.named_modules()
compiled = [name for name, module in modules if hasattr(module, "_orig_mod")]
print(compiled)
assert compiled == ["body"]

# %% fix compiled-inside
import torch
import torch.fx

for name, module in list(model.named_modules()):
    if hasattr(module, "_orig_mod"):
        model.set_submodule(name, module._orig_mod)  # without torch.compile

traced = torch.fx.symbolic_trace(model)
model = torch.compile(traced)  # compile last

# %% proof compiled-inside
torch.testing.assert_close(traced(x), expected)
assert [node.target for node in traced.graph.nodes if node.op == "call_module"] == ["body", "head"]
assert model._orig_mod is traced
