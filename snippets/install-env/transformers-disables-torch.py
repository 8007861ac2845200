# ---
# wordings:
#   - text: "Disabling PyTorch because PyTorch >= {need:num} is required but found {found:ident}"
#     role: symptom
#     sample: "Disabling PyTorch because PyTorch >= 2.1 is required but found 2.0.1+cu117"
#   - text: "Disabling PyTorch because USE_TF is set"
#     role: symptom
#   - text: "None of PyTorch, TensorFlow >= 2.0, or Flax have been found"
#     role: symptom
#   - text: "None of PyTorch, TensorFlow >= 2.0, Flax have been found"
#     role: symptom
#   - text: "Neither PyTorch nor TensorFlow >= 2.0 have been found"
#     role: symptom
#   - text: "PyTorch was not found. Models won't be available and only tokenizers"
#     role: symptom
#   - text: "requires the PyTorch library but it was not found in your environment"
#     exception: ImportError
#   - text: "requires PyTorch >= {need:num}, but PyTorch was not found or an older version is installed"
#     exception: ImportError
#     sample: "ImportError: AutoModel requires PyTorch >= 2.6, but PyTorch was not found or an older version is installed."
#   - text: "At least one of TensorFlow 2.0 or PyTorch should be installed"
#     exception: RuntimeError
#   - text: "name 'nn' is not defined"
#     exception: NameError
#     near: [transformers.integrations, transformers.modeling_utils, transformers/integrations, 'transformers\integrations', transformers/modeling_utils.py, 'transformers\modeling_utils.py']
#   - text: "name 'torch' is not defined"
#     exception: NameError
#     near: [transformers.integrations, transformers.modeling_utils, transformers/integrations, 'transformers\integrations', transformers/modeling_utils.py, 'transformers\modeling_utils.py', Disabling PyTorch]
# tags: [import-error, transformer]
# recover: process
# needs: ["package:pip", "fault:small packages in place of torch and transformers"]
# outranks: [no-module-named-torch]
# related: [install-env/no-module-named-torch, checkpoints/torch-load-cve-26, install-env/numpy-abi]
# docs: ["https://huggingface.co/docs/transformers/installation"]
# causes:
#   too-old:
#     likely: >-
#       paste("Disabling PyTorch because PyTorch >=") or (paste("name 'nn' is not defined") and frames("transformers"))
#   variable:
#     if: paste("USE_TF is set", "USE_TORCH")
#     sample: "Disabling PyTorch because USE_TF is set"
#   broken:
#     if: paste("A module that was compiled using NumPy 1.x", "_ARRAY_API not found", "WinError 126", "WinError 127", "WinError 1114")
#     sample: |
#       A module that was compiled using NumPy 1.x cannot be run in NumPy 2.1.3
#       ImportError: AutoModel requires the PyTorch library but it was not found in your environment.
#   no-torch:
#     likely: paste("been found", "was not found", "should be installed")
#   older-transformers:
#     undecided: whether torch can be upgraded is not in the text
# cases:
#   too-old:
#     commands:
#       shell: python -m pip install -U torch torchvision --index-url https://download.pytorch.org/whl/cu126  # or …/cpu
#       notebook: "%pip install -U torch torchvision  # then restart the kernel"
#   older-transformers:
#     commands:
#       shell: python -m pip install "transformers<4.52"
#       notebook: "%pip install \"transformers<4.52\"  # then restart the kernel"
#   no-torch:
#     commands:
#       shell: python -m pip install torch  # the python that starts your program
#       notebook: "%pip install torch  # then restart the kernel"
# timeout: 120
# ---

# %%
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

# What transformers does when it is imported: look for torch and its release, and go on without it. 4.51 took any release.
HUB = '''
import sys
from importlib.metadata import PackageNotFoundError, version

try:
    found = version("torch")
except PackageNotFoundError:
    found = None
if found and tuple(map(int, found.split(".")[:2])) < (2, 1):
    print(f"Disabling PyTorch because PyTorch >= 2.1 is required but found {found}", file=sys.stderr)
    found = None
if not found:
    print(
        "None of PyTorch, TensorFlow >= 2.0, or Flax have been found. Models won't be available and only tokenizers, "
        "configuration and file/data utilities can be used.", file=sys.stderr
    )


class AutoModel:
    def from_pretrained(name):
        if not found:
            raise ImportError("\\nAutoModel requires the PyTorch library but it was not found in your environment.")
        return f"{name}, on torch {found}"
'''
venv.create("env", symlinks=True)


def wheel(name, version, **files):
    Path("wheels").mkdir(exist_ok=True)
    with zipfile.ZipFile(f"wheels/{name}-{version}-py3-none-any.whl", "w") as made:
        for file, content in files.items():
            made.writestr(f"{name}/{file}.py", content)
        made.writestr(f"{name}-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        made.writestr(f"{name}-{version}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        made.writestr(f"{name}-{version}.dist-info/RECORD", "")


def pip(*arguments):
    command = [sys.executable, "-m", "pip", "--isolated", "-q", "--python", "env/bin/python", "install", "--no-index", "--find-links", "wheels"]
    subprocess.run([*command, *arguments], check=True)


def python(program):
    done = subprocess.run(["env/bin/python", "-c", program], capture_output=True, text=True)
    return (done.stdout + done.stderr).replace(f"{os.getcwd()}/", "").strip()


for version in ("2.0.1", "2.7.1"):
    wheel("torch", version, __init__="")
wheel("transformers", "4.57.6", __init__=HUB)
wheel("transformers", "4.51.3", __init__=HUB.replace("(2, 1)", "(0, 0)"))
MODEL = "from transformers import AutoModel; print(AutoModel.from_pretrained('a-model'))"

# %%
pip("torch==2.0.1", "transformers==4.57.6")

# %% break too-old
print(python(MODEL))

# %% check too-old
PROGRAM = """
from importlib.metadata import version

print("torch", version("torch"), "transformers", version("transformers"))
"""
print(python(PROGRAM))
assert python(PROGRAM) == "torch 2.0.1 transformers 4.57.6"

# %% proof too-old
pip("-U", "torch")
assert python(MODEL) == "a-model, on torch 2.7.1"

# %% break older-transformers
print(python(MODEL))

# %% proof older-transformers
pip("transformers<4.52")
assert python(MODEL) == "a-model, on torch 2.0.1"

# %%
subprocess.run([sys.executable, "-m", "pip", "--isolated", "-q", "--python", "env/bin/python", "uninstall", "-y", "torch"], check=True)

# %% break no-torch
print(python(MODEL))

# %% check no-torch
PROGRAM = "import torch"
print(python(PROGRAM).splitlines()[-1])
assert "No module named 'torch'" in python(PROGRAM)

# %% proof no-torch
pip("torch")
assert python(MODEL) == "a-model, on torch 2.7.1"
