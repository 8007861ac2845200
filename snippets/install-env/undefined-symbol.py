# ---
# wordings:
#   - text: "undefined symbol: {symbol:ident}"
#     near: [torch, c10, N2at, _ZN2at, _ZNK2at, libcu, libnccl, nccl, nvJitLink, iJIT_, "symbol: cuCtx", "symbol: cuDevice", "symbol: cuFunc", "symbol: cuGet", "symbol: cuLaunch", "symbol: cuMem", "symbol: cuModule", "symbol: cuStream", "symbol: cuTensor", "symbol: cuda", "symbol: cublas", "symbol: cudnn", "symbol: cusolver", "symbol: cusparse", "symbol: nvrtc", THPVariable, THCState, THCudaMalloc, flash_attn, flash-attn, nvidia/]
#     sample: "ImportError: flash_attn_2_cuda.cpython-310-x86_64-linux-gnu.so: undefined symbol: _ZN3c104cuda9SetDeviceEi"
#   - text: "%20undefined%20symbol:%20{symbol:ident}"
#     sample: "libtorch_cuda.so:%20undefined%20symbol:%20ncclCommRegister"
#   - text: "not defined in file {library:ident} with link time reference"
#     near: [torch, nvidia/cublas, nvidia/cudnn, nvidia/cusparse]
#     sample: "OSError: /opt/conda/lib/python3.9/site-packages/nvidia/cublas/lib/libcublas.so.11: symbol cublasLtGetStatusString version libcublasLt.so.11 not defined in file libcublasLt.so.11 with link time reference"
#   - text: "Symbol not found: {symbol:ident}"
#     near: [torch, c10, N2at]
#     sample: "Symbol not found: __ZN2at4_ops5zeros4callEN3c108ArrayRefINS2_6SymIntEEE"
#   - text: "symbol not found in flat namespace '{symbol:ident}'"
#     near: [torch, c10, N2at]
#     sample: "symbol not found in flat namespace '__ZN3c1010Dispatcher17runRecordFunctionERNS_0E'"
#   - text: "type object 'torch._C._distributed_c10d.BackendType' has no attribute '{attribute:ident}'"
#     exception: AttributeError
#     sample: "AttributeError: type object 'torch._C._distributed_c10d.BackendType' has no attribute 'XCCL'"
#   - text: "undefined reference to 'torch::"
#   - text: "undefined reference to 'c10::"
#   - text: "undefined reference to 'at::"
#   - text: "Tensors of type TensorImpl do not have sizes"
#     exception: RuntimeError
#   - text: "Tensors of type TensorImpl do not have strides"
#     exception: RuntimeError
#   - text: "layout_impl is only implemented for TensorImpl subclasses"
#     exception: RuntimeError
# tags: [cpp-extension, cuda, driver, import-error, shared-library]
# recover: process
# needs: [compiler, "fault:stub libraries in place of the driver and of CUDA"]
# cases:
#   other-pytorch:
#     commands:
#       shell: |
#         python -m pip uninstall -y flash-attn
#         python -m pip install --no-build-isolation --no-cache-dir flash-attn
#   old-driver-library:
#     commands:
#       linux: |
#         export LD_LIBRARY_PATH=$(echo "$LD_LIBRARY_PATH" | tr : '\n' | grep -v -E "stubs|compat" | paste -sd:)
#   other-cuda:
#     wrong: {other-builds: "https://github.com/pytorch/pytorch/issues/134929"}
#     commands:
#       linux: |
#         unset LD_LIBRARY_PATH  # then remove the line that sets it, often in ~/.bashrc
#         python -m pip check    # complains? then the wheels do not fit each other: make a new environment
# related: [install-env/extension-compile]
# rows: [S001-117]
# docs: ["https://docs.pytorch.org/docs/stable/cpp_extension.html"]
# causes:
#   add-on:
#     if: paste("/torch_npu/", "/torch_musa/", "/torch_mlu/", "/usr/local/musa", "/usr/local/neuware", "/usr/local/Ascend", "/_XLAC")
#     sample: "ImportError: /usr/local/lib/python3.7/dist-packages/_XLAC.cpython-37m-x86_64-linux-gnu.so: undefined symbol: _ZN2at13_foreach_erf_EN3c108ArrayRefINS_6TensorEEE"
#   other-pytorch:
#     if: >-
#       begins(symbol, "_ZN3c10", "_ZNK3c10", "_ZN2at", "_ZNK2at", "_ZN5torch", "_ZNK5torch", "_ZN4c10d", "_ZNK4c10d", "_ZN6caffe2", "_ZNK6caffe2", "_ZTIN3c10",
#       "_ZTVN3c10", "_ZNR3c10", "_ZNKR3c10", "_ZNO3c10", "_ZTIN2at", "_ZTVN2at", "_ZNR2at", "_ZNKR2at", "_ZNO2at", "_ZTIN5torch", "_ZTVN5torch",
#       "_ZNR5torch", "_ZNKR5torch", "_ZNO5torch", "__ZN3c10", "__ZNK3c10", "__ZN2at", "__ZNK2at", "__ZN5torch", "__ZNK5torch", "__ZTIN3c10", "__ZTVN3c10",
#       "__ZTIN5torch", "__ZTVN5torch", "__ZN4c10d", "__ZN6caffe2", "THPVariable", "_Z16THPVariable", "__Z16THPVariable", "THCState_", "THCudaMalloc", "aoti_torch_", "_ZN4thpp")
#       and not paste("libtorch_python.so: undefined symbol", "libtorch_cpu.so: undefined symbol", "libtorch_cuda.so: undefined symbol", "libtorch.so: undefined symbol", "libc10.so: undefined symbol",
#       "libc10_cuda.so: undefined symbol", "/torch/_C.cpython")
#   mixed-torch:
#     if: >-
#       begins(symbol, "_ZN3c10", "_ZNK3c10", "_ZN2at", "_ZNK2at", "_ZN5torch", "_ZNK5torch", "_ZN4c10d", "_ZNK4c10d", "_ZN6caffe2", "_ZNK6caffe2", "_ZTIN3c10",
#       "_ZTVN3c10", "_ZNR3c10", "_ZNKR3c10", "_ZNO3c10", "_ZTIN2at", "_ZTVN2at", "_ZNR2at", "_ZNKR2at", "_ZNO2at", "_ZTIN5torch", "_ZTVN5torch",
#       "_ZNR5torch", "_ZNKR5torch", "_ZNO5torch", "__ZN3c10", "__ZNK3c10", "__ZN2at", "__ZNK2at", "__ZN5torch", "__ZNK5torch", "__ZTIN3c10", "__ZTVN3c10",
#       "__ZTIN5torch", "__ZTVN5torch", "__ZN4c10d", "__ZN6caffe2", "THPVariable", "_Z16THPVariable", "__Z16THPVariable", "THCState_", "THCudaMalloc", "aoti_torch_", "_ZN4thpp")
#       and paste("libtorch_python.so: undefined symbol", "libtorch_cpu.so: undefined symbol", "libtorch_cuda.so: undefined symbol", "libtorch.so: undefined symbol", "libc10.so: undefined symbol",
#       "libc10_cuda.so: undefined symbol", "/torch/_C.cpython")
#     sample: "ImportError: /opt/conda/lib/python3.10/site-packages/torch/lib/libtorch_python.so: undefined symbol: _ZN5torch3jit17parseSchemaOrNameERKSs"
#   mixed-files:
#     if: read(attribute)
#     sample: "AttributeError: type object 'torch._C._distributed_c10d.BackendType' has no attribute 'XCCL'"
#   left-out:
#     if: begins(symbol, "_Z1", "_Z2", "_Z3", "_Z4", "_Z5", "_Z6", "_Z7", "_Z8", "_Z9", "__Z1", "__Z2", "__Z3", "__Z4", "__Z5", "__Z6", "__Z7", "__Z8", "__Z9") and not paste("THP")
#     sample: "ImportError: /usr/lib/python3.12/site-packages/vllm/_C.abi3.so: undefined symbol: _Z20cutlass_moe_mm_sm100RN2at6TensorERKS0_"
#   old-driver-library:
#     if: >-
#       (begins(symbol, "cuArray", "cuCtx", "cuDevice", "cuDriver", "cuEvent", "cuFunc",
#       "cuGetError", "cuGetProc", "cuGetExport", "cuGraph", "cuInit", "cuIpc", "cuKernel",
#       "cuLaunch", "cuLibrary", "cuLink", "cuMem", "cuModule", "cuMulticast", "cuOccupancy",
#       "cuPointer", "cuProfiler", "cuStream", "cuTensorMap", "nvml") or begins(library,
#       "libcuda.so", "libnvidia-ml.so")) and not paste("tinycudann", "setup.py install", "setup.py
#       develop")
#   not-linked:
#     if: >-
#       begins(symbol, "cuMem", "cuInit", "cuLaunch", "cuModule", "cuDevice", "cuCtx") and
#       paste("tinycudann", "setup.py install", "setup.py develop")
#     sample: |
#       Traceback (most recent call last):
#         File "launch.py", line 6, in <module>
#           import tinycudann as tcnn
#       ImportError: tinycudann_bindings/_80_C.cpython-38-x86_64-linux-gnu.so: undefined symbol: cuMemAddressFree
#   other-cuda:
#     if: >-
#       begins(symbol, "__nvJitLink", "nvJitLink", "nvrtc", "cublas", "cudnn", "cusparse", "cusolver", "cufft", "curand", "cupti", "cutensor", "cuda", "__cuda", "cuFile", "nccl", "pnccl")
#       or begins(library, "libnvJitLink", "libnvrtc", "libcublas", "libcudnn", "libcusparse", "libcusolver", "libcufft", "libcurand", "libcupti", "libcudart", "libnccl")
#   other-python:
#     if: begins(symbol, "Py", "_Py")
#     sample: "ImportError: /usr/lib/python3.9/site-packages/torch_scatter/_scatter.so: undefined symbol: _PyThreadState_UncheckedGet"
#   old-libstdcxx:
#     if: begins(symbol, "_ZSt", "_ZNSt", "_ZNKSt", "_ZTINSt", "_ZTVNSt")
#     sample: "ImportError: /usr/lib/python3.10/site-packages/detectron2/_C.cpython-310-x86_64-linux-gnu.so: undefined symbol: _ZSt28__throw_bad_array_new_lengthv\nimport torch"
#   other-layout:
#     case: other-pytorch
#     likely: paste("Tensors of type TensorImpl", "layout_impl is only implemented")
#     sample: "RuntimeError: Tensors of type TensorImpl do not have sizes"
#   mkl:
#     if: begins(symbol, "iJIT_")
#     sample: "ImportError: /opt/conda/lib/python3.10/site-packages/torch/lib/libtorch_cpu.so: undefined symbol: iJIT_NotifyEvent"
# ---

