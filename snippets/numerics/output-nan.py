# ---
# wordings:
#   - text: "RuntimeWarning: invalid value encountered in cast"
#     near: [image_processor, diffusers, "* 255", ComfyUI, gradio]
#     sample: "/venv/lib/python3.11/site-packages/diffusers/image_processor.py:147: RuntimeWarning: invalid value encountered in cast\n  images = (images * 255).round().astype(\"uint8\")"
# tags: [nan, inference, dtype, amp, comfyui]
# recover: fix
# related: [numerics/loss-nan, numerics/multinomial-inf-nan, dtypes/half-overflow, devices/mps-wrong-numbers]
# docs: ["https://docs.pytorch.org/docs/stable/notes/numerical_accuracy.html"]
# cases:
#   half: {silent: true}
#   weights: {silent: true}
#   masked-row: {silent: true}
#   constant-input: {silent: true}
# causes:
#   half:
#     likely: paste("invalid value encountered in cast")
#     sample: "/venv/lib/python3.11/site-packages/diffusers/image_processor.py:147: RuntimeWarning: invalid value encountered in cast"
#   weights: {undecided: the values of the weights are not printed}
#   masked-row: {undecided: masks are not printed}
#   constant-input: {undecided: the values of the input are not printed}
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)


class Decoder(nn.Module):
    """Its middle layer gives values above 65504, the largest of half precision."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.middle = nn.Linear(8, 8)
        self.norm = nn.LayerNorm(8)

    def forward(self, x):
        return self.norm(self.middle(self.first(x)))


model = Decoder().eval()
with torch.no_grad():
    model.middle.weight.mul_(1.5e5)
x = torch.rand(2, 4)
wanted = model(x).detach()

# %% break half
outputs = model.half()(x.half())
print(outputs[0, :3])
assert outputs.isnan().any() and not wanted.isnan().any()

# %%
model = model.half()
x = x.half()

# %% check half
import torch


def report(name):
    def hook(layer, inputs, output):
        if isinstance(output, torch.Tensor) and not output.isfinite().all():
            found.append(name)

    return hook


found = []
hooks = [part.register_forward_hook(report(n)) for n, part in model.named_modules()]
with torch.no_grad():
    model(x)
for hook in hooks:
    hook.remove()
print(found[:1])  # the first layer whose output is not finite
assert found[0] == "middle"

# %% fix half
import torch

# the range of float32 in 16 bits; torch.float32 where the device lacks it
model = model.to(torch.bfloat16)
outputs = model(x.to(torch.bfloat16))

# %% proof half
assert outputs.isfinite().all() and outputs.dtype == torch.bfloat16
torch.testing.assert_close(outputs.float(), wanted, rtol=0.1, atol=0.1)
assert outputs.argmax(1).equal(wanted.argmax(1))

# %%
model = Decoder().eval()
with torch.no_grad():
    model.first.weight[2, 1] = float("nan")  # saved after training had diverged
x = torch.rand(2, 4)

# %% break weights
outputs = model(x)
assert outputs.isnan().any()

# %% check weights
bad = [name for name, t in model.state_dict().items() if not t.isfinite().all()]
print(bad)  # the file itself is bad: load an older one
assert bad == ["first.weight"]

# %%
from pathlib import Path

old = {name: t.clone() for name, t in model.state_dict().items()}
old["first.weight"][2, 1] = 0.5
older = {**old, "first.bias": old["first.bias"] + 1}
Path("checkpoints").mkdir(exist_ok=True)
for number, weights in enumerate([older, old, model.state_dict()]):
    torch.save(weights, f"checkpoints/epoch-{number}.pt")

# %% fix weights
import glob

import torch

for file in sorted(glob.glob("checkpoints/*.pt"), reverse=True):  # the newest first
    weights = torch.load(file)
    if all(t.isfinite().all() for t in weights.values()):
        model.load_state_dict(weights)
        break

# %% proof weights
assert model(x).isfinite().all() and model.first.weight[2, 1] == 0.5
assert torch.equal(model.first.bias, old["first.bias"])  # the newest good one

# %%
scores = torch.rand(2, 3)
mask = torch.tensor([[True, True, False], [False, False, False]])  # True: may be seen

# %% break masked-row
weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
print(weights[1])
assert weights[1].isnan().all()

# %% check masked-row
print(mask.any(-1))  # a row without True has nothing to look at
assert not mask.any(-1).all()

# %%
x, labels = scores, mask

# %% fix masked-row
weights = x.masked_fill(~labels, float("-inf")).softmax(-1)
weights = weights.masked_fill(~labels, 0)  # nothing to see: weights of 0

# %% proof masked-row
assert weights[1].tolist() == [0, 0, 0] and weights[0, 2] == 0
torch.testing.assert_close(weights[0, :2], x[0, :2].softmax(-1))

# %%
x = torch.stack([torch.full((16,), 0.5), torch.rand(16)])  # the first is all one colour

# %% break constant-input
outputs = (x - x.mean(1, keepdim=True)) / x.std(1, keepdim=True)
assert outputs[0].isnan().all() and outputs[1].isfinite().all()

# %% check constant-input
print(x.isfinite().all().item(), x.std(1))  # 0 in the divisor
assert (x.std(1) == 0).any()

# %% fix constant-input
center = x - x.mean(1, keepdim=True)
outputs = center / x.std(1, keepdim=True).clamp(min=1e-6)

# %% proof constant-input
assert outputs[0].abs().max() == 0 and outputs.isfinite().all()
torch.testing.assert_close(outputs[1], (x[1] - x[1].mean()) / x[1].std())
