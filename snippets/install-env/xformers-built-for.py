# ---
# wordings:
#   - text: "xFormers can't load C++/CUDA extensions. xFormers was built for"
#     sample: |
#       WARNING[XFORMERS]: xFormers can't load C++/CUDA extensions. xFormers was built for:
#           PyTorch 2.10.0+cu128 with CUDA 1208 (you have 2.7.1+cu126)
#   - text: "PyTorch {built:path} with CUDA {cuda:ident} (you have {have:path})"
#     near: [xFormers, xformers, XFORMERS]
#     sample: "    PyTorch 2.6.0+cu124 with CUDA 1204 (you have 2.7.1+cu126)"
#   - text: "xFormers can't load C++/CUDA extensions"
#   - text: "xFormers was built for a different version of PyTorch or Python"
#   - text: "Need to compile C++ extensions to use all xFormers features"
#     role: symptom
#   - text: "xFormers is not available or not built"
#     role: symptom
# tags: [transformer, cpp-extension, import-error, comfyui]
# recover: process
# needs: ["package:xformers", "package:pip", "fault:a PyTorch that says it is another release, and small wheels in place of torch and xformers"]
# related: [devices/flash-attention-unsupported, install-env/undefined-symbol, install-env/not-compiled-with-cuda]
# docs: ["https://github.com/facebookresearch/xformers#installing-xformers"]
# outranks: [flash-attention-unsupported]
# timeout: 120
# causes:
#   other-torch:
#     if: built != have and not paste("+cpu)")
#   cpu-torch:
#     if: paste("+cpu)")
#     sample: "    PyTorch 2.1.2+cu121 with CUDA 1201 (you have 2.1.2+cpu)\nxFormers was built for:"
#   same:
#     if: built == have
#     sample: "    PyTorch 2.0.1 with CUDA 1106 (you have 2.0.1)\nxFormers was built for:"
#   unneeded:
# cases:
#   other-torch:
#     commands:
#       linux: |
#         python -c "from importlib.metadata import version; print('torch==' + version('torch'))" > torch.txt
#         python -m pip uninstall -y xformers
#         python -m pip install xformers -c torch.txt --no-cache-dir  # torch itself stays as it is
#         python -m xformers.info
#       powershell: |
#         python -c "from importlib.metadata import version; print('torch==' + version('torch'))" | Set-Content torch.txt
#         python -m pip uninstall -y xformers
#         python -m pip install xformers -c torch.txt --no-cache-dir
#         python -m xformers.info
#       comfyui: |
#         # portable, in the folder ComfyUI_windows_portable: ComfyUI does not need xFormers
#         .\python_embeded\python.exe -m pip uninstall -y xformers
# ---

# %%
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import torch

torch.__version__ = "2.7.1+cu126"  # what another release would say

# %% break other-torch
import xformers.ops

# %% check other-torch
import json
from importlib.metadata import files

(at,) = [file for file in files("xformers") if file.name == "cpp_lib.json"]
built = json.loads(at.read_text())["version"]
print(torch.__version__, built["torch"])  # yours, and the one it was built for
assert built["torch"] != torch.__version__

# %% proof other-torch
# Small wheels that ask for the torch that the real ones ask for.
Path("wheels").mkdir()
for name, version, needs in [
    ("torch", "2.7.1", ""),
    ("torch", "2.10.0", ""),
    ("xformers", "0.0.30", "torch==2.7.0"),
    ("xformers", "0.0.31", "torch==2.7.1"),
    ("xformers", "0.0.34", "torch==2.10.0"),
    ("xformers", "0.0.35", "torch>=2.10"),
]:
    with zipfile.ZipFile(f"wheels/{name}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}.py", "")
        wanted = f"Requires-Dist: {needs}\n" if needs else ""
        wheel.writestr(f"{name}-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{wanted}")
        wheel.writestr(f"{name}-{version}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{name}-{version}.dist-info/RECORD", "")
venv.create("env", symlinks=True)


def pip(*arguments):
    command = [sys.executable, "-m", "pip", "--isolated", "-q", "--python", "env/bin/python", *arguments]
    subprocess.run(command, check=True)


def has(name):
    program = f"from importlib.metadata import version; print(version({name!r}))"
    return subprocess.run(["env/bin/python", "-c", program], capture_output=True, text=True).stdout.strip()


pip("install", "--no-index", "--find-links", "wheels", "torch==2.7.1")
Path("torch.txt").write_text(f"torch=={has('torch')}")
pip("install", "--no-index", "--find-links", "wheels", "xformers", "-c", "torch.txt")
assert (has("torch"), has("xformers")) == ("2.7.1", "0.0.31")
# without the constraint, torch is replaced
pip("uninstall", "-y", "xformers")
pip("install", "--no-index", "--find-links", "wheels", "xformers")
assert (has("torch"), has("xformers")) == ("2.10.0", "0.0.35")
