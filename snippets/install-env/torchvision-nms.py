# ---
# wordings:
#   - text: "operator torchvision::{_:ident} does not exist"
#     exception: RuntimeError
#     sample: "RuntimeError: operator torchvision::nms does not exist"
#   - text: "No such operator torchvision::{_:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: No such operator torchvision::nms"
#   - text: "Unknown builtin op: torchvision::{_:ident}"
#     sample: "RuntimeError: \nUnknown builtin op: torchvision::nms.\nCould not find any similar ops to torchvision::nms. This op may not exist or may not be currently supported in TorchScript."
#   - text: "Couldn't load custom C++ ops. This can happen if your PyTorch and torchvision versions are incompatible"
#     exception: RuntimeError
#   - text: "Couldn't load custom C++ ops"
#   - text: "partially initialized module 'torchvision' has no attribute 'extension'"
#     exception: AttributeError
#   - text: "'_OpNamespace' 'torchvision' object has no attribute"
#     exception: AttributeError
#   - text: "Could not run 'torchvision::{_:ident}' with arguments from the 'CUDA' backend"
#     exception: NotImplementedError
#     sample: "NotImplementedError: Could not run 'torchvision::nms' with arguments from the 'CUDA' backend."
#   - text: "Could not run 'torchvision::nms'"
#     exception: NotImplementedError
#   - text: "Detected that PyTorch and torchvision were compiled with different CUDA versions. PyTorch has CUDA Version={torch:num} and torchvision has CUDA Version={vision:num}"
#     exception: RuntimeError
#     sample: "RuntimeError: Detected that PyTorch and torchvision were compiled with different CUDA versions. PyTorch has CUDA Version=11.7 and torchvision has CUDA Version=11.8. Please reinstall the torchvision that matches your PyTorch install."
#   - text: "Detected that PyTorch and torchvision were compiled with different CUDA major versions. PyTorch has CUDA Version={torch:num} and torchvision has CUDA Version={vision:num}"
#     exception: RuntimeError
#     sample: "RuntimeError: Detected that PyTorch and torchvision were compiled with different CUDA major versions. PyTorch has CUDA Version=12.1 and torchvision has CUDA Version=11.8. Please reinstall the torchvision that matches your PyTorch install."
#   - text: "Detected that PyTorch and torchvision were compiled with different CUDA"
#     exception: RuntimeError
# tags: [import-error, shared-library, detection]
# recover: process
# needs: [compiler, "package:pip", "fault:a small package in place of torchvision"]
# related: [install-env/undefined-symbol, install-env/no-module-named-torchvision, install-env/torchvision-functional-tensor]
# docs: ["https://pytorch.org/get-started/previous-versions/"]
# causes:
#   versions:
#     if: paste("does not exist", "No such operator", "custom C++ ops", "'_OpNamespace' 'torchvision'")
#     likely: paste("has no attribute")
#   not-imported:
#     if: paste("Unknown builtin op")
#     sample: "Unknown builtin op: torchvision::nms."
#   cpu-build:
#     case: versions
#     if: paste("from the 'CUDA' backend")
#     sample: "NotImplementedError: Could not run 'torchvision::nms' with arguments from the 'CUDA' backend."
#   other-cuda:
#     case: versions
#     if: paste("compiled with different CUDA")
#     sample: "RuntimeError: Detected that PyTorch and torchvision were compiled with different CUDA versions. PyTorch has CUDA Version=11.7 and torchvision has CUDA Version=11.8."
# cases:
#   versions:
#     wrong: {registration-guarded: "https://github.com/pytorch/vision/pull/9086"}
#     commands:
#       shell: |
#         python -m pip uninstall -y torch torchvision torchaudio
#         python -m pip install torch torchvision --index-url https://download.pytorch.org/whl/cu126  # or …/cpu
#       notebook: |
#         %pip uninstall -y torch torchvision torchaudio
#         %pip install torch torchvision --index-url https://download.pytorch.org/whl/cu126  # or …/cpu
#       comfyui: |
#         .\python_embeded\python.exe -s -m pip uninstall -y torch torchvision torchaudio
#         .\python_embeded\python.exe -s -m pip install torch torchvision torchaudio --index-url https://download.pytorch.org/whl/cu128
# timeout: 120
# ---

