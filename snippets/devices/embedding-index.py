# ---
# wordings:
#   - text: "index out of range in self"
#     exception: IndexError
#   - text: "index out of range: Tried to access index {i:int} out of table with {n:int} rows"
#     exception: RuntimeError
#     sample: "RuntimeError: index out of range: Tried to access index 32730 out of table with 28995 rows. at /pytorch/aten/src/TH/generic/THTensorEvenMoreMath.cpp:237"
#   - text: "index out of range at"
#     exception: RuntimeError
#     near: [THTensorMath, THTensorEvenMoreMath]
#   - text: "Index {_:int} of input takes value {i:int} which is not in the valid range [{range:shape})"
#     exception: RuntimeError
#     sample: "RuntimeError: Index 0 of input takes value 5 which is not in the valid range [0, 3)"
#   - text: "RuntimeError: index out of range in self"
#   - text: "index out of range at"
#     near: [embedding, Embedding]
#     sample: "  File \"/opt/conda/lib/python3.6/site-packages/torch/nn/functional.py\", line 1484, in embedding\nRuntimeError: index out of range at /tmp/pip-req-build-58y_cjjl/aten/src/TH/generic/THTensorEvenMoreMath.cpp:193"
# outranks: [device-side-assert]
# tags: [embedding, out-of-range, padding, transformer]
# recover: fix
# related: [devices/device-side-assert, devices/label-out-of-range]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.Embedding.html"]
# cases:
#   padding-minus-one: {wrong: {padding-idx: "https://github.com/pytorch/pytorch/issues/14844"}}
# causes:
#   too-few-rows:
#     if: >-
#       live.input.min >= 0 and live.input.max > live.layer.num_embeddings and live.input.max !=
#       live.input.shape[-1] - 1
#     likely: frames("self.word_embeddings(", "self.embed_tokens(", "self.wte(", "inputs_embeds = self.embeddings(") or i > n
#     undecided: today's message names no index
#     sample: "RuntimeError: index out of range: Tried to access index 32730 out of table with 28995 rows. at /pytorch/aten/src/TH/generic/THTensorEvenMoreMath.cpp:237"
#   padding-minus-one:
#     if: >-
#       i < 0
#       or live.input.min < 0
#     sample: "RuntimeError: index out of range: Tried to access index -1 out of table with 28995 rows. at /pytorch/aten/src/TH/generic/THTensorEvenMoreMath.cpp:237"
#     undecided: today's message names no index
#   one-short:
#     case: too-few-rows
#     if: >-
#       i == n and not frames("self.position_embeddings(", "self.embed_positions(", "self.wpe(",
#       "position_embedding(")
#       or live.input.min >= 0 and live.input.max == live.layer.num_embeddings and live.input.max
#       != live.input.shape[-1] - 1
#     sample: "RuntimeError: index out of range: Tried to access index 28995 out of table with 28995 rows. at /pytorch/aten/src/TH/generic/THTensorEvenMoreMath.cpp:237"
#   too-long:
#     if: >-
#       frames("self.position_embeddings(", "self.embed_positions(", "self.wpe(",
#       "position_embedding(")
#       or live.input.min == 0 and live.input.max == live.input.shape[-1] - 1
#     likely: paste("Token indices sequence length is longer than the specified maximum sequence length")
#     undecided: the cell has other names than the frames of Transformers
#     sample: |
#       Token indices sequence length is longer than the specified maximum sequence length for this model (723 > 512).
#       IndexError: index out of range in self
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(100, 8), nn.Linear(8, 2))  # rows 0 to 99
x = torch.tensor([[5, 42, 100], [7, 103, 9]])  # the tokenizer has new tokens: 100 to 103

# %% break too-few-rows
outputs = model(x)

# %% check too-few-rows
# the largest must be smaller than the number of rows
print(x.min().item(), x.max().item(), model[0].num_embeddings)
assert x.max() >= model[0].num_embeddings

# %% fix too-few-rows
import torch
from torch import nn

old = model[0]
# as many rows as the vocabulary; before the optimizer is made
model[0] = nn.Embedding(104, old.embedding_dim)
with torch.no_grad():
    model[0].weight[: old.num_embeddings] = old.weight  # what is trained stays

# %% proof too-few-rows
outputs = model(x)
assert outputs.shape == (2, 3, 2) and model[0].weight.shape == (104, 8)
assert torch.equal(model[0](x)[0, :2], old(x[0, :2])) and model[0].weight.requires_grad
assert model[0].weight[100:].std() > 0.5  # new rows are random, not zero

# %% use too-few-rows
model = nn.Sequential(nn.Embedding(100, 8), nn.Flatten(), nn.Linear(24, 2))
kept = model[0].weight.detach().clone()
# >>>
model.train()
# <<<
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), torch.tensor([0, 1])).backward()
    optimizer.step()
changed = (model[0].weight[:100] != kept).any(1).nonzero().flatten().tolist()
assert changed == [5, 7, 9, 42] and model[0].weight.grad[[100, 103]].any()

# %%
x = torch.tensor([[5, 42, -1], [7, -1, -1]])  # -1 where a sentence has ended

# %% break padding-minus-one
outputs = model(x)

# %% check padding-minus-one
print(x.min().item())
assert x.min() < 0

# %% fix padding-minus-one
padding = x < 0
vectors = model[0](x.masked_fill(padding, 0)).masked_fill(padding[..., None], 0.0)

# %% proof padding-minus-one
assert torch.equal(vectors[0, :2], model[0].weight[[5, 42]]) and torch.equal(vectors[1, 0], model[0].weight[7])
assert vectors[padding].abs().sum() == 0

# %% wrong padding-idx
# `padding_idx=-1`: it names the last row, whose gradient stays zero. An input of -1 is still no row.
model[0] = nn.Embedding(100, 8, padding_idx=-1)
padding = x < 0
vectors = model[0](x)

# %%
model = nn.Embedding(512, 8)  # one row for each position
x = torch.arange(723)[None]  # a text of 723 tokens

# %% break too-long
outputs = model(x)

# %% check too-long
# in Transformers: model.config.max_position_embeddings
print(x.shape[1], model.num_embeddings)
assert x.shape[1] > model.num_embeddings

# %% fix too-long
# in Transformers: tokenizer(text, truncation=True, max_length=512)
x = x[:, : model.num_embeddings]
outputs = model(x)

# %% proof too-long
assert x.shape == (1, 512) and torch.equal(outputs[0], model.weight)
