# ---
# wordings:
#   - text: "derivative for aten::{op:ident} is not implemented"
#     exception: RuntimeError
#     sample: "RuntimeError: derivative for aten::_scaled_dot_product_flash_attention_for_cpu_backward is not implemented"
#   - text: "the derivative for '{op:ident}' is not implemented"
#     exception: [RuntimeError, NotImplementedError]
#     sample: "NotImplementedError: the derivative for '_cdist_backward' is not implemented."
#   - text: "the derivative for '{op:ident}: {argument:ident}' is not implemented"
#     exception: NotImplementedError
#     sample: "NotImplementedError: the derivative for 'igamma: input' is not implemented."
#   - text: "derivative for {op:ident} is not implemented"
#     exception: RuntimeError
#     sample: "RuntimeError: derivative for to_dense is not implemented"
#   - text: "The function '{op:ident}' is not differentiable with respect to argument '{argument:ident}'. This input cannot have requires_grad True."
#     exception: RuntimeError
#     sample: "RuntimeError: The function 'nll_loss_forward' is not differentiable with respect to argument 'weight'. This input cannot have requires_grad True."
# tags: [autograd, backward, gan, loss]
# recover: fix
# related: [autograd/no-grad-fn, autograd/custom-function-gradient-shape]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.attention.sdpa_kernel.html", "https://docs.pytorch.org/docs/stable/notes/extending.html"]
# causes:
#   attention:
#     if: begins(op, "_scaled_dot_product", "_efficient_attention", "_flash_attention", "_cudnn_attention")
#   old-release:
#     if: op in ["grid_sampler_2d_backward", "grid_sampler_3d_backward", "im2col_backward", "col2im_backward", "to_dense", "to_sparse"]
#     sample: "RuntimeError: derivative for aten::grid_sampler_2d_backward is not implemented"
#   fused-rnn:
#     if: begins(op, "_cudnn_rnn_backward", "_thnn_fused_lstm_cell_backward", "_thnn_fused_gru_cell_backward")
#     sample: "NotImplementedError: the derivative for '_cudnn_rnn_backward' is not implemented. Double backwards is not supported for CuDNN RNNs due to limitations in the CuDNN API."
#   other-second:
#     if: begins(op, "_cdist_backward", "_pdist_backward", "_embedding_bag_backward", "_ctc_loss_backward")
#   step-function:
#     if: begins(op, "heaviside", "floor_divide", "histogram", "histc", "bucketize", "searchsorted")
#   counted-weights:
#     if: begins(op, "bincount")
#     sample: "RuntimeError: derivative for aten::bincount is not implemented"
#   constant-argument:
#     if: paste("is not differentiable with respect to argument") or op in ["target", "weight", "index", "indices", "pos_weight"]
# ---

# %%
import torch
import torch.nn.functional as F
from torch import nn


class Critic(nn.Module):
    def forward(self, x):  # attention within a sentence, one number out
        return F.scaled_dot_product_attention(x, x, x).square().sum()


torch.manual_seed(0)
model = Critic()
x = torch.rand(1, 2, 5, 8, requires_grad=True)  # 1 sentence, 2 heads, 5 words

# %% break attention
(gradient,) = torch.autograd.grad(model(x), x, create_graph=True)
penalty = (gradient.norm() - 1) ** 2  # a gradient penalty
penalty.backward()

# %% check attention
out = F.scaled_dot_product_attention(x, x, x)
print(out.grad_fn.name())  # a fused kernel: its backward has no derivative
assert "Flash" in out.grad_fn.name()

# %% fix attention
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

with sdpa_kernel(SDPBackend.MATH):  # attention as plain products and a softmax
    score = model(x)
(gradient,) = torch.autograd.grad(score, x, create_graph=True)
penalty = (gradient.norm() - 1) ** 2
penalty.backward()

# %% proof attention
other = x.detach().clone().requires_grad_()
weights = (other @ other.transpose(-1, -2) / 8**0.5).softmax(-1)
(slope,) = torch.autograd.grad((weights @ other).square().sum(), other, create_graph=True)
(wanted,) = torch.autograd.grad((slope.norm() - 1) ** 2, other)
assert wanted.abs().max() > 1e-3
torch.testing.assert_close(x.grad, wanted, atol=1e-4, rtol=1e-4)

