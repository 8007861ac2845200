# ---
# wordings:
#   - text: "'DataParallel' object has no attribute '{attr:ident}'"
#     exception: AttributeError
#     sample: "AttributeError: 'DataParallel' object has no attribute 'encoder'"
#   - text: "'DistributedDataParallel' object has no attribute '{attr:ident}'"
#     exception: AttributeError
#     sample: "AttributeError: 'DistributedDataParallel' object has no attribute 'model'"
#   - text: "'MMDataParallel' object has no attribute '{attr:ident}'"
#     exception: AttributeError
#     sample: "AttributeError: 'MMDataParallel' object has no attribute 'CLASSES'"
#   - text: "'MMDistributedDataParallel' object has no attribute '{attr:ident}'"
#     exception: AttributeError
#     sample: "AttributeError: 'MMDistributedDataParallel' object has no attribute 'CLASSES'"
#   - text: "object has no attribute 'recompute_scale_factor'"
#     exception: AttributeError
#     sample: "AttributeError: 'Upsample' object has no attribute 'recompute_scale_factor'"
#   - text: "'GELU' object has no attribute 'approximate'"
#     exception: AttributeError
#   - text: "'{cls:ident}' object has no attribute '{attr:ident}'"
#     exception: [AttributeError, ModuleAttributeError]
#     near: [in __getattr__, ModuleAttributeError]
#     unless: ["'NoneType'", "'DataFrame'", "'Series'", pandas, omegaconf, easydict, "'Namespace'", sqlalchemy, tensorflow, keras, paddle, mindspore, mxnet, cupy, jax, pyspark, pydantic, gym, _ops.py, "Config' object"]
#     sample: "torch.nn.modules.module.ModuleAttributeError: 'Net' object has no attribute 'dropout'"
# tags: [multi-gpu, ddp, checkpoint]
# recover: fix
# related: [nn/recursion-error, checkpoints/state-dict-keys]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html", "https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html"]
# cases:
#   not-wrapped:
#     wrong: {wrap-it: "https://github.com/minar09/ACGPN/issues/5"}
# causes:
#   wrapped:
#     if: >-
#       paste("'DataParallel' object", "DistributedDataParallel' object", "MMDataParallel' object")
#       and attr not in ["module", "_use_replicated_tensor_module", "src_device_obj"]
#   not-wrapped:
#     if: attr == "module" and not paste("DataParallel' object")
#   old-file:
#     if: >-
#       paste("recompute_scale_factor'", "'GELU' object") or attr in
#       ["_use_replicated_tensor_module", "src_device_obj", "padding_mode",
#       "_padding_repeated_twice", "_reversed_padding_repeated_twice", "divisor_override",
#       "_non_persistent_buffers_set", "_backward_pre_hooks", "_forward_hooks_with_kwargs",
#       "_forward_hooks_always_called", "_is_full_backward_hook", "_forward_pre_hooks_with_kwargs",
#       "activation_relu_or_gelu", "_qkv_same_embed_dim"] or attr in ["batch_first", "norm_first"]
#       and cls in ["MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer"] or
#       attr == "track_running_stats" and cls in ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d",
#       "InstanceNorm2d"]
#   other-release:
#     likely: >-
#       cls in ["GCNConv", "GATConv", "GATv2Conv", "SAGEConv", "GINConv", "GINEConv", "NNConv",
#       "ChebConv", "GraphConv", "EdgeConv", "RGCNConv", "TransformerConv", "MessagePassing",
#       "VisionTransformer", "SwinTransformer", "PatchEmbed"]
#     sample: |
#       Traceback (most recent call last):
#         File "gnnNets.py", line 258, in forward
#           x = torch.matmul(x, self.weight)
#         File "torch/nn/modules/module.py", line 1178, in __getattr__
#           type(self).__name__, name))
#       AttributeError: 'GCNConv' object has no attribute 'weight'
#   not-set:
#     if: live("object", "not set", "own class") and attr != "module"
#     undecided: an attribute that was never set and a property that fails print the same
#   property:
#     if: live("object", "property")
#     undecided: an attribute that was never set and a property that fails print the same
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 2)

    def forward(self, x):
        return self.encoder(x)


