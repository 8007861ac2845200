# ---
# wordings:
#   - text: "Using a target size (torch.Size([{target:shape}])) that is different to the input size (torch.Size([{input:shape}])) is deprecated"
#     exception: ValueError
#     sample: "ValueError: Using a target size (torch.Size([3])) that is different to the input size (torch.Size([3, 1])) is deprecated. Please ensure they have the same size."
#   - text: "is deprecated. Please ensure they have the same size"
#     exception: ValueError
#   - text: "Target size (torch.Size([{target:shape}])) must be the same as input size (torch.Size([{input:shape}]))"
#     exception: ValueError
#     sample: "ValueError: Target size (torch.Size([3])) must be the same as input size (torch.Size([3, 1]))"
#   - text: "must be the same as input size (torch.Size("
#     exception: ValueError
#   - text: "Target and input must have the same number of elements. target nelement ({y:int}) != input nelement ({x:int})"
#     exception: ValueError
#     sample: "ValueError: Target and input must have the same number of elements. target nelement (64) != input nelement (128)"
# tags: [loss, labels, shape, gan, segmentation]
# picture: [sizes, left, target, input]
# recover: fix
# related: [shapes/batch-size-mismatch]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.BCEWithLogitsLoss.html"]
# cases: {one-output: {wrong: {bare-squeeze: "https://github.com/open-mmlab/mmsegmentation/pull/1629",
#   detached: "https://github.com/FernandoLpz/Text-Classification-LSTMs-PyTorch/issues/9"}}}
# causes:
#   one-output:
#     if: len(target) == 1 and len(input) == 2 and input[1] == 1 and input[0] == target[0] or len(input) == 1 and len(target) == 2 and target[1] == 1 and input[0] == target[0]
#   class-numbers:
#     if: len(target) == 1 and len(input) == 2 and input[1] > 1 and input[0] == target[0] or len(target) == 2 and len(input) == 2 and target[1] == 1 and input[1] > 1 and input[0] == target[0]
#   batch:
#     likely: len(input) == len(target) and input[0] != target[0] and input[1:] == target[1:]
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
x, labels = torch.rand(6, 4), torch.tensor([0.0, 1, 1, 0, 1, 0])
loss_fn = nn.BCEWithLogitsLoss()

# %% break one-output
loss = loss_fn(model(x), labels)

# %% check one-output
print(model(x).shape, labels.shape)  # [6, 1] and [6]
assert model(x).shape == (6, 1) and labels.shape == (6,)

# %% fix one-output
outputs = model(x).squeeze(1)  # [6, 1] becomes [6]
loss = loss_fn(outputs, labels)

# %% proof one-output
chance = model(x)[:, 0].sigmoid()
torch.testing.assert_close(loss, -torch.where(labels == 1, chance, 1 - chance).log().mean())
loss.backward()
assert model.weight.grad.any()

# %% wrong bare-squeeze
# A bare `squeeze()`: a last batch of one sample loses its batch dimension too, and the error is back.
for images, target in zip(x.split(5), labels.split(5)):
    loss = loss_fn(model(images).squeeze(), target)

# %% wrong detached
# `squeeze()` with `detach()`, copied from another answer: the shapes fit, and `backward()` raises.
loss = loss_fn(model(x).squeeze(1).detach(), labels)
loss.backward()

# %% use one-output
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
x = torch.randn(6, 4)
loader = list(zip(x.split(5), (x[:, 0] > 0).float().split(5)))  # five samples, then one
for _ in range(200):
    for x, labels in loader:
        # >>>
        loss = loss_fn(model(x), labels)
        # <<<
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
assert all(((model(x)[:, 0] > 0) == (labels > 0.5)).all() for x, labels in loader)

# %%
model = nn.Linear(4, 3)
labels = torch.tensor([0, 2, 1, 1, 0, 2])

# %% break class-numbers
loss = loss_fn(model(x), labels.float())

# %% check class-numbers
# 3 outputs for each sample, and one number of a class
print(model(x).shape, labels.max())
assert model(x).shape[1] > 1 and labels.dim() == 1

# %% fix class-numbers
from torch import nn

loss_fn = nn.CrossEntropyLoss()  # one class of several
loss = loss_fn(model(x), labels)

# %% proof class-numbers
torch.testing.assert_close(loss, -model(x).log_softmax(1)[range(6), labels].mean())
loss.backward()
assert model.weight.grad.any()

# %%
model = nn.Sequential(nn.Linear(4, 1), nn.Flatten(0))
loader = x.split(4)
labels = torch.ones(4)  # "real" for a GAN, made once for a full batch

# %% break batch
for images in loader:
    loss = nn.functional.binary_cross_entropy_with_logits(model(images), labels)

# %% check batch
print([len(images) for images in loader])  # the last batch is shorter
assert [len(images) for images in loader] == [4, 2]

# %% fix batch
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

for images in loader:
    outputs = model(images)
    loss = binary_cross_entropy_with_logits(outputs, torch.ones_like(outputs))

# %% proof batch
torch.testing.assert_close(loss, -model(x[4:]).sigmoid().log().mean())
