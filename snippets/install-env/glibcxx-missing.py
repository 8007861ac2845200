# ---
# wordings:
#   - text: "GLIBCXX_{cxx:num}' not found"
#     exception: [ImportError, OSError]
#     near: &python [torch, ImportError, OSError, conda]
#     unless: &others [tensorflow, jaxlib, paddle, onnxruntime, mxnet, required by node, required by cmake, code-server, vscode-server, "library(", Rcpp, scipy, pandas, sklearn, matplotlib, cv2, numba, pyarrow, h5py, zmq, PyQt5, lightgbm, xgboost, osgeo, cupy]
#     sample: "ImportError: /lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by /home/me/miniconda3/envs/dl/lib/python3.10/site-packages/flash_attn_2_cuda.cpython-310-x86_64-linux-gnu.so)"
#   - text: "GLIBCXX_{cxx:num} not found"
#     exception: [ImportError, OSError]
#     near: *python
#     unless: *others
#     sample: "ImportError: /lib64/libstdc++.so.6: version GLIBCXX_3.4.20 not found"
#   - text: "GLIBCXX_{cxx:num}` not found"
#     exception: [ImportError, OSError]
#     near: *python
#     unless: *others
#     sample: "ImportError: /lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.30` not found"
#   - text: "CXXABI_{abi:num}' not found"
#     exception: [ImportError, OSError]
#     near: *python
#     unless: *others
#     sample: "ImportError: /usr/lib64/libstdc++.so.6: version `CXXABI_1.3.8' not found (required by /opt/conda/lib/python3.6/site-packages/torch/lib/libATen.so)"
#   - text: "CXXABI_{abi:num} not found"
#     exception: [ImportError, OSError]
#     near: *python
#     unless: *others
#     sample: "ImportError: /usr/lib64/libstdc++.so.6: version CXXABI_1.3.8 not found"
#   - text: "GLIBC_{glibc:num}' not found"
#     exception: [ImportError, OSError]
#     near: *python
#     unless: *others
#     sample: "ImportError: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.32' not found (required by /usr/local/lib/python3.10/site-packages/flash_attn_2_cuda.cpython-310-x86_64-linux-gnu.so)"
#   - text: "GLIBC_{glibc:num} not found"
#     exception: [ImportError, OSError]
#     near: *python
#     unless: *others
#     sample: "ImportError: /lib64/libc.so.6: version GLIBC_2.32 not found"
# tags: [shared-library, import-error, cpp-extension]
# recover: process
# needs: [compiler, "fault:small libraries in place of libstdc++ and of a newer libc"]
# related: [install-env/missing-shared-lib, install-env/undefined-symbol, install-env/flash-attn-install]
# docs: ["https://gcc.gnu.org/onlinedocs/libstdc++/manual/abi.html"]
# causes:
#   system-library:
#     if: paste("linux-gnu/libstdc++.so.6", "/lib64/libstdc++.so.6", "/usr/lib/libstdc++.so.6")
#   old-glibc:
#     if: read(glibc)
#   old-environment:
#     if: paste("../libstdc++.so.6", "/./libstdc++.so.6", "../lib/libstdc++.so.6", "conda/lib/libstdc++.so.6", "conda3/lib/libstdc++.so.6", "forge/lib/libstdc++.so.6")
#     likely: paste("/lib/libstdc++.so.6")
# cases:
#   old-glibc:
#     commands:
#       linux: |
#         python -m pip uninstall -y torch-scatter
#         python -m pip install --no-build-isolation --no-cache-dir --no-binary torch-scatter torch-scatter  # the package that fails
#       docker: docker run --gpus all -it -v "$PWD":/work -w /work pytorch/pytorch python train.py
#   system-library:
#     commands:
#       linux: |
#         conda install -c conda-forge "libstdcxx-ng>=13"  # into the environment that is active
#         export LD_LIBRARY_PATH=$CONDA_PREFIX/lib:$LD_LIBRARY_PATH
#   old-environment:
#     commands:
#       linux: conda install -c conda-forge --update-deps "libstdcxx-ng>=13"
# ---

# %%
import ctypes
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

compiler = next(name for name in ("cc", "gcc", "clang") if shutil.which(name))
PLUGIN = "int answer(void); int twice(void) { return 2 * answer(); }"
HERE = os.getcwd()


