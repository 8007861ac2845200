# ---
# wordings:
#   - text: "KeyError: 'state_dict'"
#     unless: &others [keras, tensorflow, json.load, yaml., "DataLoader worker process", nn/modules/module.py, optim/optimizer.py, torch/serialization.py]
#   - text: "KeyError: 'model_state_dict'"
#     unless: *others
#   - text: "KeyError: 'optimizer_state_dict'"
#     unless: *others
#   - text: "KeyError: 'pytorch-lightning_version'"
#   - text: "KeyError: 'model'"
#     near: &reads ["checkpoint[", "ckpt[", "state[", "torch.load(", "load_state_dict(", load_checkpoint, load_from_checkpoint, resume_checkpoint]
#     unless: *others
#   - text: "KeyError: 'epoch'"
#     near: *reads
#     unless: *others
#   - text: "KeyError: 'optimizer'"
#     near: *reads
#     unless: *others
#   - text: "KeyError: 'weights'"
#     near: *reads
#     unless: *others
#   - text: "KeyError: 'global_step'"
#     near: *reads
#     unless: *others
#   - text: "KeyError: 'scheduler'"
#     near: *reads
#     unless: *others
#   - text: "KeyError: 'lr_scheduler'"
#     near: *reads
#     unless: *others
#   - text: "KeyError: 'model_state'"
#     near: *reads
#     unless: *others
#   - text: "KeyError: 'model_ema'"
#     near: *reads
#     unless: *others
#   - text: "KeyError: 'params_ema'"
#     near: *reads
#     unless: *others
#   - text: "KeyError: 'best_acc'"
#     near: *reads
#     unless: *others
#   - text: "KeyError: 'best_acc1'"
#     near: *reads
#     unless: *others
#   - text: "KeyError: 'best_prec1'"
#     near: *reads
#     unless: *others
#   - text: "load_state_dict(checkpoint['net'])"
#     near: ["KeyError: 'net'"]
# tags: [checkpoint, inference, fine-tuning]
# recover: fix
# related: [checkpoints/load-gives-ordereddict, checkpoints/state-dict-keys, checkpoints/weights-only]
# docs: ["https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html"]
# cases:
#   weights-only:
#     wrong: {not-strict: "https://github.com/king-yyf/CMeKG_tools/issues/8"}
# causes:
#   weights-only:
#     if: live("left", "holds Tensor") and not live("left", "holds OrderedDict") and not live("left", "holds dict")
#     undecided: which names the file has is not printed
#   lightning:
#     case: weights-only
#     if: paste("pytorch-lightning_version", "_pl_migrate_checkpoint", "utilities/migration")
#     sample: |
#       File "site-packages/pytorch_lightning/utilities/migration/utils.py", line 164, in _get_version
#         return checkpoint["pytorch-lightning_version"]
#       KeyError: 'pytorch-lightning_version'
#   not-saved:
#     likely: >-
#       paste("KeyError: 'epoch'", "KeyError: 'optimizer", "KeyError: 'scheduler'", "KeyError: 'lr_scheduler'", "KeyError: 'best_", "KeyError: 'global_step'")
#   other-name:
#     if: >-
#       (live("left", "by load", "holds OrderedDict") or live("left", "by load", "holds dict"))
#       and paste("KeyError: 'state_dict'", "KeyError: 'model_state_dict'", "KeyError: 'model'", "KeyError: 'net'", "KeyError: 'params")
#     undecided: which names the file has is not printed
# ---

# %%
import os
import tempfile

os.chdir(tempfile.mkdtemp())
import torch
from torch import nn

torch.manual_seed(0)
trained, model = nn.Linear(4, 2), nn.Linear(4, 2)
x = torch.ones(1, 4)
torch.save(trained.state_dict(), "weights.pt")
torch.save({"epoch": 3, "model": trained.state_dict()}, "checkpoint.pt")

# %% break weights-only
checkpoint = torch.load("weights.pt")
model.load_state_dict(checkpoint["state_dict"])

# %% check weights-only
checkpoint = torch.load("weights.pt")
print(type(checkpoint).__name__, list(checkpoint)[:5])
assert list(checkpoint) == ["weight", "bias"]

# %% fix weights-only
import torch

checkpoint = torch.load("weights.pt")
model.load_state_dict(checkpoint)

# %% proof weights-only
assert torch.equal(model(x), trained(x))

# %% use weights-only
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
# >>>
checkpoint = torch.load("weights.pt")
model.load_state_dict(checkpoint["state_dict"])
# <<<
batch = torch.randn(6, 4)
assert torch.equal(model(batch), trained(batch))
model(batch).square().mean().backward()
optimizer.step()
assert not torch.equal(model(batch), trained(batch))

# %% wrong not-strict
# `strict=False`: it is about the names inside the model. The key of the file is looked up before.
checkpoint = torch.load("weights.pt")
model.load_state_dict(checkpoint["state_dict"], strict=False)

# %% break other-name
checkpoint = torch.load("checkpoint.pt")
model.load_state_dict(checkpoint["state_dict"])

# %% check other-name
checkpoint = torch.load("checkpoint.pt")
print(type(checkpoint).__name__, list(checkpoint)[:5])
assert list(checkpoint) == ["epoch", "model"]

# %% fix other-name
import torch

checkpoint = torch.load("checkpoint.pt")
model.load_state_dict(checkpoint["model"])

# %% proof other-name
assert torch.equal(model(x), trained(x))

# %%
torch.save({"model": trained.state_dict()}, "checkpoint.pt")

# %% break not-saved
checkpoint = torch.load("checkpoint.pt")
start = checkpoint["epoch"] + 1

# %% fix not-saved
import torch

checkpoint = torch.load("checkpoint.pt")
start = checkpoint.get("epoch", -1) + 1  # 0 where the file has no epoch

# %% proof not-saved
assert start == 0
torch.save({"model": trained.state_dict(), "epoch": 3}, "checkpoint.pt")
checkpoint = torch.load("checkpoint.pt")
assert checkpoint.get("epoch", -1) + 1 == 4
