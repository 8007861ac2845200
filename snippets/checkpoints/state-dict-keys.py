# ---
# wordings:
#   - text: "Missing key(s) in state_dict: \"{missing:ident}\""
#     exception: RuntimeError
#     sample: |
#       RuntimeError: Error(s) in loading state_dict for Net:
#           Missing key(s) in state_dict: "features.0.weight", "features.0.bias".
#           Unexpected key(s) in state_dict: "module.features.0.weight", "module.features.0.bias".
#   - text: "Unexpected key(s) in state_dict: \"{unexpected:ident}\""
#     exception: RuntimeError
#     sample: "Unexpected key(s) in state_dict: \"0.weight\", \"0.bias\"."
#   - text: "Missing key(s) in state_dict"
#     exception: RuntimeError
#   - text: "Unexpected key(s) in state_dict"
#     exception: RuntimeError
#   - text: "unexpected key \"{unexpected:ident}\" in state_dict"
#     exception: KeyError
#     sample: "KeyError: 'unexpected key \"module.cnn.conv0.weight\" in state_dict'"
#   - text: "missing keys in state_dict:"
#     exception: KeyError
#   - text: "unexpected key in source state_dict: {unexpected:ident}"
#     sample: "unexpected key in source state_dict: fc.weight, fc.bias"
#   - text: "missing keys in source state_dict: {missing:ident}"
#     sample: "missing keys in source state_dict: decode_head.conv_seg.weight, decode_head.conv_seg.bias"
#   - text: "Error(s) in loading state_dict for {_:ident}"
#     exception: RuntimeError
#     unless: [size mismatch for, copying a param, While copying the parameter]
#     sample: "RuntimeError: Error(s) in loading state_dict for ResNet:"
#   - text: "were not initialized from the model checkpoint at"
#     role: symptom
#     sample: "Some weights of BertForSequenceClassification were not initialized from the model checkpoint at bert-base-uncased and are newly initialized: ['classifier.bias', 'classifier.weight']"
#   - text: "those params were newly initialized because missing from the checkpoint"
#     role: symptom
# tags: [checkpoint, fine-tuning, multi-gpu, compile, inference]
# recover: fix
# related: [checkpoints/deserialize-cuda]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.load_state_dict"]
# cases:
#   prefix:
#     wrong: {not-strict: "https://github.com/pytorch/examples/issues/1029"}
# causes:
#   prefix:
#     if: >-
#       begins(unexpected, "module.", "_orig_mod.", "_fsdp_wrapped_module.") and read(missing)
#       and not begins(missing, "module.", "_orig_mod.", "_fsdp_wrapped_module.")
#       or live("state_dict", "names with a prefix")
#     likely: >-
#       begins(unexpected, "model.", "net.", "network.", "student.", "teacher.", "generator.") and read(missing)
#       and not begins(missing, "model.", "net.", "network.", "module.", "_orig_mod.")
#       or begins(unexpected, "module.", "_orig_mod.") and not paste("Missing key(s)", "missing keys in", "num_batches_tracked")
#   nested:
#     if: >-
#       unexpected in ["state_dict", "model_state_dict", "optimizer", "optimizer_state_dict", "args", "cfg", "hyper_parameters", "pytorch-lightning_version",
#       "best_acc", "best_acc1", "arch", "hparams", "scheduler", "netG_state_dict", "net_state_dict", "model_state", "model_config", "loops", "callbacks"]
#       or read(missing) and unexpected in ["model", "net", "epoch", "config", "acc", "iteration", "iter", "step", "global_step", "params", "params_ema", "ema", "meta",
#       "scaler", "loss", "weights", "network", "netG"]
#       or read(missing) and paste(", \"epoch\"", ", \"optimizer\"", ", \"optimizer_state_dict\"", ", \"state_dict\"", ", \"model_state_dict\"")
#   wrapped:
#     if: >-
#       begins(missing, "module.", "_orig_mod.", "_fsdp_wrapped_module.") and not
#       begins(unexpected, "module.", "_orig_mod.", "_fsdp_wrapped_module.")
#       or live("state_dict", "names without a prefix")
#   leftover:
#     if: >-
#       read(unexpected) and not paste("Missing key(s)", "missing keys in")
#       and paste("position_ids\"", "num_batches_tracked\"", "total_ops\"", "total_params\"", "relative_position_index\"", "inv_freq\"", "attn_mask\"")
#     likely: read(unexpected) and not paste("Missing key(s)", "missing keys in")
#   renamed:
#     if: live("state_dict", "other names of the same shapes")
#     undecided: other names of the same layers and another architecture print the same two lists
#   new-head:
#     if: paste("were not initialized from the model checkpoint at", "those params were newly initialized") and not paste("in state_dict")
#     sample: "Some weights of BertForSequenceClassification were not initialized from the model checkpoint at bert-base-uncased and are newly initialized: ['classifier.bias', 'classifier.weight']"
#   other-settings:
#     likely: read(missing) and (not paste("Unexpected key(s)", "unexpected key") or paste("size mismatch for"))
# ---

# %%
import os
import tempfile

import torch
from torch import nn

torch.manual_seed(0)
os.chdir(tempfile.mkdtemp())


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8))
        self.classifier = nn.Linear(8, 3)


def equal(one, other):
    one, other = one.state_dict(), other.state_dict()
    return list(one) == list(other) and all(torch.equal(one[name], other[name]) for name in one)


