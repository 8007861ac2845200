# ---
# wordings:
#   - text: "Unsupported global: GLOBAL {name:ident} was not an allowed global by default"
#     sample: "WeightsUnpickler error: Unsupported global: GLOBAL numpy._core.multiarray.scalar was not an allowed global by default."
#   - text: "was not an allowed global by default"
#   - text: "Weights only load failed"
#     exception: UnpicklingError
#   - text: "WeightsUnpickler error: Unsupported"
#     exception: UnpicklingError
#   - text: "WeightsUnpickler error: Unsupported class {name:ident}"
#     exception: UnpicklingError
#     sample: "_pickle.UnpicklingError: Weights only load failed. WeightsUnpickler error: Unsupported class numpy.core.multiarray._reconstruct"
#   - text: "Unsupported operand {operand:int}"
#     exception: UnpicklingError
#     near: [Weights only load failed, WeightsUnpickler, weights_only]
#     sample: "WeightsUnpickler error: Unsupported operand 118"
#   - text: "Trying to load unsupported GLOBAL {name:ident} whose module"
#     exception: UnpicklingError
#     sample: "Trying to load unsupported GLOBAL posix.getpid whose module posix is blocked."
#   - text: "with TorchScript archives passed to"
#     exception: RuntimeError
#   - text: "with files saved in the legacy .tar format"
#     exception: RuntimeError
#     sample: "RuntimeError: Cannot use ``weights_only=True`` with files saved in the legacy .tar format."
#   - text: "In PyTorch 2.6, we changed the default value of the"
# tags: [checkpoint, comfyui, numpy]
# recover: fix
# outranks: [corrupt-archive]
# related: [checkpoints/unicode-decode-load, checkpoints/state-dict-keys]
# docs: ["https://docs.pytorch.org/docs/stable/notes/serialization.html", "https://docs.pytorch.org/docs/stable/generated/torch.load.html"]
# cases:
#   settings-and-numbers:
#     wrong: {named-so-far: "https://github.com/pytorch/pytorch/pull/134346"}
#   no-checkpoint:
#     commands:
#       shell: |
#         git lfs install
#         git lfs pull  # in the cloned repository: puts the real files in place of the pointers
#       linux: |
#         rm model.pth  # then start the program that downloads it again; or
#         hf download OWNER/NAME model.pth --force-download
#       powershell: |
#         Remove-Item model.pth  # then start the program that downloads it again; or
#         hf download OWNER/NAME model.pth --force-download
#   not-your-line:
#     commands:
#       linux: TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD=1 python main.py
#       powershell: |
#         $env:TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD = "1"
#         python main.py
#       notebook: |
#         import os
#
#         os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"
# causes:
#   settings-and-numbers:
#     if: >-
#       begins(name, "numpy.core.multiarray.", "numpy._core.multiarray.", "numpy.dtype", "numpy.ndarray", "numpy.bool", "numpy.int", "numpy.uint", "numpy.float", "argparse.Namespace",
#       "pathlib.", "omegaconf.", "collections.", "_codecs.encode", "datetime.", "easydict.", "addict.", "yacs.config.", "mmengine.logging.", "mmengine.config.", "torch.torch_version.")
#     likely: begins(name, "numpy.", "mmengine.", "typing.", "enum.", "functools.", "slice", "torch.utils.data", "torch.optim")
#   onnx:
#     if: operand == 8
#     sample: "_pickle.UnpicklingError: Weights only load failed. Unsupported operand 8"
#   no-checkpoint:
#     if: operand in [0, 10, 13, 32, 45, 60, 65, 69, 118, 123]
#   not-your-line:
#     if: frames("load_from_checkpoint", "from_pretrained", "torch_safe_load", "fairseq", "TTS/", "lightning", "whisperx", "pyannote", "custom_nodes", "speechbrain")
#     undecided: whose line calls `torch.load` cannot be seen where everything stands in one file
#     sample: |
#       Traceback (most recent call last):
#         File "/venv/lib/python3.11/site-packages/fairseq/checkpoint_utils.py", line 315, in load_checkpoint_to_cpu
#           state = torch.load(f, map_location=torch.device("cpu"))
#         File "/venv/lib/python3.11/site-packages/torch/serialization.py", line 1524, in load
#           raise pickle.UnpicklingError(_get_wo_message(str(e))) from None
#       _pickle.UnpicklingError: Weights only load failed. WeightsUnpickler error: Unsupported global: GLOBAL fairseq.data.dictionary.Dictionary was not an allowed global by default.
#   whole-model:
#     if: begins(name, "torch.nn.modules.", "ultralytics.", "models.", "timm.", "torchvision.models.", "torch_geometric.", "segmentation_models_pytorch.")
#   plain-pickle:
#     likely: operand in [100, 108, 149]
#   torchscript:
#     if: paste("TorchScript archives")
#   tar:
#     if: paste("legacy .tar format")
#     sample: "RuntimeError: Cannot use ``weights_only=True`` with files saved in the legacy .tar format."
#   runs-programs:
#     if: >-
#       begins(name, "posix.", "nt.", "os.", "subprocess.", "sys.", "runpy.", "builtins.eval", "builtins.exec", "webbrowser.", "socket.", "pty.")
#     sample: "Trying to load unsupported GLOBAL posix.system whose module posix is blocked."
# ---

# %%
import os
import pickle
import tempfile
import warnings

os.chdir(tempfile.mkdtemp())
import argparse

import numpy as np
import torch
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 2))
weights = {name: value.clone() for name, value in model.state_dict().items()}
torch.save({"model": weights, "args": argparse.Namespace(lr=0.1), "best": np.float64(0.9)}, "checkpoint.pt")

