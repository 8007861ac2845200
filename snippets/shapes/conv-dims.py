# ---
# wordings:
#   - text: "Expected {single:ident} (unbatched) or {batched:ident} (batched) input to {op:ident}, but got input of size: [{shape:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [2, 5, 3, 9, 9]"
#   - text: "Expected {_:ident} (unbatched) or {_:ident} (batched) input to"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [s0, 9]"
#   - text: "Expected {want:ident}-dimensional input for {_:ident}-dimensional weight {_:line}, but got {got:ident}-dimensional input of size [{shape:shape}] instead"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected 4-dimensional input for 4-dimensional weight 64 3 7 7, but got 3-dimensional input of size [3, 448, 448] instead"
#   - text: "Expected {want:ident}-dimensional input for {_:ident}-dimensional weight"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected 4-dimensional input for 4-dimensional weight [64, 3, 7, 7], but got input of size [3, 448, 448] instead"
#   - text: "Expected {want:ident} tensor as input, got {got:ident} tensor instead"
#     exception: ValueError
#     sample: "ValueError: Expected 4D tensor as input, got 2D tensor instead."
#   - text: "values to match the convolution dimensions, but got"
#     exception: RuntimeError
#   - text: "expected 2D or 3D input (got {got:ident} input)"
#     exception: ValueError
#     unless: ["paddle"]
#     sample: "ValueError: expected 2D or 3D input (got 4D input)"
#   - text: "expected {bn:ident} input (got {got:ident} input)"
#     exception: ValueError
#     unless: ["paddle"]
#     sample: "ValueError: expected 4D input (got 3D input)"
#   - text: "Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:[{shape:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:[1, 1, 9, 9]"
#   - text: "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:[{shape:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:[2, 3, 4, 5, 5]"
#   - text: "non-empty 3D or 4D (batch mode) tensor expected for input"
#     exception: RuntimeError
#   - text: "Expected 3D or 4D tensor, but got [{shape:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got [9]"
#   - text: "weight should have at least three dimensions"
#     exception: RuntimeError
# tags: [cnn, shape, batch-size, comfyui]
# recover: fix
# related: [shapes/conv-channels, shapes/too-many-indices]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.Conv2d.html", "https://docs.pytorch.org/docs/stable/generated/torch.nn.Conv1d.html"]
# cases: {extra-dim: {wrong: {squeezed: "https://github.com/kenshohara/3D-ResNets-PyTorch/issues/92"}}}
# causes:
#   extra-dim:
#     if: begins(batched, "4") and len(shape) == 5 or begins(batched, "3") and len(shape) == 4 or begins(batched, "5") and len(shape) == 6
#   empty:
#     if: shape[0] == 0 and len(shape) == 1
#     sample: "RuntimeError: Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [0]"
#   no-batch:
#     if: begins(want, "4") and len(shape) == 3 and shape[0] in [1, 3, 4] or begins(want, "5") and len(shape) == 4
#     likely: begins(bn, "4D") and begins(got, "3D")
#   no-channel:
#     if: >-
#       read(op) and begins(batched, "4") and len(shape) == 2 and shape[0] == shape[1] and shape[0]
#       > 64 and shape[0] not in [100, 128, 256, 512, 1024] or read(op) and begins(batched, "5") and
#       len(shape) == 3
#     likely: >-
#       read(op) and begins(batched, "4") and len(shape) == 2 and shape[0] == shape[1] or read(op)
#       and begins(batched, "5") and len(shape) == 3 or begins(want, "4") and len(shape) == 3 and
#       shape[0] > 4 and shape[1] == shape[2]
#   flat:
#     if: >-
#       begins(batched, "4") and len(shape) == 2 and shape[0] != shape[1] and shape[1] in [784,
#       12288, 50176, 150528]
#     likely: len(shape) == 2
#   wrong-norm:
#     if: begins(bn, "4D") and begins(got, "2D", "5D") or begins(bn, "5D") and begins(got, "4D", "2D") or paste("expected 2D or 3D input (got 4D")
#     sample: "ValueError: expected 2D or 3D input (got 4D input)"
#   sharded:
#     likely: paste("weight should have at least three dimensions")
#     sample: "RuntimeError: weight should have at least three dimensions"
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 4, 3))
videos = torch.rand(2, 5, 3, 9, 9)  # samples, frames, channels, height, width
images = videos

