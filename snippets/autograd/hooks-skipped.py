# ---
# tags: [autograd, compile, ddp, hooks]
# recover: fix
# related: [distributed/ddp-unused-params]
# rows: [S000-04]
# cases:
#   wrapper-passed-by: {needs: [fork]}
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_forward_hook"]
# causes:
#   forward-called:
#   layer-not-called:
#   stale-weight:
#   wrapper-passed-by:
#   compiled-before:
# ---

# %%
import torch
from torch import nn
from torch.nn.utils import prune

torch.manual_seed(0)
x = torch.ones(1, 4)
model, seen = nn.Linear(4, 2), []
model.register_forward_hook(lambda module, args, output: seen.append(output))
model.register_full_backward_hook(lambda module, inward, outward: seen.append(outward[0]))

# %% break forward-called
model.forward(x).sum().backward()
print(seen)  # []: neither ran
assert seen == []

# %% check forward-called
model(x)  # by hand: does the hook run now? Then some code calls forward()
print(len(seen))
assert len(seen) == 1

# %% fix forward-called
y = model(x)  # not model.forward(x)
y.sum().backward()

# %% proof forward-called
assert len(seen) == 2 and torch.equal(seen[0], y) and torch.equal(seen[1], torch.ones(1, 2))
assert torch.equal(y, model.forward(x))

# %% use forward-called
layers = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
model, seen = layers, []
layers.register_forward_hook(lambda module, args, output: seen.append(output.detach()))
optimizer = torch.optim.SGD(layers.parameters(), lr=0.1)
for x in torch.randn(3, 5, 4):
    optimizer.zero_grad()
    # >>>
    y = model.forward(x)
    y.sum().backward()
    # <<<
    optimizer.step()
assert [tuple(output.shape) for output in seen] == 3 * [(5, 2)]

# %%
model = nn.MultiheadAttention(4, 2, batch_first=True)
x = torch.rand(1, 3, 4)

# %% break layer-not-called
seen = []
model.out_proj.register_forward_hook(lambda layer, args, out: seen.append(out))
model(x, x, x)
print(seen)  # []: MultiheadAttention uses out_proj's weights, and never calls it
assert seen == []

# %% check layer-not-called
called = []
for name, module in model.named_modules():
    module.register_forward_hook(lambda *_, n=name: called.append(n or "itself"))
model(x, x, x)
print(called)  # all modules that are called: out_proj is not among them
assert called == ["itself"]

# %% fix layer-not-called
outputs = []
# the module that is called
model.register_forward_hook(lambda module, args, output: outputs.append(output[0]))

# %% proof layer-not-called
result, weights = model(x, x, x)
assert len(outputs) == 1 and torch.equal(outputs[0], result)  # what out_proj gives is what the attention gives
values = (x[0] @ model.in_proj_weight[8:].T).view(3, 2, 2).transpose(0, 1)  # one matrix for each head
heads = model(x, x, x, average_attn_weights=False)[1][0] @ values
assert torch.allclose(outputs[0][0], model.out_proj(heads.transpose(0, 1).reshape(3, 4)), atol=1e-6)

# %%
model = prune.l1_unstructured(nn.Linear(4, 2), "weight", amount=0.5)
x = torch.ones(1, 4)
before = model(x).detach()
with torch.no_grad():  # stands for an optimizer's step, or load_state_dict
    model.weight_orig.mul_(2)
    model.bias.mul_(2)

# %% break stale-weight
y = model.forward(x)
print(before, y)  # should be twice as much; the old weight was used
assert not torch.allclose(y, 2 * before)

# %% check stale-weight
print(list(model._forward_pre_hooks.values()))  # they make the weight anew
assert model._forward_pre_hooks

# %% fix stale-weight
y = model(x)  # its hook makes the weight anew

# %% proof stale-weight
assert torch.allclose(y, 2 * before)

# %%
layer = nn.Linear(4, 2)
model = torch.compile(layer, backend="eager")
model(x)  # compiled here, without a hook

# %% break compiled-before
seen = []
layer.register_forward_hook(lambda module, args, output: seen.append(output))
model(x)
print(seen)  # []: the compiled code does not know of it
assert seen == []

# %% check compiled-before
seen = []
layer.register_forward_hook(lambda module, args, output: seen.append(output))
with torch.compiler.set_stance("force_eager"):  # the same model without compilation
    model(x)
print(len(seen))  # 1: now it runs
assert len(seen) == 1

# %% fix compiled-before
import torch

outputs = []
for module in model.modules():
    if isinstance(module, torch.nn.Linear):
        module.register_forward_hook(
            lambda module, args, output: outputs.append(output.detach())
        )
torch.compiler.reset()  # at the next call it is compiled again, hooks included

# %% proof compiled-before
y = model(x)
assert len(outputs) == 1 and torch.equal(outputs[0], y) and not outputs[0].requires_grad

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
def step(model, x):
    model.module(x).sum().backward()  # past DDP: nothing is averaged


def train(rank):
    model = DDP(nn.Linear(2, 1))
    step(model, torch.full((1, 2), float(rank)))
    print(f"rank {rank}: {model.module.weight.grad.tolist()}")
    assert (model.module.weight.grad == rank).all()  # each rank keeps its own


run(train)


# %% check wrapper-passed-by
# below loss.backward(), on every rank: all must hold the same number
PROGRAM = """
import torch.distributed as dist

sums = [None] * dist.get_world_size()
own = sum(p.grad.sum().item() for p in model.parameters())
dist.all_gather_object(sums, own)
if dist.get_rank() == 0:
    print(sums)
"""


def train(rank):
    model = DDP(nn.Linear(2, 1))
    model.module(torch.full((1, 2), float(rank))).sum().backward()
    names = {"model": model}
    exec(PROGRAM, names)
    assert names["sums"] == [1, 3]  # the bias gives 1, the weights twice the rank


run(train)


# %% fix wrapper-passed-by
def step(model, x):
    model(x).sum().backward()  # through DDP


# %% proof wrapper-passed-by
def train(rank):
    model = DDP(nn.Linear(2, 1))
    step(model, torch.full((1, 2), float(rank)))
    assert (model.module.weight.grad == 0.5).all()  # the mean of 0 and 1, on both ranks


run(train)
