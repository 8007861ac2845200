# ---
# wordings:
#   - text: "cudnn RNN backward can only be called in training mode"
#     exception: RuntimeError
#   - text: "RNN backward can only be called in training mode"
#     exception: RuntimeError
#   - text: "backward_input can only be called in training mode"
#     exception: RuntimeError
# tags: [batchnorm, loss]
# recover: fix
# related: [nn/bn-frozen-drift]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.train"]
# cases:
#   after-validation: {silent: true}
#   came-in-eval: {silent: true}
# causes:
#   after-validation:
#   before-the-loop: {case: after-validation}
#   came-in-eval:
#   gradient-of-input:
#     likely: paste("captum", "grad-cam", "grad_cam", "saliency", "IntegratedGradients", "attack", "adversar")
#     sample: |
#       File "attack.py", line 343, in run
#         loss.backward()
#       RuntimeError: cudnn RNN backward can only be called in training mode
# ---

# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
dataset = TensorDataset(torch.randn(64, 8), torch.randint(3, (64,)))
loader, loss_fn = DataLoader(dataset, batch_size=16), nn.CrossEntropyLoss()
model = nn.Sequential(
    nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Dropout(0.5), nn.Linear(16, 3)
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def validate():
    model.eval()  # and nobody calls model.train() afterwards
    with torch.no_grad():
        return sum(loss_fn(model(x), y).item() for x, y in loader) / len(loader)


# %% break after-validation
for epoch in range(3):
    print(f"epoch {epoch}: model.training is {model.training}")
    for x, y in loader:
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        optimizer.step()
    validate()
print(model[1].num_batches_tracked.item(), "of 12 batches counted by BatchNorm")
assert model[1].num_batches_tracked == 4  # those of the first epoch

# %% check after-validation
from torchclinic import checks

validate()  # at the end of an epoch
print(checks.train_mode(model))  # at the first step of the next one
assert "in evaluation mode" in str(checks.train_mode(model))

# %%
import copy

from torchclinic import checks

twin, dropped = copy.deepcopy(model), []
model.register_forward_hook(lambda *_: dropped.append(checks.train_mode(model)))
torch.manual_seed(1)

# %% fix after-validation
import torch

for epoch in range(3):
    model.train()  # in each epoch: the validation below switches it off
    for x, y in loader:
        optimizer.zero_grad()
        loss_fn(model(x), y).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        scores = [model(x) for x, y in loader]

# %% proof after-validation
assert [not found for found in dropped] == 3 * (4 * [True] + 4 * [False])  # 4 batches trained on, then 4 to validate
assert model[1].num_batches_tracked == 12
torch.manual_seed(1)
steps = torch.optim.SGD(twin.parameters(), lr=0.1)  # the same by hand, without any validation
for epoch in range(3):
    for x, y in loader:
        twin.zero_grad()
        loss_fn(twin(x), y).backward()
        steps.step()
    iter(loader)  # draws a random number, as the one of the validation does
torch.testing.assert_close(model.state_dict(), twin.state_dict())
assert not scores[0].requires_grad
torch.testing.assert_close(torch.cat(scores), twin.eval()(dataset.tensors[0]).detach())

# %%
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Dropout(0.5), nn.Linear(16, 3))
torch.save(model.eval(), "model.pt")
model = torch.load("model.pt", weights_only=False)  # a whole model: its mode, too

# %% break came-in-eval
print(model.training)
for x, y in loader:
    loss_fn(model(x), y).backward()
print(model[1].num_batches_tracked.item(), "batches counted by BatchNorm")
assert model[1].num_batches_tracked == 0

# %% check came-in-eval
from torchclinic import checks

print(checks.train_mode(model))  # just before the loop
assert "in evaluation mode" in str(checks.train_mode(model))

# %% fix came-in-eval
model.train()

# %% proof came-in-eval
from torchclinic import checks

assert not checks.train_mode(model)
for x, y in loader:
    loss_fn(model(x), y).backward()
assert model[1].num_batches_tracked == 4
assert not torch.equal(model(x), model(x))  # dropout drops
