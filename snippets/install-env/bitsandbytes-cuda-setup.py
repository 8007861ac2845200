# ---
# wordings:
#   - text: "CUDA Setup failed despite GPU being available"
#     exception: RuntimeError
#   - text: "CUDA Setup failed despite CUDA being available"
#   - text: "see if you can locate CUDA libraries. You might need to add them"
#   - text: "Inspect the CUDA SETUP outputs above to fix your environment"
#   - text: "CUDA SETUP: Required library version not found: {file:ident}"
#     sample: "CUDA SETUP: Required library version not found: libbitsandbytes_cuda128.so. Maybe you need to compile it from source?"
#   - text: "CUDA SETUP: CUDA detection failed"
#   - text: "CUDA SETUP: Setup Failed"
#   - text: "CUDA_SETUP: WARNING! libcudart.so not found in any environmental path"
#   - text: "Could not find the bitsandbytes {_:ident} binary at"
#     sample: "Could not find the bitsandbytes CUDA binary at PosixPath('/venv/lib/python3.11/site-packages/bitsandbytes/libbitsandbytes_cuda126.so')"
#   - text: "Configured {_:ident} binary not found at {_:line}bitsandbytes"
#     exception: RuntimeError
#     sample: "RuntimeError: Configured CUDA binary not found at /usr/local/lib/python3.12/dist-packages/bitsandbytes/libbitsandbytes_cuda131.so"
#   - text: "No compatible {_:ident} binary found at {_:line}bitsandbytes"
#     exception: RuntimeError
#     sample: "RuntimeError: No compatible CUDA binary found at /venv/lib/python3.12/site-packages/bitsandbytes/libbitsandbytes_cuda140.so"
#   - text: "Could not load bitsandbytes native library"
#   - text: "bitsandbytes library load error"
#   - text: "Attempted to use bitsandbytes native library functionality but it's not available"
#     exception: RuntimeError
#   - text: "SETUP ERROR: Missing dependency: {library:ident}"
#     exception: RuntimeError
#     near: [bitsandbytes, CUDA SETUP ERROR, ROCm SETUP ERROR, XPU SETUP ERROR]
#     sample: "CUDA SETUP ERROR: Missing dependency: libcusparse.so.12"
#   - text: "The installed version of bitsandbytes was compiled without GPU support"
#     exception: UserWarning
#   - text: "libbitsandbytes_cpu.so: undefined symbol: cadam32bit_grad_fp32"
#   - text: "'NoneType' object has no attribute 'cadam32bit_grad_fp32'"
#     exception: AttributeError
#   - text: "'NoneType' object has no attribute 'cquantize_blockwise_fp16_nf4'"
#     exception: AttributeError
#   - text: "name 'str2optimizer32bit' is not defined"
#     exception: NameError
#   - text: "No module named 'triton.ops'"
#     exception: ModuleNotFoundError
#     near: [bitsandbytes]
#   - text: "No package metadata was found for bitsandbytes"
#     exception: PackageNotFoundError
#   - text: "No package metadata was found for The 'bitsandbytes"
#     exception: PackageNotFoundError
#   - text: "quantization requires the latest version of bitsandbytes"
#     exception: ImportError
#   - text: "requires the latest version of bitsandbytes: `pip install -U bitsandbytes`"
#     exception: ImportError
#   - text: "and the latest version of bitsandbytes: `pip install"
#     exception: ImportError
#   - text: "'NoneType' object has no attribute 'cget_col_row_stats'"
#     exception: AttributeError
#   - text: "not available in CPU-only version of bitsandbytes"
#     exception: RuntimeError
# tags: [quantization, lora, cuda, shared-library, import-error]
# recover: process
# needs: [compiler, "package:pip", "fault:a small package in place of bitsandbytes"]
# outranks: [missing-shared-lib, undefined-symbol]
# related: [install-env/missing-shared-lib, install-env/not-compiled-with-cuda, install-env/no-kernel-image]
# docs: ["https://huggingface.co/docs/bitsandbytes/main/en/installation"]
# causes:
#   old-release:
#     likely: >-
#       read(file) or paste("bitsandbytes CUDA binary at", "Configured CUDA binary", "No compatible
#       CUDA binary", "VERSION MISMATCH", "triton.ops") or paste("CUDA Setup failed", "CUDA SETUP",
#       "latest version of bitsandbytes", "str2optimizer32bit", "cquantize_blockwise_fp16_nf4",
#       "locate CUDA libraries")
#   override:
#     if: 'paste("BNB_CUDA_VERSION=", "Manual override via BNB_CUDA_VERSION") and paste("environment variable detected", "env variable detected")'
#     sample: |
#       WARNING: BNB_CUDA_VERSION=124 environment variable detected; loading libbitsandbytes_cuda124.so.
#       Could not find the bitsandbytes CUDA binary at PosixPath('/notebooks/bitsandbytes/libbitsandbytes_cuda124.so')
#   from-source:
#     if: 'paste("Forgot to compile the bitsandbytes library", "libbitsandbytes_cpu.so: cannot open shared object file")'
#     sample: |
#       Could not load bitsandbytes native library: /data/bitsandbytes/bitsandbytes/libbitsandbytes_cpu.so: cannot open shared object file: No such file or directory
#   not-installed:
#     case: old-release
#     if: 'paste("No package metadata was found for")'
#     sample: "importlib.metadata.PackageNotFoundError: No package metadata was found for bitsandbytes"
#   no-gpu:
#     likely: 'paste("was compiled without GPU support", "cadam32bit_grad_fp32", "not available in CPU-only version") and not paste("despite GPU being available", "despite CUDA being available", "bitsandbytes CUDA binary", "Required library version not found", "libcudart.so not found")'
#     sample: "UserWarning: The installed version of bitsandbytes was compiled without GPU support. 8-bit optimizers, 8-bit multiplication, and GPU quantization are unavailable."
#   library-path:
#     if: 'paste("Missing dependency:") or paste("libcusparse", "libcublas", "libnvJitLink", "libcudart.so.1") and paste("cannot open shared object file")'
#   windows:
#     case: old-release
#     if: 'paste("WindowsPath", "WinError 193", "\\site-packages\\bitsandbytes") and paste(".so")'
#     sample: |
#       CUDA SETUP: Loading binary C:\venv\lib\site-packages\bitsandbytes\libbitsandbytes_cuda118.so...
#       argument of type 'WindowsPath' is not iterable
#       RuntimeError: CUDA Setup failed despite GPU being available.
# cases:
#   old-release:
#     wrong: {folder-on-the-path: "https://github.com/kohya-ss/sd-scripts/issues/873"}
#     commands:
#       shell: python -m pip install -U bitsandbytes
#       notebook: "%pip install -U bitsandbytes  # then restart the kernel"
#       comfyui: .\python_embeded\python.exe -s -m pip install -U bitsandbytes
#   library-path:
#     commands:
#       linux: |
#         find / -name "libcusparse.so.12*" 2>/dev/null  # the file that the message names
#         export LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH  # the folder that was found
#         python train.py
# timeout: 120
# ---