# %%
import contextlib
import ctypes
import os
import re
import subprocess
import sys
import tempfile

import torch
from torch.utils.cpp_extension import get_cxx_compiler, include_paths

folder = os.path.realpath(tempfile.mkdtemp())
os.chdir(folder)


def compile_library(name, code, *flags):
    """Make the shared library `name` in a new folder."""
    os.makedirs(os.path.dirname(name), exist_ok=True)
    with open("code.cpp", "w") as file:
        file.write(code)
    subprocess.run([get_cxx_compiler(), "-shared", "-fPIC", "-o", name, "code.cpp", *flags], check=True)


def load(name, LD_LIBRARY_PATH):
    """Load a library in a new process, and print from which file the libraries came."""
    program = f"import ctypes; ctypes.CDLL('./{name}'); print(*sorted({{line.split()[-1] for line in open('/proc/self/maps') if '{folder}' in line}}))"
    environment = {**os.environ, "LD_LIBRARY_PATH": LD_LIBRARY_PATH}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    print((done.stdout + done.stderr).replace(folder + "/", ""))
    return done.returncode == 0


# %%
EXTENSION = """
#include <c10/util/Exception.h>
extern "C" int half(int n) { TORCH_CHECK(n % 2 == 0, std::string("odd number ") + std::to_string(n)); return n / 2; }
"""
HERE = [*(f"-I{path}" for path in include_paths()), f"-L{torch.__path__[0]}/lib", f"-Wl,-rpath,{torch.__path__[0]}/lib", "-lc10", "-std=c++20"]
NEW = torch.compiled_with_cxx11_abi()  # how names of C++ are written: False for most wheels of PyTorch before 2.7, True since
other = f"-D_GLIBCXX_USE_CXX11_ABI={int(not NEW)}"  # as for another PyTorch
compile_library("ext/half.so", EXTENSION, *HERE, other)

