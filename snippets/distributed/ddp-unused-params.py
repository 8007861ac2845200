# ---
# wordings:
#   - text: "Expected to have finished reduction in the prior iteration before starting a new one. This error indicates that your module has parameters that were not used in producing loss"
#     exception: RuntimeError
#   - text: "Expected to have finished reduction in the prior iteration before starting a new one. This error indicates that your training graph has changed in this iteration"
#     exception: RuntimeError
#   - text: "Expected to have finished reduction in the prior iteration before starting a new one"
#     exception: RuntimeError
#   - text: "Since `find_unused_parameters=True` is enabled, this likely  means that not all `forward` outputs participate in computing loss"
#     exception: RuntimeError
#   - text: "You can enable unused parameter detection by (1) passing the keyword argument"
#     exception: RuntimeError
#   - text: "Parameters which did not receive grad for rank {rank:int}: {names:line}"
#     exception: RuntimeError
#     sample: "Parameters which did not receive grad for rank 0: box.bias, box.weight"
#   - text: "Parameter indices which did not receive grad for rank {rank:int}: {indices:line}"
#     exception: RuntimeError
#     sample: "Parameter indices which did not receive grad for rank 0: 4 5"
#   - text: "It looks like your LightningModule has parameters that were not used in producing the loss returned by training_step"
#     exception: RuntimeError
# tags: [ddp, fine-tuning, gan, loss, multiprocessing]
# recover: process
# needs: [fork]
# related: [distributed/collective-deadlock, distributed/ddp-ready-once, autograd/backward-second-time]
# rows: [S001-126, S001-69]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html"]
# cases:
#   unused-output:
#     wrong: {find-unused: "https://github.com/Wu0409/DuPL/issues/1"}
# causes:
#   unused-output:
#     likely: read(names) and paste("auxiliary_head", "aux_classifier", "aux_head", "aux_logits", ".aux1.", ".aux2.")
#     undecided: the numbers say which parameters got no gradient, not why
#     sample: |
#       RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one.
#       Parameters which did not receive grad for rank 0: aux_classifier.4.bias, aux_classifier.4.weight, aux_classifier.1.bias, aux_classifier.1.weight
#   unused-layer:
#     likely: read(names) and paste("pooler.")
#     undecided: the numbers say which parameters got no gradient, not why
#     sample: |
#       RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one.
#       Parameters which did not receive grad for rank 0: bert.pooler.dense.bias, bert.pooler.dense.weight
#   no-grad-part:
#     undecided: the numbers say which parameters got no gradient, not why
#   frozen-late:
#     undecided: the numbers say which parameters got no gradient, not why
#   branch:
#     likely: kinds(rank) > 1 and (kinds(names) > 1 or kinds(indices) > 1)
#     undecided: only the lists of two ranks beside each other would tell
#     sample: |
#       [rank0]: Parameter indices which did not receive grad for rank 0: 12 13 14 15
#       [rank1]: Parameter indices which did not receive grad for rank 1: 16 17 18 19
#   skipped-loss:
#     undecided: the numbers say which parameters got no gradient, not why
#   two-networks:
#     undecided: the numbers say which parameters got no gradient, not why
#   hidden-output:
#     if: paste("Since `find_unused_parameters=True` is enabled", "Since find_unused_parameters=True is enabled") and frames("_pre_forward")
#     likely: paste("Since `find_unused_parameters=True` is enabled", "Since find_unused_parameters=True is enabled")
#   static-graph:
#     if: paste("your training graph has changed in this iteration")
# ---

# %%
import copy
import tempfile
from dataclasses import dataclass
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def worker(rank, train, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2, timeout=timedelta(seconds=30))
    train(rank)
    dist.destroy_process_group()


def run(train):
    """What torchrun does: train(rank) in two processes."""
    import torch._dynamo  # DDP needs it: importing it once, before the fork, saves seconds

    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(worker, (train, folder), nprocs=2, start_method="fork")


def batch(rank):
    torch.manual_seed(rank)
    return torch.randn(4, 3)


def without_gradient(model):
    return [name for name, parameter in model.named_parameters() if parameter.requires_grad and parameter.grad is None]


def same_as_one_process(model, loss):
    """Does this rank hold the gradients that one process would get from the batches of both ranks?"""
    single = copy.deepcopy(model.module)
    ((loss(single, 0) + loss(single, 1)) / 2).backward()
    for mine, expected in zip(model.module.parameters(), single.parameters(), strict=True):
        torch.testing.assert_close(mine.grad, expected.grad)
    return True


