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
#   carried-state:
#     wrong: {retain-graph: "https://github.com/quark0/darts/issues/56"}
#   before-the-loop:
#     survives: {"back: scaled = weight * 2 # built once, for all steps": "the loop computes it again, and nobody uses the first one"}
# causes:
#   carried-state:
#     if: live("local", "computed", "carried through the loop")
#     likely: >-
#       paste("CudnnRnnBackward", "MkldnnRnn", "_functions/rnn.py", "_VF.lstm", "_VF.gru",
#       "_VF.rnn_") or frames("LSTM", "lstm", "bilstm", "GRU", "RNN", "rnn", "hidden")
#     undecided: only the line with backward() is printed; what outlived the step is not named
#     sample: |
#       Traceback (most recent call last):
#         File "/home/user/char-rnn/train.py", line 61, in train_lstm
#           loss.backward()
#         File "/opt/conda/lib/python3.9/site-packages/torch/_tensor.py", line 396, in backward
#           torch.autograd.backward(self, gradient, retain_graph, create_graph, inputs=inputs)
#       RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed).
#   before-the-loop:
#     if: live("local", "computed", "set above the loop")
#     likely: paste("lbfgs.py")
#     sample: |
#       Traceback (most recent call last):
#         File "style.py", line 120, in closure
#           loss.backward()
#         File "/opt/conda/lib/python3.9/site-packages/torch/optim/lbfgs.py", line 312, in step
#           orig_loss = closure()
#       RuntimeError: Trying to backward through the graph a second time, but the saved intermediate results have already been freed.
#     undecided: only the line with backward() is printed; what outlived the step is not named
#   same-loss-twice:
#     if: live("left", "backward before")
#     likely: >-
#       paste("----> 1 loss.backward(", "----> 1 l.backward(", "----> 1 y.backward(", "----> 1 z.backward(", "----> 1 out.backward(", "----> 1 output.backward(",
#       "----> 1 L.backward(", "----> 1 Q.backward(", "----> 1 f.backward(")
#     sample: |
#       ---------------------------------------------------------------------------
#       RuntimeError                              Traceback (most recent call last)
#       Cell In[9], line 1
#       ----> 1 loss.backward()
#
#       RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed).
#     undecided: only the line with backward() is printed, not whether it ran before
#   shared-output:
#     likely: >-
#       frames("backward_G", "backward_D", "loss_G.", "loss_D.", "lossG.", "lossD.", "errG",
#       "errD", " G_loss", " D_loss", " g_loss", " d_loss", " gen_loss", " disc_loss", "netG",
#       "netD", "discriminator", "generator_loss", ", disc)", ", disc,", "(disc,", "actor_loss",
#       "critic_loss", "policy_loss", "value_loss")
#       or live("run", "several optimizers")
#     sample: |
#       Traceback (most recent call last):
#         File "gan.py", line 97, in <module>
#           g_loss.backward()
#       RuntimeError: Trying to backward through the graph a second time, but the buffers have already been freed. Specify retain_graph=True when calling backward the first time.
#     undecided: only the line with backward() is printed; what both losses share is not named
#   two-losses:
#     likely: >-
#       frames("loss1.backward", "loss2.backward", "loss_1.backward", "loss_2.backward",
#       "loss3.backward", "aux_loss.backward")
#       or live("run", "backward=2") and live("optimizer") and not live("run", "several
#       optimizers")
#     sample: |
#       Traceback (most recent call last):
#         File "train.py", line 44, in <module>
#           loss2.backward()
#       RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed).
#     undecided: only the line with backward() is printed; what both losses share is not named
#   several-derivatives:
#     likely: frames("torch.autograd.grad(", ", in grad\n") or paste(", in grad(outputs", " in grad(outputs")
#   compiled-together:
#     likely: paste("_aot_autograd/", "_aot_autograd\\", "aot_autograd.py", "CompiledFunction", "compiled_function_backward")
#   running-total:
#     if: live("left", "added up over the loop")
#     likely: frames("running_loss.backward", "epoch_loss.backward", "loss_sum.backward", "sum_loss.backward", "cumulative_loss.backward")
#     sample: |
#       Traceback (most recent call last):
#         File "train.py", line 44, in <module>
#           running_loss.backward()
#       RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed).
#     undecided: that the loss is a sum over earlier steps is not printed
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
    output, hidden = rnn(x, hidden)  # hidden carries the graph of the last step
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
    hidden = tuple(h.detach() for h in hidden)  # RNN, GRU: hidden = hidden.detach()

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