# %% break other-pytorch
ctypes.CDLL("./ext/half.so")

# %% check other-pytorch
try:
    ctypes.CDLL("./ext/half.so")
except OSError as error:
    symbol = re.search("undefined symbol: (.*)", str(error))[1]
    print(symbol, torch.__version__, torch.version.cuda, sep="\n")
    print(torch.compiled_with_cxx11_abi())
assert symbol.startswith(("_ZN3c10", "_ZNK3c10"))  # c10:: and at:: are PyTorch's

# %% proof other-pytorch
# What the install does anew: the same source, built for the PyTorch that is here.
compile_library("ext/half.so", EXTENSION, *HERE, f"-D_GLIBCXX_USE_CXX11_ABI={int(NEW)}")
assert ctypes.CDLL("./ext/half.so").half(6) == 3

# %%
# libcuda.so.1 is the driver's library. An old driver, or a stub, lacks the newer functions.
compile_library("old/libcuda.so.1", 'extern "C" int cuDevicePrimaryCtxRelease(int gpu) { return 0; }', "-Wl,-soname,libcuda.so.1")
compile_library("driver/libcuda.so.1", 'extern "C" int cuDevicePrimaryCtxRelease_v2(int gpu) { return 0; }', "-Wl,-soname,libcuda.so.1")
PLUGIN = 'extern "C" int cuDevicePrimaryCtxRelease_v2(int); extern "C" int stop() { return cuDevicePrimaryCtxRelease_v2(0); }'
compile_library("cupy/plugin.so", PLUGIN, "driver/libcuda.so.1")

