# ---
# wordings:
#   - text: "The expanded size of the tensor ({want:int}) must match the existing size ({have:int}) at non-singleton dimension {dim:int}. Target sizes: [{target:shape}]. Tensor sizes: [{tensor:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: The expanded size of the tensor (4) must match the existing size (3) at non-singleton dimension 0.  Target sizes: [4].  Tensor sizes: [3]"
#   - text: "The size of tensor a ({a:ident}) must match the size of tensor b ({b:ident}) at non-singleton dimension {dim:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 0"
#   - text: "must match the size of tensor b"
#     exception: RuntimeError
#   - text: "Attempting to broadcast a dimension of length"
#     exception: RuntimeError
#   - text: "The expanded size of the tensor ({_:ident}) must match the existing size"
#     exception: RuntimeError
#     sample: "RuntimeError: The expanded size of the tensor (8) must match the existing size (9) at non-singleton dimension 1. at /pytorch/torch/lib/TH/generic/THTensor.c:309"
#   - text: "Shape mismatch: objects cannot be broadcast to a single shape"
#     exception: RuntimeError
#   - text: "inconsistent tensor size, expected"
#     exception: RuntimeError
#   - text: "the number of sizes provided ({sizes:int}) must be greater or equal to the number of dimensions in the tensor ({dims:int})"
#     exception: RuntimeError
#     sample: "RuntimeError: expand(CUDABFloat16Type{[1, 1, 2074, 2074, 2074]}, size=[1, 16, 2074, 2074]): the number of sizes provided (4) must be greater or equal to the number of dimensions in the tensor (5)"
#   - text: "invalid argument {_:int}: sizes do not match at"
#     exception: RuntimeError
#     sample: "RuntimeError: invalid argument 3: sizes do not match at /pytorch/torch/lib/THC/generated/../generic/THCTensorMathPointwise.cu:217"
#   - text: "the number of sizes provided must be greater or equal to the number of dimensions in the tensor"
#     exception: RuntimeError
#     sample: "RuntimeError: invalid argument 1: the number of sizes provided must be greater or equal to the number of dimensions in the tensor at /pytorch/torch/lib/TH/generic/THTensor.c:299"
#   - text: "inconsistent tensor size at"
#     exception: RuntimeError
#     unless: [luajit, ".lua:"]
#     sample: "RuntimeError: inconsistent tensor size at /b/wheel/pytorch-src/torch/lib/TH/generic/THTensorMath.c:831"
#   - text: "input and target shapes do not match: input [{_:line}], target ["
#     exception: RuntimeError
#     sample: "RuntimeError: input and target shapes do not match: input [16 x 512 x 8 x 8], target [16 x 512 x 2 x 2] at /pytorch/aten/src/THNN/generic/MSECriterion.c:12"
# tags: [broadcasting, shape, transformer, segmentation, comfyui, optimizer]
# picture: [[sizes, right, target, tensor], [axis, dim, a, b]]
# recover: fix
# related: [shapes/matmul-shapes]
# docs: ["https://docs.pytorch.org/docs/stable/notes/broadcasting.html"]
# cases:
#   odd-size: {wrong: {transposed-convolution: "https://github.com/rollthecloudinc/hedge/issues/308"}}
#   latents:
#     commands:
#       comfyui: |
#         # node "Load VAE" (VAELoader), one of these:
#         vae_name: ae.safetensors  # Flux
#         vae_name: sdxl_vae.safetensors  # SDXL
#         vae_name: vae-ft-mse-840000-ema-pruned.safetensors  # Stable Diffusion 1.x
# causes:
#   too-long:
#     if: >-
#       frames("position_embedding", "position_embeddings", "position_ids", "wpe", "token_type_ids")
#       and dim == 1 and (have in [77, 512, 514] and want > have + 1 or b in [77, 512, 514] and a >
#       b + 1 or a in [77, 512, 514] and b > a + 1)
#     likely: >-
#       frames("transformers/", "transformers\\", "modeling_", "position", "positions",
#       "position_embeddings", "position_ids", "embeddings", "pos_embed", "clip", "gpt") and
#       (dim == 1 and have in [77, 512, 514] and want > have + 1 or dim == 1 and want in [77,
#       512, 514] and have > want or dim == 1 and b in [77, 512, 514] and a > b + 1 and a % 64
#       != 0 and a % 77 != 0 or dim == 1 and a in [77, 512, 514] and b > a + 1 and b % 64 != 0
#       and b % 77 != 0 or dim in [2, 3] and a in [512, 1024, 2048, 4096] and b > a and b < a +
#       400 or dim in [2, 3] and b in [512, 1024, 2048, 4096] and a > b and a < b + 400)
#       or dim in [2, 3] and live.right.dtype == "bool" and live.left.shape[-1] ==
#       live.left.shape[-2] and live.right.shape[-1] == live.right.shape[-2]
#       or have > want and want > 15 and len(target) == len(tensor) + 1 and target[0] == 1
#       or dim == 3 and a in [1024, 2048, 4096] and b > a and b < a + 400 and b % 8 != 0
#       or dim == 1 and a > b and b > 99 and a < 2 * b and (b % 100 == 0 or b % 128 == 0)
#   optimizer-state:
#     if: >-
#       frames("exp_avg", "exp_avgs", "momentum_buffer", "momentum_buffers", "optim/_functional.py",
#       "optim\\_functional.py", "optim/adam", "optim/adamw", "optim\\adam", "optim\\adamw",
#       "optim/sgd")
#   sharded:
#     if: >-
#       (a == 0 or b == 0) and paste("deepspeed", "DeepSpeed", "fsdp", "FSDP", "zero3", "stage3")
#     sample: |
#       [rank0]:   File "/env/lib/python3.11/site-packages/deepspeed/runtime/engine.py", line 2216, in backward
#       [rank0]: RuntimeError: The size of tensor a (0) must match the size of tensor b (5120) at non-singleton dimension 1
#   image-size:
#     if: >-
#       dim == 1 and a > 16 and b > 16 and square(a - 1) and square(b - 1) and frames("pos_embed",
#       "pos_embedding", "position_embedding", "position_embeddings", "positional_embedding",
#       "interpolate_pos_encoding")
#     likely: >-
#       dim == 1 and a > 16 and b > 16 and (square(a - 1) and square(b - 1) or square(a) and
#       square(b) and frames("pos_embed", "pos_embedding", "position_embedding",
#       "position_embeddings", "positional_embedding", "patch_embed", "vit", "ViT",
#       "vision_transformer", "clip", "swin"))
#   one-value-per-row:
#     if: >-
#       len(tensor) == 1 and len(target) == 2 and target[0] == tensor[0]
#       or len(live.right.shape) == 1 and len(live.left.shape) == 2 and live.right.shape[0] ==
#       live.left.shape[0] and (live("right", "by norm") or live("right", "by mean") or
#       live("right", "by sum") or live("right", "by std"))
#     likely: dim in [1, 2, 3] and frames(".mean(", ".norm(", ".sum(", ".std(", ".max(")
#   odd-size:
#     if: >-
#       dim in [2, 3] and a - b in [1, -1] and len(live.left.shape) == 4 and not live("target")
#     likely: >-
#       dim in [2, 3] and (a - b in [1, -1] and a < 500 or a > 99 and a - b < 17 and b - a < 17) and
#       not frames("attn", "attns", "attention", "Attention", "modeling_")
#   channels:
#     if: (a == 4 and b == 3 or a == 2 and b == 3) and frames("normalize")
#     likely: dim in [0, 1] and a == 4 and b == 3
#   no-boxes:
#     likely: dim in [0, 1] and (a == 0 and b == 4 or a == 4 and b == 0)
#     sample: |
#       RuntimeError: The size of tensor a (0) must match the size of tensor b (4) at non-singleton dimension 1
#   latents:
#     likely: >-
#       dim == 1 and (a == 4 and b == 16 or a == 16 and b in [4, 48] or a == 48 and b == 16) and
#       paste("omfy", "diffus", "latent", "webui", "vae", "VAE")
#     sample: |
#       Traceback (most recent call last):
#         File "ComfyUI/comfy/ldm/modules/diffusionmodules/openaimodel.py", line 12, in forward
#       RuntimeError: The size of tensor a (4) must match the size of tensor b (16) at non-singleton dimension 1
#   other-model:
#     likely: >-
#       dim in [0, 1, 2] and a in [320, 640, 768, 1024, 1152, 1280, 1536, 2048, 2560, 3072, 3584, 3840,
#       4096, 5120] and b in [320, 640, 768, 1024, 1152, 1280, 1536, 2048, 2560, 3072, 3584, 3840,
#       4096, 5120] and paste("omfy", "diffus", "webui", "sd-scripts", "custom_nodes", "peft",
#       "transformers", "lora", "LoRA")
#     sample: |
#       Traceback (most recent call last):
#         File "ComfyUI/comfy/lora.py", line 30, in calculate_weight
#       RuntimeError: The size of tensor a (3072) must match the size of tensor b (4096) at non-singleton dimension 1
#   prediction-and-target:
#     if: >-
#       frames("mse_loss", "l1_loss") and dim in [2, 3]
#       or paste("input and target shapes do not match: input [")
#       or len(live.target.shape) == len(live.input.shape)
#     likely: >-
#       dim in [2, 3] and not frames("attn", "attns", "attention", "Attention", "modeling_") and (a
#       - b > 16 or b - a > 16 or a < 100 and (a - b > 1 or b - a > 1)) and b % a != 0 and a % b !=
#       0
#     sample: "RuntimeError: The size of tensor a (268) must match the size of tensor b (201) at non-singleton dimension 3"
#   mse-classes:
#     if: >-
#       len(live.target.shape) == 1 and len(live.input.shape) == 2 and live.target.shape[0] ==
#       live.input.shape[0]
#     likely: >-
#       dim == 1 and a > 1 and b > 1 and frames("mse_loss", "l1_loss", "smooth_l1_loss",
#       "huber_loss")
#     sample: |
#       Traceback (most recent call last):
#         File "torch/nn/functional.py", line 3365, in mse_loss
#           expanded_input, expanded_target = torch.broadcast_tensors(input, target)
#       RuntimeError: The size of tensor a (133) must match the size of tensor b (10) at non-singleton dimension 1
#   last-batch:
#     if: >-
#       dim == 0 and live("run", "in a loop") and (live("right", "set above the loop") or
#       live("left", "set above the loop"))
#     likely: dim == 0 and (a % 8 == 0 and b < a and a < 1025 or b % 8 == 0 and a < b and b < 1025)
#   mask-dimensions:
#     if: read(sizes)
#     sample: "RuntimeError: expand(CUDABFloat16Type{[1, 1, 2074, 2074, 2074]}, size=[1, 16, 2074, 2074]): the number of sizes provided (4) must be greater or equal to the number of dimensions in the tensor (5)"
#   mask-grows:
#     likely: dim == 3 and want == 2 * have - 1 and have > 8
#     sample: |
#       RuntimeError: The expanded size of the tensor (933) must match the existing size (467) at non-singleton dimension 3.  Target sizes: [1, 28, 467, 933].  Tensor sizes: [1, 1, 467, 467]
# ---

