# ---
# wordings:
#   - text: "received an invalid combination of arguments - got ("
#     exception: TypeError
#     sample: "TypeError: max() received an invalid combination of arguments - got (list, int), but expected one of:"
# tags: [numpy, shape]
# recover: fix
# related: [nn/argument-must-be-tensor, nn/forward-arguments, devices/cuda-tensor-to-numpy, shapes/size-not-int]
# docs: ["https://docs.pytorch.org/docs/stable/torch.html", "https://docs.pytorch.org/docs/stable/tensors.html"]
# causes:
#   list:
#     if: paste("got (list", "got (tuple") and not paste("empty() received", "new() received", "randn() received", "zeros() received", "ones() received")
#   numpy-function:
#     if: paste("ddof=", "axis=NoneType", "out=NoneType", "numpy/core/fromnumeric", "numpy/_core/fromnumeric", "numpy\\_core\\fromnumeric")
#   text:
#     if: paste("=str,", "=str)", "(str,", "(str)", ", str,", ", str)") and not paste("ddof=", "axis=NoneType", "out=NoneType")
#   none:
#     if: paste("got (NoneType", "other=NoneType", "input=NoneType")
#   size:
#     if: paste("empty() received", "new() received", "randn() received", "rand() received", "zeros() received", "ones() received", "randint() received") and paste("float", "tuple, dtype", "got (Tensor", "NoneType", "numpy.")
#     sample: "TypeError: new() received an invalid combination of arguments - got (Tensor, int, int, int), but expected one of:"
#   wrong-keyword:
#     undecided: whether a name is a keyword of the function stands in its signatures alone
# ---

# %%
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
x = torch.rand(5, 4)
y = [model(x), model(x + 1)]

# %% break list
best = torch.max(y, 0)

# %% check list
print(type(y), len(y))  # a list of two
assert isinstance(y, list)

# %% fix list
import torch

best = torch.stack(y).max(0)  # [2, 5, 3]: one tensor from two

# %% proof list
assert best.values.shape == (5, 3)
torch.testing.assert_close(best.values, torch.maximum(model(x), model(x + 1)))

# %% break numpy-function
spread = np.std(x)

# %% check numpy-function
print(type(x))  # np.std calls x.std with NumPy's keywords
assert isinstance(x, torch.Tensor)

# %% fix numpy-function
spread = x.std(correction=0)  # NumPy divides by n, torch by n - 1

# %% proof numpy-function
assert abs(spread.item() - np.std(x.numpy())) < 1e-5

# %%
settings = {"clip": "0.5"}  # from YAML, a form, or argparse without type=float

# %% break text
y = x.clamp(max=settings["clip"])

# %% check text
print(repr(settings["clip"]))  # in quotes: a text
assert isinstance(settings["clip"], str)

# %% fix text
y = x.clamp(max=float("0.5"))

# %% proof text
assert torch.equal(y, x.clamp(max=0.5)) and (x > 0.5).any()

# %%
model.zero_grad()

# %% break none
largest = torch.clamp(model.weight.grad, min=-1)

# %% check none
print(model.weight.grad)  # None: no backward has run
assert model.weight.grad is None

# %% fix none
import torch

model(x).sum().backward()
largest = torch.clamp(model.weight.grad, min=-1)

# %% proof none
assert torch.equal(largest, model.weight.grad.clamp(min=-1)) and largest.any()

# %% break wrong-keyword
half = x.to(detype=torch.float16)

# %% fix wrong-keyword
import torch

half = x.to(dtype=torch.float16)

# %% proof wrong-keyword
assert half.dtype == torch.float16 and torch.equal(half, x.half())
