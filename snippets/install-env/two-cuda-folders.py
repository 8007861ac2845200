# ---
# tags: [cuda, shared-library]
# recover: process
# needs: [compiler, "fault:small libraries in place of CUDA's"]
# cases:
#   library-path:
#     commands:
#       linux: |
#         LD_LIBRARY_PATH= python train.py   # cured? then remove the line that sets the variable, often in ~/.bashrc
# related: [install-env/undefined-symbol, install-env/two-libtorch]
# rows: [S001-127]
# docs: ["https://pytorch.org/get-started/locally/"]
# ---

# %%
import importlib.metadata
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter

os.chdir(os.path.realpath(tempfile.mkdtemp()))
compiler = next(name for name in ("cc", "gcc", "clang") if shutil.which(name))


def compile_library(name, code, *flags):
    os.makedirs(os.path.dirname(name), exist_ok=True)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", name, "-x", "c", "-", "-x", "none", *flags], input=code, text=True, check=True)


# What pip installs: PyTorch's library needs libcusparse, which needs libnvJitLink. Both are beside it, and found through the path inside.
compile_library("site-packages/nvidia/libnvJitLink.so.12", "int release(void) { return 128; }", "-Wl,-soname,libnvJitLink.so.12")
SPARSE = "int release(void); int link_release(void) { return release(); }"
RUNPATH = ["-Wl,-rpath,$ORIGIN", "-Wl,--enable-new-dtags"]  # as in NVIDIA's wheels
compile_library("site-packages/nvidia/libcusparse.so.12", SPARSE, "site-packages/nvidia/libnvJitLink.so.12", "-Wl,-soname,libcusparse.so.12", *RUNPATH)
TORCH = "int link_release(void); int torch_release(void) { return link_release(); }"
RPATH = ["-Wl,-rpath,$ORIGIN/../nvidia", "-Wl,--disable-new-dtags", "-Wl,--allow-shlib-undefined"]  # as in PyTorch's wheels
compile_library("site-packages/torch/libtorch_cuda.so", TORCH, "site-packages/nvidia/libcusparse.so.12", *RPATH)
# A CUDA toolkit of another release, installed on the machine.
compile_library("cuda-12.1/libnvJitLink.so.12", "int release(void) { return 121; }", "-Wl,-soname,libnvJitLink.so.12")

IMPORT_TORCH = """
import ctypes, os
print(ctypes.CDLL("site-packages/torch/libtorch_cuda.so").torch_release())
files = {line.split()[-1] for line in open("/proc/self/maps") if "libcu" in line or "libnv" in line}
print(*sorted(os.path.relpath(file) for file in files), sep=chr(10))
"""


def python(program, LD_LIBRARY_PATH):
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "LD_LIBRARY_PATH": LD_LIBRARY_PATH}, capture_output=True, text=True, check=True)
    return done.stdout.split()


# %% break library-path
release, *files = python(IMPORT_TORCH, LD_LIBRARY_PATH=os.path.abspath("cuda-12.1"))
# no error, no warning
print("PyTorch was tested with libnvJitLink 12.8, and runs with", int(release) / 10)
assert release == "121"

# %% check library-path
PROGRAM = """
import torch

maps = open("/proc/self/maps").read().splitlines()
found = [line.split()[-1] for line in maps if "libcu" in line or "libnv" in line]
print(*sorted({*found}))

import importlib.metadata
from collections import Counter

owners = Counter()
for package in importlib.metadata.distributions():
    if package.name.startswith("nvidia-"):
        owners.update(str(file) for file in package.files or [])
print([file for file, count in owners.items() if count > 1 and ".so" in file])
"""
here = PROGRAM.replace("import torch\n", IMPORT_TORCH.split("files")[0])
files = python(here, LD_LIBRARY_PATH=os.path.abspath("cuda-12.1"))
# all in site-packages? Below: files that two of NVIDIA's packages hold
shown = "\n".join(files[1:]).replace(f"{os.getcwd()}/", "")
print(shown)
assert any("cuda-12.1/" in file for file in files)

# %% proof library-path
# The command, with the toolkit in the variable of the shell.
open("train.py", "w").write(IMPORT_TORCH)
environment = {**os.environ, "LD_LIBRARY_PATH": os.path.abspath("cuda-12.1")}
results = {}
for command in (f"'{sys.executable}' train.py", f"LD_LIBRARY_PATH= '{sys.executable}' train.py"):
    results[command[:7]] = subprocess.run(command, shell=True, env=environment, capture_output=True, text=True, check=True).stdout.split()
release, *files = results["LD_LIBR"]
assert release == "128" and len(files) == 2 and all("site-packages" in file for file in files)
assert next(result for start, result in results.items() if start != "LD_LIBR")[0] == "121"
