# ---
# tags: [cuda, inference, loss, oom, rnn]
# cases:
#   cached-blocks: {needs: [cuda]}
# related: [memory/cuda-oom, autograd/backward-second-time]
# rows: [S001-95, S003-14]
# docs: ["https://docs.pytorch.org/docs/stable/notes/faq.html#my-model-reports-cuda-runtime-error-2-out-of-memory", "https://docs.pytorch.org/docs/stable/torch_cuda_memory.html"]
# ---

# %%
import weakref

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 1024), nn.ReLU(), nn.Linear(1024, 1))
batches = torch.randn(40, 64, 64)  # 40 batches of 64 samples; the graph of each batch keeps 256 KiB
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
total = 0
for batch in batches:  # validation: no backward()
    total += model(batch).mean()  # a tensor, and with it the graph of every batch
    torch.cuda.empty_cache()  # frees nothing: all of it is in use
without_backward = kept()
assert without_backward > 10

total = 0
for batch in batches:
    loss = model(batch).mean()
    loss.backward()  # frees what this batch's graph keeps
    total += loss
assert kept() < without_backward / 10  # in a training loop the same line does little harm

# %% check running-total
total = 0
for batch in batches:
    total += model(batch).mean()
print(total.requires_grad)  # True: not a number, but a tensor that keeps the graph of every batch
assert total.requires_grad

# %% fix running-total
total = 0.0
for batch in batches:
    total += model(batch).mean().item()  # a plain number
assert kept() == 0

expected = sum(model(batch).mean().detach() for batch in batches)
assert abs(total - expected.item()) < 1e-3

# %% break kept-outputs
outputs = []
for batch in batches:
    outputs.append(model(batch))
assert sum(output.nbytes for output in outputs) == 40 * 64 * 4  # the outputs themselves: 10 KiB
assert kept() > 10  # what they hold on to: 10 MiB

# %% check kept-outputs
outputs = []
for batch in batches:
    outputs.append(model(batch))
print(outputs[0].requires_grad)  # True: each output keeps the graph that made it
assert outputs[0].requires_grad

# %% fix kept-outputs
outputs = []
for batch in batches:
    outputs.append(model(batch).detach().cpu())  # or the whole loop under torch.no_grad()
assert kept() == 0

torch.testing.assert_close(torch.cat(outputs), model(batches.flatten(0, 1)).detach().cpu(), rtol=1e-4, atol=1e-5)

# %%
cell = nn.RNNCell(64, 256)

# %% break carried-graph
hidden, grown = torch.zeros(64, 256), []
for batch in batches[:20]:
    hidden = cell(batch, hidden)  # brings the graphs of all steps before
    hidden.square().mean().backward(retain_graph=True)  # and this keeps them
    grown.append(kept())
assert grown[-1] > 2 * grown[0]

# %% check carried-graph
hidden, grown = torch.zeros(64, 256), []
for batch in batches[:4]:
    hidden = cell(batch, hidden)
    hidden.square().mean().backward(retain_graph=True)
    grown.append(kept())
print(grown)  # MiB after each step: grows, although the batches are equally large and backward() was called
assert grown == sorted(set(grown))

# %% fix carried-graph
hidden = torch.zeros(64, 256)
for batch in batches:
    hidden = cell(batch, hidden.detach())  # the value goes on, the graph does not
    hidden.square().mean().backward()
assert kept() == 0

expected = torch.zeros(64, 256)  # the state is still carried from step to step
with torch.no_grad():
    for batch in batches:
        expected = cell(batch, expected)
torch.testing.assert_close(hidden, expected)


# %%
def mean_of_double(megabytes):
    """A step whose two tensors are as large as its input."""
    x = torch.ones(megabytes, 2**18, device="cuda")
    return (x * 2).mean().item()


lengths = range(20, 60, 2)  # from step to step a little more

# %% break cached-blocks
for length in lengths:
    mean_of_double(length)  # no cached block is large enough: a new one each time
reserved, used = torch.cuda.memory_reserved(), torch.cuda.max_memory_allocated()
assert reserved > 4 * used  # what nvidia-smi shows, and what tensors ever needed

# %% check cached-blocks
for length in lengths:
    mean_of_double(length)
    print(length, torch.cuda.memory_allocated() // 2**20, torch.cuda.memory_reserved() // 2**20, "MiB")  # only the second grows
assert torch.cuda.memory_reserved() > 10 * torch.cuda.memory_allocated()

# %% fix cached-blocks
mean_of_double(max(lengths))  # the largest step once, first: all others fit into its blocks
means = [mean_of_double(length) for length in lengths]

assert means == [2.0] * len(lengths)
assert torch.cuda.memory_reserved() < 2 * torch.cuda.max_memory_allocated()
