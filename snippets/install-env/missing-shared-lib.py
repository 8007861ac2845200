# ---
# wordings:
#   - text: "libtorch_{torch:ident}: cannot open shared object file"
#     sample: "OSError: libtorch_cuda_cpp.so: cannot open shared object file: No such file or directory"
#   - text: "ImportError: libcu{cu:ident}: cannot open shared object file"
#     unless: [tensorflow, jaxlib, paddle, onnxruntime, mxnet, cupy, "import cntk", chainer, theano, tensorrt, ggml, llama_cpp]
#     exception: ImportError
#     sample: "ImportError: libcudart.so.11.0: cannot open shared object file: No such file or directory"
#   - text: "OSError: libcu{cu:ident}: cannot open shared object file"
#     unless: [tensorflow, jaxlib, paddle, onnxruntime, mxnet, cupy, "import cntk", chainer, theano, tensorrt, ggml, llama_cpp]
#     exception: OSError
#     sample: "OSError: libcublas.so.11: cannot open shared object file: No such file or directory"
#   - text: "ImportError: libnv{nv:ident}: cannot open shared object file"
#     unless: [tensorflow, jaxlib, paddle, onnxruntime, mxnet, cupy, "import cntk", chainer, theano, tensorrt, ggml, llama_cpp]
#     exception: ImportError
#     sample: "ImportError: libnvrtc.so.12: cannot open shared object file: No such file or directory"
#   - text: "OSError: libnv{nv:ident}: cannot open shared object file"
#     unless: [tensorflow, jaxlib, paddle, onnxruntime, mxnet, cupy, "import cntk", chainer, theano, tensorrt, ggml, llama_cpp]
#     exception: OSError
#     sample: "OSError: libnvToolsExt.so.1: cannot open shared object file: No such file or directory"
#   - text: "libcudart.so.{_:num}: cannot open shared object file"
#     near: &importing [import torch, from torch, torch._C, torch/__init__.py, torchvision/, torchaudio/, torch_, flash_attn, vllm, detectron2, mmcv]
#     unless: [tensorflow, jaxlib, paddle, onnxruntime, mxnet, cupy, "import cntk", chainer, theano, tensorrt, ggml, llama_cpp]
#     sample: "libcudart.so.13: cannot open shared object file: No such file or directory"
#   - text: "libcudnn.so.{_:num}: cannot open shared object file"
#     near: *importing
#     unless: [tensorflow, jaxlib, paddle, onnxruntime, mxnet, cupy, "import cntk", chainer, theano, tensorrt, ggml, llama_cpp]
#     sample: "libcudnn.so.9: cannot open shared object file: No such file or directory"
#   - text: "libcublas.so.{_:num}: cannot open shared object file"
#     near: *importing
#     unless: [tensorflow, jaxlib, paddle, onnxruntime, mxnet, cupy, "import cntk", chainer, theano, tensorrt, ggml, llama_cpp]
#     sample: "libcublas.so.12: cannot open shared object file: No such file or directory"
#   - text: "libtorch.so: cannot open shared object file"
#   - text: "libtorch.so.1: cannot open shared object file"
#   - text: "libc10.so: cannot open shared object file"
#   - text: "libc10_cuda.so: cannot open shared object file"
#   - text: "libc10_hip.so: cannot open shared object file"
#   - text: "libcaffe2.so: cannot open shared object file"
#   - text: "libcaffe2_gpu.so: cannot open shared object file"
#   - text: "libcaffe2_nvrtc.so: cannot open shared object file"
#   - text: "libshm.so: cannot open shared object file"
#   - text: "libnccl.so.{_:num}: cannot open shared object file"
#     unless: [tensorflow, jaxlib, paddle, onnxruntime, mxnet, cupy, "import cntk", chainer, theano, tensorrt, ggml, llama_cpp]
#     sample: "ImportError: libnccl.so.2: cannot open shared object file: No such file or directory"
#   - text: "libcupti.so.{_:num}: cannot open shared object file"
#     near: [torch]
#     sample: "ImportError: libcupti.so.12: cannot open shared object file: No such file or directory"
#   - text: "ImportError: libmkl_{_:ident}: cannot open shared object file"
#     near: [torch]
#     sample: "ImportError: libmkl_intel_lp64.so.1: cannot open shared object file: No such file or directory"
#   - text: "OSError: libmkl_{_:ident}: cannot open shared object file"
#     near: [torch]
#     sample: "OSError: libmkl_intel_lp64.so.2: cannot open shared object file: No such file or directory"
#   - text: "ImportError: libomp.so.{_:num}: cannot open shared object file"
#     near: [torch]
#     sample: "ImportError: libomp.so.5: cannot open shared object file: No such file or directory"
#   - text: "ImportError: libpython{python:ident}: cannot open shared object file"
#     near: *importing
#     exception: ImportError
#     sample: "ImportError: libpython3.7m.so.1.0: cannot open shared object file: No such file or directory"
#   - text: "Could not load library libcu{cu:ident}"
#     unless: [tensorflow, jaxlib, paddle, onnxruntime, mxnet, cupy, "import cntk", chainer, theano, tensorrt, ggml, llama_cpp]
#     sample: "Could not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8: cannot open shared object file: No such file or directory"
#   - text: "Could not load library libcudnn"
#     unless: [tensorflow, jaxlib, paddle, onnxruntime, mxnet, cupy, "import cntk", chainer, theano, tensorrt, ggml, llama_cpp]
#   - text: "Please make sure libcudnn_{cudnn:ident} is in your library path"
#     unless: [tensorflow, jaxlib, paddle, onnxruntime, mxnet, cupy, "import cntk", chainer, theano, tensorrt, ggml, llama_cpp]
#     sample: "Please make sure libcudnn_ops_infer.so.8 is in your library path!"
#   - text: "Unable to load any of {{libcudnn_{cudnn:ident}"
#     unless: [tensorflow, jaxlib, paddle, onnxruntime, mxnet, cupy, "import cntk", chainer, theano, tensorrt, ggml, llama_cpp]
#     sample: "Unable to load any of {libcudnn_ops.so.9.1.0, libcudnn_ops.so.9.1, libcudnn_ops.so.9, libcudnn_ops.so}"
#   - text: "Could not locate cudnn_{_:ident}"
#     near: [Please make sure it is in your library path, torch, whisper]
#     sample: "Could not locate cudnn_ops_infer64_8.dll. Please make sure it is in your library path!"
#   - text: "Could not load library cudnn_{_:ident}"
#     sample: "Could not load library cudnn_cnn_infer64_8.dll. Error code 126"
#   - text: "Error in dlopen: lib{_:ident}: cannot open shared object file"
#     sample: "RuntimeError: Error in dlopen: libnvrtc.so.12: cannot open shared object file: No such file or directory"
#   - text: "Error in dlopen or dlsym: lib{_:ident}: cannot open shared object file"
#     sample: "RuntimeError: Error in dlopen or dlsym: libcaffe2_nvrtc.so: cannot open shared object file: No such file or directory"
#   - text: "Error in dlopen for library lib{_:path}"
#     sample: "OSError: Error in dlopen for library libnvrtc.so.11.2and libnvrtc-672ee683.so.11.2"
#   - text: "so.*[0-9] not found in the system path"
#     exception: ValueError
#   - text: "Library not loaded: @rpath/libtorch{_:path}"
#     sample: "Library not loaded: @rpath/libtorch_cpu.dylib"
#   - text: "Library not loaded: @rpath/libc10{_:path}"
#     sample: "Library not loaded: @rpath/libc10.dylib"
#   - text: "Library not loaded: {_:path}"
#     near: [libtorch, torch/_C, torch/lib]
#     sample: "Library not loaded: @rpath/libomp.dylib"
# tags: [shared-library, import-error, cuda, cudnn]
# recover: process
# needs: [compiler, "fault:small libraries in place of torch's and CUDA's"]
# related: [install-env/undefined-symbol, install-env/two-cuda-folders, install-env/torchvision-nms]
# docs: ["https://pytorch.org/get-started/previous-versions/"]
# causes:
#   other-torch:
#     if: >-
#       (read(torch) or paste("libtorch.so: cannot", "libtorch.so.1: cannot", "libc10.so: cannot",
#       "libc10_cuda.so: cannot", "libc10_hip.so: cannot", "libcaffe2", "libshm.so: cannot",
#       "@rpath/libtorch", "@rpath/libc10")) and not paste("libtorch.so: cannot", "libc10.so:
#       cannot", "libtorch_cpu.so: cannot", "libtorch_python.so: cannot", "libtorch_cuda.so:
#       cannot")
#     likely: >-
#       (read(torch) or paste("libtorch.so: cannot", "libtorch.so.1: cannot", "libc10.so: cannot",
#       "libc10_cuda.so: cannot", "libc10_hip.so: cannot", "libcaffe2", "libshm.so: cannot",
#       "@rpath/libtorch", "@rpath/libc10")) and not paste("libtorch.so: cannot", "libc10.so:
#       cannot", "libtorch_cpu.so: cannot", "libtorch_python.so: cannot")
#   torch-first:
#     likely: >-
#       paste("libtorch.so: cannot", "libc10.so: cannot", "libtorch_cpu.so: cannot",
#       "libtorch_python.so: cannot")
#     sample: |
#       ImportError: libc10.so: cannot open shared object file: No such file or directory
#   jetson:
#     if: paste("Jetson", "jetson", "JetPack", "Jetpack", "jetpack", "l4t", "tegra") and paste("libcu", "libnv")
#     sample: |
#       docker run -it dustynv/ros:foxy-pytorch-l4t-r32.6.1
#       OSError: libcurand.so.10: cannot open shared object file: No such file or directory
#   cudnn-mixed:
#     if: paste("libcudnn_") and paste("undefined symbol", "not defined in file", "cannot load symbol")
#     sample: "Could not load library libcudnn_cnn_train.so.8. Error: /usr/local/cuda-11.8/lib64/libcudnn_cnn_train.so.8: undefined symbol: cudnnOpsConv, version libcudnn_cnn_infer.so.8"
#   cudnn:
#     if: paste("libcudnn.so", "libcudnn_", "cudnn_ops", "cudnn_cnn", "cudnn_graph", "cudnn_engines", "cudnn_heuristic", "cudnn_adv")
#     sample: "Could not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8: cannot open shared object file: No such file or directory"
#   other-cuda:
#     likely: paste("libcudart", "libcublas", "libcufft", "libcurand", "libcusparse", "libcusolver", "libnvrtc", "libnvToolsExt", "libnvJitLink", "libcupti", "libcufile", "libnccl", "libnvtx")
#   mkl:
#     if: paste("libmkl_", "libomp.so")
#     sample: "import torch\nImportError: libmkl_intel_lp64.so.1: cannot open shared object file: No such file or directory"
#   python-library:
#     if: read(python)
#     sample: "import torch\nImportError: libpython3.7m.so.1.0: cannot open shared object file: No such file or directory"
# cases:
#   other-torch:
#     commands:
#       shell: |
#         python -m pip uninstall -y torch-scatter
#         python -m pip install --no-cache-dir --no-build-isolation torch-scatter  # the package that fails
#       notebook: |
#         %pip uninstall -y torch-scatter
#         %pip install --no-cache-dir --no-build-isolation torch-scatter  # the package that fails
#   other-cuda:
#     wrong: {folder-of-another-cuda: "https://github.com/pytorch/pytorch/issues/60515"}
#     commands:
#       linux: |
#         python -c "import torch; print(torch.__version__, torch.version.cuda)"  # the CUDA that is here
#         python -m pip install --force-reinstall --no-cache-dir flash-attn --no-build-isolation  # the package that fails, for that CUDA
#   cudnn:
#     commands:
#       linux: |
#         python -m pip install "nvidia-cudnn-cu12==9.*"  # 8.* where the message ends in .so.8
#         export LD_LIBRARY_PATH=$(python -c "import nvidia.cudnn as c; print(c.__path__[0] + '/lib')"):$LD_LIBRARY_PATH
# ---

