# ---
# wordings:
#   - text: "CUDA error: OS call failed or operation not supported on this OS"
#     unless: [gpu-programs, "pin_memory(", "pin memory thread", _pin_memory_loop]
#   - text: "cuda runtime error ({_:int}) : OS call failed or operation not supported on this OS"
#     sample: "RuntimeError: cuda runtime error (71) : OS call failed or operation not supported on this OS at ..\\torch\\csrc\\generic\\StorageSharing.cpp:253"
#   - text: "error={_:int} : OS call failed or operation not supported on this OS"
#     near: [THC]
#     sample: "THCudaCheck FAIL file=..\\torch\\csrc\\generic\\StorageSharing.cpp line=231 error=71 : OS call failed or operation not supported on this OS"
#   - text: "OS call failed or operation not supported on this OS"
#     near: [StorageSharing, torch, Error 304]
#     unless: ["pin_memory(", "pin memory thread", _pin_memory_loop]
#   - text: "CUDA error: operation not supported"
#     unless: [gpu-programs, "global/shared address space"]
#   - text: "cuda runtime error ({_:int}) : operation not supported"
#     sample: "RuntimeError: cuda runtime error (801) : operation not supported at ..\\torch/csrc/generic/StorageSharing.cpp:247"
#   - text: "error={_:int} : operation not supported"
#     near: [THCudaCheck, StorageSharing]
#     sample: "THCudaCheck FAIL file=..\\torch/csrc/generic/StorageSharing.cpp line=247 error=801 : operation not supported"
# tags: [container, cuda, dataloader, multiprocessing]
# recover: process
# needs: [fork, "fault:the device meta stands for a GPU"]
# cases:
#   dataset: {silent: true, needs: ["torch:2.6"]}
#   shared-model: {silent: true}
#   virtual-gpu:
#     unbroken: "a virtual GPU"
#     commands:
#       linux: |
#         # on the host, as administrator, while the machine is off
#         echo "enable_uvm=1" | sudo tee /sys/bus/mdev/devices/UUID/nvidia/vgpu_params
# related: [devices/pin-memory-fails, devices/fork-cuda-init]
# docs: ["https://docs.pytorch.org/docs/stable/notes/windows.html#cuda-ipc-operations", "https://docs.nvidia.com/cuda/wsl-user-guide/index.html"]
# causes:
#   shared-model:
#     likely: paste("StorageSharing.cpp", "_share_cuda_", "reduce_tensor", "rebuild_cuda_tensor", "_new_shared_cuda")
#     sample: |
#       File ".\train.py", line 73, in train
#         process.start()
#       RuntimeError: cuda runtime error (801) : operation not supported at ..\torch/csrc/generic/StorageSharing.cpp:253
#   dataset:
#     if: >-
#       paste("StorageSharing.cpp", "_share_cuda_", "reduce_tensor", "rebuild_cuda_tensor", "_new_shared_cuda")
#       and paste("utils/data/dataloader.py", "utils\\data\\dataloader.py", "_worker_loop", "DataLoader worker")
#     sample: |
#       File "torch\utils\data\dataloader.py", line 501, in __iter__
#         return _DataLoaderIter(self)
#       RuntimeError: cuda runtime error (71) : OS call failed or operation not supported on this OS at torch\csrc\generic\StorageSharing.cpp:253
#   pinned:
#     likely: paste("pin_memory", "llm_engine", "cache_engine", "swap_space", "cpu_offload", "offload_optimizer")
#     sample: |
#       INFO llm_engine.py:201] # GPU blocks: 7384, # CPU blocks: 6553
#       RuntimeError: CUDA error: OS call failed or operation not supported on this OS
#   virtual-gpu:
#     likely: paste("GRID ", "vGPU", "A10-24Q", "-8Q", "-16Q", "-48C", "-40C")
#     sample: "GPU 0: NVIDIA A10-24Q\nRuntimeError: CUDA error: operation not supported"
#   all-gpus:
# ---

# %%
import multiprocessing

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

multiprocessing.set_start_method("fork", force=True)
torch.manual_seed(0)
GPU = "meta"  # stands for "cuda": a device whose tensors are no memory of the system


class Images(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.full((3,), float(index)).to(GPU)


# %% break dataset
loader = DataLoader(Images(), batch_size=None, num_workers=1)
batch = next(iter(loader))
print(batch.device)
# a tensor of the GPU came from another process: that takes CUDA's IPC
assert batch.device.type != "cpu"

# %% check dataset
print(Images()[0].device)  # cpu is what a worker can hand over everywhere
assert Images()[0].device.type != "cpu"

# %% fix dataset
import torch
from torch.utils.data import Dataset


class Images(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        # stays on the CPU; the loop moves whole batches
        return torch.full((3,), float(index))


# %% proof dataset
loader = DataLoader(Images(), batch_size=4, num_workers=1)
batch = next(iter(loader))
assert batch.device.type == "cpu" and batch.dtype == torch.float32
assert batch.tolist() == [[number] * 3 for number in (0.0, 1.0, 2.0, 3.0)]
assert batch.is_shared()  # it came through the system's shared memory

# %% use dataset
# >>>
class Images(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.full((3,), float(index)).to(GPU)


# <<<
model, seen = nn.Linear(3, 2), []
for batch in DataLoader(Images(), batch_size=2, num_workers=1):
    seen.append(batch.device.type)
    model(batch.cpu()).sum().backward()
assert seen == ["cpu", "cpu"] and model.weight.grad[0].tolist() == [6, 6, 6]

# %%
model = nn.Linear(3, 2)
device = "cpu"  # in the other processes: "cuda"
moved = []  # there is no GPU here, so what is asked for counts


def recorded(name):
    itself = getattr(nn.Module, name)

    def call(self, *arguments):
        moved.append((name, *arguments))
        return itself(self, *arguments)

    return call


nn.Module.cpu, nn.Module.to = recorded("cpu"), recorded("to")

# %% break shared-model
model.to(GPU)
devices = {parameter.device.type for parameter in model.parameters()}
print(devices)
# a process that gets this model would have to share memory of the GPU
assert devices == {"meta"}

# %% fix shared-model
import copy

model = model.cpu().share_memory()  # the shared weights are on the CPU
local = copy.deepcopy(model).to(device)  # in each process: a copy to compute with

# %% proof shared-model
assert moved == [("cpu",), ("to", "cpu")]
assert local is not model and all(parameter.is_shared() for parameter in model.parameters())


def learn():
    with torch.no_grad():
        model.weight.fill_(2.0)


process = multiprocessing.Process(target=learn)
process.start()
process.join()
assert process.exitcode == 0 and (model.weight == 2).all()  # what the other process writes is seen here
assert not (local.weight == 2).any()
