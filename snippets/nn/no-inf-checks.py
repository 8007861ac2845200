# ---
# wordings:
#   - text: "No inf checks were recorded for this optimizer"
#     exception: AssertionError
#   - text: "No inf checks were recorded prior to update"
#     exception: AssertionError
#   - text: "unscale_() has already been called on this optimizer since the last update()"
#     exception: RuntimeError
#   - text: "step() has already been called since the last update()"
#     exception: RuntimeError
#   - text: "unscale_() is being called after step()"
#     exception: RuntimeError
#   - text: "Attempted {call:ident} but _scale is None"
#     exception: AssertionError
#     sample: "AssertionError: Attempted unscale_ but _scale is None.  This may indicate your script did not use scaler.scale(loss or outputs) earlier in the iteration."
# tags: [amp, optimizer, gan, fine-tuning]
# recover: fix
# related: [autograd/grad-is-none, nn/scheduler-order]
# docs: ["https://docs.pytorch.org/docs/stable/notes/amp_examples.html"]
# causes:
#   no-gradients:
#     if: paste("recorded for this optimizer")
#   nothing-stepped:
#     if: paste("recorded prior to update")
#   no-update:
#     if: 'paste(": step() has already been called")'
#     likely: paste("step() has already been called")
#   not-scaled:
#     case: no-update
#     if: paste("_scale is None")
#     sample: "AssertionError: Attempted unscale_ but _scale is None.  This may indicate your script did not use scaler.scale(loss or outputs) earlier in the iteration."
#   unscaled-twice:
#     if: paste("unscale_() has already been called", "unscale_() is being called after")
# ---

# %%
import copy

import torch
from torch import nn

torch.manual_seed(0)
loader = [torch.rand(2, 4) for _ in range(3)]
model = nn.Linear(4, 1)
start = copy.deepcopy(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=4.0)  # on a GPU: "cuda"


def expected(batches=loader):
    """The weight after plain SGD without a scaler."""
    plain = copy.deepcopy(start)
    steps = torch.optim.SGD(plain.parameters(), lr=0.1)
    for images in batches:
        steps.zero_grad()
        plain(images).sum().backward()
        steps.step()
    return plain.weight


model = copy.deepcopy(start)  # built anew, after the optimizer

# %% break no-gradients
for images in loader:
    optimizer.zero_grad()
    scaler.scale(model(images).sum()).backward()
    scaler.step(optimizer)
    scaler.update()

# %% check no-gradients
model(loader[0]).sum().backward()
groups = optimizer.param_groups
found = [p.grad is not None for group in groups for p in group["params"]]
print(found)  # after backward(): no parameter of the optimizer has a gradient
assert not any(found)

# %% fix no-gradients
import torch

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # of the final model
for images in loader:
    optimizer.zero_grad()
    scaler.scale(model(images).sum()).backward()
    scaler.step(optimizer)
    scaler.update()

# %% proof no-gradients
assert torch.allclose(model.weight, expected())

# %%
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

# %% break nothing-stepped
for number, images in enumerate(loader):
    optimizer.zero_grad()
    if number != 1:  # a bad batch is left out
        scaler.scale(model(images).sum()).backward()
        scaler.step(optimizer)
    scaler.update()

# %% fix nothing-stepped
for number, images in enumerate(loader):
    optimizer.zero_grad()
    if number != 1:
        scaler.scale(model(images).sum()).backward()
        scaler.step(optimizer)
        scaler.update()  # only where a step was made

# %% proof nothing-stepped
assert torch.allclose(model.weight, expected([loader[0], loader[2]])) and scaler._growth_tracker == 2

# %% break no-update
for images in loader:
    optimizer.zero_grad()
    scaler.scale(model(images).sum()).backward()
    scaler.step(optimizer)

# %% fix no-update
for images in loader:
    optimizer.zero_grad()
    scaler.scale(model(images).sum()).backward()
    scaler.step(optimizer)
    scaler.update()  # once in each iteration, after all steps

# %% proof no-update
assert torch.allclose(model.weight, expected())

# %%
clip = torch.nn.utils.clip_grad_norm_

# %% break unscaled-twice
for images in loader:
    optimizer.zero_grad()
    for part in images.split(1):  # accumulates
        scaler.scale(model(part).sum()).backward()
        scaler.unscale_(optimizer)
    clip(model.parameters(), 0.1)
    scaler.step(optimizer)
    scaler.update()

# %% fix unscaled-twice
from torch.nn.utils import clip_grad_norm_

for images in loader:
    optimizer.zero_grad()
    for part in images.split(1):  # accumulates
        scaler.scale(model(part).sum()).backward()
    scaler.unscale_(optimizer)  # once, when all gradients are there
    clip_grad_norm_(model.parameters(), 0.1)
    scaler.step(optimizer)
    scaler.update()

# %% proof unscaled-twice
plain = copy.deepcopy(start)
steps = torch.optim.SGD(plain.parameters(), lr=0.1)
for images in loader:
    steps.zero_grad()
    plain(images).sum().backward()
    clip(plain.parameters(), 0.1)
    steps.step()
assert torch.allclose(model.weight, plain.weight) and torch.allclose(model.bias, plain.bias)
