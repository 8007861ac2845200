# ---
# wordings:
#   - text: "can't convert np.ndarray of type {dtype:ident}"
#     exception: TypeError
#     sample: "TypeError: can't convert np.ndarray of type numpy.object_. The only supported types are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool."
#   - text: "can't convert a given np.ndarray to a tensor - it has an invalid type"
#   - text: "too many dimensions 'str'"
#     exception: ValueError
#   - text: "expected np.ndarray (got {got:ident})"
#     exception: TypeError
#     sample: "TypeError: expected np.ndarray (got list)"
# tags: [numpy, dtype, dataloader]
# recover: fix
# related: [shapes/stack-sizes]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.from_numpy.html", "https://numpy.org/doc/stable/reference/generated/numpy.stack.html"]
# causes:
#   ragged:
#     if: live.left.dtype == "object" and (live("left", "holds ndarray") or live("left", "holds list"))
#     likely: begins(dtype, "numpy.object") and frames("np.array(", "numpy.array(", "np.asarray(")
#     undecided: what the array holds is not printed
#     sample: |
#       Traceback (most recent call last):
#         File "utils.py", line 640, in to_video
#           x = torch.from_numpy(np.array(frames))
#       TypeError: can't convert np.ndarray of type numpy.object_. The only supported types are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint8, and bool.
#   table:
#     if: live.left.dtype == "object" and live("left", "holds str") and (live("left", "holds float") or live("left", "holds int"))
#     likely: begins(dtype, "numpy.object") and frames(".values", "to_numpy", "iloc", "DataFrame")
#     undecided: what the array holds is not printed
#     sample: |
#       Traceback (most recent call last):
#         File "train.py", line 12, in <module>
#           x = torch.tensor(df.values)
#       TypeError: can't convert np.ndarray of type numpy.object_. The only supported types are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint8, and bool.
#   none:
#     if: live.left.dtype == "object" and live("left", "holds NoneType")
#     undecided: what the array holds is not printed
#   strings:
#     if: begins(dtype, "numpy.str", "numpy.bytes", "numpy.string", "numpy.unicode") or paste("too many dimensions 'str'")
#   dates:
#     if: begins(dtype, "numpy.datetime", "numpy.timedelta")
#   old-unsigned:
#     if: begins(dtype, "numpy.uint16", "numpy.uint32", "numpy.uint64")
#     sample: "TypeError: can't convert np.ndarray of type numpy.uint16. The only supported types are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint8, and bool."
#   other-numpy:
#     if: got == "numpy.ndarray"
#     sample: "TypeError: expected np.ndarray (got numpy.ndarray)"
#   no-array:
#     if: read(got)
#     sample: "TypeError: expected np.ndarray (got list)"
# ---

# %%
import numpy as np
import torch

dataset = [np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0])]  # not of the same length
x = np.array(dataset, dtype=object)

# %% break ragged
batch = torch.from_numpy(x)

# %% check ragged
print(x.dtype, {len(row) for row in x})  # object, and more than one length
assert x.dtype == object and len({len(row) for row in x}) > 1

# %% fix ragged
import torch

rows = [torch.as_tensor(row) for row in x]
batch = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)  # zeros at the end

# %% proof ragged
assert batch.tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 0.0]]

# %%
x = np.array([[1.5, "2.0", True], [3.5, "4.0", False]], dtype=object)  # DataFrame.values

# %% break table
batch = torch.tensor(x)

# %% check table
print({type(value).__name__ for value in x.flat})  # not only numbers
assert {type(value) for value in x.flat} != {float}

# %% fix table
import numpy as np
import torch

batch = torch.from_numpy(x.astype(np.float32))

# %% proof table
assert batch.dtype == torch.float32
assert batch.tolist() == [[1.5, 2.0, 1.0], [3.5, 4.0, 0.0]]

# %%
x = np.array([1.0, None, 3.0])  # a gap

# %% break none
batch = torch.tensor(x)

# %% check none
print([place for place, value in enumerate(x) if value is None])  # [1]
assert any(value is None for value in x)

# %% fix none
import numpy as np
import torch

present = np.array([value is not None for value in x])
batch = torch.from_numpy(x[present].astype(np.float32))  # without the gaps

# %% proof none
assert batch.tolist() == [1.0, 3.0] and batch.dtype == torch.float32

# %%
labels = np.array(["cat", "dog", "cat"])

# %% break strings
targets = torch.from_numpy(labels)

# %% check strings
print(labels.dtype)  # <U3: text
assert labels.dtype.kind == "U"

# %% fix strings
import numpy as np
import torch

names, numbers = np.unique(labels, return_inverse=True)
labels = torch.from_numpy(numbers)  # names[number] is the text

# %% proof strings
assert labels.tolist() == [0, 1, 0] and names.tolist() == ["cat", "dog"]

# %%
x = np.array(["2024-01-01T00", "2024-01-02T12"], dtype="datetime64[s]")

# %% break dates
times = torch.from_numpy(x)

# %% check dates
print(x.dtype)  # datetime64[s]
assert x.dtype.kind == "M"

# %% fix dates
import numpy as np
import torch

hours = (x - x[0]) / np.timedelta64(1, "h")  # since the first one, as numbers
times = torch.from_numpy(hours)

# %% proof dates
assert times.tolist() == [0.0, 36.0]
