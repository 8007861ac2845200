# ---
# wordings:
#   - text: "Need to provide pin_memory allocator to use pin memory"
#     exception: RuntimeError
#   - text: "cannot pin '{type:ident}' only dense CPU tensors can be pinned"
#     exception: RuntimeError
#     sample: "RuntimeError: cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned"
#   - text: "Cannot access accelerator device when none is available"
#     exception: RuntimeError
#     near: [pin_memory]
#   - text: "pin_memory=True requires a CUDA or other accelerator backend"
#     exception: RuntimeError
#   - text: "CUDA error: OS call failed or operation not supported on this OS"
#     exception: [RuntimeError, AcceleratorError]
#     near: ["pin_memory(", "pin memory thread", _pin_memory_loop]
#   - text: "Pin memory thread exited unexpectedly"
#     exception: RuntimeError
#     role: symptom
# tags: [cuda, dataloader]
# recover: process
# needs: ["fault:no GPU is visible"]
# cases:
#   no-accelerator:
#     survives:
#       "without: if torch.cuda.is_available(): x = x.pin_memory()": without a GPU to pin nothing is right; what it does with one needs a GPU
#       "without: x = x.pin_memory()": without a GPU this line is not reached
# related: [data-loading/worker-exception, devices/fork-cuda-init]
# docs: ["https://docs.pytorch.org/docs/stable/notes/cuda.html#use-pinned-memory-buffers"]
# causes:
#   no-accelerator:
#     if: paste("Need to provide pin_memory allocator", "when none is available", "requires a CUDA or other accelerator")
#   refused:
#     if: paste("OS call failed or operation not supported on this OS")
#     sample: "    [i.pin_memory() for i in item.values()]\nRuntimeError: CUDA error: OS call failed or operation not supported on this OS"
#   not-on-cpu:
#     if: read(type)
#   thread:
#     if: paste("Pin memory thread exited unexpectedly")
#     sample: "RuntimeError: Pin memory thread exited unexpectedly"
# ---

# %%
import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # a machine without a GPU

import torch
from torch.utils.data import DataLoader, Dataset

torch.set_default_device(None)
GPU = "meta"  # stands for the GPU: a tensor that does not lie in the computer's memory

# %% break no-accelerator
x = torch.ones(3)
x = x.pin_memory()

# %% check no-accelerator
print(torch.cuda.is_available())
assert not torch.cuda.is_available()

# %% fix no-accelerator
import torch

x = torch.ones(3)
if torch.cuda.is_available():  # pinned memory only serves copies to a GPU
    x = x.pin_memory()

# %% proof no-accelerator
assert torch.equal(x, torch.ones(3)) and not x.is_pinned()

# %%
class Images(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.full((3,), float(index)).to(GPU)  # mostly .cuda()


# %% break not-on-cpu
image = Images()[0]
image.pin_memory()  # what DataLoader(pin_memory=True) does with each batch

# %% check not-on-cpu
print(Images()[0].device, Images()[0].layout)  # cpu and torch.strided can be pinned
assert Images()[0].device.type != "cpu"

# %% fix not-on-cpu
import torch
from torch.utils.data import Dataset


class Images(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        # stays on the CPU; the loop moves whole batches
        return torch.full((3,), float(index))


# %% proof not-on-cpu
batch = next(iter(DataLoader(Images(), batch_size=4)))
assert batch.device.type == "cpu" and batch[:, 0].tolist() == [0.0, 1.0, 2.0, 3.0]
