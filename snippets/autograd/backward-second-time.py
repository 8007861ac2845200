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
# tags: [autograd, backward, rnn, gan]
# related: [autograd/modified-by-inplace]
# rows: [S001-98]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html"]
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
data = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(3)]

# %% break before-the-loop
weight = torch.ones(3, 1, requires_grad=True)
scaled = weight * 2  # built once: every step below goes through this one piece of graph
for x, y in data:
    loss = ((x @ scaled - y) ** 2).mean()
    loss.backward()

# %% check before-the-loop
weight = torch.ones(3, 1, requires_grad=True)
scaled = weight * 2
print(scaled.grad_fn)  # not None, and made outside the loop: this is the tensor
assert scaled.grad_fn is not None

# %% fix before-the-loop
weight = torch.ones(3, 1, requires_grad=True)
for x, y in data:
    scaled = weight * 2  # a fresh graph in every step
    loss = ((x @ scaled - y) ** 2).mean()
    loss.backward()

# three backward passes summed: the same as one pass over the summed loss
(expected,) = torch.autograd.grad(sum(((x @ (weight * 2) - y) ** 2).mean() for x, y in data), weight)
torch.testing.assert_close(weight.grad, expected)
assert weight.grad.abs().sum() > 0

# %% break carried-state
rnn = nn.RNN(3, 5)
hidden = torch.zeros(1, 5)
for x, _ in data:
    output, hidden = rnn(x, hidden)  # hidden still carries the graph of the last step
    output.mean().backward()

# %% check carried-state
rnn = nn.RNN(3, 5)
_, hidden = rnn(data[0][0], torch.zeros(1, 5))
print(hidden.grad_fn)  # a state that enters the next step must print None here
assert hidden.grad_fn is not None and hidden.detach().grad_fn is None

# %% fix carried-state
rnn = nn.RNN(3, 5)
hidden = torch.zeros(1, 5)
states = []
for x, _ in data:
    output, hidden = rnn(x, hidden.detach())  # the value goes on, the graph stays behind
    output.mean().backward()
    states.append(hidden.detach())

with torch.no_grad():  # the state is still carried: the same values as one run over the whole sequence
    whole, _ = rnn(torch.cat([x for x, _ in data]))
torch.testing.assert_close(states[-1][0], whole[-1])
assert rnn.weight_hh_l0.grad.abs().sum() > 0

# %% break shared-output
generator, critic = nn.Linear(3, 2), nn.Linear(2, 1)
fake = generator(data[0][0])
critic(fake).mean().backward()  # critic's step: frees the graph of generator(...) as well
(-critic(fake).mean()).backward()  # generator's step: needs it again

# %% check shared-output
generator, critic = nn.Linear(3, 2), nn.Linear(2, 1)
fake = generator(data[0][0])
critic(fake).mean().backward()
print(generator.weight.grad is None)  # False: the critic's step ran back through the generator
assert generator.weight.grad is not None

# %% fix shared-output
generator, critic = nn.Linear(3, 2), nn.Linear(2, 1)
fake = generator(data[0][0])
critic(fake.detach()).mean().backward()  # the critic's step stops at fake
assert generator.weight.grad is None
critic.zero_grad()
(-critic(fake).mean()).backward()
assert generator.weight.grad.abs().sum() > 0

# %% break running-total
weight = torch.ones(3, 1, requires_grad=True)
total = 0
for x, y in data:
    total = total + ((x @ weight - y) ** 2).mean()
    total.backward()  # goes back through all earlier steps, which are already freed

# %% check running-total
weight = torch.ones(3, 1, requires_grad=True)
total = 0
for x, y in data:
    total = total + ((x @ weight - y) ** 2).mean()
print(total.requires_grad)  # True: the running total is part of the graph, not a number
assert total.requires_grad

# %% fix running-total
weight = torch.ones(3, 1, requires_grad=True)
total = 0.0
for x, y in data:
    loss = ((x @ weight - y) ** 2).mean()
    loss.backward()
    total += loss.item()  # a plain number for the log

assert isinstance(total, float)
(expected,) = torch.autograd.grad(sum(((x @ weight - y) ** 2).mean() for x, y in data), weight)
torch.testing.assert_close(weight.grad, expected)
