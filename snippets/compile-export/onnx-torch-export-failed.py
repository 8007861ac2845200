# ---
# wordings:
#   - text: "Failed to export the model with torch.export"
#     exception: TorchExportError
#     sample: "torch.onnx._internal.exporter._errors.TorchExportError: Failed to export the model with torch.export. This is step 1/3 of exporting the model to ONNX. Next steps:"
#   - text: "This is step 1/3 of exporting the model to ONNX"
#     exception: TorchExportError
#     sample: "This is step 1/3 of exporting the model to ONNX. Next steps:"
#   - text: "_errors.TorchExportError:"
#     exception: TorchExportError
#     sample: "torch.onnx._internal.exporter._errors.TorchExportError: Failed to export the model with torch.export."
#   - text: "torch.onnx._internal.exporter._errors.TorchExportError"
#     exception: TorchExportError
# tags: [onnx, export]
# recover: fix
# needs: ["package:onnx", "package:onnxscript"]
# outranks: [dynamo-unsupported, export-dynamic-shape-refused, export-data-dependent, torch-export-failed]
# related: [compile-export/export-dynamic-shape-refused, compile-export/torch-export-failed]
# docs: ["https://docs.pytorch.org/docs/stable/onnx_export.html", "https://docs.pytorch.org/docs/stable/export.html"]
# cases:
#   branch:
#     wrong: {frozen-branch: "https://github.com/OHF-Voice/piper1-gpl/pull/287"}
# causes:
#   older-exporter:
#     if: paste("Exporting a ScriptModule is not supported")
#   branch:
#     if: paste("GuardOnDataDependentSymNode", "data-dependent expression", "Data-dependent branching", "data-dependent branching")
#   dynamic-shapes:
#     if: paste("When `dynamic_shapes` is specified", "between the structure of `inputs` and `dynamic_shapes`", "dynamic-shapes-validation")
#   sizes:
#     if: paste("Constraints violated", "CANNOT be dynamic", "has been specialized", "have been specialized")
#     sample: |
#       torch.onnx._internal.exporter._errors.TorchExportError: Failed to export the model with torch.export. This is step 1/3 of exporting the model to ONNX. Next steps:
#       <class 'torch._dynamo.exc.UserError'>: Constraints violated (batch)! For more information, run with TORCH_LOGS="+dynamic".
#   output-type:
#     if: paste("in output, which is not a known type", "pytree-flattenable", "register a pytree for it")
#   no-user:
#     if: 'paste("getpwuid(): uid not found")'
#     sample: |
#       torch.onnx._internal.exporter._errors.TorchExportError: Failed to export the model with torch.export. This is step 1/3 of exporting the model to ONNX.
#       <class 'KeyError'>: 'getpwuid(): uid not found: 501'
#   inputs:
#     if: paste("missing a required argument", "too many positional arguments")
#     likely: paste("unexpected keyword argument", "required positional argument")
# ---

# %%
import onnx.reference
import torch
from torch import nn

torch.manual_seed(0)
model = torch.jit.script(nn.Sequential(nn.Linear(4, 3), nn.ReLU()).eval())
x = torch.randn(2, 4)


def run(file, **inputs):  # what the exported file computes, without PyTorch
    session = onnx.reference.ReferenceEvaluator(file)
    return torch.from_numpy(session.run(None, {name: value.numpy() for name, value in inputs.items()})[0])


# %% break older-exporter
torch.onnx.export(model, (x,), "model.onnx")  # a scripted model, for example

# %% check older-exporter
# whatever torch.export refuses: can the older exporter's tracer follow the model?
traced = torch.jit.trace(model, (x,))
other = torch.randn(2, 4)
print(torch.allclose(traced(other), model(other)))  # True: dynamo=False will do
assert torch.allclose(traced(other), model(other))

# %% fix older-exporter
import torch

torch.onnx.export(model, (x,), "model.onnx", input_names=["x"], dynamo=False)

# %% proof older-exporter
other = torch.randn(2, 4)
torch.testing.assert_close(run("model.onnx", x=other), model(other))

