# ---
# wordings:
#   - text: "Parent directory {folder:path} does not exist"
#     exception: RuntimeError
#     near: [torch, "RuntimeError: Parent directory", .pt, .ckpt]
#     sample: "RuntimeError: Parent directory checkpoints/run1 does not exist."
#   - text: "cannot be opened"
#     exception: RuntimeError
#     near: [.torchscript, torch.jit, torch/jit, "torch\\jit", jit.save, torch/serialization, "torch\\serialization"]
#     sample: "RuntimeError: File C:\\models\\yolov5s.torchscript cannot be opened."
#   - text: "open file failed with strerror: {why:line}"
#     exception: RuntimeError
#     sample: "RuntimeError: [enforce fail at inline_container.cc:747] . open file failed with strerror: Permission denied"
#   - text: "PytorchStreamWriter failed"
#     exception: RuntimeError
#     sample: "RuntimeError: [enforce fail at inline_container.cc:337] . PytorchStreamWriter failed writing file data/12: file write failed"
#   - text: ". unexpected pos {pos:int} vs {pos2:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: [enforce fail at inline_container.cc:603] . unexpected pos 704 vs 598"
#   - text: "basic_ios::clear: iostream error"
#     exception: RuntimeError
#     near: [torch/serialization, "torch\\serialization", torch.save]
#     sample: 'File "torch/serialization.py", line 964, in save RuntimeError: basic_ios::clear: iostream error'
#   - text: "save(): incompatible function arguments"
#     exception: TypeError
#     near: [ScriptModule, torch.jit, jit.save]
#     sample: "TypeError: save(): incompatible function arguments. The following argument types are supported: 1. (self: torch._C.ScriptModule, filename: str, _extra_files: Dict[str, str] = {}) -> None"
# tags: [checkpoint, export]
# recover: fix
# related: [checkpoints/corrupt-archive]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.save.html", "https://docs.pytorch.org/docs/stable/generated/torch.jit.save.html"]
# causes:
#   no-folder:
#     if: paste("Parent directory") or paste("No such file or directory")
#   disk-full:
#     if: paste("No space left on device", "Disk quota exceeded")
#     likely: paste("unexpected pos", "PytorchStreamWriter failed", "iostream error") and not paste("FileNotFoundError", "KeyboardInterrupt")
#   not-writable:
#     if: paste("Permission denied", "Is a directory", "Read-only file system")
#     likely: paste("cannot be opened") and frames("torch/serialization")
#   through-python:
#     likely: paste("incompatible function arguments") or paste("cannot be opened") and not frames("torch/serialization")
#     sample: "RuntimeError: File D:\\模型\\best.torchscript cannot be opened."
# cases:
#   disk-full:
#     commands:
#       linux: |
#         df -h . ; df -i .                    # room, and files that may still be made, where you save
#         du -xh --max-depth=2 . | sort -h | tail   # what fills it: most often old checkpoints
#       powershell: Get-PSDrive -PSProvider FileSystem
# ---

# %%
import os
import tempfile

os.chdir(tempfile.mkdtemp())
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(100, 100)

# %% break no-folder
torch.save(model.state_dict(), "checkpoints/run1/model.pt")

# %% check no-folder
print(os.getcwd(), os.path.isdir("checkpoints/run1"))  # paths count from the first
assert not os.path.isdir("checkpoints/run1")

# %% fix no-folder
from pathlib import Path

import torch

for epoch in range(2):
    path = Path("checkpoints/run1") / f"{epoch}.pt"
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(model.state_dict(), path)

# %% proof no-folder
assert torch.equal(torch.load("checkpoints/run1/0.pt")["weight"], model.weight)
assert torch.equal(torch.load("checkpoints/run1/1.pt")["weight"], model.weight)

# %%
os.symlink("/dev/full", "model.pt")  # stands for a file on a full disk

# %% break disk-full
torch.save(model.state_dict(), "model.pt")

# %% check disk-full
import shutil

needed = sum(value.nbytes for value in model.state_dict().values())
print(needed, shutil.disk_usage(".").free)  # bytes; Adam: 3 times
assert needed == 4 * (100 * 100 + 100)

# %% proof disk-full
os.remove("model.pt")  # the same file, where there is room
torch.save(model.state_dict(), "model.pt")
assert torch.equal(torch.load("model.pt")["weight"], model.weight)

# %%
os.mkdir("weights")

# %% break not-writable
torch.save(model.state_dict(), "weights")

# %% check not-writable
print(os.path.isdir("weights"), os.access("weights", os.W_OK))  # folder? may write?
assert os.path.isdir("weights")

# %% fix not-writable
from pathlib import Path

import torch

folder = Path("weights")  # where you may write; not the folder alone, a file in it
torch.save(model.state_dict(), folder / "model.pt")

# %% proof not-writable
assert torch.equal(torch.load("weights/model.pt")["weight"], model.weight)
with open("模型.torchscript", "wb") as file:  # and what the page says of torch.jit.save
    torch.jit.save(torch.jit.script(model), file)
with open("模型.torchscript", "rb") as file:
    assert torch.equal(torch.jit.load(file)(torch.ones(1, 100)), model(torch.ones(1, 100)))
