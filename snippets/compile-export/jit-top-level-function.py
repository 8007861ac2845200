# ---
# wordings:
#   - text: "Expected a single top-level function: {file:path}"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected a single top-level function: /home/user/venv/lib/python3.10/site-packages/kornia/enhance/equalization.py:264"
#   - text: "expected a single top-level function"
#     exception: RuntimeError
#     near: [torch]
#     sample: "  File \"/opt/conda/lib/python3.6/site-packages/torch/jit/frontend.py\", line 144, in get_jit_ast\nRuntimeError: expected a single top-level function"
#   - text: "Expected a single top-level function"
#     exception: [RuntimeError, FrontendError]
# tags: [export, libtorch]
# recover: fix
# related: [compile-export/jit-script-unsupported]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.jit.script.html"]
# cases:
#   library:
#     commands:
#       linux: PYTORCH_JIT=0 python main.py
#       powershell: $env:PYTORCH_JIT = "0"; python main.py
# causes:
#   lambda: {undecided: what stands at the printed line is not in the message}
#   library: {undecided: that the file is a package's is for the reader to see}
#   edited: {undecided: when a file was changed is not printed}
#   module: {undecided: "torch 1.0 does not print the call"}
# ---

# %%
import importlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

folder = Path(tempfile.mkdtemp())
sys.path.insert(0, str(folder))
x = torch.tensor([[-2.0, 3.0], [4.0, -5.0]])

# %% break lambda
scale = torch.jit.script(lambda x: x.clamp(min=0) * 2)

# %% fix lambda
import torch


@torch.jit.script
def scale(x: torch.Tensor) -> torch.Tensor:
    return x.clamp(min=0) * 2


# %% proof lambda
assert scale(x).tolist() == [[0, 6], [8, 0]]
scale.save(str(folder / "scale.pt"))
again = torch.jit.load(str(folder / "scale.pt"))
assert torch.equal(again(-x), scale(-x)) and again(-x).tolist() == [[4, 0], [0, 10]]

# %%
(folder / "library.py").write_text("""
import torch

torch.erf = lambda *arguments: arguments[0]  # what some programs do to PyTorch's functions

@torch.jit.script
def gelu(x):
    return torch.erf(x) + 1
""")

# %% break library
import library

# %% proof library
# The command: a new process with the variable.
said = subprocess.run(
    [sys.executable, "-c", "import library, torch; print(library.gelu(torch.tensor([2.0])))"],
    env={**os.environ, "PYTORCH_JIT": "0", "PYTHONPATH": str(folder)},
    capture_output=True,
    text=True,
)
assert said.stdout.strip() == "tensor([3.])", said.stderr

# %%
STEPS = """import torch

def positive(x):
    return x.clamp(min=0)
"""
(folder / "steps.py").write_text(STEPS)
steps = importlib.import_module("steps")
(folder / "steps.py").write_text("# a line put in while the program runs\nLIMIT = 3\n" + STEPS)

# %% break edited
torch.jit.script(steps.positive)

# %% check edited
import inspect

# not the function that runs
print(inspect.getsource(steps.positive).splitlines()[0])
assert not inspect.getsource(steps.positive).startswith("def positive")

# %% fix edited
import importlib

import steps
import torch

# or restart the program, the kernel of the notebook
steps = importlib.reload(steps)
positive = torch.jit.script(steps.positive)

# %% proof edited
assert positive(x).tolist() == [[0, 3], [4, 0]] and steps.LIMIT == 3
