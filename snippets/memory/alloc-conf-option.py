# ---
# wordings:
#   - text: "Unrecognized CachingAllocator option: {option:line}"
#     exception: RuntimeError
#     sample: "RuntimeError: Unrecognized CachingAllocator option: expandable_segments"
#   - text: "Unrecognized key '{option:ident}' in Accelerator allocator config"
#     exception: ValueError
#     sample: "ValueError: Unrecognized key 'expandable_segment' in Accelerator allocator config."
#   - text: "Expected 'True' or 'False' at index {_:int} in ConfigTokenizer but got '{value:ident}"
#     exception: ValueError
#     sample: "ValueError: Expected 'True' or 'False' at index 2 in ConfigTokenizer but got 'true'"
#   - text: "CachingAllocator option max_split_size_mb too small, must be >= {least:int}"
#     exception: [ValueError, RuntimeError]
#     sample: "ValueError: CachingAllocator option max_split_size_mb too small, must be >= 20"
#   - text: "CachingAllocator option max_split_size_mb too small, must be > {least:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: CachingAllocator option max_split_size_mb too small, must be > 20"
#   - text: "expandable_segments not supported on this platform"
#     exception: UserWarning
# tags: [cuda, fragmentation, oom]
# recover: process
# needs: ["torch:2.13", "fault:the settings are read without a GPU"]
# related: [memory/cuda-oom, install-env/internal-assert]
# docs: ["https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management"]
# causes:
#   unknown:
#     if: >-
#       read(option) and not paste("_mb=", "segments=", "threshold=", "divisions=", "backend=")
#     sample: "RuntimeError: Unrecognized CachingAllocator option: expandable_segments"
#   equals-sign:
#     if: read(option) and paste("_mb=", "segments=", "threshold=", "divisions=", "backend=")
#     sample: "RuntimeError: Unrecognized CachingAllocator option: max_split_size_mb=8000"
#   not-boolean:
#     if: read(value)
#   too-small:
#     if: read(least)
#   ignored:
#     if: paste("not supported on this platform")
#     sample: "UserWarning: expandable_segments not supported on this platform (Triggered internally at ../c10/cuda/CUDAAllocatorConfig.h:28.)"
# ---

# %%
import os

import torch


def first_tensor_on_gpu():
    """What a build with CUDA does then: it reads the settings. Returns them, or raises what is wrong with them."""
    return torch._C._accelerator_getAllocatorSettings()


# %% break not-boolean
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:true"
first_tensor_on_gpu()

# %% fix not-boolean
import os

# above `import torch`; with a capital letter
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"

# %% proof not-boolean
assert first_tensor_on_gpu() == "expandable_segments:True"

# %% use not-boolean
# >>>
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:1"
# <<<
settings = first_tensor_on_gpu()
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in torch.randn(2, 8, 4):
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
assert settings == "expandable_segments:True" and model.weight.grad.any()

# %% break too-small
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:10"
first_tensor_on_gpu()

# %% fix too-small
import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:128"

# %% proof too-small
assert first_tensor_on_gpu() == "max_split_size_mb:128"
