# ---
# wordings:
#   - text: "'list' object has no attribute 'to'"
#     exception: AttributeError
#     near: [model-code, device]
#     sample: |
#       Traceback (most recent call last):
#         File "train.py", line 21, in <module>
#           batch = batch.to(device)
#       AttributeError: 'list' object has no attribute 'to'
#   - text: "'list' object has no attribute 'cuda'"
#     exception: AttributeError
#     near: [model-code, device]
#   - text: "'tuple' object has no attribute 'to'"
#     exception: AttributeError
#     near: [model-code, device]
#   - text: "'tuple' object has no attribute 'cuda'"
#     exception: AttributeError
#     near: [model-code, device]
#   - text: "'dict' object has no attribute 'to'"
#     exception: AttributeError
#     near: [model-code, device]
#   - text: "'dict' object has no attribute 'cuda'"
#     exception: AttributeError
#     near: [model-code, device]
#   - text: "'tuple' object has no attribute 'detach'"
#     exception: AttributeError
#   - text: "'float' object has no attribute 'backward'"
#     exception: AttributeError
#     unless: [paddle, mxnet, mindspore]
#   - text: "'numpy.float64' object has no attribute 'backward'"
#     exception: AttributeError
#     unless: [paddle, mxnet, mindspore]
#   - text: "'int' object has no attribute 'backward'"
#     exception: AttributeError
#     unless: [paddle, mxnet, mindspore]
#   - text: "'tuple' object has no attribute 'backward'"
#     exception: AttributeError
#     unless: [paddle, mxnet, mindspore]
#   - text: "'numpy.ndarray' object has no attribute 'to'"
#     exception: AttributeError
#     unless: [paddle, mxnet, mindspore]
#   - text: "'numpy.ndarray' object has no attribute 'cuda'"
#     exception: AttributeError
#     unless: [paddle, mxnet, mindspore]
#   - text: "'numpy.ndarray' object has no attribute 'unsqueeze'"
#     exception: AttributeError
#     unless: [paddle, mxnet, mindspore]
#   - text: "'numpy.ndarray' object has no attribute 'detach'"
#     exception: AttributeError
#     unless: [paddle, mxnet, mindspore]
#   - text: "'numpy.ndarray' object has no attribute 'backward'"
#     exception: AttributeError
#     unless: [paddle, mxnet, mindspore]
#   - text: "'torch.return_types.{_:ident}' object has no attribute '{attr:ident}'"
#     exception: AttributeError
#     sample: "AttributeError: 'torch.return_types.max' object has no attribute 'to'"
#   - text: "object has no attribute 'to'"
#     exception: AttributeError
#     near: [torch]
#     unless: ["nn/modules/module.py", "nn\\modules\\module.py"]
#     sample: "AttributeError: 'str' object has no attribute 'to'"
#   - text: "object has no attribute 'cuda'"
#     exception: AttributeError
#     near: [torch]
#     unless: ["nn/modules/module.py", "nn\\modules\\module.py"]
#     sample: "AttributeError: 'BatchFeature' object has no attribute 'cuda'"
# tags: [device, dataloader, loss]
# recover: fix
# related: [nn/argument-must-be-tensor, checkpoints/load-gives-ordereddict]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html"]
# causes:
#   list:
#     if: paste("'list' object has no attribute")
#   tuple:
#     if: paste("'tuple' object has no attribute", "'torch.return_types.")
#   dict:
#     if: paste("'dict' object has no attribute")
#   number:
#     if: paste("'float' object has no attribute 'backward'", "'numpy.float64' object has no attribute 'backward'", "'int' object has no attribute 'backward'")
#   array:
#     if: paste("'numpy.ndarray' object has no attribute")
# ---

# %%
import torch
from torch import nn

device = torch.device("meta")  # stands for a GPU: to move there is seen
model = nn.Linear(3, 2)
x, y = torch.rand(4, 3), torch.tensor([0, 1, 1, 0])

# %% break list
batch = [x, y]
batch = batch.to(device)

# %% check list
batch = [x, y]
kinds = [type(part).__name__ for part in batch]
print(type(batch).__name__, kinds)  # list of tensors
assert isinstance(batch, list) and kinds == ["Tensor", "Tensor"]

# %% fix list
batch = [x, y]
batch = [part.to(device) for part in batch]  # each tensor in it

# %% proof list
assert [part.device for part in batch] == [device, device] and batch[0].shape == x.shape

# %% break tuple
output, state = nn.LSTM(3, 2)(x)
state = state.detach()

# %% fix tuple
from torch import nn

output, (hidden, cell) = nn.LSTM(3, 2)(x)
hidden, cell = hidden.detach(), cell.detach()

# %% proof tuple
assert not hidden.requires_grad and not cell.requires_grad and output.requires_grad

# %% break dict
batch = {"x": x, "y": y, "names": ["a", "b", "c", "d"]}
batch = batch.to(device)

# %% fix dict
import torch

batch = {"x": x, "y": y, "names": ["a", "b", "c", "d"]}
batch = {
    name: part.to(device) if isinstance(part, torch.Tensor) else part
    for name, part in batch.items()
}

# %% proof dict
assert batch["x"].device == device and batch["names"] == ["a", "b", "c", "d"]

# %%
loss_fn = nn.CrossEntropyLoss()

# %% break number
loss = loss_fn(model(x), y).item()
loss.backward()

# %% fix number
loss = loss_fn(model(x), y)
loss.backward()
number = loss.item()  # last, for the log

# %% proof number
assert model.weight.grad is not None and isinstance(number, float)

# %% break array
images = x.numpy()
images = images.unsqueeze(0)

# %% fix array
import torch

images = x.numpy()
images = torch.from_numpy(images).unsqueeze(0)

# %% proof array
assert images.shape == (1, 4, 3)
