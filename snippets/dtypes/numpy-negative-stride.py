# ---
# wordings:
#   - text: "At least one stride in the given numpy array is negative"
#     exception: ValueError
#   - text: "some of the strides of a given numpy array are negative"
#     exception: ValueError
#   - text: "tensors with negative strides are not currently supported"
#     exception: ValueError
#   - text: "step must be greater than zero"
#     exception: ValueError
#     near: ["torch", "tensor", "[::-"]
#   - text: "negative step not yet supported"
#     exception: ValueError
#     near: ["torch", "tensor", "[::-"]
# tags: [numpy, dataloader, view]
# recover: fix
# related: [dtypes/numpy-object]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.flip.html"]
# causes:
#   flipped-array:
#     if: paste("in the given numpy array is negative", "negative strides are not currently supported", "are not supported. (You can probably")
#   flipped-tensor:
#     if: paste("step must be greater than zero", "negative step not yet supported")
# ---

# %%
import numpy as np
import torch

picture = np.arange(12.0).reshape(2, 2, 3)  # height, width, BGR as OpenCV reads it

# %% break flipped-array
image = torch.from_numpy(picture[:, :, ::-1])  # BGR to RGB

# %% check flipped-array
print(picture[:, :, ::-1].strides)  # the last one is below zero
assert min(picture[:, :, ::-1].strides) < 0

# %%
x = picture[:, :, ::-1]

# %% fix flipped-array
import torch

image = torch.from_numpy(x.copy())

# %% proof flipped-array
assert image.tolist() == [[row[::-1] for row in rows] for rows in picture.tolist()]

# %%
x = torch.arange(4)

# %% break flipped-tensor
backwards = x[::-1]

# %% check flipped-tensor
print(type(x))  # a tensor takes no negative step
assert isinstance(x, torch.Tensor)

# %% fix flipped-tensor
backwards = x.flip(0)

# %% proof flipped-tensor
assert backwards.tolist() == [3, 2, 1, 0]
