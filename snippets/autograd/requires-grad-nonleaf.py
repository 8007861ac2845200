# ---
# wordings:
#   - text: "you can only change requires_grad flags of leaf variables"
#     exception: RuntimeError
#     sample: "RuntimeError: you can only change requires_grad flags of leaf variables."
#   - text: "If you want to use a computed variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach()"
#     exception: RuntimeError
# tags: [autograd, backward, fine-tuning, gan]
# recover: fix
# related: [autograd/no-grad-fn, autograd/leaf-inplace, autograd/non-leaf-optimizer]
# docs: ["https://docs.pytorch.org/docs/stable/notes/autograd.html#setting-requires-grad"]
# causes:
#   input-in-loop:
#     likely: paste("requires_grad flags of leaf variables.") and not paste("var.detach()")
#   output:
#     likely: paste("var.detach()") and not paste("].requires_grad", ".weight.requires_grad", ".bias.requires_grad", "p.requires_grad", "param.requires_grad")
#   part:
#     if: paste("var.detach()") and paste("].requires_grad = False", "].requires_grad_(False)")
#   computed-weight:
#     likely: paste(".weight.requires_grad", ".bias.requires_grad", "p.requires_grad", "param.requires_grad")
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
loss_fn = nn.CrossEntropyLoss()
images, labels = 3 * torch.randn(2, 4), torch.tensor([0, 2])

# %% break input-in-loop
for _ in range(3):
    images.requires_grad = True
    loss = loss_fn(model(images), labels)
    (grad,) = torch.autograd.grad(loss, images)
    images = images + 0.1 * grad.sign()

# %% check input-in-loop
images.requires_grad = True
moved = images + 0.1
print(images.is_leaf, moved.is_leaf)  # True False: the second was computed
assert images.is_leaf and not moved.is_leaf

# %%
expected = images
for _ in range(3):
    free = expected.clone().requires_grad_()
    expected = expected + 0.1 * torch.autograd.grad(loss_fn(model(free), labels), free)[0].sign()
steps = []
model.register_forward_hook(lambda *_: steps.append(1))

# %% fix input-in-loop
import torch

for _ in range(3):
    images = images.detach().requires_grad_()  # a leaf again
    loss = loss_fn(model(images), labels)
    (grad,) = torch.autograd.grad(loss, images)
    images = images + 0.1 * grad.sign()

# %% proof input-in-loop
torch.testing.assert_close(images, expected)
assert len(steps) == 3
assert not images.grad_fn.next_functions[0][0].next_functions

# %% use input-in-loop
losses = []
for images in torch.rand(3, 2, 4):
    before = loss_fn(model(images), labels).item()
    # >>>
    for _ in range(3):
        images.requires_grad = True
        loss = loss_fn(model(images), labels)
        (grad,) = torch.autograd.grad(loss, images)
        images = images + 0.1 * grad.sign()
    # <<<
    losses.append((before, loss_fn(model(images), labels).item()))
assert all(after > before for before, after in losses)

# %%
x, y = torch.rand(2, 4), torch.rand(2, 3)

# %% break output
target = model(x)
target.requires_grad = False

# %% check output
target = model(x)
print(target.is_leaf, target.grad_fn)  # False <AddmmBackward0 …>
assert not target.is_leaf

# %% fix output
target = model(x).detach()

# %% proof output
assert torch.equal(target, model(x)) and not target.requires_grad
assert model(x).requires_grad

# %%
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
before = model.weight.detach().clone()

# %% break part
model.weight[0].requires_grad = False  # the first row is to stay

# %% fix part
import torch

mask = torch.ones_like(model.weight)
mask[0] = 0
model.weight.register_hook(lambda grad: grad * mask)

# %% proof part
loss_fn(model(x), labels).backward()
optimizer.step()
assert torch.equal(model.weight[0], before[0]) and not torch.equal(model.weight[1:], before[1:])
free = nn.Linear(4, 3)
free.load_state_dict({"weight": before, "bias": model.bias + 0.1 * model.bias.grad})
loss_fn(free(x), labels).backward()
torch.testing.assert_close(model.weight[1:], before[1:] - 0.1 * free.weight.grad[1:])

# %%
model = nn.utils.parametrizations.weight_norm(nn.Linear(4, 3))

# %% break computed-weight
model.weight.requires_grad = False

# %% check computed-weight
print([name for name, _ in model.named_parameters()])  # no "weight" among them
assert "weight" not in dict(model.named_parameters())

# %% fix computed-weight
model.requires_grad_(False)  # all parameters that are stored

# %% proof computed-weight
assert len(list(model.parameters())) == 3 and not model(x).requires_grad
