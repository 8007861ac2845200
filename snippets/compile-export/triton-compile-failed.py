# ---
# wordings:
#   - text: "PassManager::run failed"
#     exception: RuntimeError
#   - text: "Internal Triton PTX codegen error"
#     exception: [RuntimeError, PTXASError]
#   - text: "PTXAS error:"
#     exception: PTXASError
#     near: [triton, Triton, inductor]
#   - text: "fatal : Value '{arch:ident}' is not defined for option 'gpu-name'"
#     near: &triton [Triton, triton, inductor, '`ptxas` stderr']
#     sample: "ptxas fatal   : Value 'sm_120' is not defined for option 'gpu-name'"
#   - text: "`ptxas` failed with error code"
#     exception: [RuntimeError, PTXASError]
#     near: [sm_, gpu-name, PTX codegen]
#   - text: "Assertion `false && \"computeCapability not supported\"' failed"
#   - text: "LLVM ERROR: Cannot select: intrinsic %llvm.nvvm"
#   - text: "type {dtype:ident} not supported in this architecture. The supported fp8 dtypes are"
#     exception: [ValueError, CompilationError, AssertionError]
#     sample: "ValueError(\"type fp8e4nv not supported in this architecture. The supported fp8 dtypes are ('fp8e4b15', 'fp8e5')\")"
#   - text: "which is too old to be supported by the triton GPU compiler"
#     exception: [GPUTooOldForTriton, RuntimeError]
#   - text: "but your device is of CUDA capability {major:int}.{minor:int}"
#     exception: [GPUTooOldForTriton, RuntimeError]
#     near: [triton GPU compiler]
#     sample: "Triton only supports devices of CUDA Capability >= 7.0, but your device is of CUDA capability 6.1"
#   - text: "Failed to find C compiler. Please specify via CC environment variable"
#     exception: RuntimeError
#   - text: "Unsupported conversion from bf16 to f16"
#   - text: "Feature '.bf16' requires .target sm_80 or higher"
#     near: *triton
#   - text: "Feature 'cvt with .bf16' requires .target sm_80 or higher"
#     near: *triton
# tags: [compile, cuda, dtype, build]
# recover: process
# needs: ["package:triton", "fault:a GPU that is newer or older than this Triton serves, and a machine without a C compiler"]
# related: [compile-export/triton-missing, compile-export/triton-out-of-resource, install-env/no-kernel-image]
# docs: ["https://docs.pytorch.org/docs/stable/user_guide/torch_compiler/torch.compiler_troubleshooting.html"]
# timeout: 120
# causes:
#   new-gpu:
#     if: >-
#       paste("is not defined for option 'gpu-name'", "computeCapability not supported")
#     likely: paste("sm_120", "sm_121", "sm_100", "sm_110", "RTX 50", "5090", "5080", "5070", "5060", "Blackwell", "GB10", "B200")
#   no-compiler:
#     if: paste("Failed to find C compiler")
#   old-gpu:
#     if: paste("too old to be supported by the triton GPU compiler")
#   fp8:
#     if: paste("The supported fp8 dtypes are")
#   bf16:
#     if: >-
#       paste("Feature '.bf16' requires .target sm_80", "Feature 'cvt with .bf16' requires", "Unsupported conversion from bf16")
#     likely: >-
#       paste("Tesla T4", "T4 GPU", "sm_75", "sm_70", "cuda:75", "cuda:70", "V100", "RTX 2080")
#     sample: "RuntimeError: PassManager::run failed during training on Colab T4 GPU"
# cases:
#   new-gpu:
#     commands:
#       linux: |
#         # the newest torch brings the Triton that belongs to it
#         python -m pip install --upgrade torch torchvision --index-url https://download.pytorch.org/whl/cu130
#         rm -rf ~/.triton/cache
#         # or let Triton use the ptxas of a newer CUDA toolkit
#         export TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas
#         export TRITON_PTXAS_BLACKWELL_PATH=/usr/local/cuda/bin/ptxas
#       powershell: |
#         python -m pip install --upgrade torch torchvision --index-url https://download.pytorch.org/whl/cu130
#         python -m pip install --upgrade triton-windows
#         Remove-Item -Recurse "$env:USERPROFILE\.triton\cache"
#       comfyui: |
#         # portable, in the folder ComfyUI_windows_portable
#         .\python_embeded\python.exe -m pip install --upgrade triton-windows
#         # or take the torch.compile node out of the workflow
#   fp8:
#     commands:
#       comfyui: |
#         # in the node that loads the model
#         weight_dtype: fp8_e5m2    # or default; or take the torch.compile node out
#   old-gpu:
#     commands:
#       shell: |
#         export TORCHDYNAMO_DISABLE=1  # PowerShell: $env:TORCHDYNAMO_DISABLE = 1
#         python train.py
#       notebook: |
#         import os
#
#         os.environ["TORCHDYNAMO_DISABLE"] = "1"  # before `import torch`
#       comfyui: "# take the torch.compile node out of the workflow"
#   bf16:
#     unbroken: "a GPU without bfloat16"
#     commands:
#       trainer: args = TrainingArguments(..., fp16=True, bf16=False)
#       shell: vllm serve MODEL --dtype half
#   no-compiler:
#     commands:
#       linux: |
#         sudo apt-get install -y gcc python3-dev
#         # without administrator rights
#         conda install -c conda-forge gcc_linux-64
#         export CC=$CONDA_PREFIX/bin/x86_64-conda-linux-gnu-gcc
#       docker: RUN apt-get update && apt-get install -y --no-install-recommends gcc python3-dev
# ---

# %%
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