# %%
class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.label, self.box = nn.Linear(3, 4), nn.Linear(4, 2), nn.Linear(4, 5)

    def forward(self, x):
        x = self.body(x).relu()
        return self.label(x), self.box(x)


# %% break unused-output
def train(rank):
    model = DDP(TwoHeads())
    for _ in range(4):
        label, box = model(batch(rank))
        loss = label.square().mean()  # box takes no part: its head gets no gradient
        model.zero_grad()
        loss.backward()


run(train)

# %% check unused-output
model = TwoHeads()  # the bare model, before DDP(...), in one process
label, box = model(batch(0))
label.square().mean().backward()
missing = [name for name, p in model.named_parameters() if p.grad is None]
print(missing)
assert missing == ["box.weight", "box.bias"]


# %% fix unused-output
def loss_of(model, x):
    label, box = model(x)
    return label.square().mean() + box.abs().mean()  # every output takes part


# %% proof unused-output
def train(rank):
    model = DDP(TwoHeads())
    for _ in range(4):
        model.zero_grad()
        loss_of(model, batch(rank)).backward()
    assert without_gradient(model) == []
    assert same_as_one_process(model, lambda model, rank: loss_of(model, batch(rank)))
    label, box = model.module(batch(rank))
    torch.testing.assert_close(loss_of(model.module, batch(rank)), (label**2).mean() + box.abs().mean())


run(train)

# %% wrong find-unused
# `find_unused_parameters=True`: DDP goes back from all outputs of `forward`, finds every parameter
# used, and waits for the head whose output takes no part in the loss. The same error.
def train(rank):
    model = DDP(TwoHeads(), find_unused_parameters=True)
    for _ in range(4):
        label, box = model(batch(rank))
        model.zero_grad()
        label.square().mean().backward()


run(train)

# %%
class LeftOver(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.pooler, self.head = nn.Linear(3, 4), nn.Linear(4, 4), nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.body(x))  # the pooler is never called


# %% break unused-layer
def train(rank):
    model = LeftOver()
    model = DDP(model)
    for _ in range(4):
        model.zero_grad()
        model(batch(rank)).square().mean().backward()


run(train)

# %% check unused-layer
model, called = LeftOver(), set()
for name, layer in model.named_modules():
    layer.register_forward_hook(lambda *_, name=name: called.add(name))
model(batch(0))
# never called
print(sorted(name for name, _ in model.named_modules() if name not in called))
assert called == {"", "body", "head"}


# %% fix unused-layer
from torch.nn.parallel import DistributedDataParallel as DDP


def wrap(model):
    model.pooler.requires_grad_(False)  # before DDP(...); or delete the layer
    return DDP(model)


# %% proof unused-layer
def train(rank):
    model = wrap(LeftOver())
    for _ in range(4):
        model.zero_grad()
        model(batch(rank)).square().mean().backward()
    assert model.module.pooler.weight.grad is None
    assert same_as_one_process(model, lambda model, rank: model(batch(rank)).square().mean())


run(train)


# %%
class FrozenBody(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(3, 4), nn.Linear(4, 2)

    def forward(self, x):
        with torch.no_grad():
            x = self.body(x)
        return self.head(x)


# %% break no-grad-part
def train(rank):
    model = FrozenBody()  # trains the head only; its body says requires_grad
    model = DDP(model)
    for _ in range(4):
        model.zero_grad()
        model(batch(rank)).square().mean().backward()


run(train)

# %% check no-grad-part
model = FrozenBody()
x = model.body(batch(0))
with torch.no_grad():
    y = model.body(batch(0))
# an activation inside forward that prints False: nothing before it is trained
print(x.requires_grad, y.requires_grad)
assert x.requires_grad and not y.requires_grad


# %% fix no-grad-part
from torch.nn.parallel import DistributedDataParallel as DDP


def wrap(model):
    model.body.requires_grad_(False)  # before DDP(...), which looks at it now
    return DDP(model)


# %% proof no-grad-part
def train(rank):
    model = wrap(FrozenBody())
    for _ in range(4):
        model.zero_grad()
        model(batch(rank)).square().mean().backward()
    assert without_gradient(model) == []
    assert same_as_one_process(model, lambda model, rank: model(batch(rank)).square().mean())


run(train)


# %% break frozen-late
def train(rank):
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
    model = DDP(model)
    model.module[0].requires_grad_(False)  # too late: DDP has made its list
    for _ in range(4):
        model.zero_grad()
        model(batch(rank)).square().mean().backward()


run(train)

# %% check frozen-late
model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
# on the line before DDP(...)
wrapped = {name for name, p in model.named_parameters() if p.requires_grad}
model[0].requires_grad_(False)
# in the loop
now = {name for name, p in model.named_parameters() if p.requires_grad}
print(sorted(wrapped - now))  # frozen in between
assert wrapped - now == {"0.weight", "0.bias"}


# %% fix frozen-late
from torch.nn.parallel import DistributedDataParallel as DDP


def wrap(model):
    model[0].requires_grad_(False)  # first freeze ...
    return DDP(model)  # ... then wrap


# %% proof frozen-late
def train(rank):
    model = wrap(nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2)))
    for _ in range(4):
        model.zero_grad()
        model(batch(rank)).square().mean().backward()
    assert model.module[0].weight.grad is None
    assert same_as_one_process(model, lambda model, rank: model(batch(rank)).square().mean())


