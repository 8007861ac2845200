# ---
# wordings:
#   - text: "Error compiling objects for extension"
#     exception: RuntimeError
#   - text: "Error building extension '{name:ident}'"
#     exception: RuntimeError
#     sample: "RuntimeError: Error building extension 'fused': [1/2] /usr/local/cuda/bin/nvcc"
#   - text: "Error building extension '"
#     exception: RuntimeError
#   - text: "Command '['ninja', '-v']' returned non-zero exit status"
#     exception: CalledProcessError
#   - text: "Command '['ninja', '-v', '-j', '{_:int}']' returned non-zero exit status"
#     exception: CalledProcessError
#     sample: "subprocess.CalledProcessError: Command '['ninja', '-v', '-j', '48']' returned non-zero exit status 1."
#   - text: "['ninja', '-v']"
#     near: [cpp_extension]
#   - text: "ninja: build stopped: subcommand failed"
#     role: symptom
#     near: [cpp_extension, torch_extensions, torch/include, 'torch\include', TORCH_EXTENSION_NAME]
#   - text: "nvcc' failed with exit"
#     role: symptom
#   - text: "nvcc.exe' failed with exit"
#     role: symptom
#   - text: "error: command '{_:line}' failed with exit"
#     role: symptom
#     near: [cpp_extension, torch_extensions, torch/include, 'torch\include', TORCH_EXTENSION_NAME]
#     sample: "error: command '/usr/local/cuda/bin/nvcc' failed with exit code 1"
#   - text: "Ninja is required to load C++ extensions"
#     exception: RuntimeError
# tags: [build, cpp-extension]
# needs: [compiler]
# timeout: 240
# related: [install-env/extension-lock-hang, install-env/undefined-symbol]
# rows: [S001-100]
# docs: ["https://docs.pytorch.org/docs/stable/cpp_extension.html"]
# ---

# %%
import ctypes
import os
import shutil
import tempfile

from torch.utils.cpp_extension import load

folder = tempfile.mkdtemp()


def build(code, flags=()):
    """Compile one C++ file with PyTorch's headers; the library, to call its function."""
    source = os.path.join(folder, "total.cpp")
    with open(source, "w") as file:
        file.write(code)
    flags = ["-Wfatal-errors", *flags]  # stop at the first error: one message instead of thousands
    load("total", [source], extra_cflags=flags, build_directory=folder, is_python_module=False)
    return ctypes.CDLL(os.path.join(folder, "total.so"))


def first_error(code, flags=()):
    """What the compiler complained about first."""
    try:
        build(code, flags)
    except RuntimeError as error:
        return next(line for line in str(error).splitlines() if "error:" in line)


TOTAL = """
#include <ATen/ATen.h>
extern "C" int total() { return at::ones({2, 3}).sum().item<int>(); }
"""

# %% break old-standard
build(TOTAL, ["-std=c++14"])  # the flag of an old setup.py

# %% check old-standard
line = first_error(TOTAL, ["-std=c++14"])
print(line)
assert "or later compatible compiler is required" in line  # which one depends on PyTorch

# %% fix old-standard
library = build(TOTAL)  # no -std flag: PyTorch passes the one that its headers need
assert library.total() == 6

# %%
CHECKED = """
#include <c10/util/Exception.h>
extern "C" int half(int n) { AT_CHECK(n % 2 == 0, "odd"); return n / 2; }
"""

# %% break old-names
build(CHECKED)  # written for PyTorch 1.4

# %% check old-names
line = first_error(CHECKED)
print(line)
assert "AT_CHECK" in line and "not declared" in line

# %% fix old-names
library = build(CHECKED.replace("AT_CHECK", "TORCH_CHECK"))
assert library.half(6) == 3

# %% break no-ninja
os.environ["PATH"] = folder  # ninja is not in any folder of PATH
build('extern "C" int one() { return 1; }')

# %% check no-ninja
os.environ["PATH"] = folder
print(shutil.which("ninja"))
assert shutil.which("ninja") is None

# %% fix no-ninja
library = build('extern "C" int one() { return 1; }')  # ninja is on PATH again
assert shutil.which("ninja") and library.one() == 1
