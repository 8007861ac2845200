# ---
# wordings:
#   - text: "embed_dim must be divisible by num_heads"
#     exception: [AssertionError, ValueError]
#     unless: [paddle]
#   - text: "must be divisible by num_heads (got `{_:ident}`: {dim:int} and `num_heads`: {heads:int})"
#     exception: ValueError
#     sample: "ValueError: embed_dim must be divisible by num_heads (got `embed_dim`: 100 and `num_heads`: 12)."
#   - text: "must be divisible by num_attention_heads (got `{_:ident}`: {dim:int} and `num_attention_heads`: {heads:int})"
#     exception: ValueError
#     sample: "ValueError: embed_dim must be divisible by num_attention_heads (got `embed_dim`: 100 and `num_attention_heads`: 12)."
#   - text: "must be divisible by num_heads, but got {dim:int} and {heads:int}"
#     exception: ValueError
#     sample: "ValueError: embed_dim (d_model) must be divisible by num_heads, but got 100 and 12"
#   - text: "embed_dim {dim:int} not divisible by num_heads {heads:int}"
#     exception: AssertionError
#     sample: "AssertionError: embed_dim 100 not divisible by num_heads 12"
#   - text: "The hidden size ({dim:int}) is not a multiple of the number of attention heads ({heads:int}"
#     exception: ValueError
#     unless: [tensorflow]
#     sample: "ValueError: The hidden size (100) is not a multiple of the number of attention heads (12)"
#   - text: "The hidden size ({dim:int},) is not a multiple of the number of attention heads {heads:int}"
#     exception: ValueError
#     sample: "ValueError: The hidden size (100,) is not a multiple of the number of attention heads 12."
#   - text: "The hidden size {dim:int} is not a multiple of the number of attention heads {heads:int}"
#     exception: ValueError
#     sample: "ValueError: The hidden size 100 is not a multiple of the number of attention heads 12."
#   - text: "dim should be divisible by num_heads"
#     exception: AssertionError
#   - text: "must be divisible by num_heads"
#     exception: [AssertionError, ValueError]
#     unless: [paddle, tensorflow, keras]
#     sample: "AssertionError: d_model must be divisible by num_heads"
#   - text: "must be divisible by n_heads"
#     exception: [AssertionError, ValueError]
#     unless: [paddle, tensorflow, keras]
#     sample: "AssertionError: d_model must be divisible by n_heads"
#   - text: "Total number of attention heads ({heads:int}) must be divisible by tensor parallel size ({parallel:int})"
#     exception: ValueError
#     sample: "ValueError: Total number of attention heads (28) must be divisible by tensor parallel size (8)."
#   - text: "num_channels ({channels:int}) must be divisible by num_groups ({groups:int})"
#     exception: ValueError
#     sample: "ValueError: num_channels (48) must be divisible by num_groups (32)"
#   - text: "num_channels must be divisible by num_groups"
#     exception: ValueError
#   - text: "in_channels must be divisible by groups"
#     exception: ValueError
#   - text: "out_channels must be divisible by groups"
#     exception: ValueError
# tags: [transformer, shape, cnn, normalization, multi-gpu]
# recover: fix
# related: [shapes/running-mean-size, shapes/attn-mask-shape]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html", "https://docs.pytorch.org/docs/stable/generated/torch.nn.GroupNorm.html"]
# causes:
#   width:
#     likely: read(dim) or live.layer.embed_dim > 0
#     undecided: the numbers are not printed by nn.MultiheadAttention
#     sample: "ValueError: The hidden size (768) is not a multiple of the number of attention heads (10)"
#   features:
#     if: live.local.shape[-1] == live.layer.embed_dim
#     undecided: what the width stands for is not printed
#   groups:
#     if: paste("divisible by num_groups", "must be divisible by groups")
#   parallel:
#     if: read(parallel)
#     sample: "ValueError: Total number of attention heads (28) must be divisible by tensor parallel size (8)."
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)

# %% break width
layer = nn.TransformerEncoderLayer(d_model=100, nhead=12)

# %% check width
print([n for n in range(1, 33) if 100 % n == 0])  # [1, 2, 4, 5, 10, 20, 25]
assert 100 % 12 != 0 and 100 % 10 == 0

# %% fix width
from torch import nn

layer = nn.TransformerEncoderLayer(d_model=100, nhead=10)  # 10 for each head

# %% proof width
words = nn.Embedding(50, 100)(torch.randint(50, (5, 2)))
assert layer(words).shape == (5, 2, 100) and layer.self_attn.num_heads > 1

# %% use width
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.head = nn.Embedding(50, 100), nn.Linear(100, 3)
        # >>>
        layer = nn.TransformerEncoderLayer(d_model=100, nhead=12)
        # <<<
        self.encoder = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)

    def forward(self, x):
        return self.head(self.encoder(self.words(x)).mean(0))


model = Classifier()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
nn.functional.cross_entropy(model(torch.randint(50, (7, 4))), torch.arange(4) % 3).backward()
optimizer.step()
assert all(parameter.grad is not None for parameter in model.parameters())

# %%
x = torch.rand(2, 7, 13)  # 13 columns of a table at 7 times

# %% break features
model = nn.TransformerEncoderLayer(13, nhead=4, batch_first=True)

# %% fix features
from torch import nn

model = nn.Sequential(
    nn.Linear(13, 64),  # 13 columns in, a width of your choice out
    nn.TransformerEncoderLayer(64, nhead=4, batch_first=True),
)

# %% proof features
model.eval()
assert model(x).shape == (2, 7, 64)
torch.testing.assert_close(model(x)[:1], model(x[:1]))

# %%
x = torch.rand(2, 48, 8, 8)

# %% break groups
norm = nn.GroupNorm(32, 48)

# %% fix groups
import math

from torch import nn

channels = 48
norm = nn.GroupNorm(math.gcd(32, channels), channels)  # 16 groups of 3

# %% proof groups
assert norm(x).shape == x.shape and norm.num_groups == 16
assert norm(x).unflatten(1, (16, 3)).mean((2, 3, 4)).abs().max() < 1e-5
