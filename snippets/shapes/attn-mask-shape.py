# ---
# wordings:
#   - text: "D attn_mask is torch.Size([{mask:shape}]), but should be ({want:shape})."
#     exception: RuntimeError
#     sample: "RuntimeError: The shape of the 2D attn_mask is torch.Size([4, 5]), but should be (5, 5)."
#   - text: "The size of the 2D attn_mask is not correct"
#     exception: RuntimeError
#   - text: "The size of the 3D attn_mask is not correct"
#     exception: RuntimeError
#   - text: "expected `attn_mask` to be `None`, 2-D or 3-D but found {_:ident}-D"
#     exception: AssertionError
#     sample: "AssertionError: For batched (3-D) `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found 4-D tensor instead"
#   - text: "Expected key_padded_mask.shape[{dim:int}] to be {need:int}, but got {given:int}"
#     exception: AssertionError
#     sample: "AssertionError: Expected key_padded_mask.shape[0] to be 4, but got 5"
#   - text: "Expected key_padding_mask.shape[{dim:int}] to be {need:int}, but got {given:int}"
#     exception: AssertionError
#     sample: "AssertionError: Expected key_padding_mask.shape[0] to be 4, but got 5"
#   - text: "expecting key_padding_mask shape of ({want:shape}), but got torch.Size([{mask:shape}])"
#     exception: AssertionError
#     sample: "AssertionError: expecting key_padding_mask shape of (5, 4), but got torch.Size([4, 5])"
#   - text: "expected `key_padding_mask` to be `None` or 2-D but found"
#     exception: AssertionError
#   - text: "nly bool and floating types of attn_mask are supported"
#     exception: AssertionError
#   - text: "nly bool and floating types of key_padding_mask are supported"
#     exception: AssertionError
#   - text: "Expected attn_mask dtype to be bool or"
#     exception: RuntimeError
# tags: [transformer, shape, padding]
# recover: fix
# related: [shapes/broadcast-mismatch]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html", "https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html"]
# cases: {per-head: {wrong: {repeat: "https://github.com/line/lighthouse/pull/77"}}}
# causes:
#   open-clip:
#     likely: len(mask) == 2 and mask[0] == 77 and mask[1] == 77
#     sample: "RuntimeError: The shape of the 2D attn_mask is torch.Size([77, 77]), but should be (4, 4)."
#   padding-as-attention:
#     likely: len(mask) == 2 and read(want) and mask[0] != want[0] and mask[1] == want[1]
#   other-length:
#     likely: len(mask) == 2 and read(want) and mask[0] == mask[1] and want[0] == want[1] or dim == 1 and read(need)
#   per-head:
#     if: len(mask) == 3 and len(want) == 3 and mask[1] == want[1] and mask[2] == want[2] or paste("expected `attn_mask` to be `None`, 2-D or 3-D")
#   batch-first:
#     likely: dim == 0 and read(need) or paste("expecting key_padding_mask") and mask[0] == want[1] and mask[1] == want[0]
#   mask-type:
#     if: paste("only bool and floating types of", "Only bool and floating types of", "Expected attn_mask dtype to be bool")
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.MultiheadAttention(8, 2, batch_first=True).eval()
x = torch.rand(4, 5, 8)  # 4 sentences, 5 words
lengths = torch.tensor([5, 3, 4, 2])
y = torch.arange(5) >= lengths[:, None]  # [4, 5]: True where there is only padding
rows = [x[i : i + 1, :n] for i, n in enumerate(lengths)]
alone = [model(row, row, row)[0] for row in rows]

# %% break padding-as-attention
outputs, weights = model(x, x, x, attn_mask=y)

# %% check padding-as-attention
print(y.shape)  # [batch, words]: a mask of padding
assert y.shape == x.shape[:2]

# %% fix padding-as-attention
outputs, weights = model(x, x, x, key_padding_mask=y)  # True: leave this word out

