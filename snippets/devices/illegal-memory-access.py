# ---
# wordings:
#   - text: "CUDA error: an illegal memory access was encountered"
#     unless: [gpu-programs]
#   - text: "cuda runtime error ({_:int}) : an illegal memory access was encountered"
#     sample: "RuntimeError: cuda runtime error (77) : an illegal memory access was encountered at /pytorch/aten/src/THC/generic/THCTensorMath.cu:26"
#   - text: "error={_:int} : an illegal memory access was encountered"
#     near: [THC]
#     sample: "THCudaCheck FAIL file=/pytorch/aten/src/THC/THCReduceAll.cuh line=339 error=77 : an illegal memory access was encountered"
#   - text: "Triton Error [CUDA]: an illegal memory access was encountered"
#     exception: RuntimeError
#   - text: "failed to synchronize: cudaErrorIllegalAddress"
#     exception: RuntimeError
#     unless: [gpu-programs]
#   - text: "HIP error: an illegal memory access was encountered"
#     unless: [gpu-programs]
#   - text: "Triton Error [CUDA]: CUDA_ERROR_ILLEGAL_ADDRESS"
#   - text: "cuda runtime error (77)"
#     exception: RuntimeError
#   - text: "cuda runtime error (700)"
#     exception: RuntimeError
#   - text: "HIP error: hipErrorIllegalAddress"
#     unless: [gpu-programs]
#   - text: "Search for `hipErrorIllegalAddress'"
#     unless: [gpu-programs]
#   - text: "Memory access fault by GPU node-{_:int} (Agent handle: {_:ident}) on address"
#     unless: [gpu-programs]
#     sample: "Memory access fault by GPU node-1 (Agent handle: 0x556e9b7e3360) on address 0x7f52c3f5f000. Reason: Page not present or supervisor privilege."
# tags: [cpp-extension, crash, cuda, multi-gpu, out-of-range]
# recover: process
# needs: ["fault:a kernel that reads addresses as a GPU does, carried out by the CPU"]
# cases:
#   unchecked-input: {silent: true}
#   too-large: {silent: true, wrong: {half-precision: "https://github.com/flashinfer-ai/flashinfer/issues/3391"}}
#   library:
#     unbroken: "a bug of a kernel in a server for GPUs"
#     commands:
#       shell: |
#         python -m pip install --upgrade vllm  # or one version back
#         vllm serve MODEL --enforce-eager  # without CUDA graphs it says more
# outranks: [cublas-error, cudnn-not-initialized]
# related: [devices/device-side-assert, devices/embedding-index]
# docs: ["https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution"]
# causes:
#   rocm:
#     if: paste("Memory access fault by GPU node")
#     sample: "Memory access fault by GPU node-1 (Agent handle: 0x556e9b7e3360) on address 0x7f52c3f5f000. Reason: Page not present or supervisor privilege."
#   wrong-gpu:
#     likely: paste("torch.nn.parallel.data_parallel", "torch/nn/parallel/data_parallel.py")
#     sample: |
#       Traceback (most recent call last):
#         File "/opt/conda/lib/python3.7/site-packages/torch/nn/parallel/data_parallel.py", line 152, in forward
#       RuntimeError: CUDA error: an illegal memory access was encountered
#   unchecked-input:
#     likely: >-
#       (paste("Triton Error") and not paste("torch/_inductor", "torch\\_inductor")) or frames("diff_gaussian", "gsplat", "spconv/", "torch_scatter", "torch_sparse", "mmcv/ops", "mmdet/ops", "pytorch3d", "pointnet2", "MinkowskiEngine", "tinycudann", "nvdiffrast", "selective_scan", "causal_conv1d")
#     sample: "RuntimeError: Triton Error [CUDA]: an illegal memory access was encountered"
#   too-large:
#   library:
#     likely: paste("vllm/", "sglang/", "flashinfer", "lmdeploy", "flash_attn")
#     sample: |
#       Traceback (most recent call last):
#         File "/usr/local/lib/python3.10/dist-packages/vllm/worker/model_runner.py", line 152, in forward
#       RuntimeError: CUDA error: an illegal memory access was encountered
#   other-rank:
#     likely: paste("Process group watchdog thread terminated", "NCCL watchdog", "ncclUnhandledCudaError", "ProcessGroupNCCL")
#     sample: "what():  [PG ID 0 PG GUID 0(default_pg) Rank 2] Process group watchdog thread terminated with exception: CUDA error: an illegal memory access was encountered"
#   hardware:
#     likely: paste("Xid 48", "Xid 64", "Xid 79", "Xid 95", "Double Bit ECC", "has fallen off the bus")
#     sample: "NVRM: Xid 48, Double Bit ECC Error\nRuntimeError: CUDA error: an illegal memory access was encountered"
# ---

