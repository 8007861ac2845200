# ---
# tags: [autograd, ddp, hooks]
# related: [distributed/ddp-unused-params]
# rows: [S000-04]
# cases:
#   wrapper-passed-by: {needs: [fork]}
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_forward_hook"]
# ---

# %%
import torch
from torch import nn
from torch.nn.utils import prune

torch.manual_seed(0)

# %% break forward-called
model, seen = nn.Linear(4, 2), []
model.register_forward_hook(lambda module, args, output: seen.append("forward"))
model.register_full_backward_hook(lambda module, inward, outward: seen.append("backward"))
model.forward(torch.ones(1, 4)).sum().backward()
print(seen)  # []: neither ran
assert seen == []

# %% check forward-called
model, seen = nn.Linear(4, 2), []
model.register_forward_hook(lambda module, args, output: seen.append("forward"))
model(torch.ones(1, 4))  # called by hand: does it run now? Then the hook is in order, and somebody calls forward()
print(seen)
assert seen == ["forward"]

# %% fix forward-called
model, seen = nn.Linear(4, 2), []
model.register_forward_hook(lambda module, args, output: seen.append("forward"))
model.register_full_backward_hook(lambda module, inward, outward: seen.append("backward"))
model(torch.ones(1, 4)).sum().backward()

assert seen == ["forward", "backward"]

# %% break layer-not-called
attention, seen = nn.MultiheadAttention(4, 2, batch_first=True), []
attention.out_proj.register_forward_hook(lambda module, args, output: seen.append(output))
x = torch.ones(1, 3, 4)
attention(x, x, x)
print(seen)  # []: MultiheadAttention takes the weights of out_proj, and never calls it
assert seen == []

# %% check layer-not-called
attention, called = nn.MultiheadAttention(4, 2, batch_first=True), []
for name, module in attention.named_modules():
    module.register_forward_hook(lambda module, args, output, name=name: called.append(name or "itself"))
x = torch.ones(1, 3, 4)
attention(x, x, x)
print(called)  # all modules that are called: out_proj is not among them
assert called == ["itself"]

# %% fix layer-not-called
attention, seen = nn.MultiheadAttention(4, 2, batch_first=True), []
attention.register_forward_hook(lambda module, args, output: seen.append(output[0]))  # the module that is called
x = torch.ones(1, 3, 4)
result, _ = attention(x, x, x)

assert len(seen) == 1 and torch.equal(seen[0], result)  # what out_proj gives is what the attention gives

# %% break stale-weight
layer = prune.l1_unstructured(nn.Linear(4, 2), "weight", amount=0.5)
x = torch.ones(1, 4)
before = layer(x).detach()
with torch.no_grad():
    layer.weight_orig.mul_(2)
    layer.bias.mul_(2)
print(before, layer.forward(x))  # should be twice as much; the old weight was used
assert not torch.allclose(layer.forward(x), 2 * before)

# %% check stale-weight
layer = prune.l1_unstructured(nn.Linear(4, 2), "weight", amount=0.5)
print(list(layer._forward_pre_hooks.values()))  # something here makes the weight anew before each call
assert layer._forward_pre_hooks

# %% fix stale-weight
layer = prune.l1_unstructured(nn.Linear(4, 2), "weight", amount=0.5)
x = torch.ones(1, 4)
before = layer(x).detach()
with torch.no_grad():
    layer.weight_orig.mul_(2)
    layer.bias.mul_(2)

assert torch.allclose(layer(x), 2 * before)

# %%
import tempfile
from datetime import timedelta

import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel as DDP


def worker(rank, train, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2, timeout=timedelta(seconds=30))
    train(rank)
    dist.destroy_process_group()


def run(train):
    """What torchrun does: train(rank) in two processes."""
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(worker, (train, folder), nprocs=2, start_method="fork")


# %% break wrapper-passed-by
def train(rank):
    model = DDP(nn.Linear(2, 1))
    model.module(torch.full((1, 2), float(rank))).sum().backward()  # past DDP: nothing is averaged
    print(f"rank {rank}: {model.module.weight.grad.tolist()}")
    assert (model.module.weight.grad == rank).all()  # each rank keeps its own


run(train)


# %% check wrapper-passed-by
def train(rank):
    model = DDP(nn.Linear(2, 1))
    model.module(torch.full((1, 2), float(rank))).sum().backward()
    gathered = [None, None]
    dist.all_gather_object(gathered, model.module.weight.grad.sum().item())
    if rank == 0:
        print(gathered)  # after backward all ranks must hold the same number
    assert gathered[0] != gathered[1]


run(train)


# %% fix wrapper-passed-by
def train(rank):
    model = DDP(nn.Linear(2, 1))
    model(torch.full((1, 2), float(rank))).sum().backward()
    assert (model.module.weight.grad == 0.5).all()  # the mean of 0 and 1, on both ranks


run(train)
