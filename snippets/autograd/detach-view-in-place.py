# ---
# wordings:
#   - text: "Can't detach views in-place. Use detach() instead"
#     exception: RuntimeError
#     sample: "RuntimeError: Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
#   - text: "Detaching such views inplace is being deprecated"
#     exception: UserWarning
#     sample: "UserWarning: This view is an output of a function that returns multiple views. Detaching such views inplace is being deprecated and will be forbidden starting from version 1.8."
# tags: [autograd, in-place, view, rnn, ddp]
# recover: fix
# outranks: [view-multi-inplace]
# related: [autograd/backward-second-time, autograd/view-multi-inplace]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach_.html"]
# causes:
#   view: {undecided: what made the view is not printed}
#   several: {undecided: that the call stands in a loop is not printed}
#   gradients:
#     if: frames("grad.detach_()")
#     sample: |
#       Traceback (most recent call last):
#         File "train.py", line 41, in zero_grad
#           p.grad.detach_()
#       RuntimeError: Can't detach views in-place. Use detach() instead.
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
rnn = nn.RNN(3, 4, batch_first=True)
windows = torch.rand(2, 5, 3), torch.rand(2, 5, 3)

# %%
outputs, _ = rnn(windows[0])

# %% break view
x = outputs[:, -1]  # the last step of each sequence: a view
x.detach_()

# %% check view
x = outputs[:, -1]
print(x._is_view())  # True after [...], view, t, squeeze, chunk, split, unbind
assert x._is_view()

# %%
x = outputs[:, -1]

# %% fix view
x = x.detach()  # without the underscore, and with the assignment

# %% proof view
assert not x.requires_grad and torch.equal(x, outputs[:, -1])
outputs, _ = rnn(windows[1], x[None])
weight = torch.autograd.grad(outputs.sum(), rnn.weight_ih_l0)[0]  # ends where it was detached
again, _ = rnn(windows[1], x.clone()[None])
torch.testing.assert_close(torch.autograd.grad(again.sum(), rnn.weight_ih_l0)[0], weight)

# %%
x = rnn(windows[0])[0].unbind(1)  # the states of all steps

# %% break several
for state in x:
    state.detach_()

# %% fix several
x = tuple(state.detach() for state in x)  # a new tuple: a loop would only rename

# %% proof several
expected = rnn(windows[0])[0].unbind(1)
assert len(x) == 5 and not any(state.requires_grad for state in x)
assert all(torch.equal(a, b) for a, b in zip(x, expected, strict=True))

# %%
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
model = DistributedDataParallel(nn.Linear(3, 1), gradient_as_bucket_view=True)
images = torch.rand(8, 3)
model(images).sum().backward()

# %% break gradients
for p in model.parameters():
    p.grad.detach_()  # from an old zero_grad of one's own
    p.grad.zero_()

# %% check gradients
grad = next(model.parameters()).grad
print(grad._is_view())  # a view of the buffer in which DDP sums
assert grad._is_view()

# %% fix gradients
model.zero_grad()  # or optimizer.zero_grad(): they know how

# %% proof gradients
assert all(p.grad is None or not p.grad.any() for p in model.parameters())
model(images).sum().backward()  # nothing is left of the step before
torch.testing.assert_close(model.module.weight.grad, images.sum(dim=0)[None])
dist.destroy_process_group()
