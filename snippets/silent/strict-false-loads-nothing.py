# ---
# tags: [checkpoint, fine-tuning]
# recover: fix
# related: [checkpoints/state-dict-keys, checkpoints/state-dict-size-mismatch]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.load_state_dict"]
# causes:
#   prefix:
#   nested:
#   empty-filter:
# cases:
#   prefix: &safe
#     survives:
#       "without: weights_only= in torch.load('best.pt', weights_only=True)": "the values are the same; what else is in a file is not run"
#       "swap: False in torch.load('best.pt', weights_only=True)": "the values are the same; what else is in a file is not run"
#   nested: *safe
#   empty-filter: *safe
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
trained = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
wrapped = {"module." + name: value for name, value in trained.state_dict().items()}
torch.save(wrapped, "best.pt")  # as DistributedDataParallel would
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
before = model[0].weight.clone()

# %% break prefix
state = torch.load("best.pt", weights_only=True)
model.load_state_dict(state, strict=False)  # no error
print("changed:", not torch.equal(model[0].weight, before))
assert torch.equal(model[0].weight, before)

# %% check prefix
from torchclinic import checks

state = torch.load("best.pt", weights_only=True)
print(checks.loaded(model.load_state_dict(state, strict=False), model))
result = model.load_state_dict(state, strict=False)
assert "4 of 4 tensors were not loaded" in str(checks.loaded(result, model))

# %% fix prefix
import torch

state = torch.load("best.pt", weights_only=True)
state = {name.removeprefix("module."): value for name, value in state.items()}
result = model.load_state_dict(state)  # strict: a wrong name is an error

# %% proof prefix
from torchclinic import checks

assert not checks.loaded(result, model)
torch.testing.assert_close(model.state_dict(), trained.state_dict(), rtol=0, atol=0)

# %%
torch.save({"epoch": 7, "model": trained.state_dict()}, "best.pt")

# %% break nested
checkpoint = torch.load("best.pt", weights_only=True)
print(model.load_state_dict(checkpoint, strict=False))
assert torch.equal(model[0].weight, before)

# %% check nested
from torchclinic import checks

checkpoint = torch.load("best.pt", weights_only=True)
print(list(checkpoint)[:5])  # no names of layers
print(checks.loaded(model.load_state_dict(checkpoint, strict=False), model))
assert list(checkpoint) == ["epoch", "model"]

# %% fix nested
import torch

checkpoint = torch.load("best.pt", weights_only=True)
result = model.load_state_dict(checkpoint["model"])  # or "state_dict"; strict

# %% proof nested
from torchclinic import checks

assert not checks.loaded(result, model)
torch.testing.assert_close(model.state_dict(), trained.state_dict(), rtol=0, atol=0)

# %%
torch.save(wrapped, "best.pt")

# %% break empty-filter
own = model.state_dict()
state = torch.load("best.pt", weights_only=True)
fitting = {name: value for name, value in state.items() if name in own}
own.update(fitting)
print(model.load_state_dict(own))  # all keys matched: the model's own
assert len(fitting) == 0

# %% check empty-filter
own = model.state_dict()
state = torch.load("best.pt", weights_only=True)
fitting = [name for name in state if name in own]
print(len(fitting), "of", len(own), list(state)[:2], list(own)[:2])
assert len(fitting) == 0

# %%
wrapped |= {"module.2.weight": torch.ones(5, 16), "module.2.bias": torch.ones(5)}  # a head for 5 classes
torch.save(wrapped, "best.pt")
head = model[2].weight.clone()

# %% fix empty-filter
import torch

own = model.state_dict()
state = torch.load("best.pt", weights_only=True)
state = {name.removeprefix("module."): value for name, value in state.items()}
fitting = {
    name: value
    for name, value in state.items()
    if name in own and value.shape == own[name].shape
}
result = model.load_state_dict(fitting, strict=False)
print(len(fitting), "of", len(own), "loaded; not:", result.missing_keys)

# %% proof empty-filter
from torchclinic import checks

assert checks.loaded(result, model) == ["2 of 4 tensors were not loaded: 2.weight, 2.bias"]  # the new head, and nothing else
assert torch.equal(model[0].weight, trained[0].weight) and torch.equal(model[2].weight, head)
