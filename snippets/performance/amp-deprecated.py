# ---
# wordings:
#   - text: "`torch.cuda.amp.{name:ident}(args...)` is deprecated"
#     exception: FutureWarning
#     role: remark
#     sample: "FutureWarning: `torch.cuda.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cuda', args...)` instead."
#   - text: "torch.cuda.amp.{name:ident}(args...) is deprecated"
#     exception: FutureWarning
#     role: remark
#     sample: "FutureWarning: torch.cuda.amp.GradScaler(args...) is deprecated. Please use torch.amp.GradScaler('cuda', args...) instead."
#   - text: "`torch.cpu.amp.{name:ident}(args...)` is deprecated"
#     exception: FutureWarning
#     role: remark
#     sample: "FutureWarning: `torch.cpu.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cpu', args...)` instead."
#   - text: "set_autocast_dtype(): argument 'dtype' (position {_:int}) must be torch.dtype, not {kind:ident}"
#     exception: TypeError
#     sample: "TypeError: set_autocast_dtype(): argument 'dtype' (position 2) must be torch.dtype, not bool"
#   - text: "dtype must be a torch.dtype (got {kind:ident})"
#     exception: TypeError
#     near: [autocast]
#     sample: 'File "torch/amp/autocast_mode.py", line 247, in __enter__ TypeError: dtype must be a torch.dtype (got bool)'
#   - text: "CUDA is not available or torch_xla is imported. Disabling autocast"
#     exception: UserWarning
#     role: remark
#   - text: "User provided device_type of 'cuda', but CUDA is not available. Disabling"
#     exception: UserWarning
#     role: remark
#   - text: "torch.cuda.amp.GradScaler is enabled, but CUDA is not available"
#     exception: UserWarning
#     role: remark
# tags: [warning, detection, slow]
# recover: fix
# related: [install-env/no-nvidia-driver, devices/autocast-device]
# docs: ["https://docs.pytorch.org/docs/stable/amp.html"]
# cases:
#   your-own-line: {needs: ["torch:2.6"]}  # 2.0 has nothing else to take
#   in-a-library: {needs: ["torch:2.6"], wrong: {all-of-them: "https://github.com/k2-fsa/icefall/pull/1821"}}
# causes:
#   your-own-line:
#     undecided: whose file it is, is not printed
#   in-a-library:
#     likely: paste("is deprecated") and paste("site-packages", "dist-packages", "torch/hub", "torch\\hub", "custom_nodes", "ultralytics")
#   true-by-position:
#     if: kind == "bool"
#   no-gpu:
#     if: paste("but CUDA is not available", "CUDA is not available or torch_xla") and not paste("is deprecated")
#     sample: "/opt/conda/lib/python3.10/site-packages/torch/amp/autocast_mode.py:266: UserWarning: User provided device_type of 'cuda', but CUDA is not available. Disabling"
# ---

# %%
import sys
import warnings
from pathlib import Path

import torch
from torch import nn

torch.manual_seed(0)
device = "cpu"  # on a GPU: "cuda"
x, y = torch.randn(8, 4), torch.randn(8, 3)
model = nn.Linear(4, 3)
loss_fn = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
before = [parameter.detach().clone() for parameter in model.parameters()]
expected = torch.autograd.grad(loss_fn(model(x), y), list(model.parameters()))

# %% break your-own-line
scaler = torch.cuda.amp.GradScaler()
with torch.cuda.amp.autocast(dtype=torch.float16):
    loss = loss_fn(model(x), y)

# %% check your-own-line
print(torch.cuda.amp.autocast.__mro__[1])  # the old name is made of the new one
assert torch.cuda.amp.autocast.__mro__[1] is torch.amp.autocast

# %% fix your-own-line
import torch

scaler = torch.amp.GradScaler(device)  # device: "cuda", here "cpu"
with torch.amp.autocast(device, dtype=torch.float16):
    output = model(x)
    loss = loss_fn(output, y)
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()

# %% proof your-own-line
assert output.dtype == torch.float16 and model.weight.dtype == torch.float32
for parameter, old, gradient in zip(model.parameters(), before, expected, strict=True):
    assert torch.allclose(parameter, old - 0.1 * gradient, atol=1e-3) and not torch.equal(parameter, old)
assert scaler.is_enabled() and scaler.state_dict()["_growth_tracker"] == 1

# %% use your-own-line
model = nn.Linear(4, 3)
first = model.weight.detach().clone()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = [(torch.randn(6, 4), torch.randn(6, 3)) for _ in range(2)]
for x, y in loader:
    optimizer.zero_grad()
    # >>>
    with torch.cuda.amp.autocast(dtype=torch.float16):
        output = model(x)
        loss = loss_fn(output, y)
    loss.backward()
    optimizer.step()
    # <<<
assert output.shape == (6, 3) and not torch.equal(model.weight, first)

# %%
folder = Path("site-packages/old_detector")
folder.mkdir(parents=True)
(folder / "__init__.py").write_text("import torch\n\n\ndef detect(image):\n    with torch.cuda.amp.autocast(enabled=False):\n        return image * 2\n")
sys.path.insert(0, "site-packages")

# %% break in-a-library
import old_detector

old_detector.detect(x)

# %% check in-a-library
import old_detector

print(Path(old_detector.__file__).parts[-3:-1])  # ('site-packages', 'old_detector')
assert "site-packages" in old_detector.__file__

# %% fix in-a-library
import warnings

# above the import of the library
about = ".*torch.cuda.amp.* is deprecated"
warnings.filterwarnings("ignore", message=about)

# %% proof in-a-library
import old_detector

with warnings.catch_warnings(record=True) as heard:
    assert torch.equal(old_detector.detect(x), x * 2)
    warnings.warn("torch.other is deprecated", FutureWarning, stacklevel=1)
assert [str(one.message) for one in heard] == ["torch.other is deprecated"]

# %% wrong all-of-them
# All warnings of this kind switched off: this one is gone, and so is every other that announces
# what the next release takes away.
import warnings

warnings.simplefilter(action="ignore", category=FutureWarning)

# %% break true-by-position
# torch.cuda.amp.autocast(False), with the device put in front of False
with torch.amp.autocast("cpu", False):
    output = model(x)

# %% check true-by-position
setting = torch.amp.autocast("cpu", False)
print(setting.fast_dtype)  # False: it stands where the dtype belongs
assert setting.fast_dtype is False

# %%
around = torch.amp.autocast(device)  # a part of a program that uses mixed precision
around.__enter__()

# %% fix true-by-position
import torch

with torch.amp.autocast(device, enabled=False):
    output = model(x)

# %% proof true-by-position
assert output.dtype == torch.float32
around.__exit__(None, None, None)
with torch.amp.autocast(device, enabled=True):
    assert model(x).dtype == torch.bfloat16  # the default of a CPU
