# ---
# wordings:
#   - text: "Required aspect fp64 is not supported on the device"
#     exception: RuntimeError
#   - text: "level_zero backend failed with error: {code:int} (UR_RESULT_ERROR_{name:ident})"
#     exception: RuntimeError
#     sample: "RuntimeError: level_zero backend failed with error: 20 (UR_RESULT_ERROR_DEVICE_LOST)"
#     unless: [ggml, "llama.cpp", ollama, openvino]
#   - text: "Native API failed. Native API returns: {code:int} ({name:ident})"
#     near: [torch]
#     exception: RuntimeError
#     sample: "RuntimeError: Native API failed. Native API returns: -5 (PI_ERROR_OUT_OF_RESOURCES) -5 (PI_ERROR_OUT_OF_RESOURCES)"
#     unless: [ggml, "llama.cpp", ollama, openvino]
#   - text: "UR_RESULT_ERROR_DEVICE_LOST"
#     near: &ours [torch, xpu, vllm, comfy, Comfy]
#     unless: [ggml, "llama.cpp", ollama, openvino]
#   - text: "UR_RESULT_ERROR_OUT_OF_RESOURCES"
#     near: *ours
#     unless: [ggml, "llama.cpp", ollama, openvino]
#   - text: "UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY"
#     near: *ours
#     unless: [ggml, "llama.cpp", ollama, openvino]
#   - text: "RuntimeError: UR error"
#   - text: "Double type is not supported on this platform"
#     near: [torch, xpu]
#   - text: "Kernel is incompatible with all devices in devs"
#     exception: RuntimeError
# tags: [crash, device, driver, dtype, oom]
# recover: process
# related: [install-env/no-xpu-device, memory/cuda-oom, devices/mps-unsupported]
# docs: ["https://docs.pytorch.org/docs/stable/notes/get_start_xpu.html"]
# cases:
#   fp64: {silent: true}
# causes:
#   fp64:
#     if: paste("aspect fp64", "Double type is not supported", "incompatible with all devices")
#     sample: "RuntimeError: Required aspect fp64 is not supported on the device"
#   memory:
#     if: begins(name, "OUT_OF_", "PI_ERROR_OUT_OF_", "UR_RESULT_ERROR_OUT_OF_", "PI_OUT_OF_") or paste("UR_RESULT_ERROR_OUT_OF_")
#     sample: "RuntimeError: level_zero backend failed with error: 40 (UR_RESULT_ERROR_OUT_OF_RESOURCES)"
#   conversion:
#     if: paste("UR error")
#     sample: "RuntimeError: UR error"
#   device-lost:
#     if: begins(name, "DEVICE_LOST", "PI_ERROR_DEVICE_LOST", "UR_RESULT_ERROR_DEVICE_LOST") or paste("UR_RESULT_ERROR_DEVICE_LOST")
#     sample: "RuntimeError: level_zero backend failed with error: 20 (UR_RESULT_ERROR_DEVICE_LOST)"
#   other:
# ---

# %%
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
features = np.random.default_rng(0).random((8, 4))  # NumPy's numbers are 64 bits wide
model = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2).double())  # one layer is, too

# %% break fp64
x = torch.from_numpy(features)
wide = [name for name, p in model.named_parameters() if p.dtype == torch.float64]
print(x.dtype, wide)  # what an Arc A-series GPU cannot compute
assert x.dtype == torch.float64 and wide

# %% check fp64
wide = [name for name, p in model.state_dict().items() if p.dtype == torch.float64]
print(wide, features.dtype)  # parameters, buffers and inputs of 64 bits
assert wide == ["1.weight", "1.bias"]

# %%
x = features

# %% fix fp64
import torch

model = model.float()  # parameters and buffers
x = torch.as_tensor(x, dtype=torch.float32)  # before x.to("xpu")

# %% proof fp64
assert x.dtype == torch.float32
assert {p.dtype for p in model.state_dict().values()} == {torch.float32}
out = model(x)
assert out.dtype == torch.float32 and out.shape == (8, 2)
expected = model.double()(torch.from_numpy(features))
torch.testing.assert_close(out.double(), expected, rtol=1e-4, atol=1e-5)

# %% use fp64
model = nn.Linear(4, 2).double()
x = np.random.default_rng(1).random((3, 4))
# >>>
x = torch.from_numpy(x)
# <<<
assert {x.dtype, *(p.dtype for p in model.parameters())} == {torch.float32}  # what the GPU takes
model(x).sum().backward()
assert model.weight.grad.dtype == torch.float32
