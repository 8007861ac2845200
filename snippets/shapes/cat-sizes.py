# ---
# wordings:
#   - text: "Sizes of tensors must match except in dimension {dim:int}. Expected size {want:int} but got size {got:int} for tensor number {i:int} in the list"
#     exception: RuntimeError
#     sample: "RuntimeError: Sizes of tensors must match except in dimension 0. Expected size 2 but got size 3 for tensor number 1 in the list."
#   - text: "Sizes of tensors must match except in dimension {dim:int}. Got {want:int} and {got:int} in dimension {at:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: invalid argument 0: Sizes of tensors must match except in dimension 1. Got 24 and 25 in dimension 2 at /pytorch/aten/src/THC/generic/THCTensorMath.cu:71"
#   - text: "Sizes of tensors must match except in dimension {dim:int}. Expected {want:int} in dimension {at:int} but got {got:int} for tensor number {i:int} in the list"
#     exception: RuntimeError
#     sample: "RuntimeError: Sizes of tensors must match except in dimension 0. Expected 2 in dimension 1 but got 3 for tensor number 1 in the list"
#   - text: "Sizes of tensors must match except in dimension"
#     exception: RuntimeError
#   - text: "Expected size {want:int} but got size {got:int} for tensor number {i:int} in the list"
#     exception: RuntimeError
#     sample: "Expected size 17 but got size 9 for tensor number 1 in the list."
#   - text: "Tensors must have same number of dimensions: got {a:int} and {b:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: Tensors must have same number of dimensions: got 2 and 1"
#   - text: "Tensors must have same number of dimensions"
#     exception: RuntimeError
#   - text: "inconsistent tensor sizes at"
#     exception: RuntimeError
#   - text: "zero-dimensional tensor (at position {position:int}) cannot be concatenated"
#     exception: RuntimeError
#     sample: "RuntimeError: zero-dimensional tensor (at position 0) cannot be concatenated"
#   - text: "Input tensor at index {i:int} has invalid shape [{piece:shape}], but expected [{first:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: Input tensor at index 1 has invalid shape [2, 5, 5], but expected [2, 9, 5]"
#   - text: "Gather got an input of invalid size: got [{piece:shape}], but expected [{first:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: Gather got an input of invalid size: got [1, 230], but expected [1, 231] (gather at /pytorch/torch/csrc/cuda/comm.cpp:227)"
# tags: [shape, cnn, segmentation, comfyui]
# picture: [tiles, want, got, i, dim]
# recover: fix
# related: [shapes/stack-sizes, shapes/broadcast-mismatch]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.cat.html"]
# cases:
#   odd-size: {wrong: {even-size: "https://github.com/lbktrinh/UNet_scAG/issues/1"}}
#   replicas: {silent: true}
#   cache: {silent: true}
# causes:
#   odd-size:
#     likely: >-
#       dim == 1 and want - got in [1, -1] and want > 16 and want < 700 or dim in [2, 3] and want -
#       got in [1, -1] and want > 4 and want < 700
#   numbers:
#     if: read(position)
#   missing-dimension:
#     if: read(a) and read(b)
#   other-model:
#     likely: >-
#       paste("omfy", "diffus", "webui", "custom_nodes", "RWKV", "rwkv", "peft", "transformers") and
#       (want in [128, 320, 640, 768, 1024, 1280, 2048, 2560, 3072, 3584, 4096, 5120] and got in
#       [768, 1024, 1280, 2048, 2560, 3072, 3584, 4096, 5120] or want in [16, 128, 4] and got in
#       [16, 128, 4])
#     sample: |
#       Traceback (most recent call last):
#         File "ComfyUI/comfy/ldm/model.py", line 40, in forward
#       RuntimeError: Sizes of tensors must match except in dimension 1. Expected size 768 but got size 1280 for tensor number 1 in the list.
#   levels:
#     likely: >-
#       ((want == 2 * got or want == 2 * got - 1 or got == 2 * want or got == 2 * want - 1) and want
#       > 6) and not (want % 77 == 0 and got % 77 == 0)
#     sample: "Expected size 17 but got size 9 for tensor number 1 in the list."
#   prompts:
#     likely: >-
#       want != got and want % 77 == 0 and got % 77 == 0 and want < 400 and got < 400
#     sample: |
#       RuntimeError: Sizes of tensors must match except in dimension 0. Expected size 77 but got size 154 for tensor number 1 in the list.
#   wrong-dimension:
#     if: dim != 0 and live("left", "differ in dim 0")
#     undecided: that the sizes differ in the dimension of the batch is not printed
#   cache:
#     likely: len(piece) == 5 and piece[0] == 2
#     sample: "RuntimeError: Input tensor at index 2 has invalid shape [2, 10, 12, 1024, 64], but expected [2, 11, 12, 1024, 64]"
#   replicas:
#     likely: read(piece)
#     undecided: why the pieces differ is not printed
#     sample: "RuntimeError: Input tensor at index 1 has invalid shape [2, 5, 5], but expected [2, 9, 5]"
#   last-piece:
#     likely: dim == 0 and want > 1000 and got > 0 and got < want and i > 1
#     sample: |
#       RuntimeError: Sizes of tensors must match except in dimension 0. Expected size 80000 but got size 79368 for tensor number 12 in the list.
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)


