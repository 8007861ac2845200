# ---
# wordings:
#   - text: "Expected target size [{want:shape}], got [{got:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected target size [32, 10], got [32, 50]"
#   - text: "Expected target size ({want:shape}), got torch.Size([{got:shape}])"
#     exception: ValueError
#     sample: "ValueError: Expected target size (32, 10), got torch.Size([32, 50])"
#   - text: "size mismatch (got input: [{x:shape}] , target: [{y:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: size mismatch (got input: [2, 5, 8, 8] , target: [2, 32, 32]"
#   - text: "input and target batch or spatial sizes don't match: target [{y:shape}], input [{x:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: input and target batch or spatial sizes don't match: target [2, 32, 32], input [2, 5, 8, 8]"
#   - text: "input and target batch or spatial sizes don't match"
#     exception: RuntimeError
#     sample: "RuntimeError: input and target batch or spatial sizes don't match: target [2 x 32 x 32], input [2 x 5 x 8 x 8]"
#   - text: "For 1D input, 1D target must have size 1, but got target size: {flat:int}"
#     exception: ValueError
#     sample: "ValueError: For 1D input, 1D target must have size 1, but got target size: 32"
#   - text: "weight tensor should be defined either for all {classes:int} classes or no classes but got weight tensor of shape: [{given:int}]"
#     exception: RuntimeError
#     sample: "RuntimeError: weight tensor should be defined either for all 19 classes or no classes but got weight tensor of shape: [21]"
#   - text: "weight tensor should be defined either for all {classes:int} classes or no classes but got weight tensor of shape: [1, {given:int}]"
#     exception: RuntimeError
#     sample: "RuntimeError: weight tensor should be defined either for all 19 classes or no classes but got weight tensor of shape: [1, 19]"
#   - text: "weight tensor should be defined either for all"
#     exception: RuntimeError
#     sample: "RuntimeError: weight tensor should be defined either for all or no classes at /pytorch/aten/src/THNN/generic/ClassNLLCriterion.c:31"
# tags: [cross-entropy, loss, labels, shape, rnn, transformer, segmentation]
# recover: fix
# related: [nn/multi-target, shapes/batch-size-mismatch]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html"]
# cases:
#   classes-last:
#     wrong: {scores-only: "https://github.com/milesial/Pytorch-UNet/issues/44"}
#   class-weights:
#     wrong: {no-weights: "https://github.com/HRNet/HRNet-Semantic-Segmentation/issues/41"}
# causes:
#   classes-last:
#     if: len(x) == 4 and x[1] == y[1] and x[2] == y[2]
#     likely: len(want) == 2 and len(got) == 2 and want[0] == got[0]
#   one-label:
#     if: len(want) > 1 and len(got) == 1
#   map-sizes:
#     if: len(x) == 4 and x[0] == y[0] and x[-2] != y[-2] and x[-1] != y[-1]
#     likely: len(want) > 2 and len(want) == len(got)
#   channel:
#     if: len(got) == len(want) + 1 and len(want) > 1 and (got[1] == 1 or got[-1] == 1)
#     sample: "RuntimeError: Expected target size [2, 16, 16, 16], got [2, 1, 16, 16, 16]"
#   weights-matrix:
#     if: classes == given
#     sample: "RuntimeError: weight tensor should be defined either for all 9 classes or no classes but got weight tensor of shape: [1, 9]"
#   class-weights:
#     if: paste("weight tensor should be defined either for all")
#   flat-scores:
#     if: read(flat)
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
loss_fn = nn.CrossEntropyLoss()


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 6, batch_first=True)
        self.head = nn.Linear(6, 5)

    def forward(self, x):
        return self.head(self.rnn(x)[0])


model = Model()
x = torch.rand(2, 7, 8)
labels = torch.randint(5, (2, 7))

# %% break classes-last
loss = loss_fn(model(x), labels)

# %% check classes-last
print(model(x).shape, labels.shape)  # [2, 7, 5] and [2, 7]: the classes are last
assert model(x).shape[:-1] == labels.shape

# %% fix classes-last
scores = model(x)  # [batch, steps, classes]
loss = loss_fn(scores.flatten(0, -2), labels.flatten())

# %% proof classes-last
torch.testing.assert_close(loss, -model(x).log_softmax(-1).gather(-1, labels[..., None]).mean())

