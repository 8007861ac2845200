# ---
# tags: [view, shape, cnn, transformer]
# recover: fix
# related: [shapes/view-noncontiguous, shapes/invalid-view-size, shapes/conv-channels]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.permute.html", "https://docs.pytorch.org/docs/stable/tensor_view.html"]
# causes:
#   channels:
#   heads:
#   batch-and-time:
# ---

# %%
import torch

images = torch.zeros(1, 4, 4, 3)  # (batch, height, width, channels), as files are read
images[..., 0] = 1.0  # all red

# %% break channels
x = images.reshape(1, 3, 4, 4)  # the right shape
print(x[0, 0])  # the red channel, which should be 1 everywhere
assert x[0, 0].mean() < 0.4

# %% check channels
from torchclinic import checks

rearrange = lambda x: x.reshape(1, 3, 4, 4)  # your line
print(checks.permutes(rearrange, (1, 4, 4, 3), (0, 3, 1, 2)))
assert "not where they belong" in str(
    checks.permutes(rearrange, (1, 4, 4, 3), (0, 3, 1, 2))
)

# %%
images = torch.rand(2, 4, 5, 3)

# %% fix channels
x = images.permute(0, 3, 1, 2)  # (batch, channels, height, width)

# %% proof channels
from torchclinic import checks

assert not checks.permutes(lambda images: images.permute(0, 3, 1, 2), (2, 4, 5, 3), (0, 3, 1, 2))
assert x.shape == (2, 3, 4, 5)
for channel in range(3):
    assert torch.equal(x[1, channel], images[1, :, :, channel])

# %%
x = torch.arange(6.0).reshape(1, 6, 1).expand(1, 6, 8)  # 6 places, each holds its number

# %% break heads
heads = x.reshape(1, 2, 6, 4)  # (batch, heads, places, features)
print(heads[0, 0, :, 0])  # the first head: places 0 to 5 are wanted
assert heads[0, 0, :, 0].tolist() == [0, 0, 1, 1, 2, 2]

# %% check heads
from torchclinic import checks

rearrange = lambda x: x.flatten(2).reshape(1, 2, 6, 4)  # your line, after flatten
print(checks.permutes(rearrange, (1, 6, 2, 4), (0, 2, 1, 3)))
assert checks.permutes(rearrange, (1, 6, 2, 4), (0, 2, 1, 3))

# %% fix heads
heads = x.unflatten(2, (2, 4)).transpose(1, 2)  # features into heads, then swap
y = heads.transpose(1, 2).flatten(2)  # and back

# %% proof heads
from torchclinic import checks

assert not checks.permutes(lambda x: x.flatten(2).unflatten(2, (2, 4)).transpose(1, 2), (1, 6, 2, 4), (0, 2, 1, 3))
assert heads.shape == (1, 2, 6, 4) and heads[0, 0, :, 0].tolist() == [0, 1, 2, 3, 4, 5]
assert torch.equal(y, x)
numbers = torch.arange(48.0).reshape(1, 6, 8)
assert torch.equal(numbers.unflatten(2, (2, 4)).transpose(1, 2)[0, 1], numbers[0, :, 4:])

# %%
x = torch.arange(3.0).reshape(1, 3, 1).expand(5, 3, 2)  # (time, batch, features): 3 samples

# %% break batch-and-time
sequences = x.reshape(3, 5, 2)  # (batch, time, features)
print(sequences[0, :, 0])  # the first sample: its own number, 0, is wanted
assert set(sequences[0, :, 0].tolist()) == {0, 1, 2}  # a mix of all three

# %% check batch-and-time
from torchclinic import checks

rearrange = lambda x: x.reshape(3, 5, 2)  # your line
print(checks.permutes(rearrange, (5, 3, 2), (1, 0, 2)))
assert checks.permutes(rearrange, (5, 3, 2), (1, 0, 2))

# %% fix batch-and-time
sequences = x.transpose(0, 1)  # (batch, time, features)

# %% proof batch-and-time
from torchclinic import checks

assert not checks.permutes(lambda x: x.transpose(0, 1), (5, 3, 2), (1, 0, 2))
assert sequences.shape == (3, 5, 2)
for sample in range(3):
    assert (sequences[sample] == sample).all()
