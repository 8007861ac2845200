# ---
# wordings: []
# tags: [device, inference, nan]
# recover: fix
# needs: ["fault:a layer that computes wrongly once it was moved, as a kernel of another device may"]
# related: [numerics/output-nan, devices/mps-unsupported, compile-export/compile-other-numbers]
# docs: ["https://docs.pytorch.org/docs/stable/notes/mps.html"]
# cases:
#   wrong-kernel:
#     silent: true
#     survives:
#       "raw: out.cpu()": "here both sides are on the CPU"
#       "raw: x.to(device)": "here both sides are on the CPU"
#   rounding: {silent: true}
# causes:
#   wrong-kernel: {undecided: nothing is printed}
#   rounding: {undecided: nothing is printed}
# ---

# %%
import copy

import torch
from torch import nn

torch.manual_seed(0)
device = "cpu"  # here; "mps" on a Mac


class Faulty(nn.Linear):
    """Right where it was made, and wrong after `.to`: it reads its weights transposed."""

    moved = False

    def _apply(self, *arguments, **keywords):
        self.moved = True
        return super()._apply(*arguments, **keywords)

    def forward(self, x):
        weight = self.weight.T if self.moved else self.weight
        return nn.functional.linear(x, weight, self.bias)


model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), Faulty(8, 8), nn.Linear(8, 2)).eval()
x = torch.rand(16, 4)

# %% break wrong-kernel
there = copy.deepcopy(model).to(device)
print(model(x)[0], there(x.to(device))[0])
assert not torch.allclose(model(x), there(x.to(device)).cpu(), rtol=1e-2, atol=1e-3)

# %% fix wrong-kernel
import copy

import torch


def layer_outputs(model, x):
    """Each layer's output, on the CPU, in the order in which they ran."""
    seen, hooks = {}, []
    for name, part in model.named_modules():
        if not [*part.children()]:
            keep = lambda _, __, out, name=name: seen.setdefault(name, out.cpu())
            hooks.append(part.register_forward_hook(keep))
    with torch.no_grad():
        model(x)
    for hook in hooks:
        hook.remove()
    return seen


right = layer_outputs(model, x)
there = layer_outputs(copy.deepcopy(model).to(device), x.to(device))
differ = [
    name
    for name in right
    if not torch.allclose(right[name], there[name], rtol=1e-2, atol=1e-3)
]
print(differ[:1])  # this layer is the first that computes otherwise

# %% proof wrong-kernel
assert differ == ["2", "3"]  # the faulty one, and what takes its output
healthy = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).eval()
moved = layer_outputs(copy.deepcopy(healthy).to(device), x)
assert list(moved) == ["0", "1", "2"]
assert all(torch.equal(moved[name], out) for name, out in layer_outputs(healthy, x).items())
assert not any(out.requires_grad for out in right.values())  # no graph is kept
assert not any(part._forward_hooks for part in model.modules())

# %%
x = torch.rand(4096, dtype=torch.float64) * 10

# %% break rounding
here, there = x.float().sum(), x.float().view(64, 64).sum(0).sum()
print(here.item(), there.item())  # the same sum in another order
assert abs(here - there) < 1e-5 * here

# %% check rounding
exact = x.sum()
error = (x.float().sum() - exact).abs().item() / exact.item()
print(error)  # about 1e-7: rounding, and no fault
assert error < 1e-5

# %%
there, right = x.float().view(64, 64).sum(0).sum(), x.float().sum()
y, x = there, right

# %% fix rounding
import torch


def agree(x, y):
    return torch.allclose(x, y, rtol=1e-4, atol=1e-5)  # not torch.equal


# %% proof rounding
assert agree(x, y)
zero = torch.zeros(())
assert agree(x, x * (1 + 5e-5)) and agree(zero, zero + 5e-6)
assert not agree(x, x * 1.001) and not agree(zero, zero + 1e-3)
assert not agree(x, x * float("nan"))
