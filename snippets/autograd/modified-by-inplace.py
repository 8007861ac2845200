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
#   - text: "one of the variables needed for gradient computation has been modified by an inplace operation: [{type:ident} [{rows:int}, {columns:int}]], which is output 0 of TBackward0, is at version {version:int}; expected version {expected:int} instead"
#     exception: RuntimeError
#     sample: "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.cuda.FloatTensor [256, 1]], which is output 0 of TBackward0, is at version 3; expected version 2 instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True)."
#   - text: "one of the variables needed for gradient computation has been modified by an inplace operation: [{type:ident} []], which is output {_:int} of {op:ident}, is at version {version:int}; expected version {expected:int} instead"
#     exception: RuntimeError
#     sample: "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.FloatTensor []], which is output 0 of Add, is at version 1; expected version 0 instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False)."
#   - text: "one of the variables needed for gradient computation has been modified by an inplace operation: [{type:ident} [{shape:shape}]], which is output {_:int} of struct torch::autograd::{op:ident}, is at version {version:int}; expected version {expected:int} instead"
#     exception: RuntimeError
#     sample: "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.cuda.FloatTensor [8, 20]], which is output 0 of struct torch::autograd::CopySlices, is at version 3; expected version 2 instead."
#   - text: "one of the variables needed for gradient computation has been modified by an inplace operation: [{type:ident} [{shape:shape}]], which is output {_:int} of class torch::autograd::{op:ident}, is at version {version:int}; expected version {expected:int} instead"
#     exception: RuntimeError
#     sample: "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.cuda.FloatTensor [8, 20]], which is output 0 of class torch::autograd::CopySlices, is at version 3; expected version 2 instead."
#   - text: "modified by an inplace operation: [{type:ident} [{shape:shape}]], which is output {_:int} of {op:ident}"
#     exception: RuntimeError
#     sample: "modified by an inplace operation: [torch.cuda.FloatTensor [8, 256]], which is output 0 of ReluBackward0"
#   - text: "modified by an inplace operation: [{type:ident} [{shape:shape}]], which is output {_:int} of torch::autograd::{op:ident}"
#     exception: RuntimeError
#     sample: "modified by an inplace operation: [torch.cuda.FloatTensor [8, 256]], which is output 0 of torch::autograd::CopySlices"
#   - text: "modified by an inplace operation: [{type:ident} [{leaf:shape}]] is at version"
#     exception: RuntimeError
#     sample: "modified by an inplace operation: [torch.cuda.FloatTensor [64, 3, 7, 7]] is at version"
#   - text: "modified by an inplace operation: [{type:ident} []]"
#     exception: RuntimeError
#     sample: "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.FloatTensor []] is at version 1; expected version 0 instead."
#   - text: "which is output {_:int} of {op:ident}, is at version {version:int}; expected version {expected:int} instead"
#     exception: RuntimeError
#     sample: "FloatTensor [10, 49]], which is output 0 of SubBackward0, is at version 1; expected version 0 instead. Hint: enable anomaly detection"
#   - text: "is at version {version:int}; expected version {expected:int} instead"
#     exception: RuntimeError
#     sample: "is at version 2; expected version 1 instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient"
#   - text: "one of the variables needed for gradient computation has been modified by an inplace operation"
#     exception: RuntimeError
# tags: [autograd, backward, in-place, anomaly-mode, gan, rnn, reinforcement-learning]
# recover: fix
# related: [autograd/backward-second-time]
# rows: [S001-20, S001-98, S001-119, S004-02]
# cases:
#   hidden-by-data: {silent: true}
#   carried-state:
#     survives: {"back: output.mean().backward() # no retain_graph": "once the state is detached it only keeps memory"}
#   overwritten-output:
#     wrong: {inplace-false: "https://github.com/quark0/darts/issues/109"}
#   stepped-weights:
#     wrong: {retain-graph: "https://github.com/EasonApolo/mstn/issues/7"}
# docs: ["https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd"]
# causes:
#   overwritten-output:
#     likely: >-
#       begins(op, "SubBackward", "DivBackward", "ExpBackward", "SigmoidBackward", "TanhBackward",
#       "SoftmaxBackward", "LogSoftmaxBackward", "SqrtBackward", "RsqrtBackward",
#       "ReciprocalBackward", "IndexPut", "MaskedFill", "MaskedScatter", "IndexFill", "IndexAdd",
#       "IndexCopy", "Scatter", "Fill", "Zero", "CopyBackwards") or op in ["Sub", "Div", "Exp",
#       "Sigmoid", "Tanh", "Softmax", "LogSoftmax", "Sqrt", "Rsqrt", "Reciprocal"] or (begins(op,
#       "AddBackward") or op == "Add") and len(shape) != 4 or op == "CopySlices" and expected == 0
#       or begins(op, "Relu", "Threshold", "Add", "Mul", "Pow", "Clamp", "Clone", "Cat", "Stack",
#       "Mm", "Bmm", "Baddbmm", "Where", "Neg", "Rsub", "Mean", "Sum", "Max", "Min", "Gather",
#       "IndexSelect", "IndexBackward", "Log", "Abs", "UnsafeView", "Upsample", "Embedding",
#       "NativeLayerNorm", "AvgPool", "Softplus", "Gelu", "Prelu") or begins(op, "View", "Permute",
#       "Transpose", "Reshape", "Squeeze", "Unsqueeze", "Expand") and len(shape) > 2
#     sample: |
#       RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.cuda.FloatTensor [32, 128]], which is output 0 of SubBackward0, is at version 1; expected version 0 instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True).
#   inplace-module:
#     likely: >-
#       begins(op, "LeakyRelu", "Elu", "Hardtanh", "Silu", "Hardswish", "Hardsigmoid", "Mish", "NativeBatchNorm", "CudnnBatchNorm", "NativeGroupNorm",
#       "Convolution", "CudnnConvolution", "MkldnnConvolution", "ThnnConv", "SlowConv", "NativeDropout", "FusedDropout")
#     sample: |
#       RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.cuda.FloatTensor [8, 64, 112, 112]], which is output 0 of CudnnBatchNormBackward, is at version 1; expected version 0 instead.
#     undecided: a relu that wrote and a relu whose result was overwritten print the same name
#   stepped-weights:
#     likely: >-
#       (read(rows) or begins(op, "TBackward") or begins(op, "AsStrided") and len(shape) == 2 or len(leaf) == 2 and leaf[1] < 10000 and expected > 0)
#       and not frames("retain_graph=True") and not paste("modules/rnn.py", "modules\\rnn.py", "_VF.lstm", "_VF.gru", "_VF.rnn", "RnnBackward")
#   conv-weight:
#     case: stepped-weights
#     likely: len(leaf) in [4, 5] and leaf[-1] <= 11 and leaf[-2] <= 11 and expected > 0
#     sample: |
#       RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.cuda.FloatTensor [512, 512, 4, 4]] is at version 3; expected version 2 instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True).
#   carried-state:
#     likely: >-
#       (read(rows) or begins(op, "TBackward") or begins(op, "AsStrided") and len(shape) == 2 or len(leaf) == 2 and expected > 0)
#       and (frames("retain_graph=True") or paste("modules/rnn.py", "modules\\rnn.py", "_VF.lstm", "_VF.gru", "_VF.rnn", "RnnBackward"))
#   filled-in-steps:
#     if: >-
#       op == "CopySlices" and expected > 0
#       or (read(rows) or begins(op, "AsStrided", "Select", "Slice")) and live("grad_fn=CopySlices")
#     likely: begins(op, "AsStrided", "Select", "Slice", "Narrow", "Unbind", "CopySlices")
#     sample: |
#       RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.cuda.FloatTensor [16, 20, 64]], which is output 0 of CopySlices, is at version 20; expected version 19 instead.
#   memory-bank:
#     likely: >-
#       len(leaf) > 0 and expected == 0 or len(leaf) == 4 and leaf[-1] > 11 or len(leaf) == 2 and leaf[1] >= 10000
#       or len(leaf) == 1 and paste("batchnorm", "batch_norm", "BatchNorm") and paste("istributed", "DDP", "torchrun", "[rank")
#   whole-numbers:
#     case: memory-bank
#     if: >-
#       begins(type, "torch.LongTensor", "torch.cuda.LongTensor", "torch.IntTensor", "torch.cuda.IntTensor", "torch.BoolTensor", "torch.cuda.BoolTensor",
#       "torch.ByteTensor", "torch.cuda.ByteTensor")
#     sample: |
#       RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.cuda.LongTensor [1, 512]] is at version 3; expected version 2 instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True).
#   hidden-by-data:
# ---

