# ---
# wordings:
#   - text: "not enough values to unpack (expected {want:int}, got {got:int})"
#     exception: ValueError
#     near: [".size()", "in forward", "train_loader", "val_loader", "test_loader", "data_loader", "dataloader", " loader:", "(loader)", "DataLoader", "lstm(", "rnn(", "gru(", "torch"]
#     unless: [tensorflow, keras, paddle, mxnet, mindspore, jax]
#     sample: "    b, c, h, w = x.size()\nValueError: not enough values to unpack (expected 4, got 3)"
#   - text: "too many values to unpack (expected {want:int}"
#     exception: ValueError
#     near: [".size()", "in forward", "train_loader", "val_loader", "test_loader", "data_loader", "dataloader", " loader:", "(loader)", "DataLoader", "lstm(", "rnn(", "gru(", "torch"]
#     unless: [tensorflow, keras, paddle, mxnet, mindspore, jax]
#     sample: "    for x, y in train_loader:\nValueError: too many values to unpack (expected 2)"
# tags: [shape, dataloader, rnn]
# recover: fix
# related: [shapes/too-many-indices, shapes/conv-dims, data-loading/loader-not-indexable]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.Tensor.size.html", "https://docs.pytorch.org/docs/stable/data.html"]
# causes:
#   dimensions:
#     if: frames(".shape", ".size()") and (not read(got) or want != 3 or got != 2)
#   grey:
#     likely: want == 3 and got == 2 and frames("image.shape", "img.shape")
#   enumerate:
#     if: frames("enumerate(") and got == 2 and not frames(", (", ",(")
#   state:
#     if: (live("GRU") or live("LSTM") or live("RNN")) and not frames(".shape", ".size()")
#     likely: paste("lstm(", "LSTM(", "rnn(", "RNN(", "gru(", "GRU(") and not frames(".shape", ".size()")
#     sample: |
#       outputs, hidden, cell = self.lstm(x)
#       ValueError: not enough values to unpack (expected 3, got 2)
#   one-tensor:
#     likely: live.loader.gives == 1 and want > 1
#     undecided: what the dataset returns is not printed
#   more-than-two:
#     if: live.loader.gives > want and want > 1 and not frames(".shape", ".size()")
#     undecided: what the dataset returns is not printed
# ---

# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
images = torch.rand(10, 3, 8, 8)
labels = torch.arange(10)
x = images[0]  # one image: [3, 8, 8]

# %% break dimensions
b, c, h, w = x.size()

# %% check dimensions
print(x.shape)  # three numbers: the batch is missing
assert x.dim() == 3

# %% fix dimensions
x = x[None]  # a batch of one
b, c, h, w = x.size()

# %% proof dimensions
assert (b, c, h, w) == (1, 3, 8, 8) == x.shape and torch.equal(x[0], images[0])

# %% use dimensions
class Weighted(nn.Module):  # squeeze and excitation
    def __init__(self):
        super().__init__()
        self.gate, self.conv = nn.Linear(3, 3), nn.Conv2d(3, 4, 3, padding=1)

    def forward(self, x):
        # >>>
        b, c, h, w = x.size()
        # <<<
        gate = self.gate(x.mean((2, 3))).sigmoid()
        return self.conv(x * gate.view(b, c, 1, 1))


model = Weighted()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(images[0]).square().mean().backward()
optimizer.step()
assert model(images[0]).shape == (1, 4, 8, 8) and model.gate.weight.grad.any()

# %%
image = torch.rand(48, 64)  # height and width
loader = DataLoader([image], collate_fn=lambda images: to_tensor(images[0]))

# %% break grey
def to_tensor(image):
    h, w, c = image.shape
    return image.permute(2, 0, 1).reshape(c, h, w)


batch = next(iter(loader))

# %% check grey
print(image.shape)  # height and width alone: no channels
assert image.dim() == 2

# %% fix grey
def to_tensor(image):
    if image.ndim == 2:
        image = image[..., None]  # one channel, behind height and width
    h, w, c = image.shape
    return image.permute(2, 0, 1).reshape(c, h, w)


batch = next(iter(loader))

# %% proof grey
assert torch.equal(batch, image[None])
assert torch.equal(to_tensor(image), image[None])
colour = torch.rand(48, 64, 3)
assert torch.equal(to_tensor(colour), torch.stack([colour[..., c] for c in range(3)]))

# %%
loader = DataLoader(TensorDataset(images, labels), batch_size=5)

# %% break enumerate
for i, x, y in enumerate(loader):
    print(i, x.shape, y)

# %% fix enumerate
seen = []
for i, (x, y) in enumerate(loader):
    seen.append((i, len(x), y.tolist()))

# %% proof enumerate
assert seen == [(0, 5, [0, 1, 2, 3, 4]), (1, 5, [5, 6, 7, 8, 9])]

# %%
loader = DataLoader(images, batch_size=5)  # images alone, without labels

# %% break one-tensor
for x, y in loader:
    print(x.shape, y.shape)

# %% check one-tensor
batch = next(iter(loader))
print(type(batch), batch.shape)  # one tensor: torch.Size([5, 3, 8, 8])
assert isinstance(batch, torch.Tensor)

# %% fix one-tensor
from torch.utils.data import DataLoader, TensorDataset

dataset = TensorDataset(images, labels)
for x, y in DataLoader(dataset, batch_size=5):
    print(x.shape, y.shape)

# %% proof one-tensor
assert x.shape == (5, 3, 8, 8) and torch.equal(x, images[5:])
assert torch.equal(y, labels[5:])

# %%
dataset = TensorDataset(images, labels, torch.rand(10))
loader = DataLoader(dataset, batch_size=5)

# %% break more-than-two
for x, y in loader:
    print(x.shape, y.shape)

# %% check more-than-two
print(len(dataset[0]))  # 3: each sample has three parts
assert len(dataset[0]) == 3

# %% fix more-than-two
for x, y, *rest in loader:
    print(x.shape, y.shape)

# %% proof more-than-two
assert torch.equal(x, images[5:]) and torch.equal(y, labels[5:])

# %%
lstm = model = nn.LSTM(8, 4)
x = torch.rand(2, 6, 8)

# %% break state
outputs, hidden, cell = lstm(x)

# %% check state
outputs, state = lstm(x)
print(len(lstm(x)), len(state))  # 2 2: the state is a pair within the pair
assert len(lstm(x)) == 2

# %% fix state
outputs, (hidden, cell) = model(x)  # the model is an LSTM

# %% proof state
assert outputs.shape == (2, 6, 4) and hidden.shape == cell.shape == (1, 6, 4)
torch.testing.assert_close(hidden[0], outputs[-1])
assert not torch.allclose(hidden, cell)
