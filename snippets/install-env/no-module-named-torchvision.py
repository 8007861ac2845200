# ---
# wordings:
#   - text: "No module named 'torchvision'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named torchvision"
#     exception: ImportError
#     unless: [named torchvision.]
#   - text: "No module named 'torchaudio'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'torchvision.{submodule:ident}'; 'torchvision' is not a package"
#     exception: ModuleNotFoundError
#     sample: "ModuleNotFoundError: No module named 'torchvision.models'; 'torchvision' is not a package"
# tags: [import-error]
# recover: process
# needs: ["package:pip", "fault:small wheels in place of torch and torchvision"]
# related: [install-env/no-module-named-torch, install-env/torchvision-nms]
# docs: ["https://docs.pytorch.org/vision/stable/"]
# causes:
#   not-installed:
#     undecided: whether it is in another Python, or in none, is not printed
#   hidden:
#     if: paste("'torchvision' is not a package")
#     sample: "ModuleNotFoundError: No module named 'torchvision.models'; 'torchvision' is not a package"
#   no-wheel:
# cases:
#   not-installed:
#     commands:
#       linux: |
#         python -c "from importlib.metadata import version; print('torch==' + version('torch'))" > torch.txt
#         python -m pip install torchvision torchaudio -c torch.txt  # torch itself stays as it is
#       powershell: |
#         python -c "from importlib.metadata import version; print('torch==' + version('torch'))" | Set-Content torch.txt
#         python -m pip install torchvision torchaudio -c torch.txt
#       notebook: |
#         import torch
#         %pip install torchvision torchaudio torch=={torch.__version__}
#   hidden:
#     commands:
#       linux: |
#         mv torchvision.py my_models.py
#         rm -rf __pycache__
#       powershell: |
#         Rename-Item torchvision.py my_models.py
#         Remove-Item -Recurse __pycache__
# timeout: 120
# ---

# %%
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

# An environment that has torch and nothing else, and small wheels that say of themselves what the real ones say.
venv.create("env", symlinks=True)
Path("wheels").mkdir()
for name, version, needs in [
    ("torch", "2.12.0", ""),
    ("torch", "2.13.0", ""),
    ("torchvision", "0.27.0", "Requires-Dist: torch==2.12.0\n"),
    ("torchvision", "0.28.0", "Requires-Dist: torch==2.13.0\n"),
]:
    with zipfile.ZipFile(f"wheels/{name}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}/__init__.py", f"__version__ = {version!r}\n")
        wheel.writestr(f"{name}-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}")
        wheel.writestr(f"{name}-{version}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{name}-{version}.dist-info/RECORD", "")


def pip(*arguments):
    command = [sys.executable, "-m", "pip", "--isolated", "-q", "--python", "env/bin/python", "install", "--no-index", "--find-links", "wheels"]
    subprocess.run([*command, *arguments], check=True)


def python(program):
    done = subprocess.run(["env/bin/python", "-c", program], capture_output=True, text=True)
    return (done.stdout + done.stderr).strip()


pip("torch==2.12.0")

# %% break not-installed
output = python("import torchvision")
print(output)
assert "No module named 'torchvision'" in output

# %% check not-installed
PROGRAM = """
from importlib.util import find_spec

print([name for name in ("torch", "torchvision") if find_spec(name)])
"""
print(python(PROGRAM))
assert python(PROGRAM) == "['torch']"

# %% proof not-installed
VERSION = "from importlib.metadata import version; print('torch==' + version('torch'))"
Path("torch.txt").write_text(python(VERSION))
pip("torchvision", "-c", "torch.txt")
assert python("import torch, torchvision; print(torch.__version__, torchvision.__version__)") == "2.12.0 0.27.0"  # and not a newer torch

# %% break hidden
pip("torchvision==0.27.0")
Path("torchvision.py").write_text("models = {}\n")  # a file of one's own
print(python("import torchvision.models"))

# %% proof hidden
pip("torchvision==0.27.0")
Path("torchvision.py").write_text("models = {}\n")
assert "'torchvision' is not a package" in python("import torchvision.models")
subprocess.run(commands["linux"], shell=True)
assert python("import torchvision; print(torchvision.__version__)") == "0.27.0"
assert Path("my_models.py").exists() and not Path("__pycache__").exists()
