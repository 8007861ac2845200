# ---
# wordings:
#   - text: "size mismatch for {param:ident}: copying a param with shape torch.Size([{ckpt:shape}]) from checkpoint, the shape in current model is torch.Size([{model:shape}])"
#     exception: RuntimeError
#     sample: "size mismatch for fc.weight: copying a param with shape torch.Size([1000, 512]) from checkpoint, the shape in current model is torch.Size([10, 512])."
#   - text: "copying a param with shape"
#     exception: RuntimeError
#   - text: "copying a param of torch.Size("
#     exception: RuntimeError
#   - text: "found shape torch.Size([{ckpt:shape}]) in the checkpoint and torch.Size([{model:shape}]) in the model instantiated"
#     sample: "- classifier.weight: found shape torch.Size([2, 768]) in the checkpoint and torch.Size([3, 768]) in the model instantiated"
#   - text: "While copying the parameter named {param:ident}, whose dimensions in the model are torch.Size([{model:shape}]) and whose dimensions in the checkpoint are torch.Size([{ckpt:shape}])."
#     exception: RuntimeError
#     sample: "RuntimeError: While copying the parameter named head.0.weight, whose dimensions in the model are torch.Size([64, 3, 3, 3]) and whose dimensions in the checkpoint are torch.Size([256, 3, 3, 3])."
#   - text: "While copying the parameter named \"{param:ident}\", whose dimensions in the model are torch.Size([{model:shape}]) and whose dimensions in the checkpoint are torch.Size([{ckpt:shape}])."
#     exception: RuntimeError
#     sample: "While copying the parameter named \"layer1.0.conv1.weight\", whose dimensions in the model are torch.Size([16, 16, 3, 3]) and whose dimensions in the checkpoint are torch.Size([11, 16, 3, 3])."
#   - text: "Reinit due to size mismatch - ckpt: torch.Size([{ckpt:shape}]) vs model:torch.Size([{model:shape}])"
#     sample: "classifier.weight | MISMATCH | Reinit due to size mismatch - ckpt: torch.Size([2, 768]) vs model:torch.Size([5, 768])"
#   - text: "You set `ignore_mismatched_sizes` to `False`, thus raising an error"
#     exception: RuntimeError
# tags: [checkpoint, fine-tuning, shape, classification, transformer, segmentation]
# picture: [sizes, left, ckpt, model]
# recover: fix
# related: [checkpoints/state-dict-keys]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.load_state_dict"]
# cases:
#   pretrained-classes:
#     wrong: {not-strict: "https://github.com/pytorch/pytorch/issues/154597"}
# causes:
#   pretrained-classes:
#     if: >-
#       count(param) < 5 and ckpt[1:] == model[1:] and model[0] > 0 and model[0] not in [1000, 21841, 21843] and not paste("embed", "lm_head", "wte", "vocab")
#       and ckpt[0] in [1000, 21841, 21843] and paste("cls", "class", "head", "for fc.", ".fc.", "conv_seg", "logits", "score")
#       or count(param) > 4 and count(param) < 17 and ckpt[1:] == model[1:] and ckpt[0] in [91, 90, 81, 80, 365] and paste("class_embed.", "cls_score", "classification_head", "conv_cls")
#     likely: >-
#       ckpt[0] in [1000, 21841, 21843, 91, 90, 81, 80, 365, 255, 150, 151, 21] and model[0] not in
#       [1000, 21841, 21843] and (count(param) < 5 and ckpt[1:] == model[1:] and (ckpt[0] in [1000,
#       21841, 21843] or paste("cls", "class", "head", "for fc.", ".fc.", "conv_seg", "logits",
#       "score")) and not paste("embed", "lm_head", "lora_"))
#   own-classes:
#     if: >-
#       count(param) < 5 and ckpt[1:] == model[1:] and model[0] in [1000, 21841, 21843] and ckpt[0] < 1000 and ckpt[0] > 0
#       and not paste("embed", "lm_head", "wte", "vocab") and (model[0] >= 1000 or paste("cls", "class", "head", "for fc.", ".fc.", "conv_seg", "logits", "score"))
#     likely: >-
#       count(param) < 5 and ckpt[1:] == model[1:] and ckpt[0] not in [1000, 21841, 21843, 91, 90,
#       81, 80, 365, 255, 150, 151, 21] and paste("cls", "class", "head", "for fc.", ".fc.",
#       "conv_seg", "logits", "score") and not paste("embed", "lm_head", "wte", "vocab", "lora_")
#   other-width:
#     if: >-
#       (count(param) > 5 and ckpt[1:] != model[1:] or count(param) > 16) and product(model) > 0 and product(ckpt) > 0
#       and not paste("pos_embed:", "relative_position_bias_table:", "lora_A", "lora_B", "lora_down", "lora_up")
#     likely: >-
#       ckpt[0] != model[0] and ckpt[1:] != model[1:] and ckpt[-1] != 1 or count(param) > 5 or len(ckpt) == 4 and ckpt[2:] != model[2:] or
#       len(ckpt) == 1 and len(model) == 1 and count(param) > 2 and not paste("cls", "class",
#       "head", "fc", "logits", "score", "embed")
#   vocabulary:
#     if: >-
#       count(param) < 5 and ckpt[1:] == model[1:] and len(ckpt) == 2 and ckpt[0] > 1000 and model[0] > 1000 and paste("embed", "lm_head", "wte", "vocab")
#       and not paste("pos_embed", "position", "class_embed")
#     likely: >-
#       count(param) < 5 and ckpt[1:] == model[1:] and (paste("embed", "lm_head", "wte", "vocab") or len(ckpt) == 2 and ckpt[0] > 10000 and model[0] > 10000) and not paste("pos_embed", "position")
#   positions:
#     if: >-
#       len(ckpt) == 3 and ckpt[0] == 1 and model[0] == 1 and ckpt[2] == model[2] and ckpt[1] > 16 and model[1] > 16
#       or paste("pos_embed:", "relative_position_bias_table:") and count(param) < 30 and ckpt[-1] == model[-1]
#   channels:
#     if: len(ckpt) == 4 and len(model) == 4 and ckpt[0] == model[0] and ckpt[2:] == model[2:] and ckpt[1] < 17 and model[1] < 17 and count(param) < 4 and not paste("diffusion_model")
#   lora-rank:
#     case: other-width
#     if: paste("lora_A", "lora_B", "lora_down", "lora_up")
#     sample: "size mismatch for base_model.model.layers.0.q_proj.lora_A.default.weight: copying a param with shape torch.Size([8, 4096]) from checkpoint, the shape in current model is torch.Size([16, 4096])."
#   empty-part:
#     if: product(model) == 0 or product(ckpt) == 0
#     sample: "size mismatch for model.embed_tokens.weight: copying a param with shape torch.Size([32000, 4096]) from checkpoint, the shape in current model is torch.Size([0])."
# ---

