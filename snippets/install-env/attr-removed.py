# ---
# wordings:
#   - text: "module 'torch' has no attribute '{name:ident}'"
#     exception: AttributeError
#     sample: "AttributeError: module 'torch' has no attribute 'compile'"
#   - text: "module 'torch.{module:ident}' has no attribute '{name:ident}'"
#     exception: AttributeError
#     sample: "AttributeError: module 'torch.nn' has no attribute 'Buffer'"
#   - text: "module 'torch' has no attribute"
#     exception: AttributeError
#   - text: "partially initialized module 'torch' has no attribute '{name:ident}'"
#     exception: AttributeError
#     sample: "AttributeError: partially initialized module 'torch' has no attribute 'randn' (most likely due to a circular import)"
#   - text: "cannot import name '{name:ident}' from partially initialized module 'torch'"
#     exception: ImportError
#     sample: "ImportError: cannot import name 'Tensor' from partially initialized module 'torch' (most likely due to a circular import) (/home/me/torch.py)"
#   - text: "This function was deprecated since version {_:num} and is now removed"
#     exception: RuntimeError
#     sample: "RuntimeError: This function was deprecated since version 1.9 and is now removed. The default behavior has changed from using the upper triangular portion of the matrix by default to using the lower triangular portion."
#   - text: "'torch.{module:ident}' has no attribute '{name:ident}'"
#     sample: "This will create this error: 'torch.cuda' has no attribute 'mem_get_info'"
# tags: [import-error]
# recover: process
# needs: ["fault:a folder that stands for an old torch"]
# related: [install-env/no-module-torch-x, install-env/no-module-named-torch]
# docs: ["https://docs.pytorch.org/docs/stable/fft.html", "https://docs.pytorch.org/docs/stable/linalg.html"]
# causes:
#   newer:
#     if: name in ["compile", "amp", "xpu", "compiler", "export", "library", "inference_mode", "nested", "func", "vmap", "accelerator", "uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2", "get_default_device", "set_default_device", "mps", "frombuffer", "asarray", "concat", "special", "linalg", "fft", "set_float32_matmul_precision", "register_pytree_node", "_register_pytree_node", "Buffer", "RMSNorm", "scaled_dot_product_attention", "add_safe_globals", "bfloat16", "nan_to_num", "broadcast_shapes", "int1", "int2", "int4", "uint1", "uint2", "uint3", "uint4", "uint5", "uint6", "uint7", "set_swap_module_params_on_conversion", "get_device_module", "is_compiling", "is_autocast_enabled", "SiLU", "Mish", "GELU", "Identity", "isin", "maximum", "minimum", "clip", "absolute", "logical_and", "logical_not", "true_divide", "floor_divide", "hub", "quantization", "ao"]
#   hidden:
#     if: paste("partially initialized module 'torch'") and paste("/torch.py)", "\\torch.py)", "consider renaming")
#     likely: paste("partially initialized module 'torch'") and not paste("packages/torch/", "packages\\torch\\") or not read(module) and name in ["tensor", "Tensor", "nn", "randn", "rand", "zeros", "ones", "cuda", "load", "save", "float32", "float", "manual_seed", "from_numpy", "__version__", "empty", "arange", "utils", "optim", "cat", "stack"]
#   removed:
#     if: name in ["rfft", "irfft", "gels", "potrf", "potri", "potrs", "trtrs", "btrifact", "btrisolve", "gesv", "pstrf", "_six", "lobpcg_", "_DataLoaderIter"] or paste("is now removed")
#   other-backend:
#     if: name in ["npu", "mlu", "musa", "hpu", "gcu", "sdaa", "_npu", "xla"] or paste("has no attribute 'npu")
#     sample: "AttributeError: module 'torch' has no attribute 'gcu'"
#   no-distributed:
#     if: >-
#       module == "distributed" and name in ["is_initialized", "init_process_group", "get_rank",
#       "get_world_size", "barrier", "all_reduce", "all_gather", "broadcast", "ReduceOp",
#       "reduce_op", "group", "ProcessGroup", "Backend", "destroy_process_group", "new_group"]
#     sample: |
#       AttributeError: module 'torch.distributed' has no attribute 'is_initialized'
# cases:
#   newer:
#     commands:
#       shell: |
#         python -m pip install --upgrade torch torchvision torchaudio  # all three, in one command
#       notebook: "%pip install --upgrade torch torchvision torchaudio  # then restart the kernel"
#       comfyui: .\python_embeded\python.exe -s -m pip install --upgrade torch torchvision torchaudio --index-url https://download.pytorch.org/whl/cu128
#   hidden:
#     commands:
#       linux: mv torch.py my_torch.py
#       powershell: Rename-Item torch.py my_torch.py
#   removed:
#     wrong: {complex-as-pairs: "https://github.com/source-separation/tutorial/issues/16"}
# ---

# %%
import os
import subprocess
import sys
from pathlib import Path

import torch

x = torch.tensor([1.0, 2.0, 3.0, 4.0])


def python(folder, program):
    """Run a program in a new process, where `import torch` looks into this folder first."""
    environment = {**os.environ, "PYTHONPATH": folder}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    return (done.stdout + done.stderr).replace(f"{os.getcwd()}/", "").strip()


# %% break removed
spectrum = torch.rfft(x, 1)  # as it was written up to torch 1.7

# %% check removed
release = torch.__version__.split("+")[0]
print(release, hasattr(torch, "rfft"), hasattr(torch.fft, "rfft"))
assert not hasattr(torch, "rfft") and hasattr(torch.fft, "rfft")

# %% fix removed
import torch

spectrum = torch.view_as_real(torch.fft.rfft(x))  # complex numbers, as pairs

# %% proof removed
assert torch.allclose(spectrum, torch.tensor([[10.0, 0.0], [-2.0, 2.0], [-2.0, 0.0]]))

# %% wrong complex-as-pairs
# The new name alone: `torch.fft.rfft` gives complex numbers, and the old code behind it takes the pairs
# apart.
spectrum = torch.fft.rfft(x)
real, imaginary = spectrum[:, 0], spectrum[:, 1]

# %%
Path("old/torch").mkdir(parents=True)
Path("old/torch/__init__.py").write_text("__version__ = '1.13.1'\n")

# %% break newer
output = python("old", "import torch; model = torch.compile(None)")
print(output)
assert "has no attribute 'compile'" in output

# %% check newer
PROGRAM = """
import torch

print(torch.__version__, hasattr(torch, "compile"))
"""
print(python("old", PROGRAM))
assert python("old", PROGRAM).endswith(" False")

# %% proof newer
assert python("", "import torch; print(hasattr(torch, 'compile'))") == "True"  # the newer torch has it
model = torch.compile(torch.nn.Linear(4, 2), backend="eager")
assert model(x).shape == (2,)

# %%
Path("mine").mkdir()
Path("mine/torch.py").write_text("print('my first network')\n")

# %% break hidden
output = python("mine", "import torch; x = torch.tensor([1.0])")
print(output)
assert "module 'torch' has no attribute 'tensor'" in output

# %% check hidden
PROGRAM = """
import importlib.util

print(importlib.util.find_spec("torch").origin)
"""
print(python("mine", PROGRAM))  # the file that `import torch` takes
assert python("mine", PROGRAM).endswith("mine/torch.py")

# %% proof hidden
subprocess.run("mv torch.py my_torch.py", shell=True, check=True, cwd="mine")
assert python("mine", "import torch; print(torch.tensor([1.0]).item())") == "1.0"
