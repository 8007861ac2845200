# ---
# tags: [padding, transformer, embedding, rnn]
# recover: fix
# related: [shapes/pack-lengths, shapes/stack-sizes]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pad_sequence.html"]
# causes:
#   mean:
#   maximum:
#   last-token:
# cases:
#   last-token: {survives: {"without: device= in torch.arange(len(hidden), device=hidden.device)": only on a GPU}}
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
embedding = nn.Embedding(10, 4)
with torch.no_grad():
    embedding.weight[0] = 2  # the padding's vector


def model(input_ids, attention_mask):
    return embedding(input_ids)  # [batch, length, 4]; it masks its own attention


batch = {
    "input_ids": torch.tensor([[5, 7, 0, 0], [5, 7, 3, 8]]),
    "attention_mask": torch.tensor([[1, 1, 0, 0], [1, 1, 1, 1]]),
}
alone = embedding(torch.tensor([5, 7]))  # the first text without padding

# %% break mean
hidden = model(**batch)
vectors = hidden.mean(dim=1)
similar = torch.cosine_similarity(vectors[0], alone.mean(0), dim=0)
print(f"similarity of a text to itself without padding: {similar:.2f}")
assert similar < 0.9

# %% check mean
from torchclinic import checks

keep = batch["attention_mask"].bool()  # True at words


def encode(input_ids):  # as your program makes a vector of a text
    return model(input_ids, batch["attention_mask"]).mean(dim=1)


print(checks.ignores_padding(encode, batch["input_ids"], keep))
assert checks.ignores_padding(encode, batch["input_ids"], keep)

# %%
batch = {name: torch.cat([rows, 0 * rows[:1]]) for name, rows in batch.items()}

# %% fix mean
hidden = model(**batch)
weights = batch["attention_mask"].unsqueeze(-1)  # 1 at words, 0 at padding
vectors = (hidden * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)

# %% proof mean
from torchclinic import checks

assert torch.allclose(vectors[0], alone.mean(0), atol=1e-6)
assert torch.allclose(vectors[1], hidden[1].mean(0), atol=1e-6)


def encode(input_ids):
    hidden = model(input_ids, batch["attention_mask"])
    return (hidden * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)


assert not checks.ignores_padding(encode, batch["input_ids"], weights[..., 0].bool())
assert not vectors[2].any()  # no word, and no nan

# %%
batch = {name: rows[:2] for name, rows in batch.items()}

# %% break maximum
hidden = model(**batch)
vectors = hidden.amax(dim=1)
print((vectors[0] == 2).sum().item(), "of 4 values come from the padding")
assert (vectors[0] == 2).sum() >= 3

# %% check maximum
from torchclinic import checks

keep = batch["attention_mask"].bool()


def encode(input_ids):
    return model(input_ids, batch["attention_mask"]).amax(dim=1)


print(checks.ignores_padding(encode, batch["input_ids"], keep))
assert checks.ignores_padding(encode, batch["input_ids"], keep)

# %% fix maximum
hidden = model(**batch)
padding = batch["attention_mask"].unsqueeze(-1) == 0
vectors = hidden.masked_fill(padding, float("-inf")).amax(dim=1)

# %% proof maximum
from torchclinic import checks

assert torch.equal(vectors[0], alone.amax(0))
assert torch.equal(vectors[1], hidden[1].amax(0))


def encode(input_ids):
    hidden = model(input_ids, batch["attention_mask"])
    return hidden.masked_fill(padding, float("-inf")).amax(dim=1)


assert not checks.ignores_padding(encode, batch["input_ids"], ~padding[..., 0])

# %% break last-token
hidden = model(**batch)
vectors = hidden[:, -1]
print("of the padding:", (vectors[0] == 2).all().item())
assert (vectors[0] == 2).all()

# %% check last-token
from torchclinic import checks

keep = batch["attention_mask"].bool()


def encode(input_ids):
    return model(input_ids, batch["attention_mask"])[:, -1]


print(checks.ignores_padding(encode, batch["input_ids"], keep))
assert checks.ignores_padding(encode, batch["input_ids"], keep)

# %% fix last-token
import torch

hidden = model(**batch)
rows = torch.arange(len(hidden), device=hidden.device)
last = batch["attention_mask"].sum(dim=1) - 1  # padding stands on the right
vectors = hidden[rows, last]

# %% proof last-token
from torchclinic import checks

assert torch.equal(vectors[0], alone[-1]) and torch.equal(vectors[1], hidden[1, -1])


def encode(input_ids):
    return model(input_ids, batch["attention_mask"])[rows, last]


assert not checks.ignores_padding(encode, batch["input_ids"], batch["attention_mask"] == 1)
