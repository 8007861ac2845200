# ---
# wordings:
#   - text: "GET was unable to find an engine to execute this computation"
#     exception: RuntimeError
#   - text: "FIND was unable to find an engine to execute this computation"
#     exception: RuntimeError
#   - text: "was unable to find an engine to execute this computation"
#     exception: RuntimeError
#   - text: "Plan failed with a cudnnException: "
#     exception: UserWarning
#   - text: "Plan failed with a CuDNNError: "
#     exception: UserWarning
#   - text: "RuntimeError: Unable to find a valid cuDNN algorithm to run convolution"
#   - text: "Unable to find a valid cuDNN algorithm to run convolution"
#     near: [torch]
#   - text: "no valid convolution algorithms available in CuDNN"
#     exception: RuntimeError
# tags: [cnn, cuda, cudnn, oom]
# recover: process
# needs: ["torch:2.13"]
# cases:
#   dtype:
#     wrong: {emulation-counted: "https://github.com/karpathy/nanoGPT/pull/277"}
#     silent: true
#     needs: ["fault:a GPU without arithmetic in bfloat16"]
#   without-cudnn:
#     wrong: {off-for-all: "https://github.com/NVlabs/FoundationPose/issues/295"}
#     silent: true
#     survives: {"without: enabled= in torch.backends.cudnn.flags(enabled=False)": "False is what flags() takes if nothing is said"}
# related: [install-env/cudnn-not-initialized, install-env/no-kernel-image, memory/cuda-oom]
# docs: ["https://docs.pytorch.org/docs/stable/backends.html#torch-backends-cudnn"]
# causes:
#   memory:
#     likely: paste("out of memory", "OutOfMemoryError", "CUDNN_STATUS_ALLOC_FAILED")
#     sample: "torch.OutOfMemoryError: Tried to allocate 2.00 GiB\nRuntimeError: GET was unable to find an engine to execute this computation"
#   next-plan:
#     if: paste("Plan failed with a") and not paste("unable to find an engine", "OutOfMemoryError", "out of memory")
#     sample: "UserWarning: Plan failed with a cudnnException: CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR: cudnnFinalizeDescriptor Failed cudnn_status: CUDNN_STATUS_NOT_SUPPORTED (Triggered internally at ../aten/src/ATen/native/cudnn/Conv_v8.cpp:919.)"
#   dtype:
#     likely: paste("bfloat16", "BFloat16", "bf16")
#     sample: "inputs = inputs.to(torch.bfloat16)\nRuntimeError: GET was unable to find an engine to execute this computation"
#   new-gpu:
#     likely: paste("sm_120", "RTX 5090", "RTX 5080", "RTX 5070", "RTX 5060")
#     sample: "NVIDIA GeForce RTX 5070\nRuntimeError: GET was unable to find an engine to execute this computation"
#   other-cudnn:
#   without-cudnn:
# ---

# %%
import types

import torch
from torch import nn

torch.manual_seed(0)
gpu = types.SimpleNamespace(name="Tesla T4", major=7, minor=5)
torch.cuda.is_available = lambda: True
torch.cuda.current_device = lambda: 0
torch.cuda.get_device_properties = lambda device=0: gpu
torch.cuda._check_bf16_tensor_supported = lambda device: True  # such a GPU can hold a bfloat16 tensor
model, images = nn.Conv2d(3, 4, 3), torch.randn(2, 3, 8, 8)

# %% break dtype
print(gpu.name, torch.cuda.is_bf16_supported())
# True, although the GPU has no arithmetic for it: PyTorch counts emulation
assert torch.cuda.is_bf16_supported()

# %% check dtype
print(gpu.name, torch.cuda.is_bf16_supported(including_emulation=False))
assert not torch.cuda.is_bf16_supported(including_emulation=False)

# %% fix dtype
import torch

bf16 = torch.cuda.is_bf16_supported(including_emulation=False)
# and with float16 a GradScaler in training
dtype = torch.bfloat16 if bf16 else torch.float16

# %% proof dtype
assert dtype == torch.float16
gpu.major = 8  # A100 and newer
assert torch.cuda.is_bf16_supported(including_emulation=False)

# %% wrong emulation-counted
# `is_bf16_supported()` without an argument: it counts emulation, and says True for this GPU as well.
dtype = torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
print(gpu.name, dtype)

# %%
seen = []
model.register_forward_hook(lambda layer, inputs, outputs: seen.append(torch.backends.cudnn.enabled))

# %% break without-cudnn
# PyTorch takes cuDNN for a convolution wherever it can
assert torch.backends.cudnn.enabled

# %% check without-cudnn
with torch.backends.cudnn.flags(enabled=False):
    # runs now? Then it is cuDNN; an out of memory? Then it is memory
    outputs = model(images)
print(tuple(outputs.shape))
assert outputs.shape == (2, 4, 6, 6)

# %% fix without-cudnn
import torch

# PyTorch's own convolution, for this layer alone
with torch.backends.cudnn.flags(enabled=False):
    outputs = model(images)

# %% proof without-cudnn
assert torch.backends.cudnn.enabled  # for the rest it stays on
torch.testing.assert_close(outputs, nn.functional.conv2d(images, model.weight, model.bias))
assert seen == [False]  # and while the layer ran it was off

# %% wrong off-for-all
# `torch.backends.cudnn.enabled = False` at the top of the program: it runs, but every convolution
# and every RNN does without cuDNN from then on.
torch.backends.cudnn.enabled = False
outputs = model(images)
