# ---
# wordings:
#   - text: "The client socket has timed out after {ms:int}ms while trying to connect to ({host:line}, {port:int})"
#     exception: [DistNetworkError, TimeoutError, RuntimeError]
#     sample: "torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while trying to connect to (172.17.0.9, 46229)."
#   - text: "The client socket has timed out after {s:int}s while trying to connect to ({host:line}, {port:int})"
#     exception: [TimeoutError, RuntimeError]
#     sample: "TimeoutError: The client socket has timed out after 900s while trying to connect to (192.168.1.12, 8514)."
#   - text: "The client socket has failed to connect to any network address of ({host:line}, {port:int})"
#     exception: [DistNetworkError, RuntimeError]
#     sample: "torch.distributed.DistNetworkError: The client socket has failed to connect to any network address of (kubernetes.docker.internal, 29500)."
#   - text: "Timed out after {s:int} seconds waiting for clients. {joined:int}/{all:int} clients joined"
#     exception: [DistStoreError, RuntimeError]
#     sample: "torch.distributed.DistStoreError: Timed out after 601 seconds waiting for clients. 1/2 clients joined."
#   - text: "Timed out initializing process group in store based barrier on rank {_:int}, for key: store_based_barrier_key:1 (world_size={all:int}, num_workers_joined={joined:int}, timeout"
#     exception: DistStoreError
#     sample: "torch.distributed.DistStoreError: Timed out initializing process group in store based barrier on rank 1, for key: store_based_barrier_key:1 (world_size=2, num_workers_joined=1, timeout=0:30:00)"
#   - text: "Timed out initializing process group in store based barrier on rank: {_:int}, for key: store_based_barrier_key:1 (world_size={all:int}, worker_count={joined:int}, timeout"
#     exception: RuntimeError
#     sample: "RuntimeError: Timed out initializing process group in store based barrier on rank: 0, for key: store_based_barrier_key:1 (world_size=2, worker_count=1, timeout=0:30:00)"
#   - text: "Timed out initializing process group in store based barrier on rank"
#     exception: [RuntimeError, DistStoreError]
#   - text: "Waiting in store based barrier to initialize process group for rank: {_:int}, key: store_based_barrier_key:1 (world_size={all:int}, num_workers_joined={joined:int}, timeout"
#     role: symptom
#     sample: "INFO - torch.distributed.distributed_c10d - Waiting in store based barrier to initialize process group for rank: 0, key: store_based_barrier_key:1 (world_size=2, num_workers_joined=1, timeout=0:30:00)"
#   - text: "Waiting in store based barrier to initialize process group for rank: {_:int}, key: store_based_barrier_key:1 (world_size={all:int}, worker_count={joined:int}, timeout"
#     role: symptom
#     sample: "Waiting in store based barrier to initialize process group for rank: 0, key: store_based_barrier_key:1 (world_size=4, worker_count=8, timeout=0:30:00)"
#   - text: "Waiting in store based barrier to initialize process group"
#     role: symptom
#   - text: "RuntimeError: Socket Timeout"
#     exception: RuntimeError
#   - text: "DistNetworkError: Socket Timeout"
#     exception: DistNetworkError
#   - text: "DistStoreError: Socket Timeout"
#     exception: DistStoreError
#   - text: "The connection to the C10d store has failed. See inner exception for details"
#     exception: RendezvousConnectionError
#     role: symptom
#   - text: "The client socket has failed to connect to {address:line} (errno: {errno:int} - "
#     role: symptom
#     sample: "[W socket.cpp:663] [c10d] The client socket has failed to connect to [localhost]:29500 (errno: 97 - Address family not supported by protocol)."
#   - text: "The client socket has failed to connect to {address:line} (system error: {wsa:int} - "
#     role: symptom
#     sample: "[W socket.cpp:663] [c10d] The client socket has failed to connect to [kubernetes.docker.internal]:29500 (system error: 10049 - The requested address is not valid in its context.)."
#   - text: "The client socket cannot be initialized to connect to {address:line} (errno: {errno:int} - "
#     role: symptom
#     sample: "[W socket.cpp:601] [c10d] The client socket cannot be initialized to connect to [localhost]:29500 (errno: 97 - Address family not supported by protocol)."
#   - text: "The server socket cannot be initialized on {address:line} (errno: {errno:int} - "
#     role: symptom
#     sample: "[W socket.cpp:426] [c10d] The server socket cannot be initialized on [::]:29500 (errno: 97 - Address family not supported by protocol)."
#   - text: "The server socket has failed to listen on {address:line} (errno: {errno:int} - "
#     role: symptom
#     sample: "[W socket.cpp:426] [c10d] The server socket has failed to listen on [::]:29500 (errno: 97 - Address family not supported by protocol)."
#   - text: "cannot be retrieved (gai error: {gai:int} - "
#     role: symptom
#     near: [c10d, network addresses of]
#     sample: "[W socket.cpp:436] [c10d] The IPv6 network addresses of (gpu-node-1, 29500) cannot be retrieved (gai error: -2 - Name or service not known)."
#   - text: "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError"
#   - text: "_create_c10d_store (torch/distributed/rendezvous.py:{_:int})"
#     role: symptom
#     unless: ["%Own", ");"]  # py-spy top and record: a program that runs
#     sample: "    _create_c10d_store (torch/distributed/rendezvous.py:199)"
#   - text: "rendezvous.py\", line {_:int} in _create_c10d_store"
#     role: symptom
#     near: ["most recent call first"]
#     unless: ["Fatal Python error", "Windows fatal exception"]
#     sample: |
#       Timeout (0:05:00)!
#       Thread 0x00007f9d583f1b80 (most recent call first):
#         File "/usr/lib/python3/site-packages/torch/distributed/rendezvous.py", line 199 in _create_c10d_store
# tags: [multi-gpu, multiprocessing, ddp, hang]
# recover: process
# timeout: 180
# related: [distributed/rendezvous-env, distributed/address-in-use, distributed/child-failed, distributed/nccl-error]
# docs: ["https://docs.pytorch.org/docs/stable/elastic/run.html", "https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.TCPStore"]
# cases:
#   unreachable:
#     commands:
#       linux: |
#         # on the first machine: its address in the network that the machines share
#         hostname -I
#         # on both; 192.168.1.10 stands for that address, the rank differs
#         torchrun --nnodes=2 --node-rank=0 --master-addr=192.168.1.10 --master-port=29500 --nproc-per-node=8 train.py
#         torchrun --nnodes=2 --node-rank=1 --master-addr=192.168.1.10 --master-port=29500 --nproc-per-node=8 train.py
#       slurm: |
#         export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
#         srun torchrun --nnodes=$SLURM_NNODES --node-rank=$SLURM_NODEID --master-addr=$MASTER_ADDR --master-port=29500 train.py
#       trainer: accelerate launch --num_machines 2 --machine_rank 0 --main_process_ip 192.168.1.10 --main_process_port 29500 --num_processes 16 train.py
#   rank0-missing:
#     commands:
#       shell: torchrun --standalone --nproc-per-node=2 train.py
#       powershell: |
#         $env:RANK = "0"; $env:LOCAL_RANK = "0"; $env:WORLD_SIZE = "1"
#         $env:MASTER_ADDR = "127.0.0.1"; $env:MASTER_PORT = "29500"
#         $env:USE_LIBUV = "0"
#         python train.py
#   too-few:
#     commands:
#       shell: torchrun --nnodes=1 --nproc-per-node=2 train.py
# causes:
#   unreachable:
#     likely: >-
#       read(host) and not begins(host, "127.0.0.1", "localhost", "::1")
#       or paste("client socket has timed out after") and not paste("127.0.0.1", "localhost", "[::1]")
#     sample: |
#       [E socket.cpp:860] [c10d] The client socket has timed out after 60s while trying to connect to 192.168.0.1:1234
#       torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The connection to the C10d store has failed. See inner exception for details.
#   too-few:
#     if: joined < all
#   too-many:
#     if: joined > all
#     sample: "Waiting in store based barrier to initialize process group for rank: 0, key: store_based_barrier_key:1 (world_size=4, worker_count=8, timeout=0:30:00)"
#   own-name:
#     case: rank0-missing
#     if: wsa == 10049 or begins(host, "kubernetes.docker.internal")
#     likely: begins(host, "DESKTOP-", "LAPTOP-") or paste("[kubernetes.docker.internal]", "[DESKTOP-", "[LAPTOP-")
#     sample: "[W socket.cpp:663] [c10d] The client socket has failed to connect to [kubernetes.docker.internal]:29500 (system error: 10049 - The requested address is not valid in its context.)."
#   harmless:
#     if: (errno == 97 or errno == 99) and not paste("timed out", "to any network address", "Error", "ERROR")
#     sample: "[W socket.cpp:663] [c10d] The client socket has failed to connect to [localhost]:29500 (errno: 97 - Address family not supported by protocol)."
#   rank0-missing:
#     likely: begins(host, "127.0.0.1", "localhost", "::1")
# ---

