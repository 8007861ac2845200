# ---
# wordings:
#   - text: "Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of [{spatial:shape}] and"
#     exception: ValueError
#     sample: "ValueError: Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of [8] and output size of (4, 4). Please provide input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format."
#   - text: "Input and output must have the same number of spatial dimensions, but got"
#     exception: ValueError
#   - text: "Got {got:ident} input, but {mode:ident} mode needs {needs:ident} input"
#     exception: NotImplementedError
#     sample: "NotImplementedError: Got 3D input, but bilinear mode needs 4D input"
#   - text: "only one of size or scale_factor should be defined"
#     exception: ValueError
#   - text: "either size or scale_factor should be defined"
#     exception: ValueError
#   - text: "Input and output sizes should be greater than 0, but got input (H: {height:int}, W: {width:int}) output (H: {h:int}, W: {w:int})"
#     exception: RuntimeError
#     sample: "RuntimeError: Input and output sizes should be greater than 0, but got input (H: 8, W: 8) output (H: 0, W: 4)"
#   - text: "nput and output sizes should be greater than 0"
#     exception: RuntimeError
#   - text: "Padding size should be less than the corresponding input dimension, but got: padding ({padding:shape}) at dimension {dim:int} of input [{input:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: Argument #4: Padding size should be less than the corresponding input dimension, but got: padding (5, 5) at dimension 3 of input [1, 3, 5, 5]"
#   - text: "Padding size should be less than the corresponding input dimension"
#     exception: RuntimeError
#   - text: "Padding value causes wrapping around more than once"
#     exception: [RuntimeError, AssertionError]
#   - text: "Supported combinations for non-constant padding"
#     exception: NotImplementedError
#   - text: "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now"
#     exception: NotImplementedError
#   - text: "Padding length must be divisible by 2"
#     exception: [RuntimeError, AssertionError]
#   - text: "Padding length should be less than or equal to two times the input dimension"
#     exception: [RuntimeError, AssertionError]
# tags: [shape, padding, cnn]
# recover: fix
# related: [shapes/conv-dims]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html", "https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.pad.html"]
# causes:
#   no-batch:
#     if: len(spatial) == 1 or paste("spatial dimensions of []", "linear mode needs", "mode needs 4D", "mode needs 3D", "mode needs 5D")
#     likely: paste("same number of spatial dimensions") and not len(spatial) > 2
#   size-twice:
#     if: paste("only one of size or scale_factor", "either size or scale_factor")
#   nothing-left:
#     if: height > 0 and width > 0 and (h == 0 or w == 0)
#     likely: paste("output sizes should be greater than 0") and not (height == 0 or width == 0)
#   reflect-too-far:
#     if: paste("Padding size should be less than the corresponding input dimension", "wrapping around more than once")
#   reflect-dimensions:
#     if: paste("for non-constant padding", "tensors need the last", "Only 2D, 3D, 4D, 5D padding", "Padding length", "Non-constant padding")
# ---

# %%
import torch
from torch.nn import functional as F

torch.manual_seed(0)
images = torch.rand(3, 8, 8)  # one image: channels, height, width
image = images

# %% break no-batch
smaller = F.interpolate(images, size=(4, 4), mode="bilinear")

# %% check no-batch
print(images.shape)  # 3 dimensions: read as batch, channels and one more
assert images.dim() == 3

# %% fix no-batch
from torch.nn import functional as F

smaller = F.interpolate(images[None], size=(4, 4), mode="bilinear")[0]

# %% proof no-batch
torch.testing.assert_close(smaller, image.view(3, 4, 2, 4, 2).mean((2, 4)))

# %%
images = image[None]

# %% break size-twice
larger = F.interpolate(images, size=(16, 16), scale_factor=2)

# %% check size-twice
print(images.shape[2:])  # size and scale_factor say the same thing in two ways
assert images.shape[2] * 2 == 16

# %% fix size-twice
from torch.nn import functional as F

larger = F.interpolate(images, scale_factor=2)  # or size=(16, 16)

# %% proof size-twice
assert torch.equal(larger, images.repeat_interleave(2, 2).repeat_interleave(2, 3))

# %% break nothing-left
smaller = F.interpolate(images, scale_factor=0.1)

# %% check nothing-left
print(int(images.shape[-1] * 0.1))  # 8 x 0.1, rounded down
assert int(images.shape[-1] * 0.1) == 0

# %% fix nothing-left
from torch.nn import functional as F

height, width = [max(1, int(side * 0.1)) for side in images.shape[2:]]
smaller = F.interpolate(images, size=(height, width), mode="area")

# %% proof nothing-left
torch.testing.assert_close(smaller, images.mean((2, 3), keepdim=True))

# %%
images = torch.rand(1, 1, 3, 3)

# %% break reflect-too-far
padded = F.pad(images, (4, 4, 4, 4), mode="reflect")

# %% check reflect-too-far
print(images.shape[-1])  # 3 wide: at most 2 can be mirrored
assert images.shape[-1] <= 4

# %% fix reflect-too-far
from torch.nn import functional as F

padded = F.pad(images, (4, 4, 4, 4), mode="replicate")  # repeats the border

# %% proof reflect-too-far
places = torch.arange(-4, 7).clamp(0, 2)
assert torch.equal(padded, images[:, :, places][:, :, :, places])

# %%
images = image[0]  # one channel: [8, 8]

# %% break reflect-dimensions
padded = F.pad(images, (1, 1, 1, 1), mode="reflect")

# %% check reflect-dimensions
print(images.dim())  # for two sides of an image, 3 or 4 dimensions are wanted
assert images.dim() == 2

# %% fix reflect-dimensions
from torch.nn import functional as F

padded = F.pad(images[None], (1, 1, 1, 1), mode="reflect")[0]

# %% proof reflect-dimensions
assert padded.shape == (10, 10) and torch.equal(padded[1:-1, 1:-1], image[0])
assert torch.equal(padded[0, 1:-1], image[0, 1]) and torch.equal(padded[1:-1, 0], image[0, :, 1])
