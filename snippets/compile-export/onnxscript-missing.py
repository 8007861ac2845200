# ---
# wordings:
#   - text: "No module named 'onnxscript'"
#     exception: ModuleNotFoundError
#   - text: "No module named 'onnxscript.{_:ident}"
#     exception: ModuleNotFoundError
#     sample: "ModuleNotFoundError: No module named 'onnxscript._framework_apis.torch_2_11'"
#   - text: "No module named onnxscript"
#     exception: ModuleNotFoundError
#   - text: "Module onnx is not installed!"
#     exception: OnnxExporterError
#   - text: "Module onnxscript is not installed!"
#     exception: OnnxExporterError
#   - text: "No module named 'onnx'"
#     exception: ModuleNotFoundError
#     near: [torch.onnx, torch/onnx, 'torch\onnx', import torch]
# tags: [onnx, export, import-error]
# recover: process
# needs: ["package:onnx", "package:onnxscript", "fault:imports that find no onnxscript or onnx"]
# related: [compile-export/onnx-held-instance]
# docs: ["https://docs.pytorch.org/docs/stable/onnx_export.html"]
# causes:
#   install:
#     likely: paste("onnxscript'", "named onnxscript", "Module onnx", "No module named 'onnx'")
#   older-exporter:
#     undecided: which exporter is wanted is not in the text
#   old-onnxscript:
#     case: install
#     if: paste("onnxscript._framework_apis")
#     sample: "ModuleNotFoundError: No module named 'onnxscript._framework_apis.torch_2_11'"
# cases:
#   install:
#     commands:
#       shell: python -m pip install -U onnx onnxscript
#       notebook: "%pip install -U onnx onnxscript"
# ---

# %%
import sys

import torch
from torch import nn

missing = ["onnxscript"]


class NotInstalled:
    """Python's own answer for a package that is not there."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name.split('.')[0]!r}", name=name)


sys.meta_path.insert(0, NotInstalled())
torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2)).eval()
images = torch.rand(1, 3, 8, 8)


def same_numbers(path):
    """Does the file compute what the model does?"""
    from onnx.reference import ReferenceEvaluator

    session = ReferenceEvaluator(path)
    (output,) = session.run(None, {session.input_names[0]: images.numpy()})
    return torch.allclose(torch.from_numpy(output), model(images), atol=1e-5)


# %% break install
torch.onnx.export(model, (images,), "model.onnx")

# %% check install
from importlib.util import find_spec

for name in "onnx", "onnxscript":
    try:
        print(name, bool(find_spec(name)))
    except ModuleNotFoundError:
        print(name, False)  # the one to install
        assert name == "onnxscript"

# %% proof install
missing.clear()  # what the command does
torch.onnx.export(model, (images,), "model.onnx")
assert same_numbers("model.onnx")

# %% break older-exporter
torch.onnx.export(model, (images,), "model.onnx", dynamo=True)  # default since 2.9

# %% fix older-exporter
import torch

torch.onnx.export(model, (images,), "model.onnx", dynamo=False)

# %% proof older-exporter
assert same_numbers("model.onnx")
