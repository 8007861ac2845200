# ---
# wordings:
#   - text: "out of resource: {what:line}, Required: {need:int}, Hardware limit: {limit:int}"
#     exception: [OutOfResources, RuntimeError]
#     sample: "triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 131072, Hardware limit: 101376. Reducing block sizes or `num_stages` may help."
#   - text: "out of resource: shared memory"
#     exception: [OutOfResources, RuntimeError]
#   - text: "out of resource: {kernel:ident} Required: {need:int} Hardware limit:{limit:int}"
#     exception: [OutOfMemoryError, RuntimeError, InductorError]
#     sample: "RuntimeError: No valid triton configs. OutOfMemoryError: out of resource: triton_mm Required: 147456 Hardware limit:101376 Reducing block sizes or `num_stages` may help."
#   - text: "No valid triton configs. OutOfMemoryError"
#     exception: [RuntimeError, InductorError]
# tags: [compile, cuda]
# recover: fix
# needs: ["package:triton", "fault:a driver that tells a GPU's limits and loads nothing"]
# related: [compile-export/triton-compile-failed, memory/cuda-oom]
# docs: ["https://triton-lang.org/main/python-api/generated/triton.Config.html", "https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#features-and-technical-specifications-technical-specifications-per-compute-capability"]
# outranks: [cuda-oom]
# timeout: 120
# cases:
#   own-kernel:
#     needs: ["torch:2.9"]  # the driver that stands in for a GPU's is one of its Triton
#     survives:
#       "without: num_stages= in matmul[1,](a, b, out, a.shape[1], M=128, N=128, BLOCK=32, n…": "the default of three stages fits as well"
# causes:
#   inductor:
#     if: paste("No valid triton configs")
#     likely: frames("_inductor/")
#     sample: "RuntimeError: No valid triton configs. OutOfMemoryError: out of resource: triton_mm Required: 147456 Hardware limit:101376 Reducing block sizes or `num_stages` may help."
#   not-shared:
#     if: 'paste("out of resource: threads", "out of resource: tensor memory")'
#     sample: "triton.runtime.errors.OutOfResources: out of resource: threads, Required: 1024, Hardware limit: 512. Reducing block sizes or `num_stages` may help."
#   package:
#     likely: frames("site-packages/mamba_ssm", "site-packages/fla/", "site-packages/vllm", "site-packages/sglang", "site-packages/flash_attn", "site-packages/sageattention", "site-packages/liger_kernel", "site-packages/unsloth", "site-packages/triton_kernels")
#     sample: "Traceback (most recent call last):\n  File \"/opt/conda/lib/python3.11/site-packages/fla/ops/gla/chunk.py\", line 9, in chunk_gla\n    kernel[grid](q, k, v)\ntriton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 163840, Hardware limit: 101376. Reducing block sizes or `num_stages` may help."
#   own-kernel:
#     undecided: whether the kernel is one's own is not printed
# ---

# %%
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import torch

os.environ["TRITON_CACHE_DIR"] = os.path.abspath("cache")
os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"  # as it is now; no warning
Path("kernels.py").write_text("""
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, out, K, M: tl.constexpr, N: tl.constexpr, BLOCK: tl.constexpr):
    row, column, at = tl.arange(0, M), tl.arange(0, N), tl.arange(0, BLOCK)
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, K, BLOCK):
        left = tl.load(a + row[:, None] * K + start + at[None, :])
        right = tl.load(b + (start + at)[:, None] * N + column[None, :])
        total += tl.dot(left, right)
    tl.store(out + row[:, None] * N + column[None, :], total)
""")
sys.path.insert(0, "")
torch.manual_seed(0)
a = torch.randn(128, 512, dtype=torch.float16)
b = torch.randn(512, 128, dtype=torch.float16)
out = torch.zeros(128, 128)
launched = []


def card(capability, shared):
    """From here on Triton takes the machine for one with this GPU: it compiles for it, and asks how much shared memory it has."""
    import triton
    from triton.backends.compiler import GPUTarget

    limits = {"max_shared_mem": shared}
    triton.runtime.driver.set_active(
        SimpleNamespace(
            utils=SimpleNamespace(get_device_properties=lambda device: limits, load_binary=lambda *binary: (1, 1, 0, 0, 1024)),
            launcher_cls=lambda source, metadata: lambda *arguments, **more: launched.append(metadata),
            get_current_device=lambda: 0,
            get_current_stream=lambda device: 0,
            get_current_target=lambda: GPUTarget("cuda", capability, 32),
            get_active_torch_device=lambda: torch.device("cpu"),
            map_python_to_cpp_type=lambda kind: kind,
        )
    )


# %%
card(86, 101376)  # an RTX 3090: 99 KiB
from kernels import matmul

# %% break own-kernel
matmul[(1,)](a, b, out, 512, M=128, N=128, BLOCK=64, num_stages=5)

# %% check own-kernel
num_stages, bytes_each = 5, 2  # float16
blocks = 128 * 64 + 64 * 128  # one block of each input
print((num_stages - 1) * blocks * bytes_each)  # what the pipeline keeps in flight
assert (num_stages - 1) * blocks * bytes_each == 131072

# %% fix own-kernel
from kernels import matmul  # your kernel


def launch(a, b, out):
    # half the block, and fewer stages in the pipeline
    matmul[(1,)](a, b, out, a.shape[1], M=128, N=128, BLOCK=32, num_stages=2)


# %% proof own-kernel
launch(a, b, out)
assert 0 < launched[0].shared <= 101376 and len(launched) == 1  # fits
# Triton's interpreter runs the same kernel on the CPU.
import inspect
import subprocess

PROGRAM = f"""
import torch
from kernels import matmul
{inspect.getsource(launch)}
for a, b in torch.load("in.pt"):
    out = torch.zeros(128, 128)
    launch(a, b, out)
    assert torch.allclose(out, a.float() @ b.float(), atol=1e-2)
"""
torch.save([(a, b), (a[:, :256].contiguous(), b[:256])], "in.pt")
done = subprocess.run([sys.executable, "-c", PROGRAM], env={**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": os.getcwd()}, capture_output=True, text=True)
assert done.returncode == 0, done.stderr
