# ---
# wordings:
#   - text: "Calculated padded input size per channel: ({h:int} x {w:int}). Kernel size: ({kh:int} x {kw:int})."
#     exception: RuntimeError
#     sample: "RuntimeError: Calculated padded input size per channel: (2 x 2). Kernel size: (5 x 5). Kernel size can't be greater than actual input size"
#   - text: "Calculated padded input size per channel: ({length:int}). Kernel size: ({k:int})."
#     exception: RuntimeError
#     sample: "RuntimeError: Calculated padded input size per channel: (2). Kernel size: (3). Kernel size can't be greater than actual input size"
#   - text: "Given input size: ({pooled:dims}). Calculated output size: ({output:line}). Output size is too small"
#     exception: RuntimeError
#     sample: "RuntimeError: Given input size: (3x1x1). Calculated output size: (3x0x0). Output size is too small"
#   - text: "Calculated padded input size per channel: ({input:line}). Kernel size: ({kernel:line})."
#     exception: RuntimeError
#     sample: "RuntimeError: Calculated padded input size per channel: (2 x 2). Kernel size: (5 x 5). Kernel size can't be greater than actual input size"
#   - text: "Calculated input size: ({input:line}). Kernel size: ({kernel:line})."
#     exception: RuntimeError
#     sample: "RuntimeError: Calculated input size: (2 x 2). Kernel size: (3 x 3). Kernel size can't greater than actual input size at /pytorch/torch/lib/THNN/generic/SpatialConvolutionMM.c:48"
#   - text: "Kernel size can't be greater than actual input size"
#     exception: RuntimeError
#   - text: "Kernel size can't greater than actual input size"
#     exception: RuntimeError
#   - text: "max_pool1d() Invalid computed output size"
#     exception: RuntimeError
# tags: [cnn, shape, padding, comfyui]
# recover: fix
# related: [shapes/conv-channels, nn/bn-one-value]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.Conv2d.html", "https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveAvgPool2d.html"]
# causes:
#   small-image:
#     likely: h == w and kh < 6 or pooled[-1] == 1 and pooled[-2] == 1
#   unpadded-layers:
#     likely: not read(pooled) and (live("layer", "padding=0") or live("layer", "padding=(0, 0)"))
#     undecided: the size of the image and the layers before are not printed
#   fixed-pool:
#     likely: pooled[-1] > 2 and pooled[-2] > 2
#   short-sequence:
#     if: read(length) or paste("max_pool1d() Invalid")
#   lost-side:
#     likely: h > 8 * w or w > 8 * h or pooled[-2] > 8 * pooled[-1] or pooled[-1] > 8 * pooled[-2]
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
layers = []
for before, after in [(3, 8), (8, 8), (8, 8), (8, 8)]:
    layers += [nn.Conv2d(before, after, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
model = nn.Sequential(*layers, nn.Conv2d(8, 10, 3))
images = torch.rand(2, 3, 32, 32)
small = images

# %% break small-image
outputs = model(images)

# %% check small-image
features = images
for layer in model[:-1]:
    features = layer(features)
    print(type(layer).__name__, tuple(features.shape))  # 32, 16, 8, 4, 2
assert features.shape[2:] == (2, 2)

# %% fix small-image
from torch.nn import functional as F

# the size that the network was made for; with torchvision: transforms.Resize(…)
images = F.interpolate(images, size=(64, 64), mode="bilinear")
outputs = model(images)

# %% proof small-image
assert outputs.shape == (2, 10, 2, 2)
rows = nn.functional.interpolate(small, scale_factor=2, mode="bilinear")
assert torch.equal(images, rows)

# %% break unpadded-layers
model = nn.Sequential(nn.Conv2d(3, 8, 7), nn.MaxPool2d(4), nn.Conv2d(8, 10, 7))
outputs = model(images)

# %% check unpadded-layers
first = nn.Conv2d(3, 8, 7)
print(nn.MaxPool2d(4)(first(images)).shape[2:])  # 32 - 6 = 26, then 26 / 4
assert nn.MaxPool2d(4)(first(images)).shape[2:] == (6, 6)

# %% fix unpadded-layers
from torch import nn

model = nn.Sequential(
    nn.Conv2d(3, 8, 7, padding=3),  # keeps 32 x 32
    nn.MaxPool2d(4),
    nn.Conv2d(8, 10, 7, padding=3),  # kernel 3: 1, kernel 5: 2, kernel 7: 3
)
outputs = model(images)

# %% proof unpadded-layers
assert outputs.shape == (2, 10, 8, 8) and model[0](images).shape == (2, 8, 32, 32)

# %%
model = nn.Sequential(nn.Conv2d(3, 8, 3, 4, 1), nn.AvgPool2d(14), nn.Flatten(), nn.Linear(8, 10))

# %% break fixed-pool
outputs = model(images)

# %% check fixed-pool
print(model[0](images).shape, model[1].kernel_size)  # 8 x 8 is there
assert model[0](images).shape[2:] == (8, 8)

# %% fix fixed-pool
from torch import nn

model[1] = nn.AdaptiveAvgPool2d(1)  # the mean of whatever size comes
outputs = model(images)

# %% proof fixed-pool
torch.testing.assert_close(outputs, model[3](model[0](images).mean((2, 3))))

# %%
x = torch.rand(2, 8, 2)  # batch, features, length: two words
model = nn.Conv1d(8, 4, 5)

# %% break short-sequence
outputs = model(x)

# %% check short-sequence
print(x.shape[-1], model.kernel_size)  # 2 steps for a window of 5
assert x.shape[-1] < model.kernel_size[0]

# %% fix short-sequence
from torch.nn import functional as F

missing = max(0, model.kernel_size[0] - x.shape[-1])
outputs = model(F.pad(x, (0, missing)))  # zeros behind the last step

# %% proof short-sequence
filled = torch.cat([x, torch.zeros(2, 8, 3)], 2)
torch.testing.assert_close(outputs, model(filled))
assert outputs.shape == (2, 4, 1)

# %%
model = nn.Conv2d(3, 8, 3, padding=1)
images = torch.rand(2, 3, 32, 64)  # photo and drawing side by side

# %% break lost-side
right = images[..., 256:]  # the pictures are not 512 wide
outputs = model(right)

# %% check lost-side
print(images[..., 256:].shape)  # 0 columns; the message adds the padding to it
assert images[..., 256:].shape[-1] == 0

# %% fix lost-side
middle = images.shape[-1] // 2
outputs = model(images[..., middle:])

# %% proof lost-side
torch.testing.assert_close(outputs, model(images.chunk(2, 3)[1]))
