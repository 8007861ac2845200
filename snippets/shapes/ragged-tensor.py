# ---
# wordings:
#   - text: "expected sequence of length {want:int} at dim {dim:int} (got {got:int})"
#     exception: ValueError
#     sample: "ValueError: expected sequence of length 3 at dim 1 (got 2)"
#   - text: "Unable to create tensor, you should probably activate truncation and/or padding with"
#     exception: ValueError
#     role: symptom
#   - text: "Could not infer dtype of {type:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: Could not infer dtype of NoneType"
#   - text: "TypeError: not a sequence"
#     exception: TypeError
#     near: ["torch", "tensor("]
# tags: [shape, padding, collate]
# picture: [axis, dim, want, got]
# recover: fix
# related: [shapes/stack-sizes, dtypes/numpy-object]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pad_sequence.html"]
# causes:
#   not-padded:
#     if: read(want) and frames("tokenization_utils", "convert_to_tensors", "data_collator")
#     likely: want > 0 and got > 0
#     sample: |
#       Traceback (most recent call last):
#         File "/env/lib/python3.10/site-packages/transformers/tokenization_utils_base.py", line 707, in convert_to_tensors
#           tensor = as_tensor(value)
#       ValueError: expected sequence of length 15 at dim 1 (got 18)
#   empty-row:
#     if: got == 0 or want == 0
#   mixed:
#     if: paste("not a sequence", "cannot be interpreted as an integer")
#   gap:
#     if: begins(type, "NoneType")
#   wrong-thing:
#     if: read(type) and not begins(type, "NoneType", "numpy")
# ---

# %%
import torch

dataset = [[101, 7, 9, 102], [101, 4, 102]]  # word numbers of two sentences

# %% break not-padded
batch = torch.tensor(dataset)

# %% check not-padded
print({len(row) for row in dataset})  # more than one length
assert len({len(row) for row in dataset}) > 1

# %% fix not-padded
import torch

rows = [torch.tensor(row) for row in dataset]
batch = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
mask = torch.arange(batch.shape[1]) < torch.tensor([[len(row)] for row in rows])

# %% proof not-padded
assert batch.tolist() == [[101, 7, 9, 102], [101, 4, 102, 0]]
assert mask.tolist() == [[True] * 4, [True, True, True, False]]

# %%
dataset = [[[5.0, 6.0, 7.0, 8.0]], []]  # boxes of two images; none in the second

# %% break empty-row
boxes = torch.tensor(dataset)

# %% check empty-row
print([len(row) for row in dataset])  # [1, 0]
assert any(len(row) == 0 for row in dataset)

# %% fix empty-row
import torch

# a list of tensors: as many boxes as each image has
boxes = [torch.tensor(row).reshape(-1, 4) for row in dataset]

# %% proof empty-row
assert [tuple(row.shape) for row in boxes] == [(1, 4), (0, 4)]
assert boxes[0].tolist() == [[5.0, 6.0, 7.0, 8.0]]

# %%
dataset = [[1.0, 2.0], 3.0]  # a list beside a number

# %% break mixed
x = torch.tensor(dataset)

# %% check mixed
print([type(row).__name__ for row in dataset])  # list, float
assert len({type(row) for row in dataset}) > 1

# %% fix mixed
import torch

rows = [torch.tensor(row).reshape(-1) for row in dataset]  # a number: a row of one
x = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)

# %% proof mixed
assert x.tolist() == [[1.0, 2.0], [3.0, 0.0]]

# %%
dataset = [3.0, None, 5.0]

# %% break gap
labels = torch.tensor(dataset)

# %% check gap
print(dataset.index(None))  # which entry is missing
assert None in dataset

# %% fix gap
import torch

labels = torch.tensor([value for value in dataset if value is not None])

# %% proof gap
assert labels.tolist() == [3.0, 5.0]

# %%
from pathlib import Path

dataset = [Path("cat.png"), Path("dog.png")]  # names of files, not yet opened

# %% break wrong-thing
images = torch.tensor(dataset)

# %% check wrong-thing
print(type(dataset[0]).__name__)  # what torch.tensor() is to read as a number
assert isinstance(dataset[0], Path)

# %%
for path in dataset:
    torch.save(torch.full((2,), float(len(path.stem) + len(dataset))), path)

# %% fix wrong-thing
import torch

# open them first; for pictures: torchvision.io.read_image(str(path))
images = torch.stack([torch.load(path) for path in dataset])

# %% proof wrong-thing
assert images.tolist() == [[5.0, 5.0], [5.0, 5.0]]
