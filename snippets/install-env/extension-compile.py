# ---
# wordings:
#   - text: "Error compiling objects for extension"
#     exception: RuntimeError
#   - text: "Error building extension '{name:ident}'"
#     exception: RuntimeError
#     sample: "RuntimeError: Error building extension 'fused': [1/2] /usr/local/cuda/bin/nvcc"
#   - text: "Error building extension '"
#     exception: RuntimeError
#   - text: "Command '['ninja', '-v']' returned non-zero exit status"
#     exception: CalledProcessError
#   - text: "Command '['ninja', '-v', '-j', '{_:int}']' returned non-zero exit status"
#     exception: CalledProcessError
#     sample: "subprocess.CalledProcessError: Command '['ninja', '-v', '-j', '48']' returned non-zero exit status 1."
#   - text: "CUDA_HOME environment variable is not set. Please set it to your CUDA install root"
#     exception: OSError
#   - text: "CUDA_HOME environment variable is not set"
#   - text: "['ninja', '-v']"
#     near: [cpp_extension]
#   - text: "ninja: build stopped: subcommand failed"
#     role: symptom
#     near: [cpp_extension, torch_extensions, torch/include, 'torch\include', torch/lib/include, TORCH_EXTENSION_NAME]
#   - text: "nvcc' failed with exit"
#     role: symptom
#   - text: "nvcc.exe' failed with exit"
#     role: symptom
#   - text: "error: command '{_:line}' failed with exit"
#     role: symptom
#     near: [cpp_extension, torch_extensions, torch/include, 'torch\include', torch/lib/include, TORCH_EXTENSION_NAME]
#     sample: "error: command '/usr/local/cuda/bin/nvcc' failed with exit code 1"
#   - text: "Ninja is required to load C++ extensions"
#     exception: RuntimeError
# tags: [build, cpp-extension]
# recover: process
# needs: [compiler]
# timeout: 240
# related: [install-env/extension-lock-hang, install-env/undefined-symbol]
# rows: [S001-100]
# docs: ["https://docs.pytorch.org/docs/stable/cpp_extension.html"]
# cases:
#   first-error:
#     commands:
#       linux: |
#         MAX_JOBS=1 python -m pip install -v --no-build-isolation . 2>&1 | tee build.log
#         grep -n -m 5 -E "error:|Error:" build.log
#       powershell: |
#         $env:MAX_JOBS = 1
#         python -m pip install -v --no-build-isolation . *> build.log
#         Select-String -Path build.log -Pattern "error" | Select-Object -First 5
#   cuda-home:
#     needs: ["fault:a machine without a CUDA toolkit"]
#     commands:
#       linux: |
#         python -c "import torch; print(torch.version.cuda)"   # take the toolkit of this version
#         ls -d /usr/local/cuda*                                # is it there already?
#         export CUDA_HOME=/usr/local/cuda                      # the folder that holds bin/nvcc, and nothing else
#         python -m pip install --no-build-isolation .
#       powershell: |
#         python -c "import torch; print(torch.version.cuda)"
#         dir "C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA"
#         $env:CUDA_HOME = "C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v12.8"
#         python -m pip install --no-build-isolation .
#   old-names:
#     commands:
#       shell: |
#         grep -rlE "AT_CHECK|AT_ASSERT" --include="*.cpp" --include="*.cu" --include="*.h" --include="*.cuh" . > old.txt
#         xargs perl -pi -e 's/\bAT_CHECK\b/TORCH_CHECK/g; s/\bAT_ASSERT\b/TORCH_CHECK/g' < old.txt
#   no-ninja:
#     commands:
#       shell: |
#         python -m pip install ninja
#         which ninja    # Windows: where ninja. Nothing printed: activate the environment
# causes:
#   first-error:
#   cuda-home:
#   usr-local-cuda-bin: {case: cuda-home}
#   detected-cuda-version-mismatches:
#   no-module-named-torch: {case: first-error}
#   old-names:
#   name-pytorch-unknown-path:
#   old-standard:
#   no-ninja:
#   unsupported-gnu-version:
#   unsupported-gpu-architecture:
#   microsoft-visual-c-14:
#   python-h-no-such:
#   killed-internal-compiler-error:
# ---

# %%
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile

import torch
from torch.utils import cpp_extension

os.chdir(tempfile.mkdtemp())
PATH = os.environ["PATH"]


def write(file, text):
    with open(file, "w") as out:
        out.write(text)


# A small function with PyTorch's headers, and the setup.py that builds it.
write(
    "total.cpp",
    """
#include <ATen/ATen.h>
extern "C" int total() { return at::ones({2, 3}).sum().item<int>(); }
""",
)
# Written for PyTorch 1.4.
write(
    "old.cpp",
    """
#include <c10/util/Exception.h>
extern "C" int half(int n) { AT_CHECK(n % 2 == 0, "odd"); return n / 2; }
""",
)
write(
    "setup.py",
    """
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension

setup(name="shop", ext_modules=[CppExtension("shop", ["old.cpp"])], cmdclass={"build_ext": BuildExtension})
""",
)


# %% break first-error
sys.argv = ["setup.py", "build_ext", "--inplace"]
exec(open("setup.py").read())  # what `pip install .` runs

# %% check first-error
done = subprocess.run([sys.executable, "setup.py", "build_ext", "--inplace"], capture_output=True, text=True)
print(done.stderr.strip().splitlines()[-1])  # the last line names no cause
assert "Error compiling objects" in done.stderr and "AT_CHECK" not in done.stderr.splitlines()[-1]

