# ---
# wordings:
#   - text: "Dimension out of range (expected to be in range of [{range:shape}], but got {dim:int})"
#     exception: IndexError
#     sample: "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)"
#   - text: "dimension out of range (expected to be in range of [{range:shape}], but got {dim:int})"
#     exception: RuntimeError
#     sample: "RuntimeError: dimension out of range (expected to be in range of [-1, 0], but got 1)"
#   - text: "Dimension out of range (expected to be in range of"
#     exception: IndexError
#   - text: "Dimension specified as {dim:int} but tensor has no dimensions"
#     exception: IndexError
#     sample: "IndexError: Dimension specified as 0 but tensor has no dimensions"
#   - text: "dimension {dim:int} out of range of {_:ident} tensor"
#     exception: RuntimeError
#     sample: "RuntimeError: invalid argument 2: dimension 1 out of range of 1D tensor at /pytorch/torch/lib/TH/generic/THTensor.c:24"
# tags: [shape, batch-size, loss]
# recover: fix
# related: [shapes/too-many-indices]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.Tensor.dim.html", "https://docs.pytorch.org/docs/stable/generated/torch.squeeze.html"]
# cases: {squeezed: {wrong: {unsqueeze-always: "https://github.com/George730/E-ResGAT/issues/6"}}}
# causes:
#   squeezed:
#     if: >-
#       frames(".squeeze())", ".squeeze(),", ".squeeze().") and not frames("cat(", "concat(",
#       "hcat(", "stack(", "hstack(", "vstack(", "dstack(")
#       or live("left", "by squeeze")
#     likely: >-
#       live("via squeeze") or frames(".squeeze()") and not frames("cat(", "concat(",
#       "hcat(", "stack(", "hstack(", "vstack(", "dstack(")
#   one-sample:
#     likely: >-
#       len(live.left.shape) == 1 and dim == 1 and not live("left", "by squeeze") and
#       not live("via squeeze") and not
#       frames("label", "labels", "target", "targets", "accuracy", "correct")
#     undecided: the shape of the tensor is not printed
#   cat-rows:
#     if: frames("torch.cat(", "torch.stack(", "torch.concat(", "cat((", "T.stack(")
#   from-zero:
#     likely: len(live.left.shape) == 2 and dim == 2
#     undecided: the shape of the tensor is not printed
#   class-labels:
#     likely: >-
#       range[-1] == 0 and dim == 1 and frames("label", "labels", "target", "targets", "accuracy",
#       "correct")
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
dataset = torch.rand(5, 4)
x = dataset[0]  # one sample: [4]

# %% break one-sample
probabilities = model(x).softmax(dim=1)

# %% check one-sample
print(x.shape, model(x).shape)  # no batch in front
assert x.dim() == 1

# %% fix one-sample
probabilities = model(x[None]).softmax(dim=1)  # [1, 4]: a batch of one

# %% proof one-sample
torch.testing.assert_close(probabilities, model(dataset).softmax(1)[:1])

# %%
batch = torch.rand(1, 4, 1)  # the last batch of the epoch: one sample left

# %% break squeezed
predictions = model(batch.squeeze()).argmax(dim=1)

# %% check squeezed
print(batch.shape, batch.squeeze().shape)  # the batch was taken out, too
assert batch.squeeze().dim() == 1

# %% fix squeezed
def predict(batch):
    return model(batch.squeeze(2)).argmax(dim=1)  # only the one that is meant


predictions = predict(batch)

# %% proof squeezed
assert predictions.shape == (1,)
for batch in (batch, torch.rand(5, 4, 1), torch.rand(3, 4, 1)):
    assert torch.equal(predict(batch), model(batch[:, :, 0]).argmax(-1))

# %% use squeezed
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = [(torch.rand(n, 4, 1), torch.arange(n) % 3) for n in (4, 4, 1)]
right = 0
for batch, labels in loader:
    # >>>
    predictions = model(batch.squeeze()).argmax(dim=1)
    # <<<
    assert predictions.shape == labels.shape
    right += (predictions == labels).sum()
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(batch[:, :, 0]), labels).backward()
    optimizer.step()
assert 0 <= right <= 9

# %% wrong unsqueeze-always
# `unsqueeze(0)` behind the `squeeze()`: it fits one sample. With five, `dim=1` is the samples, and
# nothing is raised.
batch = torch.rand(5, 4, 1)
predictions = model(batch.squeeze().unsqueeze(0)).argmax(dim=1)
print(predictions.shape)  # [1, 3], not [5]
assert predictions.shape == (1, 3)

# %%
x, y = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([4.0, 5.0, 6.0])

# %% break cat-rows
pairs = torch.cat([x, y], dim=1)

# %% check cat-rows
print(x.shape, y.shape)  # one dimension each: number 0
assert x.dim() == 1

# %% fix cat-rows
import torch

pairs = torch.stack([x, y], dim=1)  # [3, 2]; side by side, as columns

# %% proof cat-rows
assert pairs.tolist() == [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]

# %%
x = torch.rand(5, 4)

# %% break from-zero
means = x.mean(dim=2)

# %% check from-zero
print(x.dim(), x.shape)  # 2 dimensions: they are called 0 and 1
assert x.dim() == 2

# %% fix from-zero
means = x.mean(dim=-1)  # the last one, however many there are

# %% proof from-zero
torch.testing.assert_close(means, (x[:, 0] + x[:, 1] + x[:, 2] + x[:, 3]) / 4)

# %%
labels = torch.tensor([0, 2, 1, 1, 0])

# %% break class-labels
correct = (model(x).argmax(dim=1) == labels.argmax(dim=1)).sum()

# %% check class-labels
print(labels.shape)  # class numbers already, not one column for each class
assert labels.dim() == 1

# %% fix class-labels
correct = (model(x).argmax(dim=1) == labels).sum()

# %% proof class-labels
assert correct == sum(int(model(row).argmax()) == int(label) for row, label in zip(x, labels))
