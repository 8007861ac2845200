# ---
# wordings:
#   - text: "CUDA error: no kernel image is available for execution on the device"
#     unless: [gpu-programs]
#   - text: "cuda runtime error ({_:int}) : no kernel image is available for execution on the device"
#     exception: RuntimeError
#     sample: "RuntimeError: cuda runtime error (48) : no kernel image is available for execution on the device at /pytorch/aten/src/THC/generic/THCTensorMath.cu:14"
#   - text: "CUDA error: invalid device function"
#     unless: [gpu-programs]
#   - text: "cuda runtime error ({_:int}) : invalid device function"
#     exception: RuntimeError
#     sample: "RuntimeError: cuda runtime error (8) : invalid device function at /pytorch/aten/src/THC/THCTensorCopy.cu:204"
#   - text: "cudaCheckError() failed : invalid device function"
#   - text: "RuntimeError: no kernel image is available for execution on the device"
#   - text: "no kernel image is available for execution on the device"
#     near: [torch, cuda_kernel, THC, sm_, flash_attn, flash-attn, flash_fwd, flashinfer, stable-diffusion, bitsandbytes, xformers, build_ext, "error in ms_deformable", cudaCheckError, "CUDA kernel failed :"]
#   - text: "CUDA error: device kernel image is invalid"
#     unless: [gpu-programs]
#   - text: "with CUDA capability sm_{capability:int} is not compatible with the current PyTorch installation"
#     exception: UserWarning
#     sample: "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation."
#   - text: "The current PyTorch install supports CUDA capabilities {supported:line}"
#     exception: UserWarning
#     sample: "The current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90."
#   - text: "PyTorch no longer supports this GPU because it is too old"
#     exception: UserWarning
#   - text: "The following list shows the CCs this version of PyTorch was built for and the hardware CCs it supports"
#     exception: UserWarning
#   - text: "does not include kernels for this GPU. Reinstall the same version against a CUDA build that does"
#     exception: UserWarning
#   - text: "work properly, but your PyTorch was compiled with CUDA_VERSION"
#     exception: UserWarning
#   - text: "optimal performance and fast startup time, but your PyTorch was compiled with CUDA_VERSION"
#     exception: UserWarning
#   - text: "which is of compute capability (CC) {major:int}.{minor:int}"
#     exception: UserWarning
#     sample: "UserWarning: Found GPU0 NVIDIA GeForce GTX 1080 Ti which is of compute capability (CC) 6.1."
#   - text: "which is of cuda capability {major:int}.{minor:int}"
#     exception: UserWarning
#     sample: "UserWarning: Found GPU0 GeForce GT 710 which is of cuda capability 3.5. PyTorch no longer supports this GPU because it is too old."
#   - text: "Triton Error [CUDA]: device kernel image is invalid"
#     exception: RuntimeError
#   - text: "Triton Error [CUDA]: no kernel image is available for execution on the device"
#     exception: RuntimeError
#   - text: "cuda runtime error (209) : unrecognized error code"
#     exception: RuntimeError
#   - text: "error={_:int} : no kernel image is available for execution on the device"
#     near: [THC]
#     sample: "THCudaCheck FAIL file=/pytorch/aten/src/THC/generic/THCTensorMath.cu line=14 error=48 : no kernel image is available for execution on the device"
#   - text: "this function is for sm{want:int}, but was built for sm{built:int}"
#     sample: "FATAL: this function is for sm80, but was built for sm750"
#   - text: "but was built for sm{built:int}"
#     near: [fmha_cutlass]
#     sample: "FATAL: kernel `fmha_cutlassF_f16_aligned_64x128_rf_sm80` is for sm80-sm100, but was built for sm50"
#   - text: "error={_:int} : invalid device function"
#     near: [THC]
#     sample: "THCudaCheck FAIL file=/pytorch/aten/src/THC/THCGeneral.cpp line=405 error=8 : invalid device function"
#   - text: "cuda runtime error (48)"
#     exception: RuntimeError
#   - text: "cuda runtime error (209)"
#     exception: RuntimeError
# tags: [build, cpp-extension, cuda, driver]
# recover: process
# needs: ["torch:2.13", "fault:a GPU of another generation than the build has code for"]
# cases:
#   new-gpu:
#     wrong: {no-uninstall: "https://github.com/pytorch/pytorch/issues/151376"}
#     needs: ["package:pip"]
#     commands:
#       shell: |
#         python -m pip uninstall -y torch torchvision torchaudio
#         python -m pip install torch torchvision --index-url https://download.pytorch.org/whl/cu128
#       notebook: |
#         %pip uninstall -y torch torchvision torchaudio
#         %pip install torch torchvision --index-url https://download.pytorch.org/whl/cu128
#       comfyui: |
#         # in the folder ComfyUI_windows_portable
#         .\python_embeded\python.exe -m pip uninstall -y torch torchvision torchaudio
#         .\python_embeded\python.exe -m pip install torch torchvision torchaudio --index-url https://download.pytorch.org/whl/cu128
#   old-gpu:
#     commands:
#       shell: |
#         python -m pip uninstall -y torch torchvision torchaudio
#         # sm_50 to sm_70: GTX 900, GTX 10, P100, V100
#         python -m pip install "torch==2.14.*" torchvision --index-url https://download.pytorch.org/whl/cu126
#         # sm_37: K80
#         python -m pip install "torch==2.0.1" "torchvision==0.15.2" --index-url https://download.pytorch.org/whl/cu118
#   extension:
#     silent: true
#     commands:
#       linux: |
#         python -c "import torch; print(torch.cuda.get_device_capability())"   # (12, 0) is 12.0
#         export TORCH_CUDA_ARCH_LIST="12.0"
#         python -m pip install --no-build-isolation --no-cache-dir --force-reinstall --no-deps .
#       powershell: |
#         python -c "import torch; print(torch.cuda.get_device_capability())"   # (12, 0) is 12.0
#         $env:TORCH_CUDA_ARCH_LIST = "12.0"
#         python -m pip install --no-build-isolation --no-cache-dir --force-reinstall --no-deps .
# outranks: ["cudnn-not-initialized", "cublas-error", "unable-find-engine"]
# related: [install-env/driver-too-old, install-env/extension-compile, install-env/unsupported-ptx]
# docs: ["https://pytorch.org/get-started/locally/"]
# causes:
#   new-gpu:
#     if: >-
#       (capability >= 80 or major >= 8) and not frames("mmcv/", "mmdet/ops", "nms_wrapper",
#       "roi_align", "detectron2/", "flashinfer/", "flash_attn/", "xformers/", "bitsandbytes/",
#       "diff_gaussian", "tinycudann", "torch_scatter", "spconv/", "pointnet2")
#     likely: >-
#       paste("RTX 50", "RTX50", "RTX 5060", "5070", "5080", "5090", "Blackwell", "B200", "sm_120",
#       "RTX 3090", "RTX 3080", "RTX 3070", "RTX 3060")
#   jetson:
#     if: paste("Jetson", "jetson", "JetPack", "Jetpack", "jetpack", "-tegra", "sm_87", "Orin")
#     sample: "Python platform: Linux-5.15.148-tegra-aarch64-with-glibc2.35\nRuntimeError: CUDA error: no kernel image is available for execution on the device"
#   triton:
#     if: paste("Triton Error")
#     sample: "RuntimeError: Triton Error [CUDA]: device kernel image is invalid"
#   extension:
#     if: >-
#       paste("this function is for sm", "kernel `fmha", "failed with error code no kernel image", "cuda_kernel: no kernel image", "CUDA error (flash_fwd", "CUDA error (flash_bwd", "flash_fwd_launch", "roi_align_kernel", "deform_conv_cuda", "cudaCheckError() failed")
#     likely: frames("mmcv/", "mmdet/ops", "nms_wrapper", "roi_align", "detectron2/", "flashinfer/", "flash_attn/", "xformers/", "bitsandbytes/", "diff_gaussian", "tinycudann", "torch_scatter", "spconv/", "pointnet2")
#     sample: "FATAL: this function is for sm80, but was built for sm750"
#   old-gpu:
#     if: >-
#       (capability < 70 or major < 7 or (major == 7 and minor == 0) or (capability == 70 and
#       paste(" sm_75", " 7.5 which supports")) or paste("because it is too old")) and not
#       frames("mmcv/", "mmdet/ops", "nms_wrapper", "roi_align", "detectron2/", "flashinfer/",
#       "flash_attn/", "xformers/", "bitsandbytes/", "diff_gaussian", "tinycudann", "torch_scatter",
#       "spconv/", "pointnet2")
#     likely: >-
#       paste("V100", "P100", "K80", "K40", "GTX 10", "GTX 9", "Quadro P", "Quadro M") and not
#       frames("mmcv/", "mmdet/ops", "nms_wrapper", "roi_align", "detectron2/", "flashinfer/",
#       "flash_attn/", "xformers/", "bitsandbytes/", "diff_gaussian", "tinycudann", "torch_scatter",
#       "spconv/", "pointnet2")
# ---

