# ---
# wordings:
#   - text: "The detected CUDA version ({found:num}) mismatches the version that was used to compile PyTorch ({built:num})"
#     exception: RuntimeError
#     sample: "RuntimeError: The detected CUDA version (10.0) mismatches the version that was used to compile PyTorch (11.6). Please make sure to use the same CUDA versions."
#   - text: "The detected CUDA version ({found:num}) mismatches the version that was used to compilePyTorch ({built:num})"
#     exception: RuntimeError
#     sample: "RuntimeError: The detected CUDA version (12.1) mismatches the version that was used to compilePyTorch (13.0). Please make sure to use the same CUDA versions."
#   - text: "that was used to compilePyTorch (%s). Please make sure to use the same CUDA versions.', '{found:num}', '{built:num}')"
#     exception: RuntimeError
#     sample: "RuntimeError: ('The detected CUDA version (%s) mismatches the version that was used to compilePyTorch (%s). Please make sure to use the same CUDA versions.', '12.1', '13.0')"
#   - text: "mismatches the version that was used to compile"
#     near: [detected CUDA version]
#   - text: "The detected CUDA version ({found:num}) has a minor version mismatch with the version that was used to compile PyTorch ({built:num})"
#     exception: UserWarning
#     role: symptom
#     sample: "UserWarning: The detected CUDA version (11.7) has a minor version mismatch with the version that was used to compile PyTorch (11.3). Most likely this shouldn't be a problem."
#   - text: "Cuda extensions are being compiled with a version of Cuda that does not match the version used to compile Pytorch binaries. Pytorch binaries were compiled with Cuda {built:num}"
#     exception: RuntimeError
#     sample: "RuntimeError: Cuda extensions are being compiled with a version of Cuda that does not match the version used to compile Pytorch binaries.  Pytorch binaries were compiled with Cuda 10.2."
#   - text: "Cuda extensions are being compiled with a version of Cuda that does not match the version used to compile Pytorch binaries"
#     exception: RuntimeError
#   - text: "Installed CUDA version {found:num} does not match the version torch was compiled with {built:num}"
#     exception: [CUDAMismatchException, Exception]
#     sample: "Installed CUDA version 12.1 does not match the version torch was compiled with 11.7, unable to compile cuda/cpp extensions without a matching cuda version."
#   - text: "FlashAttention is only supported on CUDA {need:num} and above"
#     exception: RuntimeError
#     sample: "RuntimeError: FlashAttention is only supported on CUDA 11.7 and above.  Note: make sure nvcc has a supported version by running nvcc -V."
# tags: [build, cpp-extension, cuda]
# recover: process
# needs: ["package:setuptools", compiler, "fault:a CUDA toolkit of another release, whose nvcc only tells its version"]
# related: [install-env/extension-compile, install-env/torch-missing-while-building, install-env/two-cuda-folders]
# docs: ["https://docs.pytorch.org/docs/stable/cpp_extension.html"]
# timeout: 120
# causes:
#   toolkit:
#     undecided: whether the toolkit or PyTorch is easier to change is not printed
#   torch:
#     undecided: whether the toolkit or PyTorch is easier to change is not printed
#   minor:
#     if: paste("has a minor version mismatch") and not paste("mismatches the version")
#     sample: "UserWarning: The detected CUDA version (11.7) has a minor version mismatch with the version that was used to compile PyTorch (11.3)."
#   isolated:
#     likely: paste("pip-build-env", "builds-v0", "Installing build dependencies")
#     sample: "Installing build dependencies ... done\nRuntimeError: The detected CUDA version (12.8) mismatches the version that was used to compile PyTorch (13.0). Please make sure to use the same CUDA versions."
#     undecided: which torch the build took is not in the last lines
#   too-old:
#     case: toolkit
#     if: paste("FlashAttention is only supported on CUDA")
#     sample: "RuntimeError: FlashAttention is only supported on CUDA 11.7 and above.  Note: make sure nvcc has a supported version by running nvcc -V."
# cases:
#   toolkit:
#     wrong: {path-alone: "https://github.com/ghostpad/ghostpad/issues/9"}
#     commands:
#       linux: |
#         python -c "import torch; print(torch.version.cuda)"  # the toolkit that is wanted: say 12.8
#         ls -d /usr/local/cuda-*                              # is it there already?
#         conda install -c nvidia cuda-toolkit=12.8            # if not; its folder is $CONDA_PREFIX
#         export CUDA_HOME=/usr/local/cuda-12.8                # the folder that holds bin/nvcc
#         $CUDA_HOME/bin/nvcc --version
#         python -m pip install --no-build-isolation .
#       powershell: |
#         python -c "import torch; print(torch.version.cuda)"
#         dir "C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA"
#         $env:CUDA_HOME = "C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v12.8"
#         python -m pip install --no-build-isolation .
#   torch:
#     commands:
#       shell: |
#         nvcc --version   # release 12.x: cu126 or cu128; release 13.x: cu130
#         python -m pip uninstall -y torch torchvision torchaudio
#         python -m pip install torch torchvision --index-url https://download.pytorch.org/whl/cu128
#   isolated:
#     commands:
#       shell: |
#         python -m pip install setuptools wheel packaging ninja
#         python -m pip install --no-build-isolation --no-cache-dir .
# ---

# %%
import os
import subprocess
import sys

