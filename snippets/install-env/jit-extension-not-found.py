# ---
# wordings:
#   - text: "torch_extensions/{_:path} cannot open shared object file"
#     exception: [ImportError, OSError]
#     sample: "ImportError: /root/.cache/torch_extensions/py310_cu117/exllama_ext/exllama_ext.so: cannot open shared object file: No such file or directory"
#   - text: "ImportError: {_:path} cannot open shared object file"
#     exception: ImportError
#     near: [_import_module_from_library, _jit_compile, torch_extensions]
#     sample: "ImportError: /data/ext/fused/fused.so: cannot open shared object file: No such file or directory\ntorch/utils/cpp_extension.py, in _import_module_from_library"
#   - text: "No module named '{module:ident}'"
#     exception: [ImportError, ModuleNotFoundError]
#     near: [_import_module_from_library, torch_extensions]
#     sample: "    return _import_module_from_library(name, build_directory, is_python_module)\nImportError: No module named 'fused'"
#   - text: "No module named 'upfirdn2d_plugin'"
#     exception: [ImportError, ModuleNotFoundError]
#   - text: "No module named 'bias_act_plugin'"
#     exception: [ImportError, ModuleNotFoundError]
#   - text: "Failed to build CUDA kernels for {op:ident} Falling back to slow reference implementation"
#     role: symptom
#     sample: "UserWarning: Failed to build CUDA kernels for upfirdn2d. Falling back to slow reference implementation."
#   - text: "dynamic module does not define module export function (PyInit_{module:ident})"
#     exception: ImportError
#     near: [torch, cpp_extension, _C]
#     sample: "ImportError: dynamic module does not define module export function (PyInit_fused)\ntorch/utils/cpp_extension.py"
# tags: [build, cpp-extension, import-error]
# recover: process
# needs: [compiler, "fault:a source file with a mistake"]
# related: [install-env/extension-compile, install-env/extension-lock-hang, install-env/extension-not-built, install-env/undefined-symbol]
# docs: ["https://docs.pytorch.org/docs/stable/cpp_extension.html#torch.utils.cpp_extension.load"]
# outranks: [missing-shared-lib]
# timeout: 120
# causes:
#   first-failed:
#     undecided: whether it was an earlier call or another process is not printed
#   other-name:
#     if: paste("does not define module export function")
#   windows:
#     case: first-failed
#     likely: paste('File "C:', 'File "D:', 'File "E:')
#     sample: "  File \"C:\\Python37\\lib\\site-packages\\torch\\utils\\cpp_extension.py\", line 1317, in _jit_compile\n    return _import_module_from_library(name, build_directory, is_python_module)\nImportError: No module named 'upfirdn2d_plugin'"
#   other-process:
#     undecided: whether it was an earlier call or another process is not printed
# cases:
#   first-failed:
#     commands:
#       linux: |
#         rm -rf ~/.cache/torch_extensions        # and the folder TORCH_EXTENSIONS_DIR, if set
#         export TORCH_CPP_LOG_LEVEL=INFO
#         python train.py 2>&1 | tee build.log    # one process, without torchrun or deepspeed
#         grep -n -m 5 -E "error:|Error:" build.log
#       powershell: |
#         Remove-Item -Recurse "$env:LOCALAPPDATA\torch_extensions"
#         python train.py *> build.log
#         Select-String -Path build.log -Pattern "error" | Select-Object -First 5
#   other-process:
#     needs: ["torch:<2.15"]  # in 2.15.0 the second process builds anew
#     commands:
#       linux: |
#         rm -rf ~/.cache/torch_extensions
#         python -c "import train"                # build once, alone; the import that calls load()
#         torchrun --nproc-per-node 8 train.py    # now every process finds it
#       docker: RUN python -c "import train"
# ---

# %%
import os
import subprocess
import sys
import time
from pathlib import Path

os.environ["TORCH_EXTENSIONS_DIR"] = os.path.abspath("torch_extensions")
from torch.utils import cpp_extension


