# ---
# wordings:
#   - text: "No module named '{module:ident}'"
#     exception: ModuleNotFoundError
#     near: &unpickle [unpickler.load(), in find_class]
#     unless: &others [joblib, spawn_main, sklearn]
#     sample: |
#       Traceback (most recent call last):
#         File "torch/serialization.py", line 2221, in _load
#           result = unpickler.load()
#       ModuleNotFoundError: No module named 'models'
#   - text: "Can't get attribute '{name:ident}' on <module"
#     exception: AttributeError
#     unless: *others
#     sample: "AttributeError: Can't get attribute 'Net' on <module '__main__' from 'predict.py'>"
#   - text: "No module named {module:ident}"
#     exception: ImportError
#     near: *unpickle
#     sample: "ImportError: No module named models"
#   - text: "'module' object has no attribute '{name:ident}'"
#     exception: AttributeError
#     near: *unpickle
#     sample: "AttributeError: 'module' object has no attribute 'Net'"
# tags: [checkpoint, inference]
# recover: fix
# related: [data-loading/pickle-worker]
# docs: ["https://docs.pytorch.org/docs/stable/notes/serialization.html"]
# cases:
#   library:
#     commands:
#       shell: |
#         python -m pip show ultralytics  # which one is here, if any
#         python -m pip install -U ultralytics  # the package that the message names
#       notebook: "%pip install -U ultralytics  # the package that the message names; then restart the kernel"
#       comfyui: |
#         # in the folder of the portable version
#         python_embeded\python.exe -m pip install -U ultralytics
#   other-folder:
#     wrong: {empty-module: "https://github.com/ai-med/relaynet_pytorch/issues/4"}
# causes:
#   other-folder:
#     likely: >-
#       read(module) and not begins(module, "ultralytics", "fairseq", "pytorch_lightning", "lightning", "omegaconf", "numpy", "pandas", "sklearn", "transformers", "timm", "mmcv",
#       "mmdet", "mmengine", "torchvision", "torchaudio", "detectron2", "open_clip", "peft", "diffusers", "hydra", "easydict", "dill", "loguru", "torch", "wandb", "scipy", "cv2")
#   main-class:
#     if: paste("on <module '__main__'")
#   library:
#     if: >-
#       begins(module, "ultralytics", "fairseq", "pytorch_lightning", "lightning", "omegaconf", "numpy", "pandas", "sklearn", "transformers", "timm", "mmcv", "mmdet", "mmengine",
#       "torchvision", "torchaudio", "detectron2", "open_clip", "peft", "diffusers", "hydra", "easydict", "dill", "loguru", "torch", "wandb", "scipy", "cv2")
#       or paste("on <module 'ultralytics", "on <module 'torch", "on <module 'numpy", "on <module 'lightning", "on <module 'pytorch_lightning", "on <module 'transformers",
#       "on <module 'timm", "on <module 'pandas", "on <module 'sklearn", "on <module 'fairseq", "on <module 'omegaconf")
#   renamed:
#     likely: read(name)
#     undecided: whether the module has another name now or lies in another folder is not printed
#     sample: "AttributeError: Can't get attribute 'ResNet9' on <module 'models.resnet' from 'models/resnet.py'>"
# ---

# %%
import importlib
import os
import pathlib
import sys
import tempfile

os.chdir(tempfile.mkdtemp())
import torch
from torch import nn

torch.manual_seed(0)
sys.modules.pop("models", None)
code = "from torch import nn\n\n\nclass Net(nn.Linear):\n    pass\n"
os.mkdir("project")
pathlib.Path("project/models.py").write_text(code)
sys.path.insert(0, "project")
trained = importlib.import_module("models").Net(8, 2)
torch.save(trained, "model.pt")  # saves the path of the class, not the class
sys.path.remove("project")
del sys.modules["models"]

# %% break other-folder
model = torch.load("model.pt", weights_only=False)

# %% check other-folder
names = torch.serialization.get_unsafe_globals_in_checkpoint("model.pt")
print(names)  # models.Net: a file or folder `models` with a class Net
assert "models.Net" in names

