# ---
# wordings:
#   - text: "CUDA initialization: The NVIDIA driver on your system is too old (found version {found:int})"
#     exception: UserWarning
#     sample: "UserWarning: CUDA initialization: The NVIDIA driver on your system is too old (found version 12080)."
#   - text: "The NVIDIA driver on your system is too old (found version {found:int})"
#     sample: "RuntimeError: The NVIDIA driver on your system is too old (found version 12080)."
#   - text: "The NVIDIA driver on your system is too old"
#   - text: "CUDA error: CUDA driver version is insufficient for CUDA runtime version"
#     unless: [gpu-programs]
#   - text: "RuntimeError: CUDA driver version is insufficient for CUDA runtime version"
#   - text: "cuda runtime error (35) : CUDA driver version is insufficient for CUDA runtime version"
#     exception: RuntimeError
#   - text: "error=35 : CUDA driver version is insufficient for CUDA runtime version"
#     near: [THC]
#   - text: "CUDA driver version is insufficient for CUDA runtime version"
#     near: [torch, "+cu", "+cpu"]
# tags: [container, cuda, driver]
# recover: machine
# needs: [compiler, "package:nvidia", "fault:a stub libcuda.so.1 that says an old version"]
# cases:
#   older-driver:
#     wrong: {newer-toolkit: "https://github.com/pytorch/pytorch/issues/25581"}
#     commands:
#       shell: |
#         python -m pip uninstall -y torch torchvision torchaudio
#         # found version 12000 to 12090:
#         python -m pip install "torch==2.14.*" torchvision --index-url https://download.pytorch.org/whl/cu126
#         # found version 11000 to 11080:
#         python -m pip install "torch==2.7.*" torchvision --index-url https://download.pytorch.org/whl/cu118
#       notebook: |
#         %pip uninstall -y torch torchvision torchaudio
#         # found version 12000 to 12090:
#         %pip install "torch==2.14.*" torchvision --index-url https://download.pytorch.org/whl/cu126
#         # found version 11000 to 11080:
#         %pip install "torch==2.7.*" torchvision --index-url https://download.pytorch.org/whl/cu118
#   torch-replaced:
#     silent: true
#     needs: ["package:pip"]
#     commands:
#       linux: |
#         python -c "from importlib.metadata import version; print('torch==' + version('torch'))" > constraints.txt
#         export PIP_CONSTRAINT=$PWD/constraints.txt
#         python -m pip install torchvision
#       powershell: |
#         python -c "from importlib.metadata import version; print('torch==' + version('torch'))" | Set-Content constraints.txt
#         $env:PIP_CONSTRAINT = "$PWD\constraints.txt"
#         python -m pip install torchvision
#   build-isolation:
#     unbroken: "a package that is built with CUDA"
#     commands:
#       shell: |
#         python -m pip install setuptools wheel ninja packaging
#         python -m pip install --no-build-isolation flash-attn
#   other-machine:
#     unbroken: "a cluster whose machines have other drivers"
#     commands:
#       slurm: srun --nodes=2 --ntasks-per-node=1 nvidia-smi --query-gpu=driver_version,name --format=csv
# timeout: 180
# related: [install-env/no-nvidia-driver, install-env/error-804, install-env/unsupported-ptx]
# docs: ["https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html"]
# causes:
#   cuda-12:
#     case: older-driver
#     likely: 12000 <= found < 13000 and not paste("pip-build-env", "builds-v0", "Successfully uninstalled torch-")
#   cuda-11:
#     case: older-driver
#     likely: 11000 <= found < 12000 and not paste("pip-build-env", "builds-v0", "Successfully uninstalled torch-")
#   cuda-10:
#     case: older-driver
#     likely: found < 11000 and not paste("pip-build-env", "builds-v0", "Successfully uninstalled torch-")
#     sample: "AssertionError: The NVIDIA driver on your system is too old (found version 10010)."
#   torch-replaced:
#     if: paste("Successfully uninstalled torch-") and not paste("pip-build-env", "builds-v0")
#     sample: "  Successfully uninstalled torch-2.10.0+cu128\nSuccessfully installed torch-2.11.0\nRuntimeError: The NVIDIA driver on your system is too old (found version 12080)."
#   build-isolation:
#     if: paste("pip-build-env", "builds-v0")
#     sample: |
#       Traceback (most recent call last):
#         File "/tmp/pip-build-env-j2ax/overlay/lib/python3.10/site-packages/torch/cuda/__init__.py", line 319, in _lazy_init
#       RuntimeError: The NVIDIA driver on your system is too old (found version 11040).
#   older-driver:
#     likely: not read(found)
#   no-driver:
#   other-libcuda:
#   other-machine:
# ---

