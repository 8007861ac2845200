# ---
# wordings:
#   - text: "number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = {have:int} is not equal to len(dims) = {want:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = 4 is not equal to len(dims) = 3"
#   - text: "permute(): number of dimensions in the tensor input ({have:int}) does not match the length of the desired ordering of dimensions ({want:int})"
#     exception: RuntimeError
#     sample: "RuntimeError: permute(): number of dimensions in the tensor input (3) does not match the length of the desired ordering of dimensions (4)."
#   - text: "does not match the length of the desired ordering of dimensions"
#     exception: RuntimeError
#     sample: "RuntimeError: permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions"
#   - text: "number of dims don't match in permute"
#     exception: RuntimeError
#   - text: "permute(): duplicate dims are not allowed"
#     exception: RuntimeError
#   - text: "repeated dim in permute"
#     exception: RuntimeError
#   - text: "t() expects a tensor with <= 2 dimensions, but self is {matrix:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: t() expects a tensor with <= 2 dimensions, but self is 3D"
#   - text: "t() expects a 2D tensor, but self is {matrix:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: t() expects a 2D tensor, but self is 3D"
# tags: [shape, cnn, view, transformer]
# recover: fix
# related: [shapes/conv-dims, shapes/dim-out-of-range, silent/view-for-permute]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.permute.html", "https://docs.pytorch.org/docs/stable/generated/torch.movedim.html"]
# causes:
#   more:
#     if: have > want
#   fewer:
#     if: have < want and not (have == 2 and want == 3)
#   gray:
#     likely: have == 2 and want == 3
#   t:
#     if: read(matrix)
#   twice:
#     if: paste("duplicate dims are not allowed", "repeated dim in permute")
# ---

# %%
import torch

torch.manual_seed(0)
images = torch.rand(8, 32, 48, 3)  # a batch: height, width, channels

# %% break more
images = images.permute(2, 0, 1)

# %% check more
print(images.dim(), list(images.shape))  # 4 numbers need an order of 4
assert images.dim() == 4

# %% fix more
images = images.permute(0, 3, 1, 2)

# %% proof more
assert images.shape == (8, 3, 32, 48)
other = torch.rand(8, 32, 48, 3)
assert torch.equal(other.movedim(-1, -3), other.permute(0, 3, 1, 2))  # the other way of the page, with and without a batch
assert torch.equal(other[0].movedim(-1, -3), other[0].permute(2, 0, 1))

# %%
x = torch.rand(32, 48, 3)  # one image

# %% break fewer
x = x.permute(0, 3, 1, 2)

# %% fix fewer
x = x.unsqueeze(0)  # a batch of one
x = x.permute(0, 3, 1, 2)

# %% proof fewer
assert x.shape == (1, 3, 32, 48)

# %%
gray = torch.rand(28, 28)
x = gray  # height, width: an image without colours

# %% break gray
x = x.permute(2, 0, 1)

# %% fix gray
if x.dim() == 2:
    x = x.unsqueeze(-1)  # one channel
x = x.permute(2, 0, 1)

# %% proof gray
assert x.shape == (1, 28, 28) and torch.equal(x[0], gray)

# %%
x = torch.rand(8, 10, 64)  # batch, words, features

# %% break t
scores = x @ x.t()

# %% fix t
scores = x @ x.mT

# %% proof t
assert torch.allclose(scores[3], x[3] @ x[3].t()) and scores.shape == (8, 10, 10)

# %% break twice
x = x.permute(0, 1, 1)

# %% fix twice
x = x.permute(0, 2, 1)

# %% proof twice
assert x.shape == (8, 64, 10)
