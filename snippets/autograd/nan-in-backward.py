# ---
# wordings:
#   - text: "Function '{fn:line}' returned nan values in its {i:int}th output"
#     exception: RuntimeError
#     sample: "RuntimeError: Function 'LogBackward0' returned nan values in its 0th output."
#   - text: "returned nan values in its {_:int}th output"
#     exception: RuntimeError
#     sample: "SqrtBackward0 returned nan values in its 0th output."
#   - text: "Function '{fn:line}' returned nan values in its {i:int}st output"
#     exception: RuntimeError
#     sample: "RuntimeError: Function 'SqrtBackward0' returned nan values in its 1st output."
#   - text: "Function '{fn:line}' returned nan values in its {i:int}nd output"
#     exception: RuntimeError
#     sample: "RuntimeError: Function 'AddmmBackward0' returned nan values in its 2nd output."
#   - text: "Function '{fn:line}' returned nan values in its {i:int}rd output"
#     exception: RuntimeError
#     sample: "RuntimeError: Function 'WhereBackward0' returned nan values in its 3rd output."
#   - text: "Function '{fn:line}' returned nan values"
#     exception: RuntimeError
#     near: [Backward]
#     sample: "Function 'PowBackward0' returned nan values"
#   - text: "returned nan values in its"
#     exception: RuntimeError
# tags: [amp, anomaly-mode, autograd, backward, loss, nan, linear-algebra]
# recover: fix
# related: [autograd/modified-by-inplace]
# rows: [S000-22]
# cases:
#   zero-in-the-log: {wrong: {clip-gradients: "https://github.com/TFboys-lzz/MPSCL/issues/2"}}
#   root-of-zero: {wrong: {epsilon-outside: "https://github.com/richzhang/PerceptualSimilarity/issues/69"}}
# docs: ["https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection"]
# causes:
#   zero-in-the-log:
#     likely: >-
#       begins(fn, "LogBackward", "Log2Backward", "Log10Backward", "Log1PBackward", "LogitBackward", "XlogyBackward", "SpecialXlog", "SpecialEntr",
#       "SigmoidBackward") and not frames("torch.where(", "nan_to_num(")
#   where-after:
#     likely: >-
#       begins(fn, "MulBackward", "ExpBackward") and not frames("scaler.scale(", "scale_loss", "scaled_loss", ".sum() / ", "/ mask.sum(")
#       or begins(fn, "LogBackward", "Log2Backward", "SqrtBackward", "PowBackward0", "DivBackward", "RsqrtBackward", "AcosBackward")
#       and frames("torch.where(", "nan_to_num(")
#   root-of-zero:
#     likely: begins(fn, "SqrtBackward", "RsqrtBackward", "PowBackward0", "AcosBackward", "AsinBackward", "NormBackward") or begins(fn, "PowBackward1") and i == 0
#   nothing-to-average:
#     likely: begins(fn, "DivBackward", "ReciprocalBackward") or begins(fn, "MulBackward") and frames(".sum() / ", "/ mask.sum(")
#     sample: |
#       RuntimeError: Function 'DivBackward0' returned nan values in its 0th output.
#     undecided: the division gives inf, and the multiplication with the mask before it gives the nan and the name
#   fully-masked-row:
#     likely: >-
#       begins(fn, "SoftmaxBackward", "ScaledDotProduct")
#       and not frames("scaler.scale(", "scale_loss", "scaled_loss")
#   nan-in-the-input:
#     case: nan-came-in
#     likely: >-
#       (begins(fn, "MmBackward", "ConvolutionBackward", "CudnnConvolution", "MkldnnConvolution", "ThnnConv", "SlowConv") and i == 1
#       or begins(fn, "AddmmBackward") and i == 2) and not frames("scaler.scale(", "scale_loss", "scaled_loss")
#   nan-in-the-weight:
#     case: nan-came-in
#     likely: >-
#       (begins(fn, "MmBackward", "ConvolutionBackward", "CudnnConvolution", "MkldnnConvolution", "ThnnConv", "SlowConv") and i == 0
#       or begins(fn, "AddmmBackward") and i == 1) and not frames("scaler.scale(", "scale_loss", "scaled_loss")
#     sample: |
#       Traceback (most recent call last):
#         File "train.py", line 88, in <module>
#           loss.backward()
#       RuntimeError: Function 'AddmmBackward0' returned nan values in its 1th output.
#   nan-came-in:
#     likely: >-
#       begins(fn, "LogSoftmaxBackward", "NativeBatchNorm", "CudnnBatchNorm", "NativeLayerNorm", "NativeGroupNorm", "MseLoss", "SmoothL1Loss", "L1Loss",
#       "HuberLoss", "BinaryCrossEntropy", "KlDiv", "CudnnRnn", "MkldnnRnn", "TanhBackward", "MmBackward", "AddmmBackward", "BmmBackward", "BaddbmmBackward",
#       "ConvolutionBackward", "CudnnConvolution") and not frames("scaler.scale(", "scale_loss", "scaled_loss")
#     sample: |
#       RuntimeError: Function 'LogSoftmaxBackward0' returned nan values in its 0th output.
#   ctc-too-long:
#     likely: begins(fn, "CtcLoss", "CudnnCtcLoss")
#   equal-eigenvalues:
#     likely: >-
#       begins(fn, "LinalgEig", "LinalgSvd", "SvdBackward", "SvdHelper", "SymeigBackward",
#       "EigBackward")
#   singular-matrix:
#     likely: >-
#       begins(fn, "LinalgSolve", "SolveBackward", "LuSolve", "LinalgLuSolve", "LinalgInv", "InverseBackward", "LinalgCholesky", "Cholesky", "TriangularSolve",
#       "LinalgSlogdet", "SlogdetBackward", "LogdetBackward", "LinalgDet", "DetBackward", "LinalgPinv", "LinalgLstsq", "LinalgQr", "QrBackward")
#   negative-base:
#     if: begins(fn, "PowBackward1") and i == 1
#     likely: begins(fn, "PowBackward2")
#   std-of-one:
#     likely: begins(fn, "StdBackward", "VarBackward", "StdMeanBackward", "VarMeanBackward")
#   loss-scale:
#     likely: frames("scaler.scale(", "scale_loss", "scaled_loss")
# ---

