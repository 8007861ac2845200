# ---
# wordings:
#   - text: "Exporting the operator '{op:path}' to ONNX opset version {opset:int} is not supported. Support for this operator was added in version {added:int}, try exporting with this version"
#     exception: UnsupportedOperatorError
#     sample: "torch.onnx.errors.UnsupportedOperatorError: Exporting the operator 'aten::scaled_dot_product_attention' to ONNX opset version 13 is not supported. Support for this operator was added in version 14, try exporting with this version."
#   - text: "Exporting the operator '{op:path}' to ONNX opset version {opset:int}"
#     exception: UnsupportedOperatorError
#     sample: "torch.onnx.errors.UnsupportedOperatorError: Exporting the operator 'aten::unflatten' to ONNX opset version 12 is not supported."
#   - text: "Exporting the operator {op:path} to ONNX opset version {opset:int} is not supported. Support for this operator was added in version {added:int}, try exporting with this version"
#     exception: RuntimeError
#     sample: "RuntimeError: Exporting the operator einsum to ONNX opset version 11 is not supported. Support for this operator was added in version 12, try exporting with this version."
#   - text: "Exporting the operator {op:path} to ONNX opset version {opset:int} is not supported"
#     exception: RuntimeError
#     sample: "RuntimeError: Exporting the operator grid_sampler to ONNX opset version 11 is not supported. Please open a bug to request ONNX export support for the missing operator."
#   - text: "Exporting the operator"
#     near: [opset version, ONNX]
#   - text: "torch.onnx.errors.UnsupportedOperatorError"
#     exception: UnsupportedOperatorError
#   - text: "UnsupportedOperatorError:"
#     exception: UnsupportedOperatorError
#     near: [onnx, ONNX, "aten::"]
#   - text: "ONNX export failed on an operator with unrecognized namespace {op:path}"
#     sample: "torch.onnx.errors.UnsupportedOperatorError: ONNX export failed on an operator with unrecognized namespace torchvision::deform_conv2d. If you are trying to export a custom operator, make sure you registered it with the right domain and version."
#   - text: "ONNX export failed: Couldn't export operator {op:path}"
#     exception: RuntimeError
#     sample: "RuntimeError: ONNX export failed: Couldn't export operator aten::adaptive_avg_pool2d"
#   - text: "ONNX export failed: Couldn't export Python operator {op:path}"
#     exception: RuntimeError
#     sample: "RuntimeError: ONNX export failed: Couldn't export Python operator SwishImplementation"
#   - text: "ONNX export failed on ATen operator {op:path} because"
#     sample: "RuntimeWarning: ONNX export failed on ATen operator affine_grid_generator because torch.onnx.symbolic_opset10.affine_grid_generator does not exist"
#   - text: "Unsupported: ONNX export of operator {op:line}"
#     sample: "RuntimeError: Unsupported: ONNX export of operator adaptive pooling, since output_size is not constant."
#   - text: "Unsupported: ONNX export of"
#   - text: "No ONNX function found for <OpOverload(op='{op:path}', overload='{_:ident}')>"
#     sample: "torch.onnx._internal.exporter._errors.DispatchError: No ONNX function found for <OpOverload(op='aten.unfold', overload='default')>. Failure message: No decompositions registered for the real-valued input"
#   - text: "No ONNX function found for"
#     exception: DispatchError
#   - text: "Unsupported FX nodes:"
#     exception: OnnxExporterError
#   - text: "Failed to convert the exported program to an ONNX model"
#     exception: ConversionError
#     sample: "torch.onnx._internal.exporter._errors.ConversionError: Failed to convert the exported program to an ONNX model. This is step 3/3 of exporting the model to ONNX. Next steps:"
# tags: [onnx, export]
# recover: fix
# needs: ["package:onnx", "package:onnxscript"]
# related: [compile-export/onnx-torch-export-failed]
# docs: ["https://docs.pytorch.org/docs/stable/onnx_export.html", "https://onnx.ai/onnx/operators/"]
# cases:
#   newer-opset:
#     survives:
#       "without: dynamo= in torch.onnx.export(model, (x,), 'model.onnx', opset_version=…": either exporter writes this opset
#       "swap: True in torch.onnx.export(model, (x,), 'model.onnx', opset_version=…": either exporter writes this opset
#   other-exporter:
#     wrong: {aten-fallback: "https://github.com/onnx/onnx/issues/3891"}
#     survives: {"without: dynamo= in torch.onnx.export(model, (x,), 'model.onnx', dynamo=True)": it is the default since 2.9}
#   custom:
#     survives: {"without: dynamo= in torch.onnx.export(model, (x,), 'model.onnx', dynamo=True, c…": it is the default since 2.9}
# causes:
#   newer-opset:
#     if: read(added) and added > opset
#   custom:
#     if: paste("unrecognized namespace", "export Python operator") or paste("No ONNX function found for <OpOverload(op=") and not paste("<OpOverload(op='aten.", "<OpOverload(op='prims.")
#   other-exporter:
#     if: 'paste("Exporting the operator", "Unsupported: ONNX export of", "ONNX export failed on ATen operator", "export operator aten::")'
#   no-counterpart:
#     if: paste("No ONNX function found for <OpOverload(op='aten.", "No ONNX function found for <OpOverload(op='prims.")
#     sample: |
#       <class 'torch.onnx._internal.exporter._errors.DispatchError'>: No ONNX function found for <OpOverload(op='prims.bessel_j0', overload='default')>. Failure message: No decompositions registered for the real-valued input
# ---

