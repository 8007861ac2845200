# ---
# wordings:
#   - text: "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers greater than 1, but got dropout={p:num} and num_layers={n:int}"
#     exception: UserWarning
#     role: remark
#     sample: "UserWarning: dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers greater than 1, but got dropout=0.2 and num_layers=1"
#   - text: "dropout option adds dropout after all but last recurrent layer"
#     exception: UserWarning
#     role: remark
# tags: [rnn, warning]
# recover: fix
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html"]
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(8, 5, 4)  # batch, time, features

# %% break one-layer
lstm = nn.LSTM(4, 16, dropout=0.5, batch_first=True)

# %% check one-layer
lstm = nn.LSTM(4, 16, dropout=0.5, batch_first=True)
print(torch.equal(lstm(x)[0], lstm(x)[0]))  # True in train mode: nothing is dropped
assert lstm.training and torch.equal(lstm(x)[0], lstm(x)[0])

# %% fix one-layer
from torch import nn

lstm = nn.LSTM(4, 16, batch_first=True)
dropout = nn.Dropout(0.5)  # behind the layer, where you want it
outputs, (hidden, cell) = lstm(x)
outputs = dropout(outputs)

# %% proof one-layer
assert outputs.shape == (8, 5, 16) and lstm.dropout == 0
raw = lstm(x)[0]
assert torch.allclose(lstm(x[3:4])[0], raw[3:4], atol=1e-6)  # a sample by itself: the batch comes first
dropped = outputs == 0
assert 0.3 < dropped.float().mean() < 0.7 and torch.allclose(outputs[~dropped], 2 * raw[~dropped], atol=1e-6)
