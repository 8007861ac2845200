# ---
# wordings:
#   - text: "[WinError 126] {_:line} Error loading \"{dll:line}\" or one of its dependencies"
#     exception: OSError
#     sample: "OSError: [WinError 126] The specified module could not be found. Error loading \"D:\\app\\conda\\envs\\windows\\lib\\site-packages\\torch\\lib\\shm.dll\" or one of its dependencies."
#   - text: "[WinError 127] {_:line} Error loading \"{dll:line}\" or one of its dependencies"
#     exception: OSError
#     sample: "OSError: [WinError 127] The specified procedure could not be found. Error loading \"C:\\Users\\user\\anaconda3\\envs\\env\\lib\\site-packages\\torch\\lib\\caffe2_detectron_ops.dll\" or one of its dependencies."
#   - text: "[WinError 1114] {_:line} Error loading \"{dll:line}\" or one of its dependencies"
#     exception: OSError
#     sample: "OSError: [WinError 1114] A dynamic link library (DLL) initialization routine failed. Error loading \"C:\\Program Files\\Python311\\Lib\\site-packages\\torch\\lib\\c10.dll\" or one of its dependencies."
#   - text: "[WinError 193] {_:line} Error loading \"{dll:line}\" or one of its dependencies"
#     exception: OSError
#     sample: "OSError: [WinError 193] %1 is not a valid Win32 application. Error loading \"C:\\Python39\\lib\\site-packages\\torch\\lib\\asmjit.dll\" or one of its dependencies."
#   - text: "[WinError 182] {_:line} Error loading \"{dll:line}\" or one of its dependencies"
#     exception: OSError
#     sample: "OSError: [WinError 182] The operating system cannot run %1. Error loading \"C:\\Python37\\lib\\site-packages\\torch\\lib\\c10.dll\" or one of its dependencies."
#   - text: "The specified module could not be found. Error loading \""
#     exception: OSError
#   - text: "The specified procedure could not be found. Error loading \""
#     exception: OSError
#   - text: "找不到指定的模块。 Error loading \""
#     exception: OSError
#   - text: "OSError: [WinError 126]"
#     near: &windows ['torch\', 'torch/', import torch, torch_init_, from torch, '.dll" or one of its dependencies']
#   - text: "OSError: [WinError 127]"
#     near: *windows
#   - text: "OSError: [WinError 1114]"
#     near: *windows
#   - text: "OSError: [WinError 193]"
#     near: *windows
#   - text: "OSError: [WinError 182]"
#     near: *windows
#   - text: "The specified module could not be found. Error loading \"{dll:line}\" or one of its dependencies"
#     exception: OSError
#     sample: "The specified module could not be found. Error loading \"C:\\Python311\\Lib\\site-packages\\torch\\lib\\c10.dll\" or one of its dependencies."
#   - text: "The specified procedure could not be found. Error loading \"{dll:line}\" or one of its dependencies"
#     exception: OSError
#     sample: "The specified procedure could not be found. Error loading \"C:\\Python311\\Lib\\site-packages\\torch\\lib\\c10.dll\" or one of its dependencies."
#   - text: "A dynamic link library (DLL) initialization routine failed. Error loading \"{dll:line}\" or one of its dependencies"
#     exception: OSError
#     sample: "A dynamic link library (DLL) initialization routine failed. Error loading \"C:\\Python311\\Lib\\site-packages\\torch\\lib\\c10.dll\" or one of its dependencies."
#   - text: "找不到指定的模块。 Error loading \"{dll:line}\" or one of its dependencies"
#     exception: OSError
#     sample: "找不到指定的模块。 Error loading \"C:\\Python311\\Lib\\site-packages\\torch\\lib\\c10.dll\" or one of its dependencies."
#   - text: "找不到指定的程序。 Error loading \"{dll:line}\" or one of its dependencies"
#     exception: OSError
#     sample: "找不到指定的程序。 Error loading \"C:\\Python311\\Lib\\site-packages\\torch\\lib\\c10.dll\" or one of its dependencies."
#   - text: "动态链接库(DLL)初始化例程失败。 Error loading \"{dll:line}\" or one of its dependencies"
#     exception: OSError
#     sample: "动态链接库(DLL)初始化例程失败。 Error loading \"C:\\Python311\\Lib\\site-packages\\torch\\lib\\c10.dll\" or one of its dependencies."
#   - text: "Could not find module '{dll:line}' (or one of its dependencies)"
#     exception: FileNotFoundError
#     near: ['torch\', torch_, 'torchvision\', 'torchaudio\', import torch]
#     sample: "FileNotFoundError: Could not find module 'C:\\Python38\\lib\\site-packages\\torch\\lib\\caffe2_nvrtc.dll' (or one of its dependencies). Try using the full path with constructor syntax."
#   - text: "DLL load failed while importing {_:ident}:"
#     exception: ImportError
#     near: &pydll ['torch\', 'torch/', torch._C, from torch, torch_, torchvision, torchaudio, importing _C]
#     sample: "ImportError: DLL load failed while importing _C: The specified procedure could not be found."
#   - text: "DLL load failed:"
#     exception: ImportError
#     near: *pydll
#   - text: "DLL load failed with error code"
#     exception: ImportError
#     near: *pydll
#   - text: "Microsoft Visual C++ Redistributable is not installed, this may lead to the DLL load failure"
#   - text: "dll\" or one of its dependencies"
#     near: ['\torch\', '/torch/']
# tags: [import-error, shared-library]
# recover: process
# needs: ["torch:2.6", "fault:a stand-in for Windows' loader"]
# related: [data-loading/winerror-1455, install-env/openmp-duplicate, install-env/torchvision-nms]
# docs: ["https://docs.pytorch.org/docs/stable/notes/windows.html"]
# causes:
#   vc-runtime:
#     if: 'paste("Redistributable is not installed")'
#     likely: 'paste("c10.dll") and paste("[WinError 1114]", "initialization routine failed", "初始化例程失败", "[WinError 126]", "[WinError 182]")'
#   mixed-files:
#     likely: 'paste("[WinError 127]", "specified procedure could not be found. Error loading", "找不到指定的程序。 Error loading", "[WinError 193]")'
#   other-release:
#     if: 'paste("fbgemm.dll", "libomp140")'
#     likely: 'paste("shm.dll") and frames("PythonSoftwareFoundation") or paste("shm.dll") and frames("venv")'
#   extension:
#     likely: 'paste("DLL load failed while importing _", "DLL load failed while importing torch_") and not paste("torch\\__init__.py", "torch._C import", "torch/__init__.py")'
#     sample: |
#       import torch_scatter
#         File "D:\venv\lib\site-packages\mmcv\utils\ext_loader.py", line 13, in load_ext
#       ImportError: DLL load failed while importing _ext: The specified procedure could not be found.
# cases:
#   vc-runtime:
#     commands:
#       powershell: |
#         winget install --exact --id "Microsoft.VCRedist.2015+.x64"
#         python -c "import torch"
#   other-release:
#     commands:
#       powershell: |
#         # …/cu128 or the like for a GPU, …/cpu without: PyPI's torch for Windows has no CUDA
#         python -m pip install --upgrade torch torchvision --index-url https://download.pytorch.org/whl/cu128
#       comfyui: .\python_embeded\python.exe -s -m pip install --upgrade torch torchvision torchaudio --index-url https://download.pytorch.org/whl/cu128
#   mixed-files:
#     wrong: {installed-over-it: "https://github.com/KoboldAI/KoboldAI-Client/issues/391"}
#     commands:
#       powershell: |
#         python -m pip uninstall -y torch
#         Remove-Item -Recurse C:\venv\Lib\site-packages\torch  # the folder of the message
#         # …/cu128 or the like for a GPU, …/cpu without: PyPI's torch for Windows has no CUDA
#         python -m pip install --no-cache-dir torch torchvision --index-url https://download.pytorch.org/whl/cu128
#       comfyui: |
#         .\python_embeded\python.exe -s -m pip uninstall -y torch
#         rmdir /s /q .\python_embeded\Lib\site-packages\torch
#         .\python_embeded\python.exe -s -m pip install torch torchvision torchaudio --index-url https://download.pytorch.org/whl/cu128
# ---

