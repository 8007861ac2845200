# ---
# wordings:
#   - text: "loss: nan"
#     near: &log [learning_rate, grad_norm, gnorm, "lr:", "lr=", "'lr'", "eta:", data_time, it/s, s/it, "memory:", max mem, GPU, cuda, loss_scale, scaler, mmengine, mmdet, mmcv, "Epoch:", "Epoch [", "Epoch=", epoch, Iter, iter, "[INFO]", ppl, 训练]
#     sample: "epoch 3  step 120  lr: 0.001  loss: nan"
#   - text: "loss=nan"
#     near: *log
#   - text: "Loss is nan, stopping training"
#   - text: "Loss is inf, stopping training"
#   - text: "NaN or Inf found in input tensor"
#   - text: "received a nan loss, setting loss value to 0"
#   - text: "non-finite loss, ending training"
#   - text: "Loss became infinite or NaN at iteration"
#     exception: FloatingPointError
#   - text: "loss become infinite or NaN"
#     exception: AssertionError
#   - text: "found NaN in local grad norm in backward pass"
#     exception: AssertionError
#   - text: "The loss returned in `training_step` is nan"
#     exception: ValueError
#   - text: "found NaN in local grad norm for bucket"
#     sample: "RuntimeError: Rank 5, node n1, device 5, iteration 120: Unexpected result nan (message='found NaN in local grad norm for bucket #0 in backward pass before data-parallel communication collective')"
#   - text: "found NaN in local forward loss calculation"
#   - text: "Training failed: NaN persisted for"
#     exception: RuntimeError
#     sample: "RuntimeError: Training failed: NaN persisted for 4 epochs"
#   - text: "NaN/Inf detected (attempt"
#     sample: "WARNING ⚠️ Loss NaN/Inf detected (attempt 1/3), recovering from last.pt..."
#   - text: "Loss NaN/Inf detected but can not recover from last.pt"
#   - text: "constraint Real(), but found invalid values"
#     exception: ValueError
#     sample: "ValueError: Expected parameter loc (Tensor of shape (1, 2)) of distribution Normal(loc: torch.Size([1, 2]), scale: torch.Size([1, 2])) to satisfy the constraint Real(), but found invalid values:"
#   - text: "constraint IndependentConstraint(Real(), 1), but found invalid values"
#     exception: ValueError
#     sample: "ValueError: Expected parameter logits (Tensor of shape (1, 4)) of distribution Categorical(logits: torch.Size([1, 4])) to satisfy the constraint IndependentConstraint(Real(), 1), but found invalid values:"
#   - text: "The parameter loc has invalid values"
#     exception: ValueError
#   - text: "The parameter logits has invalid values"
#     exception: ValueError
#   - text: "A tensor with all NaNs was produced in Unet"
#     exception: NansException
#   - text: "A tensor with all NaNs was produced in VAE"
#     exception: NansException
#   - text: "Non-finite norm encountered in torch.nn.utils.clip_grad_norm_"
#     exception: FutureWarning
#     role: remark
#   - text: "for gradients from `parameters` is non-finite, so it cannot be clipped"
#     exception: RuntimeError
#   - text: "Minimum loss scale reached"
#     exception: FloatingPointError
#   - text: "Current loss scale already at minimum - cannot decrease scale anymore"
#   - text: "Attempted loss scale: {_:num}, reducing to 0"
#     sample: "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 1, reducing to 0"
#   - text: "Attempted loss scale: 1, reducing to 1"
#   - text: "Attempted loss scale: 1.0, reducing to 1"
#   - text: "Skipping step, loss scaler {_:int} reducing loss scale to 0."
#     sample: "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 0.0"
#   - text: "reducing loss scale to 6.103515625e-05"
#   - text: "reducing loss scale to 3.0517578125e-05"
#   - text: "reducing loss scale to 1.52587890625e-05"
#   - text: "reducing loss scale to 7.62939453125e-06"
#   - text: "reducing loss scale to 5e-324"
#   - text: "grad_norm: nan"
#     near: [grad_norm]
#   - text: "grad_norm=nan"
#     near: [grad_norm]
#   - text: "grad_norm': nan"
#     near: [grad_norm]
#   - text: "grad_norm': 'nan'"
#     near: [grad_norm]
#   - text: "\"grad_norm\": NaN"
#     near: [grad_norm]
#   - text: "grad norm: nan"
#     near: [grad norm]
#   - text: "gnorm': 'nan'"
#     near: [gnorm]
#   - text: "\"gnorm\": \"nan\""
#     near: [gnorm]
#   - text: "loss': nan"
#     near: *log
#   - text: "loss': 'nan'"
#     near: *log
#   - text: "\"loss\": \"nan\""
#     near: *log
#   - text: "\"loss\": NaN"
#     near: *log
#   - text: "_loss: nan"
#     near: *log
#   - text: "train_loss=nan"
#     near: *log
#   - text: "step_loss=nan"
#     near: *log
#   - text: "loss = nan"
#     near: *log
#   - text: "Loss: nan"
#     near: *log
#   - text: "Loss:nan"
#     near: *log
#   - text: "loss:nan"
#     near: *log
#   - text: "Loss nan ("
#     near: *log
#   - text: "loss nan ("
#     near: *log
#   - text: "loss nan | nll_loss"
#     near: *log
#   - text: "Loss=nan"
#     near: *log
#   - text: "Loss = nan"
#     near: *log
#   - text: "loss: tensor(nan"
#     near: *log
#   - text: "loss tensor(nan, device='cuda"
#   - text: "tensor(nan, device='cuda:{_:int}', grad_fn=<{_:ident}>)"
#     near: [loss, Loss]
#     sample: "tensor(nan, device='cuda:0', grad_fn=<NllLossBackward0>)"
#   - text: "tensor(nan, grad_fn=<{_:ident}>)"
#     near: [loss, Loss]
#     sample: "tensor(nan, grad_fn=<MeanBackward0>)"
#   - text: "nan nan nan"
#     near: [gpu_mem, GPU_mem, box_loss]
# tags: [amp, loss, nan, reinforcement-learning, comfyui]
# recover: fix
# related: [autograd/nan-in-backward, numerics/fp16-batchnorm, numerics/output-nan]
# timeout: 120
# rows: [S001-39, S001-122, S003-21]
# docs: ["https://docs.pytorch.org/docs/stable/amp.html"]
# cases:
#   half-overflow: {silent: true}
#   half-weights: {silent: true}
#   learning-rate: {silent: true}
#   log-of-zero:
#     wrong:
#       clipped: "https://github.com/mravanelli/pytorch-kaldi/issues/154"
#       epsilon: "https://github.com/rwightman/efficientdet-pytorch/issues/291"
#     silent: true
#   nothing-to-average: {silent: true}
#   black-images:
#     silent: true
#     commands:
#       comfyui: "python main.py --fp32-vae"
#       linux: "./webui.sh --no-half-vae"
#       powershell: '.\webui.bat --no-half-vae'
# causes:
#   learning-rate:
#     likely: >-
#       paste("e+08", "e+09", "e+10", "e+11", "e+12", "e+13", "e+14", "e+15", "e+16", "e+17", "e+18", "e+19", "e+20", "e+22", "e+25", "e+28", "e+30", "e+32",
#       "e+34", "e+35", "e+36", "e+37", "e+38")
#     sample: |
#       epoch 1 iter 40 loss: 8.1e+09
#       epoch 1 iter 41 loss: 3.3e+19
#       epoch 1 iter 42 loss: nan
#   half-overflow:
#     likely: >-
#       paste("reducing loss scale to", "Attempted loss scale", "loss scale already at minimum", "Minimum loss scale reached", "Gradient overflow",
#       "gradient overflow detected", "fp16=True", "--fp16", "fp16: true", "'fp16': True", "16-mixed", "precision=16", "mixed_precision=fp16",
#       "mixed_precision fp16", "mixed_precision: fp16", "AMP: checks passed",
#       "Using 16bit")
#     sample: |
#       Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 4096.0
#       epoch 1 step 200 lr: 0.0001 loss: nan
#   half-weights:
#     likely: paste("model.half()", "net.half()")
#     sample: |
#       model = model.half().cuda()
#       epoch 0 iter 1 loss: nan lr: 0.001
#   log-of-zero:
#   nothing-to-average:
#   never-initialised:
#     undecided: that a value was found invalid says nothing about how it became so
#   black-images:
#     if: paste("A tensor with all NaNs was produced in")
#     sample: |
#       modules.devices.NansException: A tensor with all NaNs was produced in VAE. This could be because there's not enough precision to represent the picture.
#   gradients-only:
#     if: >-
#       paste("grad_norm: nan", "grad_norm=nan", "grad norm: nan") and not paste("loss: nan", "Loss: nan", "loss=nan", "loss nan", "loss:nan", "Loss is nan",
#       "loss': nan", "loss': 'nan'", "loss scale", "OVERFLOW", "verflow", "loss: 0.0")
#     likely: >-
#       paste("grad_norm': nan", "grad_norm': 'nan'", '"grad_norm": NaN') and not paste("loss': nan", "loss': 'nan'", '"loss": NaN', "loss': 0.0", "loss': '0'",
#       '"loss": 0.0', "loss scale", "verflow")
#     sample: |
#       mmengine - INFO - Epoch(train) [1][240/735]  lr: 1.9813e-04  eta: 2:44:49  time: 2.8874  memory: 10762  loss: 2.5128  grad_norm: nan
# ---

