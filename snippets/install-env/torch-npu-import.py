# ---
# wordings:
#   - text: "libhccl.so: cannot open shared object file"
#     unless: [mindspore, MindSpore, paddle, PaddlePaddle]
#     exception: ImportError
#   - text: "No module named 'torch_npu'"
#     exception: ModuleNotFoundError
#   - text: "libascendcl.so: cannot open shared object file"
#     unless: [mindspore, MindSpore, paddle, PaddlePaddle]
#     exception: ImportError
#   - text: "libascend_hal.so: cannot open shared object file"
#     unless: [mindspore, MindSpore, paddle, PaddlePaddle]
#     exception: ImportError
#   - text: "libge_runner.so: cannot open shared object file"
#     unless: [mindspore, MindSpore, paddle, PaddlePaddle]
#     exception: ImportError
#   - text: "libacl_op_compiler.so: cannot open shared object file"
#     unless: [mindspore, MindSpore, paddle, PaddlePaddle]
#     exception: ImportError
#   - text: "libatb.so: cannot open shared object file"
#     exception: ImportError
#   - text: "Failed to load the backend extension: torch_npu"
#     exception: RuntimeError
#     role: symptom
#   - text: "module 'torch' has no attribute 'npu'"
#     exception: AttributeError
#   - text: "'Tensor' object has no attribute 'npu'"
#     exception: AttributeError
#   - text: "Torch not compiled with npu enabled"
#   - text: "requires torch=={wanted:ident}, but you have torch {have:path} which is incompatible"
#     near: [torch-npu, torch_npu]
#     sample: "torch-npu 2.5.1 requires torch==2.5.1, but you have torch 2.9.0 which is incompatible."
# tags: [build, device, import-error, shared-library]
# recover: process
# needs: [compiler, "fault:small libraries in place of CANN's, and an extension in place of torch_npu's that asks for them"]
# outranks: [attr-removed, device-string, missing-shared-lib, no-module-torch-x]
# related: [devices/npu-inner-error, devices/device-string, install-env/undefined-symbol]
# docs: ["https://github.com/Ascend/pytorch/blob/master/COMPATIBILITY.md", "https://www.hiascend.com/document/detail/zh/Pytorch/latest/fastexperience/docs/zh/quick_start/quick_start.md"]
# cases:
#   set-env:
#     commands:
#       linux: |
#         source /usr/local/Ascend/ascend-toolkit/set_env.sh  # of the CANN that is installed
#         python -c "import torch, torch_npu; print(torch.npu.is_available())"
#   not-installed:
#     commands:
#       linux: |
#         python -m pip install torch==2.9.0 --index-url https://download.pytorch.org/whl/cpu
#         python -m pip install torch-npu==2.9.0  # the same release as torch
# causes:
#   set-env:
#     if: paste("libhccl.so", "libatb.so", "libascendcl.so", "libge_runner.so", "libacl_op_compiler.so")
#   driver-files:
#     if: paste("libascend_hal.so")
#     sample: "ImportError: libascend_hal.so: cannot open shared object file: No such file or directory"
#   other-release:
#     if: paste("requires torch==")
#     sample: "torch-npu 2.5.1 requires torch==2.5.1, but you have torch 2.9.0 which is incompatible."
#   not-installed:
#     likely: paste("No module named 'torch_npu'")
#   not-imported:
#     likely: paste("has no attribute 'npu'", "compiled with npu")
#     sample: "AttributeError: module 'torch' has no attribute 'npu'"
#   autoload:
#     undecided: why the extension fails stands above the message
# ---

# %%
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import torch

compiler = next(name for name in ("cc", "gcc", "clang") if shutil.which(name))
EXTENSION = """
#include <Python.h>
extern int hccl(void);
static struct PyModuleDef it = {PyModuleDef_HEAD_INIT, "_C", 0, -1, 0};
PyMODINIT_FUNC PyInit__C(void) { return hccl() == 42 ? PyModule_Create(&it) : 0; }
"""


def build(path, code, *more):
    """A shared library, made of C."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    options = ["-shared", "-fPIC", f"-Wl,-soname,{Path(path).name}", "-Wl,--no-as-needed"]
    command = [compiler, *options, "-x", "c", "-", "-o", path, "-x", "none", *more]
    subprocess.run(command, input=code, text=True, check=True)


def run(program, libraries=""):
    """What a new process says last that looks for shared libraries in this folder, too."""
    environment = {**os.environ, "LD_LIBRARY_PATH": libraries, "PYTHONPATH": os.getcwd()}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    return (done.stdout + done.stderr).strip().splitlines()[-1]


# %%
build("Ascend/lib64/libhccl.so", "int hccl(void) { return 42; }")
include = f"-I{sysconfig.get_paths()['include']}"
build(f"torch_npu/_C{sysconfig.get_config_var('EXT_SUFFIX')}", EXTENSION, include, "Ascend/lib64/libhccl.so")
Path("torch_npu/__init__.py").write_text("import torch_npu._C\n")
Path("away").mkdir()
Path("Ascend/lib64/libhccl.so").rename("away/libhccl.so")  # as in a shell that has not read set_env.sh
sys.path.insert(0, os.getcwd())

# %% break set-env
import torch_npu

# %% check set-env
import os

# empty: this shell has not read set_env.sh
print(os.environ.get("ASCEND_TOOLKIT_HOME"), os.environ.get("LD_LIBRARY_PATH"))
assert not os.environ.get("ASCEND_TOOLKIT_HOME")

# %% proof set-env
assert "libhccl.so: cannot open" in run("import torch_npu")
assert run("import torch_npu; print('imported')", libraries="away") == "imported"

# %%
shutil.rmtree("torch_npu")
sys.path.remove(os.getcwd())

# %% break not-installed
import torch_npu

# %% check not-installed
import importlib.util

# not there; and the release of torch, which torch_npu must have as well
print(importlib.util.find_spec("torch_npu"), torch.__version__)
assert importlib.util.find_spec("torch_npu") is None

# %% proof not-installed
assert "No module named 'torch_npu'" in run("import torch_npu")
