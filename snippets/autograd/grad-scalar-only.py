# ---
# wordings:
#   - text: "grad can be implicitly created only for scalar outputs"
#     exception: RuntimeError
#   - text: "grad can be implicitly created only for real scalar outputs but got {dtype:dtype}"
#     exception: RuntimeError
#     sample: "RuntimeError: grad can be implicitly created only for real scalar outputs but got torch.complex64"
#   - text: "Was asked to gather along dimension 0, but all input tensors were scalars"
#     exception: UserWarning
# tags: [autograd, backward, loss, multi-gpu]
# recover: fix
# related: [autograd/no-grad-fn]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html", "https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad.html"]
# cases:
#   one-per-gpu:
#     wrong: {ones-like: "https://github.com/WisconsinAIVision/MaskPoint/issues/7"}
# causes:
#   one-per-gpu:
#     if: >-
#       paste("Was asked to gather along dimension 0") and not read(dtype)
#       or live("model", "DataParallel") and not read(dtype)
#     likely: paste("data_parallel.py", "nn.DataParallel", "Using Data parallel", "dp_accelerator.py", "strategies/dp.py") and not read(dtype)
#     undecided: the losses are gathered before backward() begins, and no frame tells of it
#     sample: |
#       2023-03-16 18:37:25,684 - INFO - Using Data parallel ...
#       Traceback (most recent call last):
#         File "runner.py", line 144, in run_net
#           loss.backward()
#       RuntimeError: grad can be implicitly created only for scalar outputs
#   not-reduced:
#     likely: >-
#       len(live.left.shape) > 0 and not live("DataParallel") and not frames("autograd.grad(")
#     undecided: the line that computes the loss stands above the one that fails
#   derivative:
#     likely: frames("autograd.grad(") and not read(dtype)
#   complex-loss:
#     if: read(dtype)
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
x, labels = torch.randn(8, 4), torch.arange(8) % 3
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
loss_fn = nn.CrossEntropyLoss(reduction="none")
expected = torch.autograd.grad(nn.functional.cross_entropy(model(x), labels), list(model.parameters()))


def assert_exact():
    torch.testing.assert_close([parameter.grad for parameter in model.parameters()], list(expected))


# %% break not-reduced
loss = loss_fn(model(x), labels)  # one value for each of the 8 samples
loss.backward()

# %% check not-reduced
loss = loss_fn(model(x), labels)
print(loss.shape)  # torch.Size([8]); a loss is torch.Size([])
assert loss.shape == (8,)

# %% fix not-reduced
loss = loss_fn(model(x), labels).mean()  # one number
loss.backward()

# %% proof not-reduced
assert_exact()


# %%
class OnTwoGPUs(nn.Module):
    """What nn.DataParallel gives on two GPUs for a model that returns its loss."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x, labels):
        halves = zip(x.chunk(2), labels.chunk(2), strict=True)
        return torch.stack([nn.functional.cross_entropy(self.model(x), labels) for x, labels in halves])


model = OnTwoGPUs(model)

# %% break one-per-gpu
loss = model(x, labels)  # nn.DataParallel around a model that returns its loss
loss.backward()

# %% check one-per-gpu
loss = model(x, labels)
print(loss.shape)  # torch.Size([2]): as many as there are GPUs
assert loss.shape == (2,)

# %% fix one-per-gpu
loss = model(x, labels).mean()  # over the GPUs
loss.backward()

# %% proof one-per-gpu
assert_exact()

# %% use one-per-gpu
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
losses = []
for _ in range(30):
    optimizer.zero_grad()
    # >>>
    loss = model(x, labels)
    loss.backward()
    # <<<
    optimizer.step()
    losses.append(loss.item())
assert losses[-1] < 0.9 * losses[0]

# %% wrong ones-like
# `loss.backward(torch.ones_like(loss))`: no error any more, but that is the sum over the GPUs, not
# the mean. The gradient is as many times too large as there are GPUs.
loss = model(x, labels)
loss.backward(torch.ones_like(loss))

# %% break derivative
t = torch.linspace(0, 1, 5).requires_grad_()
u = torch.sin(3 * t)  # stands for a network u(t)
(du,) = torch.autograd.grad(u, t)

# %% check derivative
t = torch.linspace(0, 1, 5).requires_grad_()
u = torch.sin(3 * t)
print(u.shape)  # torch.Size([5]): a derivative at each of 5 points is wanted
assert u.shape == (5,)

# %% fix derivative
import torch

t = torch.linspace(0, 1, 5).requires_grad_()
u = torch.sin(3 * t)
ones = torch.ones_like(u)
(du,) = torch.autograd.grad(u, t, grad_outputs=ones, create_graph=True)

# %% proof derivative
assert torch.allclose(du, 3 * torch.cos(3 * t))
(ddu,) = torch.autograd.grad(du.sum(), t)  # create_graph: a second derivative is possible
assert torch.allclose(ddu, -9 * torch.sin(3 * t), atol=1e-5)

# %%
model = model.model
signal = torch.randn(8, 3)
y = torch.fft.fft(signal)
expected = torch.autograd.grad(3 * nn.functional.mse_loss(model(x), signal), list(model.parameters()))

# %% break complex-loss
loss = ((torch.fft.fft(model(x)) - y) ** 2).mean()  # a complex number
loss.backward()

# %% check complex-loss
loss = ((torch.fft.fft(model(x)) - y) ** 2).mean()
print(loss.dtype)  # torch.complex64
assert loss.dtype == torch.complex64

# %% fix complex-loss
import torch

# the squared size of a complex number is real
loss = (torch.fft.fft(model(x)) - y).abs().square().mean()
loss.backward()

# %% proof complex-loss
assert_exact()  # the sizes of a spectrum and of its signal go together (Parseval)
