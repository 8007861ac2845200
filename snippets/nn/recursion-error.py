# ---
# wordings:
#   - text: "maximum recursion depth exceeded"
#     exception: RecursionError
#     near: [model-code, "('task("]
#     unless: &another [django, flask/, werkzeug, celery, sqlalchemy, jinja2, scrapy, tensorflow/, keras/]
#     sample: |
#       Traceback (most recent call last):
#         File "torch/nn/modules/module.py", line 1789, in _call_impl
#           return forward_call(*args, **kwargs)
#         File "recursion-error.py", line 83, in patched
#           return 2 * old_forward(x)
#         [Previous line repeated 984 more times]
#       RecursionError: maximum recursion depth exceeded
#   - text: "RuntimeError: maximum recursion depth exceeded"
#     exception: RuntimeError
#     near: [model-code, "('task("]
#     unless: *another
# tags: [notebook]
# recover: fix
# rows: [S001-111]
# docs: ["https://docs.python.org/3/library/sys.html#sys.setrecursionlimit", "https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html"]
# cases:
#   old-torch:
#     wrong: {higher-limit: "https://github.com/siliu-group/pic-challenge-baseline/issues/1"}
# causes:
#   own-getattr:
#     if: frames("__getattr__") and frames("getattr(self.")
#     sample: |
#       File "wrapper.py", line 12, in __getattr__
#         return getattr(self.model, name)
#       [Previous line repeated 996 more times]
#       RecursionError: maximum recursion depth exceeded
#   cell-run-twice:
#     if: live("run", "calls itself by another name")
#     likely: >-
#       paste("Cell In[", "Cell In [", "<ipython-input-", "ipykernel_", "skipping similar frames")
#       and not paste("_dynamo", "_inductor", "while pickling an object", "input = module(input)", "module.train(mode)", "module.state_dict(")
#       and not frames(".data, ", ".data)")
#     undecided: whose function repeats, and what it was before, only the reader knows
#     sample: |
#       Cell In[7], line 4, in scaled(tensor)
#             3 def scaled(tensor):
#       ----> 4     return 2 * before(tensor)
#
#       Cell In[7], line 4, in scaled(tensor)
#             3 def scaled(tensor):
#       ----> 4     return 2 * before(tensor)
#
#           [... skipping similar frames: scaled at line 4 (2962 times)]
#
#       RecursionError: maximum recursion depth exceeded
#   web-ui:
#     case: cell-run-twice
#     likely: >-
#       paste("webui", "args=('task(", "Arguments: ('task(", "custom_nodes", "ComfyUI")
#       and not paste("recursive_will_execute", "recursive_output_delete_if_changed", "validate_inputs")
#     sample: |
#       File "/home/user/stable-diffusion-webui/extensions/tiled/hook.py", line 31, in forward
#         return hooked(x)
#       [Previous line repeated 960 more times]
#       RecursionError: maximum recursion depth exceeded
#   parent-stored:
#     if: >-
#       frames("module._apply(fn)", "mod_str = repr(module)", "mod_str = module.__repr__()", "load(child, child_state_dict", "load(child, prefix")
#       and not frames("getattr(self.")
#     likely: frames("module.state_dict(", "module.train(mode)")
#   tokenizer:
#     if: paste("unk_token_id") and paste("convert_tokens_to_ids")
#     sample: |
#       File "transformers/tokenization_utils_fast.py", line 257, in _convert_token_to_id_with_added_voc
#         return self.unk_token_id
#       File "transformers/tokenization_utils_base.py", line 1150, in unk_token_id
#         return self.convert_tokens_to_ids(self.unk_token)
#       RecursionError: maximum recursion depth exceeded
#   old-torch:
#     if: frames(", Variable)")
#     likely: frames(".data, ", ".data)") and not frames("self.data")
#   really-deep:
#     likely: (frames("input = module(input)") and not paste("revious line repeated", "skipping similar frames")) or paste("while pickling an object")
# ---

# %%
import torch
from torch import nn

x = torch.ones(1, 2)
model = nn.Linear(2, 2)
plain = model.forward


class Wrapper:
    def __init__(self, model):
        self.model = model

    def __getattr__(self, name):
        return getattr(self.model, name)


# %% break own-getattr
import copy

wrapper = copy.deepcopy(Wrapper(model))

# %% check own-getattr
empty = object.__new__(Wrapper)  # made without __init__, as copy and pickle make it
# False: there is no model yet, and asking for it asks again
print("model" in vars(empty))
assert "model" not in vars(empty)


# %% fix own-getattr
class Wrapper:
    def __init__(self, model):
        self.model = model

    def __getattr__(self, name):
        if name == "model":  # copied without __init__: there is no model yet
            raise AttributeError(name)
        return getattr(self.model, name)


