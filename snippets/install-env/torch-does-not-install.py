# ---
# wordings:
#   - text: "Could not find a version that satisfies the requirement torch (from versions: {versions:line}"
#     sample: "ERROR: Could not find a version that satisfies the requirement torch (from versions: none)"
#   - text: "Could not find a version that satisfies the requirement torch=={version:path} (from versions: {versions:line}"
#     sample: "ERROR: Could not find a version that satisfies the requirement torch==2.1.2 (from versions: 2.2.0, 2.2.1, 2.2.2, 2.3.0, 2.4.0)"
#   - text: "Could not find a version that satisfies the requirement torch>={version:path} (from versions: {versions:line}"
#     sample: "ERROR: Could not find a version that satisfies the requirement torch>=2.6.0 (from versions: 1.4.0, 1.5.0, 2.4.1)"
#   - text: "Could not find a version that satisfies the requirement torch"
#     near: [requirement torch<, requirement torch~, requirement torch!, requirement torch>, requirement torch=, "requirement torch ", "requirement torch\n"]
#     unless: &family [torchm, torcht, torchd, torchs, torchi, torchc, torchg, torchr, torchx]
#   - text: "Could not find a version that satisfies the requirement torchvision"
#   - text: "Could not find a version that satisfies the requirement torchaudio"
#   - text: "No matching distribution found for torch"
#     unless: [for torchm, for torcht, for torchd, for torchs, for torchi, for torchc, for torchg, for torchr, for torchx, for torch-, for torch_, "requirement torch=", "requirement torch>", "requirement torch "]
#   - text: "we only found wheels for `torch` (v{version:path}) with the following"
#     sample: "hint: You require CPython 3.13 (`cp313`), but we only found wheels for `torch` (v2.1.2) with the following Python ABI tags: `cp38`, `cp39`, `cp310`, `cp311`"
#   - text: "torch=={version:path} has no wheels with a matching"
#     sample: "Because torch==2.9.1+rocm6.3 has no wheels with a matching platform tag (e.g., `win_amd64`) and you require torch==2.9.1+rocm6.3, we can conclude that your requirements are unsatisfiable."
#   - text: "torch-{file:path} is not a supported wheel on this platform"
#     sample: "ERROR: torch-2.1.2+cu121-cp310-cp310-win_amd64.whl is not a supported wheel on this platform."
#   - text: "PyTorch does not currently provide packages for PyPI"
#     exception: RuntimeError
#   - text: "You tried to install \"pytorch\". The package named for PyTorch is \"torch\""
#     exception: Exception
#   - text: "No module named 'tools.setup_helpers'"
#     exception: [ImportError, ModuleNotFoundError]
#     near: [pytorch, torch]
#   - text: "No module named 'tools.nnwrap'"
#     exception: [ImportError, ModuleNotFoundError]
#   - text: "RuntimeError: Couldn't install torch"
#     role: symptom
#     exception: RuntimeError
# tags: [build, import-error]
# recover: fix
# needs: ["package:pip", "fault:small wheels in place of torch's"]
# related: [install-env/no-module-named-torch, install-env/torch-missing-while-building]
# docs: ["https://pytorch.org/get-started/previous-versions/"]
# causes:
#   none:
#     if: begins(versions, "none") or paste("is not a supported wheel", "we only found wheels for")
#     likely: paste("has no wheels with a matching")
#   amd-windows:
#     if: paste("+rocm", "whl/rocm") and paste("win_amd64")
#     sample: "Because torch==2.9.1+rocm6.3 has no wheels with a matching platform tag (e.g., `win_amd64`) and you require torch==2.9.1+rocm6.3"
#   release-too-old:
#     if: >-
#       not paste("download.pytorch.org", "+cu1", "+cpu", "+rocm") and (begins(version, "0.", "1.0", "1.1.", "1.2.", "1.3.", "1.4.", "1.5.", "1.6.", "1.7.", "1.8.", "1.9.") and begins(versions, "1.11", "1.12", "1.13", "2.")
#       or begins(version, "1.") and begins(versions, "2.")
#       or begins(version, "2.0", "2.1.") and begins(versions, "2.2", "2.3", "2.4", "2.5", "2.6", "2.7", "2.8", "2.9", "2.10", "2.11", "2.12", "2.13", "2.14", "2.15")
#       or begins(version, "2.2", "2.3", "2.4") and begins(versions, "2.5", "2.6", "2.7", "2.8", "2.9", "2.10", "2.11", "2.12", "2.13", "2.14", "2.15")
#       or begins(version, "2.5", "2.6", "2.7", "2.8") and begins(versions, "2.9", "2.10", "2.11", "2.12", "2.13", "2.14", "2.15"))
#     likely: >-
#       begins(version, "0.", "1.") and begins(versions, "2.") or begins(version, "1.0", "1.1.",
#       "1.2.", "1.4.", "1.5.", "1.6.", "1.7.", "1.8.", "1.9.", "1.10", "1.11", "1.12") and
#       begins(versions, "1.13")
#   index-tag:
#     if: paste("+cu116 (from", "+cu117 (from", "+cu118 (from", "+cu121 (from", "+cu124 (from", "+cu126 (from", "+cu128 (from", "+cu129 (from", "+cu130 (from", "+cpu (from", "+cu113 (from", "+cu111 (from", "+cu102 (from") and not paste("https://download.pytorch.org/whl", "+cu102,", "+cu111,", "+cu113,", "+cu116,", "+cu117,", "+cu118,", "+cu121,", "+cu124,", "+cu126,", "+cu128,", "+cpu,")
#   pytorch:
#     if: paste("Collecting pytorch", "You tried to install \"pytorch\"", "No matching distribution found for pytorch", "pytorch-0.1", "install pytorch ")
#     sample: |
#       Collecting pytorch
#       Exception: You tried to install "pytorch". The package named for PyTorch is "torch"
#   bits-32:
#     case: none
#     if: >-
#       paste("torch-0.1.2", "tools.nnwrap", "does not currently provide packages for PyPI",
#       "-32\\", "win32.whl", "(win32)", "32 bit (Intel)] on win32")
#     sample: "ModuleNotFoundError: No module named 'tools.nnwrap'"
#   index-lacks:
#     case: index-tag
#     likely: 'paste("Looking in indexes: https://download.pytorch.org/whl", "Looking in links: https://download.pytorch.org/whl", "+cu117,", "+cu118,", "+cu121,", "+cu124,", "+cu126,", "+cu128,") and not begins(versions, "none")'
#     sample: |
#       Looking in indexes: https://download.pytorch.org/whl/test/cu124
#       ERROR: Could not find a version that satisfies the requirement torch==2.5.1 (from versions: 2.4.0+cu124, 2.4.1+cu124)
#   python-too-old:
#     likely: begins(version, "2.") and begins(versions, "0.", "1.0.", "1.1.", "1.2.", "1.3.", "1.4.", "1.7.1", "1.8.0")
#     case: none
#     sample: "ERROR: Could not find a version that satisfies the requirement torch==2.9.0 (from versions: 1.7.1, 1.8.0, 2.7.1, 2.8.0)"
#   disk:
# cases:
#   release-too-old:
#     commands:
#       shell: |
#         python -m pip install torch torchvision     # the newest for your Python, if any torch will do
#         uv venv --python 3.11 .venv                 # or an older Python, for the release that was asked for
#         uv pip install --python .venv torch==2.1.2
#       powershell: |
#         python -m pip install torch torchvision     # the newest for your Python, if any torch will do
#         py -3.11 -m venv .venv                      # or an older Python, which must be installed
#         .venv\Scripts\python -m pip install torch==2.1.2
#   index-tag:
#     commands:
#       shell: python -m pip install torch==2.13.0 torchvision --index-url https://download.pytorch.org/whl/cu126
#       notebook: "%pip install torch==2.13.0 torchvision --index-url https://download.pytorch.org/whl/cu126"
#   none:
#     wrong: {renamed: "https://github.com/pytorch/pytorch/issues/574"}
#     commands:
#       linux: |
#         uv venv --python 3.12 .venv  # or: conda create -n torch python=3.12
#         uv pip install --python .venv torch torchvision
#       powershell: |
#         py -3.12 -m venv .venv  # the 64-bit Python 3.12 of python.org
#         .venv\Scripts\python -m pip install torch torchvision
# ---

