# ---
# wordings:
#   - text: "No module named 'torch.{submodule:ident}'"
#     exception: ModuleNotFoundError
#     unless: ["'torch' is not a package"]
#     sample: "ModuleNotFoundError: No module named 'torch._six'"
#   - text: "cannot import name '{name:ident}' from 'torch.{module:ident}'"
#     exception: ImportError
#     sample: "ImportError: cannot import name 'wrap_triton' from 'torch.library'"
#   - text: "No module named torch.{submodule:ident}"
#     exception: ImportError
#     sample: "ImportError: No module named torch.utils.data.dataset"
#   - text: "cannot import name '{name:ident}' from 'torch'"
#     exception: ImportError
#     sample: "ImportError: cannot import name 'inf' from 'torch' (/usr/lib/python3/dist-packages/torch/__init__.py)"
# tags: [import-error]
# recover: process
# needs: ["fault:a folder that stands for an old torch"]
# related: [install-env/attr-removed, install-env/no-module-named-torch]
# docs: ["https://docs.pytorch.org/docs/stable/index.html"]
# causes:
#   six:
#     if: begins(submodule, "_six") or name in ["string_classes", "int_classes", "container_abcs"]
#   newer:
#     if: submodule in ["distributed.tensor", "distributed.tensor.parallel", "compiler", "nn.attention", "nn.attention.flex_attention", "export", "func", "_dynamo", "_inductor", "fx", "ao", "utils._pytree", "library", "amp", "fft", "linalg", "special", "nested", "distributed.fsdp", "distributed._composable", "distributed.device_mesh", "distributed.elastic", "utils.flop_counter", "package", "profiler", "accelerator", "xpu", "mps", "backends.mps", "backends.xeon"] or name in ["wrap_triton", "triton_op", "TorchDispatchMode", "return_and_correct_aliasing", "custom_op", "register_fake", "DeviceMesh", "init_device_mesh", "FullyShardedDataParallel", "fully_shard", "LRScheduler", "sdpa_kernel", "SDPBackend", "GradScaler", "float8_e4m3fn", "Buffer", "RMSNorm", "flex_attention", "create_block_mask", "inference_mode", "vmap", "parametrize", "Muon", "is_compiling", "infer_schema"]
#     likely: begins(submodule, "distributed.tensor", "compiler", "nn.attention", "export", "func", "_dynamo", "_inductor", "fx", "ao", "utils._pytree", "library", "amp", "fft", "linalg", "special", "nested", "distributed.fsdp", "distributed._composable", "distributed.device_mesh", "distributed.elastic", "utils.flop_counter", "package", "profiler", "accelerator", "xpu", "mps", "backends.mps", "backends.xeon")
#   removed:
#     if: begins(submodule, "utils.ffi", "onnx.symbolic_registry", "onnx.symbolic_caffe2", "nn._functions", "legacy", "distributed.deprecated", "testing._core", "fx.experimental.fx2trt", "_dynamo.allowed_functions") or name in ["_DataLoaderIter", "_use_shared_memory", "ExportTypes", "CheckerError", "_compare_tensors_internal"]
#     sample: "ModuleNotFoundError: No module named 'torch.utils.ffi'"
# cases:
#   newer:
#     commands:
#       shell: |
#         python -m pip install --upgrade torch torchvision torchaudio  # all three, in one command
#       notebook: "%pip install --upgrade torch torchvision torchaudio  # then restart the kernel"
#       comfyui: .\python_embeded\python.exe -s -m pip install --upgrade torch torchvision torchaudio --index-url https://download.pytorch.org/whl/cu128
#   six:
#     wrong: {six-installed: "https://github.com/VITA-Group/SLaK/issues/18"}
# ---

# %%
import os
import subprocess
import sys
from pathlib import Path

import torch


def python(folder, program):
    """Run a program in a new process, where `import torch` looks into this folder first."""
    environment = {**os.environ, "PYTHONPATH": folder}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    return (done.stdout + done.stderr).replace(f"{os.getcwd()}/", "").strip()


# %% break six
from torch._six import container_abcs, inf, string_classes

# %% check six
from importlib.util import find_spec

print(torch.__version__.split("+")[0], find_spec("torch._six"))  # None: it is gone
assert find_spec("torch._six") is None

# %% fix six
import collections.abc as container_abcs
from math import inf

int_classes = int
string_classes = (str, bytes)

# %% proof six
assert isinstance([1], container_abcs.Sequence) and isinstance({}, container_abcs.Mapping)
assert torch.tensor(inf).isinf() and isinstance("a", string_classes) and isinstance(b"a", string_classes)
assert isinstance(3, int_classes)

# %% wrong six-installed
# `pip install six`: that is a package of its own. `torch._six` was a file of torch.
Path("six.py").write_text("string_types = (str,)\n")  # stands for the package
sys.path.insert(0, os.getcwd())
import six
from torch._six import inf

# %%
VERSION = "import torch, torch.library; print(torch.__version__, hasattr(torch.library, 'wrap_triton'))"
Path("old/torch").mkdir(parents=True)
Path("old/torch/__init__.py").write_text("__version__ = '2.2.2'\n")
Path("old/torch/library.py").write_text("def impl(): ...\n")

# %% break newer
output = python("old", "from torch.library import wrap_triton")
print(output)
assert "cannot import name 'wrap_triton' from 'torch.library'" in output

# %% check newer
PROGRAM = """
import torch
import torch.library

print(torch.__version__, hasattr(torch.library, "wrap_triton"))
"""
print(python("old", PROGRAM))
assert python("old", PROGRAM) == "2.2.2 False"

# %% proof newer
assert python("", VERSION).endswith(" True")  # a newer torch has it