# %%
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.autograd.set_detect_anomaly(True)  # before the forward pass: only then can it name the line
model = nn.Identity()
x = torch.tensor([0.0, 200.0], requires_grad=True)

# %% break zero-in-the-log
probabilities = model(x).softmax(-1)
entropy = -(probabilities * probabilities.log()).sum()  # 0 * log(0)
entropy.backward()

# %% check zero-in-the-log
probabilities = model(x).softmax(-1)
print(probabilities)  # an exact 0 stands where the log is taken
assert (probabilities == 0).any()

# %% fix zero-in-the-log
log_probabilities = model(x).log_softmax(-1)  # -200 instead of log(0)
entropy = -(log_probabilities.exp() * log_probabilities).sum()

# %% proof zero-in-the-log
entropy.backward()
assert entropy == 0 and torch.equal(x.grad, torch.zeros(2))
probabilities = x.detach().softmax(-1)
assert -(probabilities * (probabilities + 1e-6).log()).sum() < 0  # the usual + 1e-6 gives a negative entropy

# %% use zero-in-the-log
model, labels = nn.Linear(3, 4), torch.tensor([2, 0])
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
x = torch.tensor([[1.0, 2.0, -1.0], [900.0, -600.0, 300.0]])
for _ in range(3):
    # >>>
    probabilities = model(x).softmax(-1)
    entropy = -(probabilities * probabilities.log()).sum()
    # <<<
    loss = F.cross_entropy(model(x), labels) - 0.01 * entropy
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    assert 0 < entropy < 2.8  # of four classes, twice: at most 2 log 4
assert model.weight.isfinite().all()

# %% wrong clip-gradients
# `clip_grad_norm_`: one nan makes the norm nan, and with it every other gradient.
torch.autograd.set_detect_anomaly(False)
healthy = torch.ones(2, requires_grad=True)
probabilities = model(x).softmax(-1)
entropy = -(probabilities * probabilities.log()).sum()
(entropy + healthy.sum()).backward()
print(healthy.grad)  # 1, 1
nn.utils.clip_grad_norm_([x, healthy], max_norm=1.0)
print(healthy.grad)  # nan, nan
assert healthy.grad.isnan().all()

