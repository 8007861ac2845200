# ---
# tags: [cuda, inference, loss, oom, rnn]
# recover: process
# cases:
#   running-total:
#     wrong: {deleted: "https://github.com/Khrylx/PyTorch-RL/issues/2"}
#   carried-graph: {survives: {"back: grown = []": "a list in which the break notes what it measures: it changes nothing"}}
#   cached-blocks: {needs: [cuda]}
# related: [memory/cuda-oom, autograd/backward-second-time]
# rows: [S001-95, S003-14]
# docs: ["https://docs.pytorch.org/docs/stable/notes/faq.html#my-model-reports-cuda-runtime-error-2-out-of-memory", "https://docs.pytorch.org/docs/stable/torch_cuda_memory.html"]
# causes:
#   running-total:
#   kept-outputs:
#   carried-graph:
#   cached-blocks:
#   outside-pytorch:
#   first-steps:
#   ram:
# ---

# %%
import weakref

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model, loss_fn = nn.Sequential(nn.Linear(64, 1024), nn.ReLU(), nn.Linear(1024, 1)), nn.MSELoss()
dataset = TensorDataset(torch.randn(2560, 64), torch.randn(2560, 1))
loader = DataLoader(dataset, batch_size=64)  # 40 batches; the graph of each batch keeps 256 KiB
remembered = weakref.WeakValueDictionary()


def remember(tensor):
    """Called for each tensor that a graph keeps; the copy shares its memory, and lives as long as the graph."""
    copy = tensor.detach()
    remembered[id(copy)] = copy
    return copy


counting = torch.autograd.graph.saved_tensors_hooks(remember, lambda tensor: tensor)
counting.__enter__()  # from here on, in the whole program


def kept():
    """MiB that graphs keep. On a GPU torch.cuda.memory_allocated() shows it; counting works everywhere."""
    blocks = {tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes() for tensor in remembered.values()}
    return sum(blocks.values()) / 2**20


# %% break running-total
total = 0.0
for images, labels in loader:  # validation: no backward()
    total += loss_fn(model(images), labels)  # a tensor, with each batch's graph
    torch.cuda.empty_cache()  # frees nothing: all of it is in use
assert kept() > 10  # MiB

# %% check running-total
total = 0.0
for images, labels in loader:
    total += loss_fn(model(images), labels)
without_backward = kept()
# True: not a number, but a tensor that keeps the graph of every batch
print(total.requires_grad, without_backward, "MiB")

total = 0.0
for images, labels in loader:
    loss = loss_fn(model(images), labels)
    loss.backward()  # frees what this batch's graph keeps
    total += loss
print(total.requires_grad, kept(), "MiB")  # in training the line does little harm
assert kept() < without_backward / 10

# %% fix running-total
total = 0.0
for images, labels in loader:
    total += loss_fn(model(images), labels).item()  # a plain number

# %% proof running-total
assert kept() == 0
right = 40 * loss_fn(model(dataset.tensors[0]), dataset.tensors[1])  # the batches are equally large
assert isinstance(total, float) and abs(total - right.item()) < 1e-3

# %% use running-total
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
history = []
for _ in range(2):
    for images, labels in loader:
        optimizer.zero_grad()
        loss_fn(model(images), labels).backward()
        optimizer.step()
    # >>>
    total = 0.0
    for images, labels in loader:
        total += loss_fn(model(images), labels)
    # <<<
    history.append(total / len(loader))
assert kept() == 0
assert history[1] < history[0] < 2

# %% wrong deleted
# `del` for output and loss at the end of each batch: the sum still holds on to the graph of every
# batch.
total = 0.0
for images, labels in loader:
    output = model(images)
    loss = loss_fn(output, labels)
    total += loss
    del output, loss
print(f"{kept():.0f} MiB are kept")

# %% break kept-outputs
outputs = []
for images, labels in loader:
    outputs.append(model(images))
# the outputs themselves: 10 KiB
assert sum(output.nbytes for output in outputs) == 40 * 64 * 4
assert kept() > 10  # what they hold on to: 10 MiB

# %% check kept-outputs
outputs = []
for images, labels in loader:
    outputs.append(model(images))
print(outputs[0].requires_grad)  # True: each output keeps the graph that made it
assert outputs[0].requires_grad

# %% fix kept-outputs
outputs = []
for images, labels in loader:
    outputs.append(model(images).detach())  # or loop under torch.no_grad()

# %% proof kept-outputs
assert kept() == 0
torch.testing.assert_close(torch.cat(outputs), model(dataset.tensors[0]).detach(), rtol=1e-4, atol=1e-5)

# %%
model = nn.RNNCell(64, 256)
loader = DataLoader(TensorDataset(torch.randn(1280, 64), torch.randn(1280, 256)), batch_size=64)

# %% break carried-graph
hidden = torch.zeros(64, 256)
grown = []
for x, y in loader:
    hidden = model(x, hidden)  # brings the graphs of all steps before
    loss_fn(hidden, y).backward(retain_graph=True)  # and this keeps them
    grown.append(kept())
assert grown[-1] > 2 * grown[0]

# %% check carried-graph
hidden = torch.zeros(64, 256)
grown = []
for x, y in list(loader)[:4]:
    hidden = model(x, hidden)
    loss_fn(hidden, y).backward(retain_graph=True)
    grown.append(kept())
print(grown)  # MiB after each step: grows, although backward() was called
assert grown == sorted(set(grown))

# %% fix carried-graph
import torch

hidden = torch.zeros(64, 256)
for x, y in loader:
    hidden = model(x, hidden.detach())  # the value goes on, the graph does not
    loss = loss_fn(hidden, y)
    loss.backward()

# %% proof carried-graph
del loss
assert kept() == 0
state, right = torch.zeros(64, 256), torch.zeros_like(model.weight_hh)
for x, y in loader:  # the same by hand: each step's own gradient, with the state of the step before as a number
    new = torch.tanh(x @ model.weight_ih.T + model.bias_ih + state @ model.weight_hh.T + model.bias_hh)
    right += torch.autograd.grad(loss_fn(new, y), model.weight_hh)[0]
    state = new.detach()
torch.testing.assert_close(hidden.detach(), state, rtol=1e-3, atol=1e-5)
torch.testing.assert_close(model.weight_hh.grad, right, rtol=1e-3, atol=1e-6)

# %%
device = "cuda"
dataset = [torch.ones(length, 2**18, device="cpu") for length in range(12, 32, 2)]  # 12 to 30 MiB: from step to step a little more


def model(x):
    """A step whose second tensor is as large as its input."""
    return (x * 2).mean().item()


# %% break cached-blocks
for x in dataset:
    model(x.to(device))  # no cached block is large enough: a new one each time
reserved, used = torch.cuda.memory_reserved(), torch.cuda.max_memory_allocated()
assert reserved > 4 * used  # what nvidia-smi shows, and what tensors ever needed

# %% check cached-blocks
for x in dataset:
    model(x.to(device))
    used, held = torch.cuda.memory_allocated(), torch.cuda.memory_reserved()
    print(len(x), used // 2**20, held // 2**20, "MiB")  # only the second grows
assert torch.cuda.memory_reserved() > 10 * torch.cuda.memory_allocated()

# %% fix cached-blocks
largest = max(dataset, key=len)
model(largest.to(device))  # once, at first: all others fit into its blocks
for x in dataset:
    model(x.to(device))

# %% proof cached-blocks
assert torch.cuda.memory_reserved() < 2 * torch.cuda.max_memory_allocated()
assert model(x.to(device)) == 2.0
