# ---
# wordings:
#   - text: "FlashAttention only supports Ampere GPUs or newer"
#     exception: RuntimeError
#   - text: "FlashAttention only supports Turing GPUs or newer"
#     exception: RuntimeError
#   - text: "FlashAttention backward for head dim > {most:int} requires A100"
#     exception: RuntimeError
#     sample: "RuntimeError: FlashAttention backward for head dim > 64 requires A100 or H100 GPUs as the implementation needs a large amount of shared memory."
#   - text: "FlashAttention forward only supports head dimension at most {most:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: FlashAttention forward only supports head dimension at most 256"
#   - text: "FlashAttention backward only supports head dimension at most {most:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: FlashAttention backward only supports head dimension at most 256"
#   - text: "Expected is_sm80 to be true, but got false"
#     exception: RuntimeError
#   - text: "Expected is_sm80 || is_sm90 to be true, but got false"
#     exception: RuntimeError
#   - text: "Expected is_sm90 || is_sm8x || is_sm75 to be true, but got false"
#     exception: RuntimeError
#   - text: "Expected is_sm8x || is_sm75 to be true, but got false"
#     exception: RuntimeError
#   - text: "FlashAttention only support fp16 and bf16 data type"
#     exception: [RuntimeError, AssertionError]
#   - text: "FlashAttention only supports fp16, bf16"
#     exception: RuntimeError
#   - text: "Flash Attention 2.0 only supports torch.float16 and torch.bfloat16 dtypes"
#     exception: ValueError
#   - text: "bfloat16 is only supported on Ampere GPUs or newer"
#     exception: RuntimeError
#   - text: "No operator found for `{name:ident}` with inputs:"
#     exception: NotImplementedError
#     near: [memory_efficient_attention]
#     sample: "NotImplementedError: No operator found for `memory_efficient_attention_forward` with inputs:"
#   - text: "requires device with capability > ({major:int}, {minor:int}) but your GPU has capability ({has:int}, {has2:int})"
#     role: symptom
#     sample: "requires device with capability > (8, 0) but your GPU has capability (7, 5) (too old)"
#   - text: "requires device with capability >= ({major:int}, {minor:int}) but your GPU has capability ({has:int}, {has2:int})"
#     role: symptom
#     sample: "requires device with capability >= (8, 0) but your GPU has capability (7, 5) (too old)"
#   - text: "requires device with capability <= ({major:int}, {minor:int}) but your GPU has capability ({has:int}, {has2:int})"
#     role: symptom
#     sample: "requires device with capability <= (9, 0) but your GPU has capability (12, 0) (too new)"
# tags: [transformer, cuda, dtype, device]
# recover: process
# related: [install-env/xformers-built-for, devices/sdpa-no-kernel, install-env/no-kernel-image]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html"]
# causes:
#   old-gpu:
#     if: >-
#       paste("only supports Ampere GPUs", "only supports Turing GPUs", "bfloat16 is only supported on Ampere", "is_sm8x || is_sm75") or (paste("(too old)") and paste("bf16 is only supported on A100+"))
#     likely: has < 8
#     sample: "RuntimeError: FlashAttention only supports Ampere GPUs or newer."
#   not-built:
#     if: paste("wasn't build with CUDA support") and not paste("device=cpu")
#     sample: "NotImplementedError: No operator found for `memory_efficient_attention_forward` with inputs:\n`cutlassF` is not supported because:\n    xFormers wasn't build with CUDA support"
#   cpu:
#     if: paste("No operator found") and paste("device=cpu")
#   head-size:
#     if: paste("for head dim >", "head dimension at most", "Expected is_sm80 || is_sm90", "Expected is_sm80 to be true")
#     sample: "RuntimeError: FlashAttention backward for head dim > 192 requires A100/A800 or H100/H800"
#   dtype:
#     if: paste("only support fp16 and bf16", "only supports fp16, bf16", "only supports torch.float16 and torch.bfloat16")
#     sample: "RuntimeError: FlashAttention only support fp16 and bf16 data type"
#   new-gpu:
#     case: old-gpu
#     if: paste("(too new)")
#     sample: "requires device with capability <= (9, 0) but your GPU has capability (12, 0) (too new)"
# cases:
#   old-gpu:
#     needs: [cuda, "package:flash_attn"]
#     commands:
#       trainer: model = AutoModelForCausalLM.from_pretrained(name, attn_implementation="sdpa")
#       comfyui: |
#         python main.py --use-pytorch-cross-attention
#         # portable: the same option in run_nvidia_gpu.bat
#       shell: |
#         # the program takes flash-attn because it is there
#         python -m pip uninstall -y flash-attn
#   cpu:
#     needs: ["package:xformers"]
# ---

# %%
import torch
import torch.nn.functional as F

torch.manual_seed(0)


def plainly(q, k, v):
    """softmax(q kᵀ / √size) v, written out; heads before length."""
    return torch.softmax(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5, dim=-1) @ v


# %% break old-gpu
from flash_attn import flash_attn_func

q = torch.randn(2, 6, 4, 64, device="cuda", dtype=torch.float16)
flash_attn_func(q, q, q)  # on a T4, V100, GTX or RTX 20

# %% check old-gpu
print(torch.cuda.get_device_capability())  # less than (8, 0)
assert torch.cuda.get_device_capability() < (8, 0)

# %% proof old-gpu
q = torch.randn(2, 4, 6, 64, device="cuda", dtype=torch.float16)
assert torch.allclose(F.scaled_dot_product_attention(q, q, q), plainly(q, q, q), atol=1e-2)

# %%
q, k, v = (torch.randn(2, 6, 4, 8) for _ in range(3))  # batch, length, heads, size

# %% break cpu
import xformers.ops

out = xformers.ops.memory_efficient_attention(q, k, v)

# %% check cpu
print(q.device, torch.cuda.is_available())  # cpu: its kernels are for GPUs
assert q.device.type == "cpu"

# %% fix cpu
import torch.nn.functional as F


def memory_efficient_attention(q, k, v, attn_bias=None, p=0.0):
    # xFormers wants (batch, length, heads, size); PyTorch wants heads before length
    q, k, v = (tensor.transpose(1, 2) for tensor in (q, k, v))
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=attn_bias, dropout_p=p)
    return out.transpose(1, 2)


# %% proof cpu
swapped = (tensor.transpose(1, 2) for tensor in (q, k, v))
wanted = plainly(*swapped).transpose(1, 2)
assert torch.allclose(memory_efficient_attention(q, k, v), wanted, atol=1e-5)
bias = torch.zeros(6, 6).masked_fill(torch.ones(6, 6).triu(1).bool(), float("-inf"))
causal = F.scaled_dot_product_attention(*(tensor.transpose(1, 2) for tensor in (q, k, v)), is_causal=True).transpose(1, 2)
assert torch.allclose(memory_efficient_attention(q, k, v, bias), causal, atol=1e-5)
assert not torch.allclose(memory_efficient_attention(q, k, v, p=0.9), wanted, atol=1e-2)