# %%
import warnings

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(2, 3)
model = nn.Linear(3, 3)

# %% break overwritten-output
out = torch.relu(model(x))
out += x  # the residual overwrites what relu has kept for backward
out.sum().backward()

# %% check overwritten-output
with warnings.catch_warnings(record=True) as found, torch.autograd.detect_anomaly():
    out = torch.relu(model(x))
    out += x
    try:
        out.sum().backward()
    except RuntimeError:
        # Without the `try` the warning stands above the error. It names the line.
        print(str(found[-1].message).splitlines()[-2].strip())

# %% fix overwritten-output
import torch

out = torch.relu(model(x))
out = out + x  # a new tensor: relu's own output stays as it was

# %% proof overwritten-output
out.sum().backward()
assert torch.allclose(out, model(x).clamp(min=0) + x)
assert torch.equal(model.bias.grad, (model(x) > 0).float().sum(0))  # the slope of relu is 1 or 0

# %% use overwritten-output
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        model = self.layer
        # >>>
        out = torch.relu(model(x))
        out += x
        # <<<
        return out


model = nn.Sequential(Block(), Block(), nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(50, 3)
losses = []
for _ in range(30):
    optimizer.zero_grad()
    loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
assert losses[-1] < 0.5 * losses[0]

# %% wrong inplace-false
# `inplace=False` in every layer: it is `+=` that overwrites the output, and the error stays.
relu = nn.ReLU(inplace=False)
out = relu(model(x))
out += x
out.sum().backward()

# %% break stepped-weights
actor, critic = nn.Linear(3, 2), nn.Linear(2, 1)
optimizer = torch.optim.SGD(critic.parameters(), lr=0.1)
value = critic(actor(x))
(value - 1).pow(2).mean().backward(retain_graph=True)
optimizer.step()  # overwrites critic.weight
(-value).mean().backward()  # and this needs critic.weight as it was for `value`

# %% check stepped-weights
critic = nn.Linear(2, 1)
optimizer = torch.optim.SGD(critic.parameters(), lr=0.1)
critic(torch.ones(4, 2)).mean().backward()
before = critic.weight._version
optimizer.step()
# the message prints a Linear's weight transposed
print(before, "->", critic.weight._version, "of", list(critic.weight.T.shape))
assert critic.weight._version > before

# %% fix stepped-weights
import torch
from torch import nn

actor, critic = nn.Linear(3, 2), nn.Linear(2, 1)
optimizer = torch.optim.SGD(critic.parameters(), lr=0.1)
value = critic(actor(x).detach())  # the critic's step stops at the actor
(value - 1).pow(2).mean().backward()
optimizer.step()
(-critic(actor(x))).mean().backward()  # a new forward pass; no retain_graph

# %% proof stepped-weights
assert torch.allclose(actor.weight.grad, -critic.weight.T @ x.mean(0, keepdim=True), atol=1e-6)  # of its own loss, with the new weights
stepped = critic.bias.grad + 1  # the actor's loss has added -1 to it
assert torch.allclose(critic(actor(x)) - value, -0.1 * (actor(x) @ (critic.weight.grad + actor(x).mean(0)).T + stepped), atol=1e-5)
assert (critic(actor(x)) - value).abs().max() > 1e-3  # the step was made

# %% wrong retain-graph
# `retain_graph=True` in every `backward()`: the graph is kept, but `step()` has overwritten the
# weights that it needs. The same error.
actor, critic = nn.Linear(3, 2), nn.Linear(2, 1)
optimizer = torch.optim.SGD(critic.parameters(), lr=0.1)
value = critic(actor(x))
(value - 1).pow(2).mean().backward(retain_graph=True)
optimizer.step()
(-value).mean().backward(retain_graph=True)

# %%
loader = [torch.randn(4, 3) for _ in range(3)]
torch.manual_seed(1)

# %% break carried-state
rnn, hidden = nn.RNN(3, 16), torch.zeros(1, 16)
optimizer = torch.optim.SGD(rnn.parameters(), lr=0.1)
for x in loader:
    output, hidden = rnn(x, hidden)  # hidden leads back into all earlier steps
    optimizer.zero_grad()
    output.mean().backward(retain_graph=True)  # through weights changed by step()
    optimizer.step()

# %% check carried-state
rnn = nn.RNN(3, 16)
output, hidden = rnn(loader[0])
print(hidden.grad_fn)  # a state that enters the next step must print None
assert hidden.grad_fn is not None

# %% fix carried-state
import torch
from torch import nn

rnn, hidden = nn.RNN(3, 16), torch.zeros(1, 16)
optimizer = torch.optim.SGD(rnn.parameters(), lr=0.1)
for x in loader:
    output, hidden = rnn(x, hidden)
    optimizer.zero_grad()
    output.mean().backward()  # no retain_graph
    optimizer.step()
    hidden = hidden.detach()  # LSTM: hidden = tuple(h.detach() for h in hidden)

# %% proof carried-state
got = [parameter.detach().clone() for parameter in rnn.parameters()]
torch.manual_seed(1)
same, state = nn.RNN(3, 16), torch.zeros(1, 16)
for x in loader:  # the same steps by hand: only the value of the state goes on
    output, last = same(x, state)
    gradients = torch.autograd.grad(output.mean(), list(same.parameters()))
    with torch.no_grad():
        for parameter, gradient in zip(same.parameters(), gradients, strict=True):
            parameter -= 0.1 * gradient
    state = last.detach()
torch.testing.assert_close(got, [parameter.detach() for parameter in same.parameters()])
torch.testing.assert_close(hidden, state)

# %% break filled-in-steps
decay = torch.full((3,), 0.9, requires_grad=True)
states = torch.ones(4, 3)
for t in range(3):
    # states[t] is kept for backward; the next step writes into the same tensor
    states[t + 1] = states[t] * decay
states.sum().backward()

# %% check filled-in-steps
states = torch.ones(4, 3)
row = states[0]
states[1] = 0  # another row
print(row._version)  # 1: all rows share one counter, so each write counts for all
assert row._version == 1

# %% fix filled-in-steps
import torch

decay = torch.full((3,), 0.9, requires_grad=True)
rows = [torch.ones(3)]
for t in range(3):
    rows.append(rows[-1] * decay)  # a new tensor for each step
states = torch.stack(rows)

# %% proof filled-in-steps
states.sum().backward()
assert torch.allclose(states[:, 0], torch.tensor([1, 0.9, 0.81, 0.729]))
assert torch.allclose(decay.grad, torch.full((3,), 1 + 2 * 0.9 + 3 * 0.9**2))


# %%
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


model = Attention()

# %% break inplace-module
model(x).sum().backward()

# %% check inplace-module
modules = model.named_modules()
print([name for name, module in modules if getattr(module, "inplace", False)])
assert model.relu.inplace

# %% fix inplace-module
for module in model.modules():  # also for a model that you did not write
    if hasattr(module, "inplace"):
        module.inplace = False

# %% proof inplace-module
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
print(queue.grad_fn, queue._version)  # None: not computed, so none is named
assert queue.grad_fn is None and queue._version == 1

# %% fix memory-bank
import torch
from torch import nn

encoder, queue = nn.Linear(3, 4), torch.randn(4, 6)
similarity = encoder(x) @ queue.clone()  # backward keeps the copy
queue[:, :2] = encoder(x).detach().T

# %% proof memory-bank
assert torch.equal(queue[:, :2], encoder(x).T) and not queue.requires_grad
old = torch.linalg.lstsq(encoder(x), similarity).solution  # what the similarity was computed with: not the new keys
assert torch.allclose(encoder(x) @ old, similarity, atol=1e-4)
(gradient,) = torch.autograd.grad(similarity[:, 2:].sum(), encoder.bias)
assert torch.allclose(gradient, len(x) * queue[:, 2:].sum(1), atol=1e-5)
assert not torch.allclose(encoder(x) @ queue, similarity)

# %%
x = torch.zeros(2, requires_grad=True)

# %% break hidden-by-data
probabilities = torch.sigmoid(x)
loss = probabilities.sum()
probabilities.data.mul_(100)  # for the log; .data hides it from autograd: no error
loss.backward()
print(x.grad)  # -2450 each; the true gradient is 0.25
assert (x.grad < -2000).all()

# %% check hidden-by-data
probabilities = torch.sigmoid(x)
loss = probabilities.sum()
probabilities.detach().mul_(100)  # not .data: same memory, but autograd counts it
try:
    loss.backward()
except RuntimeError as error:
    print(error)

# %% fix hidden-by-data
import torch

probabilities = torch.sigmoid(x)
loss = probabilities.sum()
percent = probabilities.detach() * 100  # a new tensor
loss.backward()

# %% proof hidden-by-data
assert torch.allclose(x.grad, torch.full((2,), 0.25))
assert (percent == 50).all() and not percent.requires_grad
