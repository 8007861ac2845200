# ---
# tags: [batchnorm, normalization, fine-tuning]
# recover: fix
# related: [nn/bn-one-value]
# rows: [S000-17]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html", "https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.train"]
# cases: {requires-grad-only: {wrong: {no-tracking: "https://github.com/pytorch/pytorch/issues/10856"}}}
# causes:
#   requires-grad-only:
#   train-undoes-it:
#   still-trained:
# ---

# %%
import torch
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm  # the base of BatchNorm1d, 2d, 3d and SyncBatchNorm

torch.manual_seed(0)
x = torch.randn(16, 3) + 5
model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
model(x)  # stands for the pretraining


def changed_by(steps, model):
    """Which entries of the state dict change when everything that can be trained is trained."""
    before = {name: value.clone() for name, value in model.state_dict().items()}
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.SGD(trained, lr=0.1) if trained else None
    for _ in range(steps):
        loss = model(10 * x).pow(2).mean()
        if optimizer:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return [name for name, value in model.state_dict().items() if not torch.equal(value, before[name])]


# %% break requires-grad-only
model.requires_grad_(False)  # "frozen"
before = model[1].running_mean.clone()
model(10 * x)  # no loss, no optimizer
print(before, model[1].running_mean)
assert not torch.allclose(model[1].running_mean, before)

# %% check requires-grad-only
from torch.nn.modules.batchnorm import _BatchNorm

model.requires_grad_(False)
norms = {name: m for name, m in model.named_modules() if isinstance(m, _BatchNorm)}
print([name for name, norm in norms.items() if norm.training])
assert model[1].training  # what is listed renews its statistics at each forward

# %% fix requires-grad-only
from torch.nn.modules.batchnorm import _BatchNorm  # the base of all BatchNorms

model.requires_grad_(False)
for module in model.modules():
    if isinstance(module, _BatchNorm):
        module.eval()  # after every model.train()

# %% proof requires-grad-only
assert changed_by(2, model) == []
assert not any(parameter.requires_grad for parameter in model.parameters())
assert model[0].training and not model[1].training

# %% use requires-grad-only
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.AdaptiveAvgPool2d(1), nn.Flatten())
head = nn.Linear(8, 3)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
loader = [(torch.rand(n, 3, 8, 8) + 2, torch.arange(n) % 3) for n in (6, 6, 1)]
before = {name: value.clone() for name, value in model.state_dict().items()}
for epoch in range(2):
    model.train()
    # >>>
    model.requires_grad_(False)
    # <<<
    for images, labels in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(head(model(images)), labels).backward()
        optimizer.step()
assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
assert head.weight.grad.any()

# %% wrong no-tracking
# `track_running_stats = False`: the statistics stay, but they are not used either. The layer
# normalises by the batch, and the answer for a sample depends on the others.
model.requires_grad_(False)
for module in model.modules():
    if isinstance(module, _BatchNorm):
        module.track_running_stats = False
alone, together = model(x[:2]), model(x)[:2]
print(alone.flatten(), together.flatten())
assert not torch.allclose(alone, together, atol=0.01)

# %% break train-undoes-it
model[1].eval()
before = model[1].running_mean.clone()
for epoch in range(2):
    model.train()  # every training loop has this line
    model(10 * x)
print(before, model[1].running_mean)
assert not torch.allclose(model[1].running_mean, before)

# %% check train-undoes-it
model[1].eval()
model.train()
print(model[1].training)  # True again; print it just before the forward
assert model[1].training

# %% fix train-undoes-it
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm


class FrozenNorm(nn.Sequential):  # or the class of your model
    def train(self, mode=True):
        super().train(mode)
        for module in self.modules():
            if isinstance(module, _BatchNorm):
                module.eval()
        return self


model = FrozenNorm(*model)

# %% proof train-undoes-it
for epoch in range(2):
    assert model.train() is model
    changed = changed_by(1, model)
    assert "0.weight" in changed and "1.running_mean" not in changed and "1.running_var" not in changed
    assert model.training and model[0].training  # the rest does train
    model.eval()
    assert not model.training and not model[0].training

# %% break still-trained
model[1].eval()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
before = model[1].bias.detach().clone()
model(x).pow(2).mean().backward()
optimizer.step()
print(before, model[1].bias)
assert not torch.allclose(model[1].bias, before)

# %% check still-trained
model[1].eval()
# True: the optimizer goes on with them
print({name: p.requires_grad for name, p in model[1].named_parameters()})
assert model[1].weight.requires_grad and model[1].bias.requires_grad

# %% fix still-trained
import torch

model[1].eval().requires_grad_(False)
trained = [p for p in model.parameters() if p.requires_grad]
optimizer = torch.optim.SGD(trained, lr=0.1)

# %% proof still-trained
held = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
assert held == {id(parameter) for layer in (model[0], model[2]) for parameter in layer.parameters()}
before = {name: value.clone() for name, value in model.state_dict().items()}
model(x).pow(2).mean().backward()
optimizer.step()
changed = [name for name, value in model.state_dict().items() if not torch.equal(value, before[name])]
assert changed == ["0.weight", "0.bias", "2.weight", "2.bias"]
assert torch.allclose(model[2].weight, before["2.weight"] - 0.1 * model[2].weight.grad)