# %%
import importlib.metadata
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import torch

# What torchvision does when it is imported: load its compiled part, quietly go on without it, and describe its operators.
PACKAGE = """
import torch
from pathlib import Path

try:
    torch.ops.load_library(Path(__file__).with_name("_C.so"))
except (ImportError, OSError):
    pass


@torch.library.register_fake("torchvision::nms")
def meta_nms(dets, scores, iou_threshold):
    return dets.new_empty(0, dtype=torch.long)
"""
compiler = next(name for name in ("cc", "gcc", "clang") if shutil.which(name))


def compiled(code):
    """A shared library, as bytes."""
    subprocess.run([compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", "made.so"], input=code, text=True, check=True)
    return Path("made.so").read_bytes()


def wheel(name, version, needs="", **files):
    Path("wheels").mkdir(exist_ok=True)
    with zipfile.ZipFile(f"wheels/{name}-{version}-py3-none-any.whl", "w") as made:
        for file, content in files.items():
            made.writestr(f"{name}/{file}".replace("__py", ".py").replace("_so", ".so"), content)
        made.writestr(f"{name}-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}")
        made.writestr(f"{name}-{version}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        made.writestr(f"{name}-{version}.dist-info/RECORD", "")


def pip(*arguments):
    command = [sys.executable, "-m", "pip", "--isolated", "-q", "install", "--no-index", "--find-links", "wheels", *arguments]
    subprocess.run(command, check=True)


HERE = torch.__version__.split("+")[0]
# The wheel for another torch: its library needs a function that this torch does not have. That of the wheel for this one loads.
ANOTHER = "extern int at_another_release(void); int __attribute__((constructor)) start(void) { return at_another_release(); }"
OPERATOR = 'torch.library.define("torchvision::nms", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")\n'
wheel("torchvision", "0.1", "Requires-Dist: torch==1.0\n", **{"__init____py": PACKAGE, "_C_so": compiled(ANOTHER)})
wheel("torchvision", "0.2", f"Requires-Dist: torch=={HERE}\n", **{"__init____py": PACKAGE.replace("\n\n\n@", f"\n{OPERATOR}\n\n@"), "_C_so": compiled("")})
sys.path.insert(0, "site")

# %% break versions
# it came with another torch
pip("--no-deps", "--target", "site", "torchvision==0.1")
import torchvision

# %% check versions
pip("--no-deps", "--target", "site", "torchvision==0.1")
PROGRAM = """
from importlib.metadata import requires, version

print("here:", version("torch").split("+")[0])
print("torchvision wants:", requires("torchvision"))
"""
exec(PROGRAM)
assert requires("torchvision") == ["torch==1.0"]

# %% proof versions
# In one command pip must find a pair that fits, and takes the older or newer torchvision that says so.
wheel("torch", HERE)
pip("--target", "pair", "torch", "torchvision")
shutil.rmtree(next(Path("pair").glob("torch-*.dist-info")))  # only its name was needed: the real one is here
sys.path[0] = "pair"
import torchvision

assert importlib.metadata.version("torchvision") == "0.2"
assert torch.ops.torchvision.nms is not None

# %% wrong registration-guarded
# The line in torchvision that complains, taken out or put into a `try`: the import passes, and the
# operator is still missing when a model calls it.
pip("--no-deps", "--target", "site", "torchvision==0.1")
file = Path("site/torchvision/__init__.py")
line = '@torch.library.register_fake("torchvision::nms")\n'
file.write_text(file.read_text().replace(line, ""))
import torchvision

boxes = torch.tensor([[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 1.9]])
torch.ops.torchvision.nms(boxes, torch.tensor([0.9, 0.8]), 0.5)
