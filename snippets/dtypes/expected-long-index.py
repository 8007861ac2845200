# ---
# wordings:
#   - text: "expected scalar type Long but found {got:dtype}"
#     exception: RuntimeError
#     sample: "RuntimeError: expected scalar type Long but found Float"
#   - text: "Expected object of scalar type Long but got scalar type {got:dtype}"
#     exception: RuntimeError
#     unless: ["'mat1'", "'mat2'", "'tensor1'", "'tensor2'", "'batch1'", "'batch2'", "'vec'", "'other'", "'weight'"]
#     sample: "RuntimeError: Expected object of scalar type Long but got scalar type Int for argument #2 'target' in call to _thnn_nll_loss_forward"
#   - text: "expected target dtype to be Long or Byte, but got {got:dtype}"
#     exception: RuntimeError
#     sample: "RuntimeError: expected target dtype to be Long or Byte, but got Float"
#   - text: "nll_loss{_:ident}\" not implemented for 'Int'"
#     sample: "RuntimeError: \"nll_loss_forward_reduce_cuda_kernel_2d_index\" not implemented for 'Int'"
#   - text: "nll_loss{_:ident}\" not implemented for 'Float'"
#     sample: "RuntimeError: \"nll_loss_forward_reduce_cuda_kernel_2d_index\" not implemented for 'Float'"
#   - text: "nll_loss{_:ident}\" not implemented for 'Double'"
#     sample: "RuntimeError: \"nll_loss_forward_reduce_cuda_kernel_2d_index\" not implemented for 'Double'"
#   - text: "nll_loss{_:ident}\" not implemented for 'Short'"
#     sample: "RuntimeError: \"nll_loss_forward_reduce_cuda_kernel_2d_index\" not implemented for 'Short'"
#   - text: "Expected dtype int64 for index"
#   - text: "Expected dtype int32/int64 for index"
#     exception: RuntimeError
#   - text: "Expected dtype int32 or int64 for index"
#     exception: RuntimeError
#   - text: "Expected a long tensor for index"
#   - text: "tensors used as indices must be long"
#     exception: IndexError
#   - text: "one_hot is only applicable to index tensor"
#     exception: RuntimeError
#   - text: "Expected tensor for argument #{_:int} 'indices' to have one of the following scalar types: Long, Int; but got {got:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got torch.FloatTensor instead (while checking arguments for embedding)"
#   - text: "Expected tensor for argument #{_:int} 'indices' to have scalar type Long; but got {got:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected tensor for argument #1 'indices' to have scalar type Long; but got torch.IntTensor instead (while checking arguments for embedding)"
#   - text: "Expected object of type torch.LongTensor but found type torch.FloatTensor"
#     exception: RuntimeError
#   - text: "Expected object of type torch.LongTensor but found type torch.IntTensor"
#     exception: RuntimeError
#   - text: "Expected object of type torch.LongTensor but found type torch.DoubleTensor"
#     exception: RuntimeError
#   - text: "Expected object of type torch.cuda.LongTensor but found type torch.cuda.FloatTensor"
#     exception: RuntimeError
#   - text: "Expected object of type torch.cuda.LongTensor but found type torch.cuda.IntTensor"
#     exception: RuntimeError
#   - text: "Expected object of type torch.cuda.LongTensor but found type torch.cuda.DoubleTensor"
#     exception: RuntimeError
#   - text: "Expected object of type Variable[torch.LongTensor] but found type Variable[torch.FloatTensor]"
#     exception: RuntimeError
#   - text: "Expected object of type Variable[torch.LongTensor] but found type Variable[torch.IntTensor]"
#     exception: RuntimeError
#   - text: "Expected object of type Variable[torch.cuda.LongTensor] but found type Variable[torch.cuda.FloatTensor]"
#     exception: RuntimeError
#   - text: "expected Long tensor (got {got:ident} tensor)"
#     exception: RuntimeError
#     sample: "RuntimeError: expected Long tensor (got Float tensor)"
#   - text: "The only supported types are integers, slices, numpy scalars and torch.LongTensor"
#     exception: TypeError
# tags: [labels, cross-entropy, loss, embedding, classification]
# recover: fix
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html", "https://docs.pytorch.org/docs/stable/generated/torch.nn.Embedding.html"]
# causes:
#   labels:
#     if: >-
#       paste("nll_loss", "cross_entropy", "'target'", "target dtype") and not paste("'indices'",
#       "while checking arguments for embedding", "tensors used as indices")
#   words:
#     if: paste("'indices'", "while checking arguments for embedding", "F.embedding", "torch.embedding(")
#   indices:
#     if: paste("tensors used as indices", "for index", "one_hot is only", "The only supported types are integers")
#     likely: frames("torch.gather(", ".gather(1", ".gather(-1", ".gather(dim", ".scatter_(", "index_select(")
#   product:
#     likely: >-
#       frames("matmul(", " @ ", ".mm(", ".bmm(", "F.linear", "F.conv", "addmm", "linear.py",
#       "conv.py") and not paste("nll_loss", "cross_entropy")
#     sample: |
#       Traceback (most recent call last):
#         File "torch/nn/modules/linear.py", line 114, in forward
#           return F.linear(input, self.weight, self.bias)
#       RuntimeError: expected scalar type Long but found Float
# ---

# %%
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
x = torch.rand(6, 4)
labels = torch.from_numpy(np.array([0, 2, 1, 1, 0, 2], dtype=np.float32))  # a column of a table
loss_fn = nn.CrossEntropyLoss()

# %% break labels
loss = loss_fn(model(x), labels)

# %% check labels
# class numbers, but not as whole numbers
print(labels.dtype, labels.shape, labels.unique())
assert labels.dtype != torch.int64 and torch.equal(labels, labels.round())

# %% fix labels
# or where they are made: torch.tensor(label, dtype=torch.long)
labels = labels.long()
loss = loss_fn(model(x), labels)

# %% proof labels
assert labels.tolist() == [0, 2, 1, 1, 0, 2]
torch.testing.assert_close(loss, -model(x).log_softmax(1)[range(6), [0, 2, 1, 1, 0, 2]].mean())

# %%
scores = torch.rand(5)
x = scores
y = torch.tensor([1.0, 3.0])  # torch.tensor makes floats of 1.0, and torch.Tensor(...) of everything

# %% break indices
chosen = x[y]

# %% check indices
print(y.dtype)
assert y.dtype == torch.float32

# %% fix indices
y = y.long()
chosen = x[y]

# %% proof indices
assert torch.equal(chosen, torch.stack([scores[1], scores[3]]))

# %%
model = nn.Sequential(nn.Embedding(10, 4), nn.Flatten(), nn.Linear(12, 2))
x = torch.Tensor([[1, 2, 3], [4, 5, 6]])  # with a capital T: float32, whatever is in the list

# %% break words
model(x)

# %% check words
print(x.dtype)
assert x.dtype == torch.float32

# %% fix words
import torch

x = torch.tensor([[1, 2, 3], [4, 5, 6]])  # a small t keeps whole numbers
outputs = model(x)

# %% proof words
assert x.dtype == torch.int64
assert torch.equal(outputs, model[2](model[0].weight[1:7].view(2, 12)))
