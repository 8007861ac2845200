# ---
# tags: [optimizer, normalization, fine-tuning, transformer]
# recover: fix
# related: [autograd/non-leaf-optimizer]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.optim.AdamW.html", "https://docs.pytorch.org/docs/stable/optim.html#per-parameter-options"]
# causes:
#   one-group:
#   names-do-not-match:
# ---

# %%
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.ln = nn.Linear(8, 8), nn.LayerNorm(8)

    def forward(self, x):
        return self.ln(self.body(x))


torch.manual_seed(0)
model = Block()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.1)


def shrunk(optimizer, steps=1000):
    """What becomes of the norm's scale where the loss wants nothing of it."""
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    for _ in range(steps):
        optimizer.step()
    return model.ln.weight.mean().item()


# %% break one-group
scale = shrunk(optimizer)
print(f"scale of the norm after 1000 steps without a gradient: {scale:.2f}")
assert scale < 0.4

# %% check one-group
from torchclinic import checks

print(checks.decayed(model, optimizer))
assert "body.bias, ln.weight, ln.bias" in str(checks.decayed(model, optimizer))

# %% fix one-group
import torch

trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
matrices = [parameter for parameter in trained if parameter.ndim > 1]
others = [parameter for parameter in trained if parameter.ndim < 2]
groups = [{"params": matrices}, {"params": others, "weight_decay": 0}]
optimizer = torch.optim.AdamW(groups, lr=0.01, weight_decay=0.1)

# %% proof one-group
from torchclinic import checks

assert not checks.decayed(model, optimizer)
assert not checks.optimizer_holds(model, optimizer)
before = model.body.weight.norm().item()
assert shrunk(optimizer) == 1
assert abs(model.body.weight.norm().item() / before - 0.999**1000) < 1e-3  # as before

# %%
no_decay = ["bias", "LayerNorm.weight"]  # names of another model
plain, rest = [], []
for name, parameter in model.named_parameters():
    (plain if any(part in name for part in no_decay) else rest).append(parameter)
groups = [{"params": rest}, {"params": plain, "weight_decay": 0}]
optimizer = torch.optim.AdamW(groups, lr=0.01, weight_decay=0.1)

# %% break names-do-not-match
scale = shrunk(optimizer)
print(f"scale of the norm after 1000 steps without a gradient: {scale:.2f}")
assert scale < 0.4

# %% check names-do-not-match
from torchclinic import checks

print(checks.decayed(model, optimizer))
assert "biases and norms: ln.weight." in str(checks.decayed(model, optimizer))

# %% fix names-do-not-match
import torch

plain, rest = [], []
for name, parameter in model.named_parameters():
    (plain if parameter.ndim < 2 else rest).append(parameter)
groups = [{"params": rest}, {"params": plain, "weight_decay": 0}]
optimizer = torch.optim.AdamW(groups, lr=0.01, weight_decay=0.1)

# %% proof names-do-not-match
from torchclinic import checks

assert not checks.decayed(model, optimizer)
assert not checks.optimizer_holds(model, optimizer)
before = model.body.weight.norm().item()
assert shrunk(optimizer) == 1
assert abs(model.body.weight.norm().item() / before - 0.999**1000) < 1e-3
