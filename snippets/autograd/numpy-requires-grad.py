# ---
# wordings:
#   - text: "call numpy() on Tensor that requires grad"
#     exception: RuntimeError
#     sample: "RuntimeError: Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
#   - text: "call numpy() on Variable that requires grad"
#     exception: RuntimeError
#     sample: "RuntimeError: Can't call numpy() on Variable that requires grad. Use var.detach().numpy() instead."
# tags: [autograd, numpy, inference, loss]
# recover: fix
# related: [devices/cuda-tensor-to-numpy, autograd/no-grad-fn]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.Tensor.numpy.html"]
# causes:
#   one-tensor:
#     likely: frames(".numpy()", "matplotlib/", "matplotlib\\", "sklearn/", "sklearn\\", "pandas/", "seaborn/") and not frames("np.mean(", "np.average(", "np.std(")
#   numbers-in-a-list:
#     likely: frames("np.mean(", "np.average(", "np.std(")
#   inside-the-loss:
#     if: live("run", "goes into backward")
#     undecided: whether the result is trained on is not in the traceback
# cases:
#   inside-the-loss: {wrong: {detached: "https://github.com/xiaxin1998/DHCN/issues/8"}}
#   one-tensor:
#     survives: {"raw: predicted.detach().cpu()": "the tensor is on the CPU already; on a GPU .cpu() is needed"}
# ---

# %%
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(8, 4), torch.randn(8, 1)
model = nn.Linear(4, 1)
loss_fn = nn.MSELoss()

# %% break one-tensor
predicted = model(x)
print(predicted.numpy().mean())

# %% check one-tensor
print(model(x).requires_grad)  # True: computed from weights that are trained
assert model(x).requires_grad

# %% fix one-tensor
predicted = model(x)
array = predicted.detach().cpu().numpy()  # .cpu() does nothing on the CPU

# %% proof one-tensor
assert isinstance(array, np.ndarray)
assert np.allclose(array, (x @ model.weight.T + model.bias).tolist(), atol=1e-6) and array.shape == (8, 1)
assert predicted.requires_grad  # the tensor itself keeps its graph
loss_fn(predicted, y).backward()
assert model.weight.grad.abs().sum() > 0

# %% use one-tensor
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
errors = []
for _ in range(20):
    # >>>
    predicted = model(x)
    print(predicted.numpy().mean())
    # <<<
    errors.append(np.square(array - y.numpy()).mean())
    optimizer.zero_grad()
    loss_fn(predicted, y).backward()
    optimizer.step()
assert errors[-1] < errors[0]

# %% break numbers-in-a-list
losses = []
for i in range(3):
    losses.append(loss_fn(model(x[i]), y[i]))
mean = np.mean(losses)

# %% check numbers-in-a-list
losses = [loss_fn(model(x[i]), y[i]) for i in range(3)]
print(losses[0])  # tensor(..., grad_fn=<MseLossBackward0>)
assert losses[0].grad_fn is not None

# %% fix numbers-in-a-list
import numpy as np

losses = []
for i in range(3):
    loss = loss_fn(model(x[i]), y[i])
    losses.append(loss.item())  # a number, without the graph
mean = np.mean(losses)

# %% proof numbers-in-a-list
assert len(losses) == 3 and all(isinstance(one, float) for one in losses)
assert np.isclose(mean, loss_fn(model(x[:3]), y[:3]).item())
loss.backward()
assert model.weight.grad is not None

# %% break inside-the-loss
difference = np.abs(model(x).numpy() - y.numpy())
small = difference**2 / 2
loss = np.where(difference < 1, small, difference - 0.5).mean()
loss.backward()

# %% check inside-the-loss
difference = np.abs(model(x).detach().numpy() - y.numpy())
loss = torch.tensor(difference.mean())
print(loss.requires_grad)  # False: no error any more, and nothing to train with
assert not loss.requires_grad

# %% fix inside-the-loss
import torch

difference = (model(x) - y).abs()  # the same in torch
small = difference**2 / 2
loss = torch.where(difference < 1, small, difference - 0.5).mean()
loss.backward()

# %% proof inside-the-loss
expected = nn.functional.smooth_l1_loss(model(x), y)
assert torch.allclose(loss, expected)
assert torch.allclose(model.weight.grad, torch.autograd.grad(expected, model.weight)[0])

# %% wrong detached
# `detach()` in the loss, as the message proposes: the next error comes from `backward()`.
difference = np.abs(model(x).detach().numpy() - y.numpy())
loss = torch.tensor(difference.mean())
loss.backward()
