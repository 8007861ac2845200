# ---
# tags: [batchnorm, inference]
# recover: fix
# related: [nn/bn-frozen-drift]
# docs: ["https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation", "https://docs.pytorch.org/docs/stable/optim.html#taking-care-of-batch-normalization-update-bn"]
# causes:
#   no-eval:
#   statistics-spoiled:
# cases:
#   statistics-spoiled:
#     survives: {"without: device= in update_bn(loader, model, device=device)": "matters only where the model is on a GPU, and the batches are not"}
# ---

# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Linear(16, 3))
dataset = TensorDataset(torch.randn(64, 8) + 3, torch.randint(3, (64,)))  # other data
loader = DataLoader(dataset, batch_size=16)
images = dataset.tensors[0][:16]

# %% break no-eval
before = model[1].running_mean.clone()
with torch.no_grad():  # no gradients, no optimizer
    for x, y in loader:
        model(x)
moved = (model[1].running_mean - before).abs().max().item()
print(f"running_mean moved by {moved:.2f}")
assert moved > 0.5 and model[1].num_batches_tracked == 4

# %% check no-eval
from torchclinic import checks

with torch.no_grad():  # as you validate
    print(checks.buffers_stay(model, images))
assert "1.running_mean" in str(checks.buffers_stay(model, images))

# %%
import copy

before = copy.deepcopy(model.state_dict())

# %% fix no-eval
import torch

model.eval()
with torch.no_grad():
    outputs = [model(x) for x, y in loader]
model.train()  # where the training goes on

# %% proof no-eval
from torchclinic import checks

torch.testing.assert_close(model.state_dict(), before, rtol=0, atol=0)  # nothing moved
assert model.training and not outputs[0].requires_grad
right = torch.cat([model.eval()(x[None]) for x in dataset.tensors[0]])  # one at a time
torch.testing.assert_close(torch.cat(outputs), right)
assert not checks.buffers_stay(model, images)

# %%
seen = torch.randn(256, 8)  # what the model was trained on
model(seen)
loader = DataLoader(TensorDataset(seen, torch.zeros(256)), batch_size=64)
right = (seen @ model[0].weight.T + model[0].bias).mean(dim=0)
with torch.no_grad():
    for _ in range(50):
        model(images)  # validations without eval()

# %% break statistics-spoiled
model.eval()  # too late: the statistics are those of the validation
off = (model[1].running_mean - right).abs().max().item()
print(f"running_mean is {off:.2f} from the mean of the training data")
assert off > 1

# %% check statistics-spoiled
import copy

from torch import nn
from torch.optim.swa_utils import update_bn

fresh, device = copy.deepcopy(model), next(model.parameters()).device
update_bn(loader, fresh, device=device)  # loader: the training data
for name, layer in fresh.named_modules():
    if isinstance(layer, nn.modules.batchnorm._BatchNorm):
        away = layer.running_mean - model.get_submodule(name).running_mean
        spread = (layer.running_var + layer.eps).sqrt()
        print(name, (away.abs() / spread).max())  # in standard deviations
assert (away.abs() / spread).max() > 1

# %% fix statistics-spoiled
from torch.optim.swa_utils import update_bn

device = next(model.parameters()).device
update_bn(loader, model, device=device)  # loader: the training data

# %% proof statistics-spoiled
values = seen @ model[0].weight.T + model[0].bias
torch.testing.assert_close(model[1].running_mean, values.mean(dim=0).detach())
variances = torch.stack([part.var(dim=0) for part in values.split(64)])
torch.testing.assert_close(model[1].running_var, variances.mean(dim=0).detach())
assert model[1].momentum == 0.1  # as before
