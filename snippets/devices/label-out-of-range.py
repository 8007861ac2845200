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
# outranks: [device-side-assert, cublas-error, cudnn-not-initialized]
# related: [devices/device-side-assert]
# rows: [S000-20]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html"]
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
loss_fn = nn.CrossEntropyLoss()

# %% break labels-from-one
model = nn.Linear(8, 4)  # four outputs: the labels must be 0, 1, 2, 3
images, labels = torch.randn(6, 8), torch.tensor([1, 2, 3, 4, 2, 1])
loss = loss_fn(model(images), labels)
print(loss.item())  # on a GPU the error comes only here, where Python waits for the result

# %% check labels-from-one
logits = nn.Linear(8, 4)(torch.randn(6, 8))
labels = torch.tensor([1, 2, 3, 4, 2, 1])
print(labels.min().item(), labels.max().item(), logits.shape[1])  # smallest label 1, largest label = number of outputs
assert labels.min() == 1 and labels.max() == logits.shape[1]

# %% fix labels-from-one
model = nn.Linear(8, 4)
images, labels = torch.randn(6, 8), torch.tensor([1, 2, 3, 4, 2, 1])
labels = labels - 1  # once, where the labels are read: 1..4 becomes 0..3
logits = model(images)
loss = loss_fn(logits, labels)

assert labels.min() >= 0 and labels.max() < logits.shape[1]
picked = logits.log_softmax(1)[range(6), [0, 1, 2, 3, 1, 0]]  # the log-probability of each image's own class
torch.testing.assert_close(loss, -picked.mean())

# %% break too-few-outputs
model = nn.Sequential()
model.features, model.fc = nn.Linear(8, 16), nn.Linear(16, 10)  # a pretrained model: ten outputs
images, labels = torch.randn(4, 8), torch.tensor([3, 11, 0, 7])  # our data: twelve classes
loss = loss_fn(model(images), labels)
print(loss.item())

# %% check too-few-outputs
logits, labels = torch.randn(4, 10), torch.tensor([3, 11, 0, 7])
print(labels.min().item(), labels.max().item(), logits.shape[1])  # labels begin at 0, but go beyond the outputs
assert labels.min() == 0 and labels.max() >= logits.shape[1]

# %% fix too-few-outputs
model = nn.Sequential()
model.features, model.fc = nn.Linear(8, 16), nn.Linear(16, 10)
model.fc = nn.Linear(model.fc.in_features, 12)  # one output for each class; before the optimizer is made
images, labels = torch.randn(4, 8), torch.tensor([3, 11, 0, 7])
logits = model(images)
loss = loss_fn(logits, labels)

assert logits.shape == (4, 12)
torch.testing.assert_close(loss, -logits.log_softmax(1)[range(4), labels].mean())

# %% break one-output
model = nn.Linear(8, 1)  # one output for yes or no
images, labels = torch.randn(4, 8), torch.tensor([0, 1, 1, 0])
loss = loss_fn(model(images), labels)
print(loss.item())

# %% check one-output
logits = nn.Linear(8, 1)(torch.randn(4, 8))
print(logits.shape)  # one column: to this loss that is a single class, the class 0
assert logits.shape[1] == 1

# %% fix one-output
model = nn.Linear(8, 1)
loss_fn = nn.BCEWithLogitsLoss()  # made for one output
images, labels = torch.randn(4, 8), torch.tensor([0, 1, 1, 0])
logits = model(images).squeeze(1)
loss = loss_fn(logits, labels.float())

assert logits.shape == labels.shape
yes = torch.sigmoid(logits)
right = torch.stack([1 - yes[0], yes[1], yes[2], 1 - yes[3]])  # what the model gives to the true answer
torch.testing.assert_close(loss, -right.log().mean())

# %% break ignored-label
model = nn.Conv2d(3, 3, 1)  # three classes for each pixel
image = torch.randn(1, 3, 2, 2)
mask = torch.tensor([[[0, 1], [2, 255]]])  # 255: "no class here"
loss = loss_fn(model(image), mask)
print(loss.item())

# %% check ignored-label
mask = torch.tensor([[[0, 1], [2, 255]]])
print(mask.unique())  # 0, 1, 2 are classes; one value far outside marks what must not count
assert mask.unique().tolist() == [0, 1, 2, 255]

# %% fix ignored-label
loss_fn = nn.CrossEntropyLoss(ignore_index=255)  # the default is -100
model = nn.Conv2d(3, 3, 1)
image = torch.randn(1, 3, 2, 2)
mask = torch.tensor([[[0, 1], [2, 255]]])
logits = model(image)
loss = loss_fn(logits, mask)

counted = mask != 255
assert counted.sum() == 3
pixels = logits.permute(0, 2, 3, 1)[counted]  # one row of logits for each pixel that counts
torch.testing.assert_close(loss, nn.functional.cross_entropy(pixels, mask[counted]))

# %% break mask-values
model = nn.Conv2d(3, 2, 1)  # background and foreground
image = torch.randn(1, 3, 2, 2)
mask = torch.tensor([[[0, 255], [255, 0]]])  # grey values, as the mask image holds them
loss = loss_fn(model(image), mask)
print(loss.item())

# %% check mask-values
mask = torch.tensor([[[0, 255], [255, 0]]])
print(mask.unique())  # only 0 and 255: a picture in black and white, not class numbers
assert mask.unique().tolist() == [0, 255]

# %% fix mask-values
model = nn.Conv2d(3, 2, 1)
image = torch.randn(1, 3, 2, 2)
mask = torch.tensor([[[0, 255], [255, 0]]])
mask = (mask > 127).long()  # 0 stays 0, 255 becomes class 1
logits = model(image)
loss = loss_fn(logits, mask)

assert mask.tolist() == [[[0, 1], [1, 0]]]
log_p = logits.log_softmax(1)[0]
torch.testing.assert_close(loss, -(log_p[0, 0, 0] + log_p[1, 0, 1] + log_p[1, 1, 0] + log_p[0, 1, 1]) / 4)
