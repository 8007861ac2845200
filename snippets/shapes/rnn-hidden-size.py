# ---
# wordings:
#   - text: "Expected hidden[{_:int}] size ({want:shape}), got [{got:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected hidden[0] size (1, 2, 4), got [1, 3, 4]"
#   - text: "Expected hidden[{_:int}] size ({want:shape}), got ({got:shape})"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected hidden[0] size (2, 64, 100), got (2, 32, 100)"
#   - text: "Expected hidden size ({want:shape}), got [{got:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected hidden size (1, 2, 4), got [1, 3, 4]"
#   - text: "Expected hidden size ({want:shape}), got ({got:shape})"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected hidden size (1, 8, 512), got (8, 473, 1024)"
#   - text: "input.size(-1) must be equal to input_size. Expected {size:int}, got {x:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: input.size(-1) must be equal to input_size. Expected 3, got 5"
#   - text: "must be equal to input_size. Expected"
#     exception: RuntimeError
#   - text: "input has inconsistent input_size: got {x:int} expected {size:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: input has inconsistent input_size: got 5 expected 3"
#   - text: "input has inconsistent input_size"
#     exception: RuntimeError
#   - text: "has inconsistent hidden_size: got {x:int}, expected {hidden:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: hidden0 has inconsistent hidden_size: got 5, expected 4"
#   - text: "Input batch size {x:int} doesn't match hidden{_:int} batch size {h:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: Input batch size 2 doesn't match hidden0 batch size 3"
#   - text: "For batched 3-D input, hx"
#     exception: RuntimeError
#   - text: "For unbatched 2-D input, hx"
#     exception: RuntimeError
#   - text: ": Expected input to be 2D or 3D, got {dims:ident} instead"
#     exception: ValueError
#     sample: "ValueError: LSTM: Expected input to be 2D or 3D, got 4D instead"
#   - text: ": Expected input to be 1D or 2D, got {dims:ident} instead"
#     exception: ValueError
#     sample: "ValueError: LSTMCell: Expected input to be 1D or 2D, got 3D instead"
#   - text: ": Expected input to be 2-D or 3-D but received"
#     exception: AssertionError
#     near: ["RNN", "LSTM", "GRU"]
#   - text: ": Expected input to be 1-D or 2-D but received"
#     exception: AssertionError
#     near: ["RNN", "LSTM", "GRU"]
#   - text: "input must have {needed:int} dimensions, got {dims:int}"
#     exception: RuntimeError
#     near: ["RNN", "LSTM", "GRU", "rnn"]
#     sample: "RuntimeError: input must have 3 dimensions, got 2"
#   - text: "RuntimeError: input must have {needed:int} dimensions, got {dims:int}"
#     sample: "RuntimeError: input must have 3 dimensions, got 2"
# tags: [rnn, shape, batch-size, multi-gpu]
# recover: fix
# related: [shapes/matmul-shapes]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html"]
# causes:
#   last-batch:
#     likely: len(got) == 3 and want[0] == got[0] and want[2] == got[2] and want[1] < got[1] or read(h) and h > x
#   input-size:
#     if: read(size)
#   sequence-first:
#     likely: len(got) == 3 and want[0] == got[0] and want[2] == got[2] and want[1] > got[1]
#   layers:
#     if: len(got) == 3 and want[1] == got[1] and want[2] == got[2] and want[0] != got[0]
#   hidden-order:
#     if: len(got) == 3 and want[0] == got[1] and want[1] == got[0] and want[2] == got[2] and want[0] != want[1]
#   unbatched:
#     if: len(got) == 2 or paste("For batched 3-D input", "For unbatched 2-D input") or begins(dims, "4")
#   encoder-output:
#     if: len(got) == 3 and want[1] == got[0] and want[2] != got[2] and got[1] != want[0] and got[1] > 4
#     sample: "RuntimeError: Expected hidden size (1, 8, 512), got (8, 473, 1024)"
#   data-parallel:
#     if: len(got) == 3 and got[0] < want[0] and got[1] > want[1] and want[2] == got[2] and product(got) == product(want)
#     sample: "RuntimeError: Expected hidden[0] size (2, 32, 100), got [1, 64, 100]"
# cases:
#   data-parallel: {survives: {"without: device= in torch.zeros(2, len(x), 6, device=x.device)": "only a GPU needs it"}}
#   hidden-order:
#     survives: {"raw: state.transpose(0, 1).contiguous()": "only cuDNN, on a GPU, needs it"}
#   last-batch:
#     survives: {"back: hidden = torch.zeros(1, 4, 6), torch.zeros(1, 4, 6) # made …": "nothing reads that state any more"}
# ---

# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
dataset = TensorDataset(torch.rand(7, 5, 3))  # 7 sequences, 5 steps, 3 features
loader = DataLoader(dataset, batch_size=4)
lstm = nn.LSTM(3, 6, batch_first=True)
model = lstm
x = dataset.tensors[0]

# %% break last-batch
hidden = torch.zeros(1, 4, 6), torch.zeros(1, 4, 6)  # made once, for 4
for (batch,) in loader:
    outputs, hidden = lstm(batch, hidden)

# %% check last-batch
print([len(batch) for (batch,) in loader])  # [4, 3]: the last batch is smaller
assert [len(batch) for (batch,) in loader] == [4, 3]

