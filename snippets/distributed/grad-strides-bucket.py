# ---
# wordings:
#   - text: "Grad strides do not match bucket view strides"
#     exception: UserWarning
#     role: remark
#     sample: "UserWarning: Grad strides do not match bucket view strides. This may indicate grad was not created according to the gradient layout contract, or that the param's strides changed since DDP was constructed.  This is not an error, but may impair performance."
#   - text: "grad.sizes() = [{sizes:shape}], strides() = [{strides:shape}]"
#     exception: UserWarning
#     role: remark
#     near: [bucket_view, Grad strides, reducer.cpp]
#     sample: "grad.sizes() = [1024, 1024, 1, 1], strides() = [1024, 1, 1024, 1024]\nbucket_view.sizes() = [1024, 1024, 1, 1], strides() = [1024, 1, 1, 1]"
# tags: [ddp, warning, channels-last, cnn, slow]
# recover: fix
# related: [distributed/ddp-unused-params, shapes/view-noncontiguous]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html"]
# causes:
#   permuted-input:
#     likely: len(sizes) >= 3 and (sizes[-1] == 1 or sizes[1] == 1)
#   converted-late:
#     likely: len(sizes) >= 4 and sizes[-1] > 1 and sizes[1] > 1
# ---

# %%
import copy
import warnings

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)  # normalises the last dimension
        self.conv = nn.Conv2d(8, 4, 1)

    def forward(self, x):
        x = self.norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return self.conv(x)


def step(model):
    """The warnings of two steps, and the gradients."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(2):
            model.zero_grad()
            model(images).square().sum().backward()
    return [str(one.message) for one in said if "strides" in str(one.message)], [parameter.grad.clone() for parameter in model.parameters()]


model = Block()
images = torch.randn(16, 8, 5, 5)  # on one thread PyTorch takes another way for less
wanted = step(copy.deepcopy(model))[1]

# %% break permuted-input
model = DDP(model)
model(images).square().sum().backward()

# %% check permuted-input
# whose gradient has other strides than its parameter? Without DDP
model(images).square().sum().backward()
odd = [n for n, p in model.named_parameters() if p.grad.stride() != p.stride()]
print(odd)
features = model.norm(images.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
print(features.is_contiguous())  # what goes into that layer
assert odd == ["conv.weight"] and not features.is_contiguous()

# %% fix permuted-input
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.conv = nn.Conv2d(8, 4, 1)

    def forward(self, x):
        x = self.norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return self.conv(x.contiguous())


# %% proof permuted-input
# the warning comes once in a process: nothing may have printed it before
fixed = Block()
fixed.load_state_dict(model.state_dict())
said, got = step(DDP(fixed))
assert said == [], said
assert all(torch.allclose(one, other, atol=1e-5) for one, other in zip(got, wanted, strict=True))
# and without a change of the layer: the whole model in channels_last, before it is wrapped
said, got = step(DDP(model.to(memory_format=torch.channels_last)))
assert said == [], said
assert all(torch.allclose(one, other, atol=1e-5) for one, other in zip(got, wanted, strict=True))

# %%
model = nn.Sequential(nn.Conv2d(8, 4, 3), nn.ReLU(), nn.Conv2d(4, 2, 3))
wanted = step(copy.deepcopy(model))[1]

# %% break converted-late
model = DDP(model)
model = model.to(memory_format=torch.channels_last)
model(images).square().sum().backward()

# %% check converted-late
model = DDP(model)
before = [p.stride() for p in model.parameters()]
model = model.to(memory_format=torch.channels_last)
after = [p.stride() for p in model.parameters()]
print(before == after)  # DDP has prepared its buckets for the strides before
assert before != after

# %% fix converted-late
import torch
from torch.nn.parallel import DistributedDataParallel as DDP

model = model.to(memory_format=torch.channels_last)  # first the layout
model = DDP(model)  # then DDP

# %% proof converted-late
assert isinstance(model, DDP)
assert model.module[0].weight.is_contiguous(memory_format=torch.channels_last)
said, got = step(model)
assert said == [], said
assert all(torch.allclose(one, other, atol=1e-5) for one, other in zip(got, wanted, strict=True))
