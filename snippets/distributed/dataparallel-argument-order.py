# ---
# wordings:
#   - text: "chunk expects at least a 1-dimensional tensor"
#     exception: RuntimeError
#     unless: [".chunk("]
#     sample: |
#       File "/opt/conda/lib/python3.8/site-packages/torch/nn/parallel/comm.py", line 189, in scatter
#         return tuple(torch._C._scatter(tensor, devices, chunk_sizes, dim, streams))
#       RuntimeError: chunk expects at least a 1-dimensional tensor
# cases:
#   no-batch: {silent: true, wrong: {new-dimension: "https://github.com/huggingface/transformers/pull/36967"}}
#   length-one: {silent: true}
# tags: [multi-gpu, shape, loss]
# recover: fix
# needs: ["fault:two pieces on one device stand in for two GPUs"]
# rows: [S001-101]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html"]
# causes:
#   no-batch:
#   length-one:
#   no-dimension: {case: length-one, if: 'paste("chunk expects") and paste("scatter", "DataParallel", "data_parallel.py")', likely: 'paste("chunk expects")', sample: "torch/nn/parallel/scatter_gather.py RuntimeError: chunk expects at least a 1-dimensional tensor"}
#   other-layout:
# ---

# %%
from types import SimpleNamespace

import torch
from torch import nn
from torch.nn.parallel import scatter_gather

# PyTorch's own code divides the arguments; only the copy to a GPU is replaced, by the cut along dimension 0 that comes with it.
scatter_gather.Scatter = SimpleNamespace(apply=lambda gpus, sizes, dim, tensor: tensor.chunk(len(gpus), dim))


def divide(*inputs):
    """The arguments that each of two GPUs gets from nn.DataParallel."""
    return scatter_gather.scatter_kwargs(inputs, None, [0, 1])[0]


def copy_of(model):
    """What nn.DataParallel puts on each GPU: parameters, buffers and submodules as they are, everything else too."""
    replica = model._replicate_for_data_parallel()
    replica._parameters, replica._buffers = dict(model._parameters), dict(model._buffers)
    return replica


def data_parallel(model, *inputs):
    """nn.DataParallel(model, device_ids=[0, 1])(*inputs)"""
    return torch.cat([copy_of(model)(*part) for part in divide(*inputs)])


# %%
class Weighted(nn.Module):
    def forward(self, scores, class_weights):
        return scores * class_weights


scores = torch.tensor([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0]])  # a batch of 4, with 2 classes
class_weights = torch.tensor([1.0, 10.0])  # not a batch: one number for each class

# %% break no-batch
result = data_parallel(Weighted(), scores, class_weights)
# no error; the first GPU got the weight 1, the second one 10
assert result.tolist() == [[1, 1], [2, 2], [30, 30], [40, 40]]

# %% check no-batch
# must be all weights on each GPU
for gpu, (part, weights) in enumerate(divide(scores, class_weights)):
    print("GPU", gpu, "gets", list(part.shape), "and", weights.tolist())
assert len(weights) < len(class_weights)


# %% fix no-batch
from torch import nn


class Weighted(nn.Module):
    def __init__(self, class_weights):
        super().__init__()
        # buffers are copied to every GPU as a whole
        self.register_buffer("class_weights", class_weights)

    def forward(self, scores):
        return scores * self.class_weights


# %% proof no-batch
model = Weighted(class_weights)
assert dict(model.named_buffers()).keys() == {"class_weights"}  # only what is registered is copied to the other GPUs
assert data_parallel(model, scores).tolist() == [[1, 10], [2, 20], [3, 30], [4, 40]]

# %% wrong new-dimension
# A new dimension in front: now it is a batch of one, which goes to one GPU. The second one gets
# nothing, and its half of the batch is lost without an error.
result = data_parallel(Weighted(), scores, class_weights.unsqueeze(0))
print(len(result), "of", len(scores), "samples")
assert len(result) == 2

# %%
class Scaled(nn.Module):
    def forward(self, scores, temperature):
        return scores / temperature


model = Scaled()
temperature = torch.tensor([2.0])

# %% break length-one
result = data_parallel(model, scores, torch.tensor([2.0]))
assert len(scores) == 4 and len(result) == 2  # no error; half of the batch is gone

# %% check length-one
parts = divide(scores, torch.tensor([2.0]))
first = len(parts[0][0])
print(len(parts), "of 2 GPUs gets work, with", first, "of", len(scores), "samples")
assert len(parts) == 1

# %% fix length-one
def step(scores, temperature):
    return model(scores, float(temperature))  # a number: every GPU gets it


# %% proof length-one
plain, model = model, lambda *inputs: data_parallel(Scaled(), *inputs)
result = step(scores, temperature)
assert torch.equal(result, plain(scores, 2.0)) and len(result) == 4
