# ---
# wordings:
#   - text: "Error 804: forward compatibility was attempted on non supported HW"
#     exception: RuntimeError
#   - text: "CUDA initialization: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 804: forward compatibility was attempted on non supported HW"
#     exception: UserWarning
#   - text: "cuda runtime error (804) : forward compatibility was attempted on non supported HW"
#     exception: RuntimeError
#   - text: "error=804 : forward compatibility was attempted on non supported HW"
#     near: [THC]
#   - text: "forward compatibility was attempted on non supported HW"
# tags: [container, cuda, driver]
# recover: machine
# needs: [compiler, "package:nvidia", "fault:a stub libcuda.so.1 that answers error 804"]
# cases:
#   compat-on-path:
#     commands:
#       linux: |
#         export LD_LIBRARY_PATH=$(echo "$LD_LIBRARY_PATH" | tr : '\n' | grep -v compat | paste -sd:)
#       docker: docker run --gpus all -e LD_LIBRARY_PATH= IMAGE python train.py
#   compat-by-default:
#     commands:
#       linux: LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu python train.py
#       docker: |
#         # in the Dockerfile
#         RUN rm -rf /usr/local/cuda*/compat && ldconfig
#   mixed-gpus:
#     unbroken: "two kinds of GPUs in a machine"
#     commands:
#       linux: |
#         nvidia-smi -L
#         CUDA_VISIBLE_DEVICES=0 python train.py  # the number of one that may use the compat library
# rows: [S001-123]
# docs: ["https://docs.nvidia.com/deploy/cuda-compatibility/forward-compatibility.html"]
# causes:
#   compat-by-default:
#     undecided: which libcuda.so.1 was loaded, and why, is not printed
#   compat-on-path:
#     undecided: which libcuda.so.1 was loaded, and why, is not printed
#   mounted-over:
#     case: compat-by-default
#   driver-updated:
#   mixed-gpus:
# ---

# %%
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nvidia  # NVIDIA's wheels: the real CUDA runtime
import torch

COMPILER = next(name for name in ("cc", "gcc", "clang") if shutil.which(name))

# Stands for a libcuda.so.1, the driver's part that programs load: it gives one answer to everything it is asked.
LIBCUDA = r"""
#include <string.h>
int cuInit(unsigned flags) { return ANSWER; }
int cuDriverGetVersion(int *version) { *version = 99000; return 0; }
int anything(void) { return ANSWER; }
int cuGetProcAddress_v2(const char *name, void **found, int version, unsigned long flags, int *status) {
    if (!strcmp(name, "cuInit")) *found = cuInit;
    else if (!strcmp(name, "cuDriverGetVersion")) *found = cuDriverGetVersion;
    else if (!strncmp(name, "cuGetProcAddress", 16)) *found = cuGetProcAddress_v2;
    else *found = anything;
    return 0;
}
"""

FIND = r"""
import ctypes, re
ctypes.CDLL("libcuda.so.1")  # found as the CUDA runtime finds it
print("libcuda.so.1 is", re.search("/.*libcuda.*", open("/proc/self/maps").read())[0])
"""

if torch.version.cuda:
    START = "import torch; torch.cuda.init(); print(torch.ones(2, device='cuda').sum().item())"
else:  # a CPU build has no CUDA to start: ask NVIDIA's runtime what torch asks it first
    START = r"""
import ctypes, sys
runtime = ctypes.CDLL(sys.argv[1])
runtime.cudaGetErrorString.restype = ctypes.c_char_p
code = runtime.cudaGetDeviceCount(ctypes.byref(ctypes.c_int()))
if code: sys.exit(f"cudaGetDeviceCount(): Error {code}: {runtime.cudaGetErrorString(code).decode()}")
"""


def python(program, search, folder="."):
    runtime = [str(file) for root in nvidia.__path__ for file in sorted(Path(root).glob("*/lib/libcudart.so.*"))][:1]
    search = ":".join(filter(None, [search, os.environ.get("LD_LIBRARY_PATH")]))
    environment = {**os.environ, "LD_LIBRARY_PATH": search}
    return subprocess.run([sys.executable, "-c", program, *runtime], env=environment, cwd=folder, capture_output=True, text=True)


