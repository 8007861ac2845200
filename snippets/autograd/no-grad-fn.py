# ---
# wordings:
#   - text: "element {index:int} of tensors does not require grad and does not have a grad_fn"
#     exception: RuntimeError
#     sample: "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"
#   - text: "element {index:int} of variables does not require grad and does not have a grad_fn"
#     exception: RuntimeError
#     sample: "RuntimeError: element 0 of variables does not require grad and does not have a grad_fn"
#   - text: "element {index:int} of tensors does not require grad"
#     exception: RuntimeError
#     sample: "RuntimeError: element 0 of tensors does not require grad and does not have a gr"
#   - text: "element {index:int} of variables does not require grad"
#     exception: RuntimeError
#     sample: "RuntimeError: element 0 of variables does not require grad and does not"
#   - text: "does not require grad and does not have a grad_fn"
#     exception: RuntimeError
#   - text: "One of the differentiated Tensors does not require grad"
#     exception: RuntimeError
#   - text: "One of the differentiated Variables does not require grad"
#     exception: RuntimeError
#   - text: "there are no graph nodes that require computing gradients"
#     exception: RuntimeError
#   - text: "requires_grad not set on root"
#     exception: RuntimeError
#   - text: "None of the inputs have requires_grad=True. Gradients will be None"
#     exception: UserWarning
#   - text: "none of output has requires_grad=True, this checkpoint() is not necessary"
#     exception: RuntimeError
# tags: [activation-checkpointing, autograd, backward, fine-tuning, lora, loss]
# recover: fix
# related: [autograd/backward-second-time]
# rows: [S001-45, S001-121, S001-128]
# cases:
#   forced-on-the-loss: {silent: true}
#   predicted-class: {wrong: {grad-on-the-loss: "https://github.com/ronghuaiyang/arcface-pytorch/issues/56"}}
# docs: ["https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation"]
# causes:
#   frozen-before-checkpoint:
#     likely: >-
#       paste("None of the inputs have requires_grad=True") or paste("this checkpoint() is not
#       necessary", "transformers/trainer.py", "transformers\\trainer.py",
#       "activation_checkpointing", "mpu/random.py", "tensor_parallel/random.py")
#       or live("by checkpoint")
#       or paste("One of the differentiated Tensors") and paste("diffusionmodules", "CheckpointFunction")
#     undecided: the warning is printed before the traceback, and not with it
#     sample: |
#       /opt/conda/lib/python3.10/site-packages/torch/utils/checkpoint.py:31: UserWarning: None of the inputs have requires_grad=True. Gradients will be None
#         warnings.warn("None of the inputs have requires_grad=True. Gradients will be None")
#       Traceback (most recent call last):
#         File "finetune.py", line 275, in train
#           trainer.train()
#       RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
#   all-frozen:
#     if: live("model", "frozen") and not live("trained")
#     likely: >-
#       frames("accelerator.backward(") and not paste("transformers/trainer.py", "transformers\\trainer.py", "sentence_transformers")
#       and not paste("loss=0,", "loss=0.0,", "loss: 0.0,")
#     sample: |
#       Traceback (most recent call last):
#         File "train_text_to_image_lora.py", line 801, in main
#           accelerator.backward(loss)
#         File "/opt/conda/lib/python3.10/site-packages/accelerate/accelerator.py", line 1966, in backward
#           loss.backward(**kwargs)
#       RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
#     undecided: which parameters are frozen is not printed
#   predicted-class:
#     if: >-
#       live("trained") and (live("left", "by argmax") or live("left", "via argmax") and not
#       live("made in no_grad") and not live("in no_grad"))
#     undecided: the traceback ends in backward(); the line that cuts stands further up and is not printed
#   rebuilt-tensor:
#     likely: >-
#       paste("Converting a tensor with requires_grad=True to a scalar", "To copy construct from a tensor, it is recommended to use")
#       or frames("torch.tensor(", "from_numpy(")
#       or live("left", "by tensor") or live("left", "by as_tensor") or live("left", "by item") or
#       live("left", "by detach") or live("left", "by from_numpy") or live("left", "via item") or
#       live("left", "via detach")
#     sample: |
#       train.py:40: UserWarning: To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).
#         loss = torch.tensor(losses[0])
#       Traceback (most recent call last):
#         File "train.py", line 41, in <module>
#           loss.backward()
#       RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
#     undecided: the traceback ends in backward(); the line that cuts stands further up and is not printed
#   no-grad-block:
#     if: >-
#       live("left", "made in no_grad") or live("left", "made in inference_mode") or live("run",
#       "in no_grad") or live("run", "in inference_mode")
#     likely: frames("validation_step", "test_step", "predict_step", "no_grad", "inference_mode", "ComfyUI")
#     sample: |
#       Traceback (most recent call last):
#         File "/home/user/ComfyUI/execution.py", line 327, in execute
#           output_data, output_ui, has_subgraph = get_output_data(obj, input_data_all)
#         File "/home/user/ComfyUI/custom_nodes/style/nodes.py", line 88, in run
#           loss.backward()
#       RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
#     undecided: the block has ended before backward(), and the traceback does not name it
#   encode-or-generate: {case: no-grad-block}
#   grad-off-everywhere:
#     if: live("run", "gradients off")
#     sample: |
#       RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
#       What the program knew:
#         torch  run  2.13.0+cpu; in a loop; gradients off
#   nothing-in-the-batch:
#     likely: >-
#       paste("tensor(0.,", "tensor(0.)", "tensor(0, device", "loss=0,", "loss=0.0,", "loss: 0.0,", "loss: 0.0000,")
#       or live("left", "adds to itself") or live("left", "added up over the loop")
#     sample: |
#       epoch 3 batch 117 loss tensor(0., device='cuda:0')
#       Traceback (most recent call last):
#         File "train.py", line 62, in <module>
#           loss.backward()
#       RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
#     undecided: a loss of 0 is not printed by itself
#   one-of-several:
#     if: index > 0
#   gradient-of-the-input:
#     likely: paste("One of the differentiated Tensors does not require grad", "One of the differentiated Variables does not require grad")
#   forced-on-the-loss:
# ---

