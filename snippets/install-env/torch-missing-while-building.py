# ---
# wordings:
#   - text: "No module named 'torch'"
#     exception: [ModuleNotFoundError, ImportError]
#     near: ["Getting requirements to build", "Failed building wheel", "Building wheel for", "Preparing metadata", bdist_wheel, pip-build-env, pip-install-, get_requires_for_build, build_meta, egg_info, subprocess-exited-with-error, "This error originates from a subprocess", "Failed to build", builds-v0, "install flash", setup.py]
#     sample: |
#       Getting requirements to build wheel did not run successfully.
#         File "attention/backend.py", line 6, in get_requires_for_build_wheel
#           import torch
#       ModuleNotFoundError: No module named 'torch'
#   - text: "No module named torch"
#     exception: ImportError
#     near: ["Getting requirements to build", "Failed building wheel", "Building wheel for", "Preparing metadata", bdist_wheel, pip-build-env, pip-install-, get_requires_for_build, build_meta, egg_info, setup.py]
#     unless: [named torch., named torch_, named torch-, named torcha, named torchb, named torchc, named torchd, named torche, named torchf, named torchg, named torchi, named torchl, named torchm, named torchn, named torcho, named torchp, named torchr, named torchs, named torcht, named torchv, named torchx]
#   - text: "No Module Named 'torch'"
#     near: [pip install, setup.py, "Getting requirements to build"]
#   - text: "Getting requirements to build wheel did not run successfully"
#     role: symptom
#     near: ["named 'torch'", "named torch"]
#   - text: "depends on `torch`, but doesn't declare it as a build dependency"
#     sample: "hint: This error likely indicates that `flash-attn@2.7.4.post1` depends on `torch`, but doesn't declare it as a build dependency."
# tags: [build, cpp-extension, import-error]
# recover: fix
# needs: ["package:pip", "package:setuptools"]
# related: [install-env/no-module-named-torch, install-env/extension-compile]
# docs: ["https://pip.pypa.io/en/stable/cli/pip_install/#cmdoption-no-build-isolation"]
# causes:
#   isolated:
#     if: paste("Installing build dependencies", "Getting requirements to build", "get_requires_for_build", "pip-build-env", "builds-v0", "declare it as a build dependency")
#   not-yet:
#     if: paste("egg_info", "Preparing metadata (setup.py)") and not paste("Installing build dependencies", "pip-build-env")
#     likely: paste("Preparing metadata", "prepare_metadata_for_build")
#     sample: "Preparing metadata (setup.py): finished with status 'error'\nModuleNotFoundError: No module named 'torch'"
# timeout: 120
# cases:
#   isolated:
#     wrong: {torch-first: "https://github.com/Dao-AILab/flash-attention/issues/1421"}
#     commands:
#       shell: |
#         python -m pip install torch setuptools wheel packaging ninja
#         python -m pip install --no-build-isolation flash-attn
#         # with uv:
#         uv pip install torch setuptools wheel packaging ninja
#         uv pip install --no-build-isolation flash-attn
#       notebook: |
#         %pip install torch setuptools wheel packaging ninja
#         %pip install --no-build-isolation flash-attn
#   not-yet:
#     commands:
#       shell: |
#         python -m pip install torch setuptools wheel packaging ninja  # a command of its own, before the rest
#         python -m pip install --no-build-isolation -r requirements.txt
# ---

# %%
import os
import subprocess
import sys
import venv
from pathlib import Path

# A package like flash-attn: its build imports torch, and does not say that it needs it.
Path("attention").mkdir()
Path("attention/pyproject.toml").write_text("""
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
""")
Path("attention/backend.py").write_text("""
import zipfile


def get_requires_for_build_wheel(settings=None):
    import torch

    return []


def build_wheel(folder, settings=None, metadata=None):
    import torch

    with zipfile.ZipFile(f"{folder}/attention-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("attention.py", f"built_for = {torch.__version__!r}\\n")
        wheel.writestr("attention-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: attention\\nVersion: 1.0\\n")
        wheel.writestr("attention-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("attention-1.0.dist-info/RECORD", "")
    return "attention-1.0-py3-none-any.whl"


def prepare_metadata_for_build_wheel(folder, settings=None):
    import torch
    from pathlib import Path

    Path(folder, "attention-1.0.dist-info").mkdir()
    Path(folder, "attention-1.0.dist-info/METADATA").write_text("Metadata-Version: 2.1\\nName: attention\\nVersion: 1.0\\n")
    return "attention-1.0.dist-info"
""")


def pip(*arguments):
    """The real pip, without a network; what it printed."""
    command = [sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", *arguments, "--no-index", "--no-cache-dir"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    return done.returncode, (done.stdout + done.stderr).replace(f"{os.getcwd()}/", "")


# %% break isolated
failed, output = pip("wheel", "./attention")  # this Python has torch
print(output)
sys.exit("pip failed" if failed else None)

# %% check isolated
# torch is here, and pip gets requirements: it built in isolation
COMMAND = """
python -c "import torch; print('torch is here')"
python -m pip wheel ./attention
"""
where = {"PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
where |= {"PIP_NO_INDEX": "1", "PIP_NO_CACHE_DIR": "1", "PYTHONDONTWRITEBYTECODE": "1"}
where = {**os.environ, **where}
done = subprocess.run(COMMAND, shell=True, env=where, capture_output=True, text=True)
lines = (done.stdout + done.stderr).splitlines()
print(lines[0])
print(next(line.strip() for line in lines if "Getting requirements" in line))
assert done.returncode and lines[0] == "torch is here"

# %% proof isolated
failed, output = pip("wheel", "--no-build-isolation", "./attention")
assert not failed, output
import zipfile

import torch

with zipfile.ZipFile("attention-1.0-py3-none-any.whl") as wheel:
    assert wheel.read("attention.py").decode() == f"built_for = {torch.__version__!r}\n"  # the torch of this Python

# %% wrong torch-first
# `pip install torch` before it, or once more: torch is here. The build runs in a folder of its own,
# into which pip puts only what the package asks for.
failed, output = pip("install", "--no-deps", "torch")
assert not failed and "already satisfied: torch" in output
failed, output = pip("wheel", "./attention")
print(output[output.index("ModuleNotFoundError") :].splitlines()[0])
assert failed and "No module named 'torch'" in output

# %%
venv.create("env", symlinks=True)  # a Python without torch
INTO = ("--python", "env/bin/python", "install", "--no-build-isolation", "--no-deps")

# %% break not-yet
failed, output = pip(*INTO, "./attention")
print(output)
sys.exit("pip failed" if failed else None)

# %% check not-yet
program = """
from importlib.util import find_spec
print(find_spec("torch") is not None)
"""
command = ["env/bin/python", "-c", program]
found = subprocess.run(command, capture_output=True, text=True).stdout
print(found)  # False: pip got this far before anything was installed
assert found == "False\n"

# %% proof not-yet
import torch

place = subprocess.run(["env/bin/python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], capture_output=True, text=True).stdout.strip()
Path(place, "torch.pth").write_text(f"{Path(torch.__file__).parent.parent}\n")  # torch comes first, here from the Python that has it
failed, output = pip(*INTO, "./attention")
assert not failed, output
