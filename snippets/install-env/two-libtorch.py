# ---
# tags: [cpp-extension, libtorch, shared-library]
# recover: process
# needs: [compiler, "fault:a small libc10.so in place of a second libtorch"]
# cases:
#   two-releases:
#     commands:
#       shell: |
#         cmake -DCMAKE_PREFIX_PATH="$(python -c 'import torch; print(torch.utils.cmake_prefix_path)')" ..
#         cmake --build . --clean-first
# related: [install-env/undefined-symbol]
# rows: [S001-116]
# docs: ["https://docs.pytorch.org/cppdocs/"]
# ---

# %%
import os
import subprocess
import sys
import tempfile

import torch
from torch.utils.cpp_extension import get_cxx_compiler, include_paths

os.chdir(os.path.realpath(tempfile.mkdtemp()))


def compile_library(name, code, *flags):
    os.makedirs(os.path.dirname(name), exist_ok=True)
    subprocess.run([get_cxx_compiler(), "-shared", "-fPIC", "-o", name, "-x", "c++", "-", "-x", "none", *flags], input=code, text=True, check=True)


def python(*lines):
    """Run these lines in a new process; what it prints, and the last line of its error."""
    done = subprocess.run([sys.executable, "-c", "\n".join(["import ctypes", *lines])], capture_output=True, text=True)
    return done.stdout.strip(), (done.stderr.strip().splitlines() or [""])[-1]


# A libtorch of another release: its libc10.so has the name of PyTorch's, and a function that PyTorch's has not.
compile_library("libtorch/libc10.so", "namespace c10 { int half(int n) { return n / 2; } }", "-Wl,-soname,libc10.so")
# A plugin (TensorRT's, an engine in C++) built with that one.
PLUGIN = 'namespace c10 { int half(int); } extern "C" int plugin_half(int n) { return c10::half(n); }'
compile_library("plugin/plugin.so", PLUGIN, "libtorch/libc10.so", "-Wl,-rpath," + os.path.abspath("libtorch"))
USE = "print(ctypes.CDLL('./plugin/plugin.so', 2).plugin_half(6))"  # 2: all names at once

# %% break two-releases
print("plugin alone:", *python(USE))
print("torch first:", *python("import torch", USE))
assert python(USE)[0] == "3"
# it got PyTorch's libc10.so
assert "undefined symbol: _ZN3c10" in python("import torch", USE)[1]

# %% check two-releases
done = subprocess.run(["ldd", "plugin/plugin.so"], capture_output=True, text=True)
line = next(line for line in done.stdout.splitlines() if "libc10.so" in line)
wanted = line.split(" => ")[1].split()[0]
line = next(line for line in open("/proc/self/maps") if "libc10.so" in line)
loaded = line.split()[-1]
print("the plugin was built with:", os.path.relpath(wanted))
print("loaded in this process:", "/".join(loaded.split("/")[-3:]))
assert loaded != wanted

# %% proof two-releases
# What cmake does with that prefix: PyTorch's own headers and libraries.
lib = os.path.join(torch.__path__[0], "lib")
assert os.path.exists(os.path.join(torch.utils.cmake_prefix_path, "Torch/TorchConfig.cmake"))
assert os.path.realpath(os.path.join(torch.utils.cmake_prefix_path, "../../lib")) == os.path.realpath(lib)
PLUGIN = """
#include <c10/util/Exception.h>
extern "C" int plugin_half(int n) { TORCH_CHECK(n % 2 == 0, "odd"); return n / 2; }
"""
flags = [*(f"-I{path}" for path in include_paths()), "-std=c++20", f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}"]
compile_library("plugin/plugin.so", PLUGIN, *flags, f"-L{lib}", "-lc10", f"-Wl,-rpath,{lib}")
assert python(USE) == ("3", "") and python("import torch", USE) == ("3", "") and python(USE, "import torch") == ("3", "")  # in every order
