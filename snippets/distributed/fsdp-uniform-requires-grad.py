# ---
# wordings:
#   - text: "Must flatten tensors with uniform `requires_grad` when `use_orig_params=False`"
#     exception: ValueError
#   - text: "Must flatten tensors with uniform requires_grad when use_orig_params=False"
#     exception: ValueError
#   - text: "Must flatten tensors with uniform `requires_grad`"
#     exception: ValueError
#   - text: "`FlatParameter` requires uniform `requires_grad`"
#     exception: ValueError
#   - text: "FlatParameter requires uniform requires_grad"
#     exception: ValueError
#   - text: "has both parameters with requires_grad=True and False. FSDP does not support wrapping such modules"
#     exception: ValueError
#     sample: "ValueError: layers.0 has both parameters with requires_grad=True and False. FSDP does not support wrapping such modules when use_orig_params=False. If possible, wrap the frozen parameters with FSDP separately."
# tags: [fsdp, lora, fine-tuning, multi-gpu]
# recover: fix
# related: [distributed/fsdp-uniform-dtype, distributed/ddp-no-trainable-parameter]
# docs: ["https://docs.pytorch.org/docs/stable/fsdp.html", "https://docs.pytorch.org/docs/stable/distributed.fsdp.fully_shard.html"]
# causes:
#   mixed:
#     if: paste("Must flatten tensors with uniform")
#   old-torch:
#     if: paste("requires uniform `requires_grad`", "requires uniform requires_grad")
#     sample: "ValueError: `FlatParameter` requires uniform `requires_grad`"
#   wrapped-blocks:
#     if: paste("has both parameters with requires_grad=True and False")
# ---

# %%
import copy
import warnings

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import fully_shard

warnings.simplefilter("ignore")
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
torch.manual_seed(0)
device = torch.device("cpu")  # of this process: torch.device("cuda", local_rank)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8).requires_grad_(False)  # pretrained and frozen
        down, up = nn.Linear(8, 2, bias=False), nn.Linear(2, 8, bias=False)
        self.adapter = nn.Sequential(down, up)  # trained, as with LoRA

    def forward(self, x):
        return x + self.linear(x) + self.adapter(x)


def gradients(module):
    return {name.replace("_fsdp_wrapped_module.", ""): p.grad for name, p in module.named_parameters()}


model = nn.Sequential(Block(), Block())
x = torch.randn(4, 8)
alone = copy.deepcopy(model)
alone(x).square().sum().backward()
wanted = gradients(alone)

# %% break mixed
model = FSDP(model, device_id=device)

# %% check mixed
trained = {name: p.requires_grad for name, p in model.named_parameters()}
print(sum(trained.values()), "of", len(trained), "parameters are trained")
assert 0 < sum(trained.values()) < len(trained)

# %% fix mixed
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

model = FSDP(model, device_id=device, use_orig_params=True)

# %% proof mixed
assert isinstance(model, FSDP)
model(x).square().sum().backward()
got = gradients(model)
assert got.keys() == wanted.keys()
for name, grad in wanted.items():
    assert (got[name] is None) == (grad is None) == ("linear" in name)
    assert grad is None or torch.allclose(got[name], grad, atol=1e-5)
# FSDP2 holds each parameter by itself: it takes the same model as it is
other = copy.deepcopy(alone)
other.zero_grad()
fully_shard(other, mesh=dist.init_device_mesh("cpu", (1,)))
other(x).square().sum().backward()
assert all((p.grad is not None) == ("adapter" in name) for name, p in other.named_parameters())

# %% break wrapped-blocks
from torch.distributed.fsdp.wrap import ModuleWrapPolicy

model = FSDP(model, device_id=device, auto_wrap_policy=ModuleWrapPolicy({Block}))

# %% check wrapped-blocks
for name, module in model.named_children():  # of each block: both kinds?
    print(name, {p.requires_grad for p in module.parameters()})
assert {p.requires_grad for p in model[0].parameters()} == {True, False}

# %% fix wrapped-blocks
from functools import partial

from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import lambda_auto_wrap_policy


def trained(module):
    own = list(module.parameters(recurse=False))
    return bool(own) and all(parameter.requires_grad for parameter in own)


policy = partial(lambda_auto_wrap_policy, lambda_fn=trained)  # a unit for each
model = FSDP(model, device_id=device, auto_wrap_policy=policy)

# %% proof wrapped-blocks
units = {name for name, module in model.named_modules() if isinstance(module, FSDP)}
assert units == {""} | {f"_fsdp_wrapped_module.{block}.adapter.{layer}" for block in (0, 1) for layer in (0, 1)}
model(x).square().sum().backward()
for unit in FSDP.fsdp_modules(model):
    flat = next(unit.parameters(recurse=False), None)
    assert flat is None or flat.requires_grad == (flat.grad is not None)
flat = {name: p.grad for name, p in model.named_parameters() if p.requires_grad}
assert len(flat) == 4 and all(grad.shape == (16,) for grad in flat.values())
for name, grad in flat.items():
    block, layer = (part for part in name.split(".") if part.isdigit())
    assert torch.allclose(grad, wanted[f"{block}.adapter.{layer}.weight"].flatten(), atol=1e-5)
