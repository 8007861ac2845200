# ---
# wordings:
#   - text: "No module named 'pytorch_lightning'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'lightning'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'torchmetrics'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'timm'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'torch_scatter'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'torch_sparse'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'torch_cluster'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'torch_spline_conv'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'torchtext'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'torchtext.legacy'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'apex'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'einops'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'torchinfo'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'torchsummary'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'segmentation_models_pytorch'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'efficientnet_pytorch'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'pytorch_msssim'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'torch_geometric'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'torchdata'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'pyg_lib'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'lightning.{part:ident}'"
#     exception: [ModuleNotFoundError, ImportError]
#     sample: "ModuleNotFoundError: No module named 'lightning.pytorch'"
#   - text: "No module named 'pytorch_lightning.{part:ident}'"
#     exception: [ModuleNotFoundError, ImportError]
#     sample: "ModuleNotFoundError: No module named 'pytorch_lightning.metrics'"
#   - text: "No module named 'torchdata.{part:ident}'"
#     exception: [ModuleNotFoundError, ImportError]
#     sample: "ModuleNotFoundError: No module named 'torchdata.datapipes'"
#   - text: "No module named 'timm.{part:ident}'"
#     exception: [ModuleNotFoundError, ImportError]
#     sample: "ModuleNotFoundError: No module named 'timm.layers'"
#   - text: "No module named 'torchtext.{part:ident}'"
#     exception: [ModuleNotFoundError, ImportError]
#     unless: ["torchtext.legacy"]
#     sample: "ModuleNotFoundError: No module named 'torchtext.vocab'"
#   - text: "No module named 'torch_geometric.{part:ident}'"
#     exception: [ModuleNotFoundError, ImportError]
#     sample: "ModuleNotFoundError: No module named 'torch_geometric.nn'"
#   - text: "No module named 'apex.{part:ident}'"
#     exception: [ModuleNotFoundError, ImportError]
#     unless: ["_C'", "_cuda'"]
#     sample: "ModuleNotFoundError: No module named 'apex.amp'"
#   - text: "module 'torchtext' has no attribute 'legacy'"
#     exception: AttributeError
#   - text: "cannot import name 'Field' from 'torchtext.data'"
#     exception: ImportError
#     sample: "ImportError: cannot import name 'Field' from 'torchtext.data' (/opt/conda/lib/python3.8/site-packages/torchtext/data/__init__.py)"
#   - text: "cannot import name 'BucketIterator' from 'torchtext.data'"
#     exception: ImportError
#     sample: "ImportError: cannot import name 'BucketIterator' from 'torchtext.data' (/opt/conda/lib/python3.8/site-packages/torchtext/data/__init__.py)"
#   - text: "cannot import name 'UnencryptedCookieSessionFactoryConfig' from 'pyramid.session'"
#     exception: ImportError
#     sample: "ImportError: cannot import name 'UnencryptedCookieSessionFactoryConfig' from 'pyramid.session' (unknown location)"
#   - text: "cannot import name '{name:ident}' from 'torch_scatter'"
#     exception: ImportError
#     sample: "ImportError: cannot import name 'scatter_mean' from 'torch_scatter' (unknown location)"
#   - text: "cannot import name '{name:ident}' from 'torch_sparse'"
#     exception: ImportError
#     sample: "ImportError: cannot import name 'SparseTensor' from 'torch_sparse' (unknown location)"
#   - text: "cannot import name '{name:ident}' from 'torch_geometric'"
#     exception: ImportError
#     sample: "ImportError: cannot import name 'EdgeIndex' from 'torch_geometric' (unknown location)"
# tags: [import-error, amp]
# recover: process
# needs: ["package:pip", "fault:small packages in place of the real ones"]
# timeout: 120
# related: [install-env/no-module-named-torch, install-env/no-module-named-torchvision, install-env/torch-missing-while-building, install-env/extension-not-built]
# docs: ["https://packaging.python.org/en/latest/tutorials/installing-packages/"]
# causes:
#   plain:
#     if: >-
#       paste("named 'pytorch_lightning'", "named 'lightning'", "named 'torchmetrics'", "named 'timm'", "named 'einops'", "named 'torchinfo'", "named 'torchsummary'", "named 'segmentation_models_pytorch'", "named 'efficientnet_pytorch'", "named 'pytorch_msssim'", "named 'torch_geometric'", "named 'torchdata'")
#   own-file:
#     if: paste("is not a package")
#     sample: "ModuleNotFoundError: No module named 'timm.layers'; 'timm' is not a package"
#   compiled:
#     if: paste("named 'torch_scatter'", "named 'torch_sparse'", "named 'torch_cluster'", "named 'torch_spline_conv'", "named 'pyg_lib'")
#   torchtext:
#     if: paste("'torchtext", "torchtext.legacy")
#   apex:
#     if: paste("named 'apex", "UnencryptedCookieSessionFactoryConfig")
#   other-release:
#     if: read(part) and not paste("is not a package")
#     sample: "ModuleNotFoundError: No module named 'pytorch_lightning.metrics'"
# cases:
#   plain:
#     commands:
#       linux: |
#         python -c "from importlib.metadata import version; print('torch==' + version('torch'))" > torch.txt
#         python -m pip install pytorch_lightning -c torch.txt  # the name in your message; torch stays as it is
#       powershell: |
#         python -c "from importlib.metadata import version; print('torch==' + version('torch'))" | Set-Content torch.txt
#         python -m pip install pytorch_lightning -c torch.txt
#       notebook: |
#         import torch
#         %pip install pytorch_lightning torch=={torch.__version__}
#   compiled:
#     commands:
#       shell: |
#         python -c "import torch; print(torch.__version__)"  # 2.12.0+cu130: this stands in the address
#         python -m pip install torch-scatter torch-sparse -f https://data.pyg.org/whl/torch-2.12.0+cu130.html
#   apex:
#     wrong: {apex-of-pypi: "https://github.com/jeonsworld/ViT-pytorch/issues/23"}
#   own-file:
#     commands:
#       linux: |
#         mv timm.py my_timm.py
#         rm -rf __pycache__
#       powershell: |
#         Rename-Item timm.py my_timm.py
#         Remove-Item -Recurse __pycache__
# ---

