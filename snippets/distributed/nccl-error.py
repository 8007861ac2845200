# ---
# wordings:
#   - text: "Duplicate GPU detected : rank {first:int} and rank {second:int} both on CUDA device {bus:ident}"
#     sample: "Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 10"
#   - text: "NCCL error in: {_:path}, {status:line}, NCCL version {version:ident}"
#     exception: DistBackendError
#     near: [NCCL version]
#     sample: "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:317, internal error - please report this issue to the NCCL developers, NCCL version 2.21.5"
#   - text: "NCCL error in: {_:path}, unhandled system error"
#     sample: "RuntimeError: NCCL error in: /pytorch/torch/lib/c10d/ProcessGroupNCCL.cpp:784, unhandled system error"
#   - text: "NCCL error in: {_:path}, unhandled cuda error"
#     sample: "RuntimeError: NCCL error in: /pytorch/torch/lib/c10d/ProcessGroupNCCL.cpp:784, unhandled cuda error"
#   - text: "NCCL error in: {_:path}, internal error"
#     sample: "RuntimeError: NCCL error in: /pytorch/torch/lib/c10d/ProcessGroupNCCL.cpp:492, internal error"
#   - text: "NCCL error in: {_:path}, invalid argument"
#     sample: "RuntimeError: NCCL error in: /pytorch/torch/lib/c10d/../c10d/NCCLUtils.hpp:29, invalid argument"
#   - text: "NCCL error in: {_:path}, invalid usage"
#     sample: "RuntimeError: NCCL error in: /pytorch/torch/lib/c10d/../c10d/NCCLUtils.hpp:29, invalid usage"
#   - text: "NCCL error in: {_:path}, remote process exited or there was a network error"
#     sample: "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:275, remote process exited or there was a network error"
#   - text: "remote process exited or there was a network error, NCCL version"
#   - text: "NCCL error: unhandled system error"
#     exception: RuntimeError
#   - text: "NCCL error: unhandled cuda error"
#     exception: RuntimeError
#   - text: "NCCL error: internal error"
#     exception: RuntimeError
#   - text: "NCCL error: invalid argument"
#     exception: RuntimeError
#   - text: "NCCL error: invalid usage"
#     exception: RuntimeError
#   - text: "NCCL error: remote process exited or there was a network error"
#     exception: RuntimeError
#   - text: "NCCL Error {code:int}: unhandled cuda error"
#     exception: RuntimeError
#     sample: "RuntimeError: NCCL Error 1: unhandled cuda error"
#   - text: "NCCL Error {code:int}: unhandled system error"
#     exception: RuntimeError
#     sample: "RuntimeError: NCCL Error 2: unhandled system error"
#   - text: "NCCL Error {code:int}: internal error"
#     exception: RuntimeError
#     sample: "RuntimeError: NCCL Error 3: internal error"
#   - text: "NCCL Error {code:int}: invalid argument"
#     exception: RuntimeError
#     sample: "RuntimeError: NCCL Error 4: invalid argument"
#   - text: "NCCL Error {code:int}: invalid usage"
#     exception: RuntimeError
#     sample: "RuntimeError: NCCL Error 5: invalid usage"
#   - text: "ncclSystemError: System call"
#   - text: "ncclUnhandledCudaError: Call to CUDA"
#   - text: "ncclInternalError: Internal check failed"
#   - text: "ncclInvalidUsage: This usually reflects invalid usage of NCCL library"
#   - text: "ncclInvalidArgument: Invalid value for an argument"
#   - text: "ncclRemoteError: A call failed possibly due to a network error"
#   - text: "NCCL WARN {warning:line}"
#     near: [torch, ProcessGroupNCCL, vllm]
#     unless: [tensorflow.python, horovod, nccl-tests, all_reduce_perf, "Test NCCL failure", paddle, mxnet, cupy, jaxlib, xla/]
#     sample: "torch/distributed/distributed_c10d.py host:4016:4653 [7] misc/ibvwrap.cc:190 NCCL WARN Call to ibv_create_cq failed with error Cannot allocate memory"
#   - text: "Using RTX {_:int} series doesn't support faster communication"
#     exception: NotImplementedError
#     sample: "NotImplementedError: Using RTX 4000 series doesn't support faster communication broadband via P2P or IB. Please set `NCCL_P2P_DISABLE=\"1\"` and `NCCL_IB_DISABLE=\"1\" or use `accelerate launch` which will do this automatically."
#   - text: "Using RTX {_:int} or {_:int} series doesn't support faster communication"
#     exception: NotImplementedError
#     sample: "NotImplementedError: Using RTX 3090 or 4000 series doesn't support faster communication broadband via P2P or IB."
#   - text: "NCCL communicator was aborted on rank {rank:int}"
#     role: symptom
#     sample: "torch.distributed.DistBackendError: NCCL communicator was aborted on rank 1."
# tags: [multi-gpu, multiprocessing, container]
# recover: process
# cases:
#   same-gpu:
#     wrong: {visible-devices: "https://github.com/Intellindust-AI-Lab/DEIM/issues/113"}
#     silent: true
#   wrong-interface:
#     silent: true
#     needs: ["package:nvidia.nccl"]
#     commands:
#       linux: |
#         ip -br addr  # which interface has the address by which the machines reach each other?
#         export NCCL_SOCKET_IFNAME=eth0  # that one, on every machine; on a single machine: unset NCCL_SOCKET_IFNAME
#         NCCL_DEBUG=WARN torchrun --nproc-per-node=2 train.py
#       docker: docker run -e NCCL_SOCKET_IFNAME=eth0 …
#       slurm: |
#         unset NCCL_SOCKET_IFNAME  # in the job script: a name that suits one node may be missing on another
#         srun torchrun …
#   cuda-call:
#     unbroken: "a CUDA error on a GPU under NCCL"
#     commands:
#       linux: "NCCL_DEBUG=WARN torchrun --standalone --nproc_per_node=gpu train.py 2>&1 | grep \"Cuda failure\""
#   rtx-4000:
#     unbroken: "GPUs of the RTX 4000 series"
#     commands:
#       torchrun: NCCL_P2P_DISABLE=1 NCCL_IB_DISABLE=1 torchrun --standalone --nproc_per_node=gpu train.py
#       trainer: NCCL_P2P_DISABLE=1 NCCL_IB_DISABLE=1 accelerate launch train.py
#   shared-memory:
#     unbroken: "NCCL on GPUs in a container"
#     commands:
#       docker: docker run --gpus all --shm-size=8g -it IMAGE
# related: [distributed/child-failed, distributed/nccl-cpu-tensor, distributed/collective-deadlock, memory/cuda-oom]
# docs: ["https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html", "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html"]
# causes:
#   same-gpu:
#     if: paste("Duplicate GPU detected")
#     likely: paste("invalid usage", "ncclInvalidUsage", "NCCL Error 5")
#     sample: |
#       torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:275, invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.20.5
#       ncclInvalidUsage: This usually reflects invalid usage of NCCL library.
#       Last error:
#       Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 10
#   wrong-interface:
#     if: paste("no socket interface found", "No interface found")
#     sample: |
#       torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1691, internal error - please report this issue to the NCCL developers, NCCL version 2.19.3
#       ncclInternalError: Internal check failed.
#       Last error:
#       Bootstrap : no socket interface found
#   shared-memory:
#     if: paste("/dev/shm/nccl", "shared memory segment", "posix_fallocate failed")
#     sample: |
#       node:77:130 [0] include/shm.h:48 NCCL WARN Error while creating shared memory segment nccl-shm-recv-b3d54cebe4167a34-0-2-3 (size 9637888)
#       RuntimeError: NCCL error in: /pytorch/torch/lib/c10d/ProcessGroupNCCL.cpp:784, unhandled system error, NCCL version 2.7.8
#   infiniband:
#     if: paste("Got completion from peer", "Call to ibv_", "ibv_reg_mr", "ibv_create_qp", "ibv_modify_qp")
#     sample: |
#       torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:275, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.20.5
#       ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.
#       Last error:
#       Call to ibv_create_cq failed with error Cannot allocate memory
#   other-rank:
#     if: paste("ncclRemoteError", "remote process exited or there was a network error", "Connection closed by remote peer", "Connection reset by peer")
#     sample: |
#       torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:275, remote process exited or there was a network error, NCCL version 2.20.5
#       ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.
#   rtx-4000:
#     if: paste("doesn't support faster communication")
#     sample: "NotImplementedError: Using RTX 4000 series doesn't support faster communication broadband via P2P or IB."
#   peer-to-peer:
#     if: paste("peer access is not supported", "peer access is already", "Cuda failure 'peer")
#     sample: |
#       RuntimeError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:219, unhandled cuda error, NCCL version 2.14.3
#       ncclUnhandledCudaError: Call to CUDA function failed.
#       Last error:
#       Cuda failure 'peer access is not supported between these two devices'
#   cuda-call:
#     if: paste("unhandled cuda error", "ncclUnhandledCudaError", "Cuda failure")
#     sample: "RuntimeError: NCCL error: unhandled cuda error (run with NCCL_DEBUG=INFO for details)"
# ---