# %% fix last-batch
for (batch,) in loader:
    outputs, hidden = model(batch)  # no state given: zeros of the right size

# %% proof last-batch
right, _ = nn.LSTM.forward(lstm, x[4:], (torch.zeros(1, 3, 6), torch.zeros(1, 3, 6)))
torch.testing.assert_close(outputs, right)

# %%
model = nn.Sequential(nn.LSTM(10, 6, batch_first=True))

# %% break input-size
outputs, hidden = model(x)

# %% check input-size
print(x.shape[-1], model[0].input_size)  # 3 features come, 10 are wanted
assert x.shape[-1] != model[0].input_size

# %% fix input-size
from torch import nn

features = x.shape[-1]  # what comes out of the embedding or the layer before
model = nn.LSTM(input_size=features, hidden_size=6, batch_first=True)
outputs, hidden = model(x)

# %% proof input-size
assert outputs.shape == (7, 5, 6) and torch.equal(hidden[0][0], outputs[:, -1])

# %% break sequence-first
lstm = nn.LSTM(3, 6)  # without batch_first=True: [steps, batch, features]
hidden = torch.zeros(1, 4, 6), torch.zeros(1, 4, 6)
outputs, hidden = lstm(x[:4], hidden)

# %% check sequence-first
lstm = nn.LSTM(3, 6)
print(lstm.batch_first, x[:4].shape)  # so the 5 steps are taken for the batch
assert not lstm.batch_first

# %%
x = x[:4]

# %% fix sequence-first
import torch
from torch import nn

model = nn.LSTM(3, 6, batch_first=True)  # [batch, steps, features]
hidden = torch.zeros(1, x.shape[0], 6), torch.zeros(1, x.shape[0], 6)
outputs, hidden = model(x, hidden)

# %% proof sequence-first
torch.testing.assert_close(hidden[0][0], outputs[:, -1])
torch.testing.assert_close(outputs[2:3], model(x[2:3])[0])

# %% break layers
lstm = nn.LSTM(3, 6, num_layers=2, bidirectional=True, batch_first=True)
hidden = torch.zeros(1, 4, 6), torch.zeros(1, 4, 6)
outputs, hidden = lstm(x, hidden)

# %% check layers
lstm = nn.LSTM(3, 6, num_layers=2, bidirectional=True, batch_first=True)
print(lstm.num_layers * (2 if lstm.bidirectional else 1))  # 4 states, not 1
assert lstm.num_layers * (2 if lstm.bidirectional else 1) == 4

# %% fix layers
import torch
from torch import nn

model = nn.LSTM(3, 6, num_layers=2, bidirectional=True, batch_first=True)
states = model.num_layers * (2 if model.bidirectional else 1)
zeros = torch.zeros(states, x.shape[0], model.hidden_size)
outputs, hidden = model(x, (zeros, zeros))

# %% proof layers
torch.testing.assert_close(outputs, model(x)[0])
assert outputs.shape == (4, 5, 12) and hidden[0].shape == (4, 4, 6)

# %%
lstm = nn.LSTM(3, 6, batch_first=True)
state = torch.rand(4, 1, 6)  # batch first, like the input

# %% break hidden-order
outputs, hidden = lstm(x, (state, state))

# %% check hidden-order
print(state.shape)  # the batch must stand second, even with batch_first=True
assert state.shape == (4, 1, 6)

# %%
model, hidden = lstm, (state, state)

# %% fix hidden-order
hidden = tuple(state.transpose(0, 1).contiguous() for state in hidden)
outputs, hidden = model(x, hidden)

# %% proof hidden-order
one_by_one = [model(x[i : i + 1], (state[i][None], state[i][None]))[0] for i in range(4)]
torch.testing.assert_close(outputs, torch.cat(one_by_one))

# %%
whole = x
x = x[0]  # one sequence: [5, 3]

# %% break unbatched
hidden = torch.zeros(1, 1, 6), torch.zeros(1, 1, 6)
outputs, hidden = lstm(x, hidden)

# %% check unbatched
print(x.shape)  # no batch, but the state has one
assert x.dim() == 2

# %%
hidden = torch.zeros(1, 1, 6), torch.zeros(1, 1, 6)

# %% fix unbatched
outputs, hidden = model(x[None], hidden)  # a batch of one

# %% proof unbatched
torch.testing.assert_close(outputs, lstm(whole)[0][:1])
assert hidden[0].shape == (1, 1, 6)

# %%
model = nn.GRU(3, 6, num_layers=2, batch_first=True)
x, hidden = torch.rand(8, 5, 3), torch.zeros(2, 8, 6)

# %% break data-parallel
# nn.DataParallel gives the first of two GPUs the first half of each argument
model(x.chunk(2)[0], hidden.chunk(2)[0])

# %% fix data-parallel
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 6, num_layers=2, batch_first=True)

    def forward(self, x):
        # for this GPU's part
        hidden = torch.zeros(2, len(x), 6, device=x.device)
        outputs, hidden = self.rnn(x, hidden)
        # the parts are joined along the batch
        return outputs, hidden.transpose(0, 1)

# %% proof data-parallel
model = Model()
parts = [model(part) for part in x.chunk(2)]
outputs, hidden = (torch.cat(part) for part in zip(*parts))
right, state = model.rnn(x)
torch.testing.assert_close(outputs, right)
torch.testing.assert_close(hidden, state.transpose(0, 1))
