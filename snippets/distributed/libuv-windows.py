# ---
# wordings:
#   - text: "use_libuv was requested but PyTorch was built without libuv support"
#     exception: [RuntimeError, DistStoreError]
#     sample: "RuntimeError: use_libuv was requested but PyTorch was built without libuv support, run with USE_LIBUV=0 to disable it."
#   - text: "use_libuv was requested but PyTorch was build without libuv support"
#     exception: [RuntimeError, DistStoreError]
# tags: [multiprocessing, multi-gpu, ddp]
# recover: fix
# related: [distributed/nccl-not-built, distributed/rendezvous-network]
# docs: ["https://docs.pytorch.org/tutorials/intermediate/TCPStore_libuv_backend.html"]
# cases:
#   no-libuv:
#     silent: true
#     commands:
#       powershell: |
#         $env:USE_LIBUV = "0"
#         python train.py
#       trainer: |
#         set USE_LIBUV=0
#         accelerate launch --num_processes 1 train.py
#       notebook: |
#         import os
#
#         os.environ["USE_LIBUV"] = "0"  # above init_process_group
#   launcher:
#     silent: true
#     commands:
#       powershell: |
#         $env:RANK = "0"; $env:LOCAL_RANK = "0"; $env:WORLD_SIZE = "1"
#         $env:MASTER_ADDR = "127.0.0.1"; $env:MASTER_PORT = "29500"
#         $env:USE_LIBUV = "0"
#         python train.py
# causes:
#   no-libuv:
#     likely: paste("_create_c10d_store", "init_process_group", "rendezvous.py")
#     sample: |
#       File "C:\Users\pc\Lib\site-packages\torch\distributed\rendezvous.py", line 189, in _create_c10d_store
#         return TCPStore(
#       RuntimeError: use_libuv was requested but PyTorch was build without libuv support
#   launcher:
#     if: frames("static_tcp_rendezvous.py", "c10d_rendezvous_backend.py", "elastic/agent", "elastic\\agent", "distributed/run.py", "distributed\\run.py")
#     sample: |
#       File "C:\Users\pc\Lib\site-packages\torch\distributed\elastic\rendezvous\static_tcp_rendezvous.py", line 67, in next_rendezvous
#         self._store = TCPStore(  # type: ignore[call-arg]
#       RuntimeError: use_libuv was requested but PyTorch was build without libuv support
# ---

# %%
import os
import socket
import sys

import torch
import torch.distributed as dist

with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK="0", WORLD_SIZE="1")
os.environ.pop("USE_LIBUV", None)

# %% break no-libuv
# without a setting torch uses libuv; a build without it then raises the error
store, rank, size = next(dist.rendezvous("env://"))
assert store.libuvBackend

# %% check no-libuv
import torch

print(sys.platform, torch.__version__, os.environ.get("USE_LIBUV"))
assert os.environ.get("USE_LIBUV") is None

# %% proof no-libuv
os.environ["USE_LIBUV"] = "0"  # what the commands set
store, rank, size = next(dist.rendezvous("env://"))
assert not store.libuvBackend
store.set("key", "word")
assert store.get("key") == b"word"  # and it works as before

# %%
os.environ["USE_LIBUV"] = "0"

# %% break launcher
# the launcher's own store, made as torchrun makes it, does not look at the variable
from torch.distributed.elastic.rendezvous import RendezvousParameters
from torch.distributed.elastic.rendezvous.static_tcp_rendezvous import (
    create_rdzv_handler,
)

where = {"backend": "static", "endpoint": f"127.0.0.1:{port}", "run_id": "none"}
parameters = RendezvousParameters(**where, min_nodes=1, max_nodes=1, rank=0)
handler = create_rdzv_handler(parameters)
handler.next_rendezvous()
assert handler._store.libuvBackend and os.environ["USE_LIBUV"] == "0"

# %% check launcher
# started by torchrun, accelerate --multi_gpu or a launcher of the project?
print(os.environ.get("TORCHELASTIC_RUN_ID"))  # None: without a launcher
assert "TORCHELASTIC_RUN_ID" not in os.environ

# %% proof launcher
os.environ["LOCAL_RANK"] = "0"  # with RANK, WORLD_SIZE and the address of above: what the commands set
dist.init_process_group("gloo")
total = torch.ones(1)
dist.all_reduce(total)
assert total == 1 and dist.get_world_size() == 1
dist.destroy_process_group()
store, rank, size = next(dist.rendezvous(f"tcp://127.0.0.1:{port + 1}", rank=0, world_size=1))
assert not store.libuvBackend