# %%
import ast
import builtins
import ctypes
import glob
import importlib.util
import json
import os
import platform
import sys
import textwrap
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

SAYS = {
    126: "The specified module could not be found.",
    127: "The specified procedure could not be found.",
    1114: "A dynamic link library (DLL) initialization routine failed.",
}
LIB, SYSTEM = Path("site/torch/lib"), Path("System32")
state, loaded = SimpleNamespace(error=0), []
WinError = type("OSError", (OSError,), {"__module__": "builtins", "__str__": lambda self: f"[WinError {self.errno}] {self.strerror}"})


def dll(path, *needs, version=0, functions=()):
    """A file that stands for a DLL: what it needs (a name, and a function or a version of it), and what it has."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(json.dumps({"needs": needs, "version": version, "functions": functions}))


def load(path):
    """What Windows' loader does: 126 if a DLL that is needed is in no folder, 127 if it lacks a function, 1114 if it cannot start; 0 if all is there."""
    path = next((folder / path for folder in (LIB, SYSTEM) if (folder / path).exists()), Path(path))
    if not path.exists():
        return 126
    for name, wanted in json.loads(path.read_text())["needs"]:
        if error := load(name):
            return error
        found = json.loads(next(folder / name for folder in (LIB, SYSTEM) if (folder / name).exists()).read_text())
        if isinstance(wanted, str) and wanted not in found["functions"]:
            return 127
        if not isinstance(wanted, str) and wanted > found["version"]:
            return 1114
    return 0


