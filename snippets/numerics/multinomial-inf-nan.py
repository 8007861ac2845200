# ---
# wordings:
#   - text: "probability tensor contains either `inf`, `nan` or element < 0"
#     exception: RuntimeError
#     unless: ["Assertion `probability", _assert_async]
#   - text: "invalid multinomial distribution (encountering probability entry < 0)"
#     exception: RuntimeError
#   - text: "invalid multinomial distribution (sum of probabilities <= 0)"
#     exception: RuntimeError
# tags: [nan, inference, transformer, reinforcement-learning, dtype]
# recover: fix
# related: [numerics/loss-nan, devices/device-side-assert]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.multinomial.html"]
# cases: {half-overflow: {wrong: {greedy: "https://github.com/xxw1995/chatglm3-finetune/issues/19"}}}
# causes:
#   half-overflow:
#     likely: >-
#       frames("generation", "_sample", "transformers", "generate(")
#       or live("model", "parameters=float16")
#     undecided: the dtype of the model is not printed
#     sample: |
#       Traceback (most recent call last):
#         File "/venv/lib/python3.11/site-packages/transformers/generation/utils.py", line 3206, in _sample
#           next_tokens = torch.multinomial(probs, num_samples=1).squeeze(1)
#       RuntimeError: probability tensor contains either `inf`, `nan` or element < 0
#   temperature:
#     if: live("left", "divided by 0")
#     undecided: the temperature is not printed
#   masked-row:
#     if: paste("sum of probabilities <= 0")
#     likely: >-
#       live("left", "holds nan") and (live("left", "by masked_fill") or live("left", "via
#       masked_fill"))
#     undecided: newer releases print the same for all causes
#     sample: "RuntimeError: invalid multinomial distribution (sum of probabilities <= 0)"
#   raw-logits:
#     if: >-
#       paste("encountering probability entry < 0")
#       or live("left", "below 0") and not live("left", "holds nan")
#     undecided: newer releases print the same for all causes
#     sample: "RuntimeError: invalid multinomial distribution (encountering probability entry < 0)"
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 5))
nn.init.constant_(model[0].weight, 300.0)
nn.init.constant_(model[1].weight, 40.0)
with torch.no_grad():
    model[1].weight[2] += 1  # the most likely token
x = torch.ones(1, 4)
model.half()  # as torch_dtype=torch.float16 loads it

# %% break half-overflow
logits = model(x.half())
probs = logits.float().softmax(-1)
token = torch.multinomial(probs, 1)

# %% check half-overflow
logits = model(x.half())
print(logits)  # inf or nan already here: it is the model, not the sampling
assert not logits.isfinite().all()

# %% fix half-overflow
import torch

model.to(torch.bfloat16)  # or load with torch_dtype=torch.bfloat16
logits = model(x.to(torch.bfloat16))
probs = logits.float().softmax(-1)
token = torch.multinomial(probs, 1)

# %% proof half-overflow
assert logits.isfinite().all() and logits.dtype == torch.bfloat16 and logits.max() > 65504
assert torch.allclose(probs.sum(-1), torch.ones(1)) and probs.argmax() == 2
assert probs[0, token].item() > 0

# %% wrong greedy
# `do_sample=False`, greedy decoding: no error any more, but the maximum is taken of `inf` and `nan`,
# and the token says nothing.
logits = model(x.half())
token = logits.argmax(-1, keepdim=True)
print(logits, token)

# %% use half-overflow
tokens = []
for scale in (1.0, 0.9, 0.8):
    x = scale * torch.ones(2, 4)
    # >>>
    logits = model(x.half())
    probs = logits.float().softmax(-1)
    token = torch.multinomial(probs, 1)
    # <<<
    tokens.append(token)
tokens = torch.cat(tokens, 1)
assert tokens.shape == (2, 3) and tokens.max() < 5 and (probs.argmax(-1) == 2).all()

# %%
model = nn.Linear(4, 3)
nn.init.zeros_(model.weight)
with torch.no_grad():
    model.bias.copy_(torch.tensor([1.0, 3.0, -2.0]))
    model.weight[0, 0], model.weight[2, 2] = 4.0, 7.0
x = torch.eye(4).repeat(20, 1)

# %% break temperature
temperature = 0.0
probs = (model(x) / temperature).softmax(-1)
token = torch.multinomial(probs, 1)

# %% fix temperature
token = model(x).argmax(-1, keepdim=True)  # what temperature 0 means

# %% proof temperature
assert token.tolist() == 20 * [[0], [1], [2], [1]]

# %%
nn.init.zeros_(model.weight)
x = torch.ones(1, 4)
logits = model(x).detach()
allowed = torch.zeros(1, 3, dtype=torch.bool)  # a filter that leaves nothing

# %% break masked-row
probs = logits.masked_fill(~allowed, float("-inf")).softmax(-1)
token = torch.multinomial(probs, 1)

# %% check masked-row
print(allowed.any(-1))  # False: this row has nothing left to choose
assert not allowed.any(-1).item()

# %% fix masked-row
import torch


def sample(logits, allowed):
    allowed = allowed | ~allowed.any(-1, keepdim=True)  # nothing left: all of it
    probs = logits.masked_fill(~allowed, float("-inf")).softmax(-1)
    return torch.multinomial(probs, 1)


# %% proof masked-row
drawn = [sample(logits, allowed).item() for _ in range(2000)]
assert set(drawn) == {0, 1, 2} and abs(drawn.count(0) / 2000 - logits.softmax(-1)[0, 0].item()) < 0.05
two = torch.tensor([[True, False, False], [False, False, False]])
drawn = torch.stack([sample(logits.expand(2, 3), two)[:, 0] for _ in range(500)])
assert drawn[:, 0].unique().tolist() == [0] and len(drawn[:, 1].unique()) == 3

# %%
x = torch.ones(2000, 4)

# %% break raw-logits
token = torch.multinomial(model(x), 1)

# %% check raw-logits
print(model(x).min())  # below 0: these are scores, not probabilities
assert model(x).min() < 0

# %% fix raw-logits
import torch

token = torch.multinomial(model(x).softmax(-1), 1)

# %% proof raw-logits
assert token.shape == (2000, 1)
assert abs((token == 1).float().mean().item() - model(x[:1]).softmax(-1)[0, 1].item()) < 0.05