trained = Net()
trained.features[1].running_mean.add_(1)
torch.save(nn.DataParallel(trained).state_dict(), "checkpoint.pt")
model = Net()

# %% break prefix
model.load_state_dict(torch.load("checkpoint.pt"))

# %% check prefix
state = torch.load("checkpoint.pt")
print(list(state)[:2])  # the file: each name begins with module.
print(list(model.state_dict())[:2])  # the model: the same names, without it
assert set(state) == {"module." + name for name in model.state_dict()}

# %% fix prefix
import torch

state = torch.load("checkpoint.pt")
state = {name.removeprefix("module."): value for name, value in state.items()}
model.load_state_dict(state)

# %% proof prefix
assert equal(model, trained)

# %% use prefix
# >>>
model.load_state_dict(torch.load("checkpoint.pt"))
# <<<
x = torch.randn(5, 4)
model.eval()
trained.eval()
assert torch.equal(model.classifier(model.features(x)), trained.classifier(trained.features(x)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model.train()
model.classifier(model.features(x)).square().mean().backward()
optimizer.step()
assert not torch.equal(model.classifier.weight, trained.classifier.weight)

# %% wrong not-strict
# `strict=False`: no error any more, and nothing is loaded. No name fits, so the model keeps the
# random weights that it was made with.
model.load_state_dict(torch.load("checkpoint.pt"), strict=False)

# %%
optimizer = torch.optim.AdamW(trained.parameters())
torch.save({"epoch": 9, "model": trained.state_dict(), "optimizer": optimizer.state_dict()}, "checkpoint.pt")

# %% break nested
model.load_state_dict(torch.load("checkpoint.pt"))

# %% check nested
checkpoint = torch.load("checkpoint.pt")
print(list(checkpoint))  # no weights, but what holds them
assert list(checkpoint) == ["epoch", "model", "optimizer"]

# %% fix nested
import torch

checkpoint = torch.load("checkpoint.pt")
model.load_state_dict(checkpoint["model"])  # or "state_dict", … as printed

# %% proof nested
assert equal(model, trained)

# %%
with_counter = {**trained.state_dict(), "features.total_ops": torch.zeros(1)}  # as a profiler leaves it
torch.save(with_counter, "checkpoint.pt")

# %% break leftover
model.load_state_dict(torch.load("checkpoint.pt"))

# %% check leftover
state = torch.load("checkpoint.pt")
own = model.state_dict()
print(set(state) - set(own))  # only in the file: do these hold trained weights?
print(set(own) - set(state))  # set(): nothing that the model needs is missing
assert set(state) - set(own) == {"features.total_ops"} and not set(own) - set(state)

# %% fix leftover
import torch

state = torch.load("checkpoint.pt")
own = model.state_dict()
state = {name: value for name, value in state.items() if name in own}
model.load_state_dict(state)  # strict: still says so if something is missing

# %% proof leftover
assert equal(model, trained)

# %%
torch.save(trained.state_dict(), "checkpoint.pt")
model = nn.DataParallel(Net())

# %% break wrapped
model.load_state_dict(torch.load("checkpoint.pt"))

# %% check wrapped
print(type(model).__name__)  # DataParallel: a wrapper around your model
assert isinstance(model, nn.DataParallel)

# %% fix wrapped
import torch

# after torch.compile: model._orig_mod
model.module.load_state_dict(torch.load("checkpoint.pt"))

# %% proof wrapped
assert equal(model.module, trained) and isinstance(model, nn.DataParallel)

# %%
old = trained.state_dict()
torch.save({name.replace("classifier", "map_classifier"): value for name, value in old.items()}, "checkpoint.pt")
model = Net()

# %% break renamed
model.load_state_dict(torch.load("checkpoint.pt"))

# %% check renamed
state, own = torch.load("checkpoint.pt"), model.state_dict()
for name in state.keys() - own.keys():
    print("file ", name, tuple(state[name].shape))
for name in own.keys() - state.keys():
    print("model", name, tuple(own[name].shape))  # the same shapes, another name
assert state["map_classifier.weight"].shape == own["classifier.weight"].shape

# %% fix renamed
import torch

state = torch.load("checkpoint.pt")
new = {"map_classifier.": "classifier."}  # in the file: in the model
for old, now in new.items():
    state = {name.replace(old, now): value for name, value in state.items()}
model.load_state_dict(state)

# %% proof renamed
assert equal(model, trained)


# %%
def encoder(layers):
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, dropout=0, batch_first=True), layers)


trained = encoder(2)
torch.save(trained.state_dict(), "checkpoint.pt")

# %% break other-settings
layer = nn.TransformerEncoderLayer(d_model=16, nhead=2, batch_first=True)
model = nn.TransformerEncoder(layer, num_layers=4)
model.load_state_dict(torch.load("checkpoint.pt"))

# %% check other-settings
state = torch.load("checkpoint.pt")
print({name.split(".")[1] for name in state})  # the file has layers 0 and 1
assert {name.split(".")[1] for name in state} == {"0", "1"}

# %% fix other-settings
import torch
from torch import nn

layer = nn.TransformerEncoderLayer(d_model=16, nhead=2, batch_first=True)
model = nn.TransformerEncoder(layer, num_layers=2)  # as in the training
model.load_state_dict(torch.load("checkpoint.pt"))

# %% proof other-settings
assert equal(model, trained)
sequence = torch.rand(5, 1, 16)
assert torch.allclose(model.eval()(sequence), trained.eval()(sequence), atol=1e-6)