# %%
x = torch.tensor([0.0, 4.0], requires_grad=True)

# %% break where-after
safe = torch.where(x > 0, x * x.log(), 0.0)  # right values, wrong gradient
safe.sum().backward()

# %% check where-after
result = x * x.log()
# [nan, 5.5] before, [0, 5.5] after: it was computed all the same
print(result, torch.where(x > 0, result, 0.0))
assert result.isnan().any()

# %% fix where-after
import torch

harmless = torch.where(x > 0, x, 1.0)  # first something that the function can take
safe = torch.where(x > 0, x * harmless.log(), 0.0)  # then drop its result

# %% proof where-after
safe.sum().backward()
assert torch.allclose(safe, torch.tensor([0.0, 4 * torch.tensor(4.0).log()]))
assert torch.allclose(x.grad, torch.tensor([0.0, 1 + torch.tensor(4.0).log()]))

# %%
x, y = torch.ones(3, requires_grad=True), torch.ones(3)  # the same point twice

# %% break root-of-zero
distance = ((x - y) ** 2).sum().sqrt()
distance.backward()

# %% check root-of-zero
squared = torch.zeros(1, requires_grad=True)
squared.sqrt().backward()
print(squared.grad)  # inf: a root's slope at 0. Times 0, one step further back: nan
assert squared.grad.isinf().all()

# %% fix root-of-zero
import torch


def distance(x, y):
    return torch.linalg.vector_norm(x - y)  # its gradient at 0 is 0


distance(x, y).backward()

# %% proof root-of-zero
assert distance(x, y) == 0 and torch.equal(x.grad, torch.zeros(3))
far = distance(x, 2 * y)
far.backward()
assert torch.allclose(far, torch.tensor(3.0).sqrt())
assert torch.allclose(x.grad, torch.full((3,), -(3**-0.5)))

# %% wrong epsilon-outside
# The small number behind the root, as in `x / (norm + eps)`: the slope of the root at 0 is as
# infinite as before.
distance = ((x - y) ** 2).sum().sqrt() + 1e-10
distance.backward()

# %%
losses, nothing = torch.arange(4.0, requires_grad=True), torch.zeros(4)  # a batch in which nothing counts

# %% break nothing-to-average
loss = (losses * nothing).sum() / nothing.sum()
loss.backward()

# %% check nothing-to-average
loss = (losses * nothing).sum() / nothing.sum()
print(nothing.sum(), loss)  # 0 and nan: the loss itself is nan already
assert nothing.sum() == 0 and loss.isnan()


# %% fix nothing-to-average
def masked_mean(losses, mask):
    return (losses * mask).sum() / mask.sum().clamp(min=1)


# %% proof nothing-to-average
for mask, expected in ((nothing, 0.0), (torch.tensor([1.0, 1.0, 0.0, 0.0]), 0.5), (torch.ones(4), 1.5)):
    losses.grad = None
    loss = masked_mean(losses, mask)
    loss.backward()
    assert loss == expected and torch.equal(losses.grad, mask / mask.sum().clamp(min=1))

# %%
scores = torch.zeros(2, 3, requires_grad=True)
padding = torch.tensor([[False, False, True], [True, True, True]])  # the second sequence is nothing but padding

# %% break fully-masked-row
weights = scores.masked_fill(padding, float("-inf")).softmax(-1)
weights.sum().backward()

# %% check fully-masked-row
print(padding.all(-1))  # a True: this row has nothing left to attend to
assert padding.all(-1).any()


# %% fix fully-masked-row
def attention_weights(scores, padding):
    empty = padding.all(-1, keepdim=True)
    # an empty row keeps finite scores, and is set to 0 afterwards
    scores = scores.masked_fill(padding & ~empty, float("-inf"))
    return scores.softmax(-1).masked_fill(empty, 0.0)


