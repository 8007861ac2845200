# ---
# wordings:
#   - text: "argument '{arg:ident}' must be tuple of ints, but found element of type {got:ident} at pos {pos:int}"
#     exception: TypeError
#     sample: "TypeError: empty(): argument 'size' must be tuple of ints, but found element of type float at pos 2"
#   - text: "argument '{arg:ident}' must be tuple of SymInts, but found element of type {got:ident} at pos {pos:int}"
#     exception: TypeError
#     sample: "TypeError: randn(): argument 'size' must be tuple of SymInts, but found element of type float at pos 2"
#   - text: "argument '{arg:ident}' (position {place:int}) must be tuple of ints, but found element of type {got:ident} at pos {pos:int}"
#     exception: TypeError
#     sample: "TypeError: empty(): argument 'size' (position 1) must be tuple of ints, but found element of type float at pos 0"
#   - text: "argument '{arg:ident}' (position {place:int}) must be tuple of SymInts, but found element of type {got:ident} at pos {pos:int}"
#     exception: TypeError
#     sample: "TypeError: zeros(): argument 'size' (position 1) must be tuple of SymInts, but found element of type float at pos 0"
#   - text: "argument '{arg:ident}' (position {place:int}) must be tuple of ints, not {got:ident}"
#     exception: TypeError
#     sample: "TypeError: view(): argument 'size' (position 1) must be tuple of ints, not float"
#   - text: "argument '{arg:ident}' failed to unpack the object at pos {pos:int} with error \"type must be tuple of ints,but got {got:ident}"
#     exception: TypeError
#     sample: "TypeError: zeros(): argument 'size' failed to unpack the object at pos 2 with error \"type must be tuple of ints,but got float\""
#   - text: "argument '{arg:ident}' (position {place:int}) must be int, not float"
#     exception: TypeError
#     sample: "TypeError: randperm(): argument 'n' (position 1) must be int, not float"
#   - text: "argument '{arg:ident}' (position {place:int}) must be int, not torch.Size"
#     exception: TypeError
#     sample: "TypeError: randperm(): argument 'n' (position 1) must be int, not torch.Size"
#   - text: "hidden_size should be of type int, got: {got:ident}"
#     exception: TypeError
#     sample: "TypeError: hidden_size should be of type int, got: float"
#   - text: "input_size should be of type int, got: {got:ident}"
#     exception: TypeError
#     sample: "TypeError: input_size should be of type int, got: Size"
#   - text: "'torch.Size' object cannot be interpreted as an integer"
#     exception: TypeError
#   - text: "'float' object cannot be interpreted as an integer"
#     exception: TypeError
#     near: [torch]
#     unless: [tensorflow, keras, paddle, mxnet]
#     sample: "    for i in range(torch.numel(x) / 2):\nTypeError: 'float' object cannot be interpreted as an integer"
#   - text: "empty() received an invalid combination of arguments - got (tuple, "
#     exception: TypeError
#     sample: "TypeError: empty() received an invalid combination of arguments - got (tuple, dtype=NoneType, device=NoneType), but expected one of:"
#   - text: "received an invalid combination of arguments - got (torch.Size, int"
#     exception: TypeError
#     sample: "TypeError: randn() received an invalid combination of arguments - got (torch.Size, int), but expected one of:"
#   - text: "view() received an invalid combination of arguments - got (float, int"
#     exception: TypeError
#     sample: "TypeError: view() received an invalid combination of arguments - got (float, int), but expected one of:"
#   - text: "rand() received an invalid combination of arguments - got (float, int"
#     exception: TypeError
#     sample: "TypeError: rand() received an invalid combination of arguments - got (float, int), but expected one of:"
#   - text: "randn() received an invalid combination of arguments - got (float, int"
#     exception: TypeError
#     sample: "TypeError: randn() received an invalid combination of arguments - got (float, int), but expected one of:"
#   - text: "new() received an invalid combination of arguments - got (float, int"
#     exception: TypeError
#     sample: "TypeError: new() received an invalid combination of arguments - got (float, int), but expected one of:"
#   - text: "TypeError: zeros() takes 1 positional argument but {count:int} were given"
#     exception: TypeError
#     unless: [tensorflow, keras, paddle, mxnet, jax]
#     sample: "TypeError: zeros() takes 1 positional argument but 2 were given"
#   - text: "TypeError: ones() takes 1 positional argument but {count:int} were given"
#     exception: TypeError
#     unless: [tensorflow, keras, paddle, mxnet, jax]
#     sample: "TypeError: ones() takes 1 positional argument but 2 were given"
# tags: [shape, linear, cnn]
# recover: fix
# related: [nn/invalid-combination, shapes/invalid-view-size, nn/argument-must-be-tensor]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.empty.html", "https://docs.pytorch.org/docs/stable/size.html"]
# causes:
#   division:
#     if: got in ["float", "numpy.float64", "numpy.float32"] or paste("must be int, not float", "got (float,", "'float' object cannot")
#     likely: paste("empty() received an invalid combination of arguments - got (tuple, ")
#   whole-shape:
#     if: got in ["torch.Size", "Size", "tuple", "list"] or paste("'torch.Size' object cannot", "must be int, not torch.Size")
#   shape-and-number:
#     if: paste("got (torch.Size, int")
#     likely: paste("takes 1 positional argument")
#   number-alone:
#     if: got == "int" and arg in ["size", "shape"]
#     likely: got == "int"
#   text:
#     if: got in ["str", "Tensor"]
#     sample: "TypeError: ones(): argument 'size' (position 1) must be tuple of ints, not str"
#   unset:
#     if: got == "NoneType"
#     sample: "TypeError: ones(): argument 'size' (position 1) must be tuple of ints, not NoneType"
# ---

# %%
import torch
from torch import nn

images = torch.rand(2, 3, 8, 8)

# %% break division
channels = 64
layer = nn.Linear(channels, channels / 2)

# %% check division
channels = 64
print(channels / 2, channels // 2)  # 32.0 32
assert isinstance(channels / 2, float) and isinstance(channels // 2, int)

# %% fix division
from torch import nn

channels = 64
layer = nn.Linear(channels, channels // 2)

# %% proof division
assert layer(torch.rand(5, 64)).shape == (5, 32)

# %% break whole-shape
flat = images.flatten(1)
layer = nn.Linear(flat.shape, 10)

# %% check whole-shape
flat = images.flatten(1)
print(flat.shape, flat.shape[1])  # torch.Size([2, 192]) 192
assert flat.shape[1] == 192

# %% fix whole-shape
from torch import nn

flat = images.flatten(1)
layer = nn.Linear(flat.shape[1], 10)  # one number: the features

# %% proof whole-shape
assert layer(flat).shape == (2, 10)

# %%
x = torch.rand(4, 5)

# %% break shape-and-number
noise = torch.randn(x.shape, 3)

# %% fix shape-and-number
import torch

noise = torch.randn(*x.shape, 3)

# %% proof shape-and-number
assert noise.shape == (4, 5, 3) and noise.min() < 0

# %% break number-alone
x = torch.full(3, 0.5)

# %% fix number-alone
import torch

x = torch.full((3,), 0.5)

# %% proof number-alone
assert x.tolist() == [0.5, 0.5, 0.5]

# %%
import sys

sys.argv = ["train.py", "--tokens", "3"]  # as from the command line

# %% break text
x = torch.ones(sys.argv[2])

# %% fix text
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--tokens", type=int)  # without type=int it stays a text
x = torch.ones(parser.parse_args().tokens)  # anything else: int(n)

# %% proof text
assert x.tolist() == [1, 1, 1]
