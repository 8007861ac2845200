# ---
# wordings:
#   - text: "MPS backend out of memory (MPS allocated: {used:bytes}, other allocations: {other:bytes}, max allowed: {limit:bytes}). Tried to allocate {size:bytes} on"
#     exception: RuntimeError
#     sample: "RuntimeError: MPS backend out of memory (MPS allocated: 5.05 GB, other allocations: 3.09 GB, max allowed: 9.07 GB). Tried to allocate 1.00 GB on private pool. Use PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable upper limit for memory allocations (may cause system failure)."
#   - text: "MPS backend out of memory (MPS allocated: {used:bytes}, max allowed: {limit:bytes}). Tried to allocate {size:bytes} on"
#     exception: RuntimeError
#     sample: "RuntimeError: MPS backend out of memory (MPS allocated: 8.89 GB, max allowed: 9.07 GB). Tried to allocate 256.00 MB on private pool."
#   - text: "MPS backend out of memory"
#     exception: RuntimeError
#   - text: "Use PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0 to disable upper limit"
#   - text: "PYTORCH_MPS_HIGH_WATERMARK_RATIO"
#     near: [out of memory]
#   - text: "invalid low watermark ratio"
#     exception: RuntimeError
#   - text: "Invalid buffer size: {size:bytes}"
#     exception: RuntimeError
#     near: [mps, MPS]
#     sample: "RuntimeError: Invalid buffer size: 26.58 GiB"
# tags: [batch-size, inference, oom, ram]
# recover: process
# needs: ["fault:the bytes that a step keeps are counted, on the CPU"]
# cases:
#   batch-size: {silent: true}
#   evaluation: {silent: true}
#   ratio:
#     unbroken: "a Mac with MPS"
#     commands:
#       macos: PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.7 PYTORCH_MPS_LOW_WATERMARK_RATIO=0.5 python train.py
#   other-memory:
#     unbroken: "a Mac with MPS"
#     commands:
#       notebook: |
#         import torch
#
#         torch.mps.empty_cache()  # between large steps
# related: [memory/cuda-oom, devices/mps-unsupported]
# docs: ["https://docs.pytorch.org/docs/stable/mps_environment_variables.html", "https://docs.pytorch.org/docs/stable/generated/torch.mps.set_per_process_memory_fraction.html"]
# causes:
#   batch-size:
#     likely: frames(".backward(", "training_step", "optimizer.step(", "trainer.py") and not paste("Invalid buffer size")
#     sample: |
#       File "torch/_tensor.py", line 624, in backward
#         torch.autograd.backward(
#       File "train.py", line 40, in <module>
#         loss.backward()
#       RuntimeError: MPS backend out of memory (MPS allocated: 11.14 GB, other allocations: 6.65 GB, max allowed: 18.13 GB). Tried to allocate 375.40 MB on private pool.
#   evaluation:
#     undecided: whether the outputs are kept with their graph is not printed
#   too-large:
#     if: bytes(size) > bytes(limit) or paste("Invalid buffer size")
#     sample: "RuntimeError: MPS backend out of memory (MPS allocated: 1.02 GB, other allocations: 0 bytes, max allowed: 9.07 GB). Tried to allocate 12.00 GB on private pool."
#   virtual-mac:
#     if: bytes(used) < 64 * MiB and bytes(other) < 64 * MiB and bytes(size) < 1 * MiB
#     sample: "RuntimeError: MPS backend out of memory (MPS allocated: 0 bytes, other allocations: 0 bytes, max allowed: 7.93 GB). Tried to allocate 256 bytes on shared pool."
#   ratio:
#     if: paste("invalid low watermark ratio")
#     sample: "RuntimeError: invalid low watermark ratio 1.4"
#   other-memory:
#     likely: bytes(other) > bytes(used)
#     sample: "RuntimeError: MPS backend out of memory (MPS allocated: 1.45 GB, other allocations: 7.42 GB, max allowed: 9.07 GB). Tried to allocate 563.62 MB on private pool."
# ---

# %%
import torch
from torch import nn

torch.set_default_device(None)
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(32, 256), nn.ReLU(), nn.Linear(256, 10))
images, labels = torch.randn(64, 32), torch.randint(10, (64,))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
cross_entropy = nn.CrossEntropyLoss()
held, peaks = [0], []  # bytes that the forward pass keeps for the backward pass, and how many there were at each loss


def keep(tensor):
    held[0] += tensor.nbytes
    return tensor


def loss_fn(outputs, labels):
    loss = cross_entropy(outputs, labels)
    peaks.append(held[0])
    held[0] = 0
    return loss


torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor).__enter__()

# %% break batch-size
loss = loss_fn(model(images), labels)
loss.backward()
print(peaks[0] // 1024, "KiB for a batch of", len(images))
# what is kept grows with the batch; only the parameters' share stays the same
weights = sum(p.nbytes for p in model.parameters())
assert peaks[0] - weights > 64 * 256 * 4

# %% fix batch-size
parts = 8
for some, wanted in zip(images.chunk(parts), labels.chunk(parts)):
    loss = loss_fn(model(some), wanted) / parts
    loss.backward()  # the gradients add up
optimizer.step()
optimizer.zero_grad()

# %% proof batch-size
after = [p.detach().clone() for p in model.parameters()]
torch.manual_seed(0)
whole = nn.Sequential(nn.Linear(32, 256), nn.ReLU(), nn.Linear(256, 10))
optimizer = torch.optim.SGD(whole.parameters(), lr=0.1)
loss_fn(whole(images), labels).backward()
optimizer.step()
for one, other in zip(after, whole.parameters()):
    torch.testing.assert_close(one, other.detach())
assert all(p.grad is None for p in model.parameters())
weights = sum(p.nbytes for p in model.parameters())
assert max(peaks[:-1]) - weights < (peaks[-1] - weights) / 4

# %%
loader = [(images, labels)] * 3

# %% break evaluation
outputs = []
for images, labels in loader:
    outputs.append(model(images))  # each with everything that backward() would need
print(outputs[0].grad_fn, held[0] // 1024, "KiB")
assert held[0] > 3 * 64 * 256 * 4 and outputs[0].requires_grad

# %% check evaluation
print(model(images).requires_grad)  # in an evaluation: False
assert model(images).requires_grad

# %% fix evaluation
import torch

outputs = []
with torch.inference_mode():  # nothing is kept for a backward pass
    for images, labels in loader:
        outputs.append(model(images))

# %% proof evaluation
assert held[0] == 0 and not any(output.requires_grad for output in outputs)
assert len(outputs) == 3 and torch.equal(outputs[0], model(images).detach())
