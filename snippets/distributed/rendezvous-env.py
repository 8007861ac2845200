# ---
# wordings:
#   - text: "Error initializing torch.distributed using env:// rendezvous: environment variable {variable:ident} expected, but not set"
#     exception: ValueError
#     sample: "ValueError: Error initializing torch.distributed using env:// rendezvous: environment variable RANK expected, but not set"
#   - text: "Error initializing torch.distributed using env:// rendezvous"
#     exception: ValueError
#   - text: "KeyError: 'RANK'"
#     near: ["environ[", "os.py", torch, distributed]
#     unless: [pandas/, 'pandas\']
#   - text: "KeyError: 'LOCAL_RANK'"
#     near: ["environ[", "os.py", torch, distributed]
#     unless: [pandas/, 'pandas\']
#   - text: "KeyError: 'WORLD_SIZE'"
#     near: ["environ[", "os.py", torch, distributed]
#     unless: [pandas/, 'pandas\']
#   - text: "KeyError: 'MASTER_ADDR'"
#     near: ["environ[", "os.py", torch, distributed]
#     unless: [pandas/, 'pandas\']
#   - text: "KeyError: 'MASTER_PORT'"
#     near: ["environ[", "os.py", torch, distributed]
#     unless: [pandas/, 'pandas\']
# tags: [ddp, multi-gpu, multiprocessing]
# recover: fix
# related: [distributed/address-in-use, distributed/pg-not-initialized, distributed/child-failed]
# docs: ["https://docs.pytorch.org/docs/stable/elastic/run.html"]
# timeout: 120
# cases:
#   no-launcher:
#     wrong: {by-argument: "https://github.com/NVIDIA/apex/issues/99", set-by-hand: "https://github.com/mit-han-lab/distrifuser/issues/11"}
#     commands:
#       shell: torchrun --standalone --nproc-per-node=2 train.py
#       trainer: accelerate launch --num_processes=2 train.py
#       slurm: srun torchrun --nnodes=$SLURM_NNODES --nproc-per-node=2 --rdzv-backend=c10d --rdzv-endpoint=$HEAD_NODE:29500 train.py
#   mp-spawn: {survives: {"back: run_two(worker)": "it only runs the fixed worker once more"}}
# causes:
#   no-launcher:
#     undecided: how the script was started is not printed
#   one-process:
#     likely: paste("Cell In[", "ipykernel", "<ipython-input")
#     undecided: how the script was started is not printed
#     sample: |
#       Cell In[4], line 1
#       ----> 1 dist.init_process_group("nccl")
#       File /opt/conda/lib/python3.11/site-packages/torch/distributed/rendezvous.py:249, in _env_rendezvous_handler.<locals>._env_error(var)
#       ValueError: Error initializing torch.distributed using env:// rendezvous: environment variable RANK expected, but not set
#   mp-spawn:
#     if: begins(variable, "MASTER_")
# ---

# %%
import os
import subprocess
import sys
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
    os.environ.pop(name, None)
Path("train.py").write_text("""
import os, torch
import torch.distributed as dist

dist.init_process_group("gloo")
total = torch.tensor(float(os.environ["LOCAL_RANK"]))
dist.all_reduce(total)
if dist.get_rank() == 0:
    print("sum of the local ranks:", int(total), flush=True)
dist.destroy_process_group()
""")

# %% break no-launcher
import runpy

runpy.run_path("train.py", run_name="__main__")  # python train.py

# %% check no-launcher
names = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
# all None: no launcher has started this process
print({name: os.environ.get(name) for name in names})
assert not any(os.environ.get(name) for name in names)

# %% proof no-launcher
# --standalone is this, with the machine's own name in place of localhost, which a cell without a network cannot look up
alone = ["--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0", "--local-addr=localhost"]
run = subprocess.run([sys.executable, "-m", "torch.distributed.run", *alone, "--nproc-per-node=2", "train.py"], capture_output=True, text=True)
assert run.returncode == 0 and "sum of the local ranks: 1" in run.stdout, run.stderr

# %% wrong by-argument
# `world_size=2` as an argument: one variable less is asked for, and the next one is missing.
dist.init_process_group("gloo", init_method="env://", world_size=2)

# %% wrong set-by-hand
# The variables by hand, for four processes: nobody starts the other three. This one waits for them,
# here for three seconds, by default for half an hour.
from datetime import timedelta

os.environ.update(RANK="0", WORLD_SIZE="4")
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="12345")
dist.init_process_group("gloo", timeout=timedelta(seconds=3))

# %% break one-process
dist.init_process_group("gloo")  # in a notebook, or with one GPU and a debugger

# %% check one-process
print("launched by torchrun?", dist.is_torchelastic_launched())
assert not dist.is_torchelastic_launched()

# %% fix one-process
import os

import torch
import torch.distributed as dist

os.environ.setdefault("MASTER_ADDR", "127.0.0.1")  # one process: this one
os.environ.setdefault("MASTER_PORT", "29500")
os.environ.setdefault("RANK", "0")
os.environ.setdefault("LOCAL_RANK", "0")
os.environ.setdefault("WORLD_SIZE", "1")
dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")

# %% proof one-process
assert dist.get_world_size() == 1 and dist.get_rank() == 0
names = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
assert {name: os.environ[name] for name in names} == dict(zip(names, ("0", "0", "1", "127.0.0.1", "29500"), strict=True))
total = torch.ones(1)
dist.all_reduce(total)
assert total.item() == 1
dist.destroy_process_group()

# %%
def run_two(worker):
    """What your program does: two processes of mp.spawn, each with its number."""
    mp.start_processes(worker, (2,), nprocs=2, start_method="fork")


# %% break mp-spawn
def worker(rank, world_size):
    dist.init_process_group("gloo", rank=rank, world_size=world_size)


run_two(worker)


# %% check mp-spawn
# where the processes are to meet
print(os.environ.get("MASTER_ADDR"), os.environ.get("MASTER_PORT"))
assert not os.environ.get("MASTER_ADDR")


# %% fix mp-spawn
import os

import torch.distributed as dist


def worker(rank, world_size):
    os.environ["MASTER_ADDR"] = "127.0.0.1"
    os.environ["MASTER_PORT"] = "29500"  # the same in every process
    dist.init_process_group("gloo", rank=rank, world_size=world_size)


# %% proof mp-spawn
def train(rank, world_size):
    worker(rank, world_size)
    total = torch.tensor(rank + 1.0)
    dist.all_reduce(total)
    assert total.item() == 3 and dist.get_world_size() == 2 and dist.get_rank() == rank
    assert os.environ["MASTER_PORT"] == "29500" and os.environ["MASTER_ADDR"] == "127.0.0.1"
    dist.destroy_process_group()


run_two(train)
