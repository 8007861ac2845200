# ---
# wordings:
#   - text: "Input type ({x:line}) and weight type ({w:line}) should be the same or input should be a MKLDNN tensor and weight is a dense tensor"
#     exception: RuntimeError
#     when: [differ, x, w]
#     sample: "RuntimeError: Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the same or input should be a MKLDNN tensor and weight is a dense tensor"
#   - text: "Input type ({x:line}) and weight type ({w:line}) should be the same"
#     exception: RuntimeError
#     when: [differ, x, w]
#     sample: "RuntimeError: Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same"
#   - text: "Input type ({x:line}) and bias type ({w:line}) should be the same"
#     exception: RuntimeError
#     when: [differ, x, w]
#     sample: "RuntimeError: Input type (torch.FloatTensor) and bias type (torch.cuda.FloatTensor) should be the same"
#   - text: "input(device='{x:device}') and weight(device={w:device}') must be on the same device"
#     exception: RuntimeError
#     sample: "RuntimeError: slow_conv2d_forward_mps: input(device='cpu') and weight(device=mps:0')  must be on the same device"
# tags: [cnn, cuda, inference]
# recover: fix
# needs: ["fault:tensors without values in place of those on a GPU"]
# cases:
#   input-not-moved: {silent: true}
#   model-not-moved: {silent: true, wrong: {only-the-model: "https://github.com/sksq96/pytorch-summary/issues/36"}}
#   plain-list: {silent: true}
#   offloaded:
#     unbroken: "ComfyUI on a GPU"
#     commands:
#       comfyui: "python main.py --normalvram  # in place of --lowvram"
# related: [devices/device-mismatch]
# docs: ["https://docs.pytorch.org/docs/stable/notes/cuda.html"]
# causes:
#   input-not-moved:
#     if: >-
#       begins(w, "torch.cuda", "mps", "torch.mps", "MPS", "torch.xpu") and not begins(x,
#       "torch.cuda", "mps", "torch.mps", "MPS", "torch.xpu") and not paste("omfyUI", "comfy/",
#       "comfy\\", "webui", "accelerate/hooks.py")
#     sample: "RuntimeError: Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the same"
#   model-not-moved:
#     likely: begins(x, "torch.cuda", "mps", "torch.mps", "MPS", "torch.xpu") and not begins(w, "torch.cuda", "mps", "torch.mps", "MPS", "torch.xpu")
#     sample: "RuntimeError: Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same"
#   plain-list:
#   offloaded:
# ---

# %%
import torch
from torch import nn

device = "meta"  # stands for "cuda": tensors there have a shape and a device, but no values
model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU())
images = torch.randn(2, 3, 8, 8)

# %% break input-not-moved
model.to(device)  # a module is moved itself ...
images.to(device)  # ... a tensor is not: this makes a copy, and drops it
assert images.device != next(model.parameters()).device

# %% check input-not-moved
model.to(device)
images.to(device)
# above the failing line: must be equal
print(images.device, next(model.parameters()).device)
assert images.device != next(model.parameters()).device

# %% fix input-not-moved
model.to(device)
images = images.to(device)  # of a tensor keep what .to() returns
outputs = model(images)

# %% proof input-not-moved
assert outputs.requires_grad
assert outputs.device == images.device == model[0].weight.device == torch.device("meta")
assert outputs.shape == (2, 4, 6, 6)

# %% use input-not-moved
model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(144, 10))
loader = [(torch.randn(4, 3, 8, 8), torch.randint(10, (4,))) for _ in range(2)]
for images, labels in loader:
    # >>>
    model.to(device)
    images.to(device)
    outputs = model(images)
    # <<<
    loss = nn.functional.cross_entropy(outputs, labels.to(device))
    loss.backward()
assert images.is_meta and outputs.shape == (4, 10) and loss.is_meta

# %% break model-not-moved
images = images.to(device)
assert images.device != next(model.parameters()).device  # the model was never moved

# %% check model-not-moved
images = images.to(device)
print({str(parameter.device) for parameter in model.parameters()}, images.device)
assert {str(parameter.device) for parameter in model.parameters()} == {"cpu"}

# %% fix model-not-moved
model.to(device)  # once, before the loop and before the optimizer is made
images = images.to(device)
outputs = model(images)

# %% proof model-not-moved
assert outputs.device == model[0].weight.device == model[0].bias.device == torch.device("meta")
assert outputs.shape == (2, 4, 6, 6)

# %% wrong only-the-model
# `model.cuda()` alone: now the weights are on the GPU, and the images are not. Two devices again,
# the other way round.
model.to(device)
outputs = model(images)

# %% break plain-list
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3)
        # a plain list: .to() passes it by
        self.blocks = [nn.Conv2d(4, 4, 3) for _ in range(2)]


model = Net().to(device)
assert model.stem.weight.device != model.blocks[0].weight.device

# %% check plain-list
model = nn.Module()
model.blocks = [nn.Conv2d(4, 4, 3)]
found = [
    (part or "model", name)
    for part, module in model.named_modules()
    for name, value in vars(module).items()
    if isinstance(value, list)
]
print(found)  # layers in these lists are not part of the model
assert found == [("model", "blocks")]

# %% fix plain-list
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3)
        self.blocks = nn.ModuleList(nn.Conv2d(4, 4, 3) for _ in range(2))


# %% proof plain-list
model = Net().to(device)
assert len(list(model.parameters())) == 6
assert {parameter.device.type for parameter in model.parameters()} == {"meta"}
assert [block.in_channels for block in model.blocks] == [4, 4]