# %%
import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

compiler = next(name for name in ("cc", "gcc", "clang") if shutil.which(name))


def library(path, *needed, code="int answer(void) { return 42; }"):
    """A shared library that needs others."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    build = [compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", path, f"-Wl,-soname,{Path(path).name}", "-Wl,--no-as-needed", "-x", "none", *needed]
    subprocess.run(build, input=code, text=True, check=True)


def load(path, LD_LIBRARY_PATH=""):
    """Load a library in a new process; what that said."""
    program = f"import ctypes; print(ctypes.CDLL('./{path}').answer())"
    environment = {**os.environ, "LD_LIBRARY_PATH": LD_LIBRARY_PATH}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    return (done.stdout + done.stderr).strip().splitlines()[-1]


# %%
# An extension that was built for a torch with CUDA, beside the libraries of a torch without.
library("with-cuda/libc10_cuda.so")
library("torch/lib/libc10.so")
library("torch_scatter/_scatter_cuda.so", "with-cuda/libc10_cuda.so")

# %% break other-torch
print(load("torch_scatter/_scatter_cuda.so"))

# %% check other-torch
ldd = ["ldd", "torch_scatter/_scatter_cuda.so"]
shown = subprocess.run(ldd, capture_output=True, text=True).stdout
missing = [line.strip() for line in shown.splitlines() if "not found" in line]
print(*missing, os.listdir("torch/lib"))
assert "libc10_cuda.so => not found" in shown

# %% proof other-torch
assert "libc10_cuda.so" in load("torch_scatter/_scatter_cuda.so", LD_LIBRARY_PATH="torch/lib")  # no path helps: it is not there
library("torch_scatter/_scatter_cuda.so", "torch/lib/libc10.so")  # built again, for the torch that is here
assert load("torch_scatter/_scatter_cuda.so", LD_LIBRARY_PATH="torch/lib") == "42"

# %%
library("cuda-11/libcudart.so.11.0")
library("cuda-12/libcudart.so.12")
library("flash_attn/flash_attn_cuda.so", "cuda-11/libcudart.so.11.0")

# %% break other-cuda
ctypes.CDLL("./flash_attn/flash_attn_cuda.so")

# %% check other-cuda
ldd = ["ldd", "flash_attn/flash_attn_cuda.so"]
shown = subprocess.run(ldd, capture_output=True, text=True).stdout
needed = [line.strip() for line in shown.splitlines() if "cudart" in line]
print(*needed, os.listdir("cuda-12"))
assert "libcudart.so.11.0 => not found" in shown

# %% proof other-cuda
assert "libcudart.so.11.0" in load("flash_attn/flash_attn_cuda.so", LD_LIBRARY_PATH="cuda-12")  # another CUDA is no substitute
library("flash_attn/flash_attn_cuda.so", "cuda-12/libcudart.so.12")  # the package for that CUDA
assert load("flash_attn/flash_attn_cuda.so", LD_LIBRARY_PATH="cuda-12") == "42"

# %% wrong folder-of-another-cuda
# `/usr/local/cuda/lib64` in `LD_LIBRARY_PATH`: helps if that CUDA has the file. One of another major
# version has it under another name.
said = load("flash_attn/flash_attn_cuda.so", LD_LIBRARY_PATH="cuda-12")
print(said)
assert "libcudart.so.11.0: cannot open shared object file" in said

# %%
library("nvidia/cudnn/lib/libcudnn_ops.so.9")
library("whisper/engine.so", "nvidia/cudnn/lib/libcudnn_ops.so.9")

# %% break cudnn
ctypes.CDLL("./whisper/engine.so")

# %% check cudnn
# NVIDIA's wheels lie in site-packages/nvidia
found = [str(file) for file in Path("nvidia").rglob("libcudnn*")]
print(found, os.environ.get("LD_LIBRARY_PATH", ""))
assert found == ["nvidia/cudnn/lib/libcudnn_ops.so.9"]

# %% proof cudnn
assert "cannot open" in load("whisper/engine.so")
assert load("whisper/engine.so", LD_LIBRARY_PATH="nvidia/cudnn/lib") == "42"