# %%
import os
import socket
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist

Path("train.py").write_text("""
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
total = torch.ones(1)
dist.all_reduce(total)
if dist.get_rank() == 0:
    print("ranks:", int(total), flush=True)
dist.destroy_process_group()
""")
os.environ["TORCH_CPP_LOG_LEVEL"] = "FATAL"
address = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29517"}
os.environ.update(RANK="1", WORLD_SIZE="2", **address)
TIMEOUT = timedelta(seconds=2)  # in place of ten minutes
START = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=1", "--master-port=29517"]


def start(*options):
    return subprocess.Popen([*START, *options, "train.py"], stdout=subprocess.PIPE, text=True)


# %% break unreachable
os.environ["MASTER_ADDR"] = "192.0.2.10"  # an address of no machine
dist.init_process_group("gloo", timeout=TIMEOUT)

# %% check unreachable
# on the machine that fails, while rank 0 waits on the other
import socket

try:
    socket.create_connection(("192.0.2.10", 29517), timeout=2).close()
    reached = True
except OSError as error:
    print(error)  # refused: nobody listens; else: the network or a firewall
    reached = False
assert not reached

# %% proof unreachable
# two machines stand here as two launchers that meet at an address which both reach
pair = [start("--nnodes=2", f"--node-rank={rank}", "--master-addr=127.0.0.1") for rank in range(2)]
output = "".join(one.communicate(timeout=120)[0] for one in pair)
assert all(one.returncode == 0 for one in pair) and "ranks: 2" in output, output

