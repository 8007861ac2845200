# ---
# wordings:
#   - text: "No module named 'torch'"
#     exception: [ModuleNotFoundError, ImportError]
#     unless: &building ["Getting requirements to build", "Failed building wheel", "Building wheel for", "Preparing metadata", bdist_wheel, pip-build-env, pip-install-, get_requires_for_build, build_meta, egg_info, subprocess-exited-with-error, "This error originates from a subprocess", "Failed to build", builds-v0, "install flash", setup.py]
#   - text: "No module named torch"
#     exception: ImportError
#     unless: ["Getting requirements to build", "Failed building wheel", "Building wheel for", "Preparing metadata", bdist_wheel, pip-build-env, pip-install-, get_requires_for_build, build_meta, egg_info, subprocess-exited-with-error, "This error originates from a subprocess", "Failed to build", builds-v0, "install flash", setup.py, named torch., named torch_, named torch-, named torcha, named torchb, named torchc, named torchd, named torche, named torchf, named torchg, named torchi, named torchl, named torchm, named torchn, named torcho, named torchp, named torchr, named torchs, named torcht, named torchv, named torchx]
#   - text: "No Module Named 'torch'"
#     unless: [pip install, setup.py, "Getting requirements to build"]
#   - text: "No module named 'torch.{submodule:ident}'; 'torch' is not a package"
#     exception: ModuleNotFoundError
#     sample: "ModuleNotFoundError: No module named 'torch.nn'; 'torch' is not a package"
# tags: [import-error, notebook]
# recover: process
# needs: ["package:pip", "fault:a small wheel in place of torch's"]
# related: [install-env/torch-does-not-install, install-env/torch-missing-while-building]
# docs: ["https://pytorch.org/get-started/locally/"]
# causes:
#   portable:
#     case: other-python
#     if: paste("python_embeded", "python_embedded")
#     sample: |
#       D:\ComfyUI_windows_portable>.\python_embeded\python.exe -s ComfyUI\main.py
#       ModuleNotFoundError: No module named 'torch'
#   notebook:
#     case: other-python
#     if: paste("ipython-input-", "ipykernel", "Cell In[", "Input In [")
#     sample: |
#       ----> 1 import torch
#       Cell In[1], line 1
#       ModuleNotFoundError: No module named 'torch'
#   hidden:
#     if: paste("'torch' is not a package")
#   administrator:
#     likely: paste("sudo python", "sudo -H python")
#     sample: |
#       $ sudo python train.py
#       ModuleNotFoundError: No module named 'torch'
#   other-python:
#     undecided: which Python runs and which one has torch is not printed
# cases:
#   other-python:
#     commands:
#       shell: |
#         python -c "import sys; print(sys.executable)"  # the Python that your program runs with
#         python -m pip install torch torchvision        # this very Python's pip
#       powershell: |
#         python -c "import sys; print(sys.executable)"  # "py" if you start your programs with it
#         python -m pip install torch torchvision
#       notebook: "%pip install torch torchvision  # then restart the kernel"
#       comfyui: .\python_embeded\python.exe -s -m pip install -r ComfyUI\requirements.txt
#   hidden:
#     commands:
#       linux: mv torch.py my_torch.py
#       powershell: Rename-Item torch.py my_torch.py
#   administrator:
#     unbroken: "rights of an administrator"
#     commands:
#       linux: "sudo \"$(which python)\" train.py"
# ---

# %%
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

# Two Pythons on one machine, and a small wheel that stands for torch's.
for name in ("one", "other"):
    venv.create(name, symlinks=True)
Path("wheels").mkdir()
with zipfile.ZipFile("wheels/torch-2.13.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("torch/__init__.py", "__version__ = '2.13.0'\n")
    wheel.writestr("torch-2.13.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: torch\nVersion: 2.13.0\n")
    wheel.writestr("torch-2.13.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr("torch-2.13.0.dist-info/RECORD", "")


def pip(folder):
    """What `python -m pip install torch` does for the Python in a folder; here from the wheel alone."""
    command = [sys.executable, "-m", "pip", "--isolated", "--python", f"{folder}/bin/python", "install", "-q", "--no-index", "--find-links", "wheels", "torch"]
    subprocess.run(command, check=True)


def python(folder, program):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([f"{folder}/bin/python", "-c", program], capture_output=True, text=True, env=environment)
    return (done.stdout + done.stderr).strip()


# %% break other-python
pip("other")  # torch was installed, but for another Python
output = python("one", "import torch")
print(output)
assert "No module named 'torch'" in output

# %% check other-python
PROGRAM = """
import importlib.util
import sys

print(sys.prefix, importlib.util.find_spec("torch") is not None)
"""
pip("other")
for name in ("one", "other"):
    print(python(name, PROGRAM).replace(f"{os.getcwd()}/", ""))
assert python("one", PROGRAM).endswith("one False")
assert python("other", PROGRAM).endswith("other True")

# %% proof other-python
pip("other")
assert "No module named 'torch'" in python("one", "import torch")
pip("one")  # the pip of the Python that runs the program
assert python("one", "import torch; print(torch.__version__)") == "2.13.0"

# %% break hidden
Path("torch.py").write_text("print('my first network')\n")
pip("one")
output = python("one", "import torch.nn")
print(output)
assert "'torch' is not a package" in output

# %% check hidden
PROGRAM = """
import importlib.util

print(importlib.util.find_spec("torch").origin)
"""
Path("torch.py").write_text("print('my first network')\n")
pip("one")
print(python("one", PROGRAM))  # the file that `import torch` takes
assert python("one", PROGRAM).endswith("/torch.py")

# %% proof hidden
Path("torch.py").write_text("print('my first network')\n")
pip("one")
subprocess.run("mv torch.py my_torch.py", shell=True, check=True)
assert python("one", "import torch; print(torch.__version__)") == "2.13.0"

# %% proof administrator
Path("bin").mkdir()
Path("bin/sudo").write_text('#!/bin/sh\nPATH=/usr/bin:/bin exec "$@"\n')
Path("bin/sudo").chmod(0o755)
pip("one")
Path("train.py").write_text("import torch\nprint(torch.__version__)\n")
paths = [os.path.abspath(name) for name in ("one/bin", "bin")]
environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
environment["PATH"] = ":".join([*paths, environment["PATH"]])
done = subprocess.run(commands["linux"], shell=True, env=environment, capture_output=True, text=True)
assert done.stdout == "2.13.0\n", done.stderr
