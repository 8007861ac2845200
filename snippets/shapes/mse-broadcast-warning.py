# ---
# wordings:
#   - text: "Using a target size (torch.Size([{target:shape}])) that is different to the input size (torch.Size([{input:shape}])). This will likely lead"
#     exception: UserWarning
#     role: remark
#     sample: "UserWarning: Using a target size (torch.Size([64])) that is different to the input size (torch.Size([64, 1])). This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size."
#   - text: "This will likely lead to incorrect results due to broadcasting"
#     exception: UserWarning
#     role: remark
# tags: [shape, loss, broadcasting, warning, reinforcement-learning]
# picture: [sizes, left, target, input]
# recover: fix
# related: [shapes/bce-target-size, shapes/broadcast-mismatch]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.MSELoss.html", "https://docs.pytorch.org/docs/stable/notes/broadcasting.html"]
# cases: {column: {wrong: {ignored: "https://github.com/Photon-AI-Research/NeuralSolvers/issues/20"}}}
# causes:
#   column:
#     if: len(input) == len(target) + 1 and input[-1] == 1
#   column-target:
#     if: len(target) == len(input) + 1 and target[-1] == 1
#   several-outputs:
#     if: >-
#       len(input) == 2 and len(target) == 2 and input[1] != target[1] and input[0] == target[0] and
#       input[1] > 1
#     likely: >-
#       len(input) == 3 and len(target) == 3 and input[-1] != target[-1] and input[0] == target[0]
#       and input[1] == target[1]
#   no-batch:
#     if: len(input) == len(target) + 1 and input[0] == 1 and input[-1] != 1 or len(target) == len(input) + 1 and target[0] == 1 and target[-1] != 1
#     sample: "UserWarning: Using a target size (torch.Size([3, 64, 64])) that is different to the input size (torch.Size([1, 3, 64, 64])). This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size."
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
x = torch.rand(64, 3)
y = x @ torch.tensor([1.0, -2.0, 3.0])  # [64]: one number for each sample
model, loss_fn = nn.Linear(3, 1), nn.MSELoss()

# %% break column
loss = loss_fn(model(x), y)  # [64, 1] and [64]: 64 x 64 differences
assert not torch.isclose(loss, (model(x)[:, 0] - y).square().mean())

# %% check column
print(model(x).shape, y.shape)  # a column, and a row
assert model(x).shape == (64, 1) and y.shape == (64,)

# %% fix column
loss = loss_fn(model(x).squeeze(-1), y)  # [64] and [64]

# %% proof column
torch.testing.assert_close(loss, (model(x)[:, 0] - y).square().mean())
loss.backward()
assert model.weight.grad.any()

# %% wrong ignored
# The warning ignored, since the loss falls: the model learns to give nearly one number for all.
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
for _ in range(300):
    optimizer.zero_grad()
    loss = loss_fn(model(x), y)
    loss.backward()
    optimizer.step()
print(model(x).std() / y.std())
assert model(x).std() < 0.1 * y.std()

# %% use column
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = [(x[i : i + 9], 2 * y[i : i + 9] - 1) for i in range(0, 64, 9)]  # the last batch has one sample
for _ in range(2):
    for x, y in loader:
        # >>>
        loss = loss_fn(model(x), y)
        # <<<
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
assert x.shape == (1, 3) and loss.dim() == 0 and model.weight.grad.any()

# %%
y = y[:, None]
model = nn.Sequential(nn.Linear(3, 1), nn.Flatten(0))

# %% break column-target
loss = loss_fn(model(x), y)
assert not torch.isclose(loss, (model(x) - y[:, 0]).square().mean())

# %% check column-target
print(model(x).shape, y.shape)  # [64] and [64, 1]
assert y.shape == (64, 1)

# %% fix column-target
loss = loss_fn(model(x), y.squeeze(-1))

# %% proof column-target
torch.testing.assert_close(loss, (model(x) - y[:, 0]).square().mean())

# %%
model = nn.Linear(3, 4)  # as a Q network: one value for each of 4 actions
labels = torch.randint(4, (64, 1))  # the action that was taken

# %% break several-outputs
loss = loss_fn(model(x), y)

# %% check several-outputs
print(model(x).shape, y.shape)  # 4 values against 1
assert model(x).shape == (64, 4) and y.shape == (64, 1)

# %% fix several-outputs
chosen = model(x).gather(1, labels)  # the value of the action that was taken
loss = loss_fn(chosen, y)

# %% proof several-outputs
right = torch.stack([model(x)[i, labels[i, 0]] for i in range(64)])
torch.testing.assert_close(loss, (right - y[:, 0]).square().mean())

# %%
model = nn.Conv2d(3, 3, 1)
x, y = torch.rand(1, 3, 4, 4), torch.rand(3, 4, 4)  # a batch of one, and one image

# %% break no-batch
loss = loss_fn(model(x), y)

# %% check no-batch
print(model(x).shape, y.shape)  # [1, 3, 4, 4] and [3, 4, 4]
assert model(x).dim() == y.dim() + 1 and len(x) == 1

# %% fix no-batch
loss = loss_fn(model(x), y[None])  # both [1, 3, 4, 4]

# %% proof no-batch
torch.testing.assert_close(loss, (model(x)[0] - y).square().mean())
loss.backward()
assert model.weight.grad.any()
