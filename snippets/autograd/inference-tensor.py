# ---
# wordings:
#   - text: "Inference tensors cannot be saved for backward"
#     exception: RuntimeError
#     sample: "RuntimeError: Inference tensors cannot be saved for backward. To work around you can make a clone to get a normal tensor and use it in autograd."
#   - text: "Inplace update to inference tensor outside InferenceMode is not allowed"
#     exception: RuntimeError
#     sample: "RuntimeError: Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
#   - text: "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed"
#     exception: RuntimeError
#   - text: "A view was created in inference mode and is being modified inplace in normal mode"
#     exception: RuntimeError
#   - text: "Inference tensors do not track version counter"
#     exception: RuntimeError
#   - text: "Cannot set version_counter for inference tensor"
#     exception: RuntimeError
# tags: [autograd, inference, in-place, comfyui]
# recover: fix
# related: [autograd/no-grad-fn, autograd/leaf-inplace]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad_mode.inference_mode.html", "https://docs.pytorch.org/docs/stable/notes/autograd.html#inference-mode"]
# cases: {used-in-training: {wrong: {cloned-inside: "https://github.com/lucidrains/denoising-diffusion-pytorch/issues/286"}}}
# causes:
#   used-in-training:
#     likely: paste("cannot be saved for backward") and not paste("ComfyUI", "comfyui")
#   changed-in-place:
#     likely: paste("Inplace update to inference tensor", "A view was created in inference mode") and not frames("torch/optim", "torch\\optim", "torch/nn", "torch\\nn") and not paste("ComfyUI", "comfyui")
#   not-your-block:
#     likely: paste("Setting requires_grad=True on inference tensor", "ComfyUI", "comfyui")
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(8, 4), torch.randn(8, 3)
backbone = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
model = nn.Linear(8, 3)
loss_fn = nn.MSELoss()
loader = [(backbone(x).detach(), y)] * 4

# %% break used-in-training
with torch.inference_mode():
    features = backbone(x)  # computed once, the backbone is not trained
loss_fn(model(features), y).backward()

# %% check used-in-training
with torch.inference_mode():
    features = backbone(x)
print(features.is_inference())  # True
assert features.is_inference()


# %%
class Pretrained(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone, self.head = backbone, nn.Linear(8, 3)


model = Pretrained(backbone)

# %% fix used-in-training
import torch

with torch.no_grad():  # as quick to write, and its tensors may be trained on
    features = model.backbone(x)
loss = loss_fn(model.head(features), y)
loss.backward()

# %% proof used-in-training
assert torch.equal(features, backbone(x)) and not features.requires_grad and not features.is_inference()
expected = torch.autograd.grad(loss_fn(model.head(backbone(x)), y), model.head.weight)[0]
assert torch.allclose(model.head.weight.grad, expected) and backbone[0].weight.grad is None

# %% wrong cloned-inside
# `clone()` or `detach()`, as the message proposes, but inside the block: the copy is an inference
# tensor too.
with torch.inference_mode():
    features = model.backbone(x).clone().detach()
loss_fn(model.head(features), y).backward()

# %% use used-in-training
optimizer = torch.optim.SGD(model.head.parameters(), lr=0.1)
losses = []
for x, y in [(torch.randn(6, 4), torch.randn(6, 3))] * 20:
    # >>>
    with torch.inference_mode():
        features = model.backbone(x)
    loss = loss_fn(model.head(features), y)
    loss.backward()
    # <<<
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss.item())
assert losses[-1] < losses[0] and model.backbone[0].weight.grad is None

# %%
model = model.head
recorded = []
model.register_forward_hook(lambda module, inputs, output: recorded.append(output.requires_grad))

# %% break changed-in-place
total = 0
with torch.inference_mode():
    for inputs, labels in loader:
        total += loss_fn(model(inputs), labels)
total /= len(loader)  # one level too far to the left

# %% check changed-in-place
total = 0
with torch.inference_mode():
    total += loss_fn(model(loader[0][0]), y)
print(total.is_inference(), torch.is_inference_mode_enabled())  # True False
assert total.is_inference() and not torch.is_inference_mode_enabled()

# %% fix changed-in-place
import torch

total = 0
with torch.inference_mode():
    for inputs, labels in loader:
        total += loss_fn(model(inputs), labels).item()  # a number
total /= len(loader)

# %% proof changed-in-place
assert recorded == [False] * 4  # still evaluated without gradients
assert isinstance(total, float) and abs(total - loss_fn(model(loader[0][0]), y).item()) < 1e-6


# %%
def node(latent):
    """Stands for a node of a program that runs all of its nodes in inference mode."""
    return latent * 2


with torch.inference_mode():
    latent = node(torch.ones(2, 8))

# %% break not-your-block
latent.requires_grad_()  # the latent came from a node before this one
model(latent).sum().backward()

# %% check not-your-block
# True: made in inference mode
print(latent.is_inference())
assert latent.is_inference()

# %%
x = latent
switch = torch.inference_mode()
switch.__enter__()  # the program around the node

# %% fix not-your-block
import torch

with torch.inference_mode(False):  # inside your node; enable_grad() is not enough
    latent = x.clone().requires_grad_()  # what the node was given
    model(latent).sum().backward()

# %% proof not-your-block
assert torch.is_inference_mode_enabled()  # the program around it is as before
switch.__exit__(None, None, None)
assert torch.allclose(latent.grad, model.weight.sum(0).expand(2, 8)) and not latent.is_inference()
assert torch.equal(latent, x)
