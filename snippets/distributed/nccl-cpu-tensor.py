# ---
# wordings:
#   - text: "No backend type associated with device type {device:device}"
#     exception: RuntimeError
#     sample: "RuntimeError: No backend type associated with device type cpu"
#   - text: "Tensors must be CUDA and dense"
#     exception: [RuntimeError, ValueError]
# tags: [device, multi-gpu, multiprocessing]
# recover: fix
# related: [devices/device-mismatch]
# docs: ["https://docs.pytorch.org/docs/stable/distributed.html#backends"]
# causes:
#   gpu-backend-only:
#     likely: device == "cpu" or paste("Tensors must be CUDA and dense")
#   both-kinds:
#   parameters-on-cpu:
#     if: frames("_verify_param_shape_across_processes", "_sync_module_states", "_sync_params_and_buffers") and (device == "cpu" or paste("Tensors must be CUDA and dense"))
#     sample: |
#       File "torch/nn/parallel/distributed.py", line 822, in __init__
#         _verify_param_shape_across_processes(self.process_group, parameters)
#       RuntimeError: No backend type associated with device type cpu
#   checkpoint-on-cpu:
#     if: frames("distributed/checkpoint/", "_optim_state_dict", "_flatten_optim_state", "_sharded_pre_load_state_dict_hook") and device == "cpu"
#     sample: |
#       File "/opt/conda/lib/python3.10/site-packages/torch/distributed/checkpoint/state_dict.py", line 1100, in set_state_dict
#       RuntimeError: No backend type associated with device type cpu
#   apple-gpu:
#     if: device == "mps"
#     sample: "RuntimeError: No backend type associated with device type mps"
# ---

# %%
import os
import socket

import torch
import torch.distributed as dist

with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK="0", WORLD_SIZE="1")  # as torchrun does
correct = torch.tensor(7.0)  # counted on the CPU

# %%
# A group with a backend for one kind of device only, as "nccl" makes it. There is no GPU here: of two kinds, the one that is not the tensor's.
dist.init_process_group("cuda:gloo")

# %% break gpu-backend-only
dist.all_reduce(correct)

# %% check gpu-backend-only
# the tensor's device, and what the group has a backend for
print(correct.device, dist.get_backend_config())
assert correct.device.type == "cpu" and "cpu" not in dist.get_backend_config()

# %%
dist.destroy_process_group()
dist.init_process_group("cpu:gloo" if not torch.cuda.is_available() else "cuda:gloo")
device = "cuda" if torch.cuda.is_available() else "cpu"  # of the group's backend

# %% fix gpu-backend-only
import torch.distributed as dist


def sum_over_ranks(number):
    # device: this process's GPU, cuda:LOCAL_RANK
    total = number.to(device, copy=True)
    dist.all_reduce(total)
    return total


# %% proof gpu-backend-only
sent, real = [], dist.all_reduce
dist.all_reduce = lambda tensor: (sent.append(tensor.device), real(tensor), tensor.mul_(2))  # as if a second rank had as much
device = torch.device(device)
assert sum_over_ranks(correct).item() == 14 and correct.item() == 7
device = torch.device("meta")  # any other device than the tensor's stands for a GPU here
dist.all_reduce = lambda tensor: sent.append(tensor.device)
sum_over_ranks(correct)
assert sent[1].type == "meta" and correct.device.type == "cpu"
