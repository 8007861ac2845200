# ---
# wordings:
#   - text: "unsupported operation: more than one element of the written-to tensor refers to a single memory location"
#     exception: RuntimeError
#     sample: "RuntimeError: unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing the operation."
#   - text: "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location"
#     exception: RuntimeError
#     sample: "RuntimeError: unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. Please clone() the tensor before performing the operation."
#   - text: "on expanded tensors is deprecated. Please clone() the tensor before performing this operation"
#     exception: UserWarning
#     role: remark
#     sample: "UserWarning: Use of masked_fill_ on expanded tensors is deprecated. Please clone() the tensor before performing this operation. This also applies to advanced indexing e.g. tensor[mask] = scalar"
# tags: [in-place, view, shape]
# recover: fix
# outranks: [state-dict-size-mismatch]
# related: [autograd/view-multi-inplace, autograd/modified-by-inplace]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.Tensor.expand.html"]
# causes:
#   expanded:
#     likely: >-
#       paste("more than one element of the written-to tensor", "on expanded tensors is deprecated")
#       and not paste("from_numpy", "as_tensor")
#   same-memory:
#     if: paste("some elements of the input tensor and the written-to tensor")
#   parameter:
#     if: >-
#       (paste("more than one element of the written-to tensor") and frames("torch/optim/"))
#       or paste("While copying the parameter named")
#     sample: |
#       RuntimeError: Error(s) in loading state_dict for Whitening:
#         While copying the parameter named "running_wm", whose dimensions in the model are torch.Size([4, 8, 8]) and whose dimensions in the checkpoint are torch.Size([4, 8, 8]), an exception occurred : ('unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing the operation.',).
#   numpy-axis:
#     likely: paste("from_numpy", "as_tensor") and paste("more than one element of the written-to tensor")
#     sample: |
#       input=torch.as_tensor(img[None], dtype=torch.float),
#       RuntimeError: unsupported operation: more than one element of the written-to tensor refers to a single memory location
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
scores = torch.rand(3, 4, requires_grad=True)
y = torch.tensor([0.0, 10.0, 20.0, 30.0])  # another value for each column

# %% break expanded
x = scores.sum(dim=1, keepdim=True).expand(3, 4)  # four columns, one place
x += y

# %% check expanded
x = scores.sum(dim=1, keepdim=True).expand(3, 4)
print(x.shape, x.stride())  # a step of 0 stays in its place
assert 0 in x.stride()

# %%
x = scores.sum(dim=1, keepdim=True).expand(3, 4)

# %% fix expanded
x = x.clone()  # right after the expand: now each column has its place
x += y

# %% proof expanded
assert torch.equal(x[:, :1] + y, x) and x.shape == (3, 4)
torch.testing.assert_close(x[:, 0], scores.sum(dim=1))
(x * torch.tensor([1.0, 2.0, 3.0, 4.0])).sum().backward()
assert torch.equal(scores.grad, torch.full((3, 4), 10.0))  # the gradient goes through the copy

# %%
target = torch.rand(4, 8)


class Prompts(nn.Module):
    """Four prompts that begin alike and are learned apart, and their average."""

    def __init__(self):
        super().__init__()
        self.prompts = nn.Parameter(torch.zeros(1, 8).expand(4, 8))
        self.register_buffer("average", torch.ones(8).expand(4, 8))


model = Prompts()

# %% break parameter
optimizer = torch.optim.Adam(model.parameters())
(model.prompts - target).square().sum().backward()
optimizer.step()

# %% check parameter
held = [*model.named_parameters(), *model.named_buffers()]
names = [name for name, t in held if 0 in t.stride() and t.numel() > 1]
print(names)  # each of these holds one value in several places
assert names == ["prompts", "average"]

# %% fix parameter
for t in [*model.parameters(), *model.buffers()]:
    if 0 in t.stride():
        t.data = t.data.clone()  # before the checkpoint is loaded

# %% proof parameter
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
(model.prompts - target).square().sum().backward()
optimizer.step()
torch.testing.assert_close(model.prompts.detach(), target)  # each row went its own way
saved = {"prompts": torch.arange(32.0).view(4, 8), "average": torch.arange(32.0).view(4, 8) + 1}
model.load_state_dict(saved)
assert torch.equal(model.prompts, saved["prompts"])
assert torch.equal(model.average, saved["average"])

# %%
x = torch.tensor([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0], [4.0, 40.0]])

# %% break same-memory
x[1:] = x[:-1]  # reads the rows that it is writing

# %% check same-memory
read, written = x[:-1], x[1:]
# the same storage: the copy would read what it has just written
print(read.untyped_storage().data_ptr() == written.untyped_storage().data_ptr())
assert read.untyped_storage().data_ptr() == written.untyped_storage().data_ptr()

# %% fix same-memory
x[1:] = x[:-1].clone()  # what is read, not what is written

# %% proof same-memory
assert x.tolist() == [[1, 10], [1, 10], [2, 20], [3, 30]]
