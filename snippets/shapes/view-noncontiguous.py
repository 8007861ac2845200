# ---
# wordings:
#   - text: "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead"
#     exception: RuntimeError
#   - text: "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Call .contiguous() before .view()"
#     exception: RuntimeError
#   - text: "view size is not compatible with input tensor's size and"
#     exception: RuntimeError
#   - text: "at least one dimension spans across two contiguous subspaces"
#     exception: RuntimeError
#   - text: "Cannot view a tensor with shape torch.Size([{shape:line}]) and strides ({strides:line}) as a tensor with shape ({want:line})!"
#     exception: ValueError
#     sample: "ValueError: Cannot view a tensor with shape torch.Size([3, 2]) and strides (1, 3) as a tensor with shape (6,)!"
#   - text: "Cannot view a tensor with shape"
#     exception: ValueError
#   - text: "input is not contiguous at"
#     exception: RuntimeError
#     near: [THTensor, THCTensor]
# tags: [channels-last, classification, shape, transformer, view]
# picture: [strides, shape, strides]
# recover: fix
# related: [shapes/matmul-shapes]
# rows: [S000-07, S001-25]
# cases:
#   mixed-up: {silent: true}
#   lost-write: {silent: true}
#   transposed: {wrong: {no-transpose: "https://github.com/jsbaan/transformer-from-scratch/pull/6"}}
#   own-backward:
#     survives:
#       "without: @staticmethod": "apply() takes forward from the class, so it works without; PyTorch's documentation writes it"
#       "without: @staticmethod (2)": "as above, for backward"
# docs: ["https://docs.pytorch.org/docs/stable/tensor_view.html"]
# causes:
#   accuracy:
#     if: paste("].view(-1).float()", "correct[:", ", in accuracy")
#   slice:
#     if: >-
#       frames(", 1:].view(", ", :-1].view(", ", 1:, :].view(", ", :-1, :].view(")
#       or live("left", "part of a larger one") and not frames("run_backward")
#     sample: |
#       Traceback (most recent call last):
#         File "train.py", line 90, in train_epoch
#           loss = loss_fn(output, target[:, 1:].view(-1))
#       RuntimeError: view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces).
#   channels-last:
#     if: >-
#       paste("channels_last") or len(strides) == 4 and strides[1] == 1
#       or len(live.left.strides) == 4 and live.left.strides[1] == 1
#     likely: paste(".size(0), -1)", ".shape[0], -1)", ".size()[0], -1)", "*6*6)", "* 6 * 6)", "*7*7)", "* 7 * 7)")
#     undecided: the failing line names neither the memory format nor the layer
#     sample: "ValueError: Cannot view a tensor with shape torch.Size([2, 8, 4, 4]) and strides (128, 1, 32, 8) as a tensor with shape (2, 128)!"
#   transposed:
#     if: >-
#       frames(").view(") and frames(".transpose(", ".permute(", ".swapaxes(", ".movedim(") and not frames("run_backward")
#       or frames(".t().view(", ".T.view(", ".mT.view(")
#       or len(live.left.strides) < 4 and live.left.strides[-1] != 1 and not
#       frames("run_backward")
#     likely: >-
#       read(strides) and (strides[-1] != 1 or strides[-3] < strides[-2]) or frames("attention.py",
#       "Attention.py", "Attention.forward", ", in attention") or paste(".view(-1, ") and
#       paste(".size(1))", ".shape[1])", ".size(-1))", ".shape[-1])")
#   own-backward:
#     if: frames("run_backward") and frames("autograd/function.py", "autograd\\function.py")
#     likely: >-
#       frames("run_backward") and not paste("mps:0", "'mps'", "device=mps", "torch.mps",
#       "torch/mps", "on mps", "MPS")
#   mps:
#     case: own-backward
#     likely: >-
#       paste("mps:0", "'mps'", "device=mps", "torch.mps", "torch/mps", "on mps", "MPS")
#     sample: |
#       Traceback (most recent call last):
#         File "torch/autograd/graph.py", line 829, in _engine_run_backward
#           return Variable._execution_engine.run_backward(  # Calls into the C++ engine to run the backward pass
#       RuntimeError: view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces).
#       (device: mps:0)
#   mixed-up:
#   lost-write:
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
scores, labels = torch.randn(10, 20), torch.arange(10)
correct = scores.topk(5, dim=1).indices.t().eq(labels)

# %% break accuracy
top5 = correct[:5].view(-1).float().sum()  # t() has swapped the strides

# %% check accuracy
# strides (1, 5): they grow to the right, so the rows do not lie one after another
print(correct.shape, correct.stride())
assert correct.stride() == (1, 5)


# %% fix accuracy
def accuracy(scores, labels, k):
    correct = scores.topk(k).indices.t().eq(labels)
    return correct.reshape(-1).sum() / len(labels)  # reshape in place of view


# %% proof accuracy
for k in (1, 5):
    expected = sum(int(labels[i]) in scores[i].sort(descending=True).indices[:k].tolist() for i in range(10)) / 10
    assert torch.allclose(accuracy(scores, labels, k), torch.tensor(expected))
assert expected > 0

# %% use accuracy
model = nn.Linear(6, 20)
loader = [(torch.randn(n, 6), torch.randint(20, (n,))) for n in (16, 16, 3)]


