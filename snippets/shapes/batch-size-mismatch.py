# ---
# wordings:
#   - text: "Expected input batch_size ({input:int}) to match target batch_size ({target:int})"
#     exception: ValueError
#     sample: "ValueError: Expected input batch_size (3) to match target batch_size (4)."
#   - text: "to match target batch_size"
#     exception: ValueError
#   - text: "size mismatch (got input: [{x:shape}], target: [{y:shape}])"
#     exception: RuntimeError
#     sample: "RuntimeError: size mismatch (got input: [3, 2], target: [4])"
#   - text: "Assertion `THIndexTensor_(size)(target, 0) == batch_size' failed"
#     exception: RuntimeError
# tags: [cross-entropy, loss, labels, shape, batch-size, transformer, segmentation]
# picture: [[sizes, left, input, target], [sizes, left, x, y]]
# recover: fix
# related: [shapes/invalid-view-size]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html"]
# causes:
#   wrong-flatten:
#     if: >-
#       live.left.shape[0] == target and len(live.left.shape) == 4 and input % target == 0
#     likely: input > target and target > 1 and input % target == 0 or input < target and input > 1 and target % input == 0 and square(target / input) and target / input < 10
#   labels-shifted:
#     if: >-
#       len(live.left.shape) == 3 and input == live.left.shape[0] * live.left.shape[1] and
#       (target == live.left.shape[0] * live.left.shape[1] - live.left.shape[0] or target ==
#       live.left.shape[0] * live.left.shape[1] + live.left.shape[0])
#     likely: >-
#       input > 16 and input - target in [1, -1] or frames("modeling_")
#       or input > 256 and target > 256 and target % (target - input) == 0
#     sample: "ValueError: Expected input batch_size (511) to match target batch_size (512)."
#   last-batch:
#     if: live("target", "set above the loop") or live("input", "set above the loop")
#     undecided: whether the labels are of another batch is not printed
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
features = nn.Sequential(nn.Conv2d(3, 16, 5), nn.MaxPool2d(4))  # 16 maps
head = nn.Linear(16, 10)
loss_fn = nn.CrossEntropyLoss()
images, labels = torch.rand(4, 3, 32, 32), torch.tensor([1, 0, 9, 3])


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.features, self.head = features, head

    def forward(self, x):
        return self.head(self.features(x).view(-1, 16))  # 16, where it must be 16 * 7 * 7


# %% break wrong-flatten
model = Model()
loss = loss_fn(model(images), labels)

# %% check wrong-flatten
model = Model()
print(model(images).shape, labels.shape)  # 196 rows for 4 images: 49 for each
assert len(model(images)) == 49 * len(labels)

# %% fix wrong-flatten
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 16, 5), nn.MaxPool2d(4))
        self.head = nn.Linear(16 * 7 * 7, 10)  # print(x.shape) tells the number

    def forward(self, x):
        return self.head(self.features(x).flatten(1))  # each image stays one row


# %% proof wrong-flatten
model = Model()
loss = loss_fn(model(images), labels)
alone = [loss_fn(model(images[i : i + 1]), labels[i : i + 1]) for i in range(4)]
torch.testing.assert_close(loss, torch.stack(alone).mean())
assert model.features(images).shape == (4, 16, 7, 7) and model(images).shape == (4, 10)

# %% use wrong-flatten
# >>>
# <<<
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
images, labels = torch.rand(7, 3, 32, 32), torch.arange(7)
for batch, target in zip(images.split(4), labels.split(4)):
    loss = loss_fn(model(batch), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
assert model(images).shape == (7, 10) and model.features[0].weight.grad.any()

# %%
model = nn.Sequential(nn.Embedding(50, 8), nn.Linear(8, 50))  # a language model: scores for each next word
x = torch.randint(0, 50, (1, 32))
labels = x

# %% break labels-shifted
scores = model(x)
loss = loss_fn(scores[:, :-1].flatten(0, 1), labels.flatten())

# %% check labels-shifted
scores = model(x)
print(scores[:, :-1].shape, labels.shape)  # 31 places with a next word, 32 labels
assert scores[:, :-1].shape[1] == labels.shape[1] - 1

# %% fix labels-shifted
# the last word has no next one, and the first is nobody's
scores = model(x)[:, :-1]
loss = loss_fn(scores.flatten(0, 1), labels[:, 1:].flatten())

# %% proof labels-shifted
by_hand = torch.stack([-model(x)[i, j].log_softmax(0)[x[i, j + 1]] for i in range(1) for j in range(31)])
torch.testing.assert_close(loss, by_hand.mean())

# %%
dataset = torch.rand(10, 6)
labels = torch.randint(0, 3, (10,))
loader = list(zip(dataset.split(4), labels.split(4)))
model = nn.Linear(6, 3)

# %% break last-batch
labels = loader[0][1]
for x, _ in loader:
    loss = loss_fn(model(x), labels)

# %% check last-batch
print([(len(x), len(y)) for x, y in loader])  # each batch has its own labels
assert all(len(x) == len(y) for x, y in loader)

# %% fix last-batch
for x, y in loader:
    loss = loss_fn(model(x), y)  # the labels of this batch

# %% proof last-batch
torch.testing.assert_close(loss, -model(dataset[8:]).log_softmax(1)[[0, 1], y].mean())
assert len(y) == 2
loss.backward()
assert model.weight.grad.any()