# %% break extra-dim
outputs = model(images)

# %% check extra-dim
print(images.shape)  # five numbers where four are wanted
assert images.dim() == 5

# %% fix extra-dim
outputs = model(images.flatten(0, 1))  # samples and frames become one batch
outputs = outputs.unflatten(0, images.shape[:2])  # and are taken apart again

# %% proof extra-dim
right = torch.stack([model(sample) for sample in videos])
torch.testing.assert_close(outputs, right)

# %% wrong squeezed
# `squeeze(0)`: it removes a dimension of size 1 only. With two samples nothing changes, and with one
# the next step takes its frames for samples.
outputs = model(images.squeeze(0))

# %% use extra-dim
head = nn.Linear(4, 2)
optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.1)
for samples, frames in ((3, 4), (1, 6)):
    images, labels = torch.rand(samples, frames, 3, 8, 10), torch.arange(samples) % 2
    # >>>
    outputs = model(images)
    # <<<
    scores = head(outputs.mean(dim=(1, 3, 4)))  # the mean over frames, height and width
    optimizer.zero_grad()
    nn.functional.cross_entropy(scores, labels).backward()
    optimizer.step()
assert outputs.shape == (1, 6, 4, 4, 6) and model[0].weight.grad.any()

# %%
model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU())
images = torch.rand(16, 16)  # one grey image: height, width

# %% break no-channel
outputs = model(images)

# %% check no-channel
print(images.shape)  # height and width, and nothing in front
assert images.dim() == 2

# %% fix no-channel
outputs = model(images[None, None])  # batch and channel in front: [1, 1, 16, 16]

# %% proof no-channel
assert outputs.shape == (1, 8, 14, 14)
torch.testing.assert_close(outputs[0], model(images.reshape(1, 16, 16)))

# %%
pictures = torch.rand(5, 1, 28, 28)
images = pictures.view(5, 784)  # as MNIST comes from a CSV file, or behind nn.Flatten

# %% break flat
outputs = model(images)

# %% check flat
print(images.shape)  # 784 = 28 x 28: height and width are gone
assert images.dim() == 2

# %% fix flat
# batch, channels, height, width
outputs = model(images.reshape(-1, 1, 28, 28))

# %% proof flat
torch.testing.assert_close(outputs, model(pictures))

# %%
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8)).eval()
model[1].running_mean += 0.1
images = torch.rand(3, 16, 16)  # one image: channels, height, width

# %% break no-batch
outputs = model(images)

# %% check no-batch
print(images.shape, model[0](images).shape)  # no batch in front
assert images.dim() == 3

# %% fix no-batch
outputs = model(images[None])  # or images.unsqueeze(0): a batch of one

# %% proof no-batch
assert outputs.shape == (1, 8, 14, 14)
torch.testing.assert_close(outputs[0], model.eval()(images.expand(2, 3, 16, 16))[1])

# %%
images = [torch.rand(1, 3, 16, 16), torch.zeros(0)]

# %% break empty
outputs = [model(image) for image in images]

# %% check empty
print([image.shape for image in images])  # [0]: nothing was loaded
assert any(image.numel() == 0 for image in images)

# %% fix empty
# leave out what is empty, and find out why it is
outputs = [model(image) for image in images if image.numel()]

# %% proof empty
assert len(outputs) == 1
torch.testing.assert_close(outputs[0], model(images[0]))

# %%
x = torch.rand(6, 8)

# %% break wrong-norm
model = nn.Sequential(nn.Linear(8, 4), nn.BatchNorm2d(4))
outputs = model(x)

# %% check wrong-norm
print(x.dim())  # 2: BatchNorm1d; 4: BatchNorm2d; 5: BatchNorm3d
assert x.dim() == 2

# %% fix wrong-norm
from torch import nn

model = nn.Sequential(nn.Linear(8, 4), nn.BatchNorm1d(4))
outputs = model(x)

# %% proof wrong-norm
rows = model[0](x)
right = (rows - rows.mean(0)) / (rows.var(0, unbiased=False) + 1e-5).sqrt()
torch.testing.assert_close(outputs, right)
