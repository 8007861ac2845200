# ---
# wordings:
#   - text: "Target {t:int} is out of bounds"
#     exception: IndexError
#     device: cpu
#     sample: "IndexError: Target 63 is out of bounds."
#   - text: "Assertion `t >= 0 && t < n_classes` failed"
#     device: cuda
#     sample: "../aten/src/ATen/native/cuda/Loss.cu:250: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: [0,0,0] Assertion `t >= 0 && t < n_classes` failed."
#   - text: "Assertion t >= 0 && t < n_classes failed"
#     device: cuda
#   - text: "Assertion `cur_target >= 0 && cur_target < n_classes"
#     sample: "RuntimeError: Assertion `cur_target >= 0 && cur_target < n_classes' failed.  at ../aten/src/THNN/generic/ClassNLLCriterion.c:94"
# tags: [labels, classification, cross-entropy, loss, out-of-range, padding, segmentation]
# recover: process
# outranks: [device-side-assert, cublas-error, cudnn-not-initialized]
# related: [devices/device-side-assert]
# rows: [S000-20]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html"]
# cases:
#   ignored-label:
#     wrong: {another-number: "https://github.com/pytorch/pytorch/issues/1204"}
# causes:
#   labels-from-one:
#     if: >-
#       live.target.min == 1 and live.target.max == live.input.shape[1] and live.input.shape[1] >
#       1
#     undecided: neither the smallest label nor the number of outputs is printed
#   gaps:
#     case: labels-from-one
#   too-few-outputs:
#     if: >-
#       live.target.min >= 0 and live.input.shape[1] > 1 and len(live.target.shape) == 1 and
#       (live.target.max > live.input.shape[1] or live.target.min == 0 and live.target.max ==
#       live.input.shape[1])
#     undecided: how many outputs the layer has is not printed; labels that begin with 1 print the same
#   one-output:
#     if: >-
#       t == 1
#       or live.input.shape[1] == 1
#   ignored-label:
#     if: >-
#       t == -100
#       or live.target.min < 0
#     likely: >-
#       t < 0 or t == 254 or t == 255 or paste("SpatialClassNLLCriterion", "nll_loss2d_forward",
#       "NLLLoss2d.cu")
#     sample: "IndexError: Target -100 is out of bounds."
#   mask-values:
#     if: >-
#       live.target.min == 0 and live("target", "nothing between") and live.input.shape[1] == 2 and
#       live.target.max > 2
#     undecided: 255 may mark what does not count, too
#   resized-mask:
#     case: mask-values
#     likely: t == 127 or t == 128
#     sample: "IndexError: Target 127 is out of bounds."
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
loss_fn = nn.CrossEntropyLoss()
model = nn.Linear(8, 4)  # four outputs: the labels must be 0, 1, 2, 3
images, labels = torch.randn(6, 8), torch.tensor([1, 2, 3, 4, 2, 1])

# %% break labels-from-one
loss = loss_fn(model(images), labels)  # on a GPU the error comes later

# %% check labels-from-one
# smallest label 1, largest label = number of outputs
print(labels.min().item(), labels.max().item(), model(images).shape[1])
assert labels.min() == 1 and labels.max() == model(images).shape[1]

# %% fix labels-from-one
labels = labels - 1  # once, where the labels are read: 1..4 becomes 0..3
loss = loss_fn(model(images), labels)

# %% proof labels-from-one
picked = model(images).log_softmax(1)[range(6), [0, 1, 2, 3, 1, 0]]  # the log-probability of each image's own class
torch.testing.assert_close(loss, -picked.mean())

