# ---
# wordings:
#   - text: "one of the variables needed for gradient computation has been modified by an inplace operation: [{type:ident} [{shape:shape}]], which is output {_:int} of {op:ident}, is at version {version:int}; expected version {expected:int} instead"
#     exception: RuntimeError
#     sample: "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.FloatTensor [2, 3]], which is output 0 of Relu, is at version 1; expected version 0 instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False)."
#   - text: "one of the variables needed for gradient computation has been modified by an inplace operation: [{type:ident} [{rows:int}, {columns:int}]], which is output 0 of AsStrided, is at version {version:int}; expected version {expected:int} instead"
#     exception: RuntimeError
#     sample: "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.FloatTensor [2, 1]], which is output 0 of AsStrided, is at version 2; expected version 1 instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False)."
#   - text: "one of the variables needed for gradient computation has been modified by an inplace operation: [{type:ident} [{rows:int}, {columns:int}]], which is output 0 of AsStridedBackward0, is at version {version:int}; expected version {expected:int} instead"
#     exception: RuntimeError
#     sample: "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.FloatTensor [64, 1]], which is output 0 of AsStridedBackward0, is at version 2; expected version 1 instead. Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in question was changed in there or anywhere later. Good luck!"
#   - text: "one of the variables needed for gradient computation has been modified by an inplace operation: [{type:ident} [{rows:int}, {columns:int}]], which is output 0 of TBackward, is at version {version:int}; expected version {expected:int} instead"
#     exception: RuntimeError
#     sample: "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.FloatTensor [128, 1]], which is output 0 of TBackward, is at version 2; expected version 1 instead. Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in question was changed in there or anywhere later. Good luck!"
#   - text: "one of the variables needed for gradient computation has been modified by an inplace operation: [{type:ident} [{leaf:shape}]] is at version {version:int}; expected version {expected:int} instead"
#     exception: RuntimeError
#     sample: "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.cuda.FloatTensor [2048]] is at version 4; expected version 3 instead"
#   - text: "one of the variables needed for gradient computation has been modified by an inplace operation: [{type:ident} [{shape:shape}]], which is output {_:int} of torch::autograd::{op:ident}, is at version {version:int}; expected version {expected:int} instead"
#     exception: RuntimeError
#     sample: "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.FloatTensor [3]], which is output 0 of torch::autograd::CopySlices, is at version 2; expected version 1 instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False)."
#   - text: "one of the variables needed for gradient computation has been modified by an inplace operation"
#     exception: RuntimeError
# tags: [autograd, backward, in-place, anomaly-mode, gan, reinforcement-learning]
# related: [autograd/backward-second-time]
# rows: [S001-20, S001-98, S001-119, S004-02]
# cases:
#   hidden-by-data: {silent: true}
# docs: ["https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd"]
# ---

# %%
import warnings

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(2, 3)


class Attention(nn.Module):
    """Features, weighted by a gate that is computed from them."""

    def __init__(self):
        super().__init__()
        self.features, self.relu = nn.Linear(3, 3), nn.ReLU(inplace=True)
        self.gate = nn.Sequential(nn.Linear(3, 3), nn.Sigmoid())

    def forward(self, x):
        features = self.features(x)
        weights = self.gate(features)  # the gate's layer keeps `features` for backward
        return self.relu(features) * weights  # and relu overwrites them


# %% break overwritten-output
layer = nn.Linear(3, 3)
out = torch.relu(layer(x))
out += x  # the residual overwrites what relu has kept for backward
out.sum().backward()

# %% check overwritten-output
layer = nn.Linear(3, 3)
with warnings.catch_warnings(record=True) as found, torch.autograd.detect_anomaly():
    out = torch.relu(layer(x))
    out += x
    try:
        out.sum().backward()
    except RuntimeError:
        # Without the `try` the warning is printed above the error. It names the line that kept the value.
        print(str(found[-1].message).splitlines()[-2].strip())

# %% fix overwritten-output
layer = nn.Linear(3, 3)
out = torch.relu(layer(x))
out = out + x  # a new tensor: relu's own output stays as it was
out.sum().backward()

assert torch.allclose(out, torch.relu(layer(x)) + x)
assert torch.equal(layer.bias.grad, (layer(x) > 0).float().sum(0))  # the slope of relu is 1 or 0

# %% break stepped-weights
actor, critic = nn.Linear(3, 2), nn.Linear(2, 1)
optimizer = torch.optim.SGD(critic.parameters(), lr=0.1)
value = critic(actor(x))
(value - 1).pow(2).mean().backward(retain_graph=True)
optimizer.step()  # overwrites critic.weight
(-value).mean().backward()  # and this needs critic.weight as it was when `value` was computed

