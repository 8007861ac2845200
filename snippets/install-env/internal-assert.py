# ---
# wordings:
#   - text: "NVML_SUCCESS == r INTERNAL ASSERT FAILED"
#     exception: RuntimeError
#   - text: "free_upper_bound + pytorch_used_bytes[device] <= device_total INTERNAL ASSERT FAILED"
#     exception: RuntimeError
#   - text: "NVML_SUCCESS == DriverAPI::get()->{_:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: NVML_SUCCESS == DriverAPI::get()->nvmlInit_v2_() INTERNAL ASSERT FAILED at \"../c10/cuda/CUDACachingAllocator.cpp\":1123, please report a bug to PyTorch."
#   - text: "Unrecognized key '{key:line}' in Accelerator allocator config"
#     exception: ValueError
#     sample: "ValueError: Unrecognized key 'max_split_size_mb=128' in Accelerator allocator config."
#   - text: "INTERNAL ASSERT FAILED at \"{file:path}\":{_:int}"
#     role: symptom
#     sample: "RuntimeError: t == DeviceType::CUDA INTERNAL ASSERT FAILED at \"../c10/cuda/impl/CUDAGuardImpl.h\":25, please report a bug to PyTorch."
#   - text: "INTERNAL ASSERT FAILED at"
#     role: symptom
#     near: [torch, Torch, ATen, aten, c10]
#   - text: "please report a bug to PyTorch"
#     role: symptom
# tags: [build, comfyui, cpp-extension, crash, oom]
# recover: process
# cases:
#   setting:
#     needs: ["torch:2.13"]
#     commands:
#       linux: export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128,expandable_segments:False
#       powershell: $env:PYTORCH_CUDA_ALLOC_CONF = "max_split_size_mb:128,expandable_segments:False"
#       notebook: "%env PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128,expandable_segments:False"
# related: [memory/cuda-oom, install-env/undefined-symbol]
# docs: ["https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management", "https://docs.pytorch.org/docs/stable/debugging_environment_variables.html"]
# causes:
#   nvml:
#     if: paste("NVML_SUCCESS") and paste("CUDACachingAllocator")
#     likely: paste("NVML_SUCCESS")
#     sample: "RuntimeError: NVML_SUCCESS == r INTERNAL ASSERT FAILED at \"../c10/cuda/CUDACachingAllocator.cpp\":995, please report a bug to PyTorch."
#   async-allocator:
#     if: paste("CUDAMallocAsyncAllocator", "free_upper_bound")
#     sample: "RuntimeError: free_upper_bound + pytorch_used_bytes[device] <= device_total INTERNAL ASSERT FAILED at \"C:\\\\actions-runner\\\\c10\\\\cuda\\\\CUDAMallocAsyncAllocator.cpp\":56"
#   expandable:
#     likely: paste("handles_.at(i)", "expandable_segment", "ExpandableSegment")
#     sample: "RuntimeError: !handles_.at(i) INTERNAL ASSERT FAILED at \"../c10/cuda/CUDACachingAllocator.cpp\":487, please report a bug to PyTorch."
#   setting:
#     if: paste("AllocatorConfig", "ConfigTokenizer", "Accelerator allocator config")
#   torchscript:
#     if: paste("torch/csrc/jit", "torch\\csrc\\jit", "alias_analysis.cpp", "ATen/core/ivalue")
#     sample: "RuntimeError: 0 INTERNAL ASSERT FAILED at \"../torch/csrc/jit/ir/alias_analysis.cpp\":621, please report a bug to PyTorch. We don't have an op for aten::relu but it isn't a special case."
#   extension:
#     likely: >-
#       not paste("CUDACachingAllocator", "CUDAMallocAsyncAllocator") and
#       frames("torch_scatter", "torch_sparse", "mmcv/", "detectron2/", "flash_attn", "xformers", "bitsandbytes", "apex/", "deepspeed/ops", "torchvision/", "torchaudio/")
#     sample: |
#       File "detectron2/layers/roi_align.py", line 58, in forward
#       RuntimeError: tensor.device() INTERNAL ASSERT FAILED at "../aten/src/ATen/core/TensorBase.h":300, please report a bug to PyTorch.
#   bug:
# ---

# %%
import os

import torch

# What a build of PyTorch with CUDA does with this variable when it starts; a CPU build does not read it by itself.
read_settings = torch._C._accelerator_setAllocatorSettings

# %% break setting
# = in place of a colon
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb=128"
read_settings(os.environ["PYTORCH_CUDA_ALLOC_CONF"])

# %% check setting
settings = "max_split_size_mb=128"  # on your machine: what the variable holds
for setting in settings.split(","):
    print(setting, "- a name, a colon, a value:", setting.count(":") > 0)
assert ":" not in settings

# %% proof setting
read_settings("max_split_size_mb:128,expandable_segments:False")
for wrong in ("max_split_size_mb=128", "expandable_segments", "max_split_size_mb"):
    try:
        read_settings(wrong)
    except (RuntimeError, ValueError) as error:
        assert "INTERNAL ASSERT FAILED" in str(error) or "Unrecognized key" in str(error)
    else:
        raise AssertionError(f"{wrong} was taken")
read_settings("")  # and without any
