# ---
# wordings:
#   - text: "Windows not yet supported for torch.compile"
#     exception: RuntimeError
#   - text: "Windows not yet supported for inductor"
#     exception: RuntimeError
#   - text: "Dynamo is not supported on Python {version:num}"
#     exception: RuntimeError
#     sample: "RuntimeError: Dynamo is not supported on Python 3.12+"
#   - text: "torch.compile is not supported on Python {version:num}"
#     exception: RuntimeError
#     sample: "RuntimeError: torch.compile is not supported on Python 3.14+"
#   - text: "Python {version:num} not yet supported for torch.compile"
#     exception: RuntimeError
#     sample: "RuntimeError: Python 3.11+ not yet supported for torch.compile"
#   - text: "torch.compile is not supported on Python built with GIL disabled"
#     exception: RuntimeError
#   - text: "torch.compile is not supported on Python < 3.13.3 built with GIL disabled"
#     exception: RuntimeError
# tags: [compile]
# recover: process
# needs: ["fault:a Python that says that it is newer, or built without the GIL"]
# docs: ["https://docs.pytorch.org/docs/stable/torch.compiler.html"]
# cases:
#   newer-torch:
#     commands:
#       shell: python -m pip install --upgrade torch torchvision torchaudio
#       powershell: |
#         # with an NVIDIA GPU; without one leave out --index-url and its address
#         python -m pip install --upgrade torch torchvision torchaudio --index-url https://download.pytorch.org/whl/cu128
#       comfyui: .\python_embeded\python.exe -s -m pip install --upgrade torch torchvision torchaudio --index-url https://download.pytorch.org/whl/cu128
#       notebook: "%pip install --upgrade torch torchvision torchaudio"
#   leave-out: {needs: ["torch:2.6"]}  # older ones refuse for the version first
# causes:
#   newer-torch:
#     if: read(version)
#   windows:
#     case: newer-torch
#     if: paste("Windows not yet supported")
#     sample: "RuntimeError: Windows not yet supported for torch.compile"
#   leave-out:
#     if: paste("GIL disabled")
# ---

# %%
import sys
import sysconfig

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 3)
x = torch.rand(2, 3)
this_python = sys.version_info

# %% break newer-torch
sys.version_info = (3, 99, 0, "final", 0)  # a Python newer than this torch
compiled = torch.compile(model)

# %% check newer-torch
import sys

print(torch.__version__, sys.version_info[:2])  # which torch, on which Python
assert sys.version_info < (3, 99)

# %% proof newer-torch
sys.version_info = (3, 99, 0, "final", 0)
try:
    torch.compile(model, backend="eager")
    raise SystemExit("not refused")
except RuntimeError as error:
    assert "is not supported on Python 3." in str(error)
sys.version_info = this_python  # one that this torch was made for
torch.testing.assert_close(torch.compile(model, backend="eager")(x), model(x))

# %%
sysconfig.get_config_vars()["Py_GIL_DISABLED"] = 1  # as in the builds python3.13t
sys.version_info = (3, 13, 2, "final", 0)

# %% break leave-out
compiled = torch.compile(model)

# %% check leave-out
import sysconfig

print(sysconfig.get_config_var("Py_GIL_DISABLED"))  # 1: built without the GIL
assert sysconfig.get_config_var("Py_GIL_DISABLED") == 1

# %% fix leave-out
import torch


def leave_uncompiled(model=None, **options):
    return model if model is not None else lambda function: function


torch.compile = leave_uncompiled  # before the program that calls it is imported

# %% proof leave-out
assert torch.compile(model, mode="max-autotune") is model


@torch.compile(fullgraph=True)
def double(x):
    return 2 * x


torch.testing.assert_close(double(x), x + x)