# %%
import ctypes
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import torch

torch.version.cuda = "12.8"  # as in a torch for that CUDA; nothing else of it is used here
compiler = next(name for name in ("cc", "gcc", "clang") if shutil.which(name))
# What bitsandbytes does when it is imported: take the file for torch's CUDA out of its own folder and load it. These lines follow release 0.41.3, which prints the
# first error where they chain it.
LOADER = '''
import ctypes
from pathlib import Path

import torch

name = f"libbitsandbytes_cuda{torch.version.cuda.replace('.', '')}.so"
path = Path(__file__).with_name(name)
try:
    if not path.exists():
        raise Exception(f"CUDA SETUP: Required library version not found: {name}. Maybe you need to compile it from source?")
    lib = ctypes.CDLL(str(path))
except Exception:
    raise RuntimeError("""
        CUDA Setup failed despite GPU being available. Please run the following command to get more information:

        python -m bitsandbytes

        Inspect the output of the command and see if you can locate CUDA libraries. You might need to add them
        to your LD_LIBRARY_PATH.""")
'''


def library(path, *needed, code="int answer(void) { return 42; }"):
    """A shared library that needs others, as bytes."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    build = [compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", path, f"-Wl,-soname,{Path(path).name}", "-Wl,--no-as-needed", "-x", "none", *needed]
    subprocess.run(build, input=code, text=True, check=True)
    return Path(path).read_bytes()


def wheel(version, **files):
    Path("wheels").mkdir(exist_ok=True)
    with zipfile.ZipFile(f"wheels/bitsandbytes-{version}-py3-none-any.whl", "w") as made:
        made.writestr("bitsandbytes/__init__.py", LOADER)
        for file, content in files.items():
            made.writestr(f"bitsandbytes/{file}.so", content)
        made.writestr(f"bitsandbytes-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: bitsandbytes\nVersion: {version}\n")
        made.writestr(f"bitsandbytes-{version}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        made.writestr(f"bitsandbytes-{version}.dist-info/RECORD", "")


def pip(*arguments):
    command = [sys.executable, "-m", "pip", "--isolated", "-q", "install", "--no-index", "--find-links", "wheels", "--target", "site", *arguments]
    subprocess.run(command, check=True)


sys.path.insert(0, "site")

# %%
# An old release with files for older CUDAs, and a newer one.
wheel("0.41.3", libbitsandbytes_cuda118=b"", libbitsandbytes_cuda122=b"")
wheel("0.50.2", libbitsandbytes_cuda126=b"", libbitsandbytes_cuda128=library("built/libbitsandbytes_cuda128.so"))

# %% break old-release
pip("bitsandbytes==0.41.3")
import bitsandbytes

# %% check old-release
pip("bitsandbytes==0.41.3")
# one of the files must be for that CUDA
PROGRAM = """
from importlib.metadata import files

