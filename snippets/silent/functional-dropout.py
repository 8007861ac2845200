# ---
# tags: [inference, transformer]
# recover: fix
# related: [reproducibility/ops-not-deterministic]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.dropout.html", "https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html"]
# causes:
#   no-training-argument:
#   layer-in-forward:
#   attention:
# ---

# %%
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
x = torch.ones(4, 1000)


class Net(nn.Module):
    def forward(self, x):
        return F.dropout(x, p=0.2)  # training=True is the default


model = Net()

# %% break no-training-argument
model.eval()
zeros = (model(x) == 0).float().mean().item()
print(f"{zeros:.2f} of the outputs are 0")
assert 0.15 < zeros < 0.25

# %% check no-training-argument
from torchclinic import checks

print(checks.repeatable(model, x))
assert "differ in evaluation mode" in str(checks.repeatable(model, x))

# %% fix no-training-argument
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return F.dropout(x, p=0.2, training=self.training)


model = Net()

# %% proof no-training-argument
from torchclinic import checks

assert 0.15 < (model(x) == 0).float().mean() < 0.25  # in training as before
model.eval()
assert not checks.repeatable(model, x)
assert torch.equal(model(x), x)  # nothing is dropped

# %%
class Net(nn.Module):
    def forward(self, x):
        return nn.Dropout(0.5)(x)  # a new layer each time, in training mode


model = Net()

# %% break layer-in-forward
model.eval()
zeros = (model(x) == 0).float().mean().item()
print(f"{zeros:.2f} of the outputs are 0")
assert 0.45 < zeros < 0.55

# %% check layer-in-forward
print([name for name, _ in model.named_modules() if name])  # no dropout among them
assert not any(isinstance(part, nn.Dropout) for part in model.modules())

# %% fix layer-in-forward
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.dropout = nn.Dropout(0.5)  # once: eval() reaches it

    def forward(self, x):
        return self.dropout(x)


model = Net()

# %% proof layer-in-forward
from torchclinic import checks

assert 0.45 < (model(x) == 0).float().mean() < 0.55
model.eval()
assert not checks.repeatable(model, x)
assert torch.equal(model(x), x)

# %%
x = torch.randn(2, 4, 16, 8)  # batch, heads, places, features


class Attention(nn.Module):
    def forward(self, x):
        return F.scaled_dot_product_attention(x, x, x, dropout_p=0.1)


model = Attention()

# %% break attention
model.eval()
first, second = model(x), model(x)
print(f"{(first - second).abs().max():.2f}")
assert (first - second).abs().max() > 0.05

# %% check attention
from torchclinic import checks

print(checks.repeatable(model, x))
assert "differ in evaluation mode" in str(checks.repeatable(model, x))

# %% fix attention
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def forward(self, x):
        p = 0.1 if self.training else 0.0
        return F.scaled_dot_product_attention(x, x, x, dropout_p=p)


model = Attention()

# %% proof attention
from torchclinic import checks

right = (x @ x.mT / 8**0.5).softmax(dim=-1) @ x  # without any dropout
torch.manual_seed(0)
assert not torch.allclose(model(x), right, atol=0.01)  # in training it drops
means = model(x.repeat(400, 1, 1, 1)).unflatten(0, (400, 2)).mean(dim=0)
torch.testing.assert_close(means, right, rtol=0, atol=0.2)  # a tenth, and not more
model.eval()
assert not checks.repeatable(model, x)
torch.testing.assert_close(model(x), right)
