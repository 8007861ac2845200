# ---
# wordings:
#   - text: "'lengths' argument should be a 1D CPU int64 tensor, but got {dims:ident} {device:device} {type:ident} tensor"
#     exception: RuntimeError
#     sample: "RuntimeError: 'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda Long tensor"
#   - text: "argument should be a 1D CPU int64 tensor"
#     exception: RuntimeError
#   - text: "array must be sorted in decreasing order when"
#     exception: RuntimeError
#   - text: "array has to be sorted in decreasing order"
#     exception: [ValueError, RuntimeError]
#     near: ["lengths", "pack_padded"]
#     sample: "ValueError: lengths array has to be sorted in decreasing order"
#   - text: "Length of all samples has to be greater than 0"
#     exception: [ValueError, RuntimeError]
#   - text: "to be equal to batch_size, but got {lengths:int} (batch_size={batch:int})"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected `len(lengths)` to be equal to batch_size, but got 3 (batch_size=4)"
# tags: [rnn, padding, device]
# recover: fix
# related: [shapes/rnn-hidden-size]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pack_padded_sequence.html"]
# causes:
#   on-gpu:
#     if: begins(device, "cuda", "mps", "xpu", "npu", "meta") and begins(dims, "1D")
#     sample: "RuntimeError: 'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda Long tensor"
#   not-sorted:
#     if: paste("sorted in decreasing order")
#   not-a-row:
#     if: begins(dims, "0D", "2D", "3D")
#   zero:
#     if: paste("has to be greater than 0", "found an element in 'lengths' that is <= 0")
#   other-batch:
#     if: paste("to be equal to batch_size")
# cases:
#   not-sorted:
#     survives: {"raw: batch['lengths'].cpu()": "cpu() is for lengths on a GPU"}
#   on-gpu:
#     survives: {"raw: batch['lengths'].cpu()": "cpu() is for lengths on a GPU"}
#   other-batch:
#     survives: {"raw: batch['lengths'].cpu()": "cpu() is for lengths on a GPU"}
#   not-a-row:
#     survives: {"raw: batch['lengths'].flatten().cpu()": "cpu() is for lengths on a GPU"}
#   zero:
#     survives: {"raw: batch['lengths'][full].cpu()": "cpu() is for lengths on a GPU"}
# ---

# %%
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

torch.manual_seed(0)
model = nn.LSTM(3, 6, batch_first=True)
x = torch.rand(3, 5, 3)  # three sequences, padded to 5 steps
numbers = torch.tensor([2, 5, 4])
batch = {"x": x, "lengths": numbers}
alone = [model(x[i : i + 1, :n])[1][0][0, 0] for i, n in enumerate([2, 5, 4])]

# %% break not-sorted
packed = pack_padded_sequence(x, batch["lengths"], batch_first=True)

# %% check not-sorted
print(numbers.tolist())  # not from long to short
assert numbers.tolist() != sorted(numbers.tolist(), reverse=True)

# %% fix not-sorted
from torch.nn.utils.rnn import pack_padded_sequence

lengths = batch["lengths"].cpu()  # lengths stay on the CPU, x may be on a GPU
packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
outputs, (hidden, cell) = model(packed)

# %% proof not-sorted
torch.testing.assert_close(hidden[0], torch.stack(alone))

# %% break on-gpu
elsewhere = numbers.to("meta")  # as lengths.to("cuda"): not on the CPU
packed = pack_padded_sequence(x, elsewhere, batch_first=True)

# %% check on-gpu
print(numbers.to("meta").device)
assert numbers.to("meta").device.type != "cpu"

# %% fix on-gpu
from torch.nn.utils.rnn import pack_padded_sequence

lengths = batch["lengths"].cpu()
packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
outputs, (hidden, cell) = model(packed)

# %% proof on-gpu
torch.testing.assert_close(hidden[0], torch.stack(alone))

# %%
batch = {"x": x, "lengths": numbers[:, None]}  # a column: [3, 1]

# %% break not-a-row
packed = pack_padded_sequence(x, batch["lengths"], batch_first=True)

# %% check not-a-row
print(batch["lengths"].shape)
assert batch["lengths"].dim() == 2

# %% fix not-a-row
from torch.nn.utils.rnn import pack_padded_sequence

lengths = batch["lengths"].flatten().cpu()
packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
outputs, (hidden, cell) = model(packed)

# %% proof not-a-row
torch.testing.assert_close(hidden[0], torch.stack(alone))

# %%
batch = {"x": x, "lengths": torch.tensor([2, 0, 4])}  # an empty sequence

# %% break zero
packed = pack_padded_sequence(x, torch.tensor([4, 2, 0]), batch_first=True)

# %% check zero
print(batch["lengths"].tolist())
assert 0 in batch["lengths"].tolist()

# %% fix zero
from torch.nn.utils.rnn import pack_padded_sequence

full = batch["lengths"] > 0  # leave them out, here or in the Dataset
x, lengths = x[full], batch["lengths"][full].cpu()
packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
outputs, (hidden, cell) = model(packed)

# %% proof zero
torch.testing.assert_close(hidden[0], torch.stack([alone[0], alone[2]]))

# %%
batch = {"x": x, "lengths": numbers}

# %% break other-batch
packed = pack_padded_sequence(x, batch["lengths"])

# %% check other-batch
print(x.shape, len(numbers))  # 3 lengths, and the 3 stands first
assert len(x) == len(numbers)

# %% fix other-batch
from torch.nn.utils.rnn import pack_padded_sequence

lengths = batch["lengths"].cpu()
packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
outputs, (hidden, cell) = model(packed)

# %% proof other-batch
torch.testing.assert_close(hidden[0], torch.stack(alone))