# %%
import os
import tempfile

import torch
from torch import nn

torch.manual_seed(0)
os.chdir(tempfile.mkdtemp())


class Net(nn.Module):
    def __init__(self, classes=1000):
        super().__init__()
        self.body = nn.Linear(16, 8)
        self.fc = nn.Linear(8, classes)


trained = Net()
torch.save(trained.state_dict(), "checkpoint.pt")
model = Net(classes=10)

# %% break pretrained-classes
model.load_state_dict(torch.load("checkpoint.pt"))

# %% check pretrained-classes
state, own = torch.load("checkpoint.pt"), model.state_dict()
differ = [name for name in own if own[name].shape != state[name].shape]
print(differ)  # the last layer only: its first size is the number of classes
assert differ == ["fc.weight", "fc.bias"]

# %% fix pretrained-classes
import torch

state = torch.load("checkpoint.pt")
own = model.state_dict()
fits = {k: v for k, v in state.items() if k in own and v.shape == own[k].shape}
print("not loaded:", own.keys() - fits.keys())  # the new layer, and nothing else
model.load_state_dict(fits, strict=False)

# %% proof pretrained-classes
assert torch.equal(model.body.weight, trained.body.weight) and torch.equal(model.body.bias, trained.body.bias)
assert fits.keys() == {"body.weight", "body.bias"}
assert model.fc.weight.shape == (10, 8)

# %% use pretrained-classes
# >>>
model.load_state_dict(torch.load("checkpoint.pt"))
# <<<
assert torch.equal(model.body.weight, trained.body.weight)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, labels = torch.randn(6, 16), torch.arange(6)
nn.functional.cross_entropy(model.fc(model.body(x)), labels).backward()
optimizer.step()
assert model.fc.weight.shape == (10, 8) and model.fc.weight.grad.any()

# %% wrong not-strict
# `strict=False`: it lets names be missing, never sizes differ. The same error.
model.load_state_dict(torch.load("checkpoint.pt"), strict=False)

# %%
trained = Net(classes=10)
torch.save(trained.state_dict(), "checkpoint.pt")
model = Net()

# %% break own-classes
model.load_state_dict(torch.load("checkpoint.pt"))

# %% check own-classes
print(torch.load("checkpoint.pt")["fc.bias"].shape)  # the file knows 10 classes
assert torch.load("checkpoint.pt")["fc.bias"].shape == (10,)

# %% fix own-classes
import torch
from torch import nn

state = torch.load("checkpoint.pt")
classes, features = state["fc.weight"].shape
model.fc = nn.Linear(features, classes)  # first the layer as in the training
model.load_state_dict(state)

