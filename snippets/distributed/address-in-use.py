# ---
# wordings:
#   - text: "The server socket has failed to listen on any local network address. port: {port:int}, useIpv6:"
#     exception: DistNetworkError
#     unless: [EACCES, permission denied, Permission denied, EAFNOSUPPORT, EADDRNOTAVAIL]
#     sample: "torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. port: 29777, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use"
#   - text: "The server socket has failed to bind to {address:line} (errno: 98 - Address already in use)"
#     sample: "[W1121 10:59:31.930000716 socket.cpp:525] [c10d] The server socket has failed to bind to [::]:29777 (errno: 98 - Address already in use)."
#   - text: "The server socket has failed to bind to {address:line} (errno: 48 - Address already in use)"
#     sample: "[W socket.cpp:426] [c10d] The server socket has failed to bind to [::]:29500 (errno: 48 - Address already in use)."
#   - text: "The server socket has failed to bind to {address:line} (system error: 10048"
#     sample: "[W socket.cpp:426] [c10d] The server socket has failed to bind to [::]:29500 (system error: 10048 - Only one usage of each socket address (protocol/network address/port) is normally permitted.)."
#   - text: "The server socket has failed to listen on any local network address"
#     unless: [EACCES, permission denied, Permission denied, EAFNOSUPPORT, EADDRNOTAVAIL]
#   - text: "name: EADDRINUSE, message: address already in use"
#   - text: "EADDRINUSE, message: address already in use"
#   - text: "bind: Address already in use"
#     exception: RuntimeError
#     near: [gloo, torch, c10d, TCPStore]
#   - text: "RuntimeError: Address already in use"
#   - text: "(errno: 98 - Address already in use)"
#     near: [server socket, socket.cpp, c10d, network]
#   - text: "Address already in use"
#     near: [init_process_group, TCPStore, c10d, torch.distributed, torch/distributed, 'torch\distributed', rendezvous, MASTER_PORT, master_port]
#   - text: "Tried to launch distributed communication on port `{port:int}`, but another process is utilizing it"
#     exception: ConnectionError
#     sample: "ConnectionError: Tried to launch distributed communication on port `29500`, but another process is utilizing it. Please specify a different port"
# tags: [ddp, multi-gpu, multiprocessing]
# recover: process
# related: [distributed/rendezvous-env, distributed/child-failed]
# docs: ["https://docs.pytorch.org/docs/stable/elastic/run.html"]
# timeout: 120
# cases:
#   other-job:
#     wrong: {port-in-the-variable: "https://github.com/xdit-project/mochi-xdit/issues/22"}
#     commands:
#       shell: torchrun --standalone --nproc-per-node=2 train.py
#       trainer: accelerate launch --main_process_port 0 train.py
# causes:
#   engine-restart:
#     likely: paste("EngineCore", "Engine core", "vllm", "sglang")
#     sample: |
#       (EngineCore_DP0 pid=891) torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. port: 29777, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use
#   other-job:
#     undecided: who holds the port is not printed
#   left-process:
#     undecided: who holds the port is not printed
#   every-rank:
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
os.environ["TORCH_CPP_LOG_LEVEL"] = "ERROR"

# %%
first = socket.create_server(("", 29500))  # an earlier training of yours, or another process

# %% break other-job
from torch.distributed.run import main as torchrun

where = ["--master-addr=127.0.0.1", "--master-port=29500"]
torchrun(["--nproc-per-node=2", *where, "train.py"])

# %% check other-job
with socket.socket() as probe:
    taken = probe.connect_ex(("127.0.0.1", 29500)) == 0
# in a shell: ss -ltnp | grep 29500
print("is there something on port 29500?", taken)
assert taken

# %% proof other-job
run = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2"]
# --standalone is this, with the machine's own name in place of localhost, which a cell without a network cannot look up
alone = ["--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0", "--local-addr=localhost"]
made = subprocess.run([*run, *alone, "train.py"], capture_output=True, text=True)
assert made.returncode == 0 and "ranks: 2" in made.stdout, made.stderr
twice = subprocess.run([*run, "--master-addr=127.0.0.1", "--master-port=29500", "train.py"], capture_output=True, text=True)
assert twice.returncode and "EADDRINUSE" in twice.stderr  # the port is still taken: the option is what cures

# %% wrong port-in-the-variable
# `MASTER_PORT=29501` before a command that names the port itself: torchrun takes its option, and
# sets the variable anew for the processes. The same error.
from torch.distributed.run import main as torchrun

os.environ["MASTER_PORT"] = "29501"
address = ["--master-addr=127.0.0.1", "--master-port=29500"]
torchrun(["--nproc-per-node=2", *address, "train.py"])

# %%
first.close()
address = {"init_method": "tcp://127.0.0.1:29501", "rank": 0, "world_size": 1}
Path("training.py").write_text("import socket, time\nserver = socket.create_server((\"127.0.0.1\", 29501))\nprint(flush=True)\ntime.sleep(60)\n")
left = subprocess.Popen([sys.executable, "training.py"], stdout=subprocess.PIPE)
left.stdout.readline()

# %% break left-process
dist.init_process_group(
    "gloo", init_method="tcp://127.0.0.1:29501", rank=0, world_size=1
)

# %% check left-process
listening = [line.split() for line in open("/proc/net/tcp").readlines()[1:]]
inode = next(
    row[9]
    for row in listening
    if row[1].endswith(f":{29501:04X}") and row[3] == "0A"
)
holds = [
    path.parts[2]
    for path in Path("/proc").glob("[0-9]*/fd/*")
    if path.is_symlink()
    and os.path.exists(path)
    and os.readlink(path) == f"socket:[{inode}]"
]
# in a shell: lsof -i :29501, or fuser 29501/tcp
command = Path(f"/proc/{holds[0]}/cmdline").read_text().split("\0")
print("the port is held by", command[-2])
assert holds == [str(left.pid)]

# %% fix left-process
import os
import signal


def end(pid):
    """Ends a process of your own that was left over."""
    os.kill(pid, signal.SIGTERM)  # in a shell: kill PID


# %% proof left-process
end(left.pid)
assert left.wait(20) == -signal.SIGTERM
dist.init_process_group("gloo", **address)
assert dist.get_world_size() == 1