# %%
import platform
import struct
import subprocess
import sys
import zipfile
from pathlib import Path


def wheel(folder, version, python="py3"):
    """A wheel that says of itself what one of torch's says: its version, and for which Python it was built."""
    Path(folder).mkdir(exist_ok=True)
    with zipfile.ZipFile(f"{folder}/torch-{version}-{python}-none-any.whl", "w") as made:
        made.writestr(f"torch-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n")
        made.writestr(f"torch-{version}.dist-info/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {python}-none-any\n")
        made.writestr(f"torch-{version}.dist-info/RECORD", "")


def pip(*arguments, index="index"):
    """The real pip, with a folder of wheels for an index; what it printed."""
    command = [sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "download", "--no-deps", "--no-index", "--find-links", index]
    done = subprocess.run([*command, "-d", "got", *arguments], capture_output=True, text=True)
    return done.stdout + done.stderr


# %%
wheel("index", "2.1.2", "cp38")  # the old release has wheels for old Pythons alone
wheel("index", "2.13.0")

# %% break release-too-old
print(pip("torch==2.1.2"))

# %% check release-too-old
# behind "from versions" stand all releases that there are for this Python
COMMAND = "python -m pip install torch==0"
output = pip(*COMMAND.split()[4:])
print(sys.version.split()[0])
print(output.split("from versions: ")[1].split(")")[0])
assert "from versions: 2.13.0)" in output

