# ---
# wordings:
#   - text: "all elements of input should be between 0 and 1"
#     exception: RuntimeError
#   - text: "all elements of target should be between 0 and 1"
#     exception: RuntimeError
#   - text: "binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast"
#     exception: RuntimeError
#     sample: "RuntimeError: torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast."
# tags: [loss, classification, labels, amp, nan]
# recover: fix
# related: [numerics/loss-nan, shapes/bce-target-size, devices/device-side-assert]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.BCEWithLogitsLoss.html"]
# causes:
#   no-sigmoid:
#     if: >-
#       paste("elements of input") and live("input", "below 0") and not live("input", "holds
#       nan")
#     likely: paste("elements of input")
#   labels-outside:
#     if: paste("elements of target")
#   became-nan:
#     if: paste("elements of input") and live("input", "holds nan")
#     undecided: a missing sigmoid and nan print the same
#   autocast:
#     if: paste("unsafe to autocast")
#     sample: "RuntimeError: torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast."
# cases:
#   became-nan: {wrong: {targets-clamped: "https://github.com/zhaojw1998/Beat-Transformer/issues/14"}}
#   autocast: {needs: [cuda]}
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 4)
labels = (x[:, :1] > 0).float()

# %% break no-sigmoid
model = nn.Linear(4, 1)
loss = nn.BCELoss()(model(x), labels)

# %% check no-sigmoid
model = nn.Linear(4, 1)
outputs = model(x)
print(outputs.min(), outputs.max(), outputs.isnan().any())  # below 0: no sigmoid
assert outputs.min() < 0 and not outputs.isnan().any()

# %%
model = nn.Linear(4, 1)

# %% fix no-sigmoid
import torch
from torch import nn

loss_fn = nn.BCEWithLogitsLoss()  # in place of BCELoss; no sigmoid in the model
loss = loss_fn(model(x), labels)
probabilities = model(x).sigmoid()  # only to look at

# %% proof no-sigmoid
assert torch.allclose(loss, nn.BCELoss()(probabilities, labels), atol=1e-6)
assert torch.equal(probabilities, 1 / (1 + torch.exp(-model(x)))) or torch.allclose(probabilities, 1 / (1 + torch.exp(-model(x))))
loss.backward()
assert model.weight.grad.abs().sum() > 0

# %% use no-sigmoid
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
for x, labels in [(x[:40], labels[:40]), (x[40:], labels[40:])] * 20:
    # >>>
    loss = nn.BCELoss()(model(x), labels)
    # <<<
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
assert loss < 0.4 and ((probabilities > 0.5) == (labels > 0.5)).float().mean() > 0.9

# %%
model = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
labels = torch.where(x[:, :1] > 0, 255.0, 0.0)  # a mask as it is in an image file

# %% break labels-outside
loss = nn.BCELoss()(model(x), labels)

# %% check labels-outside
print(labels.unique())  # 0 and 255: a mask; also met: 1 and 2, -1 and 1
assert labels.unique().tolist() == [0, 255]

# %% fix labels-outside
import torch
from torch import nn

labels = (labels > 127).float()  # for -1 and 1: (labels + 1) / 2
loss = nn.BCELoss()(model(x), labels)

# %% proof labels-outside
assert torch.equal(labels, (x[:, :1] > 0).float()) and torch.allclose(loss, nn.functional.binary_cross_entropy(model(x), labels))

# %%
labels = (x[:, :1] > 0).float()
x[3, 2] = float("nan")  # one bad value in the data

# %% break became-nan
loss = nn.BCELoss()(model(x), labels)

# %% check became-nan
print(x.isfinite().all())  # False: the data
print(all(value.isfinite().all() for value in model.parameters()))  # False: weights
assert not x.isfinite().all()

# %% fix became-nan
import torch
from torch import nn

good = x.isfinite().all(1)  # the samples without nan or inf
loss = nn.BCELoss()(model(x[good]), labels[good])

# %% proof became-nan
assert good.sum() == 63 and not good[3] and loss.isfinite()
kept = [row for row in range(64) if row != 3]
assert torch.allclose(loss, nn.BCELoss()(model(x[kept]), labels[kept]))
loss.backward()
assert model[0].weight.grad.isfinite().all() and model[0].weight.grad.any()

# %% wrong targets-clamped
# The targets clamped to 0 and 1: they are all right, it is the input that holds `nan`.
loss = nn.BCELoss()(model(x), labels.clamp(0, 1))

# %%
device = torch.device("cuda")
x = torch.randn(64, 4, device=device)
labels = (x[:, :1] > 0).float()
model = model.to(device)

# %% break autocast
with torch.autocast("cuda", dtype=torch.float16):
    loss = nn.BCELoss()(model(x), labels)

# %% fix autocast
import torch
from torch import nn

with torch.autocast("cuda", dtype=torch.float16):
    outputs = model(x)
loss = nn.BCELoss()(outputs.float(), labels)  # outside of autocast, in float32

# %% proof autocast
assert loss.dtype == torch.float32 and abs(loss - nn.BCELoss()(model(x), labels)) < 1e-2
