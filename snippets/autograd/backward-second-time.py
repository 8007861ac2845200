# ---
# wordings:
#   - text: "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed)"
#     exception: RuntimeError
#   - text: "Trying to backward through the graph a second time, but the saved intermediate results have already been freed"
#     exception: RuntimeError
#     sample: "RuntimeError: Trying to backward through the graph a second time, but the saved intermediate results have already been freed. Specify retain_graph=True when calling backward the first time."
#   - text: "Trying to backward through the graph a second time, but the buffers have already been freed"
#     exception: RuntimeError
#     sample: "RuntimeError: Trying to backward through the graph a second time, but the buffers have already been freed. Specify retain_graph=True when calling backward the first time."
#   - text: "Trying to backward through the graph a second time"
#     exception: RuntimeError
# tags: [autograd, backward, rnn, gan, notebook]
# recover: fix
# related: [autograd/modified-by-inplace]
# rows: [S001-98]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html"]
# cases:
#   before-the-loop:
#     survives: {"back: scaled = weight * 2 # built once, for all steps": "the loop computes it again, and nobody uses the first one"}
# causes:
#   carried-state:
#   before-the-loop:
#   same-loss-twice:
#   shared-output:
#   two-losses:
#   running-total:
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
loader = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(3)]
x, y = loader[0]
model, loss_fn = nn.Linear(3, 1), nn.MSELoss()

# %% break carried-state
rnn, hidden = nn.LSTM(3, 5), None
for x, _ in loader:
    output, hidden = rnn(x, hidden)  # hidden still carries the graph of the last step
    output.mean().backward()

# %% check carried-state
rnn = nn.LSTM(3, 5)
output, hidden = rnn(loader[0][0])
print(hidden[0].grad_fn)  # a state that enters the next step must print None here
assert hidden[0].grad_fn is not None and hidden[0].detach().grad_fn is None

# %% fix carried-state
from torch import nn

rnn, hidden = nn.LSTM(3, 5), None
for x, _ in loader:
    output, hidden = rnn(x, hidden)
    output.mean().backward()
    hidden = tuple(h.detach() for h in hidden)  # RNN and GRU: hidden = hidden.detach()

# %% proof carried-state
with torch.no_grad():  # the state is still carried: the same values as one run over the whole sequence
    whole, (last, cell) = rnn(torch.cat([x for x, _ in loader]))
torch.testing.assert_close(hidden, (last, cell))
torch.testing.assert_close(output, whole[-4:])
got, state, expected = rnn.weight_hh_l0.grad, None, 0
for x, _ in loader:  # each step's own gradient, by hand
    out, state = rnn(x, state and tuple(h.detach() for h in state))
    expected = expected + torch.autograd.grad(out.mean(), rnn.weight_hh_l0)[0]
torch.testing.assert_close(got, expected)

# %% break before-the-loop
weight = torch.ones(3, 1, requires_grad=True)
scaled = weight * 2  # built once, for all steps
for x, y in loader:
    loss = loss_fn(x @ scaled, y)
    loss.backward()

# %% check before-the-loop
weight = torch.ones(3, 1, requires_grad=True)
scaled = weight * 2
print(scaled.grad_fn)  # not None, and made outside the loop: this is the tensor
assert scaled.grad_fn is not None

# %% fix before-the-loop
import torch

weight = torch.ones(3, 1, requires_grad=True)
for x, y in loader:
    scaled = weight * 2  # a fresh graph in every step
    loss = loss_fn(x @ scaled, y)
    loss.backward()

# %% proof before-the-loop
# three backward passes summed: the same as one pass over the summed loss
(expected,) = torch.autograd.grad(sum(loss_fn(x @ (weight * 2), y) for x, y in loader), weight)
torch.testing.assert_close(weight.grad, expected)

# %%
x, y = loader[0]

# %% break same-loss-twice
loss = loss_fn(model(x), y)
loss.backward()
loss.backward()  # or: the cell of a notebook, run again

# %% check same-loss-twice
loss = loss_fn(model(x), y)
loss.backward()
print(model.weight.grad is None)  # False: one backward() has run already
assert model.weight.grad is not None

# %%
loss = loss_fn(model(x), y)
loss.backward()  # the cell's first run
model.zero_grad()

# %% fix same-loss-twice
loss = loss_fn(model(x), y)  # in the same cell as backward()
loss.backward()

# %% proof same-loss-twice
expected = torch.autograd.grad(loss_fn(model(x), y), list(model.parameters()))
torch.testing.assert_close([parameter.grad for parameter in model.parameters()], list(expected))

# %% break shared-output
generator, critic = nn.Linear(3, 2), nn.Linear(2, 1)
fake = generator(x)
critic(fake).mean().backward()  # critic's step: frees the graph of generator(...) as well
(-critic(fake).mean()).backward()  # generator's step: needs it again

# %% check shared-output
generator, critic = nn.Linear(3, 2), nn.Linear(2, 1)
fake = generator(x)
critic(fake).mean().backward()
print(generator.weight.grad is None)  # False: the critic's step ran back through the generator
assert generator.weight.grad is not None

# %% fix shared-output
from torch import nn

generator, critic = nn.Linear(3, 2), nn.Linear(2, 1)
fake = generator(x)
critic(fake.detach()).mean().backward()  # the critic's step stops at fake
(-critic(fake).mean()).backward()

# %% proof shared-output
fresh = generator(x)
torch.testing.assert_close(generator.weight.grad, torch.autograd.grad(-critic(fresh).mean(), generator.weight)[0])  # of its own loss alone
assert critic.weight.grad.abs().max() < 1e-6  # both losses reached it, and are opposite here
assert generator.weight.grad.abs().max() > 1e-3

# %% break two-losses
features = model(x).relu()
loss_fn(features, y).backward()
features.abs().mean().backward()  # a second loss on the same features

# %% check two-losses
features = model(x).relu()
print(loss_fn(features, y).grad_fn is not None, features.abs().mean().grad_fn is not None)  # both go through `features`
assert features.grad_fn is not None

# %% fix two-losses
features = model(x).relu()
(loss_fn(features, y) + features.abs().mean()).backward()  # one backward() for both

# %% proof two-losses
features = model(x).relu()
one = torch.autograd.grad(loss_fn(features, y), model.weight, retain_graph=True)[0]
two = torch.autograd.grad(features.abs().mean(), model.weight)[0]
torch.testing.assert_close(model.weight.grad, one + two)
assert one.abs().max() > 1e-3 and two.abs().max() > 1e-3

# %% break running-total
total = 0.0
for x, y in loader:
    total = total + loss_fn(model(x), y)
    total.backward()  # goes back through all earlier steps, which are already freed

# %% check running-total
total = 0
for x, y in loader:
    total = total + loss_fn(model(x), y)
print(total.requires_grad)  # True: the running total is part of the graph, not a number
assert total.requires_grad

# %%
model.zero_grad()

# %% fix running-total
total = 0.0
for x, y in loader:
    loss = loss_fn(model(x), y)
    loss.backward()
    total += loss.item()  # a plain number for the log

# %% proof running-total
assert isinstance(total, float)
exact = sum(loss_fn(model(x), y) for x, y in loader)
assert abs(total - exact.item()) < 1e-5
torch.testing.assert_close(model.weight.grad, torch.autograd.grad(exact, model.weight)[0])
