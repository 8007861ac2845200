# ---
# wordings:
#   - text: "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a gradient"
#     exception: [RuntimeError, AssertionError]
#     sample: "RuntimeError: DistributedDataParallel is not needed when a module doesn't have any parameter that requires a gradient."
#   - text: "DistributedDataParallel is not needed when a module"
#     exception: [RuntimeError, AssertionError]
#   - text: "replicas_[0].size() >= 1 ASSERT FAILED"
#     exception: RuntimeError
#   - text: "replicas_[0].size() >= 1 INTERNAL ASSERT FAILED"
#     exception: RuntimeError
#   - text: "tensors.size() > 0 INTERNAL ASSERT FAILED"
#     exception: RuntimeError
#     near: [reducer.cpp]
#     sample: "RuntimeError: tensors.size() > 0 INTERNAL ASSERT FAILED at ../torch/csrc/distributed/c10d/reducer.cpp:672, please report a bug to PyTorch."
# tags: [ddp, fine-tuning, gan, loss, lora]
# recover: fix
# related: [distributed/ddp-unused-params, autograd/no-grad-fn]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html"]
# cases:
#   frozen-network: {wrong: {find-unused: "https://github.com/pytorch/pytorch/issues/45326"}}
# causes:
#   frozen-network:
#     likely: live("frozen") and live("trained")
#     undecided: which of the program's networks is wrapped is not printed
#   all-frozen:
#     likely: live("frozen") and not live("trained")
#     undecided: why its parameters are frozen is not printed
#   adapter:
#     likely: paste("peft_model", "PeftModel", "get_peft_model", "peft/")
#     sample: |
#       File "/opt/conda/lib/python3.10/site-packages/peft/peft_model.py", line 512, in from_pretrained
#       RuntimeError: DistributedDataParallel is not needed when a module doesn't have any parameter that requires a gradient.
# ---

# %%
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
torch.manual_seed(0)


class PerceptualLoss(nn.Module):
    """The distance of two images in the features of a pretrained network."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU())
        self.requires_grad_(False)

    def forward(self, made, wanted):
        return (self.features(made) - self.features(wanted)).pow(2).mean()


model = nn.Conv2d(3, 3, 3, padding=1)
loss_fn = PerceptualLoss()
images = torch.rand(2, 3, 8, 8)

# %% break frozen-network
model = DDP(model)
loss_fn = DDP(loss_fn)

# %% check frozen-network
trained = [p for p in loss_fn.parameters() if p.requires_grad]
print(len(trained), "of", len(list(loss_fn.parameters())), "parameters are trained")
assert not trained

# %% fix frozen-network
from torch.nn.parallel import DistributedDataParallel as DDP

model = DDP(model)  # what is trained
loss_fn.eval()  # what is frozen is not wrapped: it has no gradient to exchange

# %% proof frozen-network
assert isinstance(model, DDP)
statistics = loss_fn.features[1].running_mean.clone()
loss_fn(model(images), images).backward()
assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in model.parameters())
assert all(p.grad is None for p in loss_fn.parameters())
assert torch.equal(loss_fn.features[1].running_mean, statistics)

# %% use frozen-network
model, loss_fn = nn.Conv2d(3, 3, 3, padding=1), PerceptualLoss()
# >>>
model, loss_fn = DDP(model), DDP(loss_fn)
# <<<
before = [p.detach().clone() for p in (*model.parameters(), *loss_fn.parameters())]
optimizer = torch.optim.SGD(model.parameters(), lr=10.0)
for images in torch.rand(2, 2, 3, 8, 8):
    optimizer.zero_grad()
    loss_fn(model(images), images).backward()
    optimizer.step()
after = [*model.parameters(), *loss_fn.parameters()]
assert [torch.equal(old, new) for old, new in zip(before, after)] == [False] * 2 + [True] * 4

# %% wrong find-unused
# `find_unused_parameters=True`: it is for parameters that are trained and get no gradient. Here
# nothing is trained. The same error.
loss_fn = DDP(loss_fn, find_unused_parameters=True)

# %%
model = nn.Sequential()
model.backbone = nn.Linear(6, 8)  # pretrained
model.head = nn.Linear(8, 1000)
x = torch.randn(4, 6)

# %% break all-frozen
model.head = nn.Linear(8, 3)
for parameter in model.parameters():
    parameter.requires_grad = False  # the new head, too
model = DDP(model)

# %% check all-frozen
model.head = nn.Linear(8, 3)
model.requires_grad_(False)
trained = [name for name, p in model.named_parameters() if p.requires_grad]
print(trained)  # [] : nothing is left to train
assert trained == []

# %% fix all-frozen
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

model.requires_grad_(False)  # freeze first
model.head = nn.Linear(8, 3)  # a layer that is made afterwards is trained
model = DDP(model)

# %% proof all-frozen
assert isinstance(model, DDP) and model(x).shape == (4, 3)
model(x).sum().backward()
got = [name for name, p in model.named_parameters() if p.grad is not None]
assert got == ["module.head.weight", "module.head.bias"]