# %%
import sys
from pathlib import Path

# What stands for the last release of torchtext: it has no `legacy`.
Path("torchtext").mkdir()
Path("torchtext/__init__.py").write_text("__version__ = '0.18.0'\n")
sys.path.insert(0, ".")
dataset = [("a good film", 1), ("bad", 0), ("a film", 1)]

# %% break torchtext
from torchtext.legacy.data import BucketIterator, Field

# %% fix torchtext
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

words = [word for text, _ in dataset for word in text.split()]
words = ["<pad>", *dict.fromkeys(words)]  # each word once
index = {word: number for number, word in enumerate(words)}


def collate(rows):
    texts = [[index[word] for word in text.split()] for text, _ in rows]
    texts = pad_sequence([torch.tensor(text) for text in texts], batch_first=True)
    labels = torch.tensor([label for _, label in rows])
    return texts, labels


loader = DataLoader(dataset, batch_size=2, collate_fn=collate)

# %% proof torchtext
(texts, labels), (rest, _) = loader
assert texts.tolist() == [[1, 2, 3], [4, 0, 0]] and labels.tolist() == [1, 0] and rest.tolist() == [[1, 3]]

# %%
import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cpu")
model, loss_fn = nn.Linear(4, 2), nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
before = model.weight.clone()
kinds = []
model.register_forward_hook(lambda module, inputs, output: kinds.append(output.dtype))
x, y = torch.rand(3, 4), torch.tensor([0, 1, 0])

# %% break apex
from apex import amp

# %% fix apex
import torch

scaler = torch.amp.GradScaler(device.type)  # once, in front of the loop

with torch.autocast(device.type):
    loss = loss_fn(model(x), y)
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()

# %% proof apex
assert kinds == [torch.bfloat16] and not torch.equal(model.weight, before)
assert scaler.state_dict()["_growth_tracker"] == 1