TORCH = "13.0"  # the CUDA that this PyTorch takes itself to be built with


def toolkit(folder, release):
    """A folder as NVIDIA's toolkit makes it, with an nvcc that can only say its release."""
    os.makedirs(f"{folder}/bin"), os.makedirs(f"{folder}/include")
    with open(f"{folder}/bin/nvcc", "w") as nvcc:
        nvcc.write(f'#!/bin/sh\necho "Cuda compilation tools, release {release}, V{release}.105"\n')
    os.chmod(f"{folder}/bin/nvcc", 0o755)
    return os.path.abspath(folder)


def as_cuda_build(release):
    """What a PyTorch for this CUDA says of itself."""
    return f"""
import torch
torch.version.cuda, torch.cuda._is_compiled = "{release}", lambda: True
torch.cuda.is_available = lambda: True
"""


SETUP = """
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="rays",
    ext_modules=[CUDAExtension("rays", ["rays.cu"])],
    cmdclass={"build_ext": BuildExtension},
)
"""
open("setup.py", "w").write(SETUP)
toolkit("cuda-12.1", "12.1"), toolkit("cuda-13.0", "13.0"), toolkit("cuda-13.1", "13.1")
os.environ["CUDA_HOME"] = os.path.abspath("cuda-12.1")


def build(torch_cuda, **environment):
    """`pip install .` with a PyTorch for this CUDA; what it said of the toolkit."""
    program = as_cuda_build(torch_cuda) + "from torch.utils import cpp_extension\nfrom torch.torch_version import TorchVersion\n"
    program += "cpp_extension._check_cuda_version('g++', TorchVersion('11.4'))\nprint('fits:', cpp_extension.CUDA_HOME)"
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, **environment}, capture_output=True, text=True)
    return done.stdout + done.stderr


exec(as_cuda_build(TORCH))

# %% break toolkit
sys.argv = ["setup.py", "build_ext"]
exec(open("setup.py").read())  # what `pip install .` runs

# %% check toolkit
import subprocess

import torch
from torch.utils.cpp_extension import CUDA_HOME

print(torch.version.cuda)  # what PyTorch was built with
nvcc = [f"{CUDA_HOME}/bin/nvcc", "--version"]
found = subprocess.run(nvcc, capture_output=True, text=True).stdout
print(found)
assert torch.version.cuda == "13.0" and "release 12.1" in found

# %% proof toolkit
assert "mismatches" in build("13.0")
assert f"fits: {os.path.abspath('cuda-13.0')}" in build("13.0", CUDA_HOME=os.path.abspath("cuda-13.0"))
without = {key: value for key, value in os.environ.items() if key not in ("CUDA_HOME", "CUDA_PATH")}
os.environ.clear(), os.environ.update(without)
# without CUDA_HOME the first nvcc on PATH decides
assert "fits: " + os.path.abspath("cuda-13.0") in build("13.0", PATH=f"{os.path.abspath('cuda-13.0')}/bin:{os.environ['PATH']}")
assert "mismatches" in build("13.0", PATH=f"{os.path.abspath('cuda-12.1')}/bin:{os.environ['PATH']}")
# another second number is only a warning
warned = build("13.0", CUDA_HOME=os.path.abspath("cuda-13.1"))
assert "minor version mismatch" in warned and "fits:" in warned

# %% wrong path-alone
# Another toolkit in front of `PATH`, while `CUDA_HOME` or `CUDA_PATH` is set: the variable comes first,
# and `nvcc --version` in the shell shows another one than the build takes.
folder = os.path.abspath("cuda-13.0")
said = build("13.0", PATH=f"{folder}/bin:{os.environ['PATH']}")
print(next(line for line in said.splitlines() if "mismatches the" in line))
assert "mismatches" in said and os.environ["CUDA_HOME"].endswith("cuda-12.1")

# %% break torch
sys.argv = ["setup.py", "build_ext"]
exec(open("setup.py").read())

# %% proof torch
assert "mismatches" in build("13.0") and "fits:" in build("12.8")  # with nvcc 12.1, and a PyTorch for CUDA 12.8

# %%
# A build environment of pip's, with a torch of its own: the newest.
os.makedirs("pip-build-env/torch")
with open("pip-build-env/torch/__init__.py", "w") as other:
    other.write(f'import sys\nsys.path.remove("{os.path.abspath("pip-build-env")}")\ndel sys.modules["torch"]\n' + as_cuda_build("13.0"))
WHICH = "import torch; print(torch.version.cuda)"

# %% break isolated
sys.argv = ["setup.py", "build_ext"]
exec(open("setup.py").read())

# %% check isolated
# with your own Python: here 12.8, which fits nvcc 12.1; the message named 13.0
PROGRAM = "import torch; print(torch.version.cuda)"
command = [sys.executable, "-c", as_cuda_build("12.8") + PROGRAM]
mine = subprocess.run(command, capture_output=True, text=True)
print(mine.stdout)
assert mine.stdout == "12.8\n"

# %% proof isolated
alone = subprocess.run([sys.executable, "-c", WHICH], env={**os.environ, "PYTHONPATH": os.path.abspath("pip-build-env")}, capture_output=True, text=True)
assert alone.stdout == "13.0\n", alone.stderr  # the build looks at the torch of its own environment
assert "mismatches" in build("13.0") and "fits:" in build("12.8")  # and without isolation at yours
