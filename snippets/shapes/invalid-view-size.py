# ---
# wordings:
#   - text: "shape '[{shape:line}]' is invalid for input of size {n:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: shape '[4, -1]' is invalid for input of size 6"
#   - text: "is invalid for input of size"
#     exception: RuntimeError
#   - text: "RuntimeError: shape '[{shape:shape}]"
#     exception: RuntimeError
#     near: ["view(", "reshape("]
#     sample: |
#       Traceback (most recent call last):
#         File "yolo.py", line 98, in forward
#           cx = x[i].view(-1, self.sl, x[i].shape[1], x[i].shape[2])
#       RuntimeError: shape '[-1, 2, 128, 80]
#   - text: "size '[{shape:line}]' is invalid for input with {n:int} elements"
#     exception: RuntimeError
#     sample: "RuntimeError: invalid argument 2: size '[1 x 8732 x 2]' is invalid for input with 8800 elements at /opt/conda/conda-bld/pytorch_1535493744281/work/aten/src/TH/THStorage.cpp:84"
#   - text: "size '[{shape:line}]' is invalid for input of with {n:int} elements"
#     exception: RuntimeError
#     sample: "RuntimeError: invalid argument 2: size '[2 x 5 x 5 x 128]' is invalid for input of with 12800 elements at /opt/conda/conda-bld/pytorch_1511304568725/work/torch/lib/TH/THStorage.c:41"
#   - text: "Could not reshape a tensor with shape"
#     exception: ValueError
#   - text: "cannot reshape tensor of 0 elements into shape [{shape:shape}] because the unspecified dimension size -1 can be any value and is ambiguous"
#     exception: RuntimeError
#     sample: "RuntimeError: cannot reshape tensor of 0 elements into shape [0, -1] because the unspecified dimension size -1 can be any value and is ambiguous"
#   - text: "unflatten: Provided sizes [{parts:shape}] don't multiply up to the size of dim {at:int} ({n:int}) in the input tensor"
#     exception: RuntimeError
#     sample: "RuntimeError: unflatten: Provided sizes [3, 5] don't multiply up to the size of dim 1 (16) in the input tensor"
# tags: [shape, view, cnn, batch-size, detection, transformer]
# picture: [parts, n, shape]
# recover: fix
# related: [shapes/view-noncontiguous]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.reshape.html", "https://docs.pytorch.org/docs/stable/generated/torch.flatten.html"]
# cases:
#   fixed-batch: {wrong: {drop-last: "https://github.com/ctallec/world-models/issues/25"}}
#   image-size: {wrong: {minus-one: "https://github.com/qijiezhao/pseudo-3d-pytorch/issues/28"}}
# causes:
#   fixed-batch:
#     if: >-
#       live.left.shape[0] != shape[0] and product(live.left.shape[1:]) == product(shape[1:]) and
#       len(shape) > 1
#     likely: >-
#       len(shape) > 1 and shape[0] > 1 and product(shape) > n and n % product(shape[1:]) == 0 and
#       not frames("attn", "attns", "attention", "Attention", "modeling_")
#   permute-meant:
#     if: begins(shape, "0, 3, 1, 2", "0, 2, 3, 1", "0, 2, 1", "0, 1, 3, 2")
#   empty:
#     if: n == 0 or paste("cannot reshape tensor of 0 elements")
#     sample: "RuntimeError: shape '[-1, 4, 100]' is invalid for input of size 0"
#   channels:
#     likely: >-
#       len(shape) > 2 and not frames("attn", "attns", "attention", "Attention", "modeling_") and (
#       (n * 3 == product(shape) or 3 * n == 4 * product(shape)) and (shape[1] == 3 and shape[0] % 3
#       != 0 or shape[-1] == 3 and shape[0] % 3 != 0 or len(shape) == 3 and shape[0] == 3) or n * 4
#       == product(shape) and (shape[1] == 4 or shape[-1] == 4) and shape[0] % 4 != 0 or n == 3 *
#       product(shape) and (shape[0] == 1 or shape[1] == 1 or shape[-1] == 1)) or len(shape) > 2 and
#       (n * 3 == product(shape) or n == 3 * product(shape)) and not frames("attn", "attns",
#       "attention", "Attention", "modeling_")
#   detection-head:
#     if: >-
#       len(shape) == 5 and shape[1] == 3 and shape[3] > 3 and shape[4] > 3 and n % (shape[0] *
#       shape[3] * shape[4]) == 0 and frames("yolo", "yolov", "YOLO", "Detect", "anchor", "anchors")
#     likely: len(shape) == 5 and shape[1] == 3 and shape[3] > 3 and shape[4] > 3 and n % (shape[0] * shape[3] * shape[4]) == 0
#     sample: "RuntimeError: shape '[1, 3, 85, 80, 64]' is invalid for input of size 655360"
#   heads:
#     likely: >-
#       len(shape) == 4 and n * 8 == product(shape) and frames("attn", "attns", "attention",
#       "Attention", "modeling_") or len(shape) == 4 and n % (shape[0] * shape[1]) == 0 and
#       frames("attn", "attns", "attention", "Attention", "modeling_")
#     sample: |
#       Traceback (most recent call last):
#         File "/env/lib/python3.10/site-packages/transformers/models/llama/modeling_llama.py", line 195, in forward
#           key_states = self.k_proj(hidden_states).view(bsz, q_len, self.num_heads, self.head_dim)
#       RuntimeError: shape '[1, 100, 64, 128]' is invalid for input of size 102400
#   image-size:
#     likely: >-
#       len(shape) == 4 and shape[0] > 0 and shape[2] == shape[3] and shape[2] > 1 and n >
#       product(shape[:2]) and square(n / product(shape[:2])) and n % product(shape[1:]) != 0 or
#       len(shape) == 4 and shape[0] > 0 and shape[2] == shape[3] and shape[2] > 1 and n >
#       product(shape[:2]) and square(n / product(shape[:2])) or len(shape) == 2 and shape[0] == -1
#       and shape[1] > 1 or len(shape) == 4 and shape[1] == shape[2] and n % shape[3] == 0 or
#       len(shape) == 4 and shape[1] in [1, 3] and shape[2] > 15 and shape[3] > 15 or len(shape) ==
#       3 and shape[2] in [1, 3] and shape[1] > 15 and shape[0] > 15
# ---