# %% fix other-folder
import sys

import torch

sys.path.insert(0, "project")  # the folder in which `models` lies
model = torch.load("model.pt", weights_only=False)  # a file that you trust
torch.save(model.state_dict(), "weights.pt")  # this one needs no class

# %% proof other-folder
assert torch.equal(model.weight, trained.weight) and type(model).__name__ == "Net"
assert torch.equal(torch.load("weights.pt")["weight"], trained.weight)
sys.path.remove("project")

# %% use other-folder
x = torch.randn(5, 8)
# >>>
model = torch.load("model.pt", weights_only=False)
torch.save(model.state_dict(), "weights.pt")
# <<<
assert torch.equal(model(x), trained(x))
fresh = nn.Linear(8, 2)
fresh.load_state_dict(torch.load("weights.pt"))
optimizer = torch.optim.SGD(fresh.parameters(), lr=0.1)
fresh(x).square().mean().backward()
optimizer.step()
assert not torch.equal(fresh(x), trained(x))

# %% wrong empty-module
# A file of that name, made up to have one: the import works, and then the class is missing.
pathlib.Path("models.py").write_text("")
sys.path.insert(0, ".")
importlib.invalidate_caches()
model = torch.load("model.pt", weights_only=False)


# %%
class Net(nn.Linear):
    pass


trained = Net(8, 2)
torch.save(trained, "model.pt")  # in the training script, where Net is defined
del Net
pathlib.Path("train.py").write_text(code)
sys.path.insert(0, ".")

# %% break main-class
model = torch.load("model.pt", weights_only=False)

# %% check main-class
names = torch.serialization.get_unsafe_globals_in_checkpoint("model.pt")
print([name for name in names if name.startswith("__main__.")])
assert "__main__.Net" in names  # it was defined in the script that was started

# %% fix main-class
import torch
from train import Net  # your own file; in the script that you start

model = torch.load("model.pt", weights_only=False)  # a file that you trust
torch.save(model.state_dict(), "weights.pt")  # from now on load this one

# %% proof main-class
assert torch.equal(model.weight, trained.weight) and isinstance(model, Net)
assert torch.equal(torch.load("weights.pt")["weight"], trained.weight)

# %%
sys.path.insert(0, "project")
trained = importlib.import_module("models").Net(8, 2)
torch.save(trained, "model.pt")
os.rename("project/models.py", "project/networks.py")  # the code was tidied up since then
del sys.modules["models"]
importlib.invalidate_caches()

# %% break renamed
model = torch.load("model.pt", weights_only=False)

# %% fix renamed
import sys

import networks  # where the class is now
import torch

sys.modules["models"] = networks  # what it was called when the file was saved
model = torch.load("model.pt", weights_only=False)  # a file that you trust
torch.save(model.state_dict(), "weights.pt")  # from now on load this one

# %% proof renamed
assert torch.equal(model.weight, trained.weight) and isinstance(model, networks.Net)
assert torch.equal(torch.load("weights.pt")["weight"], trained.weight)

# %%
package = pathlib.Path("site-packages/ultralytics")  # stands for the package: a new release has a layer that the old one lacks
package.mkdir(parents=True)
(package / "__init__.py").write_text(code + "\n\nclass C3k2(nn.Linear):\n    pass\n")
sys.path.insert(0, "site-packages")
sys.modules.pop("ultralytics", None)
trained = importlib.import_module("ultralytics").C3k2(8, 2)
torch.save(trained, "model.pt")
(package / "__init__.py").write_text(code)
del sys.modules["ultralytics"]
importlib.invalidate_caches()

# %% break library
model = torch.load("model.pt", weights_only=False)

# %% proof library
(package / "__init__.py").write_text(code + "\n\nclass C3k2(nn.Linear):\n    pass  # after pip install -U\n")
importlib.invalidate_caches()
sys.modules.pop("ultralytics", None)
model = torch.load("model.pt", weights_only=False)
assert torch.equal(model.weight, trained.weight) and type(model).__name__ == "C3k2"
