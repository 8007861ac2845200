# ---
# wordings:
#   - text: "Could not load libtorchcodec"
#     exception: RuntimeError
#   - text: "this version of TorchCodec. Refer to the version compatibility"
#     exception: RuntimeError
#   - text: "[start of libtorchcodec loading traceback]"
#   - text: "Could not load this library: {_:line}libtorchcodec"
#     exception: OSError
#     sample: "OSError: Could not load this library: C:\\AI\\ComfyUI\\python_embeded\\Lib\\site-packages\\torchcodec\\libtorchcodec_core8.dll"
#   - text: "libtorchcodec_core{_:int}.so: undefined symbol"
#     exception: OSError
#     sample: "OSError: /venv/lib/python3.12/site-packages/torchcodec/libtorchcodec_core7.so: undefined symbol: _ZN3c1013MessageLoggerC1EPKciib"
#   - text: "TorchCodec is required for"
#     exception: ImportError
#   - text: "No module named 'torchcodec'"
#     exception: ModuleNotFoundError
#   - text: "To support decoding audio data, please install 'torchcodec'"
#     exception: ImportError
#   - text: "To support decoding videos, please install 'torchcodec'"
#     exception: ImportError
#   - text: "To support encoding audio data, please install 'torchcodec'"
#     exception: ImportError
# tags: [shared-library, import-error]
# recover: process
# needs: [compiler, "fault:a small package in place of torchcodec, and small libraries in place of FFmpeg's"]
# outranks: [missing-shared-lib, undefined-symbol, dll-load-failed]
# related: [install-env/torchaudio-backend, install-env/missing-shared-lib, install-env/undefined-symbol]
# docs: ["https://github.com/meta-pytorch/torchcodec#installing-torchcodec"]
# causes:
#   ffmpeg:
#     if: >-
#       paste("libavutil", "libavcodec", "libavformat", "libavdevice", "libavfilter", "libswscale", "libswresample")
#       and not paste("undefined symbol", "Symbol not found", "libcudart", "libnvrtc", "libnpp", "libnvjpeg", "libc10_cuda", "libtorch_cuda")
#     likely: paste("Could not load libtorchcodec", "libtorchcodec loading traceback", "libtorchcodec_core")
#   versions:
#     if: paste("undefined symbol", "Symbol not found")
#   other-build:
#     if: paste("libcudart", "libnvrtc", "libnpp", "libnvjpeg", "libc10_cuda", "libtorch_cuda")
#   not-installed:
#     case: versions
#     if: paste("TorchCodec is required", "No module named 'torchcodec'", "please install 'torchcodec'")
#     sample: "ImportError: TorchCodec is required for load_with_torchcodec. Please install torchcodec to use this function."
# cases:
#   ffmpeg:
#     commands:
#       linux: |
#         sudo apt install ffmpeg  # Debian, Ubuntu; or, without rights, in a conda environment:
#         conda install -c conda-forge "ffmpeg<8"
#       powershell: |
#         winget install Gyan.FFmpeg.Shared  # "shared": with DLLs; then open a new terminal
#         ffmpeg -version
#       macos: brew install ffmpeg
#   versions:
#     commands:
#       shell: |
#         python -c "import torch; print(torch.__version__)"
#         python -m pip install "torchcodec==0.9.*"  # for torch 2.9; the table has the others
#       comfyui: .\python_embeded\python.exe -s -m pip install "torchcodec==0.9.*"  # for torch 2.9
#   other-build:
#     commands:
#       shell: |
#         python -c "import torch; print(torch.version.cuda)"  # None: take …/cpu; 12.6: …/cu126
#         # before torch 2.11 write the release of the table, as "torchcodec==0.9.*"
#         python -m pip install --force-reinstall --no-deps torchcodec --index-url https://download.pytorch.org/whl/cpu
# ---

# %%
import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import torch

