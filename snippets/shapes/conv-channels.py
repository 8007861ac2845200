# ---
# wordings:
#   - text: "Given groups={_:int}, weight of size [{weight:shape}], expected input[{input:shape}] to have {want:int} channels, but got {got:int} channels instead"
#     exception: RuntimeError
#     sample: "RuntimeError: Given groups=1, weight of size [8, 3, 3, 3], expected input[2, 1, 28, 28] to have 3 channels, but got 1 channels instead"
#   - text: "Given transposed={_:int}, weight of size [{weight:shape}], expected input[{input:shape}] to have {want:int} channels, but got {got:int} channels instead"
#     exception: RuntimeError
#     sample: "RuntimeError: Given transposed=1, weight of size [3, 4, 3, 3], expected input[1, 4, 9, 9] to have 3 channels, but got 4 channels instead"
#   - text: "expected input[{input:shape}] to have {want:int} channels, but got {got:int} channels instead"
#     exception: RuntimeError
#     sample: "RuntimeError: Given groups=1, weight of size 64 3 7 7, expected input[1, 1, 28, 28] to have 3 channels, but got 1 channels instead"
#   - text: "channels, but got {got:ident} channels instead"
#     exception: RuntimeError
#     sample: "to have 3 channels, but got 4 channels instead"
#   - text: "Need input.size[1] == {want:int} but got {got:int} instead"
#     exception: RuntimeError
#     sample: "RuntimeError: Need input.size[1] == 3 but got 1 instead."
# tags: [cnn, shape, detection, comfyui]
# picture: [channels, got, want]
# recover: fix
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.Conv2d.html"]
# cases: {channels-last: {wrong: {reshaped: "https://github.com/Selen-Suyue/DensePolicy2D/issues/3"}}}
# causes:
#   grey:
#     if: >-
#       want == 3 and got == 1 and len(input) == 4 and input[2] > 4 and input[3] > 4
#     likely: want == 3 and got == 1
#   channels-last:
#     if: len(input) > 3 and input[-1] == want and got > 4 and want < 5 and input[2] > 4 or len(input) == 3 and input[-1] == want and (got > 4 or want < 5)
#   rgba:
#     if: want == 3 and got == 4 and (input[2] > 256 or input[3] > 256)
#     likely: want == 3 and got == 4 and not (input[2] == input[3] and input[2] in [32, 64, 96, 128])
#   rgb:
#     if: >-
#       want == 1 and got == 3 and len(input) == 4 and input[2] > 4 and input[3] > 4
#     likely: want == 1 and got == 3
#     sample: "RuntimeError: Given groups=1, weight of size [32, 1, 3, 3], expected input[4, 3, 320, 220] to have 1 channels, but got 3 channels instead"
#   latents:
#     likely: >-
#       (weight[0] in [320, 512] and want in [4, 8, 9, 16] and got in [4, 8, 9, 16] or want in [4,
#       9] and got in [4, 8, 9, 16, 36, 48] or got in [4, 9] and want in [4, 8, 9, 16, 36, 48]) and
#       paste("omfy", "diffus", "webui", "latent", "ldm/", "ldm\\", "sd-scripts", "UNet2D", "vae",
#       "VAE")
#     sample: |
#       Traceback (most recent call last):
#         File "ComfyUI/comfy/ldm/modules/diffusionmodules/openaimodel.py", line 100, in forward
#       RuntimeError: Given groups=1, weight of size [320, 4, 3, 3], expected input[2, 8, 64, 64] to have 4 channels, but got 8 channels instead
#   layers:
#     if: live("input", "computed")
#     likely: >-
#       want > 31 and got > 15 and want % 16 == 0 and got % 16 == 0 and input[3] != got and input[2]
#       != got or want > 4 and got > 4 and input[3] != got
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Conv2d(3, 8, 3)
images = torch.rand(2, 1, 28, 28)
pictures = images

# %% break grey
model(images)

# %% check grey
print(images.shape[1], model.weight.shape[1])  # 1 channel comes, 3 are wanted
assert images.shape[1] == 1

