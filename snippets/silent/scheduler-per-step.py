# ---
# tags: [learning-rate, optimizer]
# recover: fix
# related: [nn/scheduler-order, nn/initial-lr-resume]
# docs: ["https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"]
# causes:
#   once-a-batch:
#   past-the-end:
#   once-an-epoch:
# ---

# %%
import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR, StepLR

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = StepLR(optimizer, step_size=30)  # meant: a tenth every 30 epochs
loader = [torch.randn(8, 4) for _ in range(40)]


def rate():
    return optimizer.param_groups[0]["lr"]


used = []
optimizer.register_step_post_hook(lambda *_: used.append(rate()))


def train(x):
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()


# %% break once-a-batch
for epoch in range(3):
    for x in loader:
        train(x)
        scheduler.step()
    print(f"after epoch {epoch}: {rate():g}")
assert rate() < 0.1 / 9000  # 120 calls: four times a tenth

# %% check once-a-batch
from torchclinic import checks

calls = 90 * len(loader)  # how often your program calls scheduler.step() in all
print(checks.schedule(scheduler, calls))
assert "below a thousandth" in str(checks.schedule(scheduler, calls))

# %% fix once-a-batch
for epoch in range(90):
    for x in loader:
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
    scheduler.step()  # behind the loop over the batches

# %% proof once-a-batch
from torchclinic import checks

assert scheduler.last_epoch == 90 and abs(rate() - 1e-4) < 1e-9
assert len(used) == 90 * 40 and used[0] == used[30 * 40 - 1] == 0.1
assert abs(used[30 * 40] - 0.01) < 1e-9
assert model(loader[0]).square().mean() < 1e-4  # it learned
assert not checks.schedule(StepLR(torch.optim.SGD(model.parameters(), 0.1), 30), 90)

# %%
scheduler = CosineAnnealingLR(optimizer, T_max=90)  # epochs
loader = loader[:10]

# %% break past-the-end
rates = []
for epoch in range(18):
    for x in loader:
        train(x)
        scheduler.step()  # 180 calls
    rates.append(rate())
print([round(rate, 3) for rate in rates])
assert rates[8] < 1e-6 and rates[17] > 0.099

# %% check past-the-end
from torchclinic import checks

print(checks.schedule(scheduler, 90 * len(loader)))
assert "climbs again after step 90 of 900" in str(checks.schedule(scheduler, 900))

# %% fix past-the-end
from torch.optim.lr_scheduler import CosineAnnealingLR

epochs = 90
scheduler = CosineAnnealingLR(optimizer, T_max=epochs * len(loader))

# %% proof past-the-end
from torchclinic import checks

assert not checks.schedule(scheduler, 900)
rates = checks.learning_rates(scheduler, 901)
assert rates[0] == 0.1 and rates == sorted(rates, reverse=True) and rates[900] < 1e-9

# %%
scheduler = LambdaLR(optimizer, lambda step: min(1, (step + 1) / 500))

# %% break once-an-epoch
for epoch in range(10):
    for x in loader:
        train(x)
    scheduler.step()  # 10 calls, of 500 that the warm-up takes
print(f"after ten epochs: {rate():g} of 0.1")
assert rate() < 0.1 / 40

# %% check once-an-epoch
from torchclinic import checks

print(checks.schedule(scheduler, 10))  # ten epochs, one call in each
assert "still rises" in str(checks.schedule(scheduler, 10))

# %% fix once-an-epoch
for epoch in range(60):
    for x in loader:
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
        scheduler.step()  # in the loop over the batches

# %% proof once-an-epoch
from torchclinic import checks

assert scheduler.last_epoch == len(used) == 600 and rate() == 0.1
assert abs(used[0] - 0.1 / 500) < 1e-9 and used[498] < 0.1 == used[499]
assert model(loader[0]).square().mean() < 1e-4
fresh = LambdaLR(torch.optim.SGD(model.parameters(), 0.1), scheduler.lr_lambdas[0])
assert not checks.schedule(fresh, 600)
