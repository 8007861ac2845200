# ---
# wordings:
#   - text: "element {index:int} of tensors does not require grad and does not have a grad_fn"
#     exception: RuntimeError
#     sample: "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"
#   - text: "element {index:int} of variables does not require grad and does not have a grad_fn"
#     exception: RuntimeError
#     sample: "RuntimeError: element 0 of variables does not require grad and does not have a grad_fn"
#   - text: "does not require grad and does not have a grad_fn"
#     exception: RuntimeError
#   - text: "One of the differentiated Tensors does not require grad"
#     exception: RuntimeError
#   - text: "One of the differentiated Variables does not require grad"
#     exception: RuntimeError
#   - text: "there are no graph nodes that require computing gradients"
#     exception: RuntimeError
#   - text: "None of the inputs have requires_grad=True. Gradients will be None"
#     exception: UserWarning
#   - text: "none of output has requires_grad=True, this checkpoint() is not necessary"
#     exception: RuntimeError
# tags: [activation-checkpointing, autograd, backward, fine-tuning, lora, loss]
# related: [autograd/backward-second-time]
# rows: [S001-45, S001-121, S001-128]
# cases:
#   forced-on-the-loss: {silent: true}
# docs: ["https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation"]
# ---

# %%
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
x, labels = torch.randn(8, 4), torch.arange(8) % 3
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))

# %% break predicted-class
predicted = model(x).argmax(dim=1)  # class numbers: whole numbers have no gradient
loss = nn.functional.mse_loss(predicted.float(), labels.float())
loss.backward()

# %% check predicted-class
logits = model(x)
predicted = logits.argmax(dim=1)
print(logits.requires_grad, predicted.requires_grad, predicted.dtype)  # True, False, torch.int64
assert logits.requires_grad and not predicted.requires_grad

# %% fix predicted-class
logits = model(x)
loss = nn.functional.cross_entropy(logits, labels)  # the loss takes the scores themselves
loss.backward()
accuracy = (logits.argmax(dim=1) == labels).float().mean()  # for the log, not for backward

assert all(p.grad.abs().sum() > 0 for p in model.parameters())

# %% break rebuilt-tensor
losses = [nn.functional.cross_entropy(model(x[i : i + 4]), labels[i : i + 4]) for i in (0, 4)]
loss = torch.tensor(losses).mean()  # copies the numbers; what computed them is left behind
loss.backward()

# %% check rebuilt-tensor
losses = [nn.functional.cross_entropy(model(x[i : i + 4]), labels[i : i + 4]) for i in (0, 4)]
print(losses[0].grad_fn)  # <NllLossBackward0 ...>
print(torch.tensor([one.item() for one in losses]).grad_fn)  # None
assert losses[0].grad_fn is not None

# %% fix rebuilt-tensor
losses = [nn.functional.cross_entropy(model(x[i : i + 4]), labels[i : i + 4]) for i in (0, 4)]
loss = torch.stack(losses).mean()  # stays a tensor all the way
loss.backward()

expected = torch.autograd.grad(nn.functional.cross_entropy(model(x), labels), list(model.parameters()))
for parameter, gradient in zip(model.parameters(), expected, strict=True):
    assert torch.allclose(parameter.grad, gradient, atol=1e-6)

# %% break all-frozen
model.requires_grad_(False)  # meant for the backbone; the head is frozen as well
nn.functional.cross_entropy(model(x), labels).backward()

# %% check all-frozen
model.requires_grad_(False)
print([name for name, parameter in model.named_parameters() if parameter.requires_grad])  # []: nothing to train
assert not any(parameter.requires_grad for parameter in model.parameters())

# %% fix all-frozen
model.requires_grad_(False)
model[-1].requires_grad_(True)  # the layer that is to be trained
nn.functional.cross_entropy(model(x), labels).backward()

assert model[-1].weight.grad.abs().sum() > 0
assert model[0].weight.grad is None  # the rest is still frozen

# %% break no-grad-block
with torch.no_grad():  # also: @torch.no_grad(), inference_mode, a trainer's validation or test step
    loss = nn.functional.cross_entropy(model(x), labels)
