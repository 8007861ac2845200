# ---
# wordings:
#   - text: "Torch not compiled with XPU enabled"
#     exception: AssertionError
#   - text: "No XPU devices are available"
#     exception: RuntimeError
#   - text: "PyTorch is not linked with support for xpu devices"
#     exception: RuntimeError
#   - text: "Failed to initialize XPU devices. The driver may not be installed"
#     exception: UserWarning
#     sample: "UserWarning: Failed to initialize XPU devices. The driver may not be installed, installed incorrectly, or incompatible with the current setup."
#   - text: "Cannot get XPU generator without ATen_xpu library"
#     exception: RuntimeError
#   - text: "Cannot get XPU device without Intel Extension for Pytorch"
#     exception: RuntimeError
#   - text: "No XPU devices found"
# tags: [device, driver]
# recover: process
# outranks: [device-string]
# related: [install-env/no-nvidia-driver, install-env/no-hip-gpus, install-env/not-compiled-with-cuda]
# docs: ["https://docs.pytorch.org/docs/stable/notes/get_start_xpu.html"]
# cases:
#   build:
#     commands:
#       shell: |
#         python -m pip uninstall -y torch torchvision torchaudio
#         python -m pip install torch torchvision torchaudio --index-url https://download.pytorch.org/whl/xpu
# causes:
#   build:
#     likely: paste("not compiled with XPU", "not linked with support for xpu", "without ATen_xpu", "Intel Extension")
#   driver:
#     if: paste("Failed to initialize XPU devices")
#     likely: paste("No XPU devices are available", "No XPU devices found")
#     sample: "RuntimeError: No XPU devices are available."
#   no-gpu: {undecided: that there is no Intel GPU is not printed}
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 2)
images = torch.rand(4, 3)

# %% break build
model.to("xpu")  # from a build that has no XPU

# %% check build
# a version, where the build has XPU; and whether it sees a GPU
print(torch.__version__, torch.version.xpu, torch.xpu.is_available())
assert torch.version.xpu is None and not torch.xpu.is_available()

# %% proof build
# What the command puts there is another build. This one says of itself what the check reads.
assert not torch.xpu._is_compiled()
assert torch.xpu.device_count() == 0

# %% break no-gpu
images.to("xpu")

# %% fix no-gpu
import torch

device = "xpu" if torch.xpu.is_available() else "cpu"

# %% proof no-gpu
expected = images @ model.weight.T + model.bias
torch.testing.assert_close(model.to(device)(images.to(device)), expected.to(device))
assert (device == "xpu") == (torch.xpu.device_count() > 0)
torch.testing.assert_close((images.to(device) + 1).cpu(), images + 1)