# %% proof fully-masked-row
weights = attention_weights(scores, padding)
(weights**2).sum().backward()
assert torch.equal(weights, torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.0, 0.0]]))
assert scores.grad.isfinite().all()
assert torch.equal(attention_weights(scores, padding & False), scores.softmax(-1))

# %%
images, model = torch.ones(2, 3, 4, 4), nn.Sequential(nn.Flatten(), nn.Linear(48, 1))
images[1, 2, 0, 0] = float("nan")  # a broken file, a division by a standard deviation of 0

# %% break nan-came-in
model(images).sum().backward()

# %% check nan-came-in
# []: not the weights
print([name for name, p in model.named_parameters() if not p.isfinite().all()])
print(images.isfinite().flatten(1).all(1))  # [True, False]: the second sample
assert not images.isfinite().all()

# %% fix nan-came-in
# at the end of the data pipeline: find the sample, then its file
good = images.isfinite().flatten(1).all(1)
scores = model(images[good])

# %% proof nan-came-in
scores.sum().backward()
assert good.tolist() == [True, False]
assert torch.equal(model[1].weight.grad, torch.ones(1, 48))

# %%
scores = torch.randn(3, 2, 4, requires_grad=True)  # (time, batch, classes): 3 time steps
targets, lengths = torch.tensor([[1, 2, 3], [1, 1, 2]]), torch.tensor([3, 3])  # "aab" needs 4: a blank between the a's

# %% break ctc-too-long
loss_fn = nn.CTCLoss()
loss_fn(scores.log_softmax(-1), targets, lengths, lengths).backward()

# %% check ctc-too-long
repeats = (targets[:, 1:] == targets[:, :-1]).sum(1)
print(lengths + repeats, len(scores))  # 4 > 3: the second target does not fit
assert (lengths + repeats > len(scores)).tolist() == [False, True]

# %% fix ctc-too-long
from torch import nn

loss_fn = nn.CTCLoss(zero_infinity=True)  # such a sample counts as 0

# %% proof ctc-too-long
loss = loss_fn(scores.log_softmax(-1), targets, lengths, lengths)
loss.backward()
path = scores[torch.arange(3), 0].log_softmax(-1)[torch.arange(3), [1, 2, 3]].sum()  # the only way to say "abc" in 3 steps
assert torch.allclose(loss, -path / 3 / 2)
assert torch.equal(scores.grad[:, 1], torch.zeros(3, 4)) and scores.grad[:, 0].abs().max() > 0.01

# %%
x = torch.eye(3, requires_grad=True)  # a covariance whose eigenvalues are equal

# %% break equal-eigenvalues
values, vectors = torch.linalg.eigh(x)
root = (vectors * values.sqrt()) @ vectors.T
root.sum().backward()

# %% check equal-eigenvalues
print(torch.linalg.eigvalsh(x).diff())  # the gaps: the gradient divides by them
assert (torch.linalg.eigvalsh(x).diff() == 0).any()

# %% fix equal-eigenvalues
import torch

spread = torch.diag(torch.linspace(0, 1e-3, len(x)))  # moves equal values apart
values, vectors = torch.linalg.eigh(x + spread)

# %% proof equal-eigenvalues
root = (vectors * values.sqrt()) @ vectors.T
root.sum().backward()
assert torch.allclose(root, torch.eye(3), atol=1e-3)
assert torch.allclose(x.grad, torch.full((3, 3), 0.5), atol=1e-2)  # the gradient of a matrix's root at the identity
x.grad = None
torch.linalg.eigvalsh(x).sum().backward()  # the eigenvalues alone need no spread
assert torch.allclose(x.grad, torch.eye(3))

# %%
x = torch.randn(1, 4, requires_grad=True)  # a batch of one

# %% break std-of-one
spread = x.std(0)
spread.sum().backward()

# %% check std-of-one
print(len(x), x.std(0))  # 1 and nan: divided by 1 - 1
assert len(x) == 1 and x.std(0).isnan().all()

# %% fix std-of-one
spread = x.std(0, correction=0)  # divides by the number of values, not by one less

# %% proof std-of-one
spread.sum().backward()
assert torch.equal(spread, torch.zeros(4)) and torch.equal(x.grad, torch.zeros(1, 4))

