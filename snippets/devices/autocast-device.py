# ---
# wordings:
#   - text: "User specified an unsupported autocast device_type '{kind:path}'"
#     exception: RuntimeError
#     sample: "RuntimeError: User specified an unsupported autocast device_type 'cuda:0'"
#   - text: "Expected `device_type` of type `str`, got: `<class '{cls:ident}'>`"
#     exception: ValueError
#     sample: "ValueError: Expected `device_type` of type `str`, got: `<class 'torch.device'>`"
#   - text: "Tried to use AMP with the `{backend:ident}` backend, but the backend has not"
#     exception: AssertionError
#     sample: "AssertionError: Tried to use AMP with the `npu` backend, but the backend has not registered a module or the module miss some necessary funcs."
#   - text: "User specified autocast device_type must be"
#     exception: RuntimeError
#   - text: "Current CUDA Device does not support bfloat16. Please switch dtype to float16"
#     exception: RuntimeError
#   - text: "AutocastCPU only support Bfloat16 as the autocast_cpu_dtype"
#     exception: RuntimeError
#   - text: "In {area:ident} autocast, but the target dtype"
#     exception: UserWarning
#     role: remark
#     sample: "UserWarning: In CPU autocast, but the target dtype is not supported. Disabling autocast."
# tags: [amp, device, dtype, warning]
# recover: fix
# needs: ["fault:a second device type, registered with torch, that knows nothing of mixed precision"]
# cases:
#   device-type:
#     survives: {"without: dtype= in torch.autocast(kind, dtype=torch.bfloat16)": "bfloat16 is what a CPU takes anyway"}
#   other-dtype:
#     survives: {"without: dtype= in torch.autocast(device.type, dtype=torch.bfloat16)": "bfloat16 is what a CPU takes anyway"}
# related: [devices/device-string, performance/amp-deprecated]
# docs: ["https://docs.pytorch.org/docs/stable/amp.html#torch.autocast"]
# causes:
#   device-type:
#     if: read(cls) or begins(kind, "cuda", "cpu", "mps:", "xpu:", "npu:", "hpu:", "0")
#     sample: "RuntimeError: User specified an unsupported autocast device_type 'cuda:0'"
#   old-mac:
#     if: kind == "mps"
#     sample: "RuntimeError: User specified an unsupported autocast device_type 'mps'"
#   add-on:
#     if: read(backend) or kind in ["npu", "mlu", "musa", "hpu", "xpu", "privateuseone"]
#     sample: "RuntimeError: User specified an unsupported autocast device_type 'privateuseone'"
#   other-dtype:
#     if: read(area)
#   no-bfloat16:
#     if: paste("does not support bfloat16. Please switch")
#     sample: "RuntimeError: Current CUDA Device does not support bfloat16. Please switch dtype to float16."
#   old-cpu:
#     if: paste("AutocastCPU only support")
#     sample: "RuntimeError: Currently, AutocastCPU only support Bfloat16 as the autocast_cpu_dtype"
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model, images = nn.Linear(4, 3), torch.randn(8, 4)
device = torch.device("cpu")  # on a GPU: torch.device("cuda:0")
exact = model(images)

# %% break device-type
with torch.autocast(device, dtype=torch.bfloat16):
    outputs = model(images)

# %% check device-type
PROGRAM = "print(type(device), device)"  # a torch.device, and not its kind alone
exec(PROGRAM)
assert not isinstance(device, str)

# %% fix device-type
import torch

kind = torch.device(device).type  # "cuda": the kind, without a number
with torch.autocast(kind, dtype=torch.bfloat16):
    outputs = model(images)

# %% proof device-type
assert outputs.dtype == torch.bfloat16 and kind == "cpu"
torch.testing.assert_close(outputs.float(), exact, atol=0.05, rtol=0.05)

# %% use device-type
device = torch.device("cpu", 0)
model, loss_fn = nn.Linear(2, 1), nn.MSELoss()
images, labels = torch.randn(4, 2), torch.randn(4, 1)
# >>>
with torch.autocast(device, dtype=torch.bfloat16):
    outputs = model(images)
# <<<
loss = loss_fn(outputs.float(), labels)
loss.backward()
assert outputs.dtype == torch.bfloat16 and model.weight.grad.dtype == torch.float32

# %% break other-dtype
with torch.autocast("cpu", dtype=torch.float32):
    outputs = model(images)

# %% check other-dtype
with torch.autocast("cpu", dtype=torch.float32):
    print(torch.is_autocast_enabled("cpu"))  # False: it does nothing
    assert not torch.is_autocast_enabled("cpu")

# %% fix other-dtype
import torch

with torch.autocast(device.type, dtype=torch.bfloat16):  # or float16
    outputs = model(images)

# %% proof other-dtype
assert outputs.dtype == torch.bfloat16
torch.testing.assert_close(outputs.float(), exact, atol=0.05, rtol=0.05)

# %%
torch.utils.rename_privateuse1_backend("npu")  # a device type for which nobody wrote autocast

# %% break add-on
with torch.autocast("npu", dtype=torch.bfloat16):
    outputs = model(images)

# %% check add-on
# False: the add-on is not imported, or knows no mixed precision
print(hasattr(getattr(torch, "npu", None), "get_amp_supported_dtype"))
assert not hasattr(getattr(torch, "npu", None), "get_amp_supported_dtype")

# %% fix add-on
import contextlib

import torch


def autocast(kind, dtype=torch.bfloat16):
    """Mixed precision where this kind of device has it; elsewhere nothing."""
    try:
        return torch.autocast(kind, dtype=dtype)
    except (RuntimeError, AssertionError) as error:
        print(f"no mixed precision on {kind}: {type(error).__name__}")
        return contextlib.nullcontext()


# %% proof add-on
with autocast("npu"):
    assert torch.equal(model(images), exact)  # as without
with autocast("cpu"):
    assert model(images).dtype == torch.bfloat16
with autocast("cpu", torch.float16):
    assert model(images).dtype == torch.float16
with autocast("gpu"):  # no such device
    assert torch.equal(model(images), exact)
