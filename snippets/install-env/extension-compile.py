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
#   - text: "CUDA_HOME does not exist, unable to compile CUDA op(s)"
#     exception: MissingCUDAException
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
#   - text: "CUDA was not found on the system, please set the CUDA_HOME or the CUDA_PATH"
#     exception: RuntimeError
#   - text: "nvcc not found at '{nvcc:path}'"
#     exception: FileNotFoundError
#     sample: "FileNotFoundError: nvcc not found at '/usr/local/cuda/bin/nvcc'. Ensure CUDA path '/usr/local/cuda' is correct."
#   - text: "No such file or directory: '{nvcc:path}'"
#     exception: FileNotFoundError
#     near: ["bin/nvcc'"]
#     sample: "FileNotFoundError: [Errno 2] No such file or directory: ':/usr/local/cuda/bin/nvcc'"
#   - text: "IndexError: list index out of range"
#     near: [_get_cuda_arch_flags]
#   - text: "Unknown CUDA arch ({arch:path}) or GPU not supported"
#     exception: ValueError
#     sample: "ValueError: Unknown CUDA arch (8.6) or GPU not supported"
#   - text: "Unsupported gpu architecture 'compute_{arch:ident}'"
#     near: [torch, cpp_extension, objects for extension, building extension]
#     sample: "nvcc fatal   : Unsupported gpu architecture 'compute_86'"
#   - text: "The current installed version of {compiler:path} ({version:num}) is greater than the maximum required version by CUDA"
#     exception: RuntimeError
#     sample: "RuntimeError: The current installed version of g++ (13.2.0) is greater than the maximum required version by CUDA 11.8."
#   - text: "The current installed version of {compiler:path} ({version:num}) is less than the minimum required version by CUDA"
#     exception: RuntimeError
#     sample: "RuntimeError: The current installed version of g++ (4.8.5) is less than the minimum required version by CUDA 11.8 (6.0.0)."
#   - text: "unsupported GNU version! gcc versions later than {gcc:int} are not supported"
#     near: [torch, cpp_extension, objects for extension, building extension]
#     sample: "error: #error -- unsupported GNU version! gcc versions later than 8 are not supported!"
#   - text: "C++{standard:int} or later compatible compiler is required to use"
#     sample: "error: #error C++17 or later compatible compiler is required to use ATen."
#   - text: "Command '['where', 'cl']' returned non-zero exit status"
#     exception: CalledProcessError
#   - text: "MSVC is required to load C++ extensions"
#     exception: RuntimeError
#   - text: "Error checking compiler version for cl: [WinError 2]"
#     exception: UserWarning
#   - text: "Cannot find compiler 'cl.exe' in PATH"
#     near: [torch, cpp_extension]
#   - text: "Microsoft Visual C++ 14.0 or greater is required"
#     near: [cpp_extension, torch_, 'torch\include', flash-attn, flash_attn, detectron2, mmcv, xformers, pytorch3d]
#   - text: "No CUDA runtime is found, using CUDA_HOME='"
#     role: symptom
#   - text: "Building wheel for flash-attn (setup.py) ... -"
#     role: symptom
#   - text: "Building wheel for flash-attn (pyproject.toml) ... -"
#     role: symptom
#   - text: "Building wheel for flash_attn (setup.py) ... -"
#     role: symptom
#   - text: "Building wheel for flash-attn (setup.py): still running"
#     role: symptom
#   - text: "Building wheel for flash-attn (pyproject.toml): still running"
#     role: symptom
#   - text: "'DeepSpeedCPUAdam' object has no attribute 'ds_opt_adam'"
#     exception: AttributeError
#     role: symptom
#   - text: "Python.h: No such file or directory"
#     near: [torch/, 'torch\', triton]
#   - text: "Failed building wheel for {package:path}"
#     role: symptom
#     near: [built-on-torch]
#     sample: "ERROR: Failed building wheel for flash-attn"
#   - text: "error: parameter packs not expanded with '...'"
#     near: [torch, nvcc, cuda, CUDA]
#   - text: "Building wheel for {package:path} (setup.py) ... error"
#     role: symptom
#     near: [built-on-torch]
#     sample: "Building wheel for simple_knn (setup.py) ... error"
#   - text: "Building wheel for {package:path} (pyproject.toml) ... error"
#     role: symptom
#     near: [built-on-torch]
#     sample: "Building wheel for flash-attn (pyproject.toml) ... error"
#   - text: "Could not build wheels for {package:path}"
#     role: symptom
#     near: [built-on-torch]
#     sample: "ERROR: Could not build wheels for flash-attn, which is required to install pyproject.toml-based projects"
#   - text: "Failed to build installable wheels for some pyproject.toml based projects ({package:path}"
#     role: symptom
#     near: [built-on-torch]
#     sample: "ERROR: Failed to build installable wheels for some pyproject.toml based projects (flash-attn)"
# tags: [build, cpp-extension]
# recover: process
# needs: [compiler]
# timeout: 240
# related: [install-env/extension-lock-hang, install-env/undefined-symbol, install-env/extension-cuda-mismatch, install-env/extension-not-built, install-env/flash-attn-install]
# rows: [S001-100]
# outranks: [jit-extension-not-found]
# docs: ["https://docs.pytorch.org/docs/stable/cpp_extension.html"]
# cases:
#   first-error:
#     wrong: {ninja-version: "https://github.com/levihsu/OOTDiffusion/issues/64"}
#     commands:
#       linux: |
#         MAX_JOBS=1 python -m pip install -v --no-build-isolation . 2>&1 | tee build.log
#         grep -n -m 5 -E "error:|Error:" build.log
#       powershell: |
#         $env:MAX_JOBS = 1
#         python -m pip install -v --no-build-isolation . *> build.log
#         Select-String -Path build.log -Pattern "error" | Select-Object -First 5
#   cuda-home:
#     wrong: {list-of-folders: "https://github.com/zhanghang1989/PyTorch-Encoding/issues/297"}
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
#   no-gpu-in-sight:
#     commands:
#       linux: |
#         export TORCH_CUDA_ARCH_LIST="8.6"   # the two numbers of your own GPU
#         python -m pip install --no-build-isolation .
#       docker: ENV TORCH_CUDA_ARCH_LIST="8.6"
#   arch:
#     unbroken: "nvcc with a GPU of another architecture"
#     commands:
#       linux: |
#         python -c "import torch; print(torch.cuda.get_device_capability())"
#         TORCH_CUDA_ARCH_LIST="8.6" pip install --no-build-isolation .  # it printed (8, 6)
#       powershell: |
#         python -c "import torch; print(torch.cuda.get_device_capability())"
#         $env:TORCH_CUDA_ARCH_LIST = "8.6"; pip install --no-build-isolation .  # it printed (8, 6)
#   new-compiler:
#     unbroken: "nvcc with a compiler that is too new for it"
#     commands:
#       linux: |
#         sudo apt install gcc-12 g++-12  # for CUDA 12; for CUDA 11.8: gcc-11 g++-11
#         CC=gcc-12 CXX=g++-12 pip install --no-build-isolation .
#       powershell: |
#         # the toolset 14.38, added in the Visual Studio Installer
#         cmd /k '"C:\Program Files (x86)\Microsoft Visual Studio\2022\BuildTools\VC\Auxiliary\Build\vcvars64.bat" -vcvars_ver=14.38'
#         pip install --no-build-isolation .
#   old-compiler:
#     unbroken: "nvcc with a compiler that is too old for it"
#     commands:
#       linux: |
#         conda install -c conda-forge gcc_linux-64=12 gxx_linux-64=12
#         export CC=$CONDA_PREFIX/bin/x86_64-conda-linux-gnu-gcc CXX=$CONDA_PREFIX/bin/x86_64-conda-linux-gnu-g++
#         pip install --no-build-isolation .
#   python-headers:
#     unbroken: "a machine without Python's headers"
#     commands:
#       linux: |
#         sudo apt install python3-dev  # Debian, Ubuntu; for another Python: python3.12-dev
#         sudo dnf install python3-devel  # Fedora
#       docker: "RUN apt-get update && apt-get install -y python3-dev"
# causes:
#   first-error:
#     undecided: the tail says only that the build failed; the first error stands further up
#   old-names:
#     if: >-
#       not paste("torch/lib/include") and paste("'AT_CHECK' was not declared", "identifier \"AT_CHECK\" is undefined", "'AT_CHECK': identifier not found",
#       "use of undeclared identifier 'AT_CHECK'", "fatal error: THC/", "'THC/THC", "source file \"THC/", "fatal error: TH/", "identifier \"THC", "'THCState' was not declared",
#       "'THCudaCheck' was not declared", "DeprecatedTypeProperties\" to \"", "DeprecatedTypeProperties' to '")
#   cuda-home:
#     if: paste("CUDA_HOME environment variable is not set", "CUDA_HOME does not exist, unable to compile", "please set the CUDA_HOME or the CUDA_PATH")
#   nvcc-not-found:
#     case: cuda-home
#     if: >-
#       paste("nvcc: not found", "nvcc: command not found", "nvcc: No such file", "nvcc not found at '")
#       or (begins(nvcc, "/", ":/") and paste("/bin/nvcc'") and not paste("/bin/nvcc' failed"))
#     sample: "/bin/sh: 1: :/usr/local/cuda/bin/nvcc: not found\nninja: build stopped: subcommand failed.\nsubprocess.CalledProcessError: Command '['ninja', '-v']' returned non-zero exit status 1."
#   toolkit-incomplete:
#     case: cuda-home
#     if: >-
#       paste("fatal error: cuda_runtime", "fatal error: cuda.h", "fatal error: cublas_v2.h", "fatal error: cusparse.h", "fatal error: cusolver",
#       "fatal error: curand", "fatal error: thrust/", "fatal error: nv/target", "cannot find -lcudart", "cannot find -lcublas")
#     sample: "torch/include/ATen/cuda/CUDAContextLight.h:7:10: fatal error: cusparse.h: No such file or directory\nRuntimeError: Error compiling objects for extension"
#   other-cuda:
#     if: paste("mismatches the version that was used to compile", "does not match the version used to compile Pytorch", "does not match the version torch was compiled with")
#     sample: "Error building extension 'fused_adam'\nInstalled CUDA version 12.1 does not match the version torch was compiled with 11.7"
#   newer-package:
#     if: >-
#       paste("'TORCH_CHECK' was not declared", "identifier \"TORCH_CHECK\" is undefined", "'TORCH_CHECK': identifier not found", "no member named 'scalar_type'", "no member \"scalar_type\"",
#       "no member named 'data_ptr'", "no member \"data_ptr\"", "no member named 'const_data_ptr'", "no member \"const_data_ptr\"", "no member named 'mutable_data_ptr'", "no member \"mutable_data_ptr\"",
#       "'const at::Type&' from expression of type 'c10::ScalarType'", "fatal error: torch/csrc/stable/", "fatal error: torch/headeronly/")
#       or (paste("torch/lib/include") and paste("'AT_CHECK' was not declared", "identifier \"AT_CHECK\" is undefined"))
#     likely: paste("torch/lib/include") and paste("was not declared", "is undefined", "has no member", "No such file or directory")
#     sample: "/usr/lib/python3.6/site-packages/torch/lib/include/ATen/Dispatch.h:70:32: note: in definition of macro\ncpu/scatter.cpp:51:40: error: invalid initialization of reference of type 'const at::Type&' from expression of type 'c10::ScalarType'\nerror: command 'gcc' failed with exit status 1"
#   old-standard:
#     if: paste("or later compatible compiler is required", "You need C++14 to compile", "You need C++17 to compile")
#   no-ninja:
#     if: paste("Ninja is required", "ninja is required to build")
#   new-compiler:
#     if: >-
#       paste("unsupported GNU version", "unsupported Microsoft Visual Studio version", "is greater than the maximum required version by CUDA", "Unexpected compiler version, expected CUDA",
#       "error: identifier \"__builtin_ia32_", "error: identifier \"_Float32\"") or (paste("/bits/std_function.h") and paste("parameter packs not expanded with"))
#     sample: "/usr/local/cuda/include/crt/host_config.h:138:2: error: #error -- unsupported GNU version! gcc versions later than 8 are not supported!\nRuntimeError: Error compiling objects for extension"
#   old-compiler:
#     if: >-
#       paste("is less than the minimum required version by CUDA", "too old version of GCC", "too old version of Clang", "is not defined for option 'std'", "option '-generate-dependencies-with-compile'",
#       "unrecognized command line option '-std=c++", "unrecognized command-line option '-std=c++", "unrecognized command line option \"-std=c++")
#     sample: "cc1plus: error: unrecognized command line option '-std=c++17'\nRuntimeError: Error compiling objects for extension"
#   arch:
#     if: paste("Unsupported gpu architecture", "is not defined for option 'gpu-name'", "is not defined for option 'gpu-architecture'", "Unknown CUDA arch (")
#     sample: "nvcc fatal   : Unsupported gpu architecture 'compute_89'\nRuntimeError: Error compiling objects for extension"
#   no-gpu-in-sight:
#     if: >-
#       paste("_get_cuda_arch_flags") and paste("IndexError: list index out of range")
#     likely: >-
#       paste("No CUDA runtime is found, using CUDA_HOME") and not paste("error:", "Error:") or
#       paste("Cuda is not availabel")
#   msvc:
#     if: >-
#       paste("Microsoft Visual C++ 14.0 or greater is required", "Microsoft Visual C++ 14.0 is required", "MSVC is required to load", "Command '['where', 'cl']'", "Cannot find compiler 'cl.exe'",
#       "'cl' is not recognized", "'cl.exe' failed: No such file")
#     likely: paste("[WinError 2]", "WinError 2]")
#     sample: "nvcc fatal   : Cannot find compiler 'cl.exe' in PATH\nRuntimeError: Error compiling objects for extension"
#   python-headers:
#     if: >-
#       paste("Python.h: No such file", "'Python.h' file not found", "'Python.h': No such file", "source file \"Python.h\"")
#     sample: "torch/include/torch/csrc/python_headers.h:12:10: fatal error: Python.h: No such file or directory"
#   submodules:
#     if: >-
#       paste("fatal error: glm/", "'glm/glm.hpp': No such file", "fatal error: cutlass/", "'cutlass/cutlass.h': No such file", "fatal error: cute/", "source file \"glm/", "source file \"cutlass/")
#     sample: "cuda_rasterizer/forward.cu:16:10: fatal error: glm/glm.hpp: No such file or directory\nRuntimeError: Error compiling objects for extension"
#   slow:
#     if: >-
#       paste("(setup.py) ... -", "(pyproject.toml) ... -", "): still running") and not paste("... error", "rror:", "finished with status")
#     sample: "Building wheels for collected packages: flash-attn\n  Building wheel for flash-attn (setup.py) ... -"
#   op-builder:
#     case: first-error
#     if: >-
#       paste("no attribute 'ds_opt_adam'") and not paste("undefined symbol", "rror: command", "error: #", "fatal error")
#     sample: "AttributeError: 'DeepSpeedCPUAdam' object has no attribute 'ds_opt_adam'"
#   out-of-memory:
#     if: >-
#       paste("Killed signal terminated program", "internal compiler error: Killed", "died due to signal 9", "virtual memory exhausted", "cc1plus: out of memory", "compiler is out of heap space")
#     sample: "nvcc error   : 'cicc' died due to signal 9 (Kill signal)\nninja: build stopped: subcommand failed.\nRuntimeError: Error compiling objects for extension"
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
build = [sys.executable, "setup.py", "build_ext", "--inplace"]
done = subprocess.run(build, capture_output=True, text=True)
last = done.stderr.strip().splitlines()[-1]
print(last)  # the last line names no cause
assert "Error compiling objects" in done.stderr and "AT_CHECK" not in last