class UNet(nn.Module):
    """One level of a U-Net: halve, double, and lay both side by side."""

    def forward(self, x):
        half = nn.functional.max_pool2d(x, 2)
        return torch.cat([x, nn.functional.interpolate(half, scale_factor=2)], dim=1)


model = UNet()
images = torch.rand(1, 3, 108, 107)

# %% break odd-size
model(images)

# %% check odd-size
# [0, 1]: an odd width cannot be halved
print([size % 2 for size in images.shape[2:]])
assert images.shape[3] % 2

# %% fix odd-size
from torch.nn.functional import pad

height, width = images.shape[2:]
images = pad(images, (0, -width % 32, 0, -height % 32))  # up to a multiple of 32
outputs = model(images)[..., :height, :width]

# %% proof odd-size
assert images.shape == (1, 3, 128, 128) and outputs.shape == (1, 6, 108, 107)
assert torch.equal(outputs[:, :3], images[..., :108, :107]) and images[..., 107:].abs().max() == 0
assert images[:, :, 107, 106].min() > 0  # the picture lies in the corner where it was

# %% use odd-size
model = nn.Sequential(UNet(), nn.Conv2d(6, 2, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for images in (torch.rand(2, 3, 45, 50), torch.rand(1, 3, 64, 33)):
    labels = (images[:, 0] > 0.5).long()
    # >>>
    outputs = model(images)
    # <<<
    optimizer.zero_grad()
    nn.functional.cross_entropy(outputs, labels).backward()
    optimizer.step()
assert outputs.shape == (1, 2, 64, 33) and model[1].weight.grad.any()

# %% wrong even-size
# An even height and width: 540 halved four times is 33, which is odd. A network that halves five
# times needs multiples of 32.
small = torch.rand(1, 3, 540, 768)
for _ in range(5):
    large, small = small, nn.functional.max_pool2d(small, 2)
torch.cat([large, nn.functional.interpolate(small, scale_factor=2)], dim=1)

# %%
x = torch.rand(4, 8)
y = torch.rand(4)  # one more value for each row

# %% break missing-dimension
torch.cat([x, y], dim=1)

# %% check missing-dimension
print(x.dim(), y.dim())  # 2 and 1
assert x.dim() != y.dim()

# %% fix missing-dimension
import torch

x = torch.cat([x, y[:, None]], dim=1)  # [4, 8] and [4, 1]

# %% proof missing-dimension
assert x.shape == (4, 9) and torch.equal(x[:, 8], y)

# %%
x = torch.rand(11, 8)
loader = x.split(4)
model = nn.Linear(8, 3)

# %% break wrong-dimension
outputs = torch.cat([model(batch) for batch in loader], dim=1)

# %% check wrong-dimension
# what differs is dimension 0: join along it
print([tuple(model(batch).shape) for batch in loader])
assert len({model(batch).shape[1] for batch in loader}) == 1

# %% fix wrong-dimension
import torch

outputs = torch.cat([model(batch) for batch in loader])  # dim=0 is the default

# %% proof wrong-dimension
torch.testing.assert_close(outputs, model(x))
assert outputs.requires_grad

# %% break numbers
losses = torch.cat([model(batch).mean() for batch in loader])

# %% check numbers
print(model(x).mean().shape)  # []: a number has no dimension to join along
assert model(x).mean().dim() == 0

# %% fix numbers
import torch

# stack makes the dimension
losses = torch.stack([model(batch).mean() for batch in loader])

# %% proof numbers
assert losses.shape == (3,) and torch.equal(losses[2], model(x[8:]).mean()) and losses.requires_grad

# %%
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

model = nn.GRU(6, 5, batch_first=True)
x, lengths = torch.rand(4, 9, 6), torch.tensor([9, 7, 5, 4])

# %% break replicas
def forward(x, lengths):
    packed = pack_padded_sequence(x, lengths, batch_first=True)
    return pad_packed_sequence(model(packed)[0], batch_first=True)[0]


# nn.DataParallel gives each of two GPUs half of the batch
pieces = [forward(*half) for half in zip(x.chunk(2), lengths.chunk(2))]
print([tuple(piece.shape) for piece in pieces])
assert [piece.shape[1] for piece in pieces] == [9, 5]

# %% check replicas
# the longest of each half: each GPU pads to its own
print([half.max().item() for half in lengths.chunk(2)])
assert lengths[:2].max() != lengths[2:].max()

# %% fix replicas
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def forward(x, lengths):
    packed = pack_padded_sequence(x, lengths, batch_first=True)
    outputs, _ = model(packed)
    length = x.shape[1]  # the same on every GPU
    return pad_packed_sequence(outputs, batch_first=True, total_length=length)[0]

# %% proof replicas
for lengths in (lengths, torch.tensor([8, 8, 6, 2])):  # the second leaves the last place empty
    halves = zip(x.chunk(2), lengths.chunk(2))
    outputs = torch.cat([forward(*half) for half in halves])
    assert outputs.shape == (4, 9, 5)
    for row, values, length in zip(outputs, x, lengths):
        torch.testing.assert_close(row[:length], model(values[:length])[0])
        assert not row[length:].any()

# %%
x = kept = torch.rand(1, 4, 17, 17)  # what the encoder kept
y = small = torch.rand(1, 4, 9, 9, requires_grad=True)  # from one level further down

# %% break levels
x = torch.cat([x, y], dim=1)

# %% check levels
print(x.shape[2:], y.shape[2:])  # [17, 17] and [9, 9]: one level apart
assert x.shape[2] > 1.5 * y.shape[2]

# %% fix levels
import torch
from torch.nn.functional import interpolate

y = interpolate(y, size=x.shape[2:])  # to the size of the other map
x = torch.cat([x, y], dim=1)

# %% proof levels
assert x.shape == (1, 8, 17, 17) and torch.equal(x[:, :4], kept)
for place in (0, -1):
    assert torch.equal(x[:, 4:, place, place], small[:, :, place, place])
assert torch.isin(x[:, 4:], small).all()
x.sum().backward()
assert small.grad.all()

# %%
prompt = torch.rand(1, 154, 6)  # two pieces of 77 tokens
negative = torch.rand(1, 77, 6)  # one piece
end = torch.rand(1, 77, 6)  # what the text encoder gives for an empty text

# %% break prompts
both = torch.cat([negative, prompt])

# %% check prompts
print(prompt.shape, negative.shape)  # 154 and 77 tokens
assert prompt.shape[1] == 2 * negative.shape[1]

# %% fix prompts
import torch


def as_long(embeds, other, empty):
    """Pieces of an empty text behind the shorter prompt."""
    missing = (other.shape[1] - embeds.shape[1]) // empty.shape[1]
    return torch.cat([embeds, *[empty] * missing], dim=1)

# %% proof prompts
both = torch.cat([as_long(negative, prompt, end), as_long(prompt, negative, end)])
assert torch.equal(both[0], torch.cat([negative, end], dim=1)[0]) and torch.equal(both[1], prompt[0])
longer = torch.rand(1, 231, 6)
assert torch.equal(as_long(negative, longer, end), torch.cat([negative, end, end], dim=1))

# %%
class Language(nn.Module):  # gives its loss, and a cache: [2, batch, heads, tokens, values]
    def __init__(self):
        super().__init__()
        self.embed, self.head = nn.Embedding(9, 8), nn.Linear(8, 9)

    def forward(self, x, use_cache=True):
        hidden = self.embed(x)
        loss = nn.functional.cross_entropy(self.head(hidden).flatten(0, 1), x.flatten())
        cache = torch.stack([hidden, hidden]).unflatten(-1, (2, 4)).transpose(2, 3)
        return {"loss": loss, "cache": cache} if use_cache else {"loss": loss}


model = Language()
x = torch.randint(9, (3, 5))

# %% break cache
# nn.DataParallel gives each of two GPUs a part of the batch
pieces = [model(part)["cache"] for part in x.chunk(2)]
print([tuple(piece.shape) for piece in pieces])
assert [piece.shape[1] for piece in pieces] == [2, 1]

# %% fix cache
# with a Trainer: model.config.use_cache = False
outputs = model(x, use_cache=False)
loss = outputs["loss"]

# %% proof cache
assert list(outputs) == ["loss"]
torch.testing.assert_close(loss, model(x)["loss"])
loss.backward()
assert model.embed.weight.grad.any()