inner = Net()
model = nn.DataParallel(inner)

# %% break wrapped
for parameter in model.encoder.parameters():
    parameter.requires_grad_(False)

# %% check wrapped
print(type(model).__name__, "around", type(model.module).__name__)
assert isinstance(model, nn.DataParallel) and model.module is inner

# %% fix wrapped
net = getattr(model, "module", model)  # your own model, wrapped or not
for parameter in net.encoder.parameters():
    parameter.requires_grad_(False)

# %% proof wrapped
assert net is inner and not inner.encoder.weight.requires_grad and not inner.encoder.bias.requires_grad

# %% use wrapped
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.head = nn.Linear(4, 3), nn.Linear(3, 2)

    def forward(self, x):
        return self.head(self.encoder(x).relu())


model = nn.DataParallel(Classifier())
# >>>
for parameter in model.encoder.parameters():
    parameter.requires_grad_(False)
# <<<
trained = [p for p in model.parameters() if p.requires_grad]
optimizer = torch.optim.SGD(trained, lr=0.1)
x, y = torch.rand(6, 4), torch.randint(2, (6,))
for _ in range(2):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
assert len(trained) == 2 and model.module.encoder.weight.grad is None

# %%
model = inner

# %% break not-wrapped
weights = model.module.state_dict()

# %% fix not-wrapped
net = getattr(model, "module", model)  # your own model, wrapped or not
weights = net.state_dict()

# %% proof not-wrapped
assert list(weights) == ["encoder.weight", "encoder.bias"]
model = nn.DataParallel(inner)
assert list(getattr(model, "module", model).state_dict()) == list(weights)

# %% wrong wrap-it
# `nn.DataParallel` around the model, so that there is a `.module`: a checkpoint of the wrapped model
# has `module.` in front of each name, and the plain model does not load it.
model = nn.DataParallel(model, device_ids=[0])
weights = model.state_dict()
print(list(weights))
missing = inner.load_state_dict(weights, strict=False).missing_keys
assert missing == ["encoder.weight", "encoder.bias"]  # all of them

# %%
model = nn.Sequential(nn.Upsample(scale_factor=2))
del model[0].recompute_scale_factor  # as a model that an older PyTorch has saved whole
x = torch.rand(1, 1, 2, 2)

# %% break old-file
y = model(x)

# %% check old-file
new = vars(nn.Upsample(scale_factor=2))
print(new.keys() - vars(model[0]).keys())  # what the layer has in this release
assert new.keys() - vars(model[0]).keys() == {"recompute_scale_factor"}

# %% fix old-file
from torch import nn

for module in model.modules():
    if isinstance(module, nn.Upsample):
        module.recompute_scale_factor = None  # the default of this release

# %% proof old-file
assert torch.equal(model(x), nn.Upsample(scale_factor=2)(x))


# %%
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 2)
        dropout = nn.Dropout(0.5)  # without self. it is gone when __init__ ends

    def forward(self, x):
        return self.dropout(self.encoder(x))


x = torch.rand(500, 4)

# %% break not-set
model = Net()
y = model(x)

# %% check not-set
print([name for name, _ in Net().named_children()])  # no `dropout`
assert [name for name, _ in Net().named_children()] == ["encoder"]

# %% fix not-set
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 2)
        self.dropout = nn.Dropout(0.5)

    def forward(self, x):
        return self.dropout(self.encoder(x))


model = Net()
y = model(x)

# %% proof not-set
assert [name for name, _ in model.named_children()] == ["encoder", "dropout"]
assert 0.4 < (y == 0).float().mean() < 0.6
assert torch.equal(model.eval()(x), model.encoder(x))


# %%
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 2)

    @property
    def width(self):
        return self.encoder.out_feature  # a letter is missing


# %% break property
model = Net()
print(model.width)

# %% check property
try:
    Net.width.fget(Net())  # calls the property directly: the real error
except AttributeError as error:
    found = str(error)
print(found)
assert found == "'Linear' object has no attribute 'out_feature'"

# %% fix property
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 2)

    @property
    def width(self):
        return self.encoder.out_features


model = Net()

# %% proof property
assert model.width == 2