def library(path, *needed, code="int answer(void) { return 21; }", versions=""):
    """A shared library; `versions` names what its functions are the work of, as in libstdc++."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path("versions").write_text(versions)
    build = [compiler, "-shared", "-fPIC", "-nostdlib", f"-Wl,-soname,{Path(path).name}", *(["-Wl,--version-script=versions"] if versions else [])]
    subprocess.run([*build, "-x", "c", "-", "-o", path, "-x", "none", *needed], input=code, text=True, check=True)


def load(path, *folders, line="true", **variables):
    """Load a library in a new process, behind a line of shell, with these folders in LD_LIBRARY_PATH; the last line printed."""
    program = f"import ctypes; print(ctypes.CDLL('./{path}').twice())"
    environment = {**os.environ, **variables, "LD_LIBRARY_PATH": ":".join(f"{HERE}/{folder}" for folder in folders)}
    done = subprocess.run(["sh", "-c", f'{line}; "$@"', "sh", sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    return (done.stdout + done.stderr).replace(f"{HERE}/", "/").strip().splitlines()[-1]


# %%
# Two libstdc++ of different age, and a package that was built with the newer one.
SYSTEM, CONDA = "lib/x86_64-linux-gnu", "envs/dl/lib"
NEW = "GLIBCXX_3.4.28 { older; }; GLIBCXX_3.4.29 { answer; } GLIBCXX_3.4.28;"
library(f"{CONDA}/libstdc++.so.6", code="int older(void) { return 1; } int answer(void) { return 21; }", versions=NEW)
library(f"{SYSTEM}/libstdc++.so.6", code="int older(void) { return 1; }", versions="GLIBCXX_3.4.28 { older; };")
library("site-packages/flash_attn_2_cuda.so", f"{CONDA}/libstdc++.so.6", code=PLUGIN)

# %% break system-library
output = load("site-packages/flash_attn_2_cuda.so", SYSTEM, CONDA)
print(output)
assert "version `GLIBCXX_3.4.29' not found" in output

# %% check system-library
need = b"GLIBCXX_3.4.29"  # the name in your message
for folder in (SYSTEM, CONDA):
    file = f"{folder}/libstdc++.so.6"
    print(file, need in Path(file).read_bytes())
assert need not in Path(SYSTEM, "libstdc++.so.6").read_bytes()
assert need in Path(CONDA, "libstdc++.so.6").read_bytes()

# %% proof system-library
# The line of shell puts the environment's folder first.
LINE = "export LD_LIBRARY_PATH=$CONDA_PREFIX/lib:$LD_LIBRARY_PATH"
plugin = "site-packages/flash_attn_2_cuda.so"
assert "not found" in load(plugin, SYSTEM, CONDA, CONDA_PREFIX=f"{HERE}/envs/dl")
assert load(plugin, SYSTEM, CONDA, line=LINE, CONDA_PREFIX=f"{HERE}/envs/dl") == "42"

# %%
# The other way round: the environment has the older one, the machine the newer.
for folder in (SYSTEM, CONDA):
    os.rename(f"{folder}/libstdc++.so.6", f"{folder}/moved")
os.rename(f"{SYSTEM}/moved", f"{CONDA}/libstdc++.so.6")
os.rename(f"{CONDA}/moved", f"{SYSTEM}/libstdc++.so.6")
library("torch_extensions/rasterizer.so", f"{SYSTEM}/libstdc++.so.6", code=PLUGIN)

# %% break old-environment
os.makedirs("envs/dl/bin")
output = load("torch_extensions/rasterizer.so", "envs/dl/bin/../lib", SYSTEM)
print(output)
assert "version `GLIBCXX_3.4.29' not found" in output

# %% proof old-environment
# What the command changes: the environment's own file becomes a newer one.
assert "not found" in load("torch_extensions/rasterizer.so", CONDA, SYSTEM)
shutil.copy(f"{SYSTEM}/libstdc++.so.6", f"{CONDA}/libstdc++.so.6")
assert load("torch_extensions/rasterizer.so", CONDA, SYSTEM) == "42"

# %%
# A package that was built on a machine with a glibc that does not exist yet.
library("newer/libc.so.6", versions="GLIBC_2.99 { answer; };")
library("torch_scatter/_scatter.so", "newer/libc.so.6", code=PLUGIN)

# %% break old-glibc
ctypes.CDLL("./torch_scatter/_scatter.so")

# %% check old-glibc
data = Path("torch_scatter/_scatter.so").read_bytes()
need = max(int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", data))
print(f"needs glibc 2.{need}; here:", *platform.libc_ver())
assert need > int(platform.libc_ver()[1].split(".")[1])

# %% proof old-glibc
# The same source, built on this machine.
library("torch_scatter/_scatter.so", code="int abs(int); int twice(void) { return abs(-42); }")
assert load("torch_scatter/_scatter.so") == "42"
# Another libc in the search path is no way: nothing starts then.
assert subprocess.run(["ls"], env={"LD_LIBRARY_PATH": f"{HERE}/newer"}, capture_output=True).returncode != 0
