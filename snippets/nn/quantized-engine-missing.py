# ---
# wordings:
#   - text: "Didn't find engine for operation quantized::{engine_op:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: Didn't find engine for operation quantized::linear_prepack NoQEngine"
#   - text: "RuntimeError: Unknown qengine"
#     exception: RuntimeError
#   - text: "quantized engine {engine:ident} is not supported"
#     exception: RuntimeError
#     sample: "RuntimeError: quantized engine FBGEMM is not supported"
#   - text: "is not a valid value for quantized engine"
#     exception: RuntimeError
# tags: [inference, quantization]
# recover: fix
# needs: [compiler, "fault:two functions of PyTorch preloaded, which say that the CPU has no AVX2 and that no engine is chosen"]
# cases:
#   none-chosen: {}
#   not-here: {needs: ["torch:2.9"]}  # older ones do not let the stand-in for a CPU in
# related: [nn/quantized-backend]
# docs: ["https://docs.pytorch.org/docs/stable/backends.html#torch-backends-quantized", "https://docs.pytorch.org/docs/stable/quantization.html"]
# causes:
#   none-chosen:
#     likely: paste("NoQEngine", "Unknown qengine") and not paste("C:\\", "D:\\", "E:\\", "\\site-packages")
#   windows:
#     likely: paste("NoQEngine", "Unknown qengine")
#     sample: |
#       File "D:\env\lib\site-packages\torch\jit\_serialization.py", line 162, in load
#         cpp_module = torch._C.import_ir_module(cu, str(f), map_location, _extra_files)
#       RuntimeError: Unknown qengine
#   not-here:
#     if: read(engine)
#   unknown-name:
#     case: not-here
#     if: paste("is not a valid value for quantized engine")
#     sample: "RuntimeError: xnnpack is not a valid value for quantized engine"
# ---

# %%
import os
import shutil
import subprocess
import sys
import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
torch.set_default_device("cpu")
torch.manual_seed(0)
x = torch.rand(3, 4)
quantized = torch.ao.quantization.quantize_dynamic(nn.Sequential(nn.Linear(4, 2)), {nn.Linear})
torch.jit.save(torch.jit.script(quantized), "model.pt")
expected = quantized(x)

# A CPU without AVX2; and with -DNONE a build that chooses no engine by itself, as those for Apple's chips.
PRELOADED = r"""
int _ZN6fbgemm18fbgemmSupportedCPUEv(void) { return 0; }
#ifdef NONE
static char engine;
char _ZNK2at7Context7qEngineEv(void *self) { return engine; }
void _ZN2at7Context10setQEngineEN3c107QEngineE(void *self, char wanted) { engine = wanted; }
#endif
"""
compiler = next(name for name in ("cc", "gcc", "clang") if shutil.which(name))
for name, option in {"none.so": "-DNONE", "old_cpu.so": "-DAVX2=0"}.items():
    subprocess.run([compiler, option, "-shared", "-fPIC", "-x", "c", "-", "-o", name], input=PRELOADED, text=True, check=True)


def python(program, machine=""):
    """Run a program in a new process, on a machine of that kind; the last line that it prints."""
    environment = {**os.environ, "LD_PRELOAD": os.path.abspath(machine) if machine else ""}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], env=environment, capture_output=True, text=True)
    return (done.stdout.strip() or done.stderr.strip()).splitlines()[-1]


LOAD = """
import torch
model = torch.jit.load("model.pt")
"""
LOOK = """
import torch
quantized = torch.backends.quantized
print(quantized.engine, quantized.supported_engines)
"""

# %% break none-chosen
said = python(LOAD, machine="none.so")
print(said)
assert "Unknown qengine" in said

# %% check none-chosen
PROGRAM = """
import torch

quantized = torch.backends.quantized
print(quantized.engine, quantized.supported_engines)
"""
print(python(PROGRAM, machine="none.so"))
assert python(PROGRAM, machine="none.so").startswith("none")

# %% fix none-chosen
import torch

# before anything is loaded or quantized
torch.backends.quantized.engine = "qnnpack"
model = torch.jit.load("model.pt")

# %% proof none-chosen
assert torch.backends.quantized.engine == "qnnpack"
torch.testing.assert_close(model(x), expected, rtol=0.05, atol=0.05)
SAME = """
import torch
torch.backends.quantized.engine = "qnnpack"
model = torch.jit.load("model.pt")
print(model(torch.ones(1, 4)).shape)
"""
assert python(SAME, machine="none.so") == "torch.Size([1, 2])"
assert python(LOAD + "print('loaded')", machine="old_cpu.so") == "loaded"  # without AVX2 this release takes oneDNN by itself

# %%
torch.backends.quantized.engine = "qnnpack"

# %% break not-here
CHOOSE = """
import torch
torch.backends.quantized.engine = "fbgemm"
"""
said = python(CHOOSE, machine="old_cpu.so")
print(said)
assert "quantized engine FBGEMM is not supported" in said

# %% check not-here
PROGRAM = """
import torch

print(torch.backends.quantized.supported_engines)
"""
print(python(PROGRAM, machine="old_cpu.so"))
assert "fbgemm" not in python(PROGRAM, machine="old_cpu.so")

# %% fix not-here
import torch

engines = torch.backends.quantized.supported_engines
best = "fbgemm" if "fbgemm" in engines else "qnnpack"
torch.backends.quantized.engine = best

# %% proof not-here
assert torch.backends.quantized.engine == ("fbgemm" if "fbgemm" in torch.backends.quantized.supported_engines else "qnnpack")
SAME = """
import torch
engines = torch.backends.quantized.supported_engines
best = "fbgemm" if "fbgemm" in engines else "qnnpack"
torch.backends.quantized.engine = best
print(torch.backends.quantized.engine)
"""
assert python(SAME, machine="old_cpu.so") == "qnnpack"
assert engines and best in engines
