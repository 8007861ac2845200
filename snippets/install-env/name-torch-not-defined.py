# ---
# wordings:
#   - text: "name 'torch' is not defined"
#     exception: NameError
#     unless: [transformers.integrations, transformers.modeling_utils, transformers/integrations, 'transformers\integrations', transformers/modeling_utils.py, 'transformers\modeling_utils.py', Disabling PyTorch]
#   - text: "global name 'torch' is not defined"
#     exception: NameError
#   - text: "name 'torchvision' is not defined"
#     exception: NameError
#   - text: "name 'torchaudio' is not defined"
#     exception: NameError
#   - text: "name 'nn' is not defined"
#     exception: NameError
#     sample: "class Net(nn.Module):\nNameError: name 'nn' is not defined"
#     near: [torch, "nn.Module", "nn.Linear", "nn.Conv2d", "nn.Sequential", "nn.CrossEntropyLoss", "nn.Parameter", "nn.Embedding"]
#     unless: [transformers.integrations, transformers.modeling_utils, transformers/integrations, 'transformers\integrations', transformers/modeling_utils.py, 'transformers\modeling_utils.py', Disabling PyTorch, flax, paddle, mindspore, mxnet, jax]
#   - text: "name 'F' is not defined"
#     exception: NameError
#     sample: "x = F.relu(self.fc1(x))\nNameError: name 'F' is not defined"
#     near: [torch, "F.relu", "F.softmax", "F.log_softmax", "F.cross_entropy", "F.mse_loss", "F.max_pool2d", "F.dropout", "F.interpolate", "F.pad(", "F.one_hot"]
#     unless: [pyspark, paddle, mindspore, mxnet, chainer]
#   - text: "name 'optim' is not defined"
#     exception: NameError
#     sample: "optimizer = optim.Adam(model.parameters())\nNameError: name 'optim' is not defined"
#     near: [torch, "optim.Adam", "optim.SGD"]
#     unless: [paddle, mindspore, mxnet, jax, tensorflow]
#   - text: "name 'DataLoader' is not defined"
#     exception: NameError
#     sample: "loader = DataLoader(dataset, shuffle=True)\nNameError: name 'DataLoader' is not defined"
#     near: [torch, "num_workers", "shuffle="]
#     unless: [paddle, mindspore, mxnet]
#   - text: "name 'transforms' is not defined"
#     exception: NameError
#     sample: "transform = transforms.Compose([transforms.ToTensor()])\nNameError: name 'transforms' is not defined"
#     near: [torch, "transforms.Compose", "transforms.ToTensor", "transforms.Resize"]
#     unless: [paddle, mindspore, mxnet]
# tags: [import-error, notebook]
# recover: fix
# related: [install-env/transformers-disables-torch, install-env/no-module-named-torch, nn/module-attr]
# docs: ["https://docs.pytorch.org/docs/stable/torch.html"]
# cases:
#   in-function: {survives: {"back: import torch": a second import in the function changes nothing}}
# causes:
#   library:
#     if: frames("site-packages/transformers/", "dist-packages/transformers/", "site-packages/diffusers/", "dist-packages/diffusers/", "site-packages/accelerate/", "dist-packages/accelerate/", "site-packages\\transformers\\", "site-packages\\diffusers\\", "site-packages\\accelerate\\")
#     sample: |
#       Traceback (most recent call last):
#         File "/env/lib/python3.10/site-packages/accelerate/utils/modeling.py", line 71, in <module>
#       NameError: name 'torch' is not defined
#   notebook:
#     case: not-run
#     if: paste("Cell In[", "<ipython-input-", "ipython-input-", "ipykernel", "Input In [")
#     sample: |
#       Cell In[1], line 1
#       ----> 1 x = torch.rand(2, 3)
#       NameError: name 'torch' is not defined
#   short-name:
#     if: paste("name 'nn' is", "name 'F' is", "name 'optim' is", "name 'DataLoader' is", "name 'transforms' is")
#   in-function:
#     undecided: where the import line stands is not in the traceback
#   swallowed:
#   not-run:
#     undecided: where the import line stands is not in the traceback
# ---

# %% break not-run
x = torch.rand(2, 3)

# %% check not-run
print("torch" in globals())  # False: no import line has run in this program
assert "torch" not in globals()

# %% fix not-run
import torch

x = torch.rand(2, 3)

# %% proof not-run
assert x.shape == (2, 3)

# %%
import torch

x = torch.zeros(1, 1, 2)

# %% break short-name
probabilities = F.softmax(x, dim=-1)

# %% fix short-name
import torch.nn.functional as F
import torch.optim as optim
from torch import nn
from torch.utils.data import DataLoader

probabilities = F.softmax(x, dim=-1)

# %% proof short-name
assert probabilities.tolist() == [[[0.5, 0.5]]] and F.__name__ == "torch.nn.functional"
assert optim.SGD and nn.Module and DataLoader.__module__.startswith("torch.utils.data")

# %%
del torch, x


# %% break in-function
def load():
    import torch

    return torch.zeros(3)


x = load()
print(torch.is_tensor(x))


# %% fix in-function
import torch  # at the top of the file


def load():
    return torch.zeros(3)


x = load()
print(torch.is_tensor(x))

# %% proof in-function
assert x.tolist() == [0, 0, 0]
