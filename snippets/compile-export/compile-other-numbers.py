# ---
# wordings: []
# tags: [compile, dtype, seed]
# recover: fix
# needs: [compiler]
# timeout: 300
# related: [compile-export/cudagraphs-overwritten, devices/mps-wrong-numbers, reproducibility/ops-not-deterministic]
# docs: ["https://docs.pytorch.org/docs/stable/torch.compiler_troubleshooting.html"]
# cases:
#   rounding: {silent: true}
#   random: {silent: true}
# causes:
#   rounding: {undecided: nothing is printed}
#   random: {undecided: nothing is printed}
#   miscompiled:
#   overwritten:
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)

# %%
x = torch.randn(2000, dtype=torch.bfloat16)
y = torch.randn(2000, dtype=torch.bfloat16)


def model(x, y):
    return (x * y + y) * x - x * x * y


# %% break rounding
difference = (torch.compile(model)(x, y) - model(x, y)).abs().max()
print(difference)
assert difference > 1e-2

# %% check rounding
exact = model(x.double(), y.double())
compiled = torch.compile(model)(x, y)
# who is further from the exact numbers: PyTorch without compile, or with it?
for result in (model(x, y), compiled):
    print((result - exact).abs().max().item())
assert (compiled - exact).abs().max() < (model(x, y) - exact).abs().max()

# %% fix rounding
import torch

torch._inductor.config.emulate_precision_casts = True  # round where eager rounds
compiled = torch.compile(model)

# %% proof rounding
assert torch.equal(compiled(x, y), model(x, y))
assert torch.equal(compiled(y, x), model(y, x))

# %%
model = nn.Dropout(0.5)  # in training
x = torch.ones(1000)

# %% break random
torch.manual_seed(0)
eager = model(x)
torch.manual_seed(0)
compiled = torch.compile(model)(x)
print((eager != compiled).sum())
assert (eager != compiled).any()

# %% check random
print(model.training)  # do they agree after model.eval()?
assert torch.equal(torch.compile(model.eval())(x), model(x))

# %% fix random
import torch

# eager's generator, also in compiled code
torch._inductor.config.fallback_random = True
compiled = torch.compile(model)

# %% proof random
for seed in (0, 1):
    torch.manual_seed(seed)
    eager = model(x)
    torch.manual_seed(seed)
    assert torch.equal(compiled(x), eager)
assert 300 < (eager == 0).sum() < 700