# %%
import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)


class Encoder(nn.Module):
    """Word and position embeddings, as BERT adds them."""

    def __init__(self):
        super().__init__()
        self.words, self.positions = nn.Embedding(100, 8), nn.Embedding(512, 8)
        self.register_buffer("numbers", torch.arange(512)[None])

    def forward(self, x):
        return self.words(x) + self.positions(self.numbers[:, : x.shape[1]])


model = Encoder()
table = model.positions.weight.detach().clone()
x = whole = torch.randint(0, 100, (2, 600))

# %% break too-long
model(x)

# %% check too-long
print(x.shape[1], model.positions.num_embeddings)  # 600 tokens, 512 positions
assert x.shape[1] > model.positions.num_embeddings

# %% fix too-long
x = x[:, :512]  # transformers: tokenizer(text, truncation=True, max_length=512)
outputs = model(x)

# %% proof too-long
assert outputs.shape == (2, 512, 8)
assert torch.equal(outputs, model.words(whole[:, :512]) + table)  # the beginning, with its [CLS]

# %% use too-long
head = nn.Linear(8, 3)
optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.1)
for length in (20, 700):
    x, labels = torch.randint(0, 100, (4, length)), torch.arange(4) % 3
    # >>>
    outputs = model(x)
    # <<<
    optimizer.zero_grad()
    nn.functional.cross_entropy(head(outputs.mean(1)), labels).backward()
    optimizer.step()
