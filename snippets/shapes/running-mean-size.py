# ---
# wordings:
#   - text: "running_mean should contain {want:int} elements not {got:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: running_mean should contain 64 elements not 32"
#   - text: "running_var should contain {want:int} elements not {got:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: running_var should contain 64 elements not 32"
#   - text: "weight should contain {want:int} elements not {got:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: weight should contain 3 elements not 4"
#   - text: "expected input's size at dim={_:int} to match num_features ({got:int}), but got: {want:int}."
#     exception: ValueError
#     sample: "ValueError: expected input's size at dim=1 to match num_features (4), but got: 3."
#   - text: "Given normalized_shape=[{normalized:shape}], expected input with shape [{_:line}], but got input of size[{shape:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: Given normalized_shape=[4], expected input with shape [*, 4], but got input of size[2, 3]"
#   - text: "Expected number of channels in input to be divisible by num_groups, but got input of shape [{shape:shape}] and num_groups={groups:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected number of channels in input to be divisible by num_groups, but got input of shape [2, 3, 5, 5] and num_groups=2"
# tags: [batchnorm, normalization, shape, cnn]
# picture: [channels, want, got]
# recover: fix
# related: [shapes/conv-channels, nn/bn-one-value, shapes/matmul-shapes]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html", "https://docs.pytorch.org/docs/stable/generated/torch.nn.LayerNorm.html"]
# causes:
#   other-layers:
#     likely: >-
#       live.input.shape[1] != live.layer.num_features and live.input.shape[-1] !=
#       live.layer.num_features
#     undecided: what the layers before give is not told apart from swapped dimensions
#   doubled:
#     if: live("input", "by cat")
#     undecided: twice a number of channels comes from a layer of the wrong width as well
#   features-last:
#     if: >-
#       live.input.shape[-1] == live.layer.num_features and live.input.shape[1] !=
#       live.layer.num_features
#     undecided: the shape of the input is not printed
#   layer-norm:
#     if: read(normalized)
#   groups:
#     if: read(groups)
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
images = torch.rand(4, 3, 8, 8)

# %% break other-layers
model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.BatchNorm2d(32), nn.ReLU())
outputs = model(images)

# %% check other-layers
model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.BatchNorm2d(32), nn.ReLU())
print(model[0](images).shape[1], model[1].num_features)  # 64 come, 32 are built in
assert model[0](images).shape[1] != model[1].num_features

# %% fix other-layers
from torch import nn

model = nn.Sequential(
    nn.Conv2d(3, 64, 3),
    nn.BatchNorm2d(64),  # as many as the convolution before gives
    nn.ReLU(),
)
outputs = model(images)

# %% proof other-layers
features = model[0](images)
mean, var = features.mean((0, 2, 3), keepdim=True), features.var((0, 2, 3), False, keepdim=True)
right = ((features - mean) / (var + 1e-5).sqrt()).clamp(min=0)
torch.testing.assert_close(outputs, right, atol=1e-4, rtol=1e-3)

# %% use other-layers
# >>>
model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.BatchNorm2d(32), nn.ReLU())
# <<<
head = nn.Linear(64, 2)
optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.1)
for images in torch.rand(2, 5, 3, 7, 9):
    outputs = model(images)
    optimizer.zero_grad()
    nn.functional.cross_entropy(head(outputs.mean((2, 3))), torch.arange(5) % 2).backward()
    optimizer.step()
assert outputs.shape == (5, 64, 5, 7) and model[1].num_batches_tracked >= 2

# %%
encoder, decoder = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 16, 3, padding=1)

# %% break doubled
skip = encoder(images)
joined = torch.cat([skip, decoder(skip)], dim=1)  # 16 + 16 channels
outputs = nn.BatchNorm2d(16)(joined)

# %% check doubled
skip = encoder(images)
print(torch.cat([skip, decoder(skip)], dim=1).shape[1])  # 32
assert torch.cat([skip, decoder(skip)], dim=1).shape[1] == 32

# %%
joined = torch.cat([encoder(images), decoder(encoder(images))], dim=1)
x, kept = joined, joined

# %% fix doubled
from torch import nn

model = nn.BatchNorm2d(x.shape[1])  # behind a cat, the channels of all parts
outputs = model(x)

# %% proof doubled
assert model.num_features == 32 and x is kept
torch.testing.assert_close(outputs.mean((0, 2, 3)), torch.zeros(32), atol=1e-5, rtol=0)

# %%
x = torch.rand(4, 10, 6)  # batch, steps, features: as a linear layer or a transformer gives
model = nn.BatchNorm1d(6)

# %% break features-last
outputs = model(x)

# %% check features-last
print(x.shape, model.num_features)  # 10 steps stand where 6 features should
assert x.shape[2] == model.num_features

# %% fix features-last
outputs = model(x.transpose(1, 2)).transpose(1, 2)  # features second, then back

# %% proof features-last
right = nn.BatchNorm1d(6)(x.reshape(40, 6)).view(4, 10, 6)
torch.testing.assert_close(outputs, right)

# %%
x = torch.rand(4, 10, 6)

# %% break layer-norm
outputs = nn.LayerNorm(10)(x)

# %% check layer-norm
print(x.shape[-1])  # LayerNorm looks at the last number
assert x.shape[-1] == 6

# %% fix layer-norm
from torch import nn

model = nn.LayerNorm(x.shape[-1])
outputs = model(x)

# %% proof layer-norm
right = (x - x.mean(-1, keepdim=True)) / (x.var(-1, False, keepdim=True) + 1e-5).sqrt()
torch.testing.assert_close(outputs, right)

# %%
x = torch.rand(4, 20, 5, 5)

# %% break groups
outputs = nn.functional.group_norm(x, 32)

# %% check groups
print(x.shape[1] % 32)  # 20 channels cannot be cut into 32 groups
assert x.shape[1] % 32 != 0

# %% fix groups
from torch import nn

model = nn.GroupNorm(5, x.shape[1])  # 5 groups of 4 channels
outputs = model(x)

# %% proof groups
assert outputs.view(4, 5, -1).mean(-1).abs().max() < 1e-5 and outputs.view(4, 20, -1).mean(-1).abs().max() > 1e-3
