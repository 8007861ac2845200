# ---
# wordings:
#   - text: "Cannot find a working triton installation"
#   - text: "TritonMissing:"
#     exception: TritonMissing
#   - text: "No module named 'triton'"
#     exception: [ModuleNotFoundError, ImportError]
#     role: symptom
#     unless: [TritonContext, tritonclient]
#   - text: "No module named 'triton.{part:ident}'"
#     exception: [ModuleNotFoundError, ImportError]
#     role: symptom
#     unless: [TritonContext, tritonclient]
#     sample: "ModuleNotFoundError: No module named 'triton.ops'\nimport triton"
#   - text: "A matching Triton is not available, some optimizations will not be enabled"
#     role: symptom
#   - text: "Triton is not available, some optimizations will not be enabled"
#     role: symptom
#   - text: "triton not found; flop counting will not work for triton kernels"
#     role: symptom
#   - text: "Could not find a version that satisfies the requirement triton"
#     unless: [tritonclient]
#   - text: "No matching distribution found for triton"
#     unless: [for tritonclient]
# tags: [compile, import-error, comfyui]
# recover: process
# needs: ["fault:a GPU that PyTorch sees and no working Triton"]
# related: [compile-export/triton-compile-failed, compile-export/triton-out-of-resource]
# docs: ["https://docs.pytorch.org/docs/stable/user_guide/torch_compiler/torch.compiler_troubleshooting.html"]
# timeout: 120
# causes:
#   warning:
#     if: paste("some optimizations will not be enabled", "flop counting will not work") and not paste("working triton installation", "No module named 'triton")
#     sample: "A matching Triton is not available, some optimizations will not be enabled"
#   other-release:
#     if: read(part)
#     sample: "ModuleNotFoundError: No module named 'triton.ops'\nimport triton"
#   windows:
#     if: paste('File "C:', 'File "D:', 'File "E:', 'File "F:', 'File "G:', "python_embeded", "site-packages\\torch", "win_amd64")
#     undecided: it was run on Linux
#     sample: "  File \"D:\\ComfyUI_windows_portable\\python_embeded\\Lib\\site-packages\\torch\\_inductor\\scheduler.py\", line 3957, in create_backend\n    raise TritonMissing(inspect.currentframe())\ntorch._inductor.exc.TritonMissing: Cannot find a working triton installation."
#   linux:
#     likely: paste("/site-packages/torch/", "/dist-packages/torch/", "/home/", "/root/", "/opt/conda")
#     sample: "  File \"/opt/conda/lib/python3.10/site-packages/torch/_inductor/scheduler.py\", line 1, in create_backend\n    raise RuntimeError(\nRuntimeError: Cannot find a working triton installation."
#     undecided: the system does not stand in the last lines
#   without:
# cases:
#   windows:
#     needs: ["package:triton"]
#     commands:
#       powershell: |
#         python -c "import torch; print(torch.__version__)"
#         python -m pip uninstall -y triton
#         python -m pip install --upgrade "triton-windows<3.7"   # for torch 2.10; the table names yours
#       comfyui: |
#         # portable, in the folder ComfyUI_windows_portable
#         .\python_embeded\python.exe -c "import torch; print(torch.__version__)"
#         .\python_embeded\python.exe -m pip install --upgrade "triton-windows<3.7"
#         # or take the torch.compile node out of the workflow
#   linux:
#     needs: ["package:pip"]
#     commands:
#       linux: |
#         # the release that this torch asks for, say triton==3.6.0
#         python -c "from importlib.metadata import requires; print([r for r in requires('torch') if 'triton' in r])"
#         python -m pip install --force-reinstall --no-deps triton==3.6.0
#         python -c "import triton; print(triton.__version__)"
#       notebook: "%pip install --force-reinstall --no-deps triton==3.6.0"
# ---

# %%
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
# What torch.compile's backend does first, on a machine with an RTX 30.
Path("begin.py").write_text("""
from types import SimpleNamespace

import torch
from torch._inductor.codegen.common import init_backend_registration
from torch._inductor.scheduler import Scheduler
from torch._inductor.virtualized import V

gpu = SimpleNamespace(name="NVIDIA GeForce RTX 3090", major=8, minor=6)
torch.cuda.is_available = lambda: True
torch.cuda.get_device_properties = lambda device=None: gpu
from torch._dynamo.device_interface import CudaInterface

CudaInterface.Worker.get_device_properties = staticmethod(lambda device=None: gpu)
CudaInterface.is_available = staticmethod(lambda: True)


init_backend_registration()
with V.set_graph_handler(SimpleNamespace(add_device_info=lambda device: None)):
    try:
        Scheduler.create_backend(SimpleNamespace(), torch.device("cuda", 0))
    except AttributeError:
        pass  # there is no graph to compile here
print("goes on")
""")
# No Triton, whatever this machine has: a folder of that name without the package's files, as a failed uninstall leaves it.
Path("none/triton").mkdir(parents=True)
Path("none/triton/__init__.py").write_text("from triton import language\n")


def begin(folder):
    paths = os.pathsep.join(filter(None, [folder, os.getcwd()]))
    done = subprocess.run([sys.executable, "begin.py"], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": paths})
    return done.returncode, done.stdout + done.stderr


# %% break windows
failed, output = begin("none")
print(output)
sys.exit("it failed" if failed else None)

# %% check windows
from importlib.metadata import distributions

names = sorted(d.name for d in distributions() if d.name.startswith("triton"))
print(names)  # triton, triton-windows: one of them, not both, not none
assert len(names) < 2

# %% proof windows
assert "TritonMissing" in begin("none")[1]
assert begin("")[1].endswith("goes on\n")  # with the real package

# %%
venv.create("env", symlinks=True)
for version in ("3.5.1", "3.6.0", "3.7.1"):
    Path("wheels").mkdir(exist_ok=True)
    with zipfile.ZipFile(f"wheels/triton-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr("triton/__init__.py", f"__version__ = {version!r}\n")
        wheel.writestr(f"triton-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: triton\nVersion: {version}\n")
        wheel.writestr(f"triton-{version}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"triton-{version}.dist-info/RECORD", "")
Path("sageattention.py").write_text("import triton\n")  # a package that cannot do without


def python(program):
    done = subprocess.run(["env/bin/python", "-c", program], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr.replace(f"{os.getcwd()}/", "")


# %% break linux
failed, output = python("import sageattention")
print(output)
sys.exit("it failed" if failed else None)

# %% check linux
PROGRAM = """
import importlib.util

print(importlib.util.find_spec("triton"))
"""
print(python(PROGRAM)[1])  # None: this Python has no Triton
assert python(PROGRAM)[1] == "None\n"

# %% proof linux
pip = [sys.executable, "-m", "pip", "--isolated", "-q", "--python", "env/bin/python", "install", "--no-index", "--find-links", "wheels"]
subprocess.run([*pip, "--force-reinstall", "--no-deps", "triton==3.6.0"], check=True)
assert python("import sageattention; import triton; print(triton.__version__)") == (0, "3.6.0\n")
