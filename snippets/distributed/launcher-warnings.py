# ---
# wordings:
#   - text: "Setting OMP_NUM_THREADS environment variable for each process to be"
#     exception: Warning
#     role: remark
#     sample: "Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed."
#   - text: "NOTE: Redirects are currently not supported in"
#     exception: Warning
#     role: remark
#     sample: "NOTE: Redirects are currently not supported in Windows or MacOs."
#   - text: "find_unused_parameters=True was specified in DDP constructor, but did not find any unused parameters"
#     exception: Warning
#     role: remark
#     sample: "[W reducer.cpp:1346] Warning: find_unused_parameters=True was specified in DDP constructor, but did not find any unused parameters in the forward pass."
# tags: [warning, ddp, multi-gpu, slow]
# recover: process
# timeout: 120
# related: [distributed/child-failed, distributed/pg-cleanup-warnings, distributed/ddp-unused-params, performance/cpu-oversubscription]
# docs: ["https://docs.pytorch.org/docs/stable/elastic/run.html", "https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html"]
# cases:
#   threads:
#     commands:
#       shell: OMP_NUM_THREADS=4 torchrun --standalone --nproc-per-node=2 train.py
#       powershell: |
#         $env:OMP_NUM_THREADS = 4
#         torchrun --standalone --nproc-per-node=2 train.py
# causes:
#   threads:
#     if: paste("Setting OMP_NUM_THREADS environment")
#   search:
#     if: paste("find_unused_parameters=True was specified")
#   redirects:
#     if: paste("Redirects are currently not supported")
#     sample: "NOTE: Redirects are currently not supported in Windows or MacOs."
# ---

# %%
import os
import socket
import subprocess
import sys
from pathlib import Path

import torch
import torch.distributed as dist

os.environ.pop("OMP_NUM_THREADS", None)
Path("train.py").write_text("import torch\nprint('threads:', torch.get_num_threads(), flush=True)\n")


def torchrun():
    """The launcher, for one machine; a cell without a network cannot look up the machine's own name, so localhost stands for it."""
    alone = ["--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0", "--local-addr=localhost"]
    run = subprocess.run([sys.executable, "-m", "torch.distributed.run", *alone, "--nproc-per-node=2", "train.py"], capture_output=True, text=True)
    print(run.stderr, file=sys.stderr)
    return run.stdout


# %% break threads
torchrun()

# %% check threads
PROGRAM = """
import torch

print("threads:", torch.get_num_threads(), flush=True)
"""
Path("train.py").write_text(PROGRAM)
printed = torchrun()
print(printed)  # threads: 1, from each process
assert printed.count("threads: 1\n") == 2

# %% proof threads
# MKL, in builds for x86, takes no more threads than the machine has cores, unless it is told so
os.environ.update(OMP_NUM_THREADS="4", MKL_DYNAMIC="FALSE")
assert torchrun().count("threads: 4\n") == 2

# %%
with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK="0", WORLD_SIZE="1")
dist.init_process_group("gloo")
torch.manual_seed(0)
model, x = torch.nn.Linear(3, 1), torch.rand(4, 3)

# %% break search
from torch.nn.parallel import DistributedDataParallel

model = DistributedDataParallel(model, find_unused_parameters=True)
model(x).sum().backward()

# %% check search
model(x).sum().backward()
# after one backward, without DDP: [] if every parameter takes part
print([name for name, p in model.named_parameters() if p.grad is None])
assert all(p.grad is not None for p in model.parameters())

# %% fix search
from torch.nn.parallel import DistributedDataParallel

model = DistributedDataParallel(model)
model(x).sum().backward()

# %% proof search
assert isinstance(model, DistributedDataParallel) and not model.find_unused_parameters
assert torch.allclose(model.module.weight.grad, x.sum(0)[None])