assert outputs.shape == (4, 512, 8) and model.words.weight.grad.any()

# %%
x = torch.rand(96, 64) + 0.1

# %% break one-value-per-row
x / x.norm(dim=1).expand_as(x)

# %% check one-value-per-row
# [96]: the dimension is gone, and sizes are compared from the right
print(x.norm(dim=1).shape)
assert x.norm(dim=1).shape == (96,)

# %% fix one-value-per-row
x = x / x.norm(dim=1, keepdim=True)  # [96, 1]: one value for each row

# %% proof one-value-per-row
torch.testing.assert_close(x.norm(dim=1), torch.ones(96))


# %%
class Residual(nn.Module):
    """Halves the image twice and doubles it twice, adding what it had before."""

    def forward(self, x):
        half = nn.functional.avg_pool2d(x, 2)
        quarter = nn.functional.avg_pool2d(half, 2)
        half = half + nn.functional.interpolate(quarter, scale_factor=2)
        return x + nn.functional.interpolate(half, scale_factor=2)


model = Residual()
images = torch.rand(1, 3, 27, 33)

# %% break odd-size
model(images)

# %% check odd-size
# not 0: halving twice loses a row or column
print([size % 4 for size in images.shape[2:]])
assert any(size % 4 for size in images.shape[2:])

