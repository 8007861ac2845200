# ---
# wordings:
#   - text: "Expected more than 1 value per channel when training, got input size torch.Size([{size:shape}])"
#     exception: ValueError
#     sample: "ValueError: Expected more than 1 value per channel when training, got input size torch.Size([1, 256, 1, 1])"
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
# rows: [S001-97]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html", "https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader"]
# ---

# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
dataset = TensorDataset(torch.randn(5, 3), torch.randn(5, 1))
model = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))

# %% break last-batch
for x, y in DataLoader(dataset, batch_size=2):  # 5 samples: batches of 2, 2 and 1
    (model(x) - y).pow(2).mean().backward()

# %% check last-batch
loader = DataLoader(dataset, batch_size=2)
print(len(loader.dataset) % loader.batch_size)  # 1: one sample is left over
assert len(loader.dataset) % loader.batch_size == 1

# %% fix last-batch
seen = []
for x, y in DataLoader(dataset, batch_size=2, drop_last=True):
    (model(x) - y).pow(2).mean().backward()
    seen.append(len(x))

assert seen == [2, 2]
assert model[0].weight.grad.abs().sum() > 0

# %% break batch-of-one
for x, y in DataLoader(dataset, batch_size=1):
    (model(x) - y).pow(2).mean().backward()

# %% check batch-of-one
loader = DataLoader(dataset, batch_size=1)
print(loader.batch_size)  # also 1 if several GPUs share a small batch: print x.shape[0] in the model's forward
assert len(next(iter(loader))[0]) == 1

# %% fix batch-of-one
model[1] = nn.GroupNorm(2, 8)  # normalises within each sample: 2 groups of 4 channels
for x, y in DataLoader(dataset, batch_size=1):
    (model(x) - y).pow(2).mean().backward()

together = model(dataset.tensors[0])
alone = torch.cat([model(x) for x, _ in DataLoader(dataset, batch_size=1)])
assert torch.allclose(together, alone, atol=1e-6)  # the batch size no longer matters
assert model[0].weight.grad.abs().sum() > 0

# %% break pooled-to-1x1
pooling = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(8, 4, 1, bias=False), nn.BatchNorm2d(4), nn.ReLU())
pooling(torch.rand(1, 8, 32, 32))  # one large image

# %% check pooled-to-1x1
pooling = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(8, 4, 1, bias=False), nn.BatchNorm2d(4), nn.ReLU())
print(pooling[:2](torch.rand(1, 8, 32, 32)).shape)  # what reaches the BatchNorm: 32x32 has become 1x1
assert pooling[:2](torch.rand(1, 8, 32, 32)).shape == (1, 4, 1, 1)

# %% fix pooled-to-1x1
pooling = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(8, 4, 1, bias=False), nn.GroupNorm(2, 4), nn.ReLU())
features = torch.rand(2, 8, 32, 32)
pooled = pooling(features[:1])

assert pooled.shape == (1, 4, 1, 1)
assert torch.allclose(pooled, pooling(features)[:1], atol=1e-6)

# %% break predicting
model(dataset.tensors[0])  # stands for the training
answer = model(dataset.tensors[0][:1])

# %% check predicting
print(model.training)  # True: train mode, which is where every new model begins
assert model.training

# %% fix predicting
model(dataset.tensors[0])  # stands for the training
model.eval()
with torch.no_grad():
    answer = model(dataset.tensors[0][:1])
    assert torch.allclose(answer, model(dataset.tensors[0])[:1], atol=1e-6)  # the same, alone or among others

# %% break fine-tuning
model(dataset.tensors[0])  # stands for the pretraining
model.train()
model(dataset.tensors[0][:1]).sum().backward()

# %% check fine-tuning
model(dataset.tensors[0])
print(model[1].num_batches_tracked)  # above 0: the layer has learned statistics that it can go on with
assert model[1].num_batches_tracked > 0

# %% fix fine-tuning
model(dataset.tensors[0])  # stands for the pretraining
learned = model[1].running_mean.clone()
model.train()
for module in model.modules():
    if isinstance(module, nn.modules.batchnorm._BatchNorm):
        module.eval()  # after every model.train()
model(dataset.tensors[0][:1]).sum().backward()

assert torch.equal(model[1].running_mean, learned)
assert model[1].weight.grad is not None  # its scale and shift are still trained

# %% break no-running-stats
model[1] = nn.BatchNorm1d(8, track_running_stats=False)
model.eval()
model(dataset.tensors[0][:1])

# %% check no-running-stats
model[1] = nn.BatchNorm1d(8, track_running_stats=False)
print(model[1].running_mean)  # None: nothing that eval() could use
assert model[1].running_mean is None

# %% fix no-running-stats
model[1] = nn.BatchNorm1d(8)  # tracks them unless told otherwise
for _ in range(100):  # stands for the training, in which they are gathered
    model(dataset.tensors[0])
model.eval()

hidden = model[0](dataset.tensors[0])
assert torch.allclose(model[1].running_mean, hidden.mean(0), atol=1e-3)
assert torch.allclose(model(dataset.tensors[0][:1]), model(dataset.tensors[0])[:1], atol=1e-6)

# %% break one-channel-per-group
norm = nn.GroupNorm(4, 4)
norm.eval()  # makes no difference to GroupNorm
norm(torch.rand(1, 4, 1, 1))

# %% check one-channel-per-group
norm = nn.GroupNorm(4, 4)
print(norm.num_channels // norm.num_groups)  # 1 channel in a group, of 1x1 here: one value again
assert norm.num_channels == norm.num_groups

# %% fix one-channel-per-group
norm = nn.GroupNorm(2, 4)
x = torch.rand(1, 4, 1, 1)
pairs = norm(x).view(2, 2)

assert torch.allclose(pairs.mean(1), torch.zeros(2), atol=1e-5)

# %% break instance-norm
encoder = nn.Sequential(*[nn.Conv2d(3, 3, 4, stride=2, padding=1) for _ in range(5)], nn.InstanceNorm2d(3))
encoder(torch.rand(2, 3, 32, 32))  # halved five times: 1x1

# %% check instance-norm
encoder = nn.Sequential(*[nn.Conv2d(3, 3, 4, stride=2, padding=1) for _ in range(5)], nn.InstanceNorm2d(3))
print(encoder[:-1](torch.rand(2, 3, 32, 32)).shape)  # the last two sizes count, not the batch
assert encoder[:-1](torch.rand(2, 3, 32, 32)).shape[2:] == (1, 1)

# %% fix instance-norm
encoder = nn.Sequential(*[nn.Conv2d(3, 3, 4, stride=2, padding=1) for _ in range(5)], nn.InstanceNorm2d(3))
features = encoder(torch.rand(2, 3, 64, 64))  # or one halving less

assert features.shape == (2, 3, 2, 2)
assert torch.allclose(features.mean((2, 3)), torch.zeros(2, 3), atol=1e-4)