compiler = next(name for name in ("cc", "gcc", "clang") if shutil.which(name))
# What torchcodec does when it is used: try its file for each FFmpeg, the newest first. These lines follow release 0.9.1.
Path("torchcodec").mkdir()
Path("torchcodec/__init__.py").write_text(
    '''
import traceback
from pathlib import Path

import torch

here = Path(__file__).parent
exceptions = []
for ffmpeg in (8, 7, 6):
    try:
        torch.ops.load_library(here / f"libtorchcodec_core{ffmpeg}.so")
        break
    except Exception as error:
        exceptions.append((ffmpeg, error.__cause__ or error))
else:
    shown = "\\n".join(f"FFmpeg version {v}: {error}" for v, error in exceptions)
    raise RuntimeError(
        f"""Could not load libtorchcodec. Likely causes:
          1. FFmpeg is not properly installed in your environment. We support
             versions 4, 5, 6, 7, and 8. On Windows, ensure you've installed
             the "full-shared" version which ships DLLs.
          2. The PyTorch version ({torch.__version__}) is not compatible with
             this version of TorchCodec. Refer to the version compatibility
             table:
             https://github.com/pytorch/torchcodec?tab=readme-ov-file#installing-torchcodec.
          3. Another runtime dependency; see exceptions below.
        The following exceptions were raised as we tried to load libtorchcodec:
[start of libtorchcodec loading traceback]
{shown}
[end of libtorchcodec loading traceback]."""
    )
'''
)
AVUTIL = {8: 60, 7: 59, 6: 58}  # the number of libavutil in each FFmpeg


def library(path, *needed, code="int answer(void) { return 42; }"):
    """A shared library that needs others."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    build = [compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", path, f"-Wl,-soname,{Path(path).name}", "-Wl,--no-as-needed", "-x", "none", *needed]
    subprocess.run(build, input=code, text=True, check=True)


def use(LD_LIBRARY_PATH=""):
    """Import torchcodec in a new process; the FFmpeg that it took, or the end of its error."""
    program = "import torchcodec; print('FFmpeg', torchcodec.ffmpeg)"
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "LD_LIBRARY_PATH": LD_LIBRARY_PATH}, capture_output=True, text=True)
    return (done.stdout or done.stderr).strip()


sys.path.insert(0, os.getcwd())
for version, number in AVUTIL.items():
    library(f"ffmpeg-{version}/libavutil.so.{number}")
    library(f"torchcodec/libtorchcodec_core{version}.so", f"ffmpeg-{version}/libavutil.so.{number}")

# %% break ffmpeg
import torchcodec

# %% check ffmpeg
import ctypes

for number in range(56, 61):  # FFmpeg 4 to 8; Windows: avutil-60.dll
    try:
        ctypes.CDLL(f"libavutil.so.{number}")
        print("found: FFmpeg", number - 52)
    except OSError as error:
        print(error)
        assert "No such file" in str(error)

# %% proof ffmpeg
assert use(LD_LIBRARY_PATH="ffmpeg-7") == "FFmpeg 7"  # where the system looks, once it is installed

# %%
# FFmpeg 7 is installed, and torchcodec was built for another torch.
ctypes.CDLL("./ffmpeg-7/libavutil.so.59", mode=ctypes.RTLD_GLOBAL)
CALLS = "extern int aoti_torch_of_another_release(void); int use(void) { return aoti_torch_of_another_release(); }"
library("torchcodec/libtorchcodec_core7.so", "ffmpeg-7/libavutil.so.59", "-Wl,-z,now", code=CALLS)

# %% break versions
import torchcodec

# %% check versions
from importlib.metadata import PackageNotFoundError, version

for name in "torch", "torchcodec":
    try:
        print(name, version(name))
    except PackageNotFoundError:
        print(name, "is not installed")
assert torch.__version__.startswith(version("torch"))

# %% proof versions
library("torchcodec/libtorchcodec_core7.so", "ffmpeg-7/libavutil.so.59")  # the one for this torch
assert use(LD_LIBRARY_PATH="ffmpeg-7") == "FFmpeg 7"

# %%
# The wheel is for a torch with CUDA 13, and the torch that is here has another CUDA or none. Where it has 13, the wheel is for 12.
nvrtc = f"libnvrtc.so.{12 if (torch.version.cuda or '').startswith('13') else 13}"
library(f"cuda/{nvrtc}")
library("torchcodec/libtorchcodec_core7.so", f"cuda/{nvrtc}", "ffmpeg-7/libavutil.so.59")

# %% break other-build
import torchcodec

# %% proof other-build
assert nvrtc in use(LD_LIBRARY_PATH="ffmpeg-7")
library("torchcodec/libtorchcodec_core7.so", "ffmpeg-7/libavutil.so.59")  # the wheel of …/cpu
assert use(LD_LIBRARY_PATH="ffmpeg-7") == "FFmpeg 7"