# >>>
def accuracy(scores, labels, k):
    correct = scores.topk(k).indices.t().eq(labels)
    return correct[:k].view(-1).float().sum() / len(labels)
# <<<


hits = sum(accuracy(model(x), labels, 5) * len(labels) for x, labels in loader)
expected = [labels[:, None].eq(model(x).argsort(1)[:, -5:]).sum() for x, labels in loader]
assert hits.round() == sum(expected) > 0

# %%
x = torch.randn(2, 3, 2, 4)  # batch, tokens, heads, features

# %% break transposed
heads = x.transpose(1, 2)  # batch, heads, tokens, features
attended = (heads @ heads.transpose(-1, -2)).softmax(-1) @ heads
joined = attended.transpose(1, 2).view(2, 3, 8)

# %% check transposed
swapped = torch.randn(2, 2, 3, 4).transpose(1, 2)
# strides (24, 4, 12, 1): 4 stands before 12, two dimensions are swapped in memory
print(swapped.shape, swapped.stride())
assert swapped.stride() == (24, 4, 12, 1)

# %% fix transposed
heads = x.transpose(1, 2)
attended = (heads @ heads.transpose(-1, -2)).softmax(-1) @ heads
joined = attended.transpose(1, 2).reshape(2, 3, 8)  # not view

# %% proof transposed
for head in range(2):
    own = x[:, :, head]
    exact = torch.stack([(one @ one.T).softmax(1) @ one for one in own])
    assert torch.allclose(joined[..., 4 * head : 4 * head + 4], exact, atol=1e-6)

# %% wrong no-transpose
# Without the second `transpose`: no error and the same shape, but each token gets values of others.
heads = x.transpose(1, 2)
attended = (heads @ heads.transpose(-1, -2)).softmax(-1) @ heads
joined = attended.reshape(2, 3, 8)

# %%
images = torch.randn(2, 3, 6, 6)
model = nn.Conv2d(3, 8, 3).to(memory_format=torch.channels_last)

# %% break channels-last
features = model(images)
flat = features.view(2, -1)

# %% check channels-last
features = model(images)
print(features.stride())  # (128, 1, 32, 8): the 1 is second: channels side by side
assert features.is_contiguous(memory_format=torch.channels_last)

# %% fix channels-last
features = model(images)
flat = features.flatten(1)  # copies only where it must

# %% proof channels-last
assert flat.shape == (2, 128)
assert torch.equal(flat[0, :16], features[0, 0].reshape(-1))  # the values of channel 0 come first, as without channels_last
assert torch.equal(flat, features.contiguous().view(2, -1))


# %%
x = torch.ones(3, 2, requires_grad=True)


# %% break own-backward
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        # whoever uses the output decides the strides of grad
        return (grad.view(-1) * 2).view(grad.shape)


(Double.apply(x).t() * torch.ones(2, 3)).sum().backward()

# %% check own-backward
result = x * 2
result.register_hook(lambda grad: print(grad.stride()))  # (1, 3); result has (2, 1)
(result.t() * torch.ones(2, 3)).sum().backward()
assert result.is_contiguous()

# %% fix own-backward
import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return (grad.reshape(-1) * 2).view(grad.shape)


# %% proof own-backward
weights = torch.arange(6.0).view(2, 3)
result = Double.apply(x)
assert torch.equal(result, 2 * x)
(result.t() * weights).sum().backward()
assert torch.equal(x.grad, 2 * weights.t())

# %%
x = torch.tensor([[[1, 10], [2, 20], [3, 30]]])  # one image of 3 pixels, each with 2 channels

# %% break mixed-up
channels_first = x.reshape(1, 2, 3)  # the shape that was wanted, without an error
print(channels_first[0, 0])  # [1, 10, 2]: the first channel should be 1, 2, 3
assert channels_first[0, 0].tolist() == [1, 10, 2]

# %% check mixed-up
# False: same shape, other order
print(torch.equal(x.reshape(1, 2, 3), x.transpose(1, 2)))
assert not torch.equal(x.reshape(1, 2, 3), x.transpose(1, 2))

# %% fix mixed-up
channels_first = x.transpose(1, 2)  # reshape would only cut the sequence anew

# %% proof mixed-up
assert channels_first.tolist() == [[[1, 2, 3], [10, 20, 30]]]

# %%
x = torch.zeros(3, 2)

# %% break lost-write
x.t().reshape(-1)[0] = 7  # here reshape had to copy: the 7 goes into the copy
print(x.sum())  # 0
assert x.sum() == 0

# %% check lost-write
table = torch.zeros(3, 4)
print(table.reshape(-1).data_ptr() == table.data_ptr())  # True: the same memory
print(table.t().reshape(-1).data_ptr() == table.data_ptr())  # False: a copy
part = table[:, :2]
# False True: not contiguous, and view works
print(part.is_contiguous(), part.view(3, 2, 1).data_ptr() == table.data_ptr())
assert table.t().reshape(-1).data_ptr() != table.data_ptr()

# %% fix lost-write
x.t()[0, 0] = 7  # write through a view, or into the tensor itself

# %% proof lost-write
assert x.tolist() == [[7, 0], [0, 0], [0, 0]]