# %%
import os

import torch
import torch.distributed as dist
from torch import nn

# The second process on the second of two machines, as torchrun starts them.
os.environ.update(RANK="5", LOCAL_RANK="1", WORLD_SIZE="8")
# No GPU is touched: what each call would use is noted.
current, used = [0], []  # without set_device that is the first GPU
torch.cuda.set_device = lambda device: current.append(torch.device("cuda", device).index)
dist.init_process_group = lambda backend: used.append(("group", current[-1]))
model = nn.Linear(4, 2)
model.to = lambda device: used.append(("model", current[-1] if device == "cuda" else device)) or model

# %% break same-gpu
dist.init_process_group("nccl")
model = model.to("cuda")  # without a number: the current GPU, in every process
assert used == [("group", 0), ("model", 0)] and os.environ["LOCAL_RANK"] == "1"

# %% check same-gpu
# in every process: each must print another GPU
print("LOCAL_RANK", os.environ.get("LOCAL_RANK"), "GPU", current[-1])
# with GPUs that is torch.cuda.current_device()
assert int(os.environ["LOCAL_RANK"]) != current[-1]

# %% fix same-gpu
import os

import torch
import torch.distributed as dist

local_rank = int(os.environ["LOCAL_RANK"])  # torchrun sets it for each process
torch.cuda.set_device(local_rank)  # before anything touches a GPU
dist.init_process_group("nccl")
model = model.to(local_rank)