# %% break settings-and-numbers
checkpoint = torch.load("checkpoint.pt")

# %% check settings-and-numbers
names = torch.serialization.get_unsafe_globals_in_checkpoint("checkpoint.pt")
print(names)  # all that it asks for, without running any of it
assert {"argparse.Namespace", "numpy.dtype"} < set(names)

# %% fix settings-and-numbers
import argparse

import numpy as np
import torch

harmless = [
    argparse.Namespace,
    np._core.multiarray.scalar,  # before NumPy 2: np.core
    np.dtype,
    np.dtypes.Float64DType,
]
torch.serialization.add_safe_globals(harmless)  # before anything is loaded
checkpoint = torch.load("checkpoint.pt")

# %% proof settings-and-numbers
assert checkpoint["args"].lr == 0.1 and checkpoint["best"] == 0.9
assert torch.equal(checkpoint["model"]["0.weight"], weights["0.weight"])
torch.save(model, "whole.pt")
try:
    torch.load("whole.pt")
except pickle.UnpicklingError:
    pass
else:
    raise AssertionError("everything is allowed now")

# %% use settings-and-numbers
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
run = argparse.Namespace(lr=0.1, epoch=3)
state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
torch.save({**state, "args": run, "best": np.float64(0.7)}, "checkpoint.pt")
model = nn.Sequential(nn.Linear(8, 2))  # in a new process
optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
# >>>
checkpoint = torch.load("checkpoint.pt")
# <<<
model.load_state_dict(checkpoint["model"])
optimizer.load_state_dict(checkpoint["optimizer"])
assert torch.equal(model[0].bias, weights["0.bias"])
model(torch.ones(4, 8)).sum().backward()
optimizer.step()
torch.testing.assert_close(model[0].bias, weights["0.bias"] - 0.5 * 4)
assert checkpoint["args"].epoch == 3 and float(checkpoint["best"]) == 0.7

# %% wrong named-so-far
# Only the names that the message has asked for up to now: behind each stands the next one. A number
# of NumPy's needs the type of its values as well.
names = [argparse.Namespace, np._core.multiarray.scalar, np.dtype]
torch.serialization.add_safe_globals(names)
checkpoint = torch.load("checkpoint.pt")

# %%
torch.save(model, "model.pt")
model = nn.Sequential(nn.Linear(8, 2))

# %% break whole-model
model = torch.load("model.pt")

# %% check whole-model
names = torch.serialization.get_unsafe_globals_in_checkpoint("model.pt")
print(names)  # classes of layers: the file holds the model itself
assert "torch.nn.modules.linear.Linear" in names

# %% fix whole-model
import torch

# only a file that you trust
model = torch.load("model.pt", weights_only=False)
torch.save(model.state_dict(), "weights.pt")  # from now on load this one

# %% proof whole-model
assert torch.equal(model[0].weight, weights["0.weight"])
assert torch.equal(torch.load("weights.pt")["0.weight"], weights["0.weight"])


# %%
def load_model(path):
    """In a library that you did not write."""
    return torch.load(path, map_location="cpu")["model"]


class Vocabulary(list):
    pass


torch.save({"model": weights, "words": Vocabulary(["the", "a"])}, "model.pt")

# %% break not-your-line
weights = load_model("model.pt")

# %% proof not-your-line
os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"
assert torch.equal(load_model("model.pt")["0.weight"], weights["0.weight"])
del os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"]
import subprocess
import sys

with open("main.py", "w") as file:
    file.write("import torch\n\n\nclass Vocabulary(list):\n    pass\n\n\nprint(list(torch.load('model.pt')))\n")
where = {**os.environ, "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
assert subprocess.run([sys.executable, "main.py"], capture_output=True).returncode == 1
done = subprocess.run(commands["linux"], shell=True, env=where, capture_output=True, text=True)
assert done.stdout == "['model', 'words']\n"

# %%
with open("model.pth", "w") as file:  # as git leaves it where Git LFS is not installed
    file.write(f"version https://git-lfs.github.com/spec/v1\noid sha256:{'4d7a' * 16}\nsize 46827520\n")

# %% break no-checkpoint
loaded = torch.load("model.pth")

# %% check no-checkpoint
with open("model.pth", "rb") as file:
    print(os.path.getsize("model.pth"), file.read(30))  # a checkpoint: b"PK…"
with open("model.pth", "rb") as file:
    assert file.read(2) != b"PK"

# %% proof no-checkpoint
torch.save(weights, "model.pth")  # what `git lfs pull` puts there: the real file
assert torch.equal(torch.load("model.pth")["0.weight"], weights["0.weight"])

# %%
with open("features.pkl", "wb") as file:
    pickle.dump({"mean": np.arange(3.0)}, file)

# %% break plain-pickle
features = torch.load("features.pkl")

# %% check plain-pickle
with open("features.pkl", "rb") as file:
    start = file.read(2)
print(start)  # b"\x80\x04": pickle; by torch.save: b"PK"
assert start[:1] == b"\x80"

# %% fix plain-pickle
import pickle

with open("features.pkl", "rb") as file:
    features = pickle.load(file)  # only a file that you trust

# %% proof plain-pickle
assert features["mean"].tolist() == [0, 1, 2]

# %%
model.load_state_dict(weights)
torch.jit.trace(model, torch.rand(1, 8)).save("traced.pt")
model = nn.Sequential(nn.Linear(8, 2))

# %% break torchscript
model = torch.load("traced.pt")

# %% fix torchscript
import torch

model = torch.jit.load("traced.pt")

# %% proof torchscript
assert torch.equal(model.state_dict()["0.weight"], weights["0.weight"])
assert model(torch.rand(3, 8)).shape == (3, 2)
