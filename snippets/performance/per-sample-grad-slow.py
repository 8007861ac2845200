# ---
# tags: [autograd, backward, loss, slow]
# recover: fix
# rows: [S000-13, S004-04]
# docs: ["https://docs.pytorch.org/tutorials/intermediate/per_sample_grads.html"]
# cases:
#   loop-over-losses: {wrong: {batch-of-one: "https://github.com/pytorch/pytorch/issues/23475"}}
# causes:
#   loop-over-losses:
#   only-the-sum:
#   input-gradients:
# ---

# %%
import time

import torch
from torch import nn
from torch.nn.functional import cross_entropy

torch.set_num_threads(1)
torch.manual_seed(0)
x, y = torch.randn(128, 64), torch.randint(0, 10, (128,))
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
parameters = list(model.parameters())


def seconds(call):
    """The least processor time of some calls: other work on the machine does not count."""
    times = []
    for _ in range(4):
        start = time.process_time()
        call()
        if torch.cuda.is_available():
            torch.cuda.synchronize()  # a GPU is still working when the call comes back
        times.append(time.process_time() - start)
    return max(min(times), 1e-6)


# %% break loop-over-losses
def loop():
    losses = cross_entropy(model(x), y, reduction="none")
    return [
        torch.autograd.grad(loss, parameters, retain_graph=True) for loss in losses
    ]


slower = seconds(loop) / seconds(lambda: cross_entropy(model(x), y).backward())
print(f"{slower:.0f} times the time of one backward over the batch")
assert slower > 20

# %% check loop-over-losses
output = model(x)
output.retain_grad()
losses = cross_entropy(output, y, reduction="none")
losses[0].backward()  # one sample ...
rows = (output.grad != 0).any(dim=1).sum()
print(tuple(output.grad.shape), int(rows))  # ... goes back as 128 rows: 127 are 0
assert output.grad.shape == (128, 10) and rows == 1

# %% fix loop-over-losses
from torch.func import functional_call, grad, vmap
from torch.nn.functional import cross_entropy


def loss_of(params, sample, label):
    output = functional_call(model, params, (sample[None],))
    return cross_entropy(output, label[None])


params = dict(model.named_parameters())
# {"0.weight": one gradient for each sample, ...}
per_sample = vmap(grad(loss_of), in_dims=(None, 0, 0))(params, x, y)

# %% proof loop-over-losses
losses = cross_entropy(model(x), y, reduction="none")  # or: keep the forward pass as it is
same = torch.autograd.grad(losses, parameters, grad_outputs=torch.eye(128), is_grads_batched=True)
for i in [0, 60, 127]:  # what the loop would have given
    expected = torch.autograd.grad(cross_entropy(model(x[i : i + 1]), y[i : i + 1]), parameters)
    for got, also, right in zip(per_sample.values(), same, expected, strict=True):
        torch.testing.assert_close(got[i], right)
        torch.testing.assert_close(also[i], right)
assert per_sample["0.weight"].shape == (128, 128, 64)

# %% wrong batch-of-one
# A batch of one for each sample, with `zero_grad` in between: each backward is small now, and there
# are still as many of them as samples.
def one_by_one():
    gradients = []
    for sample, label in zip(x, y):
        model.zero_grad()
        cross_entropy(model(sample[None]), label[None]).backward()
        gradients.append([p.grad.clone() for p in parameters])
    return gradients


together = seconds(lambda: cross_entropy(model(x), y).backward())
slower = seconds(one_by_one) / together
print(f"{slower:.0f} times the time of one backward over the batch")
assert slower > 10

# %%
weights = torch.rand(128)  # say, how much each sample counts


# %% break only-the-sum
def loop():
    losses = cross_entropy(model(x), y, reduction="none")
    for weight, loss in zip(weights, losses, strict=True):
        (weight * loss).backward(retain_graph=True)


def sum_first():
    (weights * cross_entropy(model(x), y, reduction="none")).sum().backward()


slower = seconds(loop) / seconds(sum_first)
print(f"{slower:.0f} times slower")
assert slower > 20

# %% check only-the-sum
losses = cross_entropy(model(x[:2]), y[:2], reduction="none")
losses[0].backward(retain_graph=True)
losses[1].backward()
print(tuple(model[0].weight.grad.shape))  # no dimension of samples: their sum
assert model[0].weight.grad.shape == model[0].weight.shape

# %% fix only-the-sum
import torch
from torch.nn.functional import cross_entropy

weights = torch.linspace(0, 1, len(x))  # how much each sample counts
losses = cross_entropy(model(x), y, reduction="none")
(weights * losses).sum().backward()

# %% proof only-the-sum
expected = [torch.zeros_like(p) for p in parameters]
for i in range(128):
    loss = i / 127 * cross_entropy(model(x[i : i + 1]), y[i : i + 1])
    for total, part in zip(expected, torch.autograd.grad(loss, parameters), strict=True):
        total += part
for p, total in zip(parameters, expected, strict=True):
    torch.testing.assert_close(p.grad, total, rtol=1e-4, atol=1e-4)
assert model[0].weight.grad.abs().max() > 0.1

# %%
images = x

# %% break input-gradients
images.requires_grad_()


def together():  # a saliency map: how the score depends on each input value
    return torch.autograd.grad(model(images).amax(dim=1).sum(), images)


def loop():
    for i, score in enumerate(model(images).amax(dim=1)):
        torch.autograd.grad(score, images, retain_graph=True)[0][i]


slower = seconds(loop) / seconds(together)
print(f"{slower:.0f} times slower")
assert slower > 20

# %% check input-gradients
images.requires_grad_()
scores = model(images).amax(dim=1)
(gradient,) = torch.autograd.grad(scores[0], images)
# 1: the score of a sample depends on that sample alone
print(int((gradient != 0).any(dim=1).sum()))
assert (gradient != 0).any(dim=1).sum() == 1

# %% fix input-gradients
import torch

images.requires_grad_()
scores = model(images).amax(dim=1)  # the score of each image
(saliency,) = torch.autograd.grad(scores.sum(), images)  # row i: of score i

# %% proof input-gradients
scores = model(images).amax(dim=1)
for i in [0, 60, 127]:
    torch.testing.assert_close(saliency[i], torch.autograd.grad(scores[i], images, retain_graph=True)[0][i])
assert saliency.shape == images.shape
