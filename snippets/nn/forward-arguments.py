# ---
# wordings:
#   - text: "forward() missing {n:int} required positional argument"
#     exception: TypeError
#     near: [model-code, ".forward() "]
#     unless: [paddle, mindspore, chainer, hybrid_forward]
#     sample: "TypeError: Net.forward() missing 1 required positional argument: 'mask'"
#   - text: "forward() missing {n:int} required keyword-only argument"
#     exception: TypeError
#     near: [model-code, ".forward() "]
#     unless: [paddle, mindspore, chainer, hybrid_forward]
#     sample: "TypeError: Net.forward() missing 1 required keyword-only argument: 'mask'"
#   - text: "forward() takes {takes:int} positional arguments but {given:int} were given"
#     exception: TypeError
#     near: [model-code, ".forward() "]
#     unless: [paddle, mindspore, chainer, hybrid_forward]
#     sample: "TypeError: Sequential.forward() takes 2 positional arguments but 3 were given"
#   - text: "forward() takes {takes:int} positional argument but {given:int} were given"
#     exception: TypeError
#     near: [model-code, ".forward() "]
#     unless: [paddle, mindspore, chainer, hybrid_forward]
#     sample: "TypeError: Net.forward() takes 1 positional argument but 2 were given"
#   - text: "forward() got an unexpected keyword argument '{name:ident}'"
#     exception: TypeError
#     near: [model-code, ".forward() "]
#     unless: [paddle, mindspore, chainer, hybrid_forward]
#     sample: "TypeError: forward() got an unexpected keyword argument 'attention_mask'"
#   - text: "forward() got multiple values for argument '{twice:ident}'"
#     exception: TypeError
#     near: [model-code, ".forward() "]
#     unless: [paddle, mindspore, chainer, hybrid_forward]
#     sample: "TypeError: forward() got multiple values for argument 'mask'"
# tags: [fine-tuning, transformer]
# recover: fix
# related: [nn/forward-not-implemented, nn/argument-must-be-tensor]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.forward"]
# causes:
#   missing:
#     if: read(n) and not frames("parallel_apply")
#   sequential:
#     if: paste("Sequential.forward()")
#   unknown-name:
#     if: read(name) and not frames("transformers/trainer.py", "trl/trainer")
#   trainer:
#     if: read(name) and frames("transformers/trainer.py", "trl/trainer")
#     sample: |
#       Traceback (most recent call last):
#         File "/env/lib/python3.11/site-packages/transformers/trainer.py", line 3869, in compute_loss
#           outputs = model(**inputs)
#       TypeError: Net.forward() got an unexpected keyword argument 'labels'
#   no-self:
#     likely: read(takes) and takes == 1
#   too-many:
#     if: read(takes) and takes > 1
#     sample: "TypeError: Net.forward() takes 3 positional arguments but 4 were given"
#   replica:
#     likely: read(n) and frames("parallel_apply")
#     sample: |
#       Traceback (most recent call last):
#         File "/env/lib/python3.11/site-packages/torch/nn/parallel/parallel_apply.py", line 64, in _worker
#           output = module(*input, **kwargs)
#       TypeError: Net.forward() missing 1 required positional argument: 'x'
# ---

# %%
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x, mask):
        return self.fc(x) * mask


model = Net()
x = torch.rand(3, 4)
batch = {"x": x, "mask": torch.ones(3, 1), "text": "a cat"}

# %% break missing
y = model(x)

# %% check missing
import inspect

print(inspect.signature(model.forward))  # (x, mask)
assert list(inspect.signature(model.forward).parameters) == ["x", "mask"]

# %% fix missing
import torch

mask = torch.ones(len(x), 1)  # what forward asks for
y = model(x, mask)

# %% proof missing
assert torch.equal(y, model.fc(x))

# %% break unknown-name
y = model(x, attention_mask=batch["mask"])

# %% check unknown-name
import inspect

print(inspect.signature(model.forward))  # (x, mask): no attention_mask
assert "attention_mask" not in inspect.signature(model.forward).parameters

# %% fix unknown-name
import inspect

known = inspect.signature(model.forward).parameters
y = model(**{name: value for name, value in batch.items() if name in known})

# %% proof unknown-name
assert torch.equal(y, model.fc(batch["x"])) and "text" not in known

# %% break sequential
layers = nn.Sequential(Net(), nn.ReLU())
y = layers(x, batch["mask"])

# %% fix sequential
from torch import nn


class Both(nn.Module):
    def __init__(self, first, rest):
        super().__init__()
        self.first, self.rest = first, rest

    def forward(self, x, mask):
        return self.rest(self.first(x, mask))


layers = Both(model, nn.ReLU())

# %% proof sequential
assert torch.equal(layers(x, batch["mask"]), model.fc(x).relu())


# %%
class Headless(nn.Module):
    def forward(x):
        return x * 2


# %% break no-self
y = Headless()(x)

# %% fix no-self
from torch import nn


class Double(nn.Module):
    def forward(self, x):  # self first
        return x * 2


y = Double()(x)

# %% proof no-self
assert torch.equal(y, x * 2)

# %%
model, x, labels = nn.Linear(4, 3), torch.rand(5, 4), torch.tensor([0, 2, 1, 1, 0])

# %% break too-many
loss = model(x, labels)

# %% fix too-many
from torch.nn.functional import cross_entropy

scores = model(x)
loss = cross_entropy(scores, labels)  # the labels are for the loss

# %% proof too-many
torch.testing.assert_close(loss, -model(x).log_softmax(1)[torch.arange(5), labels].mean())
loss.backward()
assert model.weight.grad.any()

# %%
import sys
from pathlib import Path

# Stands for the Trainer of transformers, which passes what its version adds.
Path("transformers").mkdir(exist_ok=True)
Path("transformers/trainer.py").write_text("""
def compute_loss(model, inputs):
    return model(**inputs, num_items_in_batch=4)["loss"]
""")
sys.path.insert(0, ".")
from transformers.trainer import compute_loss


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def forward(self, x):
        return self.layer(x)


batch = {"x": torch.rand(5, 4), "labels": torch.tensor([0, 2, 1, 1, 0])}

# %% break trainer
loss = compute_loss(Net(), batch)

# %% fix trainer
from torch import nn
from torch.nn.functional import cross_entropy


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def forward(self, x, labels=None, **kwargs):  # kwargs: what the Trainer adds
        scores = self.layer(x)
        loss = None if labels is None else cross_entropy(scores, labels)
        return {"loss": loss, "logits": scores}

# %% proof trainer
model = Net()
loss = compute_loss(model, batch)
scores = batch["x"] @ model.layer.weight.T + model.layer.bias
torch.testing.assert_close(loss, -scores.log_softmax(1)[torch.arange(5), batch["labels"]].mean())
torch.testing.assert_close(model(batch["x"])["logits"], scores)
loss.backward()
assert model(batch["x"])["loss"] is None and model.layer.weight.grad.any()
