# ---
# wordings:
#   - text: "cannot import name 'AttrsDescriptor' from 'triton.{_:ident}'"
#     exception: ImportError
#     sample: "ImportError: cannot import name 'AttrsDescriptor' from 'triton.compiler.compiler' (C:\\ComfyUI\\python_embeded\\Lib\\site-packages\\triton\\compiler\\compiler.py)"
#   - text: "cannot import name 'triton_key' from 'triton.{_:ident}'"
#     exception: ImportError
#     sample: "ImportError: cannot import name 'triton_key' from 'triton.compiler.compiler' (/opt/conda/lib/python3.10/site-packages/triton/compiler/compiler.py)"
#   - text: "cannot import name 'get_backend' from 'triton.{_:ident}'"
#     exception: ImportError
#     sample: "ImportError: cannot import name 'get_backend' from 'triton.common.backend' (/opt/conda/lib/python3.10/site-packages/triton/common/backend.py)"
#   - text: "cannot import name '{name:ident}' from 'triton.{_:ident}'"
#     exception: ImportError
#     near: [torch/_inductor, 'torch\_inductor', torch._inductor, torch/_dynamo, 'torch\_dynamo', torch._dynamo]
#     sample: "ImportError: cannot import name 'CompiledKernel' from 'triton.compiler' (/usr/lib/python3/site-packages/triton/compiler/__init__.py)"
#   - text: "No module named 'triton.common'"
#     exception: ModuleNotFoundError
# tags: [compile, import-error]
# recover: process
# needs: ["fault:a folder named triton, as of another release, that lacks one name"]
# outranks: [dynamo-backend-failed, dynamo-unsupported]
# related: [compile-export/dynamo-backend-failed]
# docs: ["https://pypi.org/project/triton/", "https://pypi.org/project/triton-windows/"]
# cases:
#   other-release:
#     needs: ["torch:2.9"]
#     commands:
#       linux: |
#         # reads which Triton this torch was made for, and installs it
#         python -c "import importlib.metadata as m; print(*(r.split(';')[0] for r in m.requires('torch') if 'triton' in r))" > wanted.txt
#         python -m pip install -r wanted.txt
#       powershell: |
#         # for torch 2.6; the table below has the others
#         python -m pip uninstall -y triton triton-windows
#         python -m pip install "triton-windows==3.2.*"
#       comfyui: |
#         # for torch 2.6; the table below has the others
#         .\python_embeded\python.exe -s -m pip uninstall -y triton triton-windows
#         .\python_embeded\python.exe -s -m pip install "triton-windows==3.2.*"
# causes:
#   other-release:
#     if: paste("cannot import name", "No module named 'triton.common'")
# ---

# %%
import os
import subprocess
import sys

ANY = """
def __getattr__(name):
    if name.startswith("__") or name in MISSING:
        raise AttributeError(name)
    return type(name, (), {})
"""
MODULES = ("", "language", "language.core", "language.standard", "language.extra", "compiler", "compiler.compiler", "backends", "backends.compiler")
MODULES += ("runtime", "runtime.jit", "runtime.autotuner", "runtime.cache", "runtime.errors", "knobs")


def install(*missing):  # a folder that Python takes for the package triton
    for module in MODULES:
        folder = os.path.join("site", "triton", *module.split("."))
        os.makedirs(folder, exist_ok=True)
        below = [name.rpartition(".")[2] for name in MODULES if name and name.rpartition(".")[0] == module]
        imports = "".join(f"from . import {name}\n" for name in below)
        with open(os.path.join(folder, "__init__.py"), "w") as file:
            file.write(f"MISSING = {missing!r}\n{imports}{ANY}")


START = "import torch._inductor.runtime.triton_compat as compat; print(compat.HAS_TRITON)"  # what the first torch.compile imports


def start():
    environment = {**os.environ, "PYTHONPATH": os.path.abspath("site")}
    return subprocess.run([sys.executable, "-c", START], env=environment, capture_output=True, text=True)


install("triton_key")

# %% break other-release
done = start()
print(done.stderr, file=sys.stderr)

# %% check other-release
import importlib.metadata

wanted = [line for line in importlib.metadata.requires("torch") if "triton" in line]
print(wanted)  # which triton this torch was made for; [] without GPU support
assert all(line.startswith(("triton", "pytorch-triton")) for line in wanted)

# %% proof other-release
assert "cannot import name 'triton_key'" in start().stderr
install()  # one that has the name
assert start().stdout.strip() == "True"
