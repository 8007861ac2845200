# ---
# wordings:
#   - text: "CUDA out of memory. Tried to allocate {size:bytes}. GPU {gpu:int} has a total capacity of {total:bytes} of which {free:bytes} is free"
#     exception: OutOfMemoryError
#     device: cuda
#     sample: "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 226.00 MiB. GPU 0 has a total capacity of 15.70 GiB of which 210.38 MiB is free. Including non-PyTorch memory, this process has 15.48 GiB memory in use. Of the allocated memory 14.81 GiB is allocated by PyTorch, and 336.73 MiB is reserved by PyTorch but unallocated."
#   - text: "Of the allocated memory {used:bytes} is allocated by PyTorch, and {cached:bytes} is reserved by PyTorch but unallocated"
#     exception: OutOfMemoryError
#     device: cuda
#     near: ["CUDA out of memory", "HIP out of memory"]
#     sample: "Of the allocated memory 734.07 MiB is allocated by PyTorch, and 33.93 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation."
#   - text: "Of the allocated memory {used:bytes} is allocated by PyTorch, with {_:bytes} allocated in private pools (e.g., CUDA Graphs), and {cached:bytes} is reserved by PyTorch but unallocated"
#     exception: OutOfMemoryError
#     device: cuda
#     near: ["CUDA out of memory", "HIP out of memory"]
#     sample: "Of the allocated memory 13.73 GiB is allocated by PyTorch, with 46.00 MiB allocated in private pools (e.g., CUDA Graphs), and 736.86 MiB is reserved by PyTorch but unallocated."
#   - text: "CUDA out of memory. Tried to allocate {size:bytes}. GPU {gpu:int} has a total capacty of {total:bytes} of which {free:bytes} is free"
#     exception: OutOfMemoryError
#     device: cuda
#     sample: "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.70 GiB. GPU 0 has a total capacty of 6.00 GiB of which 0 bytes is free. Of the allocated memory 2.93 GiB is allocated by PyTorch, and 2.30 GiB is reserved by PyTorch but unallocated."
#   - text: "Tried to allocate {size:bytes} (GPU {gpu:int}; {total:bytes} total capacity; {used:bytes} already allocated; {free:bytes} free; {reserved:bytes} reserved in total by PyTorch"
#     device: cuda
#     sample: "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 4; 31.75 GiB total capacity; 30.29 GiB already allocated; 3.75 MiB free; 30.40 GiB reserved in total by PyTorch)"
#   - text: "Tried to allocate {size:bytes} (GPU {gpu:int}; {total:bytes} total capacity; {used:bytes} already allocated; {free:bytes} free; {cached:bytes} cached)"
#     exception: RuntimeError
#     device: cuda
#     sample: "RuntimeError: CUDA out of memory. Tried to allocate 74.00 MiB (GPU 0; 1.96 GiB total capacity; 1.46 GiB already allocated; 71.50 MiB free; 38.53 MiB cached)"
#   - text: "this process has {mine:bytes} memory in use. {allowed:bytes} allowed; Of the allocated memory"
#     device: cuda
#     sample: "Including non-PyTorch memory, this process has 966.00 MiB memory in use. 512.00 MiB allowed; Of the allocated memory 734.07 MiB is allocated by PyTorch"
#   - text: "of which {free:bytes} is free. {allowed:bytes} allowed; Of the allocated memory"
#     device: cuda
#     sample: "of which 78.12 GiB is free. 512.00 MiB allowed; Of the allocated memory 116.00 MiB is allocated by PyTorch"
#   - text: "this process has {mine:bytes} memory in use"
#     device: cuda
#     near: ["CUDA out of memory", "HIP out of memory"]
#     sample: "Including non-PyTorch memory, this process has 966.00 MiB memory in use. torch.OutOfMemoryError: CUDA out of memory."
#   - text: "CUDA out of memory. Tried to allocate {size:bytes}. GPU"
#     device: cuda
#     sample: "RuntimeError: CUDA out of memory. Tried to allocate 4.70 GiB. GPU 0 has a total"
#   - text: "CUDA out of memory. Tried to allocate {size:bytes}"
#     device: cuda
#     sample: "RuntimeError: CUDA out of memory. Tried to allocate 4.70 GiB."
#   - text: "HIP out of memory. Tried to allocate {size:bytes}"
#     unless: [gpu-programs]
#     device: cuda
#     sample: "RuntimeError: HIP out of memory. Tried to allocate 2.00 GiB"
#   - text: "HIP out of memory. Tried to allocate {size:bytes}. GPU {gpu:int} has a total capacity of {total:bytes} of which {free:bytes} is free"
#     exception: OutOfMemoryError
#     unless: [gpu-programs]
#     device: cuda
#     sample: "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 256.00 GiB. GPU 0 has a total capacity of 80.00 GiB of which 25.38 GiB is free. Of the allocated memory 54.35 GiB is allocated by PyTorch, and 51.48 MiB is reserved by PyTorch but unallocated."
#   - text: "XPU out of memory. Tried to allocate {size:bytes}. GPU {gpu:int} has a total capacity of {total:bytes} of which {free:bytes} is free"
#     exception: OutOfMemoryError
#     device: cuda
#     sample: "torch.OutOfMemoryError: XPU out of memory. Tried to allocate 4.66 GiB. GPU 0 has a total capacity of 5.65 GiB of which 1.65 GiB is free. Of the allocated memory 3.50 GiB is allocated by PyTorch, and 1.81 MiB is reserved by PyTorch but unallocated. Please use `empty_cache` to release all unoccupied cached memory."
#   - text: "XPU out of memory. Tried to allocate {size:bytes}. GPU {gpu:int} has a total capacity of {total:bytes}. Of"
#     exception: OutOfMemoryError
#     device: cuda
#     sample: "torch.OutOfMemoryError: XPU out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total capacity of 15.11 GiB. Of the allocated memory 12.00 GiB is allocated by PyTorch, and 16.00 MiB is reserved by PyTorch but unallocated."
#   - text: "XPU out of memory. Tried to allocate {size:bytes} (GPU {gpu:int}; {total:bytes} total capacity; {used:bytes} already allocated; {reserved:bytes} reserved in total by PyTorch"
#     device: cuda
#     sample: "RuntimeError: XPU out of memory. Tried to allocate 1.71 GiB (GPU 0; 15.56 GiB total capacity; 14.20 GiB already allocated; 14.50 GiB reserved in total by PyTorch)"
#   - text: "NPU out of memory. Tried to allocate {size:bytes} (NPU {gpu:int}; {total:bytes} total capacity; {used:bytes} already allocated; {_:bytes} current active; {free:bytes} free; {reserved:bytes} reserved in total by PyTorch"
#     device: cuda
#     sample: "RuntimeError: NPU out of memory. Tried to allocate 5.03 GiB (NPU 3; 60.96 GiB total capacity; 49.47 GiB already allocated; 49.47 GiB current active; 1.32 GiB free; 57.55 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation."
#   - text: "XPU out of memory"
#     device: cuda
#   - text: "NPU out of memory"
#     device: cuda
#   - text: "CUDA out of memory"
#     role: symptom
#     unless: [gpu-programs]
#     device: cuda
#   - text: "RuntimeError: CUDA out of memory"
#     unless: [gpu-programs]
#     device: cuda
#   - text: "OutOfMemoryError: CUDA out of memory"
#     unless: [gpu-programs]
#     device: cuda
#   - text: "CUDA error: out of memory"
#     exception: AcceleratorError
#     unless: [gpu-programs]
#     device: cuda
#   - text: "CUDA error: out of memory"
#     exception: RuntimeError
#     unless: [gpu-programs]
#     device: cuda
#   - text: "CUDA driver error: out of memory"
#     exception: RuntimeError
#     unless: [gpu-programs]
#     device: cuda
#   - text: "Allocation on device {gpu:int} would exceed allowed memory. (out of memory)"
#     exception: OutOfMemoryError
#     device: cuda
#     sample: "torch.cuda.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of memory)"
#   - text: "Currently allocated : {used:bytes}"
#     device: cuda
#     near: ["Allocation on device"]
#     sample: "torch.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of memory)\nCurrently allocated     : 21.60 GiB"
#   - text: "Requested : {size:bytes}"
#     device: cuda
#     near: ["Allocation on device"]
#     sample: "torch.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of memory)\nRequested               : 5.00 GiB"
#   - text: "Device limit : {total:bytes}"
#     device: cuda
#     near: ["Allocation on device"]
#     sample: "torch.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of memory)\nDevice limit            : 23.99 GiB"
#   - text: "Free (according to CUDA): {free:bytes}"
#     device: cuda
#     near: ["Allocation on device"]
#     sample: "torch.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of memory)\nFree (according to CUDA): 0 bytes"
#   - text: "Allocation on device"
#     exception: OutOfMemoryError
#     device: cuda
#     near: ["OutOfMemoryError", "out of memory", "Exception during processing"]
#   - text: "cuda runtime error (2) : out of memory"
#     exception: RuntimeError
#     device: cuda
#   - text: "error=2 : out of memory"
#     device: cuda
#     near: [THC, torch]
#   - text: "cuda runtime error: out of memory"
#     device: cuda
#   - text: "on startup is less than desired GPU memory utilization"
#     exception: ValueError
#     device: cuda
#     sample: "ValueError: Free memory on device cuda:0 (20.1/23.6 GiB) on startup is less than desired GPU memory utilization (0.92, 21.71 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes."
#   - text: "No available memory for the cache blocks"
#     exception: ValueError
#     device: cuda
#   - text: "which is larger than the available KV cache memory"
#     exception: ValueError
#     device: cuda
#     sample: "ValueError: To serve at least one request with the model's max seq len (131072), (16.00 GiB KV cache is needed, which is larger than the available KV cache memory (4.31 GiB). Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine."
#   - text: "No executable batch size found, reached zero"
#     exception: RuntimeError
#     device: cuda
#   - text: "Got an OOM, unloading all loaded models"
#     role: symptom
#     device: cuda
#   - text: "torch.OutOfMemoryError"
#     role: symptom
#     device: cuda
#   - text: "torch.cuda.OutOfMemoryError"
#     role: symptom
#     device: cuda
#   - text: "Cuda failure 'out of memory'"
#     device: cuda
#   - text: "Cuda failure {_:int} 'out of memory'"
#     device: cuda
#     sample: "NCCL WARN Cuda failure 2 'out of memory'"
#   - text: "cuda runtime error (2)"
#     exception: RuntimeError
#     device: cuda
#   - text: "HIP error: hipErrorOutOfMemory"
#     unless: [gpu-programs]
#     device: cuda
#   - text: "HIP error: out of memory"
#     unless: [gpu-programs]
#     device: cuda
# outranks: [nccl-error, cublas-error, cudnn-not-initialized]
# tags: [batch-size, cuda, fragmentation, inference, oom]
# picture: [memory]
# recover: process
# cases:
#   batch-size: {needs: [cuda]}
#   evaluation:
#     silent: true
#     wrong: {smaller-batch: "https://github.com/XiaoYee/emotion_classification/issues/3"}
#   many-layers: {needs: [cuda]}
#   fragmentation:
#     needs: [cuda]
#     commands:
#       linux: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True python train.py
#       notebook: "%env PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True  # first cell, after a restart of the kernel"
#   other-program:
#     unbroken: "the memory of a GPU that another program has filled"
#     commands:
#       linux: |
#         nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv
#         kill PID  # one of yours, from the list
#         CUDA_VISIBLE_DEVICES=1 python train.py  # or take another GPU
#       powershell: |
#         nvidia-smi
#         Stop-Process -Id PID  # one of yours, from the list
#         $env:CUDA_VISIBLE_DEVICES = "1"; python train.py  # or take another GPU
#   vllm-start:
#     unbroken: "a vLLM server, which needs a GPU"
#     commands:
#       shell: |
#         vllm serve MODEL --max-model-len 8192
#         # another program is on the GPU: a smaller share; alone on it: up to 0.95
#         vllm serve MODEL --max-model-len 8192 --gpu-memory-utilization 0.8
#   collected-outputs:
#     unbroken: "a Trainer's evaluation on a full GPU"
#     commands:
#       trainer: "args = TrainingArguments(..., eval_accumulation_steps=8)  # beside what you set already"
#   model-too-large:
#     unbroken: "a model that is larger than a GPU"
#   optimizer-state:
#     unbroken: "a GPU that the state of the optimizer fills"
#     needs: ["torch:2.5"]
# rows: [S000-21, S001-95, S001-112]
# docs: ["https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management", "https://docs.pytorch.org/docs/stable/torch_cuda_memory.html"]
# causes:
#   batch-size:
#     likely: >-
#       (frames(".backward(") or bytes(used) > bytes(total) / 2) and not (read(cached) and
#       bytes(cached) > bytes(size) and bytes(cached) > bytes(total) / 20) and not (read(reserved)
#       and bytes(reserved) - bytes(used) > bytes(size) and bytes(reserved) - bytes(used) >
#       bytes(total) / 20) and not paste("generate(", "no_grad", "inference_mode",
#       "decorate_context", "omfyUI", "comfy/", "prediction_step") and not
#       frames("retain_graph=True", "create_graph=True", "_apply(", "param_applied",
#       "_tensor_to_device", "_into_meta_model", "create_weights(", "in valid", "in validate", "in
#       validation", "in eval", "in evaluate", "in evaluation") and (frames("closure()") or not
#       frames("torch/optim/", "torch\\optim\\"))
#     undecided: a smaller batch is what most need, but fewer layers, no gradients or a smaller model may be meant by the same numbers
#     sample: |
#       Tried to allocate 20.00 MiB (GPU 0; 10.76 GiB total capacity; 9.58 GiB already allocated; 12.88 MiB free; 9.61 GiB reserved in total by PyTorch)
#   evaluation:
#     likely: >-
#       frames("in valid", "in validate", "in validation", "in evaluate", "in eval", "in
#       evaluation") and not frames(".backward(", "decorate_context", "no_grad", "inference_mode",
#       "prediction_step", "evaluation_loop", "lightning")
#     sample: |
#       Traceback (most recent call last):
#         File "train.py", line 80, in <module>
#           accuracy = validate(model, loader)
#         File "train.py", line 41, in validate
#           outputs = model(images)
#       RuntimeError: CUDA out of memory. Tried to allocate 392.00 MiB.
#   many-layers:
#     undecided: how many layers keep their intermediate values is not printed
#   fragmentation:
#     if: >-
#       (bytes(cached) > bytes(size) and (bytes(cached) > bytes(total) / 4 or bytes(cached) >
#       bytes(allowed) / 4)) or (bytes(reserved) - bytes(used) > bytes(size) and bytes(reserved) -
#       bytes(used) > bytes(total) / 4)
#     likely: >-
#       (bytes(cached) > bytes(size) and (bytes(cached) > bytes(total) / 20 or bytes(cached) >
#       bytes(allowed) / 20)) or (bytes(reserved) - bytes(used) > bytes(size) and bytes(reserved) -
#       bytes(used) > bytes(total) / 20)
#     sample: "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 15.90 GiB total capacity; 9.11 GiB already allocated; 1.02 GiB free; 13.90 GiB reserved in total by PyTorch)"
#   grows:
#     likely: frames("retain_graph=True", "create_graph=True")
#     sample: |
#       Traceback (most recent call last):
#         File "train.py", line 52, in <module>
#           loss.backward(retain_graph=True)
#       RuntimeError: CUDA out of memory. Tried to allocate 392.00 MiB.
#   other-program:
#     if: >-
#       (bytes(total) - bytes(free) - bytes(mine) > bytes(total) / 4 and bytes(total) - bytes(free) - bytes(mine) > 3 * GiB
#       and bytes(size) < bytes(total) - bytes(mine)) or
#       (bytes(total) - bytes(free) - bytes(reserved) > bytes(total) / 2 and bytes(total) - bytes(free) - bytes(reserved) > 3 * GiB
#       and bytes(size) < bytes(total) - bytes(reserved)) or
#       (bytes(total) - bytes(free) - bytes(used) - bytes(cached) > bytes(total) / 2 and bytes(total) - bytes(free) - bytes(used) - bytes(cached) > 3 * GiB
#       and bytes(size) < bytes(total) - bytes(used) - bytes(cached))
#     likely: not read(size) and frames("_lazy_init", "_cuda_init()", "_cuda_setDevice")
#     sample: >-
#       torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.95 GiB. GPU 0 has a total capacity of 14.57 GiB of which 1.58 GiB is free.
#       Process 2493055 has 12.02 GiB memory in use. Including non-PyTorch memory, this process has 966.00 MiB memory in use.
#       Of the allocated memory 734.07 MiB is allocated by PyTorch, and 33.93 MiB is reserved by PyTorch but unallocated.
#   other-gpu: {}
#   larger-than-gpu:
#     if: bytes(size) > bytes(total)
#     sample: "CUDA out of memory. Tried to allocate 74.51 GiB (GPU 0; 23.69 GiB total capacity; 1.40 GiB already allocated; 20.92 GiB free; 1.46 GiB reserved in total by PyTorch)"
#   xpu-limit:
#     likely: >-
#       paste("XPU out of memory") and bytes(used) + bytes(size) < bytes(total) * 0.8
#     sample: |
#       RuntimeError: XPU out of memory. Tried to allocate 1.00 GiB (GPU 0; 15.56 GiB total capacity; 990.00 MiB already allocated; 990.00 MiB reserved in total by PyTorch)
#   model-too-large:
#     likely: frames("self._apply(", "module._apply(", "param_applied = fn(", "set_module_tensor_to_device", "_into_meta_model", "create_weights(")
#     sample: |
#       Traceback (most recent call last):
#         File "chat.py", line 9, in <module>
#           model.to("cuda")
#         File "torch/nn/modules/module.py", line 927, in _apply
#           param_applied = fn(param)
#       torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 250.00 MiB. GPU 0 has a total capacity of 7.78 GiB of which 96.00 MiB is free. Including non-PyTorch memory, this process has 7.67 GiB memory in use. Of the allocated memory 7.55 GiB is allocated by PyTorch, and 1.20 MiB is reserved by PyTorch but unallocated.
#   optimizer-state:
#     if: frames("exp_avg", "exp_avgs", "_init_group")
#     likely: frames("torch/optim/", "torch\\optim\\") and not frames("closure()")
#     sample: |
#       Traceback (most recent call last):
#         File "train.py", line 61, in <module>
#           optimizer.step()
#         File "torch/optim/adamw.py", line 120, in _init_group
#           state["exp_avg"] = torch.zeros_like(
#       torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 32.00 MiB. GPU 0 has a total capacity of 23.65 GiB of which 24.00 MiB is free.
#   collected-outputs:
#     if: frames("nested_concat", "torch_pad_and_concatenate")
#     sample: |
#       Traceback (most recent call last):
#         File "transformers/trainer_pt_utils.py", line 123, in nested_concat
#           return torch_pad_and_concatenate(tensors, new_tensors, padding_index=padding_index)
#       torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.44 GiB. GPU 0 has a total capacity of 23.65 GiB of which 2.10 GiB is free.
#   vllm-start:
#     if: paste("on startup is less than desired GPU memory utilization", "No available memory for the cache blocks", "which is larger than the available KV cache memory")
#     sample: "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine."
#   nccl:
#     if: paste("Cuda failure 'out of memory'", "Cuda failure 2 'out of memory'")
#     sample: "gpu07:2115:2380 [3] include/alloc.h:48 NCCL WARN Cuda failure 'out of memory'"
# ---