# %%
import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
dataset = torch.rand(19, 3, 4, 4)
loader = DataLoader(dataset, batch_size=8)

# %% break fixed-batch
for images in loader:
    flat = images.view(8, 48)

# %% check fixed-batch
print([len(images) for images in loader])  # [8, 8, 3]: the last batch is shorter
assert [len(images) for images in loader] == [8, 8, 3]

# %% fix fixed-batch
for images in loader:
    flat = images.flatten(1)  # keeps the batch, however many it holds

# %% proof fixed-batch
assert flat.shape == (3, 48)
assert torch.equal(flat[1], dataset[17].reshape(-1))

# %% use fixed-batch
head = nn.Linear(12, 2)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
loader = DataLoader(torch.rand(21, 3, 2, 2), batch_size=8)
answers = []
# >>>
for images in loader:
    flat = images.view(8, 12)
# <<<
    scores, labels = head(flat), images.sum((1, 2, 3)).gt(6).long()
    optimizer.zero_grad()
    nn.functional.cross_entropy(scores, labels).backward()
    optimizer.step()
    answers.extend(scores.argmax(1).tolist())
assert len(answers) == 21

# %% wrong drop-last
# `drop_last=True` in a loader that evaluates: no error, and the last samples get no answer.
loader = DataLoader(dataset, batch_size=8, drop_last=True)
seen = sum(len(images.view(8, 48)) for images in loader)
print(seen, "of", len(dataset))  # 16 of 19
assert seen < len(dataset)


# %%
class Model(nn.Module):
    """LeNet, for images of 32 x 32."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 6, 5), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.MaxPool2d(2))
        self.head = nn.Linear(16 * 5 * 5, 10)

    def forward(self, x):
        return self.head(self.features(x).view(-1, 16 * 5 * 5))


model = Model()
photos = images = torch.rand(2, 3, 48, 48)

# %% break image-size
model(images)

# %% check image-size
# [2, 16, 9, 9]: not the 5 x 5 that the model was built for
print(model.features(images).shape)
assert model.features(images).shape == (2, 16, 9, 9)

# %% fix image-size
from torch.nn.functional import interpolate

images = interpolate(images, size=(32, 32), mode="bilinear")
outputs = model(images)

# %% proof image-size
assert images.shape == (2, 3, 32, 32) and outputs.shape == (2, 10)
assert torch.allclose(outputs[1], model(images[1:])[0], atol=1e-6)  # one row for each image
assert torch.isin(images, photos).float().mean() < 0.01  # means of pixels, not copies
assert (images.mean((2, 3)) - photos.mean((2, 3))).abs().max() < 0.02

# %% wrong minus-one
# `view(-1, 400)` with images for which the numbers happen to fit: four rows for each of the two
# images, and the loss fails instead.
images = torch.rand(2, 3, 52, 52)
outputs = model(images)
nn.functional.cross_entropy(outputs, torch.tensor([0, 1]))

# %%
images = grey = torch.rand(1, 1, 40, 120)  # a grey picture

# %% break channels
images.view(1, 3, 40, 120)

# %% check channels
print(images.numel() / (40 * 120))  # 1 channel is there; 3 are asked for
assert images.numel() == 40 * 120

# %% fix channels
images = images.expand(-1, 3, -1, -1)  # grey three times; of RGBA: images[:, :3]

# %% proof channels
assert images.shape == (1, 3, 40, 120)
assert all(torch.equal(channel, grey[0, 0]) for channel in images[0])

# %%
x = torch.rand(2, 4, 6, 3)  # batch, height, width, channels

# %% break permute-meant
x.reshape(0, 3, 1, 2)

# %% check permute-meant
print(x.shape)  # the numbers in reshape are places of dimensions, not sizes
assert sorted((0, 3, 1, 2)) == list(range(x.dim()))

# %% fix permute-meant
x = x.permute(0, 3, 1, 2)  # batch, channels, height, width

# %% proof permute-meant
assert x.shape == (2, 3, 4, 6)
assert torch.equal(x[1, 2, :, 0], torch.stack([row[0, 2] for row in x.permute(0, 2, 3, 1)[1]]))
assert x.stride()[1] == 1  # the channels were last

# %%
loader = [torch.rand(3, 2, 4), torch.rand(0, 2, 4)]  # boxes of two images; the second has none
head = nn.Linear(8, 2)

# %% break empty
for boxes in loader:
    outputs = head(boxes.view(len(boxes), -1))

# %% check empty
print([boxes.numel() for boxes in loader])  # [24, 0]: one is empty
assert any(boxes.numel() == 0 for boxes in loader)

# %% fix empty
rows = []
for boxes in loader:
    if boxes.numel() == 0:  # nothing was found in this image
        continue
    rows.append(boxes.flatten(1))

# %% proof empty
assert len(rows) == 1 and torch.equal(rows[0][2, 4:], loader[0][2, 1])
assert head(rows[0]).shape == (3, 2)
