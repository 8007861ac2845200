# ---
# wordings:
#   - text: "error: unrecognized arguments: --local-rank={rank:int}"
#     sample: "train.py: error: unrecognized arguments: --local-rank=0"
#   - text: "error: unrecognized arguments: --local_rank={rank:int}"
#     sample: "train.py: error: unrecognized arguments: --local_rank=0"
#   - text: "unrecognized arguments: --local-rank"
#   - text: "unrecognized arguments: --local_rank"
#   - text: "the following arguments are required: --local_rank"
#   - text: "the following arguments are required: --local-rank"
#   - text: "Unknown command line flag 'local-rank'"
#   - text: "Unknown command line flag 'local_rank'"
# tags: [multi-gpu, multiprocessing, ddp]
# recover: fix
# timeout: 180
# outranks: [child-failed]
# related: [distributed/rendezvous-env, distributed/child-failed]
# docs: ["https://docs.pytorch.org/docs/stable/elastic/run.html"]
# cases:
#   no-argument:
#     commands:
#       shell: |
#         # not: python -m torch.distributed.launch --nproc_per_node=2 train.py
#         torchrun --nproc-per-node=2 train.py
#       powershell: |
#         $env:RANK = "0"; $env:LOCAL_RANK = "0"; $env:WORLD_SIZE = "1"
#         $env:MASTER_ADDR = "127.0.0.1"; $env:MASTER_PORT = "29500"
#         $env:USE_LIBUV = "0"
#         python train.py
# causes:
#   both-spellings:
#     if: >-
#       (paste("[--local_rank ") and paste("arguments: --local-rank")) or
#       (paste("[--local-rank ") and paste("arguments: --local_rank"))
#     likely: 'paste("--local-rank=")'
#   required:
#     case: both-spellings
#     if: 'paste("arguments are required: --local_rank", "arguments are required: --local-rank")'
#     sample: "train.py: error: the following arguments are required: --local_rank"
#   no-argument:
#     undecided: "only the lines of usage tell whether the script has such an argument, and they are often cut"
# ---

# %%
import os
import subprocess
import sys
from pathlib import Path

os.environ["TORCH_CPP_LOG_LEVEL"] = "FATAL"
os.environ["LOCAL_RANK"] = "3"  # this process is the fourth of a launcher; what it starts gets numbers of its own


def start(launcher, *arguments):
    """Run the launcher; what it and the script print."""
    run = [sys.executable, "-m", launcher, "--nproc-per-node=1", "--master-port=29518", "train.py", *arguments]
    done = subprocess.run(run, capture_output=True, text=True)
    print(done.stdout + done.stderr)
    return done.returncode


Path("train.py").write_text("""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--local_rank", type=int, default=0)
args = parser.parse_args()
""")

# %% break both-spellings
# in a shell: python -m torch.distributed.launch --nproc-per-node=1 train.py
sys.exit(start("torch.distributed.launch"))

# %% check both-spellings
script = Path("train.py").read_text()
print("--local_rank" in script, "--local-rank" in script)  # one spelling only
assert "--local_rank" in script and "--local-rank" not in script

# %% fix both-spellings
import argparse
import os

parser = argparse.ArgumentParser()
rank = int(os.environ.get("LOCAL_RANK", 0))  # torchrun sets it
parser.add_argument("--local-rank", "--local_rank", type=int, default=rank)

# %% proof both-spellings
assert parser.parse_args([]).local_rank == 3  # as torchrun starts it: only the variable
assert parser.parse_args(["--local-rank=1"]).local_rank == 1
assert parser.parse_args(["--local_rank=1"]).local_rank == 1

# %%
Path("train.py").write_text("""
import argparse
import os

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
args = parser.parse_args()
print("local rank", os.environ["LOCAL_RANK"], flush=True)
""")

# %% break no-argument
# in a shell: python -m torch.distributed.launch --nproc-per-node=1 train.py
sys.exit(start("torch.distributed.launch"))

# %% check no-argument
script = Path("train.py").read_text()
print("--local" in script)  # it has no such argument
assert "--local" not in script

# %% proof no-argument
alone = ["--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0", "--local-addr=localhost"]
run = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", *alone, "train.py", "--lr", "0.2"]
made = subprocess.run(run, capture_output=True, text=True)
assert made.returncode == 0 and sorted(made.stdout.split()) == ["0", "1", "local", "local", "rank", "rank"], made.stderr