# %% use classes-last
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
x, labels = torch.rand(3, 4, 8), torch.tensor([[0, 1, 2, 3]] * 3)
losses = []
for _ in range(60):
    # >>>
    loss = loss_fn(model(x), labels)
    # <<<
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
assert losses[-1] < 0.3 * losses[0]
assert torch.equal(model(x).argmax(-1), labels)

# %% wrong scores-only
# Only the scores are flattened: now scores and labels differ in number.
scores = model(x)
loss = loss_fn(scores.flatten(0, -2), labels)

# %%
labels = torch.tensor([1, 4])

# %% break one-label
loss = loss_fn(model(x), labels)

# %% check one-label
print(model(x).shape, labels.shape)  # [2, 7, 5] and [2]: scores for each of 7 steps
assert model(x).dim() == 3 and labels.dim() == 1

# %% fix one-label
scores = model(x)[:, -1]  # [2, 5]: of the last step, which has read all others
loss = loss_fn(scores, labels)

# %% proof one-label
torch.testing.assert_close(loss, loss_fn(model.head(model.rnn(x)[1][0]), labels))
loss.backward()
assert model.rnn.weight_hh_l0.grad.any()

# %%
model = nn.Conv2d(3, 5, 4, stride=4)
images, labels = torch.rand(2, 3, 32, 32), torch.randint(5, (2, 32, 32))

# %% break map-sizes
loss = loss_fn(model(images), labels)

# %% check map-sizes
print(model(images).shape, labels.shape)  # [2, 5, 8, 8] and [2, 32, 32]
assert model(images).shape[-2:] != labels.shape[-2:]

# %% fix map-sizes
from torch.nn import functional as F

size = labels.shape[-2:]
scores = F.interpolate(model(images), size=size, mode="bilinear")
loss = loss_fn(scores, labels)

# %% proof map-sizes
upsampled = nn.Upsample((32, 32), mode="bilinear")(model(images)).log_softmax(1)
torch.testing.assert_close(loss, -upsampled.gather(1, labels[:, None]).mean())
loss.backward()
assert model.weight.grad.any()

# %%
model, x = nn.Linear(3, 5), torch.rand(6, 3)
labels = torch.tensor([0, 0, 1, 3, 3, 3])  # classes 2 and 4 do not occur

# %% break class-weights
classes, counts = labels.unique(return_counts=True)
loss_fn = nn.CrossEntropyLoss(weight=1 / counts)
loss = loss_fn(model(x), labels)

# %% check class-weights
print(model(x).shape, labels.unique())  # 5 outputs, but 3 classes in the data
assert model(x).shape[1] > len(labels.unique())

# %% fix class-weights
import torch
from torch import nn

counts = torch.bincount(labels, minlength=5)  # 5: the outputs of the model
loss_fn = nn.CrossEntropyLoss(weight=1 / counts.clamp(min=1))
loss = loss_fn(model(x), labels)

# %% proof class-weights
each = -model(x).log_softmax(1)[torch.arange(6), labels]
torch.testing.assert_close(loss, (each[:2].mean() + each[2] + each[3:].mean()) / 3)
torch.testing.assert_close(loss_fn.weight, torch.tensor([1 / 2, 1, 1, 1 / 3, 1]))

# %% wrong no-weights
# No weights at all: nothing is raised, and the classes count as often as they occur, which the
# weights were there to mend.
loss_fn = nn.CrossEntropyLoss()
loss = loss_fn(model(x), labels)

# %%
loss_fn = nn.CrossEntropyLoss()
labels = torch.tensor([0, 4, 1, 3, 3, 2])

# %% break flat-scores
scores = model(x).view(-1)
loss = loss_fn(scores, labels)

# %% check flat-scores
print(model(x).shape, labels.shape)  # [6, 5] and [6]: what the model gives is right
assert len(model(x)) == len(labels)

# %% fix flat-scores
scores = model(x)  # [6, 5]: no view(-1), no squeeze(), no index behind it
loss = loss_fn(scores, labels)

# %% proof flat-scores
torch.testing.assert_close(loss, -model(x).log_softmax(1)[torch.arange(6), labels].mean())
assert scores.shape == (6, 5)
loss.backward()
assert model.weight.grad.any()