# %% proof own-classes
assert all(torch.equal(value, trained.state_dict()[name]) for name, value in model.state_dict().items())
assert model.fc(torch.zeros(1, 8)).shape == (1, 10)

# %%
trained = nn.LSTM(32, 64, num_layers=2)
torch.save(trained.state_dict(), "checkpoint.pt")

# %% break other-width
model = nn.LSTM(32, 128, num_layers=2)
model.load_state_dict(torch.load("checkpoint.pt"))

# %% check other-width
state = torch.load("checkpoint.pt")
print(state["weight_hh_l0"].shape)  # [4 * hidden size, hidden size]
assert state["weight_hh_l0"].shape == (4 * 64, 64)  # hidden size 64

# %% fix other-width
import torch
from torch import nn

state = torch.load("checkpoint.pt")
hidden = state["weight_hh_l0"].shape[1]
model = nn.LSTM(32, hidden, num_layers=2)
model.load_state_dict(state)

# %% proof other-width
sequence = torch.rand(5, 1, 32)
assert torch.equal(model(sequence)[0], trained(sequence)[0])

# %%
trained = nn.Embedding(32000, 8)
torch.save(trained.state_dict(), "checkpoint.pt")
model = nn.Embedding(32004, 8)  # four new tokens

# %% break vocabulary
model.load_state_dict(torch.load("checkpoint.pt"))

# %% check vocabulary
old = torch.load("checkpoint.pt")["weight"]
print(model.num_embeddings - len(old))  # 4 tokens more than the file has
assert model.num_embeddings - len(old) == 4

# %% fix vocabulary
import torch

state = torch.load("checkpoint.pt")
old = state["weight"]  # the old tokens keep their numbers
state["weight"] = torch.cat([old, model.weight[len(old) :]])
model.load_state_dict(state)

# %% proof vocabulary
assert torch.equal(model.weight[:32000], trained.weight)
assert model.weight[32000:].abs().sum() > 0 and model.weight.requires_grad

# %%
rows = torch.arange(14.0)
ramp = (10 * rows[:, None] + rows[None, :]).flatten()  # tells its place
saved = torch.cat([torch.tensor([-7.0]), ramp]).view(1, 197, 1).repeat(1, 1, 2)
torch.save({"pos_embed": saved}, "checkpoint.pt")
model = nn.Module()
model.pos_embed = nn.Parameter(torch.zeros(1, 1 + 24 * 24, 2))  # 384 pixels in place of 224

# %% break positions
model.load_state_dict(torch.load("checkpoint.pt"))

# %% check positions
old = torch.load("checkpoint.pt")["pos_embed"].shape[1]
print((old - 1) ** 0.5, (model.pos_embed.shape[1] - 1) ** 0.5)  # patches a side
assert ((old - 1) ** 0.5, (model.pos_embed.shape[1] - 1) ** 0.5) == (14, 24)

# %% fix positions
import torch
import torch.nn.functional as F

state = torch.load("checkpoint.pt")
first, grid = state["pos_embed"].split([1, 14 * 14], dim=1)  # class token, patches
grid = grid.unflatten(1, (14, 14)).permute(0, 3, 1, 2)
grid = F.interpolate(grid, size=(24, 24), mode="bilinear").flatten(2).mT
state["pos_embed"] = torch.cat([first, grid], dim=1)
model.load_state_dict(state)

# %% proof positions
place = ((torch.arange(24) + 0.5) * 14 / 24 - 0.5).clamp(0, 13)
expected = (10 * place[:, None] + place[None, :]).flatten()
assert torch.allclose(model.pos_embed[0, 1:, 0], expected, atol=1e-3)
assert torch.allclose(model.pos_embed[0, 1:, 1], expected, atol=1e-3)
assert model.pos_embed[0, 0].tolist() == [-7, -7]

# %%
trained = nn.Conv2d(3, 64, 7, bias=False)
torch.save(trained.state_dict(), "checkpoint.pt")
model = nn.Conv2d(1, 64, 7, bias=False)  # grey images

# %% break channels
model.load_state_dict(torch.load("checkpoint.pt"))

# %% check channels
old = torch.load("checkpoint.pt")["weight"]
print(old.shape[1], model.weight.shape[1])  # 3 and 1 channels
assert (old.shape[1], model.weight.shape[1]) == (3, 1)

# %% fix channels
import torch

state = torch.load("checkpoint.pt")
state["weight"] = state["weight"].sum(1, keepdim=True)
model.load_state_dict(state)

# %% proof channels
grey = torch.rand(2, 1, 16, 16)
assert torch.allclose(model(grey), trained(grey.expand(-1, 3, -1, -1)), atol=1e-5)
