# ---
# wordings:
#   - text: "No available kernel. Aborting execution"
#     exception: RuntimeError
#   - text: "No available kernel.  Aborting execution"
#     exception: RuntimeError
#   - text: "No viable backend for scaled_dot_product_attention was found"
#     exception: RuntimeError
#   - text: "All fused kernels requires query, key and value to be 4 dimensional, but got Query dim: {dim:int}"
#     exception: UserWarning
#     role: symptom
#     sample: "UserWarning: All fused kernels requires query, key and value to be 4 dimensional, but got Query dim: 3, Key dim: 3, Value dim: 3 instead."
#   - text: "Flash attention requires q,k,v to have the same last dimension"
#     exception: UserWarning
#     role: symptom
#   - text: "Torch was not compiled with flash attention"
#     exception: UserWarning
#     role: remark
#   - text: "1Torch was not compiled with flash attention"
#     exception: UserWarning
#     role: remark
# tags: [transformer, device, dtype]
# recover: fix
# related: [devices/flash-attention-unsupported]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.attention.sdpa_kernel.html", "https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html"]
# causes:
#   one-backend:
#     likely: len(live.left.shape) == 4
#     undecided: which kernels were allowed is not printed
#   warning:
#     if: paste("Torch was not compiled with flash attention") and not paste("No available kernel", "No viable backend")
#     sample: "UserWarning: 1Torch was not compiled with flash attention."
#   not-4d:
#     if: paste("to be 4 dimensional")
#     likely: len(live.left.shape) == 3
#     undecided: only the warning above the traceback tells
#     sample: "UserWarning: All fused kernels requires query, key and value to be 4 dimensional, but got Query dim: 3, Key dim: 3, Value dim: 3 instead.\nRuntimeError: No available kernel.  Aborting execution."
#   dropout:
#     case: one-backend
#     if: paste("do not support non-zero dropout")
#     sample: "UserWarning: Both fused kernels do not support non-zero dropout.\nRuntimeError: No available kernel.  Aborting execution."
#   mask:
#     case: one-backend
#     if: paste("does not support non-null attn_mask", "attn_mask.requires_grad")
#     sample: "UserWarning: Flash Attention does not support non-null attn_mask.\nRuntimeError: No available kernel.  Aborting execution."
#   float32:
#     if: 'paste("dtype: {Half, BFloat16}", "dtype: {BFloat16, Half}")'
#     sample: "UserWarning: Expected query, key and value to all be of dtype: {Half, BFloat16}. Got Query dtype: float, Key dtype: float, and Value dtype: float instead.\nRuntimeError: No available kernel. Aborting execution."
#   no-flash:
#     case: one-backend
#     if: paste("Torch was not compiled with flash attention", "only supports gpu architectures", "only supported on sm")
#     sample: "UserWarning: 1Torch was not compiled with flash attention.\nRuntimeError: No available kernel. Aborting execution."
#   all-off:
#     if: paste("No viable backend")
# cases:
#   one-backend:
#     survives:
#       "without: with sdpa_kernel(allowed)": then PyTorch chooses among all kernels, which cures as well
# ---

# %%
import torch
import torch.nn.functional as F

torch.manual_seed(0)
q, k, v = (torch.randn(2, 4, 6, 8) for _ in range(3))  # batch, heads, length, size


def plainly(q, k, v, bias=0):
    """softmax(q kᵀ / √size + bias) v, written out."""
    return torch.softmax(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5 + bias, dim=-1) @ v


bias = torch.randn(6, 6, requires_grad=True)  # a learned bias, as T5 has


class Attention(torch.nn.Module):
    """The model that calls it."""

    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)


model = Attention()
x = (q, k, v)

# %% break one-backend
from torch.nn.attention import SDPBackend, sdpa_kernel

with sdpa_kernel(SDPBackend.FLASH_ATTENTION):  # this kernel, and no other
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)

# %% check one-backend
from torch.nn.attention import SDPBackend, sdpa_kernel

able = {}
for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.MATH):
    try:
        with sdpa_kernel(backend):
            F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        able[backend.name] = True
    except RuntimeError:
        able[backend.name] = False
print(able)  # which kernel takes these inputs
assert able == {"FLASH_ATTENTION": False, "MATH": True}

# %% fix one-backend
from torch.nn.attention import SDPBackend, sdpa_kernel

allowed = [
    SDPBackend.FLASH_ATTENTION,
    SDPBackend.EFFICIENT_ATTENTION,
    SDPBackend.MATH,  # takes everything
]
with sdpa_kernel(allowed):
    out = model(*x)

# %% proof one-backend
assert torch.allclose(out, plainly(q, k, v, bias), atol=1e-5)
out.sum().backward()
assert bias.grad.abs().sum() > 0  # the bias still learns
with sdpa_kernel(allowed):  # and where a fast kernel can serve, it does
    assert torch._fused_sdp_choice(q, k, v) == SDPBackend.FLASH_ATTENTION.value
    assert torch.allclose(F.scaled_dot_product_attention(q, k, v), plainly(q, k, v), atol=1e-5)
with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION]):
    try:
        model(*x)
        raise AssertionError("MATH is not what cured it")
    except RuntimeError:
        pass

# %%
short = [tensor[0] for tensor in (q, k, v)]  # heads, length, size: no batch


def attention(q, k, v):
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        return F.scaled_dot_product_attention(q, k, v)


from torch.nn.attention import SDPBackend, sdpa_kernel

# %% break not-4d
q, k, v = short
with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
    out = F.scaled_dot_product_attention(q, k, v)

# %% check not-4d
q, k, v = short
print(q.dim(), k.dim(), v.dim())  # the fused kernels want 4
assert q.dim() == 3

# %% fix not-4d
import torch.nn.functional as F


def attention_without_batch(q, k, v):
    # a batch of one in front, and away again
    q, k, v = (tensor.unsqueeze(0) for tensor in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v).squeeze(0)


# %% proof not-4d
with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
    out = attention_without_batch(*short)
assert out.shape == short[0].shape and torch.allclose(out, plainly(*short), atol=1e-5)
one_head = [tensor[:1, :1] for tensor in short]  # one head, one position
assert attention_without_batch(*one_head).shape == (1, 1, 8)

# %%
# Somewhere in the program, or in a package that it imports:
torch.backends.cuda.enable_flash_sdp(False)
torch.backends.cuda.enable_math_sdp(False)

# %% break all-off
F.scaled_dot_product_attention(q, k, v)

# %% check all-off
print(torch.backends.cuda.math_sdp_enabled())  # False: switched off for all
assert not torch.backends.cuda.math_sdp_enabled()

# %% fix all-off
import torch

torch.backends.cuda.enable_math_sdp(True)  # after the imports
torch.backends.cuda.enable_flash_sdp(True)

# %% proof all-off
assert torch.allclose(F.scaled_dot_product_attention(q, k, v), plainly(q, k, v), atol=1e-5)
with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]):
    F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
assert torch.backends.cuda.math_sdp_enabled() and torch.backends.cuda.flash_sdp_enabled()