# %%
import sys
import types

import torch
from torch import nn

my_kernels = sys.modules["my_kernels"] = types.ModuleType("my_kernels")


def gather_rows(table, index):
    """As a kernel: it gets an address and computes others from it. It knows no sizes and no strides."""
    memory = table.as_strided([table.untyped_storage().nbytes() // 4], [1], 0)
    columns = table.shape[1]
    return memory[table.storage_offset() + index[:, None] * columns + torch.arange(columns)]


my_kernels.gather_rows = gather_rows

memory = torch.arange(16.0)  # PyTorch's own pool of memory: tensors lie side by side in it
table, other = memory[:8].view(4, 2), memory[8:].view(4, 2)
index = torch.tensor([0, 4])  # the table has rows 0 to 3

# %% break unchecked-input
rows = my_kernels.gather_rows(table, index)
print(rows)
# another tensor's numbers, and no error: that comes only where the pool ends
assert torch.equal(rows[1], other[0])

# %% check unchecked-input
print(
    index.min().item(),
    index.max().item(),
    len(table),
    table.is_contiguous(),
    index.dtype,
)
assert index.max() >= len(table)

# %% fix unchecked-input
import my_kernels


def gather_rows(table, index):
    if index.min() < 0 or index.max() >= len(table):
        raise IndexError(f"rows {index.min()} to {index.max()} of {len(table)}")
    return my_kernels.gather_rows(table.contiguous(), index)


# %% proof unchecked-input
try:
    gather_rows(table, index)
except IndexError as error:
    print(error)
else:
    raise AssertionError("row 4 was read")
for wrong in (torch.tensor([-1]), torch.tensor([1, 9])):
    try:
        gather_rows(table, wrong)
        raise AssertionError("not seen")
    except IndexError:
        pass
assert torch.equal(gather_rows(table, torch.tensor([3, 0])), table[[3, 0]])
columns = table.t()  # the same memory with other strides
assert torch.equal(gather_rows(columns, torch.tensor([1, 0])), columns[[1, 0]])

# %% use unchecked-input
# >>>
def gather_rows(table, index):
    return my_kernels.gather_rows(table, index)


# <<<
weights, read = torch.arange(12.0).view(3, 4).t(), []
for batch in (torch.tensor([3, 0]), torch.tensor([1, 2])):
    read.append(gather_rows(weights, batch))
assert torch.equal(read[0], weights[[3, 0]]) and torch.equal(read[1], weights[[1, 2]])

# %%
x = torch.empty(70_000, 40_000, device="meta")  # 2.8 billion numbers, without the memory for them
seen = []
model = nn.Linear(40_000, 10, device="meta")
model.register_forward_pre_hook(lambda layer, inputs: seen.append(inputs[0].numel()))

# %% break too-large
model(x)
# where a kernel counts its elements with 32 bits
last = torch.tensor(seen[-1] - 1).to(torch.int32)
print(last.item())
assert last < 0

# %% check too-large
print(x.numel(), 2**31)
assert x.numel() >= 2**31

# %% fix too-large
import torch

rows = (2**31 - 1) // x[0].numel()
outputs = torch.cat([model(part) for part in x.split(rows)])

# %% proof too-large
assert outputs.shape == (70_000, 10)
assert sum(seen) == x.numel() and max(seen) < 2**31
assert torch.tensor(max(seen) - 1).to(torch.int32) > 0
model, x = nn.Linear(3, 2), torch.randn(7, 3)
torch.testing.assert_close(torch.cat([model(part) for part in x.split(2)]), model(x))

# %% wrong half-precision
# Half precision: half as many bytes, but as many numbers, and a kernel that counts with 32 bits
# counts the numbers.
outputs = model.half()(x.half())