# %% proof same-gpu
assert used == [("group", 1), ("model", 1)]

# %% wrong visible-devices
# `CUDA_VISIBLE_DEVICES=0,1`, the same for all processes: each sees both GPUs and still takes the
# first one.
os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"
local_rank = int(os.environ["LOCAL_RANK"])
dist.init_process_group("nccl")
model = model.to("cuda")

# %%
import socket
import subprocess
import sys

NCCL = """
import ctypes
from pathlib import Path

import nvidia.nccl  # NVIDIA's wheel: the real NCCL

nccl = ctypes.CDLL(str(next(Path(nvidia.nccl.__path__[0]).glob("lib/libnccl.so.*"))))
nccl.ncclGetErrorString.restype = ctypes.c_char_p
status = nccl.ncclGetUniqueId(ctypes.create_string_buffer(128))  # the first thing that rank 0 does
print("NCCL:", nccl.ncclGetErrorString(status).decode())
"""


def start_nccl(**settings):
    """What NCCL prints when a process starts it with these environment variables."""
    inherited = {name: text for name, text in os.environ.items() if not name.startswith("NCCL_")}
    done = subprocess.run([sys.executable, "-c", NCCL], env={**inherited, **settings}, capture_output=True, text=True)
    return (done.stdout + done.stderr).strip()


# %% break wrong-interface
output = start_nccl(NCCL_SOCKET_IFNAME="eth7", NCCL_DEBUG="WARN")
print(output)
assert "NCCL WARN" in output and "no socket interface found" in output
assert "no error" not in output

# %% check wrong-interface
wanted = "eth7"  # what `echo $NCCL_SOCKET_IFNAME` prints
names = [name for number, name in socket.if_nameindex()]
print(wanted, "is one of", names, ":", wanted in names)
assert wanted not in names

# %% proof wrong-interface
assert "lo" in [name for number, name in socket.if_nameindex()]
assert start_nccl(NCCL_SOCKET_IFNAME="lo") == "NCCL: no error"  # a name that there is
assert start_nccl() == "NCCL: no error"  # no name: NCCL looks for itself
assert "no error" not in start_nccl(NCCL_SOCKET_IFNAME="eth7")
