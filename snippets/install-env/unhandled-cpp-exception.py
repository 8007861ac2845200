# ---
# wordings:
#   - text: "Unhandled exception caught in c10/util/AbortHandler.h"
#   - text: "terminate called after throwing an instance of 'std::{what:ident}'"
#     near: [torch]
#     role: symptom
#     unless: [tensorflow, paddle, ggml, onnxruntime, jaxlib]
#     sample: "terminate called after throwing an instance of 'std::runtime_error'\n  what():  model file is damaged\nlibtorch_cpu.so"
# tags: [crash, shared-library]
# recover: process
# needs: [compiler, "fault:a C++ library that throws in a thread of its own"]
# timeout: 120
# related: [install-env/process-dies-silently, install-env/dll-load-failed]
# docs: ["https://docs.python.org/3/library/faulthandler.html"]
# cases:
#   other-library:
#     silent: true
#     commands:
#       shell: python -X faulthandler main.py
#       notebook: import faulthandler; faulthandler.enable()
# causes:
#   other-library:
#     likely: paste("AbortHandler.h", "terminate called")
#     sample: |
#       Unhandled exception caught in c10/util/AbortHandler.h
#       00007FFE12AE1DE400007FFE12AC2070 torch_python.dll!THPGenerator_initDefaultGenerator [<unknown file> @ <unknown line number>]
#       00007FFD84A3D55800007FFD8475FDF0 nvinfer_plugin_tensorrt_llm.dll!setLoggerFinder [<unknown file> @ <unknown line number>]
#   pytorch: {undecided: the frames of torch stand in all of them}
# ---

# %%
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

folder = Path(tempfile.mkdtemp())
compiler = next(name for name in ("c++", "g++", "clang++") if shutil.which(name))
LIBRARY = """
#include <stdexcept>
#include <thread>
extern "C" void load() { std::thread([] { throw std::runtime_error("model file is damaged"); }).join(); }
"""
(folder / "library.cpp").write_text(LIBRARY)
build = [compiler, "-shared", "-fPIC", "-pthread", "library.cpp", "-o", "library.so"]
subprocess.run(build, cwd=folder, check=True)
(folder / "main.py").write_text("""
import ctypes
import torch

def prepare():
    ctypes.CDLL("./library.so").load()

prepare()
""")


def run(*options):
    """The program in a process of its own: what it printed, and how it ended."""
    command = [sys.executable, *options, "main.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.stderr, done.returncode


# %% break other-library
said, code = run()
print(said)
# Linux prints the reason; no line of Python in it
assert "model file is damaged" in said and "main.py" not in said and code < 0

# %% proof other-library
said, code = run("-X", "faulthandler")
assert 'main.py", line 6 in prepare' in said  # the line of Python that called the library