# %%
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
device = torch.zeros(()).device
torch.set_autocast_dtype("cpu", torch.float16)  # the default on CUDA


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(64, 3)

    def forward(self, x):
        scores = x @ x.transpose(-2, -1)
        return self.head((scores.softmax(-1) @ x).mean(1) / 100)


model, loss_fn = Attention(), nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
images, labels = 40 * torch.randn(4, 8, 64).sign(), torch.arange(4) % 3  # activations of a deep layer, 40 large

# %% break half-overflow
scaler = torch.amp.GradScaler(device.type)
scales = []
for _ in range(3):
    optimizer.zero_grad()
    with torch.autocast(device.type):
        loss = loss_fn(model(images), labels)  # scores of 102400; the end is 65504
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    scales.append(scaler.get_scale())

# every step is skipped, the scale falls and falls
assert loss.isnan() and scales == [32768, 16384, 8192]

# %% check half-overflow
losses = {}
for dtype in (torch.float16, torch.bfloat16):  # the same batch
    with torch.autocast(device.type, dtype=dtype):
        losses[dtype] = loss_fn(model(images), labels).item()
losses[torch.float32] = loss_fn(model(images), labels).item()
print(losses)
assert losses[torch.float16] != losses[torch.float16]
assert abs(losses[torch.bfloat16] - losses[torch.float32]) < 0.05

