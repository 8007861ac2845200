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
# related: [shapes/matmul-shapes]
# rows: [S000-07, S001-25]
# cases:
#   mixed-up: {silent: true}
#   lost-write: {silent: true}
# docs: ["https://docs.pytorch.org/docs/stable/tensor_view.html"]
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)

# %% break accuracy
output, target = torch.randn(10, 20), torch.arange(10)
predicted = output.topk(5, dim=1).indices.t()
correct = predicted.eq(target)
top5 = correct[:5].view(-1).float().sum()  # t() has swapped the strides, and eq() has kept them

# %% check accuracy
tensor = torch.randn(10, 5).t()
print(tensor.shape, tensor.stride())  # strides (1, 5): they grow to the right, so the rows do not lie one after another
assert tensor.stride() == (1, 5)

# %% fix accuracy
output, target = torch.randn(10, 20), torch.arange(10)
predicted = output.topk(5, dim=1).indices.t()
correct = predicted.eq(target)
top5 = correct[:5].reshape(-1).float().sum()

expected = sum(int(target[i]) in output[i].topk(5).indices.tolist() for i in range(10))
assert top5 == expected

# %% break transposed
heads = torch.randn(2, 3, 2, 4).transpose(1, 2)  # batch, heads, tokens, features
attended = (heads @ heads.transpose(-1, -2)).softmax(-1) @ heads
joined = attended.transpose(1, 2).view(2, 3, 8)

# %% check transposed
swapped = torch.randn(2, 2, 3, 4).transpose(1, 2)
print(swapped.shape, swapped.stride())  # strides (24, 4, 12, 1): 4 stands before 12, two dimensions are swapped in memory
assert swapped.stride() == (24, 4, 12, 1)

# %% fix transposed
heads = torch.randn(2, 3, 2, 4).transpose(1, 2)
attended = (heads @ heads.transpose(-1, -2)).softmax(-1) @ heads
joined = attended.transpose(1, 2).reshape(2, 3, 8)  # keep the transpose, replace the view

assert torch.equal(joined, torch.cat([attended[:, 0], attended[:, 1]], dim=-1))

# %% break channels-last
model = nn.Conv2d(3, 8, 3).to(memory_format=torch.channels_last)
features = model(torch.randn(2, 3, 6, 6))
flat = features.view(2, -1)

# %% check channels-last
features = nn.Conv2d(3, 8, 3).to(memory_format=torch.channels_last)(torch.randn(2, 3, 6, 6))
print(features.stride())  # (128, 1, 32, 8): the 1 stands second, so the channels lie side by side
assert features.is_contiguous(memory_format=torch.channels_last)

# %% fix channels-last
model = nn.Conv2d(3, 8, 3).to(memory_format=torch.channels_last)
features = model(torch.randn(2, 3, 6, 6))
flat = features.flatten(1)  # copies only where it must

assert torch.equal(flat[0, :16], features[0, 0].reshape(-1))  # the values of channel 0 come first, as without channels_last
assert torch.equal(flat, features.contiguous().view(2, -1))

# %% break own-backward
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return (grad.view(-1) * 2).view(grad.shape)  # whoever uses the output decides the strides of grad


x = torch.ones(3, 2, requires_grad=True)
(Double.apply(x).t() * torch.ones(2, 3)).sum().backward()

# %% check own-backward
x = torch.ones(3, 2, requires_grad=True)
result = x * 2
result.register_hook(lambda grad: print(grad.stride()))  # (1, 3), although result itself has (2, 1)
(result.t() * torch.ones(2, 3)).sum().backward()
assert result.is_contiguous()

# %% fix own-backward
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return (grad.reshape(-1) * 2).view(grad.shape)


x = torch.ones(3, 2, requires_grad=True)
weights = torch.arange(6.0).view(2, 3)
(Double.apply(x).t() * weights).sum().backward()

assert torch.equal(x.grad, 2 * weights.t())

# %% break mixed-up
pixels = torch.tensor([[[1, 10], [2, 20], [3, 30]]])  # one image of 3 pixels, each with 2 channels
channels_first = pixels.reshape(1, 2, 3)  # the shape that was wanted, without an error
print(channels_first[0, 0])  # [1, 10, 2]: the first channel should be 1, 2, 3
assert channels_first[0, 0].tolist() == [1, 10, 2]

# %% check mixed-up
pixels = torch.tensor([[[1, 10], [2, 20], [3, 30]]])
print(torch.equal(pixels.reshape(1, 2, 3), pixels.transpose(1, 2)))  # False: same shape, other order
assert not torch.equal(pixels.reshape(1, 2, 3), pixels.transpose(1, 2))

# %% fix mixed-up
pixels = torch.tensor([[[1, 10], [2, 20], [3, 30]]])
channels_first = pixels.transpose(1, 2)  # swaps the dimensions; reshape only cuts the same sequence anew

assert channels_first[0, 0].tolist() == [1, 2, 3]
assert channels_first.shape == (1, 2, 3)

# %% break lost-write
table = torch.zeros(3, 2)
table.t().reshape(-1)[0] = 7  # here reshape had to copy: the 7 goes into the copy
print(table.sum())  # 0
assert table.sum() == 0

# %% check lost-write
table = torch.zeros(3, 4)
print(table.reshape(-1).data_ptr() == table.data_ptr())  # True: the same memory
print(table.t().reshape(-1).data_ptr() == table.data_ptr())  # False: a copy
part = table[:, :2]
print(part.is_contiguous(), part.view(3, 2, 1).data_ptr() == table.data_ptr())  # False True: not contiguous, and view works
assert table.t().reshape(-1).data_ptr() != table.data_ptr()

# %% fix lost-write
table = torch.zeros(3, 2)
table.t()[0, 0] = 7  # write through a view, or into the tensor itself

assert table[0, 0] == 7