# %% fix odd-size
from torch.nn.functional import pad

height, width = images.shape[2:]
images = pad(images, (0, -width % 32, 0, -height % 32))  # up to a multiple of 32
outputs = model(images)[..., :height, :width]

# %% proof odd-size
assert images.shape == (1, 3, 32, 64) and outputs.shape == (1, 3, 27, 33)
assert images[..., height:, :].abs().max() == 0 and torch.equal(outputs, model(images)[..., :27, :33])
assert torch.allclose(outputs[..., :8, :8], model(images[..., :24, :24])[..., :8, :8])  # the image lies where it was

# %% wrong transposed-convolution
# `nn.ConvTranspose2d` in place of `interpolate`: it doubles 6 to 12, where 13 was halved. The error
# stays.
half = nn.functional.avg_pool2d(images, 2)
quarter = nn.functional.avg_pool2d(half, 2)
double = nn.ConvTranspose2d(3, 3, kernel_size=2, stride=2)
half = half + double(quarter)


# %%
class Patches(nn.Module):
    """A vision transformer's embeddings: one for the class token, one for each of 14 x 14 patches."""

    def __init__(self):
        super().__init__()
        self.pos_embed = nn.Parameter(torch.rand(1, 1 + 14 * 14, 8))

    def forward(self, x):
        return x + self.pos_embed


model = Patches()
x = torch.rand(2, 1 + 24 * 24, 8)  # an image of 384 pixels in patches of 16

# %% break image-size
model(x)

# %% check image-size
# 196 = 14 * 14 patches, so 14 * 16 = 224 pixels
print(model.pos_embed.shape[1] - 1)
assert model.pos_embed.shape[1] - 1 == (224 // 16) ** 2

# %% fix image-size
import torch
from torch.nn.functional import interpolate

old = model.pos_embed
grid = old[:, 1:].transpose(1, 2).unflatten(2, (14, 14))
grid = interpolate(grid, size=(24, 24), mode="bicubic").flatten(2).transpose(1, 2)
model.pos_embed = torch.nn.Parameter(torch.cat([old[:, :1], grid], dim=1))

# %% proof image-size
assert model(x).shape == x.shape and model.pos_embed.requires_grad
new = model.pos_embed.detach()
old = old.detach()
assert torch.equal(new[:, 0], old[:, 0])
corners = new[:, 1:].unflatten(1, (24, 24))[:, [0, 0, -1, -1], [0, -1, 0, -1]]
before = old[:, 1:].unflatten(1, (14, 14))[:, [0, 0, -1, -1], [0, -1, 0, -1]]
assert (corners - before).abs().mean() < 0.1  # each corner lies in its corner
steps = new[:, 1:].unflatten(1, (24, 24)).diff(dim=2).abs()
assert (steps < 1e-6).float().mean() < 0.01  # smooth between patches, not copied

# %%
mean, std = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1), torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)
images = torch.rand(2, 4, 8, 8)  # PNG files with transparency
colours = images[:, :3].clone()


def normalize(image):
    return (image - mean) / std


# %% break channels
batch = torch.stack([normalize(image) for image in images])

# %% check channels
print(images.shape)  # [2, 4, 8, 8]: four channels, the last one is transparency
assert images.shape[1] == 4

# %% fix channels
# or, where files are opened: Image.open(path).convert("RGB")
images = images[:, :3]