# %%
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
x, labels = torch.randn(8, 4), torch.arange(8) % 3
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def exact_gradients(loss):
    return torch.autograd.grad(loss, list(model.parameters()))


# %% break predicted-class
predicted = model(x).argmax(dim=1)  # class numbers: whole numbers have no gradient
loss = nn.functional.mse_loss(predicted.float(), labels.float())
loss.backward()

# %% check predicted-class
scores = model(x)
predicted = scores.argmax(dim=1)
# True, False, torch.int64
print(scores.requires_grad, predicted.requires_grad, predicted.dtype)
assert scores.requires_grad and not predicted.requires_grad

# %% fix predicted-class
from torch import nn

scores = model(x)
loss = nn.functional.cross_entropy(scores, labels)  # takes the scores themselves
loss.backward()
accuracy = (scores.argmax(dim=1) == labels).float().mean()  # for the log only

# %% proof predicted-class
expected = exact_gradients(-model(x).log_softmax(1)[torch.arange(8), labels].mean())
torch.testing.assert_close([parameter.grad for parameter in model.parameters()], list(expected))
assert accuracy == sum(row.tolist().index(max(row.tolist())) == label for row, label in zip(scores, labels, strict=True)) / 8

# %% use predicted-class
def train(epochs):
    for _ in range(epochs):
        optimizer.zero_grad()
        # >>>
        predicted = model(x).argmax(dim=1)
        loss = nn.functional.mse_loss(predicted.float(), labels.float())
        loss.backward()
        # <<<
        optimizer.step()
    return loss.item()


first = train(1)
assert train(100) < 0.9 * first

# %% wrong grad-on-the-loss
# `loss.requires_grad = True`: no error any more, but the loss is a number without a history. No
# parameter gets a gradient.
scores = model(x)
predicted = scores.argmax(dim=1)
loss = nn.functional.mse_loss(predicted.float(), labels.float())
loss.requires_grad = True
loss.backward()
accuracy = (predicted == labels).float().mean()
print(model[0].weight.grad)