# %% proof own-getattr
import copy
import pickle

wrapper = Wrapper(nn.Linear(2, 3))
for twin in (copy.deepcopy(wrapper), copy.copy(wrapper)):
    assert torch.equal(twin.weight, wrapper.weight) and twin.in_features == 2
assert copy.deepcopy(wrapper).model is not wrapper.model
try:
    wrapper.no_such_name
    raise AssertionError("a name that the model lacks was found")
except AttributeError as error:
    assert "no_such_name" in str(error)
assert not hasattr(object.__new__(Wrapper), "weight")

# %% break cell-run-twice
for _ in range(2):  # a notebook cell, run twice
    old_forward = model.forward

    def patched(x):
        return 2 * old_forward(x)

    model.forward = patched
model(x)

# %% check cell-run-twice
for _ in range(2):
    old_forward = model.forward

    def patched(x):
        return 2 * old_forward(x)

    model.forward = patched
print(old_forward)  # not Linear.forward, but the new function: it calls itself
assert old_forward.__name__ == "patched"


# %% fix cell-run-twice
def patch(model):
    # patched already? Then take what lies below
    original = getattr(model.forward, "original", model.forward)

    def patched(x):
        return 2 * original(x)

    patched.original = original
    model.forward = patched


patch(model)

# %% proof cell-run-twice
once = model(x)
patch(model)  # the cell is run again
patch(model)
assert torch.equal(model(x), once) and torch.equal(once, 2 * plain(x))  # patched once, not three times


# %% break parent-stored
class Parent(nn.Module):
    def __init__(self):
        super().__init__()
        self.child = nn.Linear(2, 2)
        self.child.parent = self  # now the parent is a submodule of its own child


Parent().to(torch.float64)


# %% check parent-stored
class Parent(nn.Module):
    def __init__(self):
        super().__init__()
        self.child = nn.Linear(2, 2)
        self.child.parent = self


model = Parent()
loops = []
for name, module in model.named_modules():
    if any(part is model for part in module.children()):
        loops.append(name)
print(loops)  # these modules contain the whole model
assert loops == ["child"]

# %% fix parent-stored
from torch import nn


class Parent(nn.Module):
    def __init__(self):
        super().__init__()
        self.child = nn.Linear(2, 2)
        self.child.parent = [self]  # in a plain list it is no submodule


# %% proof parent-stored
model = Parent().to(torch.float64)
assert model.child.weight.dtype == torch.float64
assert list(model.state_dict()) == ["child.weight", "child.bias"]
assert model.child.parent[0] is model


# %% break old-torch
from torch.autograd import Variable


def fill(tensor, value):
    if isinstance(tensor, Variable):  # before 0.4 only a wrapper was one
        fill(tensor.data, value)
        return tensor
    return tensor.fill_(value)


fill(torch.empty(2, 2), 1.0)

# %% check old-torch
from torch.autograd import Variable

# True both times: .data is a tensor like any other
print(isinstance(x, Variable), isinstance(x.data, Variable))
assert isinstance(x.data, Variable)

# %% fix old-torch
import torch


def fill(tensor, value):
    with torch.no_grad():  # what .data was for
        return tensor.fill_(value)


# %% proof old-torch
weight = nn.Parameter(torch.zeros(2, 2))
assert fill(weight, 1.5) is weight and weight.requires_grad and weight.grad_fn is None
assert torch.equal(weight.detach(), torch.full((2, 2), 1.5))

# %% wrong higher-limit
# `sys.setrecursionlimit` with a larger number: the chain has no end, so a longer one ends no better.
import sys

from torch.autograd import Variable

sys.setrecursionlimit(20_000)


def fill(tensor, value):
    if isinstance(tensor, Variable):
        fill(tensor.data, value)
        return tensor
    return tensor.fill_(value)


fill(torch.empty(2, 2), 1.0)

# %%
model = nn.Identity()
for _ in range(400):
    model = nn.Sequential(model, nn.ReLU())  # each around the one before

# %% break really-deep
model(x)


# %% check really-deep
levels, modules = 0, [model]
while modules:
    modules = [child for module in modules for child in module.children()]
    levels += 1
print(levels)  # it ends: deep, but not endless
assert levels == 401

# %% fix really-deep
from torch import nn

# one after the other, not one inside the other
model = nn.Sequential(*[nn.ReLU() for _ in range(400)])

# %% proof really-deep
assert len(model) == 400 and torch.equal(model(x - 2), torch.zeros(1, 2)) and torch.equal(model(x + 2), x + 2)
