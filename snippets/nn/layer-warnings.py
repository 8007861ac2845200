# ---
# wordings:
#   - text: "enable_nested_tensor is True, but self.use_nested_tensor is False because"
#     exception: UserWarning
#     role: remark
#     sample: "UserWarning: enable_nested_tensor is True, but self.use_nested_tensor is False because encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)"
#   - text: "Using a non-full backward hook when"
#     exception: [FutureWarning, UserWarning]
#     role: remark
#     sample: "FutureWarning: Using a non-full backward hook when the forward contains multiple autograd Nodes is deprecated and will be removed in future versions. This hook will be missing some grad_input. Please use register_full_backward_hook to get the documented behavior."
#   - text: "Using non-full backward hooks on a Module that does not"
#     exception: [FutureWarning, UserWarning]
#     role: remark
#     sample: "FutureWarning: Using non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors is deprecated and will be removed in future versions. This hook will be missing some of the grad_output."
#   - text: "Support for mismatched {one:ident} and {other:ident} is deprecated"
#     exception: UserWarning
#     role: remark
#     sample: "UserWarning: Support for mismatched key_padding_mask and attn_mask is deprecated. Use same type for both instead."
#   - text: "Initializing zero-element tensors is a no-op"
#     exception: UserWarning
#     role: remark
#   - text: "RNN module weights are not part of single contiguous chunk of memory"
#     exception: UserWarning
#     role: remark
#     sample: "UserWarning: RNN module weights are not part of single contiguous chunk of memory. This means they need to be compacted at every call, possibly greatly increasing memory usage. To compact weights again call flatten_parameters()."
#   - text: "Could not initialize NNPACK! Reason:"
#     role: remark
#     sample: "[W NNPACK.cpp:64] Could not initialize NNPACK! Reason: Unsupported hardware."
# tags: [warning, transformer, hooks, rnn]
# recover: fix
# related: [nn/lstm-dropout-1-layer, nn/implicit-softmax-dim, shapes/attn-mask-shape, install-env/nnpack-convolution-failed]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerEncoder.html", "https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook"]
# cases:
#   scattered-rnn: {unbroken: "an LSTM on cuDNN, which needs a GPU"}
# causes:
#   nested-tensor:
#     if: paste("enable_nested_tensor is True")
#   half-hook:
#     if: paste("Using a non-full backward hook when", "Using non-full backward hooks on")
#   two-kinds-of-mask:
#     if: read(one)
#   empty-layer:
#     if: paste("Initializing zero-element tensors")
#   scattered-rnn:
#     if: paste("RNN module weights are not part of")
#     sample: "UserWarning: RNN module weights are not part of single contiguous chunk of memory. This means they need to be compacted at every call"
#   nnpack:
#     if: paste("Could not initialize NNPACK")
#     sample: "[W NNPACK.cpp:64] Could not initialize NNPACK! Reason: Unsupported hardware."
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
x = torch.rand(2, 5, 8)

# %% break nested-tensor
layer = nn.TransformerEncoderLayer(d_model=8, nhead=2)
encoder = nn.TransformerEncoder(layer, num_layers=2)

# %% fix nested-tensor
from torch import nn

layer = nn.TransformerEncoderLayer(d_model=8, nhead=2)
encoder = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)

# %% proof nested-tensor
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    warned = nn.TransformerEncoder(layer, num_layers=2)
warned.load_state_dict(encoder.state_dict())
assert torch.equal(warned.eval()(x), encoder.eval()(x)) and len(encoder.layers) == 2


# %%
class Block(nn.Module):
    def forward(self, x):
        return (2 * x).exp()


model = Block()
x = torch.rand(3, requires_grad=True)


# %% break half-hook
seen = []


def keep(module, grad_input, grad_output):
    seen.append(grad_input[0])


model.register_backward_hook(keep)
model(x).sum().backward()
assert not torch.allclose(seen[0], x.grad)  # not the gradient of the input

# %% fix half-hook
seen = []


def keep(module, grad_input, grad_output):
    seen.append(grad_input[0])


model.register_full_backward_hook(keep)
model(x).sum().backward()

# %% proof half-hook
assert torch.allclose(seen[0], x.grad) and torch.allclose(x.grad, 2 * (2 * x).exp())

# %%
x = torch.rand(2, 5, 8)

# %% break two-kinds-of-mask
attention = nn.MultiheadAttention(8, 2, batch_first=True)
padding = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])  # padded: True
causal = nn.Transformer.generate_square_subsequent_mask(5)  # floats
y, _ = attention(x, x, x, attn_mask=causal, key_padding_mask=padding)

# %% check two-kinds-of-mask
padding = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
causal = nn.Transformer.generate_square_subsequent_mask(5)
print(causal.dtype, padding.dtype)  # torch.float32 torch.bool
assert causal.dtype != padding.dtype

# %% fix two-kinds-of-mask
import torch
from torch import nn

attention = nn.MultiheadAttention(8, 2, batch_first=True)
padding = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
length = x.shape[1]
causal = torch.ones(length, length, dtype=torch.bool).triu(1)  # True: not seen
y, _ = attention(x, x, x, attn_mask=causal, key_padding_mask=padding)

# %% proof two-kinds-of-mask
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    floats = nn.Transformer.generate_square_subsequent_mask(5)
    assert torch.allclose(y, attention(x, x, x, attn_mask=floats, key_padding_mask=padding)[0], atol=1e-6)

# %%
x = torch.rand(4, 3)

# %% break empty-layer
features = x[:, 3:]  # nothing is left
layer = nn.Linear(features.shape[1], 2)

# %% check empty-layer
model = nn.Sequential(nn.LazyLinear(2), nn.Linear(2, 1))
model(x[:, 3:])
print([name for name, p in model.named_parameters() if p.numel() == 0])  # 0.weight
assert model[0].weight.shape == (2, 0)

# %% fix empty-layer
from torch import nn

features = x[:, 1:]  # the columns that were meant
layer = nn.Linear(features.shape[1], 2)

# %% proof empty-layer
assert layer.weight.shape == (2, 2)
assert torch.allclose(layer(features), features @ layer.weight.T + layer.bias)

# %% fix scattered-rnn
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(8, 16, batch_first=True)
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        # in front of each call of the LSTM or GRU
        self.lstm.flatten_parameters()
        output, state = self.lstm(x)
        return self.head(output)


model = Tagger()

# %% proof scattered-rnn
flattened, flatten = [], nn.LSTM.flatten_parameters
nn.LSTM.flatten_parameters = lambda self: flattened.append(flatten(self))
x = torch.randn(4, 5, 8)
scores = model(x)
assert scores.shape == (4, 5, 3) and len(flattened) == 1
assert torch.allclose(scores, model.head(model.lstm(x)[0]))
model.zero_grad()
scores.sum().backward()
assert model.lstm.weight_hh_l0.grad.any() and torch.allclose(model(x[1:2]), scores[1:2], atol=1e-6)
