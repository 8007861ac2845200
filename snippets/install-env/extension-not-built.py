# ---
# wordings:
#   - text: "No module named '{module:line}._C'"
#     exception: [ModuleNotFoundError, ImportError]
#     unless: ["named 'torch._C'", "named 'torchvision._C'"]
#     sample: "ModuleNotFoundError: No module named 'vllm._C'"
#   - text: "No module named '{module:line}._ext'"
#     exception: [ModuleNotFoundError, ImportError]
#     near: &families [mmcv, mmdet, mmseg, mmpose, mmrotate, torch, pointnet2, detectron, models/ops, import _ext]
#     sample: "ModuleNotFoundError: No module named 'mmcv._ext'"
#   - text: "No module named '{module:line}_cuda'"
#     exception: [ModuleNotFoundError, ImportError]
#     near: [torch, import iou3d_nms_cuda, import selective_scan_cuda, import causal_conv1d_cuda, import flash_attn, pcdet, mmdet3d, pointops, deepspeed, apex, setup.py, .cu]
#     unless: ["named 'torch_cuda'", "named 'fused_layer_norm_cuda'"]
#     sample: "ModuleNotFoundError: No module named 'iou3d_nms_cuda'"
#   - text: "cannot import name '{module:line}_cuda' from partially initialized module"
#     exception: ImportError
#     near: [pcdet, mmdet3d, torch, ops]
#     sample: "ImportError: cannot import name 'iou3d_nms_cuda' from partially initialized module 'pcdet.ops.iou3d_nms' (most likely due to a circular import)"
#   - text: "No module named 'fused_layer_norm_cuda'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'MultiScaleDeformableAttention'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'diff_gaussian_rasterization"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'diff_surfel_rasterization"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'simple_knn"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'pointnet2_ops"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'selective_scan_cuda"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'causal_conv1d_cuda"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named '_raymarching"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named '_gridencoder'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'nvdiffrast"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "No module named 'tinycudann'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "Could not find compatible tinycudann extension for compute capability"
#   - text: "No module named 'amp_C'"
#     exception: [ModuleNotFoundError, ImportError]
#   - text: "cannot import name '_C' from '{package:ident}'"
#     exception: ImportError
#     unless: ["from 'torch'"]
#     sample: "ImportError: cannot import name '_C' from 'detectron2' (/home/user/detectron2/detectron2/__init__.py)"
#   - text: "cannot import name '_C' from partially initialized module '{package:ident}'"
#     exception: ImportError
#     unless: ["module 'torch'"]
#     sample: "ImportError: cannot import name '_C' from partially initialized module 'rasterizer' (most likely due to a circular import)"
#   - text: "cannot import name '_C'"
#     exception: ImportError
#     unless: ["from 'torch'", "module 'torch'"]
#   - text: "cannot import name '_ext' from"
#     exception: ImportError
#     near: *families
#   - text: "name '_C' is not defined"
#     exception: NameError
#     unless: ["torch/__init__.py", 'torch\__init__.py', "dir(_C)"]
#   - text: "Failed to load custom C++ ops. Running on CPU mode Only"
#     role: symptom
#   - text: "You should install ``mmcv-full`` if you need this module"
#     role: symptom
#   - text: "No module named 'torch_scatter."
#     exception: [ModuleNotFoundError, ImportError]
#     sample: "ModuleNotFoundError: No module named 'torch_scatter.scatter_cpu'"
#   - text: "No module named 'torch_sparse."
#     exception: [ModuleNotFoundError, ImportError]
#     sample: "ModuleNotFoundError: No module named 'torch_sparse.spspmm_cpu'"
#   - text: "No module named 'torch_cluster."
#     exception: [ModuleNotFoundError, ImportError]
#     sample: "ModuleNotFoundError: No module named 'torch_cluster.graclus_cpu'"
#   - text: "No module named 'torch_spline_conv."
#     exception: [ModuleNotFoundError, ImportError]
#     sample: "ModuleNotFoundError: No module named 'torch_spline_conv.basis_cpu'"
# tags: [build, cpp-extension, import-error]
# recover: process
# needs: [compiler, "package:pip", "package:setuptools", "fault:a package whose compiled part is not there"]
# related: [install-env/extension-compile, install-env/undefined-symbol, install-env/import-from-source-folder, install-env/torch-missing-while-building]
# docs: ["https://docs.pytorch.org/tutorials/advanced/cpp_extension.html"]
# timeout: 120
# causes:
#   never-built:
#     if: >-
#       paste("named 'MultiScaleDeformableAttention'", "named 'diff_gaussian_rasterization'", "named 'diff_surfel_rasterization'", "named 'simple_knn'", "named 'pointnet2_ops'", "named 'nvdiffrast'", "named 'tinycudann'")
#       and not paste("mmcv._ext", "mmcv-full")
#     likely: paste("named 'diff_gaussian_rasterization._C'", "named 'simple_knn._C'", "named 'pointnet2_ops._ext'", "named '_raymarching", "named '_gridencoder'")
#   without-torch:
#     if: paste("mmcv._ext", "install ``mmcv-full``")
#   apex:
#     if: paste("'fused_layer_norm_cuda'", "'amp_C'")
#     sample: "ModuleNotFoundError: No module named 'fused_layer_norm_cuda'"
#   source-folder:
#     likely: >-
#       paste("cannot import name '_C' from") and paste("__init__.py)") and not paste("site-packages", "dist-packages")
#   other-python:
#     undecided: what the file is called is not printed
#   failed:
#     if: paste("name '_C' is not defined", "Failed to load custom C++ ops")
#     sample: "UserWarning: Failed to load custom C++ ops. Running on CPU mode Only!\nNameError: name '_C' is not defined\ngroundingdino/models/GroundingDINO/ms_deform_attn.py"
# cases:
#   never-built:
#     commands:
#       shell: |
#         git submodule update --init --recursive
#         python -m pip install setuptools wheel ninja
#         # the folder that holds its setup.py
#         python -m pip install --no-build-isolation ./submodules/diff-gaussian-rasterization
#       notebook: |
#         !git submodule update --init --recursive
#         %pip install setuptools wheel ninja
#         %pip install --no-build-isolation ./submodules/diff-gaussian-rasterization
#   source-folder:
#     commands:
#       shell: |
#         cd ..  # out of the checkout: the installed package is found
#         # or build in the checkout, if you change its code:
#         python -m pip install --no-build-isolation -e ./detectron2
#   without-torch:
#     commands:
#       shell: |
#         python -m pip uninstall -y mmcv mmcv-lite mmcv-full
#         python -m pip install "setuptools<81" wheel ninja
#         python -m pip install --no-build-isolation --no-cache-dir "mmcv<2.2"
#   other-python:
#     commands:
#       shell: |
#         python -m pip uninstall -y rasterizer  # the name of your package
#         python -m pip install --no-build-isolation --no-cache-dir ./rasterizer
# ---