# %% proof first-error
# The same two lines of shell, around the command that pip runs.
build = f"'{sys.executable}' setup.py build_ext --inplace"
shell = f'MAX_JOBS=1 {build} 2>&1 | tee build.log; echo ---; grep -n -m 5 -E "error:|Error:" build.log'
found = subprocess.run(shell, shell=True, capture_output=True, text=True).stdout.partition("---\n")[2].splitlines()
print(found[0])
assert "old.cpp:3" in found[0] and "AT_CHECK" in found[0]  # file, line and name of the cause

# %% wrong ninja-version
# `['ninja', '--version']` in place of `['ninja', '-v']` in torch's `cpp_extension.py`: ninja tells
# its version and compiles nothing. A little later the file is missing.
source = open(cpp_extension.__file__).read()
edited = source.replace("'ninja', '-v'", "'ninja', '--version'")
exec(edited, vars(cpp_extension))
try:
    cpp_extension.load("shop", ["old.cpp"])
except ImportError as error:
    missing = str(error).split("/")[-1]
print(missing)
assert missing.startswith("shop.so: cannot open shared object file")

# %%
os.makedirs("cuda/bin"), os.makedirs("cuda/include")
write("cuda/bin/nvcc", "#!/bin/sh\necho release 13.0\n")
os.chmod("cuda/bin/nvcc", 0o755)
# A new process in which PyTorch takes itself for a CUDA build: what CUDA_HOME and PATH say decides.
AS_CUDA = """
import torch
torch.version.cuda, torch.cuda._is_compiled, torch.cuda.is_available = "13.0", lambda: True, lambda: False
"""

