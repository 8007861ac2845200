# ---
# wordings:
#   - text: "Expected to mark a variable ready only once"
#     exception: RuntimeError
#   - text: "Parameter at index {index:int} with name {parameter:ident} has been marked as ready twice"
#     exception: RuntimeError
#     sample: "Parameter at index 255 with name base_model.model.model.layers.31.self_attn.o_proj.lora_B.weight has been marked as ready twice. This means that multiple autograd engine  hooks have fired for this particular parameter during this iteration."
#   - text: "Parameter at index {index:int} has been marked as ready twice"
#     exception: RuntimeError
#     sample: "Parameter at index 63 has been marked as ready twice. This means that multiple autograd engine  hooks have fired for this particular parameter during this iteration."
#   - text: "Reused parameters in multiple reentrant backward passes"
#     exception: RuntimeError
#   - text: "1) Use of a module parameter outside the `forward` function"
#     exception: RuntimeError
#   - text: "Gradient computed twice for this partition"
#     exception: AssertionError
#     sample: "AssertionError: The parameter 255 has already been reduced. Gradient computed twice for this partition. Multiple gradient reductions are currently not supported"
# tags: [activation-checkpointing, backward, ddp, fine-tuning, lora, multiprocessing]
# recover: process
# needs: [fork]
# cases:
#   shared-block:
#     wrong: {find-unused-parameters: "https://github.com/modelscope/ms-swift/issues/2746"}
#   whole-model: {silent: true}
# related: [distributed/ddp-unused-params]
# rows: [S001-107]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html", "https://docs.pytorch.org/docs/stable/checkpoint.html"]
# causes:
#   find-unused:
#     likely: frames("checkpoint.py", "checkpointing.py") or paste("lora_A", "lora_B", "gradient_checkpointing")
#   shared-block:
#     undecided: both kinds of re-entrant checkpointing print the same, and have the same fix
#   outside-forward:
#     likely: >-
#       paste("Traceback (most recent call last)") and frames("_engine_run_backward", "_execution_engine.run_backward", "torch/autograd/__init__.py")
#       and not frames("checkpoint.py", "checkpointing.py")
#   whole-model:
#   deepspeed:
#     if: paste("Gradient computed twice for this partition")
#     sample: "AssertionError: The parameter 255 has already been reduced. Gradient computed twice for this partition."
# ---

# %%
import copy
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.checkpoint import checkpoint


def worker(rank, train, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2, timeout=timedelta(seconds=60))
    torch.manual_seed(0)
    train(rank)
    dist.destroy_process_group()


def run(train):
    """What torchrun does: train(rank) in two processes."""
    import torch._dynamo  # DDP needs it: importing it once, before the fork, saves seconds

    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(worker, (train, folder), nprocs=2, start_method="fork")


def batch(rank):
    return torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True) + rank


def same_as_one_process(model):
    """Does this rank hold the gradients that one process would get from the batches of both ranks?"""
    single = copy.deepcopy(model.module)
    single.zero_grad()
    ((single(batch(0)).square().mean() + single(batch(1)).square().mean()) / 2).backward()
    for mine, expected in zip(model.module.parameters(), single.parameters(), strict=True):
        torch.testing.assert_close(mine.grad, expected.grad)
    return True


def recomputes(model, name):
    """Does checkpointing work: does this layer run again in the backward pass?"""
    calls = []
    model.get_submodule(name).register_forward_pre_hook(lambda *_: calls.append(name))
    loss = model(batch(0)).square().mean()
    forward = len(calls)
    loss.backward()
    return len(calls) == 2 * forward > 0


# %%
class Layers(nn.Module):
    def __init__(self, use_reentrant):
        super().__init__()
        self.stem, self.layer, self.use_reentrant = nn.Linear(3, 3), nn.Linear(3, 3), use_reentrant

    def forward(self, x):
        return checkpoint(self.layer, self.stem(x), use_reentrant=self.use_reentrant)


# %% break find-unused
def train(rank):
    model = DDP(Layers(use_reentrant=True), find_unused_parameters=True)
    model(batch(rank)).square().mean().backward()


run(train)

# %% check find-unused
loss = Layers(use_reentrant=True)(batch(0)).square().mean()  # the bare model
nodes, todo = set(), [loss.grad_fn]
while todo:
    node = todo.pop()
    if node is not None and node not in nodes:
        nodes.add(node)
        todo += [following for following, _ in node.next_functions]
names = [node.name() for node in nodes]
print(names.count("CheckpointFunctionBackward"))  # not 0: it is re-entrant
assert "CheckpointFunctionBackward" in names


# %% fix find-unused
from torch import nn
from torch.utils.checkpoint import checkpoint


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.layer = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        return checkpoint(self.layer, self.stem(x), use_reentrant=False)


# %% proof find-unused
def train(rank):
    model = DDP(Layers(), find_unused_parameters=True)
    model(batch(rank)).square().mean().backward()
    assert recomputes(Layers(), "layer") and same_as_one_process(model)


run(train)


# %% use find-unused
# >>>
class Layers(Layers):
    def __init__(self):
        super().__init__(use_reentrant=True)


