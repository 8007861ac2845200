# ---
# wordings:
#   - text: "Expected more than 1 value per channel when training, got input size torch.Size([{size:shape}])"
#     exception: ValueError
#     sample: "ValueError: Expected more than 1 value per channel when training, got input size torch.Size([1, 8])"
#   - text: "Expected more than 1 value per channel when training, got input size [{size:shape}]"
#     exception: ValueError
#     sample: "ValueError: Expected more than 1 value per channel when training, got input size [1, 4, 1, 1]"
#   - text: "Expected more than 1 value per channel when training, got input size torch.size([{size:shape}])"
#     exception: ValueError
#     sample: "Expected more than 1 value per channel when training, got input size torch.size([1,512,1,1])"
#   - text: "Expected more than 1 value per channel when training"
#     exception: ValueError
#   - text: "Expected more than 1 spatial element when training, got input size torch.Size([{map:shape}])"
#     exception: ValueError
#     sample: "ValueError: Expected more than 1 spatial element when training, got input size torch.Size([32, 512, 1, 1])"
#   - text: "Expected more than 1 spatial element when training"
#     exception: ValueError
# tags: [batchnorm, normalization, batch-size, segmentation, inference, fine-tuning, shape]
# recover: fix
# rows: [S001-97]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html", "https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader"]
# cases:
#   batch-of-one: {wrong: {drop-last: "https://github.com/TRAILab/CaDDN/issues/103"}}
#   fine-tuning:
#     survives:
#       "without: model.train()": a new model is in train mode already; the line is there to show the order
#       "back: model(dataset.tensors[0]) # stands for the training": more training before the fix takes nothing from it
# causes:
#   last-batch:
#     if: >-
#       live.loader.batch_size > 1 and not live("run", "in no_grad") and not live("layer", "eval")
#     undecided: the last batch and a single row at any other time print the same
#   batch-of-one:
#     if: >-
#       live.loader.batch_size == 1 and len(size) == 2 and not live("run", "in no_grad") and not
#       live("layer", "eval")
#     likely: >-
#       paste("in replica 0") or live("run", "goes into backward") and len(size) == 2 and not
#       live("layer", "trained before") or len(size) > 2 and size[0] == 1 and not frames("group_norm",
#       "GroupNorm", "deeplab", "deeplabv", "pspnet", "aspp", "ASPP", "eval", "evaluate", "valid",
#       "validate", "validation", "infer", "inference", "predict", "prediction", "export",
#       "summary")
#     undecided: without DataParallel nothing is printed that tells a batch size of 1 from a last batch of one
#     sample: |
#       ValueError: Caught ValueError in replica 0 on device 0.
#         File "model.py", line 20, in forward
#           h = self.norm(self.linear(x))
#       ValueError: Expected more than 1 value per channel when training, got input size torch.Size([1, 256])
#   pooled-to-1x1:
#     if: >-
#       live.loader.batch_size == 1 and len(size) > 2 and not live("run", "in no_grad") and not
#       live("layer", "eval")
#     likely: >-
#       len(size) > 2 and not paste("in replica 0") and not frames("group_norm", "GroupNorm",
#       "eval", "evaluate", "evaluation", "evaluator", "valid", "validate", "validation", "infer",
#       "inference", "predict", "prediction", "predictions", "export", "exporter", "summary")
#     undecided: a batch of one sample prints the same behind any pooling to 1x1
#     sample: |
#       Traceback (most recent call last):
#         File "torchvision/models/segmentation/deeplabv3.py", line 61, in forward
#           x = mod(x)
#       ValueError: Expected more than 1 value per channel when training, got input size torch.Size([1, 256, 1, 1])
#   predicting:
#     if: live("run", "in no_grad") or live("run", "in inference_mode")
#     likely: >-
#       live("layer", "train", "trained before") and not live("run", "goes into backward") or frames("eval", "evaluate", "evaluation", "evaluator", "valid", "validate", "validation",
#       "infer", "inference", "predict", "prediction", "predictions", "export", "exporter",
#       "summary")
#     undecided: a call in the middle of a file names no function that predicts
#     sample: |
#       Traceback (most recent call last):
#         File "app.py", line 31, in predict
#           scores = model(image)
#       ValueError: Expected more than 1 value per channel when training, got input size torch.Size([1, 128])
#   fine-tuning:
#     likely: >-
#       live("layer", "trained before") and live("run", "goes into backward") and not live("run",
#       "in a loop")
#     undecided: whether the layer was trained before is not printed
#   no-running-stats:
#     if: live("layer", "eval", "track_running_stats=False")
#     undecided: whether the layer keeps statistics is not printed
#   one-channel-per-group:
#     if: frames("group_norm", "GroupNorm")
#   instance-norm:
#     if: paste("more than 1 spatial element")
# ---

# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
dataset = TensorDataset(torch.randn(5, 3), torch.randn(5, 1))
model = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
loss_fn = nn.MSELoss()
x = dataset.tensors[0][:1]  # a single sample

# %% break last-batch
loader = DataLoader(dataset, batch_size=2)  # 5 samples: 2, 2 and 1
for inputs, targets in loader:
    loss_fn(model(inputs), targets).backward()

# %% check last-batch
loader = DataLoader(dataset, batch_size=2)
print(len(loader.dataset) % loader.batch_size)  # 1: one sample is left over
assert len(loader.dataset) % loader.batch_size == 1

# %% fix last-batch
from torch.utils.data import DataLoader

loader = DataLoader(dataset, batch_size=2, drop_last=True)

# %% proof last-batch
sizes = []
for inputs, targets in loader:
    loss_fn(model(inputs), targets).backward()
    sizes.append(len(inputs))
assert sizes == [2, 2]
assert model[0].weight.grad.abs().sum() > 0

# %% use last-batch
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(2):
    # >>>
    loader = DataLoader(dataset, batch_size=2)
    # <<<
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss_fn(model(inputs), targets).backward()
        optimizer.step()
assert model[1].num_batches_tracked == 4
model.eval()
assert model(x).shape == (1, 1)

# %% break batch-of-one
loader = DataLoader(dataset, batch_size=1)
for inputs, targets in loader:
    loss_fn(model(inputs), targets).backward()

# %% check batch-of-one
loader = DataLoader(dataset, batch_size=1)
print(loader.batch_size)  # or it is shared by GPUs: print x.shape[0] in forward
assert len(next(iter(loader))[0]) == 1

# %% fix batch-of-one
from torch import nn

# in place of BatchNorm1d(8): 2 groups of 4 channels, within each sample
model[1] = nn.GroupNorm(2, 8)

# %% proof batch-of-one
for inputs, targets in DataLoader(dataset, batch_size=1):
    loss_fn(model(inputs), targets).backward()
assert model[0].weight.grad.abs().sum() > 0
together = model(dataset.tensors[0])
alone = torch.cat([model(inputs) for inputs, _ in DataLoader(dataset, batch_size=1)])
assert torch.allclose(together, alone, atol=1e-6)  # the batch size no longer matters
groups = model[:2](dataset.tensors[0]).view(5, 2, 4)
assert groups.mean(2).abs().max() < 1e-5 and (groups.var(2, unbiased=False) - 1).abs().max() < 1e-2  # and it does normalise

# %% wrong drop-last
# `drop_last=True`: with a batch size of 1 every batch is full, and none is dropped. The same error.
loader = DataLoader(dataset, batch_size=1, drop_last=True)
for inputs, targets in loader:
    loss_fn(model(inputs), targets).backward()

# %% break pooled-to-1x1
layers = nn.AdaptiveAvgPool2d(1), nn.Conv2d(64, 256, 1, bias=False)
pooling = nn.Sequential(*layers, nn.BatchNorm2d(256), nn.ReLU())
pooling(torch.rand(1, 64, 32, 32))  # one large image

# %% check pooled-to-1x1
layers = nn.AdaptiveAvgPool2d(1), nn.Conv2d(64, 256, 1, bias=False)
pooled = nn.Sequential(*layers)(torch.rand(1, 64, 32, 32))
print(pooled.shape)  # what reaches the BatchNorm: 32x32 has become 1x1
assert pooled.shape == (1, 256, 1, 1)

# %% fix pooled-to-1x1
from torch import nn

layers = nn.AdaptiveAvgPool2d(1), nn.Conv2d(64, 256, 1, bias=False)
# in place of BatchNorm2d(256): 8 channels a group, so 8 values even on a 1x1 map
pooling = nn.Sequential(*layers, nn.GroupNorm(32, 256), nn.ReLU())

# %% proof pooled-to-1x1
images = torch.rand(3, 64, 32, 32)
pooled = pooling[:3](images)
assert torch.allclose(pooling[:3](images[:1]), pooled[:1], atol=1e-5)  # alone as among others
groups = pooled.view(3, 32, 8)
assert groups.mean(2).abs().max() < 1e-4 and (groups.var(2, unbiased=False) - 1).abs().max() < 0.05  # normalised
assert len(pooled.round(decimals=2).unique()) > 100  # many values: the picture is still in them
assert (pooled[0] - pooled[1]).abs().mean() > 0.01  # two pictures, two answers
assert pooling(images).min() == 0 and pooling[1].bias is None

