# ---
# wordings:
#   - text: "Output {i:int} of {op:ident} is a view and is being modified inplace"
#     exception: RuntimeError
#     sample: "RuntimeError: Output 0 of UnbindBackward0 is a view and is being modified inplace. This view is the output of a function that returns multiple views. Such functions do not allow the output views to be modified inplace. You should replace the inplace operation by an out-of-place one."
#   - text: "Output {i:int} of {op:ident} is a view and its base or another view of its base has been modified inplace"
#     exception: RuntimeError
#     sample: "RuntimeError: Output 0 of AliasBackward is a view and its base or another view of its base has been modified inplace. This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
#   - text: "This view is the output of a function that returns multiple views"
#     exception: RuntimeError
#   - text: "This view is an output of a function that returns multiple views"
#     exception: UserWarning
#   - text: "This view was created inside a custom Function (or because an input was returned as-is)"
#     exception: RuntimeError
#   - text: "A view was created in no_grad mode and is being modified inplace with grad mode enabled"
#     exception: RuntimeError
#   - text: "A view was created in no_grad mode and its base or another view of its base has been modified inplace with grad mode enabled"
#     exception: RuntimeError
# tags: [autograd, in-place, view, hooks]
# recover: fix
# related: [autograd/modified-by-inplace, autograd/leaf-inplace, shapes/memory-overlap, autograd/detach-view-in-place]
# docs: ["https://docs.pytorch.org/docs/stable/tensor_view.html", "https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd"]
# causes:
#   one-of-many-views:
#     if: paste("returns multiple views")
#   backward-hook:
#     if: paste("BackwardHookFunction")
#   custom-function:
#     if: paste("created inside a custom Function") and not paste("BackwardHookFunction")
#   view-made-in-no-grad:
#     if: paste("A view was created in no_grad mode")
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
images = torch.rand(3, 4, 4)  # an image that an attack or a generator works on
noise = torch.zeros(3, 4, 4, requires_grad=True)
mean, std = torch.tensor([0.5, 0.4, 0.3]), torch.tensor([0.2, 0.2, 0.3])

# %% break one-of-many-views
image = images + noise
for channel, m, s in zip(image, mean, std):
    channel.sub_(m).div_(s)  # three views of one image, each changed in place

# %% check one-of-many-views
image = images + noise
channels = list(image)
print(len(channels), channels[0]._is_view())  # 3 True
assert len(channels) == 3 and channels[0]._is_view()


# %% fix one-of-many-views
def normalise(image, mean, std):
    # all channels at once, in a new tensor
    return (image - mean[:, None, None]) / std[:, None, None]


# %% proof one-of-many-views
image = images + noise
normalised = normalise(image, mean, std)
for channel in range(3):
    assert torch.allclose(normalised[channel], (images[channel] - mean[channel]) / std[channel])
normalised.sum().backward()
assert torch.allclose(noise.grad, (1 / std)[:, None, None].expand(3, 4, 4))

# %%
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(inplace=True), nn.Linear(8, 2))
x = torch.randn(5, 4)
start = [parameter.detach().clone() for parameter in model.parameters()]

# %% break backward-hook
seen = []
model[0].register_full_backward_hook(lambda m, inputs, outputs: seen.append(m))
model(x)

# %% check backward-hook
names = [name for name, m in model.named_modules() if getattr(m, "inplace", False)]
print(names)  # ['1']: the layers that overwrite what a hook has wrapped
assert names == ["1"]

# %% fix backward-hook
for module in model.modules():
    if hasattr(module, "inplace"):
        module.inplace = False  # ReLU, SiLU, Dropout …

# %% proof backward-hook
gradients = []
model[0].register_full_backward_hook(lambda m, inputs, outputs: gradients.append(outputs[0]))
output = model(x)
output.sum().backward()
hidden = x @ start[0].T + start[1]
assert torch.allclose(gradients[0], (hidden > 0).float() * start[2].sum(0))
assert torch.allclose(output, hidden.relu() @ start[2].T + start[3], atol=1e-6)


# %%
class Reversed(torch.autograd.Function):
    """Hands its input on and turns the gradient round."""

    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        return -gradient


class GradientReversal(nn.Module):
    def forward(self, x):
        return Reversed.apply(x)


model = nn.Sequential(nn.Linear(4, 8), GradientReversal())

# %% break custom-function
features = model(x)
features += 1

# %% check custom-function
features = model(x)
print(features._is_view())  # True: it returns what it was given
assert features._is_view()

# %% fix custom-function
features = model(x)
features = features + 1  # in place of +=

# %% proof custom-function
assert torch.allclose(features, model(x) + 1)
features.sum().backward()
assert torch.allclose(model[0].weight.grad, -x.sum(0).expand(8, 4), atol=1e-5)

# %%
model = model[0]

# %% break view-made-in-no-grad
features = model(x)
with torch.no_grad():
    first = features[:, :4]
first.mul_(2)

# %% check view-made-in-no-grad
features = model(x)
with torch.no_grad():
    first = features[:, :4]
print(first._is_view(), torch.is_grad_enabled())  # True True
assert first._is_view() and torch.is_grad_enabled()

# %% fix view-made-in-no-grad
features = model(x)
first = features[:, :4]  # outside of no_grad, as the change is
first.mul_(2)

# %% proof view-made-in-no-grad
factors = torch.tensor([2.0] * 4 + [1.0] * 4)
assert torch.allclose(features, model(x) * factors)
features.sum().backward()
assert torch.allclose(model.weight.grad, factors[:, None] * x.sum(0), atol=1e-5)
