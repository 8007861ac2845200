# ---
# wordings:
#   - text: "MPSNDArray.mm:{_:int}: failed assertion"
#     unless: [tensorflow, jax, ggml]
#     sample: "MPSCore/Types/MPSNDArray.mm:850: failed assertion `[MPSNDArray initWithDevice:descriptor:isTextureBacked:] Error: total bytes of NDArray > 2**32'"
#   - text: "Error: total bytes of NDArray > 2**32"
#     unless: [tensorflow, jax, ggml]
#   - text: "Error: product of dimension sizes > 2**31"
#     unless: [tensorflow, jax, ggml]
#   - text: "Error: NDArray dimension length > INT_MAX"
#     unless: [tensorflow, jax, ggml]
#   - text: "MPSGraph does not support tensor dims larger than INT_MAX"
#     exception: RuntimeError
#   - text: "MPSGaph does not support tensor dims larger than INT_MAX"
#     exception: RuntimeError
#   - text: "MPSKernelDAG.mm:{_:int}: failed assertion"
#     unless: [tensorflow, jax, ggml]
#     sample: "MPSCore/Utility/MPSKernelDAG.mm:805: failed assertion `Error getting visible function'"
#   - text: "[MPSNDArrayDescriptor sliceDimension:withSubrange:] error"
# tags: [crash, device, inference, transformer]
# recover: process
# needs: ["fault:the sizes of attention are read, on the CPU"]
# related: [memory/mps-oom, devices/mps-unsupported, devices/mps-wrong-numbers]
# docs: ["https://github.com/pytorch/pytorch/issues/149325", "https://docs.pytorch.org/docs/stable/notes/mps.html"]
# cases:
#   too-large: {silent: true}
# causes:
#   too-large:
#     if: paste("2**32", "2**31", "INT_MAX")
#     sample: "failed assertion `[MPSNDArray initWithDevice:descriptor:isTextureBacked:] Error: total bytes of NDArray > 2**32'"
#   fault:
#     likely: paste("sliceDimension", "initWithBuffer", "visible function", "buffer is not large enough")
#     sample: "MPSNDArray.mm:78: failed assertion `[MPSNDArrayDescriptor sliceDimension:withSubrange:] error: dimension index (2) not within number of dimensions (2)'"
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
LIMIT = 2**32 // 2**20  # bytes of one tensor on MPS, divided as the sizes of this example are
q, k, v = (torch.rand(1, 4, 96, 8) for _ in range(3))
largest, softmax = [0], torch.softmax


def noted(scores, *arguments, **keywords):
    largest[0] = max(largest[0], scores.nbytes)
    return softmax(scores, *arguments, **keywords)


torch.softmax = noted

# %% break too-large
out = torch.softmax(q @ k.transpose(-1, -2) / 8**0.5, dim=-1) @ v
print(largest[0], "bytes of scores, for", q.nbytes, "of queries")
assert largest[0] > LIMIT  # heads × queries × keys × 4 bytes

# %% check too-large
batch, heads, tokens, _ = q.shape
print(batch * heads * tokens**2 * 4)  # bytes of the scores; on MPS below 4294967296
assert batch * heads * tokens**2 * 4 > LIMIT

# %% fix too-large
import torch


def attention(q, k, v, rows=8):
    """The same as softmax(q kᵀ / √d) v, for some queries at a time."""
    parts = []
    for some in q.split(rows, dim=-2):
        scores = some @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
        parts.append(torch.softmax(scores, dim=-1) @ v)
    return torch.cat(parts, dim=-2)


out = attention(q, k, v)

# %% proof too-large
assert 0 < largest[0] < LIMIT * 4 and largest[0] == 4 * 8 * 96 * 4
expected = nn.functional.scaled_dot_product_attention(q, k, v)
torch.testing.assert_close(out, expected)
fewer = torch.rand(2, 3, 7, 8), torch.rand(2, 3, 11, 8), torch.rand(2, 3, 11, 5)  # not a multiple, other lengths
torch.testing.assert_close(attention(*fewer), nn.functional.scaled_dot_product_attention(*fewer))

# %% use too-large
q, k, v = (torch.rand(2, 4, 96, 8, requires_grad=True) for _ in range(3))
# >>>
out = torch.softmax(q @ k.transpose(-1, -2) / 8**0.5, dim=-1) @ v
# <<<
assert largest[0] < 2 * 4 * 96 * 96 * 4 / 8  # the scores of all queries at once
out.square().mean().backward()
expected = nn.functional.scaled_dot_product_attention(q, k, v)
torch.testing.assert_close(out, expected)
assert q.grad.isfinite().all() and v.grad.abs().sum() > 0
