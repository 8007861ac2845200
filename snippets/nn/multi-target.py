# ---
# wordings:
#   - text: "0D or 1D target tensor expected, multi-target not supported"
#     exception: RuntimeError
#   - text: "1D target tensor expected, multi-target not supported"
#     exception: RuntimeError
#   - text: "target tensor expected, multi-target not supported"
#     exception: RuntimeError
#   - text: "multi-target not supported"
#     exception: RuntimeError
#     unless: [sklearn, xgboost, lightgbm, catboost]
#   - text: "only batches of spatial targets supported"
#     exception: RuntimeError
#     sample: "RuntimeError: only batches of spatial targets supported (3D tensors) but got targets of size: : [4, 1, 8, 8]"
#   - text: "only batches of spatial targets supported (3D tensors) but got targets of size: : [{spatial:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: only batches of spatial targets supported (3D tensors) but got targets of size: : [4, 1, 8, 8]"
#   - text: "only batches of spatial targets supported (non-empty 3D tensors) but got targets of size: : [{spatial:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: 1only batches of spatial targets supported (non-empty 3D tensors) but got targets of size: : [4, 1, 8, 8]"
#   - text: "only batches of spatial targets supported (3D tensors) but got targets of dimension: {dims:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: only batches of spatial targets supported (3D tensors) but got targets of dimension: 4"
#   - text: "Expected floating point type for target with class probabilities, got {_:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected floating point type for target with class probabilities, got Long"
# tags: [cross-entropy, loss, labels, shape, classification, segmentation]
# recover: fix
# related: [shapes/batch-size-mismatch, dtypes/expected-long-index]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html"]
# causes:
#   column:
#     likely: paste("target tensor expected") and not frames("cosine_embedding_loss", "margin")
#   one-hot:
#     likely: paste("target with class probabilities")
#   segmentation:
#     if: len(spatial) == 4 and spatial[1] == 1
#     likely: dims > 3 or paste("only batches of spatial targets") and not read(spatial) and not read(dims)
#   color-mask:
#     case: segmentation
#     if: len(spatial) == 4 and spatial[-1] == 3
#     likely: len(spatial) == 4 and spatial[1] == 3
#     sample: "RuntimeError: only batches of spatial targets supported (3D tensors) but got targets of size: : [4, 512, 512, 3]"
#   one-label:
#     if: dims == 1 or len(spatial) == 1
#     sample: "RuntimeError: only batches of spatial targets supported (3D tensors) but got targets of dimension: 1"
#   cosine:
#     if: frames("cosine_embedding_loss", "CosineEmbeddingLoss")
# ---

# %%
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
loss_fn = nn.CrossEntropyLoss()
model = nn.Linear(3, 5)
x = torch.rand(4, 3)
classes = torch.tensor([1, 0, 4, 2])
labels = classes[:, None]  # as a table with one column gives them

# %% break column
loss = loss_fn(model(x), labels)

# %% check column
print(labels.shape)  # [4, 1]: a column; [4] is needed
assert labels.shape == (4, 1)

# %% fix column
loss = loss_fn(model(x), labels.squeeze(1))

# %% proof column
scores = model(x).log_softmax(1)
assert torch.allclose(loss, -scores[torch.arange(4), classes].mean())

# %%
labels = F.one_hot(classes, 5)  # whole numbers

# %% break one-hot
loss = loss_fn(model(x), labels)

# %% check one-hot
print(labels.shape, labels.sum(1))  # as many columns as classes, one 1 in each row
assert labels.shape == model(x).shape and labels.sum(1).unique().tolist() == [1]

# %% fix one-hot
loss = loss_fn(model(x), labels.argmax(1))  # the number of the class

# %% proof one-hot
scores = model(x).log_softmax(1)
assert torch.allclose(loss, -scores[torch.arange(4), classes].mean())

# %%
model = nn.Conv2d(3, 5, 1)
images = torch.rand(4, 3, 8, 8)
labels = torch.randint(5, (4, 1, 8, 8)).byte()  # as read from a PNG

# %% break segmentation
loss = loss_fn(model(images), labels)

# %% check segmentation
print(model(images).shape, labels.shape)  # [4, 5, 8, 8] needs labels [4, 8, 8]
assert labels.shape[1] == 1 and labels.max() < model(images).shape[1]

# %% fix segmentation
loss = loss_fn(model(images), labels.squeeze(1).long())

# %% proof segmentation
scores = model(images).log_softmax(1)
assert torch.allclose(loss, -scores.gather(1, labels.long()).mean())

# %%
x, y = torch.rand(4, 8), torch.rand(4, 8)
loss_fn = nn.CosineEmbeddingLoss()
labels = torch.tensor([[1.0], [-1.0], [1.0], [1.0]])

# %% break cosine
loss = loss_fn(x, y, labels)

# %% fix cosine
labels = labels.flatten()  # 1 or -1 for each pair
loss = loss_fn(x, y, labels)

# %% proof cosine
cosine = F.cosine_similarity(x, y)
assert torch.allclose(loss, torch.stack([1 - cosine[0], cosine[1].clamp(min=0), 1 - cosine[2], 1 - cosine[3]]).mean())