loss.backward()

# %% check no-grad-block
with torch.no_grad():
    print(torch.is_grad_enabled())  # False on the line where the loss is computed
    loss = nn.functional.cross_entropy(model(x), labels)
assert not loss.requires_grad and model[0].weight.requires_grad

# %% fix no-grad-block
with torch.no_grad():
    noise = torch.randn_like(x)  # only what needs no gradient
    with torch.enable_grad():  # where the block belongs to somebody else's code
        loss = nn.functional.cross_entropy(model(x + noise), labels)
loss.backward()

assert model[0].weight.grad.abs().sum() > 0

# %% break nothing-in-the-batch
loss = torch.zeros(())
for row, label in zip(model(x), labels, strict=True):
    if label == 7:  # no object of this class in this batch
        loss = loss + nn.functional.cross_entropy(row, label)
loss.backward()

# %% check nothing-in-the-batch
found = (labels == 7).sum().item()
print(found)  # 0: no term has been added in the batch that fails, and its loss is exactly 0
assert found == 0

# %% fix nothing-in-the-batch
for wanted in (7, 2):  # a batch without, and a batch with, such objects
    loss = torch.zeros(())
    for row, label in zip(model(x), labels, strict=True):
        if label == wanted:
            loss = loss + nn.functional.cross_entropy(row, label)
    if loss.requires_grad:  # else there is nothing to learn from this batch
        loss.backward()
    assert (model[0].weight.grad is None) == (wanted == 7)

# %% break frozen-before-checkpoint
embedding, block = nn.Embedding(10, 4).requires_grad_(False), nn.Linear(4, 3)
hidden = checkpoint(block, embedding(labels), use_reentrant=True)
nn.functional.cross_entropy(hidden, labels).backward()

# %% check frozen-before-checkpoint
embedding, block = nn.Embedding(10, 4).requires_grad_(False), nn.Linear(4, 3)
hidden = embedding(labels)
print(hidden.requires_grad, block.weight.requires_grad)  # False True: the block's input has no gradient
assert not hidden.requires_grad and block.weight.requires_grad

# %% fix frozen-before-checkpoint
embedding, block = nn.Embedding(10, 4).requires_grad_(False), nn.Linear(4, 3)
hidden = checkpoint(block, embedding(labels), use_reentrant=False)
nn.functional.cross_entropy(hidden, labels).backward()

(expected,) = torch.autograd.grad(nn.functional.cross_entropy(block(embedding(labels)), labels), block.weight)
assert torch.allclose(block.weight.grad, expected, atol=1e-6)

# %% break gradient-of-the-input
scores = model(x)
(saliency,) = torch.autograd.grad(scores.sum(), x)  # x is plain data

# %% check gradient-of-the-input
print(x.requires_grad)  # False: data requires a gradient only when you say so
assert not x.requires_grad and model(x).requires_grad

# %% fix gradient-of-the-input
x.requires_grad_()  # before the forward pass
(saliency,) = torch.autograd.grad(model(x).sum(), x)

assert saliency.shape == x.shape and saliency.abs().sum() > 0

# %% break forced-on-the-loss
before = model[0].weight.clone()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
predicted = model(x).argmax(dim=1).float()
loss = nn.functional.mse_loss(predicted, labels.float())
loss.requires_grad_(True)  # the error is gone, and so is the training
loss.backward()
optimizer.step()
print([parameter.grad for parameter in model.parameters()])
assert torch.equal(model[0].weight, before)

# %% check forced-on-the-loss
predicted = model(x).argmax(dim=1).float()
loss = nn.functional.mse_loss(predicted, labels.float()).requires_grad_(True)
print(loss.requires_grad, loss.grad_fn)  # True None: it may be differentiated, but nothing stands behind it
assert loss.requires_grad and loss.grad_fn is None

# %% fix forced-on-the-loss
before = model[0].weight.clone()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = nn.functional.cross_entropy(model(x), labels)  # no requires_grad_: mend the line that cut it off
loss.backward()
optimizer.step()

assert not torch.equal(model[0].weight, before)
