# ---
# wordings:
#   - text: "Function '{fn:line}' returned nan values in its {i:int}th output"
#     exception: RuntimeError
#     sample: "RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output."
#   - text: "returned nan values in its {_:int}th output"
#     exception: RuntimeError
#     sample: "SqrtBackward0 returned nan values in its 0th output."
# tags: [amp, anomaly-mode, autograd, backward, loss, nan]
# related: [autograd/modified-by-inplace]
# rows: [S000-22]
# docs: ["https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection"]
# ---

# %%
import torch
from torch import nn

torch.autograd.set_detect_anomaly(True)  # before the forward pass: only then can it name the line

# %% break zero-in-the-log
logits = torch.tensor([0.0, 200.0], requires_grad=True)
probabilities = logits.softmax(-1)
entropy = -(probabilities * probabilities.log()).sum()  # 0 * log(0)
entropy.backward()

# %% check zero-in-the-log
probabilities = torch.tensor([0.0, 200.0]).softmax(-1)
print(probabilities)  # an exact 0 stands where the log is taken
assert (probabilities == 0).any()

# %% fix zero-in-the-log
logits = torch.tensor([0.0, 200.0], requires_grad=True)
log_probabilities = logits.log_softmax(-1)  # -200 instead of log(0)
entropy = -(log_probabilities.exp() * log_probabilities).sum()
entropy.backward()

assert entropy == 0 and torch.equal(logits.grad, torch.zeros(2))
probabilities = logits.detach().softmax(-1)
assert -(probabilities * (probabilities + 1e-6).log()).sum() < 0  # the usual + 1e-6 gives a negative entropy

# %% break where-after
distance = torch.tensor([0.0, 4.0], requires_grad=True)
safe = torch.where(distance > 0, distance * distance.log(), 0.0)  # the values are right, the gradient is not
safe.sum().backward()

# %% check where-after
distance = torch.tensor([0.0, 4.0])
result = distance * distance.log()
print(result, torch.where(distance > 0, result, 0.0))  # [nan, 5.5] before, [0, 5.5] after: it was computed all the same
assert result.isnan().any()

# %% fix where-after
distance = torch.tensor([0.0, 4.0], requires_grad=True)
harmless = torch.where(distance > 0, distance, 1.0)  # first give the function something it can take
safe = torch.where(distance > 0, distance * harmless.log(), 0.0)  # then drop its result
safe.sum().backward()

assert torch.allclose(distance.grad, torch.tensor([0.0, 1.0]) * (1 + distance.detach().clamp(min=1).log()))

# %% break root-of-zero
a = torch.ones(3, requires_grad=True)
b = torch.ones(3)  # the same point twice
distance = ((a - b) ** 2).sum().sqrt()
distance.backward()

# %% check root-of-zero
squared = torch.zeros(1, requires_grad=True)
squared.sqrt().backward()
print(squared.grad)  # inf: the slope of a root at 0. Times 0 in the next step back, it is nan
assert squared.grad.isinf().all()

# %% fix root-of-zero
a = torch.ones(3, requires_grad=True)
b = torch.ones(3)
distance = torch.linalg.vector_norm(a - b)  # knows this case: its gradient at 0 is 0
distance.backward()

assert distance == 0 and torch.equal(a.grad, torch.zeros(3))
far = torch.linalg.vector_norm(a - 2 * b)
far.backward()
assert torch.allclose(a.grad, torch.full((3,), -(3**-0.5)))

# %% break nothing-to-average
losses = torch.ones(4, requires_grad=True)
mask = torch.zeros(4)  # a batch in which nothing counts
((losses * mask).sum() / mask.sum()).backward()

# %% check nothing-to-average
losses, mask = torch.ones(4), torch.zeros(4)
loss = (losses * mask).sum() / mask.sum()
print(mask.sum(), loss)  # 0 and nan: the loss itself is nan already
assert mask.sum() == 0 and loss.isnan()

# %% fix nothing-to-average
for mask in (torch.zeros(4), torch.tensor([1.0, 1.0, 0.0, 0.0])):
    losses = torch.ones(4, requires_grad=True)
    ((losses * mask).sum() / mask.sum().clamp(min=1)).backward()
    assert torch.equal(losses.grad, mask / 2)  # 0 for the empty batch, the mean for the other

# %% break fully-masked-row
scores = torch.zeros(2, 3, requires_grad=True)
padding = torch.tensor([[False, False, True], [True, True, True]])  # the second sequence is nothing but padding
weights = scores.masked_fill(padding, float("-inf")).softmax(-1)
weights.sum().backward()

# %% check fully-masked-row
padding = torch.tensor([[False, False, True], [True, True, True]])
print(padding.all(-1))  # a True: this row has nothing left to attend to
assert padding.all(-1).any()

# %% fix fully-masked-row
scores = torch.zeros(2, 3, requires_grad=True)
padding = torch.tensor([[False, False, True], [True, True, True]])
empty = padding.all(-1, keepdim=True)
weights = scores.masked_fill(padding & ~empty, float("-inf")).softmax(-1)  # an empty row keeps finite scores
weights = weights.masked_fill(empty, 0.0)  # and is set to 0 afterwards
(weights**2).sum().backward()

assert torch.equal(weights, torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.0, 0.0]]))
assert scores.grad.isfinite().all()

# %% break nan-came-in
images = torch.ones(2, 3)
images[1, 2] = float("nan")  # a broken file, a division by a standard deviation of 0
nn.Linear(3, 1)(images).sum().backward()

# %% check nan-came-in
images = torch.ones(2, 3)
images[1, 2] = float("nan")
model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
print([name for name, parameter in model.named_parameters() if not parameter.isfinite().all()])  # []: not the weights
print(images.isfinite().flatten(1).all(1))  # [True, False]: the second sample
assert not images.isfinite().all()

# %% fix nan-came-in
images = torch.ones(2, 3)
images[1, 2] = float("nan")
good = images.isfinite().flatten(1).all(1)  # at the end of the data pipeline: find the sample, then its file
layer = nn.Linear(3, 1)
layer(images[good]).sum().backward()

assert good.tolist() == [True, False]
assert torch.equal(layer.weight.grad, torch.ones(1, 3))

# %% break loss-scale
weight = torch.full((2,), 0.5, requires_grad=True)
scaler = torch.amp.GradScaler(weight.device.type)  # begins with a scale of 65536
loss = (weight.half() * torch.tensor([1.0, 0.0]).half()).sum().float()
scaler.scale(loss).backward()  # 65536 is too large for half precision: inf, and inf * 0 is nan

# %% check loss-scale
weight = torch.full((2,), 0.5, requires_grad=True)
loss = (weight.half() * torch.tensor([1.0, 0.0]).half()).sum().float()
loss.backward()  # the same step without the scaler
print(loss, weight.grad)  # finite, both: nothing but the scale was too large
assert loss.isfinite() and weight.grad.isfinite().all()

# %% fix loss-scale
torch.autograd.set_detect_anomaly(False)  # the scaler is made to meet nan: it skips the step and lowers the scale
weight = torch.full((2,), 0.5, requires_grad=True)
optimizer, scaler = torch.optim.SGD([weight], lr=0.1), torch.amp.GradScaler(weight.device.type)
scales = []
for _ in range(3):
    optimizer.zero_grad()
    loss = (weight.half() * torch.tensor([1.0, 0.0]).half()).sum().float()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    scales.append(scaler.get_scale())

assert scales == [32768, 32768, 32768]  # one step skipped
assert torch.allclose(weight, torch.tensor([0.3, 0.5]), atol=1e-3)
