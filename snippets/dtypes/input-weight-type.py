# ---
# wordings:
#   - text: "Input type ({x:line}) and bias type ({w:line}) should be the same"
#     exception: RuntimeError
#     when: [same, x, w]
#     sample: "RuntimeError: Input type (c10::Half) and bias type (float) should be the same"
#   - text: "Input type ({x:line}) and weight type ({w:line}) should be the same"
#     exception: RuntimeError
#     when: [same, x, w]
#     sample: "RuntimeError: Input type (torch.FloatTensor) and weight type (torch.HalfTensor) should be the same or input should be a MKLDNN tensor and weight is a dense tensor"
# tags: [cnn, amp, inference, numpy, comfyui]
# recover: fix
# related: [dtypes/expected-scalar-type]
# docs: ["https://docs.pytorch.org/docs/stable/amp.html", "https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch-dtype"]
# causes:
#   half-input:
#     if: >-
#       begins(x, "c10::Half", "struct c10::Half", "c10::BFloat16", "struct c10::BFloat16", "torch.HalfTensor", "torch.cuda.HalfTensor", "CUDAHalfType", "CPUHalfType",
#       "torch.BFloat16Tensor", "torch.cuda.BFloat16Tensor", "CUDABFloat16Type", "CPUBFloat16Type", "MPSHalfType", "MPSBFloat16Type")
#   half-model:
#     if: >-
#       begins(w, "c10::Half", "struct c10::Half", "c10::BFloat16", "struct c10::BFloat16", "torch.HalfTensor", "torch.cuda.HalfTensor", "CUDAHalfType", "CPUHalfType",
#       "torch.BFloat16Tensor", "torch.cuda.BFloat16Tensor", "CUDABFloat16Type", "CPUBFloat16Type", "MPSHalfType", "MPSBFloat16Type")
#   double-input:
#     if: begins(x, "double", "torch.DoubleTensor", "torch.cuda.DoubleTensor", "CPUDoubleType", "CUDADoubleType", "MPSDoubleType")
#   pixels:
#     if: begins(x, "unsigned char", "torch.ByteTensor", "torch.cuda.ByteTensor", "long", "__int64", "int", "torch.LongTensor", "torch.cuda.LongTensor")
# ---

# %%
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Conv2d(3, 4, 3)
picture = np.random.default_rng(0).random((1, 3, 8, 8))
images = torch.from_numpy(picture)  # NumPy's numbers are float64: double

# %% break double-input
model(images)

# %% check double-input
print(images.dtype, model.weight.dtype)
assert images.dtype == torch.float64

# %% fix double-input
images = images.float()
outputs = model(images)

# %% proof double-input
assert outputs.dtype == torch.float32 and np.allclose(images.numpy(), picture)
assert outputs.shape == (1, 4, 6, 6)

# %%
images = torch.rand(1, 3, 8, 8)
model = nn.Conv2d(3, 4, 3).half()  # as torch_dtype=torch.float16 or model.half() makes it

# %% break half-model
model(images)

# %% check half-model
print(images.dtype, next(model.parameters()).dtype)
assert next(model.parameters()).dtype == torch.float16

# %% fix half-model
images = images.to(next(model.parameters()).dtype)
outputs = model(images)

# %% proof half-model
assert outputs.dtype == torch.float16
exact = nn.functional.conv2d(images.float(), model.weight.float(), model.bias.float())
assert (outputs.float() - exact).abs().max() < 1e-2

# %%
images = torch.rand(1, 3, 8, 8).half()
model = nn.Conv2d(3, 4, 3)

# %% break half-input
model(images)

# %% check half-input
print(images.dtype, next(model.parameters()).dtype)
assert images.dtype == torch.float16
assert next(model.parameters()).dtype == torch.float32

# %% fix half-input
images = images.to(next(model.parameters()).dtype)
outputs = model(images)

# %% proof half-input
assert outputs.dtype == torch.float32
torch.testing.assert_close(outputs, nn.functional.conv2d(images.float(), model.weight, model.bias))

# %%
images = torch.randint(0, 256, (1, 3, 8, 8), dtype=torch.uint8)  # as decode_image reads them
pixels = images

# %% break pixels
model(images)

# %% check pixels
print(images.dtype, images.max())
assert images.dtype == torch.uint8

# %% fix pixels
images = images / 255  # makes floats, from 0 to 1
outputs = model(images)

# %% proof pixels
assert images.max() <= 1 and torch.equal((images * 255).round().byte(), pixels)
assert outputs.shape == (1, 4, 6, 6)
