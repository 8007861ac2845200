# ---
# wordings:
#   - text: "Torch not compiled with CUDA enabled"
#     exception: AssertionError
#   - text: "PyTorch is not linked with support for cuda devices"
#     exception: RuntimeError
#   - text: "Cannot initialize CUDA without ATen_cuda library"
#     exception: RuntimeError
#   - text: "module 'torch._C' has no attribute '_cuda_{_:ident}'"
#     exception: AttributeError
#     sample: "AttributeError: module 'torch._C' has no attribute '_cuda_setDevice'"
#   - text: "Torch is not able to use GPU"
#     exception: RuntimeError
#     near: [skip-torch-cuda-test, torch]
#   - text: "can not run on your system since the accelerator is not available"
#     near: [CUDAAccelerator, GPUAccelerator]
#     sample: "lightning.fabric.utilities.exceptions.MisconfigurationException: `CUDAAccelerator` can not run on your system since the accelerator is not available."
#   - text: "No supported gpu backend found!"
#     exception: [MisconfigurationException, RuntimeError]
#   - text: "Unknown compute capability. Ensure PyTorch with CUDA support is installed"
#     exception: OSError
#   - text: "Invalid CUDA 'device={_:ident}' requested"
#     exception: ValueError
#     near: ["+cpu", "torch.cuda.is_available(): False"]
#     sample: "torch-2.1.0+cpu\nValueError: Invalid CUDA 'device=0' requested. Use 'device=cpu' or pass valid CUDA device(s) if available"
#   - text: "torch.cuda.is_available(): False"
#     near: ["+cpu"]
#     sample: "torch-2.1.0+cpu\ntorch.cuda.is_available(): False"
#   - text: "assert torch.cuda.is_available()"
#     exception: AssertionError
#     sample: "AssertionError: assert torch.cuda.is_available()"
#   - text: "AssertionError: CUDA is not available"
#     exception: AssertionError
#     near: [model-code]
#     sample: "    assert torch.cuda.is_available(), \"CUDA is not available\"\nAssertionError: CUDA is not available"
#   - text: "RuntimeError: CUDA is not available"
#     exception: RuntimeError
#     near: [model-code]
#     sample: "  File \"train.py\", line 9, in main\nRuntimeError: CUDA is not available"
# tags: [build, comfyui, cuda]
# recover: process
# needs: ["package:pip", "fault:a throw-away environment whose torch is a CPU build"]
# cases:
#   cpu-build:
#     wrong:
#       not-uninstalled: "https://github.com/pytorch/pytorch/issues/30664"
#       toolkit: "https://github.com/pytorch/pytorch/issues/126020"
#     needs: ["torch:2.6"]  # with 2.3.1 the process that cells are forked from has CUDA begun
#     commands:
#       shell: |
#         python -m pip uninstall -y torch torchvision torchaudio
#         python -m pip install torch torchvision --index-url https://download.pytorch.org/whl/cu126
#       notebook: |
#         %pip uninstall -y torch torchvision torchaudio
#         %pip install torch torchvision --index-url https://download.pytorch.org/whl/cu126
#       comfyui: |
#         # in the folder ComfyUI_windows_portable
#         .\python_embeded\python.exe -m pip uninstall -y torch torchvision torchaudio
#         .\python_embeded\python.exe -m pip install torch torchvision torchaudio --index-url https://download.pytorch.org/whl/cu126
#   no-gpu: {needs: ["torch:2.6"]}
# timeout: 180
# related: [install-env/no-nvidia-driver, install-env/driver-too-old, install-env/no-kernel-image, install-env/no-xpu-device, install-env/no-hip-gpus]
# docs: ["https://pytorch.org/get-started/locally/"]
# causes:
#   accelerator:
#     if: paste("/torch_npu/", "import torch_npu", "/torch_mlu/", "/torch_musa/", "/usr/local/Ascend", "npu-smi", "Ascend910", "昇腾")
#     sample: |
#       Traceback (most recent call last):
#         File "/usr/local/lib/python3.10/site-packages/torch_npu/npu/utils.py", line 58, in synchronize
#       AssertionError: Torch not compiled with CUDA enabled
#   mac:
#     if: paste("File \"/Users/", "/opt/homebrew/", "macosx_", "Darwin", "Apple M1", "Apple M2", "Apple M3", "Apple M4")
#     sample: |
#       Traceback (most recent call last):
#         File "/Users/me/demo/train.py", line 3, in <module>
#       AssertionError: Torch not compiled with CUDA enabled
#   jetson:
#     if: >-
#       paste("Jetson", "jetson", "l4t", "L4T", "JetPack", "Jetpack", "jetpack", "tegra", "Tegra")
#     sample: |
#       jetson-containers build torchvision
#       AssertionError: Torch not compiled with CUDA enabled
#   amd-windows:
#     if: paste("Radeon", "RADEON", "gfx1", "ROCm", "rocm") and paste(":\\", "Windows", "win_amd64")
#     sample: |
#       File "C:\rocm\comfyui\python_env\Lib\site-packages\torch\cuda\__init__.py", line 584, in _lazy_init
#       AssertionError: Torch not compiled with CUDA enabled
#   driver:
#     likely: not paste("not compiled with CUDA") and paste("+cu11", "+cu12", "+cu13")
#     sample: "torch 2.4.0+cu121\nRuntimeError: Torch is not able to use GPU; add --skip-torch-cuda-test to COMMANDLINE_ARGS variable to disable this check"
#   cpu-build:
#     likely: paste("+cpu", "ComfyUI_windows_portable")
#     undecided: whether the machine has an NVIDIA GPU is not printed
#     sample: "torch 2.1.0+cpu\nAssertionError: Torch not compiled with CUDA enabled"
#   other-torch:
#   conda:
#     likely: paste("cpuonly", "py3.10_cpu_0", "py3.9_cpu_0", "py3.8_cpu_0", "cpu_generic", "cpu_mkl")
#     sample: "pytorch 2.0.1 py3.10_cpu_0 pytorch\nAssertionError: Torch not compiled with CUDA enabled"
#   no-gpu:
#     undecided: whether the machine has an NVIDIA GPU is not printed
# ---