# %% proof first-error
# The same two lines of shell, around the command that pip runs.
build = f"'{sys.executable}' setup.py build_ext --inplace"
shell = f'MAX_JOBS=1 {build} 2>&1 | tee build.log; echo ---; grep -n -m 5 -E "error:|Error:" build.log'
found = subprocess.run(shell, shell=True, capture_output=True, text=True).stdout.partition("---\n")[2].splitlines()
print(found[0])
assert "old.cpp:3" in found[0] and "AT_CHECK" in found[0]  # file, line and name of the cause

# %% break cuda-home
cpp_extension.CUDA_HOME = None  # what a machine without a toolkit gives
cpp_extension.CUDAExtension("rays", ["rays.cu"])

# %% check cuda-home
os.environ.pop("CUDA_HOME", None), os.environ.pop("CUDA_PATH", None)
os.environ["PATH"] = os.getcwd()  # no nvcc here
print(torch.version.cuda)  # None: a CPU build of PyTorch, for which no CUDA_HOME helps
print(shutil.which("nvcc"))  # None: no toolkit on PATH
assert shutil.which("nvcc") is None

# %% proof cuda-home
os.makedirs("cuda/bin"), os.makedirs("cuda/include")
write("cuda/bin/nvcc", "#!/bin/sh\n")
os.chmod("cuda/bin/nvcc", 0o755)
# A new process in which PyTorch takes itself for a CUDA build: what CUDA_HOME and PATH say decides.
ASK = """
import torch
torch.version.cuda, torch.cuda._is_compiled, torch.cuda.is_available = "13.0", lambda: True, lambda: False
from torch.utils.cpp_extension import CUDAExtension
print(CUDAExtension("rays", ["rays.cu"]).include_dirs[-1])
"""
nowhere = {key: value for key, value in os.environ.items() if key not in ("CUDA_HOME", "CUDA_PATH")} | {"PATH": os.getcwd()}


def ask(**environment):
    return subprocess.run([sys.executable, "-c", ASK], env={**nowhere, **environment}, capture_output=True, text=True)


home = os.path.abspath("cuda")
if not os.path.exists("/usr/local/cuda"):  # the last place where PyTorch looks by itself
    assert "CUDA_HOME environment variable is not set" in ask().stderr
assert ask(CUDA_HOME=home).stdout.strip() == f"{home}/include"
assert ask(PATH=f"{home}/bin").stdout.strip() == f"{home}/include"  # nvcc on PATH does as well
assert ask(CUDA_HOME=f":{home}").stdout.strip() == f":{home}/include"  # a list of folders is no folder

# %% break old-names
cpp_extension.load("shop", ["old.cpp"], is_python_module=False)

# %% check old-names
try:
    cpp_extension.load("shop", ["old.cpp"], is_python_module=False)
except RuntimeError as error:
    line = next(line for line in str(error).splitlines() if "error:" in line)
print(line)
assert "AT_CHECK" in line and "not declared" in line

# %% proof old-names
renamed = "xargs perl -pi -e 's/\\bAT_CHECK\\b/TORCH_CHECK/g; s/\\bAT_ASSERT\\b/TORCH_CHECK/g' < old.txt"
subprocess.run(f'grep -rlE "AT_CHECK|AT_ASSERT" --include="*.cpp" . > old.txt; {renamed}', shell=True, check=True)
assert open("old.txt").read().split() == ["./old.cpp"]
library = ctypes.CDLL(cpp_extension.load("shop", ["old.cpp"], is_python_module=False))
assert library.half(6) == 3
odd = "import ctypes, sys; ctypes.CDLL(sys.argv[1]).half(5)"
done = subprocess.run([sys.executable, "-c", "import torch; " + odd, library._name], capture_output=True, text=True)
assert done.returncode != 0 and "odd" in done.stderr  # the check still checks

# %% break old-standard
flags = ["-std=c++14", "-Wfatal-errors"]  # the flags of an old setup.py
library = cpp_extension.load("total", ["total.cpp"], extra_cflags=flags, is_python_module=False)

# %% check old-standard
try:
    cpp_extension.load("total", ["total.cpp"], extra_cflags=["-std=c++14", "-Wfatal-errors"], is_python_module=False)
except RuntimeError as error:
    line = next(line for line in str(error).splitlines() if "error:" in line)
print(line)
assert "or later compatible compiler is required" in line  # which standard depends on PyTorch

# %% fix old-standard
from torch.utils import cpp_extension

library = cpp_extension.load("total", ["total.cpp"], is_python_module=False)  # no -std flag: PyTorch passes the one that its headers need

# %% proof old-standard
assert ctypes.CDLL(library).total() == 6

# %% break no-ninja
os.environ["PATH"] = os.getcwd()  # ninja is not in any folder of PATH
cpp_extension.load("shop", ["old.cpp"], is_python_module=False)

# %% check no-ninja
os.environ["PATH"] = os.getcwd()
print(shutil.which("ninja"))
assert shutil.which("ninja") is None

# %% proof no-ninja
os.environ["PATH"] = os.getcwd()
assert not cpp_extension.is_ninja_available()
os.symlink(shutil.which("ninja", path=PATH), "ninja")  # where `pip install ninja` puts it: into the environment's own bin
assert cpp_extension.is_ninja_available()
os.environ["PATH"] = f"{os.getcwd()}:{PATH}"  # and the compiler
write("one.cpp", 'extern "C" int one() { return 1; }')
assert ctypes.CDLL(cpp_extension.load("one", ["one.cpp"], is_python_module=False)).one() == 1
