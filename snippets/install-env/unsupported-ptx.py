# ---
# wordings:
#   - text: "CUDA error: the provided PTX was compiled with an unsupported toolchain"
#     unless: [gpu-programs]
#   - text: "CUDA Runtime Error: the provided PTX was compiled with an unsupported toolchain"
#   - text: "RuntimeError: the provided PTX was compiled with an unsupported toolchain"
#   - text: "Triton Error [CUDA]: the provided PTX was compiled with an unsupported toolchain"
#   - text: "the provided PTX was compiled with an unsupported toolchain"
#     near: [torch]
# tags: [build, cpp-extension, cuda, driver]
# recover: process
# needs: ["package:triton"]
# cases:
#   newer-toolkit:
#     wrong: {built-again: "https://github.com/NVIDIA/nvbandwidth/issues/40"}
#     silent: true
#     commands:
#       linux: |
#         nvidia-smi | grep "CUDA Version"    # the newest CUDA that the driver supports
#         nvcc --version                      # the toolkit: if it is higher, update the driver, or build for your own GPU:
#         python -c "import torch; print(torch.cuda.get_device_capability())"
#         TORCH_CUDA_ARCH_LIST="8.6" python -m pip install --no-build-isolation --no-cache-dir --force-reinstall --no-deps .
#       powershell: |
#         nvidia-smi | Select-String "CUDA Version"
#         nvcc --version
#         python -c "import torch; print(torch.cuda.get_device_capability())"
#         $env:TORCH_CUDA_ARCH_LIST = "8.6"
#         python -m pip install --no-build-isolation --no-cache-dir --force-reinstall --no-deps .
#   ready-made-wheel:
#     unbroken: "a GPU with an older driver"
#     commands:
#       shell: "python -m pip install --force-reinstall --no-deps xformers --index-url https://download.pytorch.org/whl/cu126"
# related: [install-env/extension-compile]
# rows: [S001-125]
# docs: ["https://docs.nvidia.com/deploy/cuda-compatibility/"]
# causes:
#   newer-toolkit:
#     likely: >-
#       paste("torch_extensions", "cpp_extension", "CUDA Runtime Error: the provided PTX", "gsplat", "diff_gaussian", "tinycudann", "pytorch3d", "mmcv", "detectron2")
#     sample: "CUDA Runtime Error: the provided PTX was compiled with an unsupported toolchain. at diffvg/scene.cpp:35"
#   pytorch-or-triton:
#     if: paste("Triton Error", "torch/_inductor", "torch._inductor", "triton/compiler", "triton/runtime", "triton/backends")
#     likely: frames(".cuda()", ".to(device)", ".to('cuda", ".to(\"cuda")
#     sample: "RuntimeError: Triton Error [CUDA]: the provided PTX was compiled with an unsupported toolchain."
#   ready-made-wheel:
#     likely: paste("flash_attn", "flash-attn", "xformers", "bitsandbytes", "sgl_kernel", "vllm/")
#     sample: |
#       Traceback (most recent call last):
#         File "/opt/conda/lib/python3.10/site-packages/flash_attn/flash_attn_interface.py", line 53, in _flash_attn_forward
#       RuntimeError: CUDA error: the provided PTX was compiled with an unsupported toolchain.
#   numba-cupy:
#     if: paste("numba/cuda", "numba.cuda", "cupy_backends", "cupy/")
#     sample: "cupy_backends.cuda.api.driver.CUDADriverError: CUDA_ERROR_UNSUPPORTED_PTX_VERSION: the provided PTX was compiled with an unsupported toolchain.\nimport torch"
# ---

# %%
import os
import re
import subprocess
import tempfile
from pathlib import Path

import triton

# NVIDIA's compiler from PTX to machine code, as Triton brings it. The driver has one of the same kind inside.
PTXAS = Path(triton.__file__).parent / "backends/nvidia/bin/ptxas"
folder = Path(tempfile.mkdtemp())


def compile_ptx(version):
    """Machine code for an empty kernel that a toolkit wrote as PTX of this version; what the compiler says."""
    ptx = f".version {version}\n.target sm_80\n.address_size 64\n.visible .entry kernel() {{ ret; }}\n"
    (folder / "kernel.ptx").write_text(ptx)
    command = [PTXAS, "-arch=sm_80", "kernel.ptx", "-o", "kernel.cubin"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True).stderr.strip()


# %% break newer-toolkit
output = compile_ptx("99.0")  # from a toolkit of the future
print(output)
assert "Unsupported .version 99.0" in output
assert not (folder / "kernel.cubin").exists()

# %% proof newer-toolkit
known = re.search(r"current version is '([\d.]+)'", compile_ptx("99.0"))[1]
assert float(known) < 99.0  # the code is newer than the compiler

# PTX that is not newer than its compiler becomes machine code: a newer driver, or an older toolkit.
assert compile_ptx("8.0") == ""  # from CUDA 12.0
assert (folder / "kernel.cubin").read_bytes().startswith(b"\x7fELF")

# The last command: what PyTorch then gives to nvcc has machine code (sm) for that GPU, and no PTX (compute).
from torch.utils.cpp_extension import _get_cuda_arch_flags

written = {}
for listed in ("8.6", "8.6+PTX"):
    os.environ["TORCH_CUDA_ARCH_LIST"] = listed
    written[listed] = " ".join(_get_cuda_arch_flags())
assert "code=sm_86" in written["8.6"] and "code=compute_86" not in written["8.6"]
assert "code=compute_86" in written["8.6+PTX"]

# %% wrong built-again
# A clean build with the same toolkit: what it writes is as new as before.
for build in range(2):
    (folder / "kernel.ptx").unlink(missing_ok=True)
    output = compile_ptx("99.0")
    print(output.splitlines()[0])
    assert "Unsupported .version 99.0" in output