# %%
import os

import torch


def start_cuda(name, capability, code):
    """PyTorch's own look at the GPU when CUDA starts, on a machine with this GPU and in a build with this code."""
    torch.version.cuda = "12.6"
    torch.cuda.device_count = lambda: 1
    torch.cuda.get_device_name = lambda device=0: name
    torch.cuda.get_device_capability = lambda device=0: capability
    torch.cuda.get_arch_list = lambda: code.split()
    torch.cuda._check_capability()
    torch.cuda._check_cubins()


CU126 = "sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90"
CU128 = "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"

# %%
import subprocess
import sys
import venv
import zipfile

# An environment with a torch for CUDA 12.6, and a folder that stands for PyTorch's index for CUDA 12.8.
venv.create("env", symlinks=True)
for tag in ("cu126", "cu128"):
    os.mkdir(tag)
    with zipfile.ZipFile(f"{tag}/torch-2.9.1+{tag}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"torch-2.9.1+{tag}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: torch\nVersion: 2.9.1+{tag}\n")
        wheel.writestr(f"torch-2.9.1+{tag}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"torch-2.9.1+{tag}.dist-info/RECORD", "")


def pip(*arguments, index):
    """The real pip for that environment, with such a folder in place of `--index-url`; what it printed."""
    command = [sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "--python", "env/bin/python", *arguments]
    done = subprocess.run([*command, "--no-index", "--find-links", index], capture_output=True, text=True)
    return done.stdout + done.stderr


# %% break new-gpu
start_cuda("NVIDIA GeForce RTX 5090", (12, 0), CU126)

# %% check new-gpu
start_cuda("NVIDIA GeForce RTX 5090", (12, 0), CU126)
print("GPU: sm_%d%d" % torch.cuda.get_device_capability())
print("code for:", torch.cuda.get_arch_list())
assert "sm_120" not in torch.cuda.get_arch_list()

# %% proof new-gpu
import warnings

warnings.simplefilter("error")  # a complaint would end this
start_cuda("NVIDIA GeForce RTX 5090", (12, 0), CU128)
start_cuda("NVIDIA GeForce RTX 5060 Laptop GPU", (12, 0), CU128)
# PyTorch's own table of its builds says the same.
from torch.cuda import PYTORCH_RELEASES_CODE_CC as BUILDS

assert [cuda for cuda, code in BUILDS.items() if 120 in code["x86_64"]] == [cuda for cuda in BUILDS if cuda != "12.6"]

# %% wrong no-uninstall
# The install line without the uninstall in front: any torch that is there is enough for pip, also
# one for another CUDA. Nothing is installed.
pip("install", "torch", index="cu126")  # the torch that is there
output = pip("install", "torch", index="cu128")
print(output.splitlines()[-1])
assert "already satisfied: torch in" in output and "(2.9.1+cu126)" in output

# %% break old-gpu
start_cuda("NVIDIA GeForce GTX 1080 Ti", (6, 1), CU128)

# %% check old-gpu
start_cuda("NVIDIA GeForce GTX 1080 Ti", (6, 1), CU128)
oldest = min(int(code.removeprefix("sm_")) for code in torch.cuda.get_arch_list())
gpu = "sm_%d%d" % torch.cuda.get_device_capability()
print("GPU:", gpu, "oldest code: sm_%d" % oldest)
assert oldest > 61

# %% proof old-gpu
import warnings

warnings.simplefilter("error")
for name, capability in {"GTX 980": (5, 2), "P100": (6, 0), "GTX 1080 Ti": (6, 1), "V100": (7, 0)}.items():
    start_cuda(name, capability, CU126)
from torch.cuda import PYTORCH_RELEASES_CODE_CC as BUILDS

assert [cuda for cuda, code in BUILDS.items() if min(code["x86_64"]) <= 61] == ["12.6"]

# %%
from torch.utils.cpp_extension import _get_cuda_arch_flags  # what a build of an extension gives to nvcc

# %% break extension
# left in the image, or the machine that built the wheel had another GPU
os.environ["TORCH_CUDA_ARCH_LIST"] = "8.6"
flags = " ".join(_get_cuda_arch_flags())
print(flags)
assert "sm_86" in flags and "sm_120" not in flags and "compute_120" not in flags

# %% check extension
x = torch.ones(2, 2)  # on your machine: torch.ones(2, 2, device="cuda")
# PyTorch's own operations run: what lacks code is the other package
print((x @ x).sum().item())
assert (x @ x).sum() == 8

# %% proof extension
for wanted, code in {"12.0": "sm_120", "6.1": "sm_61", "8.6;12.0": "sm_120"}.items():
    os.environ["TORCH_CUDA_ARCH_LIST"] = wanted
    assert f"code={code}" in " ".join(_get_cuda_arch_flags())
