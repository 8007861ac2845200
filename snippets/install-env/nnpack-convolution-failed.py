# ---
# wordings:
#   - text: "NNPACK SpatialConvolution_updateOutput failed"
#     exception: RuntimeError
# tags: [cnn, inference]
# recover: fix
# needs: ["fault:a convolution that older releases passed on to NNPACK, given to it directly"]
# related: [nn/layer-warnings, shapes/kernel-too-large]
# cases:
#   newer-torch:
#     silent: true
#     commands:
#       shell: python -m pip install --upgrade torch torchvision torchaudio
# causes:
#   newer-torch: {undecided: the release is not printed}
#   padding: {undecided: sizes are not printed}
# ---

# %%
import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
model = nn.Conv1d(3, 4, kernel_size=2, padding=2)  # as much padding as kernel
x = torch.rand(32, 3, 40)
assert torch.backends.nnpack.is_available()  # and started, which the calls below need


def old_conv1d(x, layer):
    """A convolution as NNPACK gets it: a picture of height 1."""
    weight, padding = layer.weight.unsqueeze(2), (0, *layer.padding)
    return torch._nnpack_spatial_convolution(x.unsqueeze(2), weight, layer.bias, padding).squeeze(2)


# %% break padding
old_conv1d(x, model)

# %% check padding
# NNPACK refuses padding as large as the kernel, and kernels wider than 16
print(model.kernel_size, model.padding)
assert model.padding >= model.kernel_size

# %%
wanted = functional.conv1d(x, model.weight, model.bias, padding=2)

# %% fix padding
from torch.nn.functional import pad

# left and right; a picture needs four numbers
x = pad(x, (*model.padding, *model.padding))
model.padding = (0,)

# %% proof padding
torch.testing.assert_close(old_conv1d(x, model), wanted)
torch.testing.assert_close(model(x), wanted)
assert wanted.shape == (32, 4, 43)

# %%
wide = nn.Conv1d(3, 4, kernel_size=31, padding=15)

# %% break newer-torch
said = ""
try:
    old_conv1d(x, wide)
except RuntimeError as error:
    said = str(error)
assert "NNPACK SpatialConvolution_updateOutput failed" in said

# %% proof newer-torch
# This release does not pass it on: the same convolution, with oneDNN and without it.
with torch.backends.mkldnn.flags(enabled=False):
    slow = wide(x)
torch.testing.assert_close(slow, wide(x))
assert slow.shape == (32, 4, 40)