# %% check stepped-weights
critic = nn.Linear(2, 1)
optimizer = torch.optim.SGD(critic.parameters(), lr=0.1)
critic(torch.ones(4, 2)).mean().backward()
before = critic.weight._version
optimizer.step()
print(before, "->", critic.weight._version, "of", list(critic.weight.T.shape))  # the message prints a Linear's weight transposed
assert critic.weight._version > before

# %% fix stepped-weights
actor, critic = nn.Linear(3, 2), nn.Linear(2, 1)
optimizer = torch.optim.SGD(critic.parameters(), lr=0.1)
value = critic(actor(x).detach())  # the critic's own step needs no gradient in the actor
(value - 1).pow(2).mean().backward()
optimizer.step()
(-critic(actor(x))).mean().backward()  # a forward pass with the new weights; no retain_graph

assert torch.allclose(actor.weight.grad, -critic.weight.T @ x.mean(0, keepdim=True))

# %% break filled-in-steps
decay = torch.full((3,), 0.9, requires_grad=True)
states = torch.ones(4, 3)
for t in range(3):
    states[t + 1] = states[t] * decay  # states[t] is kept for backward; the next step writes into the same tensor
states.sum().backward()

# %% check filled-in-steps
states = torch.ones(4, 3)
row = states[0]
states[1] = 0  # another row
print(row._version)  # 1: all rows share one counter, so a write to any row counts for every row
assert row._version == 1

# %% fix filled-in-steps
decay = torch.full((3,), 0.9, requires_grad=True)
rows = [torch.ones(3)]
for t in range(3):
    rows.append(rows[-1] * decay)  # a new tensor for each step
states = torch.stack(rows)
states.sum().backward()

assert torch.allclose(decay.grad, torch.full((3,), 1 + 2 * 0.9 + 3 * 0.9**2))

# %% break inplace-module
model = Attention()
model(x).sum().backward()

# %% check inplace-module
model = Attention()
print([name for name, module in model.named_modules() if getattr(module, "inplace", False)])
assert model.relu.inplace

# %% fix inplace-module
model = Attention()
for module in model.modules():  # also for a model that you did not write
    if hasattr(module, "inplace"):
        module.inplace = False
model(x).sum().backward()

features = model.features(x)
expected = torch.autograd.grad((torch.relu(features) * model.gate(features)).sum(), model.features.weight)[0]
assert torch.allclose(model.features.weight.grad, expected)

# %% break memory-bank
encoder, queue = nn.Linear(3, 4), torch.randn(4, 6)
similarity = encoder(x) @ queue  # queue is kept for backward
queue[:, :2] = encoder(x).detach().T  # the new keys overwrite the oldest ones
similarity.sum().backward()

# %% check memory-bank
encoder, queue = nn.Linear(3, 4), torch.randn(4, 6)
similarity = encoder(x) @ queue
queue[:, :2] = encoder(x).detach().T
print(queue.grad_fn, queue._version)  # None: no operation computed it, so the message names none
assert queue.grad_fn is None and queue._version == 1

# %% fix memory-bank
encoder, queue = nn.Linear(3, 4), torch.randn(4, 6)
old = queue.clone()
similarity = encoder(x) @ queue.clone()  # backward keeps the copy
queue[:, :2] = encoder(x).detach().T
similarity.sum().backward()

assert torch.allclose(encoder.bias.grad, len(x) * old.sum(1))
assert not torch.equal(queue, old)

# %% break hidden-by-data
logits = torch.zeros(2, requires_grad=True)
probabilities = torch.sigmoid(logits)
loss = probabilities.sum()
probabilities.data.mul_(100)  # per cent for the log; .data keeps it from autograd, so there is no error
loss.backward()
print(logits.grad)  # -2450 each; the true gradient is 0.25
assert (logits.grad < -2000).all()

# %% check hidden-by-data
logits = torch.zeros(2, requires_grad=True)
probabilities = torch.sigmoid(logits)
loss = probabilities.sum()
probabilities.detach().mul_(100)  # detach() in place of .data: same memory, but autograd counts the change
try:
    loss.backward()
except RuntimeError as error:
    print(error)

# %% fix hidden-by-data
logits = torch.zeros(2, requires_grad=True)
probabilities = torch.sigmoid(logits)
loss = probabilities.sum()
percent = probabilities.detach() * 100  # a new tensor
loss.backward()

assert torch.allclose(logits.grad, torch.full((2,), 0.25))
assert (percent == 50).all()
