# ---
# wordings:
#   - text: "output with shape [{out:shape}] doesn't match the broadcast shape [{wide:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: output with shape [1, 28, 28] doesn't match the broadcast shape [3, 28, 28]"
#   - text: "output with shape [] doesn't match the broadcast shape [{wide:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: output with shape [] doesn't match the broadcast shape [4]"
# tags: [broadcasting, shape, in-place, normalization]
# recover: fix
# related: [shapes/broadcast-mismatch, shapes/conv-channels]
# docs: ["https://docs.pytorch.org/docs/stable/notes/broadcasting.html#in-place-semantics"]
# cases: {one-channel: {wrong: {three-channels: "https://github.com/LeeJunHyun/Image_Segmentation/issues/37"}}}
# causes:
#   one-channel:
#     if: len(out) == 3 and len(wide) == 3 and out[0] == 1 and wide[0] == 3 and frames("normalize")
#     likely: len(out) == 3 and len(wide) == 3 and out[0] == 1 and wide[0] in [3, 4]
#     sample: |
#       Traceback (most recent call last):
#         File "/env/lib/python3.11/site-packages/torchvision/transforms/_functional_tensor.py", line 928, in normalize
#           return tensor.sub_(mean).div_(std)
#       RuntimeError: output with shape [1, 28, 28] doesn't match the broadcast shape [3, 28, 28]
#   half-batch:
#     if: len(out) == len(wide) and out[0] == 1 and wide[0] == 2 and len(out) != 3
#     likely: len(out) == len(wide) and out[0] == 1 and wide[0] == 2
#     sample: "RuntimeError: output with shape [1, 320, 64, 64] doesn't match the broadcast shape [2, 320, 64, 64]"
#   out-is-smaller:
#     likely: len(out) != len(wide) or not frames("normalize")
# ---

# %%
import torch

x = torch.rand(1, 28, 28)  # an image of one channel: grey
grey = x

# %% break one-channel
mean = torch.tensor([0.485, 0.456, 0.406]).view(-1, 1, 1)  # for colours
std = torch.tensor([0.229, 0.224, 0.225]).view(-1, 1, 1)
x.sub_(mean).div_(std)

# %% check one-channel
mean = [0.485, 0.456, 0.406]  # what Normalize is given
print(tuple(x.shape), len(mean))  # (1, 28, 28) 3
assert len(x) == 1 and len(mean) == 3

# %% fix one-channel
import torch

mean = torch.tensor([0.1307]).view(-1, 1, 1)  # one number for each channel
std = torch.tensor([0.3081]).view(-1, 1, 1)
x = x.sub(mean).div(std)

# %% proof one-channel
assert x.shape == (1, 28, 28)
torch.testing.assert_close(x, (grey - 0.1307) / 0.3081)

# %% wrong three-channels
# The grey image made into three channels, for a model that takes one: the three means fit, and the
# next layer raises.
mean = torch.tensor([0.485, 0.456, 0.406]).view(-1, 1, 1)
x = x.repeat(3, 1, 1).sub(mean)
torch.nn.Conv2d(1, 2, 3)(x[None])

# %% use one-channel
batch = []
for x in torch.rand(4, 1, 12, 14):
    # >>>
    mean = torch.tensor([0.485, 0.456, 0.406]).view(-1, 1, 1)
    std = torch.tensor([0.229, 0.224, 0.225]).view(-1, 1, 1)
    x.sub_(mean).div_(std)
    # <<<
    batch.append(x)
images = torch.stack(batch)
outputs = torch.nn.Conv2d(1, 2, 3)(images)
assert outputs.shape == (4, 2, 10, 12) and images.mean() > 0.5

# %%
loader = [torch.tensor([[1.0, -2.0], [0.5, 4.0], [3.0, 0.0]]), torch.ones(3, 2)]

# %% break out-is-smaller
total = torch.zeros(2)
for x in loader:
    total += x

# %% check out-is-smaller
total, x = torch.zeros(2), loader[0]
print(tuple(total.shape), tuple((total + x).shape))  # (2,) (3, 2)
assert (total + x).shape != total.shape

# %% fix out-is-smaller
import torch

total = torch.zeros(2)
for x in loader:
    total += x.sum(0)  # one row: the shape that total has

# %% proof out-is-smaller
assert total.tolist() == [7.5, 5.0]