# %% break rank0-missing
dist.init_process_group("gloo", timeout=TIMEOUT)  # rank 1; nobody is rank 0

# %% check rank0-missing
# in a shell: ss -ltnp | grep 29517
with socket.socket() as probe:
    listens = probe.connect_ex(("127.0.0.1", 29517)) == 0
print("is a process listening on port 29517 here?", listens)
assert not listens

# %% proof rank0-missing
# --standalone is this, with the machine's own name in place of localhost, which a cell without a network cannot look up
alone = ["--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0", "--local-addr=localhost"]
run = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", *alone, "train.py"]
made = subprocess.run(run, capture_output=True, text=True)
assert made.returncode == 0 and "ranks: 2" in made.stdout, made.stderr

# %% break too-few
os.environ["RANK"] = "0"  # the only process, of two that WORLD_SIZE promises
dist.init_process_group("gloo", timeout=TIMEOUT)

# %% check too-few
# every machine has to start its part: nnodes x nproc-per-node processes in all
started = 1
print(started, "of", os.environ["WORLD_SIZE"], "processes were started")
assert started < int(os.environ["WORLD_SIZE"])

# %% proof too-few
one = start("--nnodes=1", "--master-addr=127.0.0.1")
output = one.communicate(timeout=120)[0]
assert one.returncode == 0 and "ranks: 1" in output, output
