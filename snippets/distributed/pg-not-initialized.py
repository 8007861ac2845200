# ---
# wordings:
#   - text: "Default process group has not been initialized, please make sure to call init_process_group"
#   - text: "Default process group has not been initialized"
#   - text: "Default process group is not initialized"
#     exception: AssertionError
# tags: [batchnorm, ddp, multi-gpu, multiprocessing]
# recover: fix
# related: [distributed/rendezvous-env, distributed/child-failed]
# docs: ["https://docs.pytorch.org/docs/stable/distributed.html#initialization"]
# causes:
#   sync-batchnorm:
#     if: frames("modules/batchnorm.py", "modules\\batchnorm.py", "ops/sync_bn.py", "ops\\sync_bn.py")
#     likely: paste("SyncBN", "SyncBatchNorm", "syncbn", "convert_sync_batchnorm")
#     sample: |
#       File "/opt/conda/lib/python3.8/site-packages/torch/nn/modules/batchnorm.py", line 539, in forward
#         world_size = torch.distributed.get_world_size(process_group)
#       RuntimeError: Default process group has not been initialized, please make sure to call init_process_group.
#   one-process:
#     undecided: whether several processes are wanted is not printed
#   too-late:
#     undecided: the order of the calls is not printed
#   new-process:
#     likely: frames("_worker_loop", "multiprocessing/spawn.py") or paste("in DataLoader worker process")
#     sample: |
#       ValueError: Caught ValueError in DataLoader worker process 0.
#       ValueError: Default process group has not been initialized, please make sure to call init_process_group.
# ---

# %%
import os
import socket

import torch
import torch.distributed as dist
from torch import nn

with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK="0", WORLD_SIZE="1")  # as torchrun does
loss = torch.tensor(2.0, requires_grad=True)

# %% break one-process
dist.all_reduce(loss)  # code for several GPUs, run as one process

# %% check one-process
print(dist.is_available(), dist.is_initialized())  # is there a group, here and now?
assert not dist.is_initialized()


# %% fix one-process
import torch.distributed as dist


def mean_over_ranks(loss):
    if not dist.is_initialized():
        return loss  # one process: there is nothing to add
    total = loss.detach().clone()
    dist.all_reduce(total)
    return total / dist.get_world_size()


# %% proof one-process
assert mean_over_ranks(loss).item() == 2
dist.init_process_group("gloo")
calls, real = [], dist.all_reduce
dist.all_reduce = lambda tensor: (calls.append(1), real(tensor), tensor.add_(4))  # as if another rank had added 4
dist.get_world_size = lambda: 2
mean = mean_over_ranks(loss)
assert mean.item() == 3 and calls == [1] and not mean.requires_grad
assert loss.item() == 2  # the loss itself is as it was

# %% break too-late
model = nn.parallel.DistributedDataParallel(nn.Linear(3, 2))
dist.init_process_group("gloo")

# %% check too-late
print(dist.is_initialized())  # on the line above the one that fails
assert not dist.is_initialized()

# %%
model = nn.Linear(3, 2)

# %% fix too-late
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")  # first
model = DDP(model)  # then everything that needs the group

# %% proof too-late
assert isinstance(model, DDP) and dist.get_world_size() == 1
model(torch.ones(1, 3)).sum().backward()
assert torch.equal(model.module.weight.grad, torch.ones(2, 3))
