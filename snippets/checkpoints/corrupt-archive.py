# ---
# wordings:
#   - text: "PytorchStreamReader failed reading zip archive: failed finding central directory"
#     exception: RuntimeError
#   - text: "PytorchStreamReader failed reading"
#     exception: RuntimeError
#     sample: "RuntimeError: PytorchStreamReader failed reading file data/12: file read failed"
#   - text: "[Errno 22] Invalid argument"
#     exception: OSError
#     near: [torch._C.PyTorchFileReader]
#     sample: "super().__init__(torch._C.PyTorchFileReader(name_or_buffer)) OSError: [Errno 22] Invalid argument"
#   - text: "failed finding central directory"
#     exception: RuntimeError
#   - text: "PytorchStreamReader failed locating file data.pkl"
#     exception: RuntimeError
#   - text: "PytorchStreamReader failed locating file data/"
#     exception: RuntimeError
#   - text: "magic number; corrupt file?"
#     exception: RuntimeError
#     sample: "RuntimeError: Invalid magic number; corrupt file?"
#   - text: "unexpected EOF, expected {_:int} more bytes. The file might be corrupted"
#     exception: RuntimeError
#     sample: "RuntimeError: unexpected EOF, expected 5 more bytes. The file might be corrupted."
#   - text: "unexpected EOF. The file might be corrupted"
#     exception: RuntimeError
#   - text: "file in archive is not in a subdirectory"
#     exception: RuntimeError
#   - text: "Expected hasRecord(\"version\") to be true"
#     exception: RuntimeError
#   - text: "storage has wrong size: expected"
#     exception: RuntimeError
#   - text: "is a zip archive (did you mean to use torch.jit.load()?)"
#     exception: RuntimeError
#     sample: "RuntimeError: model.pth is a zip archive (did you mean to use torch.jit.load()?)"
#   - text: "A load persistent id instruction was encountered"
#     exception: UnpicklingError
#     near: [torch, .pt, .ckpt, .bin, model, weights, state_dict]
#     sample: "_pickle.UnpicklingError: A load persistent id instruction was encountered, but no persistent_load function was specified."
#   - text: "persistent IDs in protocol 0 must be ASCII strings"
#     exception: UnpicklingError
#   - text: "Ran out of input"
#     exception: EOFError
#     near: [serialization.py, pickle_module.load, magic_number]
#   - text: "pickle data was truncated"
#     exception: UnpicklingError
#     near: [serialization.py, torch.load, ".pt'", ".pth", ".pt ", ".ckpt", .safetensors, pytorch_model, .bin, load_state_dict, checkpoint]
#   - text: "Memo value not found at index"
#     exception: UnpicklingError
#     near: [serialization.py, torch.load]
#   - text: "invalid load key, '"
#     exception: UnpicklingError
#     near: [serialization.py, torch.load, ".pt'", ".pth", ".pt ", ".ckpt", .safetensors, pytorch_model, .bin, load_state_dict, checkpoint]
#     sample: "_pickle.UnpicklingError: invalid load key, '<'."
# tags: [checkpoint]
# recover: fix
# needs: [fork, "fault:a process that is killed while it saves"]
# related: [checkpoints/unicode-decode-load]
# docs: ["https://docs.pytorch.org/docs/stable/notes/serialization.html"]
# cases:
#   cut-off:
#     commands:
#       linux: |
#         ls -l model.pth  # smaller than on the download page?
#         rm model.pth  # then start the program that downloads it again; or
#         hf download OWNER/NAME model.pth --force-download
#       powershell: |
#         Get-Item model.pth | Select-Object Length  # smaller than on the download page?
#         Remove-Item model.pth  # then start the program that downloads it again; or
#         hf download OWNER/NAME model.pth --force-download
#   no-checkpoint:
#     wrong: {with-pickle-instead: "https://github.com/yunjey/pytorch-tutorial/issues/131"}
#     commands:
#       shell: |
#         git lfs install
#         git lfs pull  # in the cloned repository: puts the real files in place of the pointers
# causes:
#   cut-off:
#     likely: >-
#       paste("failed finding central directory", "unexpected EOF", "data was truncated", "Ran out of input", "not a ZIP archive", "failed reading file",
#       "wrong size", "failed locating file", "[Errno 22]") and not paste("Resuming", "resuming", "last.ckpt", "rng_state", "optimizer.pt")
#   interrupted-save:
#     likely: >-
#       paste("Resuming", "resuming", "last.ckpt", "rng_state", "optimizer.pt")
#       and paste("failed finding central directory", "unexpected EOF", "data was truncated", "Ran out of input", "failed reading file")
#     undecided: a file that was cut off while it was saved looks as one that was cut off while it was downloaded
#     sample: |
#       ==> Resuming from checkpoint
#       RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory
#   no-checkpoint:
#     if: paste("load key, '<'", "load key, 'v'", "load key, '{'", "load key, 'E'", "load key, '\\n'", "load key, 'A'", "load key, 'I'", "load key, '\\x0a'", "load key, '\\x00'")
#   zipped:
#     if: paste("not in a subdirectory", "Expected hasRecord(")
#   with-pickle:
#     if: paste("A load persistent id instruction", "persistent IDs in protocol 0")
#   plain-pickle:
#     if: paste("magic number; corrupt")
#     sample: "RuntimeError: Invalid magic number; corrupt file?"
#   old-torch:
#     if: paste("is a zip archive (did you mean")
#     sample: "RuntimeError: model.pth is a zip archive (did you mean to use torch.jit.load()?)"
# ---