# %%
optimizer.zero_grad()

# %% fix half-overflow
import torch

with torch.autocast(device.type, dtype=torch.bfloat16):
    scores = model(images)
    loss = loss_fn(scores, labels)
loss.backward()  # bfloat16 needs no GradScaler
optimizer.step()

# %% proof half-overflow
assert scores.dtype == torch.bfloat16
torch.manual_seed(0)
whole = Attention()
exact = loss_fn(whole(images), labels)
exact.backward()
assert torch.allclose(loss, exact, rtol=0.01)
assert torch.allclose(model.head.weight, whole.head.weight - 0.1 * whole.head.weight.grad, atol=2e-3)
assert whole.head.weight.grad.abs().max() > 0.03  # more than the tolerance: the step was made
for _ in range(60):  # and it goes on learning
    optimizer.zero_grad()
    with torch.autocast(device.type, dtype=torch.bfloat16):
        loss = loss_fn(model(images), labels)
    loss.backward()
    optimizer.step()
assert loss < 0.8 * exact

# %%
torch.manual_seed(0)
model, loss_fn = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).half(), nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x, y = torch.randn(32, 8), torch.rand(32, 1)
with torch.no_grad():
    model[0].bias[0] = -100  # one unit that is never on, as most networks have

# %% break half-weights
loss = loss_fn(model(x.half()), y.half())
loss.backward()
optimizer.step()  # Adam divides by sqrt(0) + 1e-8, and in half precision 1e-8 is 0

