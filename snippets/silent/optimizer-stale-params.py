# ---
# tags: [optimizer, fine-tuning, lora]
# recover: fix
# related: [nn/optimizer-empty, autograd/non-leaf-optimizer]
# docs: ["https://docs.pytorch.org/docs/stable/optim.html#constructing-it"]
# causes:
#   head-replaced:
#   unfrozen-later:
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(30, 8), torch.arange(30) % 3
loss_fn = nn.CrossEntropyLoss()


def train(model, optimizer):
    """Thirty steps on one batch; the loss."""
    for _ in range(30):
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
    return loss.item()


# %% break head-replaced
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1000))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
model[2] = nn.Linear(16, 3)  # the optimizer still holds the old one
before = model[2].weight.clone()
train(model, optimizer)
print("head changed:", not torch.equal(model[2].weight, before))
assert torch.equal(model[2].weight, before)

# %%
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1000))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

# %% check head-replaced
from torchclinic import checks

model[2] = nn.Linear(16, 3)
print(checks.optimizer_holds(model, optimizer))  # just before the loop
assert "2.weight, 2.bias" in str(checks.optimizer_holds(model, optimizer))

# %% fix head-replaced
import torch
from torch import nn

model[2] = nn.Linear(16, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)  # after the last change

# %% proof head-replaced
from torchclinic import checks

assert not checks.optimizer_holds(model, optimizer)
before = [parameter.detach().clone() for parameter in model.parameters()]
train(model, optimizer)
assert model(x).shape == (30, 3) and optimizer.param_groups[0]["lr"] == 0.01
assert not any(torch.equal(old, new) for old, new in zip(before, model.parameters(), strict=True))  # body and head move
kept = list(model.parameters())
model.to(torch.float64)  # keeps the parameters themselves
assert all(one is other for one, other in zip(kept, model.parameters(), strict=True)) and not checks.optimizer_holds(model, optimizer)
state = {name: value.clone() for name, value in model.state_dict().items()}
model.load_state_dict(state)
assert not checks.optimizer_holds(model, optimizer)
model.load_state_dict(state, assign=True)
assert "not in the optimizer" in str(checks.optimizer_holds(model, optimizer))

# %% break unfrozen-later
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
model[0].requires_grad_(False)
wanted = [parameter for parameter in model.parameters() if parameter.requires_grad]
optimizer = torch.optim.Adam(wanted, lr=0.01)
train(model, optimizer)
model[0].requires_grad_(True)  # the second phase
before = model[0].weight.clone()
train(model, optimizer)
print("body changed:", not torch.equal(model[0].weight, before))
assert torch.equal(model[0].weight, before)

# %%
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
model[0].requires_grad_(False)
optimizer = torch.optim.Adam(model[2].parameters(), lr=0.01)
train(model, optimizer)

# %% check unfrozen-later
from torchclinic import checks

model[0].requires_grad_(True)
print(checks.optimizer_holds(model, optimizer))
assert "0.weight, 0.bias" in str(checks.optimizer_holds(model, optimizer))

# %% fix unfrozen-later
model[0].requires_grad_(True)
optimizer.add_param_group({"params": model[0].parameters(), "lr": 0.001})

# %% proof unfrozen-later
from torchclinic import checks

assert not checks.optimizer_holds(model, optimizer)
assert [group["lr"] for group in optimizer.param_groups] == [0.01, 0.001]
assert optimizer.state[model[2].weight]["step"] == 30  # what Adam has learned of the head stays
before = [parameter.detach().clone() for parameter in model.parameters()]
train(model, optimizer)
assert not any(torch.equal(old, new) for old, new in zip(before, model.parameters(), strict=True))
extra = nn.Linear(2, 2)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.5)
optimizer.step()
optimizer.add_param_group({"params": extra.parameters()})
for twice in (lambda: optimizer.add_param_group({"params": model[0].parameters()}), scheduler.step):
    try:
        twice()
    except ValueError as error:
        print(error)
    else:
        raise AssertionError("no ValueError, as the page says")