# %%
import os
import pickle
import resource
import signal
import tempfile
import zipfile

os.chdir(tempfile.mkdtemp())
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(300, 300)
torch.save(model.state_dict(), "model.pth")
with open("model.pth", "rb") as file:
    whole = file.read()
with open("model.pth", "wb") as file:
    file.write(whole[: len(whole) // 2])  # where the download stopped

# %% break cut-off
model.load_state_dict(torch.load("model.pth"))

# %% check cut-off
print(zipfile.is_zipfile("model.pth"))  # False: the end of the file is missing
print(os.path.getsize("model.pth"))  # compare with the size on the download page
assert not zipfile.is_zipfile("model.pth")

# %% proof cut-off
os.remove("model.pth")
with open("model.pth", "wb") as file:
    file.write(whole)  # downloaded again, to the end
assert torch.equal(torch.load("model.pth")["weight"], model.weight)


# %%
def killed_while_saving(save, state, path):
    """save(state, path) in a process that dies when it has written 200 kB."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))
        save(state, path)
        os._exit(0)
    os.waitpid(child, 0)


torch.save(model.state_dict(), "last.pt")
nn.init.ones_(model.bias)  # stands for the training since then

# %% break interrupted-save
killed_while_saving(torch.save, model.state_dict(), "last.pt")
model.load_state_dict(torch.load("last.pt"))

# %% check interrupted-save
# the one before had 363 kB, and is lost
PROGRAM = """
import os

print(os.path.getsize("last.pt"))
"""
killed_while_saving(torch.save, model.state_dict(), "last.pt")
exec(PROGRAM)
assert os.path.getsize("last.pt") <= 200000

# %% fix interrupted-save
import os

import torch


def save(state, path):
    torch.save(state, path + ".part")
    os.replace(path + ".part", path)  # at once: the old file or the new one


save(model.state_dict(), "last.pt")  # with DDP: on rank 0 only

# %% proof interrupted-save
before = model.weight.detach().clone()
nn.init.zeros_(model.weight)
killed_while_saving(save, model.state_dict(), "last.pt")
assert torch.equal(torch.load("last.pt")["weight"], before) and torch.load("last.pt")["bias"].min() == 1  # the one before is whole
save(model.state_dict(), "last.pt")
assert torch.load("last.pt")["weight"].abs().sum() == 0 and os.listdir(".").count("last.pt.part") == 0

# %% use interrupted-save
# >>>
def save(state, path):
    torch.save(state, path)


# <<<
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    optimizer.zero_grad()
    model(torch.ones(4, 300)).mean().backward()
    optimizer.step()
    state = {"epoch": epoch, "model": model.state_dict()}
    if epoch < 2:
        save(state, "last.pt")
    else:
        killed_while_saving(save, state, "last.pt")
checkpoint = torch.load("last.pt")
assert checkpoint["epoch"] == 1
model.load_state_dict(checkpoint["model"])

# %%
with open("model.pth", "w") as file:
    file.write("<!DOCTYPE html><html><title>Sign in</title></html>")

# %% break no-checkpoint
weights = torch.load("model.pth", weights_only=False)

# %% check no-checkpoint
with open("model.pth", "rb") as file:
    start = file.read(30)
print(start)  # here a web page; b"version https://git-lfs…": Git LFS
assert not start.startswith(b"PK")

# %% proof no-checkpoint
with open("model.pth", "wb") as file:
    file.write(whole)  # what the command puts there: the real file
assert torch.equal(torch.load("model.pth")["weight"], model.weight)

# %% wrong with-pickle-instead
# `pickle.load` in place of `torch.load`: the same bytes, the same error.
with open("model.pth", "rb") as file:
    start = file.read(1)
    file.seek(0)
    try:
        pickle.load(file)
        message = "read"
    except pickle.UnpicklingError as error:
        message = str(error)
print(message)
assert message == f"invalid load key, '{start.decode()}'."

# %%
with zipfile.ZipFile("model.zip", "w") as archive:
    archive.writestr("run1/model.pth", whole)

# %% break zipped
weights = torch.load("model.zip")

# %% check zipped
with zipfile.ZipFile("model.zip") as archive:
    print(archive.namelist())  # a checkpoint in it; of torch.save: …/data.pkl
    assert archive.namelist() == ["run1/model.pth"]

# %% fix zipped
import zipfile

import torch

with zipfile.ZipFile("model.zip") as archive:
    archive.extractall("unzipped")
weights = torch.load("unzipped/run1/model.pth")

# %% proof zipped
assert torch.equal(weights["weight"], model.weight)

# %%
with open("model.pth", "wb") as file:
    file.write(whole)

# %% break with-pickle
with open("model.pth", "rb") as file:
    weights = pickle.load(file)

# %% fix with-pickle
import torch

weights = torch.load("model.pth")

# %% proof with-pickle
assert torch.equal(weights["weight"], model.weight)