# %% use older-exporter
net = nn.Sequential(nn.Linear(4, 3), nn.ReLU())
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net(x).square().mean().backward()
optimizer.step()
model = torch.jit.script(net.eval())
# >>>
torch.onnx.export(model, (x,), "model.onnx", input_names=["x"])
# <<<
for other in (torch.randn(2, 4), -torch.randn(2, 4)):
    torch.testing.assert_close(run("model.onnx", x=other), net(other))

# %% break branch


class Model(nn.Module):
    def forward(self, x):
        if x.sum() > 0:  # needs the numbers, which torch.export does not have
            return x * 2
        return x


torch.onnx.export(Model(), (x,), "model.onnx")

# %% check branch
model = torch.nn.Linear(4, 2)
exported = torch.export.export(model, (x,))  # without ONNX: a shorter traceback
print(type(exported).__name__)  # reached: then torch.export is not the problem
assert isinstance(exported, torch.export.ExportedProgram)

# %% fix branch
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        return torch.where(x.sum() > 0, x * 2, x)  # both are computed


torch.onnx.export(Model(), (x,), "model.onnx")

# %% proof branch
signs = torch.tensor([[3.0, -1.0, 0.5, 0.0], [-1.0, 0.2, -0.5, -0.1]])
for sample in (torch.full((2, 4), 1.0), signs, -signs):  # the sum decides, not each value or row
    expected = sample * 2 if sample.sum() > 0 else sample
    torch.testing.assert_close(run("model.onnx", x=sample), expected)

# %% wrong frozen-branch
# `dynamo=False` for a model with such a branch: the older exporter records the side that the example
# takes, and warns.
class Model(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return x


torch.onnx.export(Model(), (x,), "model.onnx", input_names=["x"], dynamo=False)
right = []
for sample in (x, -x):
    right.append(torch.equal(run("model.onnx", x=sample), Model()(sample)))
print(right)  # for one sign only
assert sorted(right) == [False, True]

# %%
model = nn.Sequential(nn.Linear(4, 3), nn.ReLU()).eval()

# %% break dynamic-shapes
torch.onnx.export(
    model,
    (x,),
    "model.onnx",
    input_names=["images"],
    dynamic_shapes={"images": {0: "batch"}},
)

# %% check dynamic-shapes
import inspect

names = list(inspect.signature(model.forward).parameters)
print(names)  # the keys of dynamic_shapes are these, not your input_names
assert names == ["input"]

# %% fix dynamic-shapes
import torch

torch.onnx.export(
    model,
    (x,),
    "model.onnx",
    input_names=["images"],
    dynamic_shapes=({0: "batch"},),  # a tuple: one entry for each input, in order
)

# %% proof dynamic-shapes
five = torch.randn(5, 4)
torch.testing.assert_close(run("model.onnx", images=five), model(five))
assert onnx.load("model.onnx").graph.input[0].type.tensor_type.shape.dim[0].dim_param == "batch"

# %%

class Output:
    def __init__(self, logits):
        self.logits = logits


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def forward(self, x):
        return Output(self.layer(x))


model = Model().eval()

# %% break output-type
torch.onnx.export(model, (x,), "model.onnx")

# %% check output-type
print(type(model(x)))  # a class of its own: neither tensor, tuple, list nor dict
assert not isinstance(model(x), (torch.Tensor, tuple, list, dict))

# %% fix output-type
import torch
from torch import nn


class ForExport(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x).logits  # tensors only


torch.onnx.export(ForExport(model), (x,), "model.onnx")

# %% proof output-type
for other in (torch.randn(2, 4), 3 * torch.randn(2, 4)):
    torch.testing.assert_close(run("model.onnx", x=other), model(other).logits)

# %%

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def forward(self, x, mask):
        return self.layer(x) * mask


model = Model().eval()
mask = torch.tensor([[1.0], [0.0]])
batch = {"x": x, "mask": mask}

# %% break inputs
torch.onnx.export(model, (x,), "model.onnx")

# %% check inputs
import inspect

print(inspect.signature(model.forward))  # (x, mask): two inputs, one was given
assert len(inspect.signature(model.forward).parameters) == 2

# %% fix inputs
import torch

torch.onnx.export(model, (), "model.onnx", kwargs=batch)  # by name, all of them

# %% proof inputs
other = torch.randn(2, 4)
torch.testing.assert_close(run("model.onnx", x=other, mask=1 - mask), model(other, 1 - mask))