# %%
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else setup.py warns
PYTHON = f'#include "{sysconfig.get_path("include")}/Python.h"'


def package(folder, module, inside=None, setup_only=""):
    """A small package with a compiled part `module` and Python around it, as the real ones have."""
    Path(folder).mkdir(parents=True)
    name = module.rpartition(".")[2]
    Path(folder, "part.c").write_text(
        PYTHON
        + f"""
        static PyModuleDef module = {{PyModuleDef_HEAD_INIT, "{name}", NULL, -1, NULL}};
        PyMODINIT_FUNC PyInit_{name}(void) {{ return PyModule_Create(&module); }}
        """
    )
    Path(folder, "setup.py").write_text(f"""
from setuptools import Extension, setup
parts = [Extension("{module}", ["part.c"])]
{setup_only}
setup(name="{inside or name}", version="1.0", packages=["{inside}"] if "{inside}" != "None" else [], ext_modules=parts)
""")
    if inside:
        Path(folder, inside).mkdir()
        Path(folder, inside, "__init__.py").touch()
        Path(folder, inside, "layers.py").write_text(f"from {inside} import _C\n")


def install(folder, *options):
    """`pip install`, into the folder `site` of this place."""
    pip = [sys.executable, "-m", "pip", "--isolated", "-q", "install", "--no-index", "--no-deps", "--target", "site", "--no-cache-dir"]
    subprocess.run([*pip, *options, folder], check=True)


def build(folder, **more):
    """What such an install leaves in `site`, in a second."""
    into = ["build", "--build-lib", os.path.abspath("site")]
    subprocess.run([sys.executable, "setup.py", "-q", *into], cwd=folder, check=True, **more)


