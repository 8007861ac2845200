# ---
# wordings:
#   - text: "Invalid shape ({size:shape}) for image data"
#     exception: TypeError
#     near: &torch [torch, "permute(", ".detach()", ".cpu()", "img_tensor", "make_grid"]
#     sample: "plt.imshow(image.cpu())\nTypeError: Invalid shape (3, 224, 224) for image data"
#   - text: "Invalid dimensions for image data"
#     exception: TypeError
#     near: *torch
#     sample: "plt.imshow(image.cpu())\nTypeError: Invalid dimensions for image data"
#   - text: "Cannot handle this data type: ({size:shape}), |u1"
#     exception: TypeError
#     near: *torch
#     sample: "Image.fromarray(image.cpu().numpy())\nTypeError: Cannot handle this data type: (1, 1, 224), |u1"
#   - text: "Cannot handle this data type: ({size:shape}), <f4"
#     exception: TypeError
#     near: *torch
#     sample: "Image.fromarray(image.cpu().numpy())\nTypeError: Cannot handle this data type: (1, 1, 224), <f4"
#   - text: "Cannot handle this data type: ({size:shape}), <i8"
#     exception: TypeError
#     near: *torch
#     sample: "Image.fromarray(mask.cpu().numpy())\nTypeError: Cannot handle this data type: (1, 1), <i8"
# tags: [shape, numpy, cnn]
# recover: fix
# needs: ["package:matplotlib", "package:PIL"]
# related: [silent/view-for-permute, devices/cuda-tensor-to-numpy, shapes/normalize-channels]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.permute.html", "https://matplotlib.org/stable/api/_as_gen/matplotlib.pyplot.imshow.html"]
# cases:
#   imshow: {survives: {"raw: x.permute(1, 2, 0).cpu()": "a tensor on the CPU needs no .cpu(), one on the GPU does"}}
#   pil: {survives: {"raw: pixels.permute(1, 2, 0).cpu()": "a tensor on the CPU needs no .cpu(), one on the GPU does"}}
#   batch: {survives: {"raw: images[0].permute(1, 2, 0).cpu()": "a tensor on the CPU needs no .cpu(), one on the GPU does"}}
#   one-channel: {survives: {"raw: x[0].cpu()": "a tensor on the CPU needs no .cpu(), one on the GPU does"}}
# causes:
#   imshow:
#     if: read(size) and size[0] in [3, 4]
#   batch:
#     if: len(size) == 4
#   one-channel:
#     if: len(size) == 3 and size[0] == 1 and paste("for image data") or paste("(1, 1, 1),")
#   label-mask:
#     if: paste("<i8")
#     sample: "Image.fromarray(mask.cpu().numpy())\nTypeError: Cannot handle this data type: (1, 1), <i8"
#   pil:
#     if: paste("Cannot handle this data type")
# ---

# %%
import matplotlib
import torch

matplotlib.use("Agg")
x = torch.arange(3 * 4 * 5).reshape(3, 4, 5) / 80 + 0.1  # channels, height, width
images = torch.stack([x, 1 - x])

# %% break imshow
import matplotlib.pyplot as plt

plt.imshow(x.cpu())

# %% check imshow
print(tuple(x.shape))  # (3, 4, 5): the channels come first
assert x.shape[0] == 3

# %% fix imshow
import matplotlib.pyplot as plt

shown = plt.imshow(x.permute(1, 2, 0).cpu())  # height, width, channels

# %% proof imshow
drawn = torch.from_numpy(shown.get_array().data)
assert all(torch.equal(drawn[..., c], x[c]) for c in range(3))

# %%
x = given = 1.6 * x - 0.3  # as a network gives it: not quite from 0 to 1

# %% break pil
from PIL import Image

Image.fromarray(x.cpu().numpy())

# %% fix pil
import torch
from PIL import Image

pixels = (x.clamp(0, 1) * 255).to(torch.uint8)  # floats from 0 to 1: bytes
picture = Image.fromarray(pixels.permute(1, 2, 0).cpu().numpy())

# %% proof pil
assert picture.size == (5, 4) and picture.mode == "RGB"
assert picture.getpixel((4, 3)) == tuple(int(v) for v in given[:, 3, 4].clamp(0, 1) * 255)
assert picture.getpixel((2, 1)) == tuple(int(v) for v in given[:, 1, 2].clamp(0, 1) * 255)
assert picture.getpixel((0, 0))[0] == 0 and picture.getpixel((4, 3))[2] == 255

# %% break batch
import matplotlib.pyplot as plt

plt.imshow(images.cpu())

# %% fix batch
import matplotlib.pyplot as plt

shown = plt.imshow(images[0].permute(1, 2, 0).cpu())  # one image of the batch

# %% proof batch
assert torch.equal(torch.from_numpy(shown.get_array().data), images[0].movedim(0, -1))

# %%
x = torch.arange(20).reshape(1, 4, 5) / 20

# %% break one-channel
import matplotlib.pyplot as plt

plt.imshow(x.cpu())

# %% fix one-channel
import matplotlib.pyplot as plt

shown = plt.imshow(x[0].cpu(), cmap="gray")  # height, width

# %% proof one-channel
assert torch.equal(torch.from_numpy(shown.get_array().data), x[0]) and shown.get_cmap().name == "gray"