# %% proof padding-as-attention
for i, n in enumerate(lengths):
    torch.testing.assert_close(outputs[i : i + 1, :n], alone[i])

# %% use padding-as-attention
layer = nn.Linear(8, 3)
optimizer = torch.optim.SGD([*model.parameters(), *layer.parameters()], lr=0.1)
for size in (4, 6):  # words in the longest sentence
    x, y = torch.randn(3, size, 8), torch.arange(size) >= torch.tensor([size, 2, 3])[:, None]
    # >>>
    outputs, weights = model(x, x, x, attn_mask=y)
    # <<<
    optimizer.zero_grad()
    nn.functional.cross_entropy(layer(outputs[:, 0]), torch.arange(3)).backward()
    optimizer.step()
assert not weights.transpose(1, 2)[y].any() and model.in_proj_weight.grad.any()

# %%
mask = torch.triu(torch.ones(8, 8), 1).bool()  # made once, for 8 words
model.mask = mask
full = torch.rand(4, 8, 8)
full[:, :5] = x

# %% break other-length
outputs, weights = model(x, x, x, attn_mask=model.mask)

# %% check other-length
print(model.mask.shape, x.shape[1])  # for 8 words; 5 came
assert model.mask.shape[0] != x.shape[1]

# %% fix other-length
words = x.shape[1]
outputs, weights = model(x, x, x, attn_mask=model.mask[:words, :words])

# %% proof other-length
torch.testing.assert_close(outputs, model(full, full, full, attn_mask=mask)[0][:, :5])

# %%
y = torch.rand(4, 5, 5) > 0.7  # a mask of its own for each sentence
y[:, range(5), range(5)] = False

# %% break per-head
outputs, weights = model(x, x, x, attn_mask=y)

# %% check per-head
print(y.shape, model.num_heads)  # 4 masks; 4 sentences x 2 heads are wanted
assert len(y) * model.num_heads == 8

# %% fix per-head
masks = y.repeat_interleave(model.num_heads, dim=0)  # 0, 0, 1, 1 ...
outputs, weights = model(x, x, x, attn_mask=masks)

# %% proof per-head
for i in range(4):
    one = x[i : i + 1]
    torch.testing.assert_close(outputs[i : i + 1], model(one, one, one, attn_mask=y[i])[0])

# %% wrong repeat
# `repeat(num_heads, 1, 1)`: the shape is right, the order is 0, 1, 2, 3, 0 …, and sentences get the
# masks of others.
outputs, weights = model(x, x, x, attn_mask=y.repeat(model.num_heads, 1, 1))

# %%
y = torch.arange(5) >= lengths[:, None]
model = nn.MultiheadAttention(8, 2)  # without batch_first: [words, batch, size]

# %% break batch-first
outputs, weights = model(x, x, x, key_padding_mask=y)

# %% check batch-first
print(model.batch_first, x.shape, y.shape)
assert not model.batch_first

# %% fix batch-first
from torch import nn

model = nn.MultiheadAttention(8, 2, batch_first=True)
outputs, weights = model(x, x, x, key_padding_mask=y)

# %% proof batch-first
for i, n in enumerate(lengths):
    one = x[i : i + 1, :n]
    torch.testing.assert_close(outputs[i : i + 1, :n], model(one, one, one)[0])

# %%
model = nn.MultiheadAttention(8, 2, batch_first=True)
alone = [model(row, row, row)[0] for row in rows]
y = (torch.arange(5) < lengths[:, None]).long()  # a tokenizer's: 1 is a word, 0 padding

# %% break mask-type
outputs, weights = model(x, x, x, key_padding_mask=y)

# %% check mask-type
print(y.dtype, y[1].tolist())  # int64: 1 1 1 0 0
assert y.dtype == torch.int64

# %% fix mask-type
outputs, weights = model(x, x, x, key_padding_mask=y == 0)  # True: leave out

# %% proof mask-type
for i, n in enumerate(lengths):
    torch.testing.assert_close(outputs[i : i + 1, :n], alone[i])