# %%
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nvidia  # NVIDIA's wheels: the real CUDA runtime
import torch

folder = Path(tempfile.mkdtemp())
RUNTIME = next(str(file) for root in nvidia.__path__ for file in sorted(Path(root).glob("*/lib/libcudart.so.*")))


def cuda(number):
    """12080 means CUDA 12.8."""
    return f"{number // 1000}.{number % 1000 // 10}"


if torch.version.cuda:
    BUILT = torch.version.cuda
    START = "import torch; torch.cuda.init(); print('CUDA starts')"
    COMPLAINT = "The NVIDIA driver on your system is too old (found version {})"
else:  # a CPU build has no CUDA to start: ask NVIDIA's runtime what torch asks it first
    number = ctypes.c_int()
    ctypes.CDLL(RUNTIME).cudaRuntimeGetVersion(ctypes.byref(number))
    BUILT = cuda(number.value)
    START = f"""
import ctypes
runtime = ctypes.CDLL({RUNTIME!r})
runtime.cudaGetErrorString.restype = ctypes.c_char_p
code = runtime.cudaGetDeviceCount(ctypes.byref(ctypes.c_int()))
print(f"torch {torch.__version__} has no CUDA; NVIDIA's runtime answers {{code}}: {{runtime.cudaGetErrorString(code).decode()}}")
"""
    COMPLAINT = "answers 35: CUDA driver version is insufficient for CUDA runtime version"  # the code for which torch prints its sentence
MAJOR = int(BUILT.split(".")[0])

# The one question: which CUDA does the driver serve?
ASK = """
import ctypes
number = ctypes.c_int()
ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(number))
print(number.value)
"""


def python(program, LD_LIBRARY_PATH=""):
    """Run a program in a new process; the last line that it prints."""
    search = ":".join(filter(None, [LD_LIBRARY_PATH, os.environ.get("LD_LIBRARY_PATH")]))
    environment = {**os.environ, "LD_LIBRARY_PATH": search}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], env=environment, cwd=folder, capture_output=True, text=True)
    return (done.stdout + done.stderr).replace(f"{folder}/", "").strip().splitlines()[-1]