# %% break predicting
model(dataset.tensors[0])  # stands for the training
answer = model(x)

# %% check predicting
print(model.training)  # True: train mode, which is where every new model begins
assert model.training

# %% fix predicting
import torch

model.eval()
with torch.no_grad():
    answer = model(x)

# %% proof predicting
assert torch.allclose(answer, model(dataset.tensors[0])[:1], atol=1e-6)  # the same, alone or among others
assert not answer.requires_grad

# %% break fine-tuning
model(dataset.tensors[0])  # stands for the training
model.train()
loss_fn(model(x), dataset.tensors[1][:1]).backward()

# %% check fine-tuning
model(dataset.tensors[0])
print(model[1].num_batches_tracked)  # above 0: it has learned statistics to use
assert model[1].num_batches_tracked > 0

# %% fix fine-tuning
from torch import nn

model.train()
for module in model.modules():
    if isinstance(module, nn.modules.batchnorm._BatchNorm):
        module.eval()  # after every model.train()

# %% proof fine-tuning
learned = model[1].running_mean.clone()
loss_fn(model(x), dataset.tensors[1][:1]).backward()
assert torch.equal(model[1].running_mean, learned) and model.training
assert model[1].weight.grad is not None  # its scale and shift are still trained

# %%
model[1] = nn.BatchNorm1d(8, track_running_stats=False)

# %% break no-running-stats
model.eval()
model(x)

# %% check no-running-stats
print(model[1].running_mean)  # None: nothing that eval() could use
assert model[1].running_mean is None

# %% fix no-running-stats
from torch import nn

model[1] = nn.BatchNorm1d(8)  # tracks them unless told otherwise; then train on

# %% proof no-running-stats
for _ in range(100):  # stands for the training, in which they are gathered
    model(dataset.tensors[0])
model.eval()
hidden = model[0](dataset.tensors[0])
assert torch.allclose(model[1].running_mean, hidden.mean(0), atol=1e-3)
normalised = model[1](hidden)
assert normalised.mean(0).abs().max() < 1e-2
assert torch.allclose(model(x), model(dataset.tensors[0])[:1], atol=1e-6)

# %% break one-channel-per-group
norm = nn.GroupNorm(4, 4)
norm.eval()  # makes no difference to GroupNorm
norm(torch.rand(1, 4, 1, 1))

# %% check one-channel-per-group
norm = nn.GroupNorm(4, 4)
print(norm.num_channels // norm.num_groups)  # 1 channel of 1x1 a group: one value
largest = norm(torch.rand(2, 4, 1, 1)).abs().max()
print(largest < 1e-4)  # two samples raise nothing, and everything becomes 0: worse
assert norm.num_channels == norm.num_groups and largest < 1e-4

# %% fix one-channel-per-group
from torch import nn

norm = nn.GroupNorm(1, 4)  # all channels in one group

# %% proof one-channel-per-group
samples = torch.rand(3, 4, 1, 1)
normalised = torch.cat([norm(sample[None]) for sample in samples]).flatten(1)
assert normalised.mean(1).abs().max() < 1e-5 and (normalised.var(1, unbiased=False) - 1).abs().max() < 1e-2
assert len(normalised.round(decimals=3).unique()) == 12  # not the same few numbers whatever goes in

# %% break instance-norm
encoder = nn.Sequential(
    *[nn.Conv2d(3, 3, 4, stride=2, padding=1) for _ in range(5)],
    nn.InstanceNorm2d(3),
)
encoder(torch.rand(2, 3, 32, 32))  # halved five times: 1x1

# %% check instance-norm
halvings = [nn.Conv2d(3, 3, 4, stride=2, padding=1) for _ in range(5)]
features = nn.Sequential(*halvings)(torch.rand(2, 3, 32, 32))
print(features.shape)  # the last two sizes count, not the batch
assert features.shape[2:] == (1, 1)

# %% fix instance-norm
from torch import nn

# one less; or larger images
halvings = [nn.Conv2d(3, 3, 4, stride=2, padding=1) for _ in range(4)]
encoder = nn.Sequential(*halvings, nn.InstanceNorm2d(3))

# %% proof instance-norm
features = encoder(torch.rand(2, 3, 32, 32))
assert features.shape == (2, 3, 2, 2)
assert features.mean((2, 3)).abs().max() < 1e-4 and features.abs().max() > 0.1
