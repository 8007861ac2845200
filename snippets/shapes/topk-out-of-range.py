# ---
# wordings:
#   - text: "selected index k out of range"
#     exception: RuntimeError
#   - text: "k not in range for dimension"
#     exception: RuntimeError
#     sample: "RuntimeError: invalid argument 5: k not in range for dimension at /pytorch/aten/src/THC/generic/THCTensorTopK.cu:23"
#   - text: "selected number k out of range for dimension {dim:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: kthvalue(): selected number k out of range for dimension 1"
# tags: [out-of-range, classification, detection, shape]
# recover: fix
# related: [shapes/dim-out-of-range, shapes/empty-reduction]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.topk.html", "https://docs.pytorch.org/docs/stable/generated/torch.kthvalue.html"]
# causes:
#   few:
#     if: len(live.left.shape) == 1
#     sample: |
#       RuntimeError: selected index k out of range
#       What the program knew:
#         scores  left  float32 [3]; cpu
#     undecided: how many values there are is not printed
#   classes:
#     if: frames("in accuracy", "topk=(1, 5)", "topk=(1,5)", "(maxk")
#     sample: |
#       Traceback (most recent call last):
#         File "/home/a/train.py", line 251, in train
#           prec1, prec5 = accuracy(output.data, target, topk=(1, 5))
#         File "/home/a/utils.py", line 213, in accuracy
#           _, pred = output.topk(maxk, 1, True, True)
#       RuntimeError: selected index k out of range
#   wrong-dim:
#     likely: frames("dim=0", ", 0)", ", 0, ", "axis=0") and live.left.shape[1] > live.left.shape[0]
#     sample: |
#       Traceback (most recent call last):
#         File "/home/a/words.py", line 10, in <module>
#           best = scores.topk(10, dim=0)
#       RuntimeError: selected index k out of range
#       What the program knew:
#         scores  left  float32 [6, 500]; cpu
#     undecided: the shape is not printed
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)  # 3 classes
x, labels = torch.rand(8, 4), torch.randint(3, (8,))

# %% break few
best = model(x).topk(5).indices

# %% check few
print(model(x).shape)  # [8, 3]: there are 3 to choose from, not 5
assert model(x).shape[-1] < 5

# %% fix few
scores = model(x)
k = min(5, scores.shape[-1])  # the dimension that topk looks along
best = scores.topk(k).indices

# %% proof few
assert best.shape == (8, 3) and torch.equal(best[:, 0], model(x).argmax(1))

# %%
x = torch.rand(100, 2)  # a score for each of 100 boxes and 2 classes

# %% break wrong-dim
values, boxes = x.topk(10)

# %% check wrong-dim
print(x.shape)  # [100, 2]: topk looks along the last dimension
assert x.shape[0] >= 10 > x.shape[-1]

# %% fix wrong-dim
values, boxes = x.topk(10, dim=0)

# %% proof wrong-dim
assert values.shape == (10, 2) and torch.equal(values, x.sort(0, descending=True).values[:10])
assert torch.equal(x.gather(0, boxes), values)

# %%
def accuracy(output, target, topk=(1,)):  # as it stands in many training scripts
    _, pred = output.topk(max(topk), 1, True, True)
    hits = pred.eq(target.view(-1, 1))
    return [hits[:, :k].any(1).float().mean() * 100 for k in topk]


model, x = torch.nn.Linear(4, 3), torch.rand(8, 4)
labels = torch.tensor([0, 1, 2, 0, 1, 2, 0, 1])

# %% break classes
acc1, acc5 = accuracy(model(x), labels, topk=(1, 5))

# %% check classes
print(model(x).shape)  # [8, 3]: three classes have no top 5
assert model(x).shape[1] < 5

# %% fix classes
# in place of acc1, acc5 = accuracy(…, topk=(1, 5))
acc1 = (model(x).argmax(dim=1) == labels).float().mean() * 100

# %% proof classes
assert torch.equal(acc1, accuracy(model(x), labels)[0])
labels = model(x).argmax(1)
assert accuracy(model(x), labels) == [100]