# %% break old-driver-library
load("cupy/plugin.so", LD_LIBRARY_PATH=f"{folder}/old:{folder}/driver")

# %% check old-driver-library
for name in ("old/libcuda.so.1", "driver/libcuda.so.1"):
    print(name, hasattr(ctypes.CDLL(f"./{name}"), "cuDevicePrimaryCtxRelease_v2"))
old = ctypes.CDLL("./old/libcuda.so.1")
assert not hasattr(old, "cuDevicePrimaryCtxRelease_v2")

# %% proof old-driver-library
os.rename("old", "stubs")
before = f"{folder}/stubs:{folder}/driver:{folder}/compat"
program = f'export LD_LIBRARY_PATH={before}\n{commands["linux"]}\necho "$LD_LIBRARY_PATH"'
cleaned = subprocess.run(program, shell=True, capture_output=True, text=True).stdout.strip()
assert cleaned == f"{folder}/driver"
with contextlib.redirect_stdout(None):
    assert not load("cupy/plugin.so", LD_LIBRARY_PATH=before)
assert load("cupy/plugin.so", LD_LIBRARY_PATH=cleaned)

# %%
# Two releases of one CUDA library. Both files have the same name, libnvJitLink.so.12.
for release in ("12_1", "12_4"):
    with open("versions", "w") as file:
        file.write(f"libnvJitLink.so.12 {{ global: __nvJitLinkComplete_{release}; }};")
    code = f'extern "C" int __nvJitLinkComplete_{release}() {{ return 4; }}'
    compile_library(f"cuda-{release}/libnvJitLink.so.12", code, "-Wl,-soname,libnvJitLink.so.12", "-Wl,--version-script=versions")
SPARSE = 'extern "C" int __nvJitLinkComplete_12_4(); extern "C" int link() { return __nvJitLinkComplete_12_4(); }'
compile_library("nvidia/libcusparse.so.12", SPARSE, "cuda-12_4/libnvJitLink.so.12")

# %% break other-cuda
folders = f"{folder}/cuda-12_1:{folder}/cuda-12_4"
load("nvidia/libcusparse.so.12", LD_LIBRARY_PATH=folders)

# %% check other-cuda
here = os.getcwd()
folders = f"{here}/cuda-12_1:{here}/cuda-12_4"
ldd = ["ldd", "-r", "nvidia/libcusparse.so.12"]
environment = {**os.environ, "LD_LIBRARY_PATH": folders}
done = subprocess.run(ldd, env=environment, capture_output=True, text=True)
shown = done.stdout.replace(here + "/", "")
for line in shown.splitlines():
    if "nvJitLink" in line:
        print(line.strip())
assert "libnvJitLink.so.12 => cuda-12_1/" in shown

# %% proof other-cuda
# As in a wheel: the library finds its own CUDA through the path inside, unless the variable comes first.
os.rename("cuda-12_4/libnvJitLink.so.12", "nvidia/libnvJitLink.so.12")
compile_library("nvidia/libcusparse.so.12", SPARSE, "nvidia/libnvJitLink.so.12", "-Wl,-rpath,$ORIGIN", "-Wl,--enable-new-dtags")
program = f"""
python() {{ echo "python $@"; }}  # what pip says of this machine is no matter here
export LD_LIBRARY_PATH={folder}/cuda-12_1
{commands["linux"]}
echo [$LD_LIBRARY_PATH]
"""
done = subprocess.run(program, shell=True, capture_output=True, text=True)
assert done.stdout.split("\n")[:2] == ["python -m pip check", "[]"]
assert load("nvidia/libcusparse.so.12", LD_LIBRARY_PATH="")

# %% wrong other-builds
# Other builds of PyTorch, while `LD_LIBRARY_PATH` names another CUDA: each brings its libraries
# along, and the folder in the variable is looked into first.
os.makedirs("wheel")
os.rename("cuda-12_4/libnvJitLink.so.12", "wheel/libnvJitLink.so.12")
own = ["wheel/libnvJitLink.so.12", "-Wl,-rpath,$ORIGIN", "-Wl,--enable-new-dtags"]
compile_library("wheel/libcusparse.so.12", SPARSE, *own)
assert not load("wheel/libcusparse.so.12", LD_LIBRARY_PATH=f"{folder}/cuda-12_1")