# %%
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = "cuda" if torch.cuda.is_available() else "cpu"


def limit(megabytes):
    """Let this process have so much GPU memory: the error of a full GPU in a second, on a GPU of any size."""
    if device == "cuda":
        total = torch.cuda.get_device_properties(0).total_memory
        torch.cuda.set_per_process_memory_fraction(min(1.0, megabytes * 2**20 / total))


def make_model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(64, 4096), nn.ReLU(), nn.Dropout(0.0), nn.Linear(4096, 1)).to(device)


limit(192)
model, loss_fn = make_model(), nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
images, labels = torch.randn(8192, 64, device=device), torch.randn(8192, 1, device=device)
loss_fn(model(images[:64]), labels[:64]).backward()  # gradients of an earlier step

# %% break batch-size
optimizer.zero_grad()
torch.cuda.empty_cache()  # no help: PyTorch does it before it raises
loss_fn(model(images), labels).backward()  # 128 MiB for each large value on the way
optimizer.step()

# %% check batch-size
peaks = []
for batch in (256, 1024):
    torch.cuda.reset_peak_memory_stats()
    loss_fn(model(images[:batch]), labels[:batch]).backward()
    peaks.append(torch.cuda.max_memory_allocated())
    print(batch, peaks[-1] // 2**20, "MiB")  # grows with the batch
assert peaks[1] > peaks[0]

# %% fix batch-size
few = 256  # as many samples as fit
optimizer.zero_grad()
for few_images, few_labels in zip(images.split(few), labels.split(few)):
    loss = loss_fn(model(few_images), few_labels) * len(few_images) / len(images)
    loss.backward()  # frees this part's intermediate values and adds to .grad
optimizer.step()

# %% proof batch-size
limit(2**20)  # room for the whole batch: one step with it ends at the same weights
expected = make_model()
start = [parameter.detach().clone() for parameter in expected.parameters()]
loss_fn(expected(images), labels).backward()
torch.optim.SGD(expected.parameters(), lr=0.1).step()
for new, right, old in zip(model.parameters(), expected.parameters(), start, strict=True):
    torch.testing.assert_close(new - old, right - old, rtol=1e-2, atol=1e-6)
    assert not torch.equal(new, old)

# %%
limit(2**20)


def kept_for_backward(model, *batches):
    """The bytes of intermediate values that the outputs of all batches keep for a backward pass."""
    weights = {parameter.data_ptr() for parameter in model.parameters()}
    kept = {}

    def pack(tensor):
        if tensor.data_ptr() not in weights:
            kept[tensor.data_ptr()] = tensor.nbytes
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        outputs = [model(batch) for batch in batches]
    return sum(kept.values()) if outputs else 0


model = nn.Sequential(nn.Linear(64, 4096), nn.ReLU(), nn.Dropout(), nn.Linear(4096, 1)).to(device)
loader = DataLoader(TensorDataset(images[:1024], labels[:1024]), batch_size=256)
batches = [images for images, _ in loader]

# %% break evaluation
model.eval()  # changes dropout and batch norm, not what is kept
outputs = [model(images) for images, _ in loader]
assert all(output.grad_fn for output in outputs)
one, four = kept_for_backward(model, batches[0]), kept_for_backward(model, *batches)
assert one > 4 * 2**20  # 256 images are 64 KiB; each batch keeps more than 4 MiB
assert four == 4 * one  # all of it for as long as the outputs live

# %% check evaluation
output = model(batches[0])
print(output.requires_grad)  # True: it keeps all that a backward pass would need
assert output.requires_grad and kept_for_backward(model, batches[0]) > 0

# %% fix evaluation
import torch

model.eval()
outputs = []
with torch.no_grad():  # or torch.inference_mode()
    for images, labels in loader:
        outputs.append(model(images))

# %% proof evaluation
assert not any(output.requires_grad or output.grad_fn for output in outputs)
with torch.no_grad():
    assert kept_for_backward(model, *batches) == 0
whole = torch.cat(batches) @ model[0].weight.T + model[0].bias  # the same by hand, without dropout
torch.testing.assert_close(torch.cat(outputs), whole.relu() @ model[3].weight.T.detach() + model[3].bias, rtol=1e-3, atol=1e-4)


# %% wrong smaller-batch
# A smaller batch in the evaluation: there are more of them, and together they keep as much as
# before, for as long as their outputs live.
model.eval()
small = [images for images, _ in DataLoader(loader.dataset, batch_size=32)]
before = kept_for_backward(model, *batches)
after = kept_for_backward(model, *small)
print(f"{len(batches)} batches keep {before / 2**20:.0f} MiB")
print(f"{len(small)} batches keep {after / 2**20:.0f} MiB")
assert len(small) == 8 * len(batches) and after == before

# %%
def make_layers():
    """Twenty layers of 1 MiB; each keeps 16 MiB of intermediate values for 2048 samples."""
    torch.manual_seed(0)
    return nn.ModuleList(nn.Sequential(nn.Linear(64, 2048), nn.ReLU(), nn.Linear(2048, 64)) for _ in range(20)).to(device)


limit(256)
model, samples = make_layers(), torch.randn(2048, 64, device=device)
x = samples

# %% break many-layers
for layer in model:  # in the model's forward
    x = x + layer(x)
loss = x.square().mean()
loss.backward()

# %% check many-layers
torch.cuda.set_per_process_memory_fraction(1.0)
peaks = []
for depth in (5, 10):
    torch.cuda.reset_peak_memory_stats()
    x = samples
    for layer in model[:depth]:
        x = x + layer(x)
    peaks.append(torch.cuda.max_memory_allocated())
    # the batch is the same; the depth decides
    print(depth, peaks[-1] // 2**20, "MiB")
assert peaks[1] > peaks[0]

# %% fix many-layers
from torch.utils.checkpoint import checkpoint

for layer in model:  # in the model's forward
    # keeps x only; the layer runs once more in backward
    x = x + checkpoint(layer, x, use_reentrant=False)
loss = x.square().mean()
loss.backward()

# %% proof many-layers
limit(2**20)
y = samples
for layer in model:
    y = y + layer(y)
expected = torch.autograd.grad(y.square().mean(), list(model.parameters()))
assert all(gradient.any() for gradient in expected)
for parameter, gradient in zip(model.parameters(), expected, strict=True):
    torch.testing.assert_close(parameter.grad, gradient, rtol=1e-3, atol=1e-6)


# %% fix model-too-large
import torch

model = model.to(torch.bfloat16)  # half the bytes, before it goes to the GPU

# %% proof model-too-large
assert {weight.dtype for weight in model.parameters()} == {torch.bfloat16}
assert {weight.itemsize for weight in model.parameters()} == {2}

# %% fix optimizer-state
import torch

# keeps a number for each row and column of a weight, not two for each number of it
optimizer = torch.optim.Adafactor(model.parameters())

# %% proof optimizer-state
import copy


def state_bytes(optimizer, module):
    """Bytes of what an optimizer keeps after a step."""
    for weight in module.parameters():
        weight.grad = torch.ones_like(weight)
    optimizer.step()
    states = [value for state in optimizer.state.values() for value in state.values()]
    return sum(value.nbytes for value in states if torch.is_tensor(value))


before = copy.deepcopy(model)
twin = copy.deepcopy(model)
large = state_bytes(torch.optim.Adam(twin.parameters()), twin)
assert state_bytes(optimizer, model) * 20 < large
for old, new in zip(before.parameters(), model.parameters(), strict=True):
    assert (old != new).any()


# %%
def megabytes(count):
    return torch.empty(count * 2**20, dtype=torch.uint8, device=device)


def make_holes():
    """What a run with changing sizes leaves behind: four blocks of 100 MiB, of each of which a small tensor still lives."""
    large, small = [], []
    for _ in range(4):
        megabytes(100)  # freed at once; PyTorch keeps the block ...
        large.append(megabytes(96))
        small.append(megabytes(4))  # ... and cuts these two out of it
    return small  # `large` is freed here: four holes of 96 MiB


if device == "cuda":
    del model, optimizer, samples, images, labels, batches, loader, x
    torch.cuda.empty_cache()
limit(512)

# %% break fragmentation
small = make_holes()
batch = megabytes(300)  # 384 MiB are unused, but not in one piece

# %% check fragmentation
small = make_holes()
reserved, used = torch.cuda.memory_reserved(), torch.cuda.memory_allocated()
print((reserved - used) // 2**20, "MiB reserved but not used by any tensor")
assert reserved - used > 300 * 2**20  # more than the 300 MiB that are asked for

# %% proof fragmentation
# A new process, as the variable is read once, when the GPU is first used.
import subprocess
import sys

PROGRAM = """
import torch
torch.cuda.set_per_process_memory_fraction(512 * 2**20 / torch.cuda.get_device_properties(0).total_memory)
megabytes = lambda count: torch.empty(count * 2**20, dtype=torch.uint8, device="cuda")
large, small = [], []
for _ in range(4):
    megabytes(100)
    large.append(megabytes(96))
    small.append(megabytes(4))
del large
batch = megabytes(300).zero_()
assert batch[-1].item() == 0 and torch.cuda.memory_reserved() <= 512 * 2**20
"""
for setting, works in (("expandable_segments:False", False), ("expandable_segments:True", True)):
    environment = {**os.environ, "PYTORCH_CUDA_ALLOC_CONF": setting}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True)
    assert (done.returncode == 0) == works, done.stderr
    assert works or "CUDA out of memory" in done.stderr