# %%
import onnx.reference
import torch
from torch import nn

torch.manual_seed(0)
x = torch.rand(1, 3, 8, 8)


def run(file, x):  # what the exported file computes, without PyTorch
    session = onnx.reference.ReferenceEvaluator(file)
    return torch.from_numpy(session.run(None, {session.input_names[0]: x.numpy()})[0])


class Model(nn.Module):
    def forward(self, x):
        return nn.functional.scaled_dot_product_attention(x, x, x)


model = Model()

# %% break newer-opset
torch.onnx.export(model, (x,), "model.onnx", opset_version=13, dynamo=False)

# %% check newer-opset
import onnx

print(onnx.defs.onnx_opset_version())  # the newest opset that this onnx knows
assert onnx.defs.onnx_opset_version() >= 14

# %% fix newer-opset
import torch

# at least the version that the message names
torch.onnx.export(model, (x,), "model.onnx", opset_version=17, dynamo=False)

# %% proof newer-opset
other = torch.rand(1, 3, 8, 8)
torch.testing.assert_close(run("model.onnx", other), model(other))
assert onnx.load("model.onnx").opset_import[0].version == 17

# %% use newer-opset
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(8, 24)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return nn.functional.scaled_dot_product_attention(q, k, v)


model = Block()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(x).square().mean().backward()
optimizer.step()
model.eval()
# >>>
torch.onnx.export(model, (x,), "model.onnx", opset_version=13, dynamo=False)
# <<<
other = torch.randn(1, 3, 8, 8)
torch.testing.assert_close(run("model.onnx", other), model(other))

# %%


class Model(nn.Module):
    def forward(self, x):
        return nn.functional.adaptive_avg_pool2d(x, 3)  # 8x8 to 3x3


model = Model()

# %% break other-exporter
torch.onnx.export(model, (x,), "model.onnx", dynamo=False)

# %% check other-exporter
program = torch.export.export(model, (x,)).run_decompositions()
calls = [node for node in program.graph.nodes if node.op == "call_function"]
print([str(node.target) for node in calls])  # what the newer exporter translates
assert calls and all(str(node.target).startswith("aten") for node in calls)

# %% fix other-exporter
import torch

# needs: python -m pip install onnx onnxscript
torch.onnx.export(model, (x,), "model.onnx", dynamo=True)

# %% proof other-exporter
other = torch.rand(1, 3, 8, 8)
torch.testing.assert_close(run("model.onnx", other), model(other))

# %% wrong aten-fallback
# `ONNX_ATEN_FALLBACK`: the file is written, with PyTorch's own operator in it, which ONNX programs do
# not have.
torch.onnx.export(
    model,
    (x,),
    "model.onnx",
    dynamo=False,
    operator_export_type=torch.onnx.OperatorExportTypes.ONNX_ATEN_FALLBACK,
)

# %%


@torch.library.custom_op("mine::cube", mutates_args=())
def cube(x: torch.Tensor) -> torch.Tensor:
    return x**3


@cube.register_fake
def _(x):
    return torch.empty_like(x)


class Model(nn.Module):
    def forward(self, x):
        return torch.ops.mine.cube(x) + 1


model = Model()

# %% break custom
torch.onnx.export(model, (x,), "model.onnx", dynamo=True)

# %% check custom
print(torch.ops.mine.cube.default)  # an operator of your own, or of an extension
assert not str(torch.ops.mine.cube.default).startswith("aten")

# %% fix custom
import torch
from onnxscript import opset18 as op


def cube_in_onnx(x):
    return op.Mul(x, op.Mul(x, x))


torch.onnx.export(
    model,
    (x,),
    "model.onnx",
    dynamo=True,
    custom_translation_table={torch.ops.mine.cube.default: cube_in_onnx},
)

# %% proof custom
other = torch.rand(1, 3, 8, 8)
torch.testing.assert_close(run("model.onnx", other), model(other))
