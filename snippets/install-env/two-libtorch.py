# ---
# tags: [cpp-extension, libtorch, shared-library]
# needs: [compiler, "fault:two small libraries in place of the two libtorch"]
# related: [install-env/undefined-symbol]
# rows: [S001-116]
# docs: ["https://docs.pytorch.org/cppdocs/"]
# ---

# %%
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile

os.chdir(os.path.realpath(tempfile.mkdtemp()))
compiler = next(name for name in ("cc", "gcc", "clang") if shutil.which(name))


def compile_library(name, code, *flags):
    os.makedirs(os.path.dirname(name), exist_ok=True)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", name, "-x", "c", "-", "-x", "none", *flags], input=code, text=True, check=True)


# Two releases of one small library. As with the real ones, both have the same name inside.
compile_library("libtorch/libtorch_small.so", "int release(void) { return 201; }", "-Wl,-soname,libtorch_small.so")
compile_library("pytorch/libtorch_small.so", "int release(void) { return 213; }", "-Wl,-soname,libtorch_small.so")
# A plugin built with the first one (TensorRT's, say), which says so in its search path.
PLUGIN = "int release(void); int plugin_release(void) { return release(); }"
compile_library("plugin/plugin.so", PLUGIN, "libtorch/libtorch_small.so", "-Wl,-rpath," + os.path.abspath("libtorch"))

# %% break two-releases
ctypes.CDLL("pytorch/libtorch_small.so")  # import torch
plugin = ctypes.CDLL("./plugin/plugin.so")
print("built with 201, runs with", plugin.plugin_release())  # no error, no warning
assert plugin.plugin_release() == 213

# %% check two-releases
shown = subprocess.run(["ldd", "plugin/plugin.so"], capture_output=True, text=True).stdout
wanted = next(line.split(" => ")[1].split()[0] for line in shown.splitlines() if "libtorch_small" in line)
ctypes.CDLL("pytorch/libtorch_small.so")
ctypes.CDLL("./plugin/plugin.so")
loaded = {line.split()[-1] for line in open("/proc/self/maps") if "libtorch_small" in line and line.split()[-1].startswith(os.getcwd())}
print("the plugin was built with:", os.path.relpath(wanted))
print("loaded in this process:", *(os.path.relpath(file) for file in loaded))
assert loaded != {wanted}

# %% fix two-releases
compile_library("plugin/plugin.so", PLUGIN, "pytorch/libtorch_small.so", "-Wl,-rpath," + os.path.abspath("pytorch"))  # built with PyTorch's own
for order in (["pytorch/libtorch_small.so", "plugin/plugin.so"], ["plugin/plugin.so", "pytorch/libtorch_small.so"]):
    load = f"import ctypes; [ctypes.CDLL('./' + name) for name in {order}]; print(ctypes.CDLL('./plugin/plugin.so').plugin_release())"
    assert subprocess.run([sys.executable, "-c", load], capture_output=True, text=True, check=True).stdout.strip() == "213"  # in both orders
