# ---
# wordings:
#   - text: "maximum recursion depth exceeded"
#     exception: RecursionError
#   - text: "RuntimeError: maximum recursion depth exceeded"
#     exception: RuntimeError
# tags: [notebook]
# recover: fix
# rows: [S001-111]
# docs: ["https://docs.python.org/3/library/sys.html#sys.setrecursionlimit", "https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html"]
# causes:
#   cell-run-twice:
#   lines-web-ui-extension: {case: cell-run-twice}
#   parent-stored:
#   own-getattr-getattr-self: {case: parent-stored}
#   unk-token-id-convert:
#   really-deep:
# ---

# %%
import torch
from torch import nn

x = torch.ones(1, 2)
model = nn.Linear(2, 2)
plain = model.forward

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
print(old_forward)  # should be Linear.forward; it is the new function, and calls itself
assert old_forward.__name__ == "patched"


# %% fix cell-run-twice
def patch(model):
    original = getattr(model.forward, "original", model.forward)  # patched already? Then take what lies below

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
loops = [name for name, module in model.named_modules() if any(part is model for part in module.children())]
print(loops)  # these modules contain the whole model
assert loops == ["child"]

# %% fix parent-stored
from torch import nn


class Parent(nn.Module):
    def __init__(self):
        super().__init__()
        self.child = nn.Linear(2, 2)
        self.child.parent = [self]  # in a plain list it is not registered as a submodule


# %% proof parent-stored
model = Parent().to(torch.float64)
assert model.child.weight.dtype == torch.float64
assert list(model.state_dict()) == ["child.weight", "child.bias"]
assert model.child.parent[0] is model

# %%
model = nn.Identity()
for _ in range(300):
    model = nn.Sequential(model, nn.ReLU())  # each around the one before

# %% break really-deep
model(x)


# %% check really-deep
def levels(module):
    return 1 + max((levels(child) for child in module.children()), default=0)


print(levels(model))  # it ends: deep, but not endless
assert levels(model) == 301

# %% fix really-deep
from torch import nn

model = nn.Sequential(*[nn.ReLU() for _ in range(300)])  # one after the other, not one inside the other

# %% proof really-deep
assert len(model) == 300 and torch.equal(model(x - 2), torch.zeros(1, 2)) and torch.equal(model(x + 2), x + 2)
