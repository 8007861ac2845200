# ---
# wordings:
#   - text: "maximum recursion depth exceeded"
#     exception: RecursionError
#   - text: "RuntimeError: maximum recursion depth exceeded"
#     exception: RuntimeError
# tags: [notebook]
# rows: [S001-111]
# docs: ["https://docs.python.org/3/library/sys.html#sys.setrecursionlimit", "https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html"]
# ---

# %%
import sys

import torch
from torch import nn

x = torch.ones(1, 2)

# %% break cell-run-twice
model = nn.Linear(2, 2)
for _ in range(2):  # a notebook cell, run twice
    old_forward = model.forward

    def patched(x):
        return 2 * old_forward(x)

    model.forward = patched
model(x)

# %% check cell-run-twice
model = nn.Linear(2, 2)
for _ in range(2):
    old_forward = model.forward

    def patched(x):
        return 2 * old_forward(x)

    model.forward = patched
print(old_forward)  # should be Linear.forward; it is your own function, which so calls itself
assert old_forward.__name__ == "patched"

# %% fix cell-run-twice
model = nn.Linear(2, 2)
expected = 2 * model(x)
for _ in range(2):
    original = getattr(model.forward, "original", model.forward)  # already patched? Then take what lies below

    def patched(x):
        return 2 * original(x)

    patched.original = original
    model.forward = patched

assert torch.equal(model(x), expected)  # patched once, not twice

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
class Parent(nn.Module):
    def __init__(self):
        super().__init__()
        self.child = nn.Linear(2, 2)
        self.child.parent = [self]  # in a plain list it is not registered as a submodule


model = Parent().to(torch.float64)
assert model.child.weight.dtype == torch.float64
assert list(model.state_dict()) == ["child.weight", "child.bias"]
assert model.child.parent[0] is model

# %%
def nested(levels):
    model = nn.Identity()
    for _ in range(levels):
        model = nn.Sequential(model, nn.ReLU())
    return model


# %% break really-deep
nested(1100)(x)

# %% check really-deep
sys.setrecursionlimit(10_000)
print(nested(1100)(x).shape)  # it ends: deep, but not endless
assert nested(1100)(x).shape == x.shape

# %% fix really-deep
model = nn.Sequential(*[nn.ReLU() for _ in range(1100)])  # one after the other, not one inside the other
result = model(x)

sys.setrecursionlimit(10_000)
assert torch.equal(result, nested(1100)(x))
