# ---
# wordings:
#   - text: "destroy_process_group() was not called before program exit, which can leak resources"
#     role: symptom
#     sample: "[rank0]:[W1004 15:16:15.503072590 ProcessGroupNCCL.cpp:1479] Warning: WARNING: destroy_process_group() was not called before program exit, which can leak resources. For more info, please see https://pytorch.org/docs/stable/distributed.html#shutdown (function operator())"
#   - text: "process group has NOT been destroyed before we destruct ProcessGroupNCCL"
#     role: symptom
#     sample: "[rank0]:[W227 10:54:51.986111855 ProcessGroupNCCL.cpp:1374] Warning: WARNING: process group has NOT been destroyed before we destruct ProcessGroupNCCL. On normal program exit, the application should call destroy_process_group to ensure that any pending NCCL operations have finished in this process."
#   - text: "using GPU {gpu:int} to perform barrier as devices used by this process are currently unknown"
#     role: symptom
#     sample: "[PG ID 0 PG GUID 0 Rank 0] using GPU 0 to perform barrier as devices used by this process are currently unknown."
#   - text: "as device used by this process is currently unknown"
#     role: symptom
#     near: [ProcessGroupNCCL, torch, "init_process_group"]
#     sample: "[rank0]:[W ProcessGroupNCCL.cpp:4715] [PG ID 0 PG GUID 0 Rank 0] using GPU 0 as device used by this process is currently unknown."
#   - text: "Guessing device ID based on global rank"
#     role: symptom
#   - text: "barrier(): using the device under current context. You can specify `device_id` in `init_process_group`"
#     exception: UserWarning
#     role: symptom
#   - text: "trying to initialize the default process group twice"
#     exception: [ValueError, RuntimeError]
#     sample: "ValueError: trying to initialize the default process group twice!"
# tags: [ddp, multi-gpu, warning]
# recover: fix
# cases:
#   at-the-end: {silent: true}
# related: [distributed/pg-not-initialized, distributed/child-failed, distributed/collective-deadlock]
# docs: ["https://docs.pytorch.org/docs/stable/distributed.html#shutdown"]
# causes:
#   at-the-end:
#     likely: >-
#       paste("destroy_process_group() was not called", "NOT been destroyed") and not
#       paste("Traceback (most recent call last)", "exitcode: ", "exitcode : ", "OutOfMemoryError")
#     sample: "Warning: WARNING: destroy_process_group() was not called before program exit, which can leak resources."
#   after-error:
#     likely: >-
#       paste("destroy_process_group() was not called", "NOT been destroyed") and paste("Traceback (most recent call last)", "exitcode: ", "exitcode  : ",
#       "OutOfMemoryError")
#       or paste("to perform barrier as", "device used by this process is", "Guessing device ID")
#       and paste("Traceback (most recent call last)", "exitcode: ", "exitcode  : ") and not paste("KeyboardInterrupt")
#     sample: |
#       Traceback (most recent call last):
#         File "train.py", line 12, in <module>
#       KeyError: 'lr'
#       [rank0]:[W1004 15:16:15.503072590 ProcessGroupNCCL.cpp:1479] Warning: WARNING: destroy_process_group() was not called before program exit, which can leak resources.
#   no-device:
#     if: >-
#       paste("to perform barrier as", "device used by this process is", "Guessing device ID", "barrier(): using the device")
#     sample: "[PG ID 0 PG GUID 0 Rank 0] using GPU 0 to perform barrier as devices used by this process are currently unknown."
#   twice:
#     if: paste("default process group twice")
# ---

# %%
import os
import socket

import torch
import torch.distributed as dist

with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]
# what torchrun sets
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK="0", WORLD_SIZE="1")
device = "cpu"


seen = []


def train():
    loss = torch.ones(1, device=device)
    dist.all_reduce(loss)
    seen.append(loss.item())


# %% break at-the-end
def main(train):
    dist.init_process_group()
    train()


main(train)
assert dist.is_initialized()  # the program ends, and the group is still there

# %% check at-the-end
dist.init_process_group()
train()
# as the last line of your program: True is what NCCL warns of
print(dist.is_initialized())
assert dist.is_initialized()

# %% fix at-the-end
import torch.distributed as dist


def main(train):
    dist.init_process_group()
    train()
    dist.destroy_process_group()  # the last line, on every rank


# %% proof at-the-end
main(train)
assert seen == [1.0] and not dist.is_initialized()
dist.init_process_group()  # a second run in the same process can start
dist.destroy_process_group()

# %% break twice
dist.init_process_group()  # your own line, a library's, or the cell was run before
dist.init_process_group()

# %% check twice
dist.init_process_group()
# just before your init_process_group
print(dist.is_initialized())
assert dist.is_initialized()

# %% fix twice
import torch.distributed as dist

if not dist.is_initialized():
    dist.init_process_group()

# %% proof twice
group = dist.group.WORLD
assert dist.is_initialized() and dist.get_world_size() == 1
if not dist.is_initialized():
    dist.init_process_group()
assert dist.group.WORLD is group