run(train)


# %%
class DayNight(nn.Module):
    def __init__(self):
        super().__init__()
        self.day, self.night = nn.Linear(3, 2), nn.Linear(3, 2)

    def forward(self, x, dark):
        return self.night(x) if dark else self.day(x)


# %% break branch
def train(rank):
    model = DDP(DayNight())
    for _ in range(4):
        model.zero_grad()
        model(batch(rank), dark=rank == 1).square().mean().backward()  # two ways


run(train)

# %% check branch
missing = []
for dark in (False, True):  # a batch of each kind
    model = DayNight()
    model(batch(0), dark=dark).square().mean().backward()
    missing.append([name for name, p in model.named_parameters() if p.grad is None])
    print(missing[-1])  # the list depends on the batch
assert missing[0] != missing[1]


# %% fix branch
from torch.nn.parallel import DistributedDataParallel as DDP


def wrap(model):
    return DDP(model, find_unused_parameters=True)


# %% proof branch
def train(rank):
    model = wrap(DayNight())
    for _ in range(4):
        model.zero_grad()
        model(batch(rank), dark=rank == 1).square().mean().backward()

    # both ranks hold both gradients, averaged over both ranks: a rank that took the other way counts as zero
    assert same_as_one_process(model, lambda model, rank: model(batch(rank), dark=rank == 1).square().mean())


run(train)


# %% break skipped-loss
def train(rank):
    model = DDP(TwoHeads())
    for has_boxes in [True, False, False, True]:
        label, box = model(batch(rank))
        loss = label.square().mean()
        if has_boxes:
            loss = loss + box.square().mean()
        model.zero_grad()
        loss.backward()


run(train)

# %% check skipped-loss
for has_boxes in [True, False]:
    model = TwoHeads()
    label, box = model(batch(0))
    (label.square().mean() + (box.square().mean() if has_boxes else 0)).backward()
    missing = [name for name, p in model.named_parameters() if p.grad is None]
    print(has_boxes, missing)  # empty for the batch with boxes
assert missing == ["box.weight", "box.bias"]


# %% fix skipped-loss
def loss_of(label, box, has_boxes):
    loss = label.square().mean()
    if has_boxes:
        return loss + box.square().mean()
    return loss + 0 * box.sum()  # a gradient of zeros instead of none


# %% proof skipped-loss
def train(rank):
    model = DDP(TwoHeads())
    for has_boxes in [True, False, False, True]:
        label, box = model(batch(rank))
        model.zero_grad()
        loss_of(label, box, has_boxes).backward()
        if not has_boxes:
            assert torch.equal(model.module.box.weight.grad, torch.zeros(5, 4))
            assert same_as_one_process(model, lambda model, rank: sum((out**2).mean() * weight for out, weight in zip(model(batch(rank)), (1, 0), strict=True)))
    assert same_as_one_process(model, lambda model, rank: sum((out**2).mean() for out in model(batch(rank))))


run(train)


# %%
class Gan(nn.Module):
    def __init__(self):
        super().__init__()
        self.generator, self.critic = nn.Linear(3, 3), nn.Linear(3, 1)

    def forward(self, noise, step):
        fake = self.generator(noise)
        return self.critic(fake.detach() if step == "critic" else fake)