# %% proof channels
batch = torch.stack([normalize(image) for image in images])
torch.testing.assert_close(batch * std + mean, colours)

# %%
loader = DataLoader(torch.rand(19, 5), batch_size=8)
noise = 0.1 * torch.randn(8, 5)  # made once, for a full batch

# %% break last-batch
for images in loader:
    noisy = images + noise

# %% check last-batch
print([len(images) for images in loader])  # [8, 8, 3]: only the last one is shorter
assert [len(images) for images in loader] == [8, 8, 3]

# %% fix last-batch
import torch

for images in loader:
    noisy = images + 0.1 * torch.randn_like(images)  # made for this batch

# %% proof last-batch
assert noisy.shape == (3, 5)
assert 0.01 < (noisy - images).std() < 0.3

# %%
model = nn.Linear(4, 8)
optimizer = torch.optim.AdamW(model.parameters())
model(torch.rand(2, 4)).sum().backward()
optimizer.step()
saved = optimizer.state_dict()
model = nn.Linear(4, 10)  # another number of classes than in the saved run
optimizer = torch.optim.AdamW(model.parameters())
optimizer.load_state_dict(saved)

# %% break optimizer-state
model(torch.rand(2, 4)).sum().backward()
optimizer.step()

# %% check optimizer-state
for parameter in model.parameters():
    print(parameter.shape, optimizer.state[parameter]["exp_avg"].shape)
    assert parameter.shape != optimizer.state[parameter]["exp_avg"].shape

# %% fix optimizer-state
import torch

# The saved state belongs to other weights: begin with an empty one.
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)

# %% proof optimizer-state
before = model.weight.detach().clone()
model(torch.rand(2, 4)).sum().backward()
optimizer.step()
assert all(optimizer.state[parameter]["exp_avg"].shape == parameter.shape for parameter in model.parameters())
assert optimizer.param_groups[0]["lr"] == 3e-4 and (model.weight - before).abs().min() > 1e-4

# %%
model, x = nn.Linear(3, 10), torch.rand(7, 3)
labels = torch.tensor([0, 9, 4, 4, 1, 7, 2])

# %% break mse-classes
loss = nn.MSELoss()(model(x), labels)

# %% check mse-classes
print(model(x).shape, labels.shape)  # [7, 10] and [7]: ten scores, one class number
assert model(x).dim() == 2 and labels.dim() == 1

# %% fix mse-classes
from torch import nn

loss_fn = nn.CrossEntropyLoss()  # for class numbers
loss = loss_fn(model(x), labels)

# %% proof mse-classes
torch.testing.assert_close(loss, -model(x).log_softmax(1)[torch.arange(7), labels].mean())
loss.backward()
assert model.weight.grad.any()

# %%
class Attention(nn.Module):  # expands its mask as models of transformers do
    def forward(self, tokens, mask):
        batch, length = tokens.shape
        scores = torch.zeros(batch, 2, length, length)
        return scores.masked_fill(~mask[:, None, None].expand(batch, 2, length, length), -9)


model = Attention()
x = torch.tensor([[5, 3, 8, 0], [6, 0, 0, 0]])
mask = (x != 0)[:, None]

# %% break mask-dimensions
outputs = model(x, mask)

# %% check mask-dimensions
print(mask.shape)  # [2, 1, 4]: one dimension more than [batch, length]
assert mask.dim() == 3

# %% fix mask-dimensions
mask = x != 0  # [batch, length], 0 is padding: as the tokenizer gives it
outputs = model(x, mask)

# %% proof mask-dimensions
assert mask.shape == (2, 4) and outputs.shape == (2, 2, 4, 4)
assert (outputs[0, :, :, 3] == -9).all() and not outputs[0, :, :, :3].any()
assert (outputs[1, :, :, 1:] == -9).all() and not outputs[1, :, :, 0].any()

# %%
latents = torch.rand(1, 16, 8, 8)  # of a model with the VAE of Flux

# %% break latents
vae_scale = torch.rand(1, 4, 1, 1)  # of the VAE of Stable Diffusion
latents = latents * vae_scale

# %% check latents
print(latents.shape[1])  # 4: Stable Diffusion 1.x and SDXL; 16: SD3 and Flux
assert latents.shape[1] == 16

# %% proof latents
vae_scale = torch.full((1, 16, 1, 1), 0.5)
assert torch.equal((latents * vae_scale)[:, 15], 0.5 * latents[:, 15])
