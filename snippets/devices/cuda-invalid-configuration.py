# ---
# wordings:
#   - text: "CUDA error: invalid configuration argument"
#     unless: [gpu-programs]
#   - text: "cuda runtime error ({_:int}) : invalid configuration argument"
#     sample: "RuntimeError: cuda runtime error (9) : invalid configuration argument at /pytorch/aten/src/THC/generic/THCTensorMathPairwise.cu:174"
#   - text: "error={_:int} : invalid configuration argument"
#     near: [THC]
#     sample: "THCudaCheck FAIL file=/pytorch/aten/src/THC/THCReduceAll.cuh line=339 error=9 : invalid configuration argument"
#   - text: "CUDA kernel failed : invalid configuration argument"
#   - text: "HIP error: invalid configuration argument"
#     unless: [gpu-programs]
#   - text: "CUDA error: too many resources requested for launch"
#     unless: [gpu-programs]
#   - text: "cuda runtime error ({_:int}) : too many resources requested for launch"
#     sample: "RuntimeError: cuda runtime error (7) : too many resources requested for launch at /pytorch/aten/src/THCUNN/generic/SpatialUpSamplingBilinear.cu:66"
#   - text: "error={_:int} : too many resources requested for launch"
#     near: [THC]
#     sample: "THCudaCheck FAIL file=/pytorch/aten/src/THCUNN/generic/SpatialUpSamplingBilinear.cu line=66 error=7 : too many resources requested for launch"
#   - text: "CUDA error: too many blocks in cooperative launch"
#     unless: [gpu-programs]
# tags: [batch-size, cpp-extension, cuda, transformer]
# recover: process
# needs: ["fault:launches of kernels whose sizes are counted, without a GPU"]
# cases:
#   too-many: {silent: true}
#   empty: {silent: true}
#   serving:
#     unbroken: "a server for GPUs"
#     commands:
#       shell: |
#         python -m pip install --upgrade vllm
#         vllm serve MODEL --max-num-seqs 64 --max-num-batched-tokens 4096  # half of yours; again until it runs
# related: [devices/illegal-memory-access, devices/unspecified-launch-failure]
# docs: ["https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#features-and-technical-specifications-technical-specifications-per-compute-capability"]
# causes:
#   too-many:
#     likely: >-
#       not paste("too many resources", "too many blocks") and not paste("VllmWorkerProcess",
#       "vllm/", "sglang/", "lmdeploy") and (frames("scaled_dot_product_attention",
#       "memory_efficient_attention", "attention.py", "attention_sharing", "attn", "attns",
#       "batch_norm", "cdist") or paste("_flash_attention_forward"))
#     sample: |
#       Traceback (most recent call last):
#         File "ComfyUI/comfy/ldm/modules/attention.py", line 345, in attention_pytorch
#           out = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=0.0, is_causal=False)
#       RuntimeError: CUDA error: invalid configuration argument
#   empty:
#     likely: >-
#       not paste("too many resources", "too many blocks") and
#       (paste("CUDA kernel failed") or frames("spconv/", "torch_scatter", "torch_sparse", "mmcv/ops", "mmdet3d", "pointnet2", "roi_align", "nms",
#       "diff_gaussian", "gsplat", "pytorch3d", "MinkowskiEngine", "tinycudann", "nvdiffrast"))
#     sample: "CUDA kernel failed : invalid configuration argument"
#   serving:
#     likely: >-
#       not paste("too many resources", "too many blocks") and paste("VllmWorkerProcess", "vllm/", "sglang/", "lmdeploy")
#     sample: |
#       (VllmWorkerProcess pid=4131) ERROR   File "vllm/worker/worker_base.py", line 85, in start_worker_execution_loop
#       RuntimeError: CUDA error: invalid configuration argument
#   resources:
#     if: paste("too many resources", "too many blocks")
#     sample: "RuntimeError: CUDA error: too many resources requested for launch"
# ---

# %%
import sys
import types

import torch
from torch.nn import functional as F


def blocks(q):
    """The blocks that PyTorch's memory-efficient attention asks for: queries (64 a block in some kernels), heads, batch. CUDA allows 2147483647, 65535, 65535."""
    batch, heads, queries, features = q.shape
    return -(-queries // 64), heads, batch


launched = []
attention_itself = F.scaled_dot_product_attention


def count(q, k, v, **options):
    launched.append(blocks(q))
    return attention_itself(q, k, v, **options)


F.scaled_dot_product_attention = count
q = torch.randn(70_000, 1, 4, 8, generator=torch.Generator().manual_seed(0))

# %% break too-many
# each pixel of a video became a sequence of its own: 70000 sequences in a batch
F.scaled_dot_product_attention(q, q, q)
print(launched[-1])
assert launched[-1][2] > 65_535

# %% check too-many
print(q.shape)  # batch, heads, tokens, features: the first two at most 65535
assert max(q.shape[:2]) > 65_535

# %% fix too-many
import torch
from torch.nn import functional as F


def attention(q, k, v, most=65_535, **options):
    parts = zip(q.split(most), k.split(most), v.split(most))
    done = [F.scaled_dot_product_attention(*part, **options) for part in parts]
    return torch.cat(done)


# %% proof too-many
done = attention(q, q + 1, 2 * q)
assert len(launched) == 2 and max(max(sizes) for sizes in launched) <= 65_535
torch.testing.assert_close(done, attention_itself(q, q + 1, 2 * q))
assert torch.equal(attention(q[:3], q[:3], q[:3], is_causal=True), attention_itself(q[:3], q[:3], q[:3], is_causal=True))

# %% use too-many
encoder, pixels = torch.nn.Linear(8, 8), torch.randn(66_000, 2, 8)
# >>>
attention = F.scaled_dot_product_attention
# <<<
q = encoder(pixels)[:, None]
out = attention(q, q, q)
out.square().mean().backward()
assert out.shape == (66_000, 1, 2, 8) and encoder.weight.grad.any()
assert max(max(sizes) for sizes in launched) <= 65_535

# %%
my_kernels = sys.modules["my_kernels"] = types.ModuleType("my_kernels")
started = []


def areas(boxes):
    """As an extension starts its kernel: a thread for each box, 256 threads in a block. CUDA wants one block at least."""
    started.append(-(-len(boxes) // 256))
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


my_kernels.areas = areas
boxes = torch.tensor([[0.0, 0.0, 2.0, 3.0], [1.0, 1.0, 5.0, 2.0]])
scores = torch.tensor([0.2, 0.4])

# %% break empty
import my_kernels

kept = boxes[scores > 0.5]  # no box is good enough in this image
my_kernels.areas(kept)
print(started[-1], "blocks")
assert started[-1] == 0

# %% check empty
kept = boxes[scores > 0.5]
print(kept.shape, kept.numel())
assert kept.numel() == 0

# %% fix empty
import my_kernels


def areas(boxes):
    if boxes.numel() == 0:  # nothing to do, so no kernel is started
        return boxes.new_zeros(len(boxes))
    return my_kernels.areas(boxes)


# %% proof empty
result = areas(boxes[scores > 0.5])
assert result.shape == (0,) and result.dtype == boxes.dtype and started == []
assert areas(boxes.double()[:0]).dtype == torch.float64
assert areas(boxes).tolist() == [6.0, 4.0] and started == [1]
