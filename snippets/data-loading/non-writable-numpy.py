# ---
# wordings:
#   - text: "The given NumPy array is not writable, and PyTorch does not support non-writable tensors"
#     exception: UserWarning
#     role: remark
#     sample: "UserWarning: The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means writing to this tensor will result in undefined behavior. You may want to copy the array to protect its data or make it writable before converting it to a tensor. This type of warning will be suppressed for the rest of this program."
#   - text: "The given NumPy array is not writeable, and PyTorch does not support non-writeable tensors"
#     exception: UserWarning
#     role: remark
#     sample: "UserWarning: The given NumPy array is not writeable, and PyTorch does not support non-writeable tensors. This means you can write to the underlying (supposedly non-writeable) NumPy array using the tensor."
#   - text: "The given buffer is not writable, and PyTorch does not support non-writable tensors"
#     exception: UserWarning
#     role: remark
# tags: [numpy, warning, dataloader, in-place]
# recover: fix
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.from_numpy.html"]
# ---

# %%
import io

import numpy as np
import torch

array = np.frombuffer(bytes(range(12)), dtype=np.uint8)  # what was read from a file or the network

# %% break read-only
x = torch.from_numpy(array)

# %% check read-only
print(array.flags.writeable)  # False
assert not array.flags.writeable

# %%
x = array

# %% fix read-only
import torch

x = torch.from_numpy(x.copy())  # or torch.tensor(x), which copies as well

# %% proof read-only
x += 1
assert x.tolist() == list(range(1, 13)) and array.tolist() == list(range(12))  # the source is untouched
