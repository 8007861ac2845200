# ---
# wordings:
#   - text: "shape mismatch: value tensor of shape [{value:shape}] cannot be broadcast to indexing result of shape [{places:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: shape mismatch: value tensor of shape [3] cannot be broadcast to indexing result of shape [2]"
#   - text: "shape mismatch: indexing tensors could not be broadcast together with shapes [{shapes:shape}], ["
#     exception: IndexError
#     sample: "IndexError: shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]"
# tags: [shape, broadcasting, transformer]
# picture: [sizes, right, places, value]
# recover: fix
# related: [shapes/broadcast-mismatch, shapes/mask-index-shape]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html", "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.masked_scatter_.html"]
# causes:
#   mask-count:
#     likely: read(places) and not paste("image_features", "inputs_embeds", "image_token", "image_embeds")
#   image-tokens:
#     likely: paste("image_features", "inputs_embeds", "image_token", "image_embeds")
#     sample: |
#       Traceback (most recent call last):
#         File "modeling_llava.py", line 30, in forward
#           inputs_embeds[special_image_mask] = image_features
#       RuntimeError: shape mismatch: value tensor of shape [576, 4096] cannot be broadcast to indexing result of shape [0, 4096]
#   lists:
#     if: read(shapes)
# ---

# %%
import torch

torch.manual_seed(0)
x = torch.tensor([0.2, 0.9, 0.4, 0.8])
y = torch.tensor([1.0, 2.0, 3.0, 4.0])

# %% break mask-count
x[x > 0.5] = y  # two places, four values

# %% check mask-count
print((x > 0.5).sum(), y.shape)  # 2 places are chosen
assert (x > 0.5).sum() != len(y)

# %% fix mask-count
mask = x > 0.5
x[mask] = y[mask]  # the values of the same places

# %% proof mask-count
assert torch.equal(x, torch.tensor([0.2, 2.0, 0.4, 4.0]))

# %% use mask-count
for x, y in (torch.rand(2, 8), torch.rand(2, 3, 5)):
    before = x.clone()
    # >>>
    x[x > 0.5] = y
    # <<<
    assert torch.equal(x, torch.where(before > 0.5, y, before))

# %%
x = torch.arange(12).view(3, 4)

# %% break lists
part = x[[0, 2], [0, 1, 3]]  # rows 0 and 2, columns 0, 1 and 3?

# %% check lists
print(len([0, 2]), len([0, 1, 3]))  # read in pairs: must be as long
assert len([0, 2]) != len([0, 1, 3])

# %% fix lists
import torch

rows, columns = torch.tensor([0, 2]), torch.tensor([0, 1, 3])
part = x[rows[:, None], columns]  # all pairs; so too on the left of =

# %% proof lists
assert part.tolist() == [[0, 1, 3], [8, 9, 11]]
x[rows[:, None], columns] = part * 10
assert x.tolist() == [[0, 10, 2, 30], [4, 5, 6, 7], [80, 90, 10, 110]]
x[[0, 2]][:, [0, 1, 3]] = 5
assert x.tolist() == [[0, 10, 2, 30], [4, 5, 6, 7], [80, 90, 10, 110]]

# %%
batch = torch.tensor([[1, 9, 9, 5], [2, 9, 9, 7]])  # 9 is the token that stands for the image
inputs_embeds = torch.zeros(2, 4, 3)
image_features = torch.ones(6, 3)  # three for each image

# %% break image-tokens
inputs_embeds[batch == 9] = image_features

# %% check image-tokens
print((batch == 9).sum(), len(image_features))  # 4 places, 6 features
assert (batch == 9).sum() != len(image_features)

# %% fix image-tokens
import torch

places = 3  # features of an image: the processor must put in as many tokens
rows = [[1] + [9] * places + [5], [2] + [9] * places + [7]]
batch = torch.tensor(rows)

# %% proof image-tokens
inputs_embeds = torch.zeros(2, 5, 3)
inputs_embeds[batch == 9] = image_features
assert (batch == 9).sum() == 6 and inputs_embeds.sum() == 18 and batch[:, 0].tolist() == [1, 2]
assert batch[:, -1].tolist() == [5, 7]