# %% break cuda-home
cpp_extension.CUDA_HOME = None  # what a machine without a toolkit gives
cpp_extension.CUDAExtension("rays", ["rays.cu"])

# %% check cuda-home
os.environ.pop("CUDA_HOME", None), os.environ.pop("CUDA_PATH", None)
os.environ["PATH"] = os.getcwd()  # no nvcc here
print(torch.version.cuda)  # None: a CPU build of PyTorch; no CUDA_HOME helps it
print(shutil.which("nvcc"))  # None: no toolkit on PATH
assert shutil.which("nvcc") is None

# %% proof cuda-home
ASK = AS_CUDA + """
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

# %% wrong list-of-folders
# `export CUDA_HOME=$CUDA_HOME:/usr/local/cuda`, as one adds to `PATH`: the value begins with a
# colon, or holds two folders, and is the name of no folder.
program = """
import subprocess
from torch.utils.cpp_extension import _join_cuda_home

subprocess.run([_join_cuda_home("bin", "nvcc"), "--version"])
"""
listed = {**os.environ, "CUDA_HOME": ":" + os.path.abspath("cuda")}
ask = [sys.executable, "-c", AS_CUDA + program]
done = subprocess.run(ask, env=listed, capture_output=True, text=True)
last = done.stderr.replace(os.getcwd(), "/usr/local").splitlines()[-1]
print(last)
assert last.endswith("No such file or directory: ':/usr/local/cuda/bin/nvcc'")

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
others = {kind: f"old.{kind}" for kind in ("cu", "h", "cuh")}  # what a package with kernels has
for kind, name in others.items():
    write(name, "AT_CHECK(n); AT_ASSERT(MY_AT_CHECK); AT_CHECKED;")
write("NOTES.md", "AT_CHECK is gone")
subprocess.run(commands["shell"], shell=True, check=True)
for name in others.values():
    assert open(name).read() == "TORCH_CHECK(n); TORCH_CHECK(MY_AT_CHECK); AT_CHECKED;"
assert open("NOTES.md").read() == "AT_CHECK is gone"
library = ctypes.CDLL(cpp_extension.load("shop", ["old.cpp"], is_python_module=False))
assert library.half(6) == 3
odd = "import ctypes, sys; ctypes.CDLL(sys.argv[1]).half(5)"
done = subprocess.run([sys.executable, "-c", "import torch; " + odd, library._name], capture_output=True, text=True)
assert done.returncode != 0 and "odd" in done.stderr  # the check still checks

# %% break old-standard
flags = ["-std=c++14", "-Wfatal-errors"]  # the flags of an old setup.py
library = cpp_extension.load(
    "total", ["total.cpp"], extra_cflags=flags, is_python_module=False
)

# %% check old-standard
flags = ["-std=c++14", "-Wfatal-errors"]
try:
    cpp_extension.load(
        "total", ["total.cpp"], extra_cflags=flags, is_python_module=False
    )
except RuntimeError as error:
    line = next(line for line in str(error).splitlines() if "error:" in line)
print(line)
assert "or later compatible compiler is required" in line  # which: as PyTorch needs

# %% fix old-standard
from torch.utils import cpp_extension

# no -std flag: PyTorch passes the one that its headers need
library = cpp_extension.load("total", ["total.cpp"], is_python_module=False)

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

# %% break no-gpu-in-sight
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"  # as in `docker build`
cpp_extension._get_cuda_arch_flags()  # how the build of a CUDA extension begins

# %% check no-gpu-in-sight
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
print(torch.cuda.device_count(), os.environ.get("TORCH_CUDA_ARCH_LIST"))
assert torch.cuda.device_count() == 0 and not os.environ.get("TORCH_CUDA_ARCH_LIST")

# %% proof no-gpu-in-sight
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["TORCH_CUDA_ARCH_LIST"] = "8.6"
assert cpp_extension._get_cuda_arch_flags() == ["-gencode=arch=compute_86,code=sm_86"]