# %%
x = torch.tensor([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]], requires_grad=True)  # a Jacobian: nothing depends on the second unknown
y = torch.tensor([2.0, 4.0, 6.0])

# %% break singular-matrix
matrix = x.T @ x  # [[14, 0], [0, 0]]
solution = torch.linalg.solve_ex(matrix, x.T @ y).result  # checks nothing
solution.sum().backward()

# %% check singular-matrix
matrix = x.T @ x
print(torch.linalg.matrix_rank(matrix), "of", len(matrix))  # 1 of 2: one is missing
assert torch.linalg.matrix_rank(matrix) < len(matrix)

# %% fix singular-matrix
import torch

matrix = x.T @ x + 1e-3 * torch.eye(x.shape[1])  # a little on the diagonal
solution = torch.linalg.solve(matrix, x.T @ y)

# %% proof singular-matrix
solution.sum().backward()
assert torch.allclose(solution, torch.tensor([2.0, 0.0]), atol=1e-3)  # the shortest of all solutions
one = x.detach()[:, 0]
expected = y / one.dot(one) - 2 * one * one.dot(y) / one.dot(one) ** 2  # of the first unknown alone, by hand
assert torch.allclose(x.grad[:, 0], expected, atol=1e-3) and x.grad.isfinite().all()

# %%
x = torch.tensor([[-1.0, 2.0], [3.0, -2.0]], requires_grad=True)  # features that may be negative

# %% break negative-base
p = nn.Parameter(torch.tensor(3.0))
pooled = x.pow(p).mean().pow(1 / p)  # pooling with a power that is learned
pooled.backward()

# %% check negative-base
print((x < 0).sum())  # 2: (-1) ** 3 is -1, but its slope in the exponent is log(-1)
assert (x < 0).any() and x.pow(3.0).isfinite().all() and x.log().isnan().any()

# %% fix negative-base
import torch
from torch import nn

p = nn.Parameter(torch.tensor(3.0))
pooled = x.clamp(min=1e-6).pow(p).mean().pow(1 / p)  # only numbers above 0

# %% proof negative-base
pooled.backward()
assert abs(pooled.item() - ((2**3 + 3**3) / 4) ** (1 / 3)) < 1e-4
above, below = (((2**q + 3**q) / 4) ** (1 / q) for q in (3.001, 2.999))
assert abs(p.grad.item() - (above - below) / 0.002) < 1e-2  # the slope, by differences
assert x.grad.isfinite().all() and x.grad[0, 0] == 0 and x.grad[1, 0] > 0.1

# %%
model = nn.Linear(2, 1, bias=False)
nn.init.constant_(model.weight, 0.5)
x = torch.tensor([[1.0, 0.0]])
optimizer, scaler = torch.optim.SGD(model.parameters(), lr=0.1), torch.amp.GradScaler(model.weight.device.type)

# %% break loss-scale
with torch.autocast(x.device.type, dtype=torch.float16):
    loss = model(x).float().sum()
scaler.scale(loss).backward()  # 65536 is inf in half precision: inf * 0 is nan

# %% check loss-scale
with torch.autocast(x.device.type, dtype=torch.float16):
    loss = model(x).float().sum()
loss.backward()  # the same step without the scaler
print(loss, model.weight.grad)  # finite, both: nothing but the scale was too large
assert loss.isfinite() and model.weight.grad.isfinite().all()

# %% fix loss-scale
import torch

# the scaler is made to meet nan: it skips the step and lowers the scale
torch.autograd.set_detect_anomaly(False)

# %% proof loss-scale
assert not torch.is_anomaly_enabled()
(gradient,) = torch.autograd.grad(model(x).sum(), model.weight)
assert gradient.isfinite().all()  # the model is sound: only the scale was too high
scales = []
for _ in range(3):
    optimizer.zero_grad()
    with torch.autocast(x.device.type, dtype=torch.float16):
        loss = model(x).float().sum()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    scales.append(scaler.get_scale())
assert scales == [32768, 32768, 32768]  # one step skipped
assert torch.allclose(model.weight, torch.tensor([[0.3, 0.5]]), atol=1e-3)