# %%
import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

import pip
import torch
from torch import nn

if torch.version.cuda:
    del torch._C._cuda_getDeviceCount  # as in a CPU build, which has no such function
model, x = nn.Linear(3, 1), torch.ones(2, 3)

# %% break cpu-build
model.cuda()

# %% check cpu-build
# a CPU build: None, whatever the GPU and the driver
print(torch.__version__, torch.version.cuda)
# and this Python is the one that has it: see the whole path
print(sys.executable.rpartition("/")[2])
assert torch.version.cuda is None or not torch.cuda.is_available()

# %%
folder = Path(tempfile.mkdtemp())
for build in ("cpu", "cu126"):  # empty wheels under the real names, where --index-url looks for them
    for name, release in {"torch": "2.10.0", "torchvision": "0.25.0", "torchaudio": "2.10.0"}.items():
        version = f"{release}+{build}"
        file, info = f"{name}-{version}-py3-none-any.whl", f"{name}-{version}.dist-info"
        (folder / build / name).mkdir(parents=True)
        (folder / build / name / "index.html").write_text(f'<a href="{file}">{file}</a>')
        with zipfile.ZipFile(folder / build / name / file, "w") as wheel:
            wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
            wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{info}/RECORD", "")
venv.create(folder / "env", symlinks=True)
os.symlink(pip.__path__[0], next((folder / "env/lib").glob("python*")) / "site-packages/pip")


def run(command):
    """In a shell in which that environment is active; the folder stands for PyTorch's site."""
    line = command.replace("https://download.pytorch.org/whl", folder.as_uri())
    path = f"{folder}/env/bin:{os.environ['PATH']}"
    done = subprocess.run(line, shell=True, env={**os.environ, "PATH": path}, capture_output=True, text=True)
    return (done.stdout + done.stderr).replace(f"{folder}/", "")


def installed():
    return sorted(file.name.removesuffix(".dist-info") for file in (folder / "env").rglob("torch*.dist-info"))


# %% proof cpu-build
run("python -m pip install torch torchvision torchaudio --index-url https://download.pytorch.org/whl/cpu")
assert installed() == ["torch-2.10.0+cpu", "torchaudio-2.10.0+cpu", "torchvision-0.25.0+cpu"]
run(commands["shell"])
assert installed() == ["torch-2.10.0+cu126", "torchvision-0.25.0+cu126"]

# %% wrong not-uninstalled
# The install command alone, without `pip uninstall`: pip finds that torch is there, and leaves the
# CPU build where it is.
index = "https://download.pytorch.org/whl"
run(f"python -m pip install torch --index-url {index}/cpu")
output = run(f"python -m pip install torch --index-url {index}/cu126")
print(next(line for line in output.splitlines() if "satisfied: torch" in line))
assert installed() == ["torch-2.10.0+cpu"]

# %% wrong toolkit
# CUDA's toolkit from NVIDIA, with `nvcc` on the `PATH` and `CUDA_HOME`: PyTorch does not
# look at it. What it can do was decided when it was built.
(folder / "cuda/bin").mkdir(parents=True)
(folder / "cuda/bin/nvcc").write_text("#!/bin/sh\necho release 12.6\n")
(folder / "cuda/bin/nvcc").chmod(0o755)
os.environ["PATH"] = f"{folder}/cuda/bin:{os.environ['PATH']}"
os.environ["CUDA_HOME"] = f"{folder}/cuda"
program = """
import subprocess, torch

print(subprocess.run("nvcc", capture_output=True, text=True).stdout.strip())
if torch.version.cuda:
    del torch._C._cuda_getDeviceCount
torch.ones(3).cuda()
"""
new_process = [sys.executable, "-c", program]
done = subprocess.run(new_process, capture_output=True, text=True)
last = done.stderr.splitlines()[-1]
print(done.stdout, last, sep="")
assert done.stdout == "release 12.6\n"
assert last == "AssertionError: Torch not compiled with CUDA enabled"

# %% break no-gpu
model = nn.Linear(3, 1).to("cuda")

# %% check no-gpu
print(torch.cuda.is_available())
assert not torch.cuda.is_available()

# %% fix no-gpu
import torch

# then .to(device) everywhere
device = "cuda" if torch.cuda.is_available() else "cpu"

# %% proof no-gpu
outputs = model.to(device)(x.to(device))
assert outputs.device.type == device == "cpu"
torch.testing.assert_close(outputs, x @ model.weight.T + model.bias)