# %% fix grey
images = images.expand(-1, 3, -1, -1)  # grey three times: red = green = blue
outputs = model(images)

# %% proof grey
assert outputs.shape == (2, 8, 26, 26)
summed = nn.functional.conv2d(pictures, model.weight.sum(1, keepdim=True), model.bias)
torch.testing.assert_close(outputs, summed, atol=1e-5, rtol=1e-4)

# %% use grey
model = nn.Sequential(
    nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3)
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = [(torch.rand(4, 1, 20, 28), torch.arange(4) % 3) for _ in range(2)]
for images, labels in loader:
    # >>>
    model(images)
    # <<<
    optimizer.zero_grad()
    nn.functional.cross_entropy(outputs, labels).backward()
    optimizer.step()
assert outputs.shape == (4, 3) and model[0].weight.grad.any()

# %%
images = torch.rand(2, 40, 60, 3)  # height, width, channels: as NumPy, OpenCV and Pillow have it
pictures = images

# %% break channels-last
model(images)

# %% check channels-last
print(images.shape)  # the 3 stands last
assert images.shape[-1] == 3

# %% fix channels-last
# batch, channels, height, width; view() would mix the pixels
images = images.permute(0, 3, 1, 2)
outputs = model(images)

# %% proof channels-last
assert outputs.shape == (2, 8, 38, 58)
assert torch.equal(images[1, 2, 7, 9], pictures[1, 7, 9, 2])

# %% wrong reshaped
# `reshape` or `view` to the shape that is wanted: no error any more, and values of all three colours
# stand mixed in each channel.
images = images.reshape(2, 3, 40, 60)
outputs = model(images)
print(torch.equal(images[0, 0], pictures[0, :, :, 0]))

# %%
images = torch.rand(2, 4, 128, 96)  # PNG files with transparency
pictures = images

# %% break rgba
model(images)

# %% check rgba
print(images.shape)
assert images.shape[1] == 4

# %% fix rgba
# or, where files are opened: Image.open(path).convert("RGB")
images = images[:, :3]
outputs = model(images)

# %% proof rgba
assert outputs.shape == (2, 8, 126, 94) and torch.equal(images, pictures[:, :3])

# %%
images = torch.rand(2, 3, 32, 32)

# %% break layers
model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Conv2d(32, 10, 1))
model(images)

# %% check layers
model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Conv2d(32, 10, 1))
print(model[:2](images).shape[1])  # 64 come out of the layers before
assert model[:2](images).shape[1] != model[2].in_channels

# %% fix layers
from torch import nn

model = nn.Sequential(
    nn.Conv2d(3, 64, 3),
    nn.ReLU(),
    nn.Conv2d(64, 10, 1),  # in: what comes out of the layer before
)
outputs = model(images)

# %% proof layers
hidden = nn.functional.conv2d(images, model[0].weight, model[0].bias).clamp(min=0)
torch.testing.assert_close(outputs, nn.functional.conv2d(hidden, model[2].weight, model[2].bias))
assert outputs.shape == (2, 10, 30, 30) and hidden.shape[1] == 64

# %%
model = nn.Conv2d(1, 8, 3)  # built for grey images
images = colours = torch.rand(2, 3, 28, 28)

# %% break rgb
model(images)

# %% check rgb
print(images.shape[1], model.weight.shape[1])  # 3 channels come, 1 is wanted
assert images.shape[1] == 3 and model.weight.shape[1] == 1

# %% fix rgb
import torch

# as Pillow's convert("L") weighs red, green and blue
weights = torch.tensor([0.299, 0.587, 0.114]).view(3, 1, 1)
images = (images * weights).sum(dim=1, keepdim=True)
outputs = model(images)

# %% proof rgb
assert images.shape == (2, 1, 28, 28) and outputs.shape == (2, 8, 26, 26)
red, green, blue = colours.unbind(1)
torch.testing.assert_close(images[:, 0], 0.299 * red + 0.587 * green + 0.114 * blue)