def python(program, **more):
    """A new process that sees the folder `site`."""
    found = dict(os.environ, PYTHONPATH=os.path.abspath("site"), PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=found, **more)
    return (done.stdout + done.stderr).replace(f"{os.getcwd()}/", "").strip()


package("models/ops", "MultiScaleDeformableAttention")

# %% break never-built
import MultiScaleDeformableAttention as MSDA

# %% check never-built
from importlib.util import find_spec

found = find_spec("MultiScaleDeformableAttention")
print(found)  # None: it is not installed
print(list(Path().rglob("setup.py")))  # the folder that builds it
assert found is None and Path("models/ops/setup.py").exists()

# %% proof never-built
assert "No module named" in python("import MultiScaleDeformableAttention")
install("./models/ops", "--no-build-isolation")
assert python("import MultiScaleDeformableAttention as M; print(M.__file__)").startswith("site/MultiScaleDeformableAttention.")

# %%
package("detectron2", "detectron2._C", inside="detectron2")
build("./detectron2")  # a good install, and the checkout beside it

# %% break source-folder
os.chdir("detectron2")
sys.path.insert(0, "")  # as with `python -m` and in a notebook
import detectron2.layers

# %% check source-folder
PROGRAM = """
import importlib.util

print(importlib.util.find_spec("detectron2").origin)
"""
print(python(PROGRAM, cwd="detectron2"))  # a path that is not in site-packages
assert python(PROGRAM, cwd="detectron2") == "detectron2/detectron2/__init__.py"

# %% proof source-folder
assert "cannot import name '_C'" in python("import detectron2.layers", cwd="detectron2")
assert python("import detectron2.layers as n; print(n.__file__)") == "site/detectron2/layers.py"  # `cd ..`
done = subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd="detectron2")  # what `pip install -e` builds
assert python("import detectron2.layers as n; print(n.__file__)", cwd="detectron2") == "detectron2/detectron2/layers.py"

# %%
# Like mmcv: without torch, its setup.py leaves the compiled part out and says so in a line that nobody sees.
LEFT_OUT = """
try:
    import torch
except ModuleNotFoundError:
    print("Skip building ext ops due to the absence of torch.")
    parts = []
"""
package("mmcv-2.1.0", "mmcv._ext", inside="mmcv", setup_only=LEFT_OUT)
Path("mmcv-2.1.0/mmcv/ops.py").write_text("import importlib\n\next = importlib.import_module('mmcv._ext')\n")
Path("empty/torch").mkdir(parents=True)  # an isolated build has no torch
Path("empty/torch/__init__.py").write_text("raise ModuleNotFoundError(\"No module named 'torch'\")\n")
build("./mmcv-2.1.0", env=dict(os.environ, PYTHONPATH=os.path.abspath("empty")), stdout=subprocess.DEVNULL)
sys.path.insert(0, os.path.abspath("site"))

# %% break without-torch
import mmcv.ops

# %% check without-torch
import mmcv

# [] is a build without the compiled part
print(list(Path(mmcv.__file__).parent.glob("_ext*")))
assert not list(Path(mmcv.__file__).parent.glob("_ext*"))

# %% proof without-torch
assert "No module named 'mmcv._ext'" in python("import mmcv.ops")
install("./mmcv-2.1.0", "--no-build-isolation", "--upgrade")  # torch is in sight
assert python("import mmcv.ops; print('imported')") == "imported"

# %%
package("rasterizer", "rasterizer._C", inside="rasterizer")
build("./rasterizer")
for file in Path("site/rasterizer").glob("_C.*"):
    file.rename(file.with_name("_C.cpython-38-x86_64-linux-gnu.so"))  # as a build for Python 3.8 leaves it

# %% break other-python
import rasterizer._C

# %% check other-python
from importlib.machinery import EXTENSION_SUFFIXES

names = [file.name for file in Path("site/rasterizer").glob("_C*")]
print(names)
print(EXTENSION_SUFFIXES)  # what this Python loads
assert names and names[0] not in ["_C" + suffix for suffix in EXTENSION_SUFFIXES]

# %% proof other-python
assert "No module named 'rasterizer._C'" in python("import rasterizer._C")
import shutil

shutil.rmtree("site/rasterizer")
install("./rasterizer", "--no-build-isolation", "--upgrade")
assert python("import rasterizer._C; print('imported')") == "imported"
