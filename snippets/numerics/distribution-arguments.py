# ---
# wordings:
#   - text: "to satisfy the constraint GreaterThan(lower_bound={_:line}), but found invalid values"
#     exception: ValueError
#     sample: "ValueError: Expected parameter scale (Tensor of shape (2,)) of distribution Normal(loc: torch.Size([2]), scale: torch.Size([2])) to satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid values:"
#   - text: "to satisfy the constraint GreaterThanEq(lower_bound={_:line}), but found invalid values"
#     exception: ValueError
#     sample: "ValueError: Expected parameter scale (Tensor of shape (2,)) of distribution Normal(loc: torch.Size([2]), scale: torch.Size([2])) to satisfy the constraint GreaterThanEq(lower_bound=0.0), but found invalid values:"
#   - text: "to satisfy the constraint Simplex(), but found invalid values"
#     exception: ValueError
#     sample: "ValueError: Expected parameter probs (Tensor of shape (1, 2)) of distribution Categorical(probs: torch.Size([1, 2])) to satisfy the constraint Simplex(), but found invalid values:"
#   - text: "to satisfy the constraint Interval(lower_bound={_:line}), but found invalid values"
#     exception: ValueError
#     sample: "ValueError: Expected parameter probs (Tensor of shape (1,)) of distribution Bernoulli(probs: tensor([1.5000])) to satisfy the constraint Interval(lower_bound=0.0, upper_bound=1.0), but found invalid values:"
#   - text: "The parameter scale has invalid values"
#     exception: ValueError
#   - text: "The parameter probs has invalid values"
#     exception: ValueError
#   - text: "to be within the support ({_:line}) of the distribution {distribution:ident}("
#     exception: ValueError
#     sample: "ValueError: Expected value argument (Tensor of shape (1,)) to be within the support (IntegerInterval(lower_bound=0, upper_bound=1)) of the distribution Categorical(probs: torch.Size([2])), but found invalid values:"
# tags: [loss, reinforcement-learning]
# recover: fix
# related: [numerics/loss-nan, numerics/multinomial-inf-nan, numerics/bce-range]
# docs: ["https://docs.pytorch.org/docs/stable/distributions.html"]
# cases: {value: {wrong: {unchecked: "https://github.com/pyro-ppl/pyro/issues/2038"}}}
# causes:
#   scale:
#     if: paste("parameter scale", "parameter variance", "parameter concentration", "parameter rate") and paste("tensor([") and not paste("[nan", " nan,", "nan]")
#     likely: paste("parameter scale", "parameter variance", "parameter concentration", "parameter rate") and not paste("[nan", " nan,", "nan]")
#   nan:
#     if: paste("[nan", " nan,", "nan]")
#     sample: |
#       ValueError: Expected parameter probs (Tensor of shape (1, 2)) of distribution Categorical(probs: torch.Size([1, 2])) to satisfy the constraint Simplex(), but found invalid values:
#       tensor([[nan, nan]])
#   value:
#     if: paste("within the support")
#   logits-as-probs:
#     likely: >-
#       paste("Simplex()", "parameter probs") and paste("tensor([") and not paste("[nan", " nan,",
#       "nan]", "within the support") or paste("Simplex()", "parameter probs") and not paste("[nan",
#       " nan,", "nan]", "within the support")
# ---

# %%
import torch
from torch import nn
from torch.distributions import Categorical, Normal

torch.manual_seed(0)
model = nn.Linear(4, 2)
model.bias.data = torch.tensor([0.9, -1.5])
x = torch.rand(8, 4)

# %% break scale
mean, spread = model(x).T
y = Normal(mean, spread).rsample()

# %% check scale
mean, spread = model(x).T
print(spread.min().item())  # below zero
assert spread.min() <= 0

# %% fix scale
from torch.distributions import Normal
from torch.nn import functional as F

mean, spread = model(x).T
y = Normal(mean, F.softplus(spread) + 1e-5).rsample()

# %% proof scale
assert y.shape == (8,) and y.isfinite().all()
F.mse_loss(y, torch.zeros(8)).backward()
assert model.weight.grad.abs().min() > 0
large = Normal(mean, F.softplus(spread - 200) + 1e-5)  # no spread is 0
assert large.scale.min() > 0

# %% use scale
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for size in (8, 3):
    x = torch.randn(size, 4)
    # >>>
    mean, spread = model(x).T
    y = Normal(mean, spread).rsample()
    # <<<
    optimizer.zero_grad()
    y.square().mean().backward()
    optimizer.step()
assert y.shape == (3,) and all(p.isfinite().all() for p in model.parameters())

# %%
x = torch.rand(4000, 4)

# %% break logits-as-probs
y = Categorical(probs=model(x)).sample()

# %% check logits-as-probs
print(model(x)[0])  # scores: below zero, and their sum is not 1
assert model(x).min() < 0

# %% fix logits-as-probs
from torch.distributions import Categorical

y = Categorical(logits=model(x)).sample()

# %% proof logits-as-probs
want = model(x).softmax(1)
torch.testing.assert_close(Categorical(logits=model(x)).probs, want)
assert y.shape == (4000,) and abs((y == 1).float().mean() - want[:, 1].mean()) < 0.03

# %%
x = x[:8]
labels = torch.tensor([1, 2, 2, 1, 1, 2, 1, 2])  # actions, counted from 1

# %% break value
loss = -Categorical(logits=model(x)).log_prob(labels).mean()

# %% check value
print(labels.unique(), model(x).shape[1])  # the actions are 0 and 1
assert labels.max() >= model(x).shape[1]

# %% fix value
from torch.distributions import Categorical

loss = -Categorical(logits=model(x)).log_prob(labels - 1).mean()

# %% proof value
want = nn.functional.cross_entropy(model(x), labels - 1)
torch.testing.assert_close(loss, want)

# %% wrong unchecked
# `validate_args=False`: the check is off, and the next step fails on the same value.
loss = -Categorical(logits=model(x), validate_args=False).log_prob(labels).mean()