assert loss.isfinite() and model[0].weight.isnan().any()

# %% check half-weights
print({p.dtype for p in model.parameters()})  # the weights are in half precision
print(torch.tensor(1e-8).half())  # Adam's eps
assert next(model.parameters()).dtype == torch.float16
assert torch.tensor(1e-8).half() == 0

# %% fix half-weights
import torch

model.float()  # the weights stay in float32; autocast computes in half precision
with torch.autocast(device.type, dtype=torch.bfloat16):
    scores = model(x)
    loss = loss_fn(scores, y)
loss.backward()
optimizer.step()

# %% proof half-weights
assert scores.dtype == torch.bfloat16 and {parameter.dtype for parameter in model.parameters()} == {torch.float32}
first = loss.item()
for _ in range(100):
    optimizer.zero_grad()
    with torch.autocast(device.type, dtype=torch.bfloat16):
        loss = loss_fn(model(x), y)
    loss.backward()
    optimizer.step()
    if _ == 0:
        assert all(parameter.isfinite().all() for parameter in model.parameters())
assert loss < 0.9 * first
steps = {state["step"].item() for state in optimizer.state.values()}
assert steps == {101}  # the step of the fix counts

# %%
model = nn.Linear(1, 1, bias=False)
nn.init.zeros_(model.weight)
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
x = torch.tensor([[1.0], [2.0], [3.0], [4.0]])
y = 2 * x


def train(steps):
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# %% break learning-rate
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
losses = train(60)

assert losses[-1] != losses[-1]  # nan

# %% check learning-rate
losses = []
for _ in range(5):
    optimizer.zero_grad()
    loss = loss_fn(model(x), y)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses)  # it grows from step to step, long before it is nan
assert losses == sorted(losses) and losses[-1] > 1000 * losses[0]

# %% fix learning-rate
import torch

optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

# %% proof learning-rate
losses = train(60)
assert losses == sorted(losses, reverse=True) and losses[-1] < 1e-6
assert torch.allclose(model.weight, torch.tensor([[2.0]]))

