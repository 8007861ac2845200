# ---
# wordings:
#   - text: "The shape of the mask [{mask:shape}] at index {at:int} does not match the shape of the indexed tensor [{tensor:shape}] at index {at2:int}"
#     exception: IndexError
#     sample: "IndexError: The shape of the mask [2] at index 0 does not match the shape of the indexed tensor [3, 4] at index 0"
#   - text: "does not match the shape of the indexed tensor"
#     exception: IndexError
# tags: [shape, batch-size]
# picture: [sizes, left, mask, tensor]
# recover: fix
# related: [shapes/too-many-indices, shapes/broadcast-mismatch]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.masked_select.html"]
# causes:
#   other-length:
#     likely: len(mask) == 1 or mask[0] != tensor[0] and at == 0
#   transposed:
#     if: len(mask) == 2 and mask[0] == tensor[1] and mask[1] == tensor[0] and mask[0] != mask[1]
#   later-dimension:
#     if: len(mask) == 1 and mask[0] == tensor[1] and tensor[0] != tensor[1]
#   channels:
#     if: len(tensor) > len(mask) and at == 0 and len(mask) > 1 and mask[-1] == tensor[-1] and mask[-2] == tensor[-2]
# ---

# %%
import torch

torch.manual_seed(0)
x = torch.arange(20.0).view(5, 4)
scores = torch.tensor([0.1, 0.9, 0.8, 0.2, 0.7])

# %% break other-length
x = x[scores > 0.5]  # 3 rows are left
x = x[scores < 0.85]  # and a mask for 5

# %% check other-length
x = x[scores > 0.5]
print(x.shape, (scores < 0.85).shape)  # the mask is from before the first choice
assert len(x) != len(scores)

# %%
y, boxes = scores, x.clone()

# %% fix other-length
keep = (y > 0.5) & (y < 0.85)
x, y = x[keep], y[keep]  # one mask, for everything that belongs together

# %% proof other-length
assert torch.equal(x, boxes[[2, 4]]) and torch.equal(y, scores[[2, 4]])

# %%
x = torch.arange(20.0).view(5, 4)
y = torch.tensor([True, False, True, False])  # one for each column

# %% break later-dimension
columns = x[y]

# %% check later-dimension
print(x.shape, y.shape)  # 4 fits the second number
assert len(y) == x.shape[1]

# %% fix later-dimension
columns = x[:, y]

# %% proof later-dimension
assert torch.equal(columns, x[:, [0, 2]])

# %%
y = torch.rand(4, 5) > 0.5
kept = y.clone()

# %% break transposed
chosen = x[y]

# %% check transposed
print(x.shape, y.shape)  # [5, 4] and [4, 5]
assert x.shape == y.T.shape

# %% fix transposed
chosen = x[y.T]

# %% proof transposed
assert chosen.tolist() == [x[i, j].item() for i in range(5) for j in range(4) if kept[j, i]]

# %%
images = torch.rand(3, 8, 8)  # channels in front
y = torch.rand(8, 8) > 0.5  # a mask of height and width
kept = images.clone()

# %% break channels
images[y] = 0

# %% check channels
print(images.shape, y.shape)  # the mask is compared from the left
assert images.shape[1:] == y.shape

# %% fix channels
images[:, y] = 0  # in every channel

# %% proof channels
assert torch.equal(images, kept * ~y)
