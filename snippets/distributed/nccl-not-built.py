# ---
# wordings:
#   - text: "Distributed package doesn't have NCCL built in"
#     exception: RuntimeError
#   - text: "Distributed package doesn't have MPI built in"
#     exception: RuntimeError
#   - text: "Distributed package doesn't have Gloo built in"
#     exception: RuntimeError
#   - text: "Distributed package doesn't have XCCL built in"
#     exception: RuntimeError
#   - text: "ProcessGroupNCCL is only supported with GPUs, no GPUs found"
#     exception: [RuntimeError, ValueError]
#   - text: "Unknown c10d backend type {backend:ident}"
#     exception: [AssertionError, RuntimeError]
#     sample: "AssertionError: Unknown c10d backend type UCC"
#   - text: "RuntimeError: _Map_base::at"
#     near: [init_process_group, torch/distributed, 'torch\distributed', distributed_c10d, rendezvous]
#     sample: |
#       File "/opt/conda/lib/python3.7/site-packages/torch/distributed/distributed_c10d.py", line 400, in init_process_group
#       RuntimeError: _Map_base::at
# tags: [multi-gpu, multiprocessing, ddp]
# recover: fix
# related: [distributed/nccl-error, distributed/nccl-cpu-tensor, install-env/not-compiled-with-cuda]
# docs: ["https://docs.pytorch.org/docs/stable/distributed.html#backends"]
# causes:
#   accelerator:
#     if: paste("/torch_npu/", "import torch_npu", "/torch_mlu/", "/torch_musa/", "/usr/local/Ascend", "npu-smi")
#     sample: |
#       Traceback (most recent call last):
#         File "/usr/local/lib/python3.10/site-packages/torch_npu/distributed/distributed_c10d.py", line 691, in _new_process_group_helper
#       RuntimeError: Distributed package doesn't have NCCL built in
#   windows:
#     case: no-nccl
#     if: paste("NCCL built in") and paste("site-packages\\torch", "lib\\site-packages", "Lib\\site-packages", "C:\\Users", "C:/Users/", "C:\\actions-runner")
#     sample: |
#       File "C:\Users\user\miniconda3\lib\site-packages\torch\distributed\distributed_c10d.py", line 1013, in _new_process_group_helper
#       RuntimeError: Distributed package doesn't have NCCL built in
#   mac:
#     case: no-nccl
#     if: paste("NCCL built in") and paste('"/Users/', "File /Users/", "/opt/homebrew/")
#     sample: |
#       File "/Users/user/venv/lib/python3.10/site-packages/torch/distributed/distributed_c10d.py", line 1013, in _new_process_group_helper
#       RuntimeError: Distributed package doesn't have NCCL built in
#   jetson:
#     case: no-nccl
#     if: paste("NCCL built in") and paste("Jetson", "jetson", "+nv22", "+nv23", "+nv24", "a0+nv", "JetPack", "Jetpack", "jetpack", "tegra")
#     sample: |
#       torch 2.1.0a0+41361538.nv23.06, Jetson AGX Orin
#       RuntimeError: Distributed package doesn't have NCCL built in
#   cpu-build:
#     likely: paste("NCCL built in") and paste("site-packages/torch", "dist-packages/torch", "+cpu")
#     sample: |
#       File "/home/user/miniconda3/lib/python3.10/site-packages/torch/distributed/distributed_c10d.py", line 1013, in _new_process_group_helper
#       RuntimeError: Distributed package doesn't have NCCL built in
#   no-nccl:
#     undecided: the system is not printed
#   no-gpu:
#     if: paste("no GPUs found")
#     sample: "ValueError: ProcessGroupNCCL is only supported with GPUs, no GPUs found!"
#   other-backend:
#     if: paste("MPI built in", "Gloo built in", "XCCL built in", "Unknown c10d backend type", "_Map_base::at")
#     sample: "RuntimeError: Distributed package doesn't have MPI built in. MPI is only included if you build PyTorch from source on a host that has MPI installed."
# ---

# %%
import os
import socket

import torch
import torch.distributed as dist

with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK="0", WORLD_SIZE="1")  # as torchrun does
dist.distributed_c10d._NCCL_AVAILABLE = False  # so it is in a CPU build, on Windows and on a Mac anyway
torch.cuda.is_available = lambda: True  # Windows has GPUs, and no NCCL

# %% break no-nccl
dist.init_process_group("nccl")

# %% check no-nccl
import sys

import torch

print(sys.platform, torch.__version__, torch.version.cuda)
print(dist.is_nccl_available())  # NCCL is in CUDA builds for Linux only
assert not dist.is_nccl_available()

# %% fix no-nccl
import torch.distributed as dist

backend = "nccl" if dist.is_nccl_available() else "gloo"
dist.init_process_group(backend)

# %% proof no-nccl
assert dist.get_backend() == "gloo"
total = torch.tensor(3.0)
dist.all_reduce(total)
assert total == 3