# The machine's own libcuda.so.1; "" without a driver.
driver = python(FIND, "").stdout.removeprefix("libcuda.so.1 is").strip()


def start(program, LD_LIBRARY_PATH="", default="driver"):
    """Run a Python program. `default` is where the loader looks by itself: /etc/ld.so.cache, simulated by the end of LD_LIBRARY_PATH."""
    with tempfile.TemporaryDirectory() as folder:
        for name, answer in {"compat": 804, "driver": 100}.items():  # 100: the truth where there is no GPU
            Path(folder, name).mkdir()
            library = Path(folder, name, "libcuda.so.1")
            if name == "driver" and driver:
                library.symlink_to(driver)
                continue
            build = [COMPILER, f"-DANSWER={answer}", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-x", "c", "-", "-o", str(library)]
            subprocess.run(build, input=LIBCUDA, text=True, check=True)
        done = python(FIND + START if program == START else program, ":".join(filter(None, [LD_LIBRARY_PATH, default])), folder)
        done.stdout, done.stderr = (text.replace(os.path.realpath(folder) + "/", "") for text in (done.stdout, done.stderr))
        return done


def healthy(done):
    """The driver's own libcuda.so.1 was loaded, and CUDA starts; without a GPU it says just that."""
    no_gpu = "no CUDA-capable device is detected" in done.stderr or "No CUDA GPUs are available" in done.stderr
    return "is compat/" not in done.stdout and (done.returncode == 0 if driver else no_gpu)


# %% break compat-on-path
done = start(START, LD_LIBRARY_PATH="compat")
print(done.stdout, done.stderr, sep="", end="")
assert "is compat/" in done.stdout

# %% check compat-on-path
# as it is, then behind LD_LIBRARY_PATH= : another file means that it is the cause
PROGRAM = r"""
import ctypes
import re

ctypes.CDLL("libcuda.so.1")
maps = open("/proc/self/maps").read()
print("libcuda.so.1 is", re.search("/.*libcuda.*", maps)[0])
"""
as_it_is = start(PROGRAM, LD_LIBRARY_PATH="compat")
emptied = start(PROGRAM, LD_LIBRARY_PATH="")
print(as_it_is.stdout, emptied.stdout, sep="", end="")
assert "is compat/" in as_it_is.stdout and "is compat/" not in emptied.stdout

# %% proof compat-on-path
# The line of shell, on a variable that names more than the compat folder.
LINE = """echo "$LD_LIBRARY_PATH" | tr : '\\n' | grep -v compat | paste -sd:"""
for before, after in (("compat", ""), ("compat:/opt/a:/usr/local/cuda/compat:/opt/b", "/opt/a:/opt/b")):
    cleaned = subprocess.run(LINE, shell=True, env={**os.environ, "LD_LIBRARY_PATH": before}, capture_output=True, text=True).stdout.strip()
    assert cleaned == after
    assert not healthy(start(START, LD_LIBRARY_PATH=before)) and healthy(start(START, LD_LIBRARY_PATH=cleaned))

# %% break compat-by-default
done = start(START, default="compat:driver")
print(done.stdout, done.stderr, sep="", end="")
assert "is compat/" in done.stdout

# %% check compat-by-default
# behind LD_LIBRARY_PATH= : the variable is empty, and compat is found anyway
PROGRAM = r"""
import ctypes
import re

ctypes.CDLL("libcuda.so.1")
maps = open("/proc/self/maps").read()
print("libcuda.so.1 is", re.search("/.*libcuda.*", maps)[0])
"""
emptied = start(PROGRAM, LD_LIBRARY_PATH="", default="compat:driver")
print(emptied.stdout, end="")
assert "is compat/" in emptied.stdout

# %% proof compat-by-default
assert not healthy(start(START, default="compat:driver"))
assert healthy(start(START, LD_LIBRARY_PATH="driver", default="compat:driver"))  # the driver's folder in front
assert healthy(start(START, default="driver"))  # or the compat folder gone