# %% wrong apex-of-pypi
# `pip install apex`: on PyPI that name belongs to another project, which has nothing to do with GPUs
# and has no `amp`.
Path("apex").mkdir()  # what comes with it, in small
line = "from pyramid.session import UnencryptedCookieSessionFactoryConfig\n"
Path("apex/__init__.py").write_text(line)
Path("pyramid").mkdir()
Path("pyramid/session.py").touch()  # today's pyramid has that name no more
from apex import amp

# %%
import os
import subprocess
import venv
import zipfile

import pip as installer

# An environment that has torch and nothing else, and small packages that say of themselves what the real ones say.
venv.create("env", symlinks=True)
os.symlink(installer.__path__[0], next(Path("env/lib").glob("python*")) / "site-packages/pip")


def wheel(folder, name, version, needs=""):
    Path(folder).mkdir(exist_ok=True)
    with zipfile.ZipFile(f"{folder}/{name}-{version}-py3-none-any.whl", "w") as file:
        file.writestr(f"{name}/__init__.py", f"__version__ = {version!r}\n")
        file.writestr(f"{name}-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}")
        file.writestr(f"{name}-{version}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{name}-{version}.dist-info/RECORD", "")


def pip(*arguments):
    """The real pip for that environment, without a network; does it fail?"""
    command = [sys.executable, "-m", "pip", "--isolated", "-q", "--python", "env/bin/python", "install", "--no-index", "--no-cache-dir"]
    return subprocess.run([*command, *arguments], capture_output=True).returncode != 0


def python(program):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(["env/bin/python", "-c", program], capture_output=True, text=True, env=environment)
    return (done.stdout + done.stderr).strip()


wheel("index", "torch", "2.12.0")
wheel("index", "torch", "2.13.0")
wheel("index", "pytorch_lightning", "2.6.6", "Requires-Dist: torch>=2.1.0\n")
assert not pip("torch==2.12.0", "-f", "index")

# %% break plain
print(python("import pytorch_lightning"))

# %% proof plain
where = {"PATH": f"{os.path.abspath('env/bin')}:{os.environ['PATH']}", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "index"}
wheel("index", "pytorch_lightning", "2.7.0", "Requires-Dist: torch>=2.13.0\n")
subprocess.run(commands["linux"], shell=True, env={**os.environ, **where}, capture_output=True)
assert python("import pytorch_lightning as l, torch; print(l.__version__, torch.__version__)") == "2.6.6 2.12.0"

# %% break compiled
print(python("import torch_scatter"))

# %% proof compiled
# On PyPI lies the source alone, whose build imports torch; the other index has it built.
SOURCE = """
def get_requires_for_build_wheel(settings=None):
    import torch
"""
Path("torch_scatter").mkdir()
Path("torch_scatter/pyproject.toml").write_text('[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n')
Path("torch_scatter/backend.py").write_text(SOURCE)
with zipfile.ZipFile("index/torch_scatter-2.1.2.zip", "w") as file:
    for name in ("pyproject.toml", "backend.py"):
        file.write(f"torch_scatter/{name}", f"torch_scatter-2.1.2/{name}")
assert pip("torch-scatter", "-f", "index")
wheel("pyg", "torch_scatter", "2.1.2+pt212cu130")
assert not pip("torch-scatter", "-f", "index", "-f", "pyg")
assert python("import torch_scatter; print(torch_scatter.__version__)") == "2.1.2+pt212cu130"

# %% break own-file
Path("timm.py").write_text("models = {}\n")  # a file of one's own
print(python("import timm.data"))

# %% proof own-file
Path("timm.py").write_text("models = {}\n")
wheel("index", "timm", "1.0.0")
assert not pip("timm", "-f", "index")
assert "'timm' is not a package" in python("import timm.data")
subprocess.run(commands["linux"], shell=True)
assert python("import timm; print(timm.__version__)") == "1.0.0"
assert Path("my_timm.py").exists() and not Path("__pycache__").exists()