# %% use carried-state
import torch
from torch import nn

text = torch.randn(12, 3)  # one long sequence, cut into pieces
loader = [(piece, None) for piece in text.split(4)]
# >>>
rnn, hidden = nn.LSTM(3, 5), None
for x, _ in loader:
    output, hidden = rnn(x, hidden)
    output.mean().backward()
# <<<
before = rnn(text)[0].mean().item()
torch.optim.SGD(rnn.parameters(), lr=0.1).step()
assert rnn(text)[0].mean() < before  # the step goes down

# %% wrong retain-graph
# `retain_graph=True`, as the message proposes: it runs, but each step goes back through all the
# steps before it, so memory grows with every step, and the gradients are others.
rnn, hidden = nn.LSTM(3, 5), None
for x, _ in loader:
    output, hidden = rnn(x, hidden)
    output.mean().backward(retain_graph=True)

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
critic(fake).mean().backward()  # critic's step: frees the generator's graph too
(-critic(fake).mean()).backward()  # generator's step: needs it again

# %% check shared-output
generator, critic = nn.Linear(3, 2), nn.Linear(2, 1)
fake = generator(x)
critic(fake).mean().backward()
print(generator.weight.grad is None)  # False: the critic's step ran back through it
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
both = loss_fn(features, y), features.abs().mean()
print([loss.grad_fn is not None for loss in both])  # both go through `features`
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
print(total.requires_grad)  # True: the total is part of the graph, not a number
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


# %%
class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 1), nn.Linear(3, 1)

    def forward(self, x):
        return self.first(x).tanh(), self.second(x).tanh()


heads = TwoHeads()
model = torch.compile(heads, backend="aot_eager")
x, y = torch.randn(4, 3), torch.randn(4, 1)

# %% break compiled-together
first, second = model(x)
loss_fn(first, y).backward()
loss_fn(second, y).backward()  # right without torch.compile: heads share nothing

# %% check compiled-together
with torch.compiler.set_stance("force_eager"):  # the same model, not compiled
    first, second = model(x)
    loss_fn(first, y).backward()
    loss_fn(second, y).backward()
print(heads.second.weight.grad is None)  # False: no error
assert heads.second.weight.grad is not None

# %% fix compiled-together
first, second = model(x)
(loss_fn(first, y) + loss_fn(second, y)).backward()  # one backward() for both heads

# %% proof compiled-together
expected = [torch.autograd.grad(loss_fn(head(x).tanh(), y), head.weight)[0] for head in (heads.first, heads.second)]
torch.testing.assert_close([heads.first.weight.grad, heads.second.weight.grad], expected)
assert min(gradient.abs().max() for gradient in expected) > 1e-3

# %%
model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
x.requires_grad_()  # a place, at which two quantities are computed

# %% break several-derivatives
u = model(x)
(first,) = torch.autograd.grad(u[:, 0].sum(), x)  # frees the graph of u
(second,) = torch.autograd.grad(u[:, 1].sum(), x)

# %% check several-derivatives
u = model(x)
(first,) = torch.autograd.grad(u[:, 0].sum(), x)
print(first.requires_grad)  # False: no graph of it is kept to differentiate again
assert not first.requires_grad

# %% fix several-derivatives
import torch

u = model(x)
# create_graph=True keeps the graph, and makes one of its own
(first,) = torch.autograd.grad(u[:, 0].sum(), x, create_graph=True)
(second,) = torch.autograd.grad(u[:, 1].sum(), x, create_graph=True)
loss = (first**2 + second**2).mean()
loss.backward()

# %% proof several-derivatives
lower, _, upper = model
inner = 1 - (x.detach() @ lower.weight.T + lower.bias).tanh() ** 2
slopes = [(inner * row) @ lower.weight for row in upper.weight]  # by hand
torch.testing.assert_close([first, second], slopes)
expected = torch.autograd.grad((slopes[0] ** 2 + slopes[1] ** 2).mean(), [lower.weight, upper.weight])
torch.testing.assert_close([lower.weight.grad, upper.weight.grad], list(expected))
