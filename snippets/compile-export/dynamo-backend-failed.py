# ---
# wordings:
#   - text: "backend='{backend:ident}' raised:"
#     exception: BackendCompilerFailed
#     role: wrapper
#     sample: "torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:"
#   - text: "backend='{backend:ident}' raised: {inner:ident}:"
#     exception: BackendCompilerFailed
#     role: wrapper
#     sample: "torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised: RuntimeError: `ptxas` failed with error code 4294967295:"
#   - text: "torch._dynamo.exc.BackendCompilerFailed:"
#     exception: BackendCompilerFailed
#     role: wrapper
#   - text: "BackendCompilerFailed:"
#     exception: BackendCompilerFailed
#     role: wrapper
#   - text: "torch._inductor.exc.InductorError: {inner:ident}:"
#     exception: InductorError
#     role: wrapper
#     sample: "torch._inductor.exc.InductorError: AssertionError: -603979776"
#   - text: "InductorError:"
#     exception: InductorError
#     role: wrapper
#   - text: "getpwuid(): uid not found: {uid:int}"
#     exception: KeyError
#     role: wrapper
#     near: [torch, inductor, vllm]
#     sample: "KeyError: 'getpwuid(): uid not found: 1000'"
#   - text: "cannot find -lcuda"
#     role: wrapper
#     near: [triton, inductor, cuda_utils, torch]
#     unless: [cpp_extension]
#     sample: "/usr/bin/ld: cannot find -lcuda"
# tags: [compile, build]
# recover: process
# needs: [compiler, "fault:a backend that knows too few operators, or builds C code without Python's headers"]
# outranks: [extension-compile, launcher-warnings]
# docs: ["https://docs.pytorch.org/docs/stable/user_guide/torch_compiler/torch.compiler_troubleshooting.html"]
# cases:
#   any:
#     wrong: {suppressed: "https://github.com/mlfoundations/open_lm/issues/72"}
#     commands:
#       shell: TORCHDYNAMO_DISABLE=1 python train.py
#       powershell: |
#         $env:TORCHDYNAMO_DISABLE="1"
#         python train.py
#       notebook: |
#         # in the first cell, before `import torch`; then restart the kernel and run it
#         %env TORCHDYNAMO_DISABLE=1
#       trainer: TrainingArguments(torch_compile=False)
#       comfyui: take the TorchCompile node out of the workflow
#   headers:
#     commands:
#       linux: |
#         # Ubuntu, Debian; the version of the Python that runs the program
#         sudo apt install build-essential python3-dev
#       docker: RUN apt-get update && apt-get install -y build-essential python3-dev
# causes:
#   any:
#     undecided: the inner error is of the backend, and there are many
#   headers:
#     if: paste("Python.h") and paste("gcc", "/cc'", "clang") and not paste("CppCompileError")
#     likely: paste("CalledProcessError", "non-zero exit status") and paste("gcc", "/cc'", "clang") and not paste("CppCompileError", "-lcuda")
#   ptxas:
#     if: paste("ptxas")
#     sample: "torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised: RuntimeError: `ptxas` failed with error code 4294967295:"
#   cache:
#     if: 'paste("Permission denied", "PermissionError", "getpwuid(): uid not found", "No space left on device") and paste("torchinductor", ".triton", "getpwuid")'
#     sample: |
#       torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:
#       PermissionError: [Errno 13] Permission denied: '/tmp/torchinductor_root/cb'
# ---

# %%
import os
import subprocess
import sys
import sysconfig

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
x = torch.rand(2, 3)
HELPER = "#include <Python.h>\nint main(void) { return PY_MAJOR_VERSION != 3; }\n"


def few_operators(graph, inputs):  # stands for a backend that cannot translate all
    known = {"linear": "gemm"}
    for node in graph.graph.nodes:
        if node.op == "call_function":
            known[node.target.__name__]
    return graph.forward


def with_helper(graph, inputs):  # builds a small C program first, as Triton does
    with open("main.c", "w") as file:
        file.write(HELPER)
    subprocess.run(["gcc", "-nostdinc", *headers, "main.c", "-o", "helper"], check=True)
    return graph.forward


headers = []

# %% break any
compiled = torch.compile(model, backend=few_operators)
compiled(x)

# %% check any
torch._dynamo.reset()
compiled = torch.compile(model, backend="aot_eager")  # traces, compiles nothing
print(torch.equal(compiled(x), model(x)))  # True: the model is not the problem
assert torch.equal(compiled(x), model(x))

# %% proof any
program = """
import torch

def fails(graph, inputs):
    raise KeyError("relu")

print(torch.compile(lambda x: x + 1, backend=fails)(torch.ones(2)).tolist())
"""
run = [sys.executable, "-c", program]
assert "BackendCompilerFailed" in subprocess.run(run, capture_output=True, text=True).stderr
with open("train.py", "w") as file:
    file.write(program)
where = {**os.environ, "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
done = subprocess.run(commands["shell"], shell=True, capture_output=True, text=True, env=where)
assert done.stdout.strip() == "[2.0, 2.0]" and done.returncode == 0

# %% wrong suppressed
# `suppress_errors = True`, as the message proposes: it runs, but the part that failed runs uncompiled,
# and is no faster.
import torch._dynamo
from torch._dynamo.utils import counters

torch._dynamo.config.suppress_errors = True
compiled = torch.compile(model, backend=few_operators)
assert torch.equal(compiled(x), model(x))
print(counters["frames"])  # of one function none was compiled
assert counters["frames"]["total"] == 1 and counters["frames"]["ok"] == 0

# %% break headers
compiled = torch.compile(model, backend=with_helper)
compiled(x)

# %% check headers
import os
import sysconfig

folder = sysconfig.get_path("include")
print(folder, os.path.exists(os.path.join(folder, "Python.h")))  # False: they lack
assert folder

# %% proof headers
command = ["gcc", f"-I{sysconfig.get_path('include')}", "main.c", "-o", "helper"]
with open("main.c", "w") as file:
    file.write(HELPER)
subprocess.run(command, check=True)  # with the headers in their folder, the same program builds
assert subprocess.run(["./helper"]).returncode == 0
