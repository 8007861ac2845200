# ---
# wordings:
#   - text: "can't convert {device:device} device type tensor to numpy"
#     exception: TypeError
#     sample: "TypeError: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
#   - text: "can't convert CUDA tensor to numpy"
#   - text: "can't convert {device:device} device type tensor to numpy. Use Tensor.cpu()"
#     sample: "TypeError: can't convert mps:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
# tags: [cuda, inference, numpy]
# recover: fix
# needs: ["torch:2.13", "fault:a tensor without values in place of one on a GPU"]
# related: [devices/device-mismatch]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.Tensor.numpy.html"]
# cases:
#   tensor: {wrong: {detached: "https://github.com/vaibkumr/prompt-optimizer/issues/3"}}
# causes:
#   tensor:
#     likely: >-
#       frames(".numpy()", "matplotlib/", "sklearn/", "pandas/", "seaborn/") and not
#       frames("np.mean(", "np.average(", "np.array(", "np.asarray(", "np.sum(", "np.std(")
#   numbers-in-a-list:
#     likely: frames("np.mean(", "np.average(", "np.array(", "np.asarray(", "np.sum(", "np.std(")
#     sample: |
#       Traceback (most recent call last):
#         File "train.py", line 88, in <module>
#           print(np.mean(losses))
#       TypeError: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.
# ---

# %%
import numpy as np
import torch
from torch import nn


class OnGPU(torch.Tensor):
    """Stands for a tensor on a GPU: it has values, and what NumPy asks is answered by a tensor whose memory NumPy cannot read."""

    def numpy(self):
        return self.as_subclass(torch.Tensor).to("meta").numpy()

    def __array__(self, dtype=None, copy=None):
        return self.numpy()

    def cpu(self):
        return self.as_subclass(torch.Tensor)


torch.manual_seed(0)
model = nn.Linear(8, 2)
images, labels = torch.randn(4, 8).as_subclass(OnGPU), torch.tensor([0, 1, 1, 0])
loss_fn = nn.CrossEntropyLoss()

# %% break tensor
with torch.no_grad():
    outputs = model(images)
predictions = outputs.argmax(1).numpy()

# %% check tensor
outputs = model(images)
# of a real one: outputs.device, which is not cpu
print(type(outputs).__name__, outputs.requires_grad)
assert isinstance(outputs, OnGPU)

# %% fix tensor
outputs = model(images)
predictions = outputs.argmax(1).cpu().numpy()
scores = outputs.detach().cpu().numpy()  # with a gradient: detach first

# %% proof tensor
expected = images.cpu() @ model.weight.T + model.bias
assert isinstance(scores, np.ndarray) and np.allclose(scores, expected.detach().numpy(), atol=1e-6)
assert predictions.tolist() == expected.argmax(1).tolist()

# %% use tensor
model, right = nn.Linear(8, 3), 0
loader = [(torch.randn(5, 8).as_subclass(OnGPU), torch.randint(3, (5,))) for _ in range(4)]
with torch.no_grad():
    for images, labels in loader:
        # >>>
        predictions = model(images).argmax(1).numpy()
        # <<<
        right += (predictions == labels.numpy()).sum()
assert isinstance(predictions, np.ndarray) and predictions.shape == (5,)
scores = [images.cpu() @ model.weight.T + model.bias for images, labels in loader]
labels = torch.cat([labels for images, labels in loader])
assert right == (torch.cat(scores).argmax(1) == labels).sum().item()

# %% wrong detached
# `.detach().numpy()`: `detach` drops the gradient, and the tensor stays on the GPU. The same error.
outputs = model(images)
scores = outputs.detach().numpy()

# %%
loader = [(images, labels), (images.flip(0), labels), (2 * images, labels)]

# %% break numbers-in-a-list
losses = []
for images, labels in loader:
    losses.append(loss_fn(model(images), labels).detach())
mean = np.mean(losses)

# %% check numbers-in-a-list
loss = loss_fn(model(images), labels)
# a tensor, not a number: the list holds tensors
print(type(loss).__name__, loss.shape)
assert isinstance(loss, torch.Tensor)

# %% fix numbers-in-a-list
import numpy as np

losses = []
for images, labels in loader:
    losses.append(loss_fn(model(images), labels).item())  # a number of Python
mean = np.mean(losses)

# %% proof numbers-in-a-list
assert len(losses) == 3 and all(type(loss) is float for loss in losses)
logits = [images.cpu() @ model.weight.T + model.bias for images, _ in loader]
expected = [-scores.log_softmax(1)[range(4), [0, 1, 1, 0]].mean().item() for scores in logits]
assert np.allclose(losses, expected) and np.isclose(mean, sum(expected) / 3)
