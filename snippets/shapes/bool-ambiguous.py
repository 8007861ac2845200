# ---
# wordings:
#   - text: "value of Tensor with more than one value is ambiguous"
#     exception: RuntimeError
#   - text: "value of Tensor with no values is ambiguous"
#     exception: RuntimeError
#   - text: "bool value of Variable objects containing non-empty"
#     exception: RuntimeError
#   - text: "bool value of non-empty torch.{_:ident} objects is ambiguous"
#     exception: RuntimeError
#     sample: "RuntimeError: bool value of non-empty torch.ByteTensor objects is ambiguous"
# tags: [loss, shape]
# recover: fix
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.all.html", "https://docs.pytorch.org/docs/stable/generated/torch.where.html"]
# cases: {in-list: {wrong: {any-equal: "https://github.com/nearai/torchfold/issues/8"}}}
# causes:
#   condition:
#     likely: frames("if ", "elif ", "while ", "assert ", " and ", " or ")
#   class-not-instance:
#     if: frames("legacy_get_string", "_reduction.py")
#     likely: frames("nn.CrossEntropyLoss(", "nn.MSELoss(", "nn.BCELoss(", "nn.BCEWithLogitsLoss(", "nn.L1Loss(", "nn.NLLLoss(") or paste("Loss(pred", "Loss(out", "Loss(log", "Loss(y")
#   in-list:
#     if: live("right", "list", "holds Tensor")
#     likely: frames(" not in ", ".index(", ".remove(")
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
x = torch.rand(4, 3)
y = torch.tensor([0, 2, 1, 0])
model = nn.Linear(3, 3)

# %% break condition
if x > 0.5:
    x = x * 2

# %% check condition
print((x > 0.5).shape)  # 12 answers, not one
assert (x > 0.5).numel() > 1

# %% fix condition
if (x > 0.5).any():  # is one of them? .all(): are all of them?
    x = x * 2

# %% proof condition
assert x.max() > 1
small = torch.rand(4, 3) / 4
assert not (small > 0.5).any() and (x > 0.5).any() and not (x > 0.5).all()

# %% use condition
seen = []
for x in (torch.tensor([0.9, 0.1]), torch.tensor([0.2, 0.3, 0.1]), torch.tensor([0.7])):
    # >>>
    if x > 0.5:
        x = x * 2
    # <<<
    seen.append(x.max().item())
assert [round(value, 2) for value in seen] == [1.8, 0.3, 1.4]

# %% break class-not-instance
loss = nn.CrossEntropyLoss(model(x), y)

# %% check class-not-instance
print(type(nn.CrossEntropyLoss))  # a class: it wants settings, not predictions
assert isinstance(nn.CrossEntropyLoss, type)

# %% fix class-not-instance
from torch import nn

loss_fn = nn.CrossEntropyLoss()  # once, before the loop
loss = loss_fn(model(x), y)

# %% proof class-not-instance
torch.testing.assert_close(loss, -model(x).log_softmax(1)[range(4), y].mean())
loss.backward()
assert model.weight.grad.any()

# %%
dataset = [torch.zeros(3), torch.ones(3)]
x = torch.ones(3)

# %% break in-list
found = x not in dataset

# %% check in-list
print(x == dataset[0])  # `in` compares with ==, which gives a tensor
assert (x == dataset[0]).shape == (3,)

# %% fix in-list
import torch


def holds(tensors, x):
    return any(torch.equal(x, other) for other in tensors)


found = holds(dataset, x)

# %% proof in-list
assert found is True
assert not holds(dataset, x + 1) and not holds(dataset, torch.tensor([1.0, 0.0, 0.0]))
assert not holds(dataset, torch.ones(2)) and holds([torch.rand(2), -x], -torch.ones(3))

# %% wrong any-equal
# `any(x == other …)`: each comparison is still a tensor of many answers, and the error stays.
found = any(x == other for other in dataset)