# %% use learning-rate
model = nn.Linear(5, 1)
x = 2 * torch.randn(64, 5)
y = x.sum(1, keepdim=True) - 1
# >>>
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
# <<<
losses = []
for _ in range(60):
    loss = loss_fn(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
assert losses[-1] < 0.01 * losses[0]

# %%
model = nn.Identity()
x = torch.tensor([[0.0, 200.0], [1.0, 3.0], [150.0, 0.0]])  # the scores of three samples
labels = torch.tensor([1, 0, 1])

# %% break log-of-zero
target = F.one_hot(labels, 2)
# 0 * log(0): the answer is right, the loss is nan
loss = -(target * model(x).softmax(-1).log()).sum(-1).mean()

assert loss.isnan()

# %% check log-of-zero
probabilities = model(x).softmax(-1)
print(probabilities, probabilities.log())  # an exact 0, and -inf
assert (probabilities == 0).any()

# %% fix log-of-zero
import torch.nn.functional as F

loss = F.cross_entropy(model(x), labels)  # takes the scores, without softmax

# %% proof log-of-zero
# the third answer is wrong: large, but finite
assert torch.allclose(loss, (150 - torch.tensor([1.0, 3.0]).softmax(0)[0].log()) / 3)

# %% wrong clipped
# `clip_grad_norm_` before the step: the loss is `nan`, so the norm is `nan`, and every gradient is
# multiplied by it.
x.requires_grad_()
target = F.one_hot(labels, 2)
loss = -(target * model(x).softmax(-1).log()).sum(-1).mean()
loss.backward()
print(nn.utils.clip_grad_norm_([x], 0.1))

# %% wrong epsilon
# `1e-8` added before the log: in half precision `1e-8` is 0, and the loss stays `nan`.
target = F.one_hot(labels, 2)
probabilities = model(x.half()).softmax(-1)
loss = -(target * (probabilities + 1e-8).log()).sum(-1).mean().float()
print(loss)

# %%
model = nn.Linear(4, 5)
x, labels = torch.randn(3, 4), torch.full((3,), -100)  # a batch in which every label is ignored

# %% break nothing-to-average
loss = F.cross_entropy(model(x), labels)  # sum of nothing / 0

assert loss.isnan()

# %% check nothing-to-average
print((labels != -100).sum())  # 0: nothing in this batch counts
assert (labels != -100).sum() == 0

# %% fix nothing-to-average
import torch.nn.functional as F


def mean_loss(scores, labels):
    counted = (labels != -100).sum()
    return F.cross_entropy(scores, labels, reduction="sum") / counted.clamp(min=1)


loss = mean_loss(model(x), labels)

# %% proof nothing-to-average
assert loss == 0
loss.backward()
assert model.weight.grad.isfinite().all()
for some in (torch.tensor([1, 2, -100]), torch.tensor([1, 0, 3])):
    assert torch.allclose(mean_loss(model(x), some), F.cross_entropy(model(x), some))

# %%
torch.use_deterministic_algorithms(True, warn_only=True)  # fills uninitialised memory with nan: what is luck otherwise is certain here

# %% break never-initialised
from torch.distributions import Normal


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(2, 4))

    def forward(self, x):
        return x @ self.weight.T


action = Normal(Policy()(x), 1.0).sample()

# %% check never-initialised
policy = nn.ParameterDict({"weight": nn.Parameter(torch.empty(2, 4))})
# before the first step
print([name for name, p in policy.named_parameters() if not p.isfinite().all()])
assert not policy["weight"].isfinite().all()

# %% fix never-initialised
import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(2, 4))
        nn.init.xavier_uniform_(self.weight)  # torch.empty leaves what was there

    def forward(self, x):
        return x @ self.weight.T


# %% proof never-initialised
from torch.distributions import Normal

policy = Policy()
assert 0 < policy.weight.abs().max() <= 1 and len(policy.weight.unique()) == 8
assert list(dict(policy.named_parameters())) == ["weight"]
assert torch.allclose(policy(x), F.linear(x, policy.weight))
assert Normal(policy(x), 1.0).sample().shape == (3, 2)

# %%
torch.use_deterministic_algorithms(False)
torch.manual_seed(0)
decoder = nn.Sequential(nn.Conv2d(4, 8, 3), nn.GroupNorm(2, 8), nn.ReLU(), nn.Conv2d(8, 3, 3))  # stands for a VAE
with torch.no_grad():
    decoder[0].weight.fill_(200.0)
latents = torch.full((1, 4, 16, 16), 10.0) + torch.rand(1, 4, 16, 16)

# %% break black-images
picture = decoder.half()(latents.half())
assert picture.isnan().all()  # shown as black

# %% check black-images
print(decoder[0](latents).max().item())  # above 65504: too much for float16
assert decoder[0](latents).max() > 65504
assert decoder.half()[0](latents.half()).isinf().any()

# %% proof black-images
picture = decoder(latents)  # the same weights in float32
assert picture.isfinite().all() and picture.std() > 0
assert torch.allclose(picture.double(), decoder.double()(latents.double()), atol=1e-3)
