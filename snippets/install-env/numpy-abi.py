# ---
# wordings:
#   - text: "A module that was compiled using NumPy 1.x cannot be run in NumPy {numpy:num} as it may crash"
#     exception: UserWarning
#     sample: "A module that was compiled using NumPy 1.x cannot be run in NumPy 2.1.2 as it may crash. To support both 1.x and 2.x versions of NumPy, modules must be compiled with NumPy 2.0."
#   - text: "A module that was compiled using NumPy 1.x cannot be run in"
#     exception: UserWarning
#   - text: "downgrade to 'numpy<2' or try to upgrade the affected module"
#     exception: UserWarning
#   - text: "Numpy is not available"
#     exception: RuntimeError
#   - text: "Failed to initialize NumPy:"
#     exception: UserWarning
#   - text: "AttributeError: _ARRAY_API not found"
#     exception: AttributeError
#   - text: "PyTorch was compiled without NumPy support"
#     exception: RuntimeError
#   - text: "ImportError: numpy.core.multiarray failed to import"
#     role: symptom
#     exception: ImportError
#     near: [_ARRAY_API, NumPy 2, import torch, torch/__init__]
#   - text: "numpy.core.multiarray failed to import"
#     role: symptom
#     unless: &frames ['File "', "File ~", ipython-input, site-packages, dist-packages]  # a trace without torch: of whatever it names
#   - text: "module compiled against API version {_:ident} but this version of numpy is"
#     exception: RuntimeError
#     near: [torch]
#     sample: "RuntimeError: module compiled against API version 0xe but this version of numpy is 0xd"
#   - text: "RuntimeError: module compiled against API version {_:ident} but this version of numpy is"
#     unless: *frames
#     sample: "RuntimeError: module compiled against API version 0xe but this version of numpy is 0xd"
#   - text: "module compiled against ABI version {_:ident} but this version of numpy is"
#     exception: RuntimeError
#     near: [torch]
#     sample: "RuntimeError: module compiled against ABI version 0x1000009 but this version of numpy is 0x2000000"
#   - text: "RuntimeError: module compiled against ABI version {_:ident} but this version of numpy is"
#     unless: *frames
#     sample: "RuntimeError: module compiled against ABI version 0x1000009 but this version of numpy is 0x2000000"
# tags: [numpy, import-error, warning]
# recover: process
# needs: ["package:pip", "package:numpy", "fault:small wheels in place of NumPy's"]
# related: [install-env/undefined-symbol]
# docs: ["https://numpy.org/doc/stable/numpy_2_0_migration_guide.html"]
# causes:
#   old-torch:
#     case: numpy-2
#     if: 'paste("Failed to initialize NumPy: _ARRAY_API", "Failed to initialize NumPy: numpy.core.multiarray") or frames("torch/__init__.py", "torch/nn/", "torch/utils/data", "torch/random.py") and paste("compiled using NumPy 1", "_ARRAY_API")'
#     sample: |
#       A module that was compiled using NumPy 1.x cannot be run in NumPy 2.1.2 as it may crash.
#         File "/venv/lib/python3.10/site-packages/torch/nn/modules/transformer.py", line 20, in <module>
#       UserWarning: Failed to initialize NumPy: _ARRAY_API not found
#   numpy-2:
#     likely: paste("compiled using NumPy 1", "_ARRAY_API", "downgrade to 'numpy<2'")
#   no-numpy:
#     if: paste("No module named 'numpy'")
#   numpy-too-old:
#     if: paste("compiled against API version", "compiled against ABI version")
#     sample: "RuntimeError: module compiled against API version 0xe but this version of numpy is 0xd\nimport torch"
#   built-without:
#     if: paste("PyTorch was compiled without NumPy support")
#     sample: "RuntimeError: PyTorch was compiled without NumPy support"
# timeout: 120
# cases:
#   numpy-2:
#     commands:
#       shell: |
#         python -m pip install "numpy<2"  # keeps everything that was built for NumPy 1
#         # or, where it is torch that is too old: python -m pip install --upgrade torch
#       notebook: |
#         %pip install "numpy<2"  # then restart the kernel
#       comfyui: .\python_embeded\python.exe -s -m pip install "numpy<2"
#   no-numpy:
#     commands:
#       shell: python -m pip install numpy
#       notebook: "%pip install numpy  # then restart the kernel"
# ---

# %%
import os
import subprocess
import sys
import zipfile
from pathlib import Path

# What a module built for NumPy 1 does when it is imported: it asks NumPy for its table of functions, at the place where NumPy 1 has it.
Path("built_for_numpy_1.py").write_text("""
import numpy.core._multiarray_umath

numpy.core._multiarray_umath._ARRAY_API
""")


def wheel(version, **files):
    with zipfile.ZipFile(f"numpy-{version}-py3-none-any.whl", "w") as made:
        for file, text in files.items():
            made.writestr("numpy/" + file.replace("_in_", "/") + ".py", text)
        made.writestr(f"numpy-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: numpy\nVersion: {version}\n")
        made.writestr(f"numpy-{version}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        made.writestr(f"numpy-{version}.dist-info/RECORD", "")


def run(command, folder):
    """In a shell, in which pip finds the wheels here only, and puts them into a folder."""
    where = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": os.getcwd(), "PIP_TARGET": os.path.abspath(folder)}
    where["PATH"] = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    subprocess.run(command, shell=True, env={**os.environ, **where}, capture_output=True)


def python(program, *folders):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, folders))}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    return (done.stdout + done.stderr).strip()


# %% break numpy-2
import built_for_numpy_1

# %% check numpy-2
import numpy

# 2 or more; which module asks is in the lines above the message
print(numpy.__version__)
assert int(numpy.__version__.split(".")[0]) >= 2

# %% proof numpy-2
import numpy
import torch

# A small NumPy 1 has the table at its old place, as the real one; `numpy<2` chooses it.
wheel("1.26.4", __init__="__version__ = '1.26.4'", core_in___init__="", core_in__multiarray_umath="_ARRAY_API = 'table'")
wheel("2.4.6", __init__="__version__ = '2.4.6'")
run(commands["shell"], "site")
assert python("import built_for_numpy_1, numpy; print(numpy.__version__)", ".", "site") == "1.26.4"
assert "cannot be run in" in python("import built_for_numpy_1", ".")
# And the other way: this torch works with the NumPy 2 that is here.
assert torch.from_numpy(numpy.ones(3)).sum().item() == 3

# %%
Path("without/numpy").mkdir(parents=True)
Path("without/numpy/__init__.py").write_text("raise ModuleNotFoundError(\"No module named 'numpy'\")\n")  # as good as none

# %% break no-numpy
output = python("import torch; torch.ones(3).numpy()", "without")
print(output)
assert "Numpy is not available" in output

# %% check no-numpy
PROGRAM = "import numpy"
# NumPy's own import says why
print(python(PROGRAM, "without").splitlines()[-1])
assert "No module named 'numpy'" in python(PROGRAM, "without")

# %% proof no-numpy
assert python("import torch; print(torch.ones(3).numpy().sum())") == "3.0"  # with NumPy in place
wheel("2.99.0", __init__="__version__ = '2.99.0'")
run(commands["shell"], "empty")
assert python("import numpy; print(numpy.__version__)", "empty") == "2.99.0"