# %% use attention
embed = nn.Linear(4, 8)
optimizer = torch.optim.SGD(embed.parameters(), lr=0.01)
for real in torch.rand(2, 3, 2, 6, 4):  # two batches of 3 sentences
    x = embed(real)
    optimizer.zero_grad()
    # >>>
    score = model(x)
    (gradient,) = torch.autograd.grad(score, x, create_graph=True)
    penalty = (gradient.norm() - 1) ** 2
    penalty.backward()
    # <<<
    optimizer.step()
assert embed.weight.grad.any() and score.isfinite()

# %%
x = torch.rand(4, 3, requires_grad=True)
y = torch.rand(4, 3)

# %% break other-second
distance = torch.cdist(x, y).sum()
(gradient,) = torch.autograd.grad(distance, x, create_graph=True)
gradient.square().sum().backward()

# %% check other-second
once = torch.cdist(x, y).sum()
(gradient,) = torch.autograd.grad(once, x)  # the first derivative is there
assert gradient.shape == x.shape

# %% fix other-second
import torch

distance = (x[:, None] - y).square().sum(-1).sqrt().sum()  # the same from parts
(gradient,) = torch.autograd.grad(distance, x, create_graph=True)
gradient.square().sum().backward()

# %% proof other-second
torch.testing.assert_close(distance, torch.cdist(x, y).sum())
point, eps = x.detach().double(), 1e-6


def squared(p):
    p = p.clone().requires_grad_()
    (slope,) = torch.autograd.grad(torch.cdist(p, y.double()).sum(), p)
    return slope.square().sum()


for row, column in ((0, 0), (3, 2)):
    step = torch.zeros_like(point)
    step[row, column] = eps
    slope = (squared(point + step) - squared(point - step)) / (2 * eps)
    torch.testing.assert_close(x.grad[row, column], slope.float(), atol=1e-2, rtol=1e-2)

# %%
x = torch.linspace(-2, 2, 8).requires_grad_()

# %% break step-function
spikes = torch.heaviside(x, torch.tensor(0.5))  # 0 or 1
spikes.sum().backward()

# %% check step-function
spikes = torch.heaviside(x.detach(), torch.tensor(0.5))
print(spikes)  # flat nearly everywhere: its derivative would be 0
assert set(spikes.tolist()) == {0.0, 1.0}

# %% fix step-function
import torch

smooth = torch.sigmoid(4 * x)  # has a slope where the step is
step = (x > 0).to(x.dtype)
spikes = smooth + (step - smooth).detach()  # the step's value, sigmoid's slope
spikes.sum().backward()

# %% proof step-function
torch.testing.assert_close(spikes, torch.heaviside(x, torch.tensor(0.5)).detach(), atol=1e-6, rtol=0)
sigmoid = torch.sigmoid(4 * x.detach())
torch.testing.assert_close(x.grad, 4 * sigmoid * (1 - sigmoid))

# %%
model = nn.Linear(4, 3)
images = torch.rand(6, 4)
labels = torch.tensor([0, 0, 0, 1, 1, 2])
weight = nn.Parameter(torch.tensor([1.0, 2.0, 3.0]))  # one for each class

# %% break constant-argument
loss = F.cross_entropy(model(images), labels, weight=weight)

# %% check constant-argument
print(weight.requires_grad)  # a constant of the loss is marked as trained
assert weight.requires_grad

# %% fix constant-argument
import torch
import torch.nn.functional as F

weight = torch.tensor([1.0, 2.0, 3.0])  # a plain tensor, no nn.Parameter
loss = F.cross_entropy(model(images), labels, weight=weight)

# %% proof constant-argument
loss.backward()
each = F.cross_entropy(model(images), labels, reduction="none")
share = torch.tensor([1.0, 1.0, 1.0, 2.0, 2.0, 3.0])
torch.testing.assert_close(loss, (each * share).sum() / share.sum())
assert model.weight.grad.abs().sum() > 0
