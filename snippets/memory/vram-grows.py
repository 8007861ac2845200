# ---
# wordings: []
# tags: [cuda, inference, loss, oom, rnn]
# cases:
#   cached-blocks: {needs: [cuda]}
# related: [memory/cuda-oom, autograd/backward-second-time]
# rows: [S001-95, S003-14]
# docs: ["https://docs.pytorch.org/docs/stable/notes/faq.html#my-model-reports-cuda-runtime-error-2-out-of-memory", "https://docs.pytorch.org/docs/stable/torch_cuda_memory.html"]
# ---

# %%
import os

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 4096), nn.ReLU(), nn.Linear(4096, 1))
batches = torch.randn(40, 256, 64)  # 40 batches; the graph of each keeps 4 MiB
model(batches[0]).mean().backward()  # what only the first step needs


def in_use():
    """MiB that live tensors hold on a GPU; without one, all memory of this process (Linux)."""
    if batches.is_cuda:
        return torch.cuda.memory_allocated() / 2**20
    with open("/proc/self/statm") as numbers:
        return int(numbers.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


# %% break running-total
start, total = in_use(), 0
for batch in batches:  # validation: no backward()
    total += model(batch).mean()  # a tensor, and through it the graph of every batch
    torch.cuda.empty_cache()  # frees nothing: all of it is in use
grown = in_use() - start
assert grown > 100

del total
start, total = in_use(), 0
for batch in batches:
    loss = model(batch).mean()
    loss.backward()  # frees the large part of this batch's graph
    total += loss
assert in_use() - start < grown / 5  # in a training loop the same mistake is small

# %% check running-total
total = 0
for batch in batches:
    total += model(batch).mean()
print(total.requires_grad)  # True: not a number, but a tensor that keeps the graph of every batch
assert total.requires_grad

# %% fix running-total
start, total = in_use(), 0.0
for batch in batches:
    total += model(batch).mean().item()  # a plain number
grown = in_use() - start

assert grown < 40
expected = torch.stack([model(batch).mean().detach() for batch in batches]).sum()
torch.testing.assert_close(torch.tensor(total), expected.cpu(), rtol=1e-4, atol=1e-4, check_dtype=False, check_device=False)

# %% break kept-outputs
start, outputs = in_use(), []
for batch in batches:
    outputs.append(model(batch))
grown = in_use() - start
assert sum(output.nbytes for output in outputs) == 40 * 1024  # the outputs themselves: 40 KiB
assert grown > 100

# %% check kept-outputs
outputs = [model(batch) for batch in batches[:3]]
print([output.requires_grad for output in outputs])  # True: each keeps the graph it came from
assert all(output.requires_grad for output in outputs)

# %% fix kept-outputs
start, outputs = in_use(), []
for batch in batches:
    outputs.append(model(batch).detach().cpu())  # or the whole loop under torch.no_grad()
grown = in_use() - start

assert grown < 40
torch.testing.assert_close(torch.cat(outputs), model(batches.flatten(0, 1)).detach().cpu(), rtol=1e-4, atol=1e-4)

# %%
rnn = nn.RNN(64, 1024)
rnn(batches[0])[0].mean().backward()


def graph_size(tensor):
    """Operations that a backward pass from this tensor would go through."""
    todo, seen = [tensor.grad_fn], set()
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [before for before, _ in node.next_functions]
    return len(seen)


# %% break carried-graph
start, hidden = in_use(), torch.zeros(1, 1024)
for batch in batches:
    output, hidden = rnn(batch, hidden)  # hidden brings the graphs of all steps before
    output.mean().backward(retain_graph=True)  # and this keeps them
grown = in_use() - start
assert grown > 30

# %% check carried-graph
hidden, sizes = torch.zeros(1, 1024), []
for batch in batches[:4]:
    output, hidden = rnn(batch, hidden)
    output.mean().backward(retain_graph=True)
    sizes.append(graph_size(output))
print(sizes)  # grows from step to step: an old step is still attached
assert sizes[-1] > 3 * sizes[0]

# %% fix carried-graph
start, hidden = in_use(), torch.zeros(1, 1024)
for batch in batches:
    output, hidden = rnn(batch, hidden.detach())  # the value goes on, the graph does not
    output.mean().backward()
grown = in_use() - start

assert grown < 15
with torch.no_grad():  # the state is still carried
    whole, _ = rnn(batches.flatten(0, 1))
torch.testing.assert_close(hidden, whole[-1:], rtol=1e-4, atol=1e-4)


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
