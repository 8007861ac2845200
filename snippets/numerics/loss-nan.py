# ---
# wordings:
#   - text: "loss: nan"
#     near: &log [learning_rate, grad_norm, gnorm, "lr:", "lr=", "'lr'", "eta:", data_time, it/s, s/it, "memory:", max mem, GPU, cuda, loss_scale, scaler, mmengine, mmdet, mmcv, "Epoch:", "Epoch [", "Epoch=", epoch, Iter, iter, "[INFO]", ppl, 训练]
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
# tags: [amp, loss, nan]
# related: [autograd/nan-in-backward, numerics/fp16-batchnorm]
# rows: [S001-39, S001-122, S003-21]
# docs: ["https://docs.pytorch.org/docs/stable/amp.html"]
# cases:
#   half-overflow: {silent: true}
#   learning-rate: {silent: true}
#   log-of-zero: {silent: true}
#   nothing-to-average: {silent: true}
# ---

# %%
import torch
import torch.nn.functional as F

# %% break half-overflow
query = torch.full((4, 64), 40.0).half()
scores = query @ query.T  # 64 * 40 * 40 = 102400; half precision ends at 65504
loss = scores.softmax(-1).square().sum()

assert scores.isinf().all() and loss.isnan()  # inf - inf in the softmax is nan

# %% check half-overflow
query = torch.full((4, 64), 40.0).half()
for dtype in (torch.float16, torch.float32):  # the same numbers, once in each precision
    print(dtype, (query.to(dtype) @ query.to(dtype).T).max().item())
assert not (query @ query.T).isfinite().all()
assert (query.float() @ query.float().T).isfinite().all()

# %% fix half-overflow
query = torch.full((4, 64), 40.0).bfloat16()  # as small as half precision, with the range of float32
scores = query @ query.T
loss = scores.softmax(-1).square().sum()

assert torch.equal(scores.float(), torch.full((4, 4), 102400.0)) and loss == 1

# %% break learning-rate
x = torch.tensor([1.0, 2.0, 3.0, 4.0])
weight = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=1.0)
for _ in range(60):
    loss = ((weight * x - 2 * x) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

assert loss.isnan()

# %% check learning-rate
x = torch.tensor([1.0, 2.0, 3.0, 4.0])
weight = torch.zeros(1, requires_grad=True)
optimizer, losses = torch.optim.SGD([weight], lr=1.0), []
for _ in range(5):
    loss = ((weight * x - 2 * x) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses)  # it grows from step to step, long before it is nan
assert losses == sorted(losses) and losses[-1] > 1000 * losses[0]

# %% fix learning-rate
x = torch.tensor([1.0, 2.0, 3.0, 4.0])
weight = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.05)
for _ in range(60):
    loss = ((weight * x - 2 * x) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

assert torch.allclose(weight, torch.tensor([2.0])) and loss < 1e-6

# %% break log-of-zero
logits, label = torch.tensor([[0.0, 200.0]]), torch.tensor([1])
target = F.one_hot(label, 2)
loss = -(target * logits.softmax(-1).log()).sum()  # 0 * log(0): the answer is right, the loss is nan

assert loss.isnan()

# %% check log-of-zero
probabilities = torch.tensor([[0.0, 200.0]]).softmax(-1)
print(probabilities, probabilities.log())  # an exact 0, and -inf
assert (probabilities == 0).any()

# %% fix log-of-zero
logits, label = torch.tensor([[0.0, 200.0]]), torch.tensor([1])
loss = F.cross_entropy(logits, label)  # takes the logits, without softmax

assert loss == 0
assert F.cross_entropy(logits, 1 - label) == 200  # the wrong answer: large, but finite

# %% break nothing-to-average
logits, labels = torch.zeros(3, 5), torch.full((3,), -100)  # a batch in which every label is ignored
loss = F.cross_entropy(logits, labels)  # sum of nothing / 0

assert loss.isnan()

# %% check nothing-to-average
labels = torch.full((3,), -100)
print((labels != -100).sum())  # 0: nothing in this batch counts
assert (labels != -100).sum() == 0

# %% fix nothing-to-average
logits, ignored = torch.zeros(3, 5), torch.full((3,), -100)
for labels in (ignored, torch.tensor([1, 2, -100])):
    counted = (labels != -100).sum()
    loss = F.cross_entropy(logits, labels, reduction="sum") / counted.clamp(min=1)
    expected = F.cross_entropy(logits, labels) if counted else torch.tensor(0.0)

    assert torch.allclose(loss, expected)
