# ---
# wordings:
#   - text: "The operator '{op:line}' is not currently implemented for the MPS device"
#     exception: NotImplementedError
#     sample: "NotImplementedError: The operator 'aten::linalg_qr.out' is not currently implemented for the MPS device. If you want this op to be considered for addition please comment on https://github.com/pytorch/pytorch/issues/141287"
#   - text: "The operator '{op:line}' is not current implemented for the MPS device"
#     exception: NotImplementedError
#     sample: "NotImplementedError: The operator 'aten::index.Tensor_out' is not current implemented for the MPS device."
#   - text: "implemented for the MPS device"
#     exception: NotImplementedError
#   - text: "is not currently supported on the MPS backend"
#     exception: UserWarning
#   - text: "is supported natively starting from macOS"
#     exception: RuntimeError
#     near: [MPS]
#   - text: "MPS backend is supported on MacOS"
#     exception: RuntimeError
#   - text: "Cannot convert a MPS Tensor to float64"
#     exception: TypeError
#   - text: "to the MPS backend but it does not have support for that dtype"
#     exception: TypeError
#   - text: "Could not run '{op:line}' with arguments from the 'MPS' backend"
#     exception: NotImplementedError
#     sample: "NotImplementedError: Could not run 'aten::amax.out' with arguments from the 'MPS' backend."
#   - text: "PyTorch is not linked with support for mps devices"
#     exception: RuntimeError
#   - text: "BFloat16 is not supported on MPS"
#     exception: TypeError
#   - text: "is not supported on MPS"
#   - text: "does not support input type '{_:ident}' in MPS backend"
#     exception: TypeError
#     sample: "TypeError: Operation 'neg_out_mps()' does not support input type 'int64' in MPS backend."
#   - text: "not supported at the MPS device"
#     exception: NotImplementedError
#   - text: "MPS does not support {_:ident} op with {_:ident} input"
#     exception: RuntimeError
#     sample: "RuntimeError: MPS does not support cumsum op with int64 input"
#   - text: "MPS framework doesn't support float64"
#     exception: TypeError
#   - text: "Could not run '{op:line}' with arguments from the 'SparseMPS' backend"
#     exception: NotImplementedError
#     sample: "NotImplementedError: Could not run 'aten::empty.memory_format' with arguments from the 'SparseMPS' backend."
# tags: [device, dtype, numpy]
# recover: fix
# cases:
#   float64: {silent: true, wrong: {fallback: "https://github.com/huggingface/transformers/issues/28334"}}
#   not-here: {}
# related: [dtypes/not-implemented-half, devices/mps-wrong-numbers]
# docs: ["https://docs.pytorch.org/docs/stable/notes/mps.html", "https://docs.pytorch.org/docs/stable/mps_environment_variables.html"]
# causes:
#   operator:
#     if: paste("implemented for the MPS device", "not currently supported on the MPS backend", "not supported at the MPS device")
#     likely: paste("with arguments from the 'MPS' backend")
#     sample: "NotImplementedError: The operator 'aten::linalg_qr.out' is not currently implemented for the MPS device."
#   float64:
#     if: paste("MPS Tensor to float64", "support float64")
#     likely: paste("float64")
#     sample: "TypeError: Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support float64. Please use float32 instead."
#   sparse:
#     if: paste("'SparseMPS' backend")
#     sample: |
#       NotImplementedError: Could not run 'aten::empty.memory_format' with arguments from the 'SparseMPS' backend.
#   dtype:
#     if: paste("BFloat16", "does not support input type", "op with int64 input", "does not have support for that dtype") and not paste("support float64")
#     sample: "RuntimeError: MPS does not support cumsum op with int64 input"
#   not-here:
#     if: >-
#       (paste("not linked with support for mps") or begins(op, "aten::empty", "aten::_copy_from"))
#       and not paste("'SparseMPS' backend")
#   macos:
#     if: paste("starting from macOS", "supported on MacOS")
#     sample: "RuntimeError: The MPS backend is supported on MacOS 13.0+. Current OS version can be queried using `sw_vers`"
# ---

# %%
import numpy as np
import torch

torch.set_default_device(None)
features = np.array([[0.5, 1.5], [2.5, 3.5]])  # NumPy, pandas and Python's own numbers are 64 bits wide

# %% break float64
x = torch.from_numpy(features)
print(x.dtype)
# what .to("mps") would have to carry, and cannot
assert x.dtype == torch.float64

# %% check float64
print(features.dtype, torch.from_numpy(features).dtype)
assert features.dtype == np.float64

# %%
x = features

# %% fix float64
import torch

x = torch.as_tensor(x, dtype=torch.float32)  # first 32 bits, then x.to("mps")

# %% proof float64
assert x.dtype == torch.float32
assert x.tolist() == [[0.5, 1.5], [2.5, 3.5]]

# %% use float64
rows = np.random.default_rng(0).random((6, 3))
model = torch.nn.Linear(3, 2, device="cpu")
for x in (rows[:4], rows[4:]):
    # >>>
    x = torch.as_tensor(x)
    # <<<
    assert x.dtype == torch.float32
    model(x).sum().backward()
assert np.allclose(x.numpy(), rows[4:]) and model.weight.grad.any()

# %% wrong fallback
# `PYTORCH_ENABLE_MPS_FALLBACK=1`: it lets operations that MPS lacks run on the CPU. It changes no
# dtype: the tensor that is to be moved still has 64 bits.
import os

os.environ["PYTORCH_ENABLE_MPS_FALLBACK"] = "1"
x = torch.as_tensor(features)

# %% break not-here
x = torch.ones(2, device="mps")  # on Linux, on Windows, in Docker on a Mac

# %% check not-here
mps = torch.backends.mps
print(mps.is_built(), mps.is_available())  # both must be True
assert not mps.is_built()

# %%
torch.set_default_device("meta")  # so that a tensor without a device is none that can be read
torch.backends.mps.is_built = lambda: True  # a torch for the Mac, where no GPU is to be seen

# %% fix not-here
import torch

device = "mps" if torch.backends.mps.is_available() else "cpu"
x = torch.ones(2, device=device)

# %% proof not-here
assert x.sum().item() == 2 and x.device.type == device == "cpu"