def load_library(path, *_):
    state.error = load(Path(path).resolve())
    loaded.append(Path(path).name)
    return None if state.error else 1


def cdll(name):
    if error := load(name):
        raise WinError(error, SAYS[error])


ctypes.WinDLL = cdll
kernel32 = SimpleNamespace(SetErrorMode=lambda mode: 0, AddDllDirectory=None)
for name in ("LoadLibraryW", "LoadLibraryExW"):
    setattr(kernel32, name, type("Function", (), {"__call__": lambda self, *arguments: load_library(*arguments)})())
windows = SimpleNamespace(
    WinDLL=lambda *_, **__: kernel32, CDLL=cdll, get_last_error=lambda: state.error, WinError=lambda code: WinError(code, SAYS[code]), c_void_p=ctypes.c_void_p
)


def import_torch():
    """torch's own code for Windows, on that loader."""
    os.add_dll_directory = lambda path: None
    tree = ast.parse(Path(find_spec("torch").origin).read_text())
    code = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "_load_dll_libraries")
    names = {**globals(), "ctypes": windows, "__file__": "site/torch/__init__.py", "textwrap": textwrap, "glob": glob, "builtins": builtins}
    exec(compile(ast.Module([code], []), "torch/__init__.py", "exec"), names)
    loaded.clear()
    looks, importlib.util.find_spec = importlib.util.find_spec, lambda name: None  # from 2.15 on it looks beside torch._C
    try:
        names["_load_dll_libraries"]()
    finally:
        importlib.util.find_spec = looks


for name in ("vcruntime140.dll", "msvcp140.dll", "vcruntime140_1.dll"):
    dll(SYSTEM / name, version=14.29)

# %%
dll(LIB / "c10.dll", ("msvcp140.dll", 14.38))

# %% break vc-runtime
import_torch()

# %% proof vc-runtime
for name in ("vcruntime140.dll", "msvcp140.dll", "vcruntime140_1.dll"):  # what the installer replaces
    dll(SYSTEM / name, version=14.44)
import_torch()
assert loaded == ["c10.dll"]

# %%
dll(LIB / "c10.dll", ("msvcp140.dll", 14.2))
dll(LIB / "fbgemm.dll", ("msvcp140.dll", 14.2), ("libomp140.x86_64.dll", 0))

# %% break other-release
import_torch()

# %% check other-release
import ctypes
import re
from pathlib import Path

lib = Path("site/torch/lib")  # the folder and the file that the message names
data = (lib / "fbgemm.dll").read_bytes()
for name in sorted(set(re.findall(rb"[\w.-]+\.dll", data, re.IGNORECASE))):
    if not (lib / name.decode()).exists():
        try:
            ctypes.WinDLL(name.decode())
        except OSError:
            print(name.decode())  # this one is missing
            assert name == b"libomp140.x86_64.dll"

# %% proof other-release
dll(LIB / "fbgemm.dll", ("msvcp140.dll", 14.2), ("libiomp5md.dll", 0))  # 2.4.1 needs another runtime,
dll(LIB / "libiomp5md.dll")  # and brings it
import_torch()
assert sorted(loaded) == ["c10.dll", "fbgemm.dll", "libiomp5md.dll"]

# %%
# A newer torch was written over an older one, of which a file was left: torch loads every .dll of the folder.
dll(LIB / "fbgemm.dll")
dll(LIB / "torch_cpu.dll", functions=["new_function"])
dll(LIB / "nvfuser_codegen.dll", ("torch_cpu.dll", "old_function"))
Path("site/torch-2.9.0.dist-info").mkdir()
Path("site/torch-2.9.0.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.9.0\n")
Path("site/torch-2.9.0.dist-info/RECORD").write_text("".join(f"torch/lib/{name}.dll,,\n" for name in ("c10", "fbgemm", "torch_cpu")))
sys.path.insert(0, "site")

# %% break mixed-files
import_torch()

# %% check mixed-files
from importlib.metadata import files
from pathlib import Path

lib = Path("site/torch/lib")  # the folder that the message names
listed = {file.name for file in files("torch")}
left = [file.name for file in lib.glob("*.dll") if file.name not in listed]
print(left)  # files that this torch did not bring
assert left == ["nvfuser_codegen.dll"]

# %% proof mixed-files
(LIB / "nvfuser_codegen.dll").unlink()  # an install into an empty folder does not have it
import_torch()
assert "torch_cpu.dll" in loaded and "nvfuser_codegen.dll" not in loaded

# %% wrong installed-over-it
# The installer again, or `pip install --force-reinstall torch`: pip removes and writes the files of
# its own list. A file that is in no list stays, and is loaded again.
from importlib.metadata import files

for file in files("torch"):
    if file.suffix == ".dll":
        content = Path(file.locate()).read_text()
        Path(file.locate()).unlink()
        Path(file.locate()).write_text(content)
import_torch()