# <<<
def train(rank):
    model = DDP(Layers(), find_unused_parameters=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(batch(rank)).square().mean()
        loss.backward()
        optimizer.step()
    weights = [torch.zeros(3, 3) for _ in range(2)]
    dist.all_gather(weights, model.module.stem.weight.detach())
    assert torch.equal(*weights) and loss.isfinite()


run(train)

# %%
class SharedBlock(Layers):
    def forward(self, x):
        x = self.stem(x)
        for _ in range(2):  # the same layer twice, each time in a checkpoint of its own
            x = checkpoint(self.layer, x, use_reentrant=self.use_reentrant)
        return x


# %% break shared-block
def train(rank):
    model = DDP(SharedBlock(use_reentrant=True))
    model(batch(rank)).square().mean().backward()


run(train)

# %% check shared-block
model, arrived = SharedBlock(use_reentrant=True), []
for name, p in model.named_parameters():
    p.register_post_accumulate_grad_hook(lambda _, name=name: arrived.append(name))
model(batch(0)).square().mean().backward()
print({name: arrived.count(name) for name in arrived})  # DDP allows 1
assert arrived.count("layer.weight") == 2


# %% fix shared-block
from torch import nn
from torch.utils.checkpoint import checkpoint


class SharedBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.layer = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        x = self.stem(x)
        for _ in range(2):  # the same layer twice, each time in its own checkpoint
            x = checkpoint(self.layer, x, use_reentrant=False)
        return x


# %% proof shared-block
def train(rank):
    model = DDP(SharedBlock())
    model(batch(rank)).square().mean().backward()
    assert recomputes(SharedBlock(), "layer") and same_as_one_process(model)
    single = model.module
    x = single.stem(batch(rank))
    torch.testing.assert_close(single(batch(rank)), single.layer(single.layer(x)))


run(train)


# %% wrong find-unused-parameters
# `find_unused_parameters=True`: it is for parameters that get no gradient. Here one gets two. The
# same error.
def train(rank):
    model = DDP(SharedBlock(use_reentrant=True), find_unused_parameters=True)
    model(batch(rank)).square().mean().backward()


run(train)

# %%
class Body(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        return self.body(x)


# %% break outside-forward
def train(rank):
    model = DDP(Body(), find_unused_parameters=True)
    features = model(batch(rank))
    # the head runs after DDP has looked for unused parameters
    model.module.head(features).square().mean().backward()


run(train)

# %% check outside-forward
model = Body()
features = model(batch(0))
named = dict(model.named_parameters())
keep = {"retain_graph": True, "allow_unused": True}
inside = torch.autograd.grad(features.sum(), [*named.values()], **keep)
model.head(features).square().mean().backward()
trained = [name for name in named if named[name].grad is not None]
outside = [name for name, g in zip(named, inside) if g is None and name in trained]
print(outside)  # trained, but not part of what forward() returned
assert outside == ["head.weight", "head.bias"]


# %% fix outside-forward
from torch import nn


class WithHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        return self.head(self.body(x))  # all that is trained runs inside forward()


# %% proof outside-forward
def train(rank):
    model = DDP(WithHead(), find_unused_parameters=True)
    model(batch(rank)).square().mean().backward()
    assert same_as_one_process(model)
    assert all(parameter.grad.abs().sum() > 0 for parameter in model.parameters())


run(train)


# %%
class OnlyShared(nn.Module):
    """All parameters are in the block that is used twice."""

    def __init__(self, use_reentrant):
        super().__init__()
        self.layer, self.use_reentrant = nn.Linear(3, 3), use_reentrant

    def forward(self, x):
        for _ in range(2):
            x = checkpoint(self.layer, x, use_reentrant=self.use_reentrant)
        return x


def gradient_of_each_rank(model):
    mine = model.module.layer.weight.grad
    both = [torch.zeros_like(mine) for _ in range(2)]
    dist.all_gather(both, mine)
    return both


# %% break whole-model
def train(rank):
    model = DDP(OnlyShared(use_reentrant=True))
    model(batch(rank)).square().mean().backward()  # no error
    first, second = gradient_of_each_rank(model)
    assert not torch.allclose(first, second)  # the ranks now train different models


run(train)


# %% check whole-model
# on every rank, after the first backward: it must print 0
PROGRAM = """
import torch.distributed as dist

gradient = next(p.grad for p in model.parameters() if p.grad is not None)
average = gradient.clone()
dist.all_reduce(average)
average /= dist.get_world_size()
print((gradient - average).abs().max().item())
"""


def train(rank):
    model = DDP(OnlyShared(use_reentrant=True))
    model(batch(rank)).square().mean().backward()
    names = {"model": model}
    exec(PROGRAM, names)
    assert not torch.equal(names["gradient"], names["average"])


run(train)


# %% fix whole-model
from torch import nn
from torch.utils.checkpoint import checkpoint


class OnlyShared(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        for _ in range(2):
            x = checkpoint(self.layer, x, use_reentrant=False)
        return x


# %% proof whole-model
def train(rank):
    model = DDP(OnlyShared())
    model(batch(rank)).square().mean().backward()
    first, second = gradient_of_each_rank(model)
    assert torch.equal(first, second) and recomputes(OnlyShared(), "layer") and same_as_one_process(model)
    layer = model.module.layer
    torch.testing.assert_close(model.module(batch(rank)), layer(layer(batch(rank))))


run(train)
