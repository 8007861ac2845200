# ---
# tags: [inference, batchnorm]
# recover: fix
# related: [nn/bn-frozen-drift, nn/bn-one-value]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.eval"]
# cases:
#   eval-forgotten:
#     wrong: {inference-mode: "https://github.com/ipolharvard/ethos-ares/issues/20"}
# causes:
#   eval-forgotten:
#   no-parentheses:
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Dropout(0.5), nn.Linear(16, 3))
images = torch.randn(4, 8)

# %% break eval-forgotten
with torch.no_grad():  # no gradients; the mode stays as it is
    first, second = model(images), model(images)
print(first[0], second[0])
assert not torch.equal(first, second)  # one input, two answers

# %% check eval-forgotten
from torchclinic import checks

print(checks.eval_mode(model))
assert "in training mode" in str(checks.eval_mode(model))

# %% fix eval-forgotten
import torch

model.eval()
with torch.inference_mode():
    outputs = model(images)

# %% proof eval-forgotten
from torchclinic import checks

assert not checks.eval_mode(model)
assert outputs.is_inference()
assert torch.equal(model(images), outputs)  # one input, one answer
assert torch.allclose(model(images[:1]), outputs[:1])  # whatever stands beside it

# %% use eval-forgotten
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(64, 8), torch.randint(3, (64,))
for _ in range(3):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
# >>>
with torch.no_grad():
    outputs = model(images)
# <<<
for some in (1, 3):  # the answers do not depend on what else is in the batch
    assert torch.allclose(model(images[some - 1 : some + 1]), outputs[some - 1 : some + 1])

# %% wrong inference-mode
# `torch.inference_mode()` in place of `torch.no_grad()`: it switches off gradients, and dropout goes
# on.
with torch.inference_mode():
    first, second = model(images), model(images)
print(first[0], second[0])
assert not torch.equal(first, second)

# %% break no-parentheses
model.eval  # looks up the method, and does not call it
with torch.no_grad():
    first, second = model(images), model(images)
print(first[0], second[0])
assert not torch.equal(first, second)

# %% check no-parentheses
model.eval
print(model.training)  # False where eval() was called
assert model.training

# %% fix no-parentheses
model.eval()

# %% proof no-parentheses
from torchclinic import checks

assert not checks.eval_mode(model)
assert torch.equal(model(images), model(images))