# %% break rebuilt-tensor
losses = [loss_fn(model(x[i : i + 4]), labels[i : i + 4]) for i in (0, 4)]
loss = torch.tensor(losses).mean()  # copies the numbers; the graph stays behind
loss.backward()

# %% check rebuilt-tensor
losses = [loss_fn(model(x[i : i + 4]), labels[i : i + 4]) for i in (0, 4)]
print(losses[0].grad_fn)  # <NllLossBackward0 ...>
print(torch.tensor([one.item() for one in losses]).grad_fn)  # None
assert losses[0].grad_fn is not None

# %% fix rebuilt-tensor
import torch

losses = [loss_fn(model(x[i : i + 4]), labels[i : i + 4]) for i in (0, 4)]
loss = torch.stack(losses).mean()  # stays a tensor all the way
loss.backward()

# %% proof rebuilt-tensor
torch.testing.assert_close([parameter.grad for parameter in model.parameters()], list(exact_gradients(loss_fn(model(x), labels))))

# %% break all-frozen
model.requires_grad_(False)  # meant for the backbone; the head is frozen as well
loss_fn(model(x), labels).backward()

# %% check all-frozen
model.requires_grad_(False)
# []: nothing to train
print([name for name, p in model.named_parameters() if p.requires_grad])
assert not any(p.requires_grad for p in model.parameters())

# %% fix all-frozen
model.requires_grad_(False)
model[-1].requires_grad_(True)  # the layer that is to be trained

# %% proof all-frozen
expected = torch.autograd.grad(loss_fn(model(x), labels), model[-1].weight)[0]
loss_fn(model(x), labels).backward()
assert torch.equal(model[-1].weight.grad, expected) and expected.abs().max() > 0
assert model[0].weight.grad is None  # the rest is still frozen


# %% break no-grad-block
def training_step(model, x, labels):
    return loss_fn(model(x), labels)


with torch.no_grad():  # also: @torch.no_grad(), inference_mode, a validation step
    loss = training_step(model, x, labels)
loss.backward()

# %% check no-grad-block
with torch.no_grad():
    print(torch.is_grad_enabled())  # False on the line where the loss is computed
    loss = loss_fn(model(x), labels)
assert not loss.requires_grad and model[0].weight.requires_grad

# %% fix no-grad-block
import torch


def training_step(model, x, labels):
    with torch.enable_grad():  # where the no_grad() around it is not yours
        return loss_fn(model(x), labels)


# %% proof no-grad-block
with torch.no_grad():
    loss = training_step(model, x, labels)
    assert not torch.is_grad_enabled()
loss.backward()
torch.testing.assert_close([parameter.grad for parameter in model.parameters()], list(exact_gradients(loss_fn(model(x), labels))))

# %% break nothing-in-the-batch
loss = torch.zeros(())
for row, label in zip(model(x), labels, strict=True):
    if label == 7:  # no object of this class in this batch
        loss = loss + nn.functional.cross_entropy(row, label)
loss.backward()

# %% check nothing-in-the-batch
found = (labels == 7).sum().item()
print(found)  # 0: the batch that fails adds no term, and its loss is exactly 0
assert found == 0

# %% fix nothing-in-the-batch
from torch import nn


def object_loss(scores, labels, wanted):
    loss = 0 * scores.sum()  # 0, but connected to the model in every batch
    for row, label in zip(scores, labels):
        if label == wanted:
            loss = loss + nn.functional.cross_entropy(row, label)
    return loss


object_loss(model(x), labels, wanted=7).backward()

# %% proof nothing-in-the-batch
assert all(torch.equal(parameter.grad, torch.zeros_like(parameter)) for parameter in model.parameters())
model.zero_grad()
loss = object_loss(model(x), labels, wanted=2)
loss.backward()
some = labels == 2
assert some.sum() == 2
torch.testing.assert_close([parameter.grad for parameter in model.parameters()], list(exact_gradients(2 * loss_fn(model(x[some]), labels[some]))))

# %% break frozen-before-checkpoint
embedding, block = nn.Embedding(10, 4).requires_grad_(False), nn.Linear(4, 3)
hidden = checkpoint(block, embedding(labels), use_reentrant=True)
loss_fn(hidden, labels).backward()