# %% break two-networks
def train(rank):
    gan = DDP(Gan())
    gan(batch(rank), "critic").mean().backward()  # reaches the critic only
    gan(batch(rank), "generator").mean().neg().backward()


run(train)

# %% check two-networks
gan = Gan()
gan(batch(0), "critic").mean().backward()
missing = [name for name, p in gan.named_parameters() if p.grad is None]
print(missing)  # one whole network
assert missing == ["generator.weight", "generator.bias"]


# %% fix two-networks
from torch.nn.parallel import DistributedDataParallel as DDP


def wrap(gan):
    return DDP(gan.generator), DDP(gan.critic)  # one wrapper for each network


# %% proof two-networks
def train(rank):
    gan = Gan()
    generator, critic = wrap(gan)
    for _ in range(4):
        fake = generator(batch(rank))
        critic(fake.detach()).mean().backward()
        critic.zero_grad()
        generator.zero_grad()
        critic(fake).mean().neg().backward()

    assert same_as_one_process(critic, lambda net, rank: net(gan.generator(batch(rank)).detach()).mean().neg())
    assert same_as_one_process(generator, lambda net, rank: gan.critic(net(batch(rank))).mean().neg())


run(train)


# %%
@dataclass
class Output:
    label: torch.Tensor
    box: torch.Tensor


class Detector(TwoHeads):
    def __init__(self, output):
        super().__init__()
        self.output = output

    def forward(self, x):
        label, box = super().forward(x)
        return self.output(label=label, box=box)


# %% break hidden-output
def train(rank):
    # a dataclass: DDP does not look inside
    model = DDP(Detector(Output), find_unused_parameters=True)
    for _ in range(4):
        model.zero_grad()
        model(batch(rank)).label.square().mean().backward()


run(train)

# %% check hidden-output
output = Detector(Output)(batch(0))
print(type(output))  # DDP looks into a tuple, list or dict, not into your own class
assert not isinstance(output, torch.Tensor | tuple | list | dict)


# %% fix hidden-output
from torch import nn


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 4)
        self.label, self.box = nn.Linear(4, 2), nn.Linear(4, 5)

    def forward(self, x):
        x = self.body(x).relu()
        # DDP looks into a dict, not into a class of yours
        return {"label": self.label(x), "box": self.box(x)}


# %% proof hidden-output
def train(rank):
    model = DDP(Detector(), find_unused_parameters=True)
    for _ in range(4):
        model.zero_grad()
        model(batch(rank))["label"].square().mean().backward()
    assert model.module.box.weight.grad is None
    assert same_as_one_process(model, lambda model, rank: model(batch(rank))["label"].square().mean())
    hidden = model.module.body(batch(rank)).relu()
    torch.testing.assert_close(model.module(batch(rank)), {"label": model.module.label(hidden), "box": model.module.box(hidden)})


run(train)


# %% break static-graph
def train(rank):
    model = DDP(TwoHeads(), static_graph=True)
    for _ in range(4):  # the second step goes wrong in silence, the third raises
        label, box = model(batch(rank))
        loss = label.square().mean()
        model.zero_grad()
        loss.backward()


run(train)


# %% check static-graph
# on every rank, after the backward of the second step: it must print 0
PROGRAM = """
import torch.distributed as dist

gradient = next(p.grad for p in model.parameters() if p.grad is not None)
average = gradient.clone()
dist.all_reduce(average)
average /= dist.get_world_size()
print((gradient - average).abs().max().item())
"""


def train(rank):
    model = DDP(TwoHeads(), static_graph=True)
    for _ in range(2):
        label, box = model(batch(rank))
        model.zero_grad()
        label.square().mean().backward()
    names = {"model": model}
    exec(PROGRAM, names)
    assert not torch.allclose(names["gradient"], names["average"])


run(train)


# %% fix static-graph
from torch.nn.parallel import DistributedDataParallel as DDP


def wrap(model):
    return DDP(model, find_unused_parameters=True)  # in place of static_graph=True


# %% proof static-graph
def train(rank):
    model = wrap(TwoHeads())
    for _ in range(4):
        label, box = model(batch(rank))
        loss = label.square().mean()
        model.zero_grad()
        loss.backward()
    assert model.module.box.weight.grad is None
    assert same_as_one_process(model, lambda model, rank: model(batch(rank))[0].square().mean())


run(train)