os.environ["TRITON_CACHE_DIR"] = os.path.abspath("cache")
os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"  # as it is now; no warning
Path("kernels.py").write_text("""
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def add(a, b, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(a + at, inside) + tl.load(b + at, inside), inside)


@triton.jit
def product(a, b, out, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    both = at[:, None] * SIZE + at[None, :]
    tl.store(out + both, tl.dot(tl.load(a + both), tl.load(b + both)))


def compile_for(capability, kernel=add, dtype="fp32"):
    \"\"\"Triton's whole compiler, down to the code of a GPU; needs no GPU.\"\"\"
    types = {"a": f"*{dtype}", "b": f"*{dtype}", "out": "*fp32"}
    sizes = {"SIZE": 32} if kernel is product else {"BLOCK": 1024}
    if kernel is add:
        types["n"] = "i32"
    return triton.compile(ASTSource(kernel, types, sizes), target=GPUTarget("cuda", capability, 32))
""")
sys.path.insert(0, "")
from kernels import add, compile_for, product

# %% break new-gpu
compile_for(130)  # a GPU that is newer than this Triton

# %% check new-gpu
from triton import knobs

ptxas = knobs.nvidia.ptxas_blackwell  # for sm_100 and newer
print(ptxas.path.partition("site-packages/")[2])  # Triton brings its own
print(ptxas.version)  # of this CUDA release
assert ptxas.path.endswith("triton/backends/nvidia/bin/ptxas-blackwell")

# %% proof new-gpu
assert compile_for(120).asm["cubin"]  # the GPUs that this Triton serves
own = __import__("triton").knobs.nvidia.ptxas_blackwell.path
for name in ("ptxas", "ptxas-blackwell"):
    Path(name).write_text(f'#!/bin/sh\necho used >> "{os.getcwd()}/used"\nexec "{own}" "$@"\n')
    Path(name).chmod(0o755)
os.environ["TRITON_PTXAS_BLACKWELL_PATH"] = os.path.abspath("ptxas-blackwell")
os.environ["TRITON_CACHE_DIR"] = os.path.abspath("another")
os.environ["TRITON_PTXAS_PATH"] = os.path.abspath("ptxas")
compile_for(120)
assert "used" in Path("used").read_text()  # the variable decides which ptxas compiles
Path("used").unlink()
compile_for(86)
assert "used" in Path("used").read_text()

# %% break fp8
compile_for(86, product, "fp8e4nv")  # float8_e4m3fn on an RTX 30

# %% check fp8
able = []
for dtype in ("fp8e4nv", "fp8e5", "bf16", "fp16"):
    try:
        compile_for(86, product, dtype)  # RTX 30
        able.append(dtype)
    except Exception:
        pass
print(able)
assert able == ["fp8e5", "bf16", "fp16"]

# %% proof fp8
assert compile_for(86, product, "fp8e5").asm["cubin"]  # float8_e5m2 on an RTX 30
assert compile_for(89, product, "fp8e4nv").asm["cubin"]  # float8_e4m3fn on an RTX 40
assert compile_for(75, product, "bf16").asm["cubin"]  # and this Triton does compile bfloat16 for a T4

# %%
import torch
from torch._inductor.codegen.common import init_backend_registration
from torch._inductor.scheduler import Scheduler
from torch._inductor.virtualized import V


def inductor_begins(name, major, minor):
    """What torch.compile's backend does first on a machine with this GPU."""
    init_backend_registration()
    torch.cuda.get_device_properties = lambda device=None: SimpleNamespace(name=name, major=major, minor=minor)
    with V.set_graph_handler(SimpleNamespace(add_device_info=lambda device: None)):
        Scheduler.create_backend(SimpleNamespace(), torch.device("cuda", 0))


# %% break old-gpu
inductor_begins("NVIDIA GeForce GTX 1080", 6, 1)

# %% proof old-gpu
PROGRAM = """
import torch

def backend(graph, inputs):
    raise SystemExit("compiled")

print(torch.compile(lambda x: x * 2, backend=backend)(torch.ones(2)).tolist())
"""


def run(**environment):
    done = subprocess.run([sys.executable, "-c", PROGRAM], env={**os.environ, **environment}, capture_output=True, text=True)
    return done.stdout + done.stderr


assert "compiled" in run() and run(TORCHDYNAMO_DISABLE="1") == "[2.0, 2.0]\n"

# %%
PATH = os.environ["PATH"]
os.environ.pop("CC", None)
Path("driver").mkdir()
Path("driver/libcuda.so.1").touch()  # Triton looks for the driver before it looks for gcc
os.environ["TRITON_LIBCUDA_PATH"] = os.path.abspath("driver")
from triton.runtime.build import _find_compiler

# %% break no-compiler
os.environ["PATH"] = os.getcwd()  # no gcc in any folder of PATH
from triton.backends.nvidia.driver import CudaUtils

CudaUtils()  # what Triton does before its first kernel

# %% check no-compiler
import shutil

os.environ["PATH"] = os.getcwd()
print(shutil.which("gcc"), shutil.which("clang"), os.environ.get("CC"))
assert not shutil.which("gcc") and not shutil.which("clang")

# %% proof no-compiler
os.environ["PATH"] = os.getcwd()
try:
    _find_compiler("c")
    raise AssertionError("found one")
except RuntimeError:
    pass
Path("gcc").write_text("#!/bin/sh\n")
Path("gcc").chmod(0o755)  # what the package installs
assert _find_compiler("c") == os.path.abspath("gcc")
_find_compiler.cache_clear()
os.environ["CC"] = "/opt/conda/bin/x86_64-conda-linux-gnu-gcc"
assert _find_compiler("c") == os.environ["CC"]