# %% check frozen-before-checkpoint
embedding, block = nn.Embedding(10, 4).requires_grad_(False), nn.Linear(4, 3)
hidden = embedding(labels)
# False True: the block's input has no gradient
print(hidden.requires_grad, block.weight.requires_grad)
assert not hidden.requires_grad and block.weight.requires_grad

# %% fix frozen-before-checkpoint
from torch import nn
from torch.utils.checkpoint import checkpoint

embedding, block = nn.Embedding(10, 4).requires_grad_(False), nn.Linear(4, 3)
hidden = checkpoint(block, embedding(labels), use_reentrant=False)

# %% proof frozen-before-checkpoint
again = []
block.register_forward_pre_hook(lambda module, inputs: again.append(inputs))
loss_fn(hidden, labels).backward()
assert len(again) == 1  # computed again in backward: still a checkpoint
(expected,) = torch.autograd.grad(loss_fn(block(embedding(labels)), labels), block.weight)
assert torch.allclose(block.weight.grad, expected, atol=1e-6) and embedding.weight.grad is None and not embedding.weight.requires_grad
block.zero_grad()  # what enable_input_require_grads() does: the embedding's output asks for a gradient
embedding.register_forward_hook(lambda module, inputs, output: output.requires_grad_(True))
loss_fn(checkpoint(block, embedding(labels), use_reentrant=True), labels).backward()
assert torch.allclose(block.weight.grad, expected, atol=1e-6)

# %% use frozen-before-checkpoint
labels = torch.tensor([2, 0, 1, 2, 2])
# >>>
embedding, block = nn.Embedding(10, 4).requires_grad_(False), nn.Linear(4, 3)
hidden = checkpoint(block, embedding(labels), use_reentrant=True)
# <<<
optimizer = torch.optim.SGD(block.parameters(), lr=0.1)
loss = loss_fn(hidden, labels)
loss.backward()
optimizer.step()
assert loss_fn(block(embedding(labels)), labels) < loss

# %% break one-of-several
outputs = model(x), x  # scores, and something that is handed through
torch.autograd.backward(outputs, [torch.ones_like(output) for output in outputs])

# %% check one-of-several
outputs = model(x), x
print([output.requires_grad for output in outputs])  # [True, False]: number 1 fails
assert [output.requires_grad for output in outputs] == [True, False]

# %% fix one-of-several
import torch

outputs = model(x), x
outputs = [output for output in outputs if output.requires_grad]  # drop the others
torch.autograd.backward(outputs, [torch.ones_like(output) for output in outputs])

# %% proof one-of-several
torch.testing.assert_close([parameter.grad for parameter in model.parameters()], list(exact_gradients(model(x).sum())))

# %% break gradient-of-the-input
scores = model(x)
(saliency,) = torch.autograd.grad(scores.sum(), x)  # x is plain data

# %% check gradient-of-the-input
print(x.requires_grad)  # False: data requires a gradient only when you say so
assert not x.requires_grad and model(x).requires_grad

# %% fix gradient-of-the-input
import torch

x.requires_grad_()  # before the forward pass
(saliency,) = torch.autograd.grad(model(x).sum(), x)

# %% proof gradient-of-the-input
hidden = model[0](x)
by_hand = ((hidden > 0).float() * model[2].weight.sum(0)) @ model[0].weight
assert torch.allclose(saliency, by_hand, atol=1e-6) and saliency.abs().max() > 0.01

# %% break forced-on-the-loss
before = model[0].weight.clone()
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
print(loss.requires_grad, loss.grad_fn)  # True None: nothing stands behind it
assert loss.requires_grad and loss.grad_fn is None

# %%
before = [parameter.detach().clone() for parameter in model.parameters()]
gradients = exact_gradients(loss_fn(model(x), labels))

# %% fix forced-on-the-loss
from torch import nn

# no requires_grad_: repair the line that cut it off
loss = nn.functional.cross_entropy(model(x), labels)
loss.backward()
optimizer.step()

# %% proof forced-on-the-loss
torch.testing.assert_close([parameter.detach() for parameter in model.parameters()], [old - 0.1 * g for old, g in zip(before, gradients, strict=True)])
assert not torch.equal(model[0].weight, before[0])
