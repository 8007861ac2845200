# ---
# tags: [autograd, backward, loss, slow]
# rows: [S000-13, S004-04]
# docs: ["https://docs.pytorch.org/tutorials/intermediate/per_sample_grads.html"]
# ---

# %%
import statistics
import time

import torch
from torch import nn
from torch.func import functional_call, grad, vmap
from torch.nn.functional import cross_entropy

torch.set_num_threads(1)  # only here: it keeps the times steady on a busy machine
torch.manual_seed(0)
x, y = torch.randn(128, 64), torch.randint(0, 10, (128,))
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
params = dict(model.named_parameters())


def median_time(call, repeat=3):
    """Median of several runs, after one that does not count."""
    times = []
    for _ in range(repeat + 1):
        start = time.perf_counter()
        call()
        if torch.cuda.is_available():
            torch.cuda.synchronize()  # a GPU is still working when the call comes back
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


# %% break loop-over-losses
def loop():
    losses = cross_entropy(model(x), y, reduction="none")
    return [torch.autograd.grad(loss, params.values(), retain_graph=True) for loss in losses]


together = median_time(lambda: cross_entropy(model(x), y).backward())
print(f"{median_time(loop) / together:.0f} times the time of one backward over the batch")
assert median_time(loop) > 20 * together

# %% check loop-over-losses
output = model(x)
output.retain_grad()
losses = cross_entropy(output, y, reduction="none")
losses[0].backward()  # one sample ...
print(tuple(output.grad.shape), int((output.grad != 0).any(dim=1).sum()))  # ... goes back as the whole batch: 127 rows of zeros
assert output.grad.shape == (128, 10) and (output.grad != 0).any(dim=1).sum() == 1


# %% fix loop-over-losses
def loss_of(params, sample, label):
    return cross_entropy(functional_call(model, params, (sample[None],)), label[None])


per_sample = vmap(grad(loss_of), in_dims=(None, 0, 0))(params, x, y)  # {"0.weight": one gradient for each sample, ...}

losses = cross_entropy(model(x), y, reduction="none")  # or: keep the forward pass as it is
same = torch.autograd.grad(losses, params.values(), grad_outputs=torch.eye(128), is_grads_batched=True)

for i in [0, 60, 127]:  # what the loop would have given
    expected = torch.autograd.grad(cross_entropy(model(x[i : i + 1]), y[i : i + 1]), params.values())
    for got, also, right in zip(per_sample.values(), same, expected, strict=True):
        torch.testing.assert_close(got[i], right)
        torch.testing.assert_close(also[i], right)
assert per_sample["0.weight"].shape == (128, 128, 64)

# %%
weights = torch.rand(128)  # say, how much each sample counts


# %% break only-the-sum
def loop():
    losses = cross_entropy(model(x), y, reduction="none")
    for weight, loss in zip(weights, losses, strict=True):
        (weight * loss).backward(retain_graph=True)


once = median_time(lambda: (weights * cross_entropy(model(x), y, reduction="none")).sum().backward())
print(f"{median_time(loop) / once:.0f} times slower")
assert median_time(loop) > 20 * once

# %% check only-the-sum
losses = cross_entropy(model(x[:2]), y[:2], reduction="none")
losses[0].backward(retain_graph=True)
losses[1].backward()
print(tuple(model[0].weight.grad.shape))  # no dimension for the samples: .grad holds their sum
assert model[0].weight.grad.shape == model[0].weight.shape

# %% fix only-the-sum
losses = cross_entropy(model(x), y, reduction="none")
(weights * losses).sum().backward()

expected = [torch.zeros_like(p) for p in model.parameters()]
for i in range(128):
    loss = weights[i] * cross_entropy(model(x[i : i + 1]), y[i : i + 1])
    for total, part in zip(expected, torch.autograd.grad(loss, params.values()), strict=True):
        total += part
for p, total in zip(model.parameters(), expected, strict=True):
    torch.testing.assert_close(p.grad, total, rtol=1e-4, atol=1e-4)
assert model[0].weight.grad.abs().sum() > 0

# %%
images = x.clone().requires_grad_()


# %% break input-gradients
def loop():
    scores = model(images).amax(dim=1)  # a saliency map: how the score depends on each input value
    return torch.stack([torch.autograd.grad(score, images, retain_graph=True)[0][i] for i, score in enumerate(scores)])


once = median_time(lambda: torch.autograd.grad(model(images).amax(dim=1).sum(), images))
print(f"{median_time(loop) / once:.0f} times slower")
assert median_time(loop) > 20 * once

# %% check input-gradients
scores = model(images).amax(dim=1)
(gradient,) = torch.autograd.grad(scores[0], images)
print(int((gradient != 0).any(dim=1).sum()))  # 1: the score of a sample depends on that sample alone
assert (gradient != 0).any(dim=1).sum() == 1

# %% fix input-gradients
(saliency,) = torch.autograd.grad(model(images).amax(dim=1).sum(), images)  # row i holds the gradient of score i

scores = model(images).amax(dim=1)
for i in [0, 60, 127]:
    torch.testing.assert_close(saliency[i], torch.autograd.grad(scores[i], images, retain_graph=True)[0][i])
assert saliency.shape == images.shape
