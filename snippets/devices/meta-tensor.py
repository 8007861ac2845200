# ---
# wordings:
#   - text: "Cannot copy out of meta tensor; no data!"
#     exception: NotImplementedError
#   - text: "Tensor.item() cannot be called on meta tensors"
#     exception: RuntimeError
#   - text: "can't convert meta device type tensor to numpy"
#     exception: TypeError
#   - text: "copying from a non-meta parameter in the checkpoint to a meta parameter in the current model"
#     exception: UserWarning
#   - text: "Could not run '{_:line}' with arguments from the 'Meta' backend"
#     exception: NotImplementedError
#     sample: "NotImplementedError: Could not run 'aten::equal' with arguments from the 'Meta' backend."
#   - text: "is on the meta device, we need a `value` to put in on"
#     exception: ValueError
#   - text: "attempted to run this operator with Meta tensors"
#     exception: NotImplementedError
#     unless: [torch/_dynamo, torch/export, torch/_inductor]
#   - text: "You can't move a model that has some modules offloaded to cpu or disk"
#     exception: RuntimeError
# tags: [checkpoint, device, inference]
# recover: fix
# cases:
#   not-loaded: {wrong: {to-empty: "https://github.com/pytorch/pytorch/issues/119293"}}
#   left-out: {}
#   computed-in-init: {}
# related: [devices/device-mismatch]
# docs: ["https://docs.pytorch.org/docs/stable/meta.html", "https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.load_state_dict"]
# causes:
#   device-map:
#     if: paste("You can't move a model that has some modules offloaded")
#     likely: >-
#       not paste("cannot be called on meta", "non-meta parameter") and
#       (paste("accelerate/big_modeling.py", "accelerate\\big_modeling.py", "dispatch_model", "device_map", "we need a `value`", "_move_model_to_device", "in prepare_model", "accelerate/hooks.py")
#       or frames("transformers/modeling_utils.py", "transformers\\modeling_utils.py", "transformers/trainer.py", "diffusers/", "diffusers\\", "sentence_transformers"))
#     sample: |
#       File "transformers/trainer.py", line 498, in _move_model_to_device
#         model = model.to(device)
#       NotImplementedError: Cannot copy out of meta tensor; no data!
#   not-loaded:
#     if: paste("copying from a non-meta parameter")
#     likely: live("meta") and not live("cpu", "meta")
#     undecided: the warning is printed above the traceback, and often cut off
#     sample: "UserWarning: for weight: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, which is a no-op."
#   left-out:
#     if: live("cpu", "meta") and not paste("accelerate", "device_map")
#     undecided: whether the file lacked a part is not in the traceback
#   computed-in-init:
#     if: paste("cannot be called on meta tensors", "can't convert meta device", "aten::_local_scalar_dense") and paste("in __init__")
#     likely: paste("cannot be called on meta tensors", "can't convert meta device", "aten::_local_scalar_dense") and not paste("in forward")
# ---

# %%
import torch
from torch import nn

torch.set_default_device(None)
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)  # memory that was never written reads as NaN, not as what happens to be there
trained = nn.Sequential(nn.Linear(4, 2))
torch.save(trained.state_dict(), "model.pt")
x = torch.randn(3, 4)

with torch.device("meta"):  # what init_empty_weights() and low_cpu_mem_usage=True do
    model = nn.Sequential(nn.Linear(4, 2))

# %% break not-loaded
model.load_state_dict(torch.load("model.pt"))  # a warning, and nothing is loaded
model.to("cpu")

# %% check not-loaded
print([name for name, p in model.named_parameters() if p.is_meta])
assert model[0].weight.is_meta and model[0].bias.is_meta

# %% fix not-loaded
import torch

weights = torch.load("model.pt")
model.load_state_dict(weights, assign=True)  # takes the file's tensors as they are

# %% proof not-loaded
assert torch.equal(model.to("cpu")(x), trained(x))
assert not any(p.is_meta for p in model.parameters())

# %% use not-loaded
with torch.device("meta"):
    model = nn.Sequential(nn.Linear(4, 2))
# >>>
model.load_state_dict(torch.load("model.pt"))
# <<<
model.to("cpu")
torch.testing.assert_close(model(x), trained(x))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for inputs, label in zip(torch.randn(3, 5, 4), torch.randint(2, (3, 5))):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(inputs), label).backward()
    optimizer.step()
assert model[0].weight.isfinite().all() and not torch.equal(model(x), trained(x))

# %% wrong to-empty
# `to_empty`, which the message proposes, and nothing behind it: the error is gone, and the weights
# are whatever lay in that memory.
model.to_empty(device="cpu")

# %%
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.body(x))


pretrained = Classifier()
torch.save({name: value for name, value in pretrained.state_dict().items() if name.startswith("body")}, "body.pt")
with torch.device("meta"):
    model = Classifier()

# %% break left-out
weights = torch.load("body.pt")
model.load_state_dict(weights, strict=False, assign=True)
model.to("cpu")

# %% check left-out
weights = torch.load("body.pt")
print([name for name in model.state_dict() if name not in weights])
assert {*model.state_dict()} - {*weights} == {"head.weight", "head.bias"}

# %% fix left-out
import torch

weights = torch.load("body.pt")
model.load_state_dict(weights, strict=False, assign=True)
model.head.to_empty(device="cpu")  # memory, with anything in it
model.head.reset_parameters()  # the first values of a new layer

# %% proof left-out
assert torch.equal(model.to("cpu").body.weight, pretrained.body.weight)
assert model(x).isfinite().all() and 0 < model.head.weight.abs().max() <= 8**-0.5
assert model.head.weight.std() > 0.05  # random, not one number


# %%
class Blocks(nn.Module):
    def __init__(self, depth=3):
        super().__init__()
        rates = [rate.item() for rate in torch.linspace(0, 0.2, depth)]
        self.blocks = nn.Sequential(*(nn.Dropout(rate) for rate in rates))


# %% break computed-in-init
with torch.device("meta"):
    model = Blocks()

# %% check computed-in-init
with torch.device("meta"):
    print(torch.linspace(0, 0.2, 3))  # sizes, but no numbers
    assert torch.linspace(0, 0.2, 3).is_meta

# %% fix computed-in-init
import torch
from torch import nn


class Blocks(nn.Module):
    def __init__(self, depth=3):
        super().__init__()
        rates = torch.linspace(0, 0.2, depth, device="cpu").tolist()
        self.blocks = nn.Sequential(*(nn.Dropout(rate) for rate in rates))


# %% proof computed-in-init
with torch.device("meta"):
    model = Blocks(3)
    deeper = Blocks(5)
assert [round(block.p, 3) for block in model.blocks] == [0.0, 0.1, 0.2]
assert [round(block.p, 3) for block in deeper.blocks] == [0.0, 0.05, 0.1, 0.15, 0.2]