# Stands for the driver's libcuda.so.1: it says which CUDA it serves, and that there is no GPU.
LIBCUDA = r"""
#include <string.h>
int cuInit(unsigned flags) { return 100; }  // no CUDA-capable device is detected
int cuDriverGetVersion(int *version) { *version = VERSION; return 0; }
int cuGetProcAddress_v2(const char *name, void **found, int version, unsigned long flags, int *status) {
    *found = cuInit;
    if (!strcmp(name, "cuDriverGetVersion")) *found = cuDriverGetVersion;
    if (!strncmp(name, "cuGetProcAddress", 16)) *found = cuGetProcAddress_v2;
    return 0;
}
"""
OLD = (MAJOR - 1) * 1000 + 80  # the major version before: 11.8 or 12.8
NEW = MAJOR * 1000  # the first of the same major version: 12.0 or 13.0
compiler = next(name for name in ("cc", "gcc", "clang") if shutil.which(name))
for name, version in {"old": OLD, "new": NEW}.items():
    (folder / name).mkdir()
    build = [compiler, f"-DVERSION={version}", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-x", "c", "-", "-o", f"{folder}/{name}/libcuda.so.1"]
    subprocess.run(build, input=LIBCUDA, text=True, check=True)
PAST_THE_DRIVER = ("CUDA starts", "No CUDA GPUs are available", "no CUDA-capable device is detected")  # without a GPU it says just that
own = python(ASK)
new = "" if own.isdigit() and int(own) >= NEW else "new"  # "": the machine's own driver is new enough

# %% break older-driver
output = python(START, LD_LIBRARY_PATH="old")
print(output)
assert COMPLAINT.format(OLD) in output

# %% check older-driver
# the number before the point decides: the driver's must not be smaller
PROGRAM = """
import ctypes

import torch

number = ctypes.c_int()
ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(number))
cuda = f"{number.value // 1000}.{number.value % 1000 // 10}"
print(f"the driver serves CUDA {cuda}, torch needs {torch.version.cuda}")
"""
as_built = f"import torch; torch.version.cuda = {BUILT!r}\n"
output = python(as_built + PROGRAM, LD_LIBRARY_PATH="old")
print(output)
assert f"serves CUDA {cuda(OLD)}, torch needs {BUILT}" in output and OLD // 1000 < MAJOR

# %% proof older-driver
# What the commands change is which of the two numbers is larger. A driver of the same major version is enough.
output = python(START, LD_LIBRARY_PATH=new)
print(output)
assert any(answer in output for answer in PAST_THE_DRIVER)
found = int(python(ASK, LD_LIBRARY_PATH=new))
assert found // 1000 >= MAJOR
assert COMPLAINT.format(OLD) in python(START, LD_LIBRARY_PATH="old")  # and one below it is not

# %% wrong newer-toolkit
# A newer CUDA toolkit: its libraries ask the same driver, which still says its own version.
toolkit = os.path.dirname(RUNTIME)  # a newer CUDA, as a toolkit brings it
output = python(START, LD_LIBRARY_PATH=f"{toolkit}:old")
print(output)
assert COMPLAINT.format(OLD) in output
assert int(python(ASK, LD_LIBRARY_PATH=f"{toolkit}:old")) == OLD

# %%
import venv
import zipfile

# An environment with a torch for CUDA 12.8, and empty wheels that say of themselves what the real ones say.
venv.create(folder / "env", symlinks=True)
WHEELS = {
    ("torch", "2.10.0+cu128"): "",
    ("torch", "2.11.0"): "",  # built for CUDA 13.0
    ("torchvision", "0.25.0"): "Requires-Dist: torch==2.10.0\n",
    ("torchvision", "0.26.0"): "Requires-Dist: torch==2.11.0\n",
}
(folder / "wheels").mkdir()
for (name, version), needs in WHEELS.items():
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"wheels/{name}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


def pip(*arguments):
    """Run the real pip in that environment, on these wheels alone; the lines that tell what it does to torch."""
    options = ["--isolated", "--disable-pip-version-check", "--python", f"{folder}/env/bin/python"]
    command = [sys.executable, "-m", "pip", *options, *arguments, "--no-index", "--find-links", f"{folder}/wheels"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return "\n".join(line.strip() for line in done.stdout.splitlines() if any(word in line for word in ("Found existing", "Would install", "Successfully")))


def installed():
    return {file.name.split("-")[0]: file.name.split("-")[1].removesuffix(".dist") for file in (folder / "env").rglob("torch*.dist-info")}


print(pip("install", "torch==2.10.0+cu128"))
(folder / "wheels/torch-2.10.0+cu128-py3-none-any.whl").unlink()  # it came from PyTorch's own index, where pip does not look by itself

# %% break torch-replaced
print(pip("install", "torchvision"))
assert installed()["torch"] == "2.11.0"  # nobody asked for another torch

# %% check torch-replaced
# a torch in this line would take the place of yours
COMMAND = "pip install --dry-run torchvision"
output = pip(*COMMAND.split()[1:])
print(output)
assert "torch-2.11.0" in output and installed()["torch"] == "2.10.0+cu128"

# %% proof torch-replaced
# The same lines, with the environment's own Python; --isolated would hide PIP_CONSTRAINT, so pip gets the file by its option.
VERSION = "from importlib.metadata import version; print('torch==' + version('torch'))"
said = subprocess.run([folder / "env/bin/python", "-c", VERSION], capture_output=True, text=True).stdout
(folder / "constraints.txt").write_text(said)
print(pip("install", "torchvision", "-c", "constraints.txt"))
assert installed() == {"torch": "2.10.0+cu128", "torchvision": "0.25.0"}
