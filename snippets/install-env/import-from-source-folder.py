# ---
# wordings:
#   - text: "It appears that PyTorch has loaded the `torch/_C` folder of the PyTorch repository rather than the C extensions"
#     exception: [ImportError, NameError]
#   - text: "Failed to load PyTorch C extensions:"
#     exception: [ImportError, NameError]
#   - text: "No module named 'torch._C'"
#     exception: ModuleNotFoundError
#   - text: "No module named 'torch.version'"
#     exception: ModuleNotFoundError
#   - text: "No module named _th_sox"
#     exception: ImportError
#   - text: "No module named 'torchvision._C'"
#     exception: [ModuleNotFoundError, ImportError]
# tags: [import-error, build]
# recover: process
# related: [install-env/no-module-named-torch, install-env/no-module-torch-x]
# docs: ["https://github.com/pytorch/pytorch#from-source"]
# outranks: [no-module-torch-x]
# causes:
#   checkout:
#     undecided: whether the compiled part was never built or lies elsewhere is not printed
# cases:
#   checkout:
#     commands:
#       shell: |
#         cd ..  # out of the checkout
#         python -c "import torch; print(torch.__file__)"  # a path in site-packages
# ---

# %%
import os
import subprocess
import sys
from pathlib import Path

import torch

# A checkout of PyTorch: its Python files and the folder `torch/_C` with type hints, and no compiled part, which a build would put there.
Path("pytorch/torch").mkdir(parents=True)
for file in Path(torch.__file__).parent.iterdir():
    if not file.name.startswith("_C."):
        Path("pytorch/torch", file.name).symlink_to(file)


def python(folder, program):
    """Run a program in a folder, in which Python looks first, as it does with -c, -m and in a notebook."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=folder)
    return (done.stdout + done.stderr).replace(f"{os.getcwd()}/", "").strip()


# %% break checkout
os.chdir("pytorch")
sys.path.insert(0, "")
for name in list(sys.modules):
    if name == "torch" or name.startswith("torch."):
        del sys.modules[name]  # as in a new process
vars(sys).pop("_torch_import_started", None)
import torch

# %% check checkout
PROGRAM = """
import importlib.util

print(importlib.util.find_spec("torch").origin)
"""
print(python("pytorch", PROGRAM))  # the folder that `import torch` takes
assert python("pytorch", PROGRAM) == "pytorch/torch/__init__.py"

# %% proof checkout
assert "Failed to load PyTorch C extensions" in python("pytorch", "import torch")
assert python("pytorch/..", "import torch; print(torch.ones(2).sum().item())") == "2.0"  # `cd ..`