# %% proof release-too-old
assert "Saved ./got/torch-2.13.0" in pip("torch")
older = ("--python-version", "3.8", "--only-binary", ":all:")  # as an older Python would ask
assert "Saved ./got/torch-2.1.2" in pip("torch==2.1.2", *older)

# %%
wheel("cuda", "2.13.0+cu126")

# %% break index-tag
print(pip("torch==2.13.0+cu126"))

# %% check index-tag
# the first line names the indexes in which pip looks
COMMAND = "python -m pip install torch==2.13.0+cu126"
output = pip(*COMMAND.split()[4:])
print(output.splitlines()[0])
assert "index" in output.splitlines()[0] and "2.13.0" in output

# %% proof index-tag
assert "Saved ./got/torch-2.13.0+cu126" in pip("torch==2.13.0", index="cuda")
assert "No matching distribution" in pip("torch==2.12.0", index="cuda")  # it must be there, too

# %%
for file in Path("index").iterdir():
    file.unlink()
wheel("index", "2.13.0", "cp38")

# %% break none
print(pip("torch"))

# %% check none
print(platform.python_version(), struct.calcsize("P") * 8, "bit")
print(platform.system(), platform.machine(), *platform.libc_ver())
assert "from versions: none" in pip("torch")

# %% proof none
fitting = ("--python-version", "3.8", "--only-binary", ":all:")  # as a Python for which there is one
assert "Saved ./got/torch-2.13.0" in pip("torch", *fitting)

# %% wrong renamed
# The wheel renamed, as if it were for this Python: pip installs it, but the compiled part inside is
# for the other Python, and is not found.
WHEEL, RENAMED = "torch-2.13.0-cp38-none-any.whl", "torch-2.13.0-py3-none-any.whl"
with zipfile.ZipFile(f"index/{WHEEL}", "a") as other:
    other.writestr("torch/__init__.py", "from torch._C import *\n")
    other.writestr("torch/_C.cpython-38-x86_64-linux-gnu.so", "")  # for 3.8
Path(f"index/{WHEEL}").rename(RENAMED)
install = [sys.executable, "-m", "pip", "-q", "install", "--target", "site"]
subprocess.run([*install, RENAMED], check=True)
PROGRAM = "import sys; sys.path.insert(0, 'site'); import torch"
use = [sys.executable, "-c", PROGRAM]
said = subprocess.run(use, capture_output=True, text=True).stderr
print(said.splitlines()[-1])
assert "No module named 'torch._C'" in said