# %% use labels-from-one
model = nn.Linear(9, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
loader = [(torch.eye(9), torch.tensor([3, 1, 2, 2, 3, 1, 1, 2, 3])) for _ in range(30)]
for images, labels in loader:
    # >>>
    loss = loss_fn(model(images), labels)
    # <<<
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
assert (model(torch.eye(9)).argmax(1) + 1).tolist() == loader[0][1].tolist()

# %%
model = nn.Sequential()
model.features, model.fc = nn.Linear(8, 16), nn.Linear(16, 10)  # a pretrained model: ten outputs
images, labels = torch.randn(4, 8), torch.tensor([3, 11, 0, 7])  # our data: twelve classes

# %% break too-few-outputs
loss = loss_fn(model(images), labels)

# %% check too-few-outputs
# labels begin at 0, but go beyond the outputs
print(labels.min().item(), labels.max().item(), model(images).shape[1])
assert labels.min() == 0 and labels.max() >= model(images).shape[1]

# %% fix too-few-outputs
from torch import nn

# one output for each class; before the optimizer is made
model.fc = nn.Linear(model.fc.in_features, 12)

# %% proof too-few-outputs
logits = model(images)
assert logits.shape == (4, 12)
torch.testing.assert_close(loss_fn(logits, labels), -logits.log_softmax(1)[range(4), labels].mean())

# %%
model = nn.Linear(8, 1)  # one output for yes or no
images, labels = torch.randn(4, 8), torch.tensor([0, 1, 1, 0])

# %% break one-output
loss = loss_fn(model(images), labels)

# %% check one-output
print(model(images).shape)  # one column: a single class to this loss, the class 0
assert model(images).shape[1] == 1

# %% fix one-output
from torch import nn

loss_fn = nn.BCEWithLogitsLoss()  # made for one output
loss = loss_fn(model(images).squeeze(1), labels.float())

# %% proof one-output
yes = torch.sigmoid(model(images)[:, 0])
right = torch.stack([1 - yes[0], yes[1], yes[2], 1 - yes[3]])  # what the model gives to the true answer
torch.testing.assert_close(loss, -right.log().mean())

# %%
model = nn.Conv2d(3, 3, 1)  # three classes for each pixel
images = torch.randn(1, 3, 2, 2)
labels = torch.tensor([[[0, 1], [2, 255]]])  # 255: "no class here"

# %% break ignored-label
loss = loss_fn(model(images), labels)

# %% check ignored-label
print(labels.unique())  # classes 0, 1, 2, and one far outside: what must not count
assert labels.unique().tolist() == [0, 1, 2, 255]

# %% fix ignored-label
from torch import nn

loss_fn = nn.CrossEntropyLoss(ignore_index=255)  # the default is -100
loss = loss_fn(model(images), labels)

# %% proof ignored-label
counted = labels != 255
assert counted.sum() == 3
pixels = model(images).permute(0, 2, 3, 1)[counted]  # one row of logits for each pixel that counts
torch.testing.assert_close(loss, nn.functional.cross_entropy(pixels, labels[counted]))

# %% wrong another-number
# Another number in place of 255, such as -1 or 10000: the loss leaves out the one that
# `ignore_index` names, and no other. The same error.
labels = labels.masked_fill(labels == 255, 10000)
loss = loss_fn(model(images), labels)

# %%
model = nn.Conv2d(3, 2, 1)  # background and foreground
images = torch.randn(1, 3, 2, 2)
labels = torch.tensor([[[0, 255], [255, 0]]])  # grey values, as the mask image holds them

# %% break mask-values
loss = loss_fn(model(images), labels)

# %% check mask-values
print(labels.unique())  # only 0 and 255: black and white, not class numbers
assert labels.unique().tolist() == [0, 255]

# %% fix mask-values
labels = (labels > 127).long()  # 0 stays 0, 255 becomes class 1
loss = loss_fn(model(images), labels)

# %% proof mask-values
assert labels.tolist() == [[[0, 1], [1, 0]]]
log_p = model(images).log_softmax(1)[0]
torch.testing.assert_close(loss, -(log_p[0, 0, 0] + log_p[1, 0, 1] + log_p[1, 1, 0] + log_p[0, 1, 1]) / 4)
