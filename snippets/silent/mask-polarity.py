# ---
# tags: [transformer, padding]
# recover: fix
# related: [shapes/attn-mask-shape, devices/sdpa-no-kernel]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html"]
# causes:
#   multihead:
#   functional:
#   float-mask:
# ---

# %%
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

torch.manual_seed(0)
model = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
x = torch.randn(2, 4, 8)
batch = {"attention_mask": torch.tensor([[1, 1, 0, 0], [1, 1, 1, 1]])}  # 1: a word
keep = batch["attention_mask"].bool()
other = x.clone()
other[0, 2:] = 9  # the same text, with something else in the padding


def by_hand(x):
    """Attention in which each sentence is cut to its words."""
    rows = []
    for one, mask in zip(x, keep):
        words = one[mask]
        scores = one @ words.T / one.shape[-1] ** 0.5
        rows.append(scores.softmax(-1) @ words)
    return torch.stack(rows)


# %% break multihead
with torch.no_grad():
    first, second = (model(text, src_key_padding_mask=keep) for text in (x, other))
print("a word moved by", (first - second)[0, :2].abs().max().item())
print("the text without padding:", first[1].isnan().all().item(), "(all nan)")
assert (first - second)[0, :2].abs().max() > 0.1 and first[1].isnan().all()

# %% check multihead
from torchclinic import checks

keep = batch["attention_mask"].bool()  # True at words


def encode(x):
    return model(x, src_key_padding_mask=keep)  # as your program calls it


print(checks.ignores_padding(encode, x, keep))
assert "inverted" in str(checks.ignores_padding(encode, x, keep))

# %% fix multihead
padding = batch["attention_mask"] == 0  # True at padding: left out
y = model(x, src_key_padding_mask=padding)

# %% proof multihead
from torchclinic import checks



def encode(x):
    return model(x, src_key_padding_mask=padding)


assert not checks.ignores_padding(encode, x, keep)
with torch.no_grad():
    assert torch.allclose(y[0, :2], model(x[:1, :2])[0], atol=1e-5)  # the text alone
    assert torch.allclose(y[1], model(x[1:])[0], atol=1e-5)

# %% break functional
padding = batch["attention_mask"] == 0  # as MultiheadAttention wants it
first, second = (
    scaled_dot_product_attention(text, text, text, attn_mask=padding[:, None])
    for text in (x, other)
)
print("a word moved by", (first - second)[0, :2].abs().max().item())
print("the text without padding:", first[1].unique().tolist())
assert (first - second)[0, :2].abs().max() > 5 and not first[1].any()

# %% check functional
from torchclinic import checks

keep = batch["attention_mask"].bool()  # True at words


def encode(x):
    return scaled_dot_product_attention(x, x, x, attn_mask=~keep[:, None])


print(checks.ignores_padding(encode, x, keep))
assert "inverted" in str(checks.ignores_padding(encode, x, keep))

# %% fix functional
from torch.nn.functional import scaled_dot_product_attention

words = batch["attention_mask"].bool()  # True at words: takes part
y = scaled_dot_product_attention(x, x, x, attn_mask=words[:, None])

# %% proof functional
from torchclinic import checks


def encode(x):
    return scaled_dot_product_attention(x, x, x, attn_mask=words[:, None])


assert not checks.ignores_padding(encode, x, words)
assert torch.allclose(y, by_hand(x), atol=1e-5)

# %% break float-mask
first, second = (
    scaled_dot_product_attention(text, text, text, attn_mask=keep[:, None].float())
    for text in (x, other)
)
print("a word moved by", (first - second)[0, :2].abs().max().item())
assert (first - second)[0, :2].abs().max() > 5

# %% check float-mask
mask = batch["attention_mask"][:, None].float()
print(mask.dtype, mask.unique())  # floats must be 0 and -inf
assert mask.max() == 1

# %% fix float-mask
import torch
from torch.nn.functional import scaled_dot_product_attention

padding = batch["attention_mask"] == 0
mask = torch.zeros(padding.shape).masked_fill(padding, float("-inf"))[:, None]
y = scaled_dot_product_attention(x, x, x, attn_mask=mask)

# %% proof float-mask
from torchclinic import checks


def encode(x):
    return scaled_dot_product_attention(x, x, x, attn_mask=mask)


assert not checks.ignores_padding(encode, x, keep)
assert mask.unique().tolist() == [float("-inf"), 0]
assert torch.allclose(y, by_hand(x), atol=1e-5)