import torch

print(torch.version.cuda)
print(sorted(file.stem for file in files("bitsandbytes") if "cuda" in file.stem))
"""
exec(PROGRAM)
here = {file.stem for file in files("bitsandbytes")}
assert "libbitsandbytes_cuda122" in here and "libbitsandbytes_cuda128" not in here

# %% proof old-release
pip("bitsandbytes==0.41.3")
pip("-U", "bitsandbytes")
import bitsandbytes

assert bitsandbytes.lib.answer() == 42

# %% wrong folder-on-the-path
# CUDA's folder in `LD_LIBRARY_PATH`, as the message proposes: here the file that is missing is one of
# bitsandbytes itself.
pip("bitsandbytes==0.41.3")
library("cuda/lib64/libcudart.so.12")
PROGRAM = """
import sys
import torch
torch.version.cuda = "12.8"
sys.path.insert(0, "site")
import bitsandbytes
"""
environment = {**os.environ, "LD_LIBRARY_PATH": os.path.abspath("cuda/lib64")}
command = [sys.executable, "-c", PROGRAM]
done = subprocess.run(command, env=environment, capture_output=True, text=True)
print([line for line in done.stderr.splitlines() if "not found" in line][-1])
assert "CUDA Setup failed" in done.stderr

# %%
# A release with the right file; the CUDA library that this needs lies where nobody looks.
torch.version.cuda = "11.8"  # a build with 12 or 13 brings such a library of its own, and it is loaded already
library("cuda/lib64/libcusparse.so.11")
needs = library("built/libbitsandbytes_cuda118.so", "cuda/lib64/libcusparse.so.11")
shutil.rmtree("wheels", ignore_errors=True)
wheel("0.41.3", libbitsandbytes_cuda118=needs)
pip("bitsandbytes")

# %% break library-path
import bitsandbytes

# %% check library-path
path = "site/bitsandbytes/libbitsandbytes_cuda118.so"
shown = subprocess.run(["ldd", path], capture_output=True, text=True).stdout
print([line.strip() for line in shown.splitlines() if "not found" in line])
assert "libcusparse.so.11 => not found" in shown

# %% proof library-path
PROGRAM = "import sys, torch; torch.version.cuda = '11.8'; sys.path.insert(0, 'site'); import bitsandbytes; print(bitsandbytes.lib.answer())"
for folder, printed in {"": "", "cuda/lib64": "42"}.items():
    environment = {**os.environ, "LD_LIBRARY_PATH": folder}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True)
    assert ("42" in done.stdout) == bool(printed) and ("CUDA Setup failed" in done.stderr) != bool(printed)
