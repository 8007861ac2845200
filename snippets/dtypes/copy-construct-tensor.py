# ---
# wordings:
#   - text: "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone()"
#     exception: UserWarning
#     role: remark
#     sample: "UserWarning: To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor)."
#   - text: "To copy construct from a tensor, it is recommended to use sourceTensor.clone().detach()"
#     exception: UserWarning
#     role: remark
#     sample: "UserWarning: To copy construct from a tensor, it is recommended to use sourceTensor.clone().detach() or sourceTensor.clone().detach().requires_grad_(True), rather than torch.tensor(sourceTensor)."
# tags: [warning, autograd, loss, dtype]
# recover: fix
# related: [autograd/no-grad-fn]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.tensor.html"]
# causes:
#   plain-data:
#     undecided: whether the tensor is data or a result that is trained on is not printed
#   part-of-the-loss:
#     likely: paste("does not require grad and does not have a grad_fn", "= torch.tensor(loss", "= torch.tensor(self.loss", "requires_grad=True)")
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(8, 4), torch.arange(8) % 3
model = nn.Linear(4, 3)
loss_fn = nn.CrossEntropyLoss()


class Pairs(torch.utils.data.Dataset):
    def __len__(self):
        return len(x)

    def __getitem__(self, index):
        return torch.tensor(x[index], dtype=torch.float64), torch.tensor(y[index])


dataset = Pairs()

# %% break plain-data
sample, label = dataset[0]  # torch.tensor(x[index]) of what is a tensor already

# %% check plain-data
print(type(x[0]), x[0].requires_grad)  # <class 'torch.Tensor'> False: data
assert isinstance(x[0], torch.Tensor) and not x[0].requires_grad

# %% fix plain-data
import torch


class Pairs(torch.utils.data.Dataset):
    def __len__(self):
        return len(x)

    def __getitem__(self, index):
        # tensor or array: both are taken, without a copy where none is needed
        sample = torch.as_tensor(x[index], dtype=torch.float64)
        return sample, torch.as_tensor(y[index])


# %% proof plain-data
dataset = Pairs()
sample, label = dataset[3]
assert sample.dtype == torch.float64 and torch.equal(sample, x[3].double()) and label == y[3]
assert len(dataset) == 8 and label.dtype == torch.int64
assert label.data_ptr() == y[3].data_ptr()  # no copy
x = x.numpy()
assert torch.equal(dataset[3][0], sample)  # an array as well

# %% break part-of-the-loss
losses = [loss_fn(model(x[i : i + 4]), y[i : i + 4]) for i in (0, 4)]
loss = torch.tensor(losses[0] + losses[1], requires_grad=True)
loss.backward()
assert model.weight.grad is None  # no error, and nothing is trained

# %% check part-of-the-loss
loss = loss_fn(model(x), y)
print(loss.grad_fn)  # <NllLossBackward0 ...>: trained on
assert loss.grad_fn is not None

# %% fix part-of-the-loss
losses = [loss_fn(model(x[i : i + 4]), y[i : i + 4]) for i in (0, 4)]
loss = losses[0] + losses[1]  # it is a tensor already
loss.backward()

# %% proof part-of-the-loss
expected = torch.autograd.grad(2 * loss_fn(model(x), y), model.weight)[0]
assert torch.allclose(model.weight.grad, expected, atol=1e-6) and expected.abs().sum() > 0