def module(name, mistake=""):
    """The C++ of a Python module with one function, without PyTorch's headers: it compiles in a second."""
    return f"""
#include <Python.h>
static PyObject *one(PyObject *, PyObject *) {{ {mistake} return PyLong_FromLong(1); }}
static PyMethodDef methods[] = {{{{"one", one, METH_NOARGS, ""}}, {{0, 0, 0, 0}}}};
static PyModuleDef def = {{PyModuleDef_HEAD_INIT, "{name}", 0, -1, methods}};
PyMODINIT_FUNC PyInit_{name}(void) {{ return PyModule_Create(&def); }}
"""


Path("fused.cpp").write_text(module("fused", "undeclared();"))  # does not compile
from torch.utils.cpp_extension import load

# %% break first-failed
try:
    fused = load("fused", ["fused.cpp"])
except Exception:
    pass  # "the slow version will do"
fused = load("fused", ["fused.cpp"])  # later, somewhere else

# %% check first-failed
try:
    load("fused", ["fused.cpp"])
except Exception as error:
    first = str(error)
line = next(line for line in first.splitlines() if "error:" in line)
print(line)  # of the first call: the cause
assert "undeclared" in line

# %% proof first-failed
shell = f'"{sys.executable}" train.py 2>&1 | tee build.log > /dev/null; grep -n -m 5 -E "error:|Error:" build.log'
Path("train.py").write_text('from torch.utils.cpp_extension import load\n\nprint(load("fused", ["fused.cpp"]).one())\n')
found = subprocess.run(shell, shell=True, capture_output=True, text=True).stdout
assert "fused.cpp:3" in found and "undeclared" in found, found  # file, line and cause
Path("fused.cpp").write_text(module("fused"))  # what it says is mended
done = subprocess.run([sys.executable, "train.py"], capture_output=True, text=True)
assert done.stdout == "1\n", done.stderr

# %%
# A compiler that takes its time, so that the second process comes while the first one builds.
Path("slow").write_text('#!/bin/sh\nwhile [ ! -e go ] && [ ! -e ../../go ]; do sleep 0.1; done\nexec g++ "$@"\n')
Path("slow").chmod(0o755)
Path("rank.py").write_text("""
import os
import torch
torch.cuda._is_compiled = lambda: False  # a build without CUDA asks for no toolkit
from torch.utils.cpp_extension import FileBaton, load

acquire = FileBaton.try_acquire


def noted(baton):
    got = acquire(baton)
    open(f"tried-{os.getpid()}", "w").close()  # it builds, or waits for the one that builds
    return got


FileBaton.try_acquire = noted
print(load("fused", ["fused.cpp"]).one())
""")
SLOW = {**os.environ, "CXX": os.path.abspath("slow")}


def start():
    return subprocess.Popen([sys.executable, "rank.py"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=SLOW)


def two_ranks():
    """What the second of two processes prints that load the same extension."""
    first = start()
    while not Path(f"tried-{first.pid}").exists() and first.poll() is None:
        time.sleep(0.05)
    second = start()
    while not Path(f"tried-{second.pid}").exists() and second.poll() is None:
        time.sleep(0.05)
    Path("go").touch()
    said = first.communicate()[0], second.communicate()[0]
    return second.returncode, *said


# %% break other-process
failed, first, second = two_ranks()
print(second)  # the second process; the first one has the compiler's error
sys.exit("it failed" if failed else None)

# %% proof other-process
Path("go").touch()
Path("fused.cpp").write_text(module("fused"))  # mended, and built once, alone
alone = start().communicate()[0]
assert alone == "1\n", alone
ranks = [start() for rank in range(2)]
assert [rank.communicate()[0] for rank in ranks] == ["1\n", "1\n"]

# %%
Path("ops.cpp").write_text(module("fused"))

# %% break other-name
ops = load("ops", ["ops.cpp"])

# %% check other-name
(name,) = [
    line.split("PyInit_")[1].split("(")[0]
    for line in Path("ops.cpp").read_text().splitlines()
    if "PyInit_" in line or "PYBIND11_MODULE" in line
]
print(name)  # the name in the C++ file; load() was called with "ops"
assert name == "fused"

# %% fix other-name
from torch.utils.cpp_extension import load

# the name in the C++ file: PYBIND11_MODULE(fused, m)
# better there: PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)
ops = load("fused", ["ops.cpp"])

# %% proof other-name
assert ops.one() == 1 and ops.__name__ == "fused"
