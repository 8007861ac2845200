# ---
# wordings:
#   - text: "[WinError 1455] {_:line} Error loading \"{dll:line}\" or one of its dependencies"
#     exception: OSError
#     sample: "OSError: [WinError 1455] The paging file is too small for this operation to complete. Error loading \"D:\\anaconda3\\envs\\yolo\\lib\\site-packages\\torch\\lib\\caffe2_detectron_ops_gpu.dll\" or one of its dependencies."
#   - text: "[WinError 1455] The paging file is too small"
#     exception: OSError
#     near: &torch [torch, DataLoader, num_workers]
#   - text: "OSError: [WinError 1455]"
#     near: *torch
#   - text: "DLL load failed: The paging file is too small for this operation to complete"
#     exception: ImportError
#   - text: "The paging file is too small for this operation to complete"
#     near: &loading [safe_open, load_file, torch, DataLoader, safetensors, transformers, diffusers, comfy, Comfy, ultralytics]
#   - text: "DLL load failed: 页面文件太小"
#     exception: ImportError
#     sample: "ImportError: DLL load failed: 页面文件太小，无法完成操作。"
#   - text: "(os error 1455)"
#     exception: OSError
#     near: *loading
#   - text: "Couldn't open shared file mapping"
#     exception: RuntimeError
#     near: ["1455"]
#     sample: "RuntimeError: Couldn't open shared file mapping: torch_7600_2359128734_3, error code: 1455"
# tags: [dataloader, multiprocessing, ram]
# recover: process
# needs: [fork, "torch:2.6", "fault:a stand-in for Windows' loader"]
# outranks: [dll-load-failed, worker-killed, spawn-guard]
# related: [install-env/dll-load-failed, data-loading/worker-killed, memory/cpu-alloc-fail]
# docs: ["https://docs.pytorch.org/docs/stable/notes/windows.html"]
# causes:
#   workers:
#     if: 'paste("spawn_main", "multiprocessing\\spawn.py", "multiprocessing/spawn.py", "DataLoader worker", "num_workers", "shared file mapping") and not paste("(os error 1455)")'
#     likely: paste("Error loading")
#   checkpoint:
#     case: paging-file
#     if: paste("(os error 1455)", "safe_open", "load_file", "from_pretrained")
#     sample: |
#       File "C:\venv\Lib\site-packages\transformers\modeling_utils.py", line 508, in load_state_dict
#         with safe_open(checkpoint_file, framework="pt") as f:
#       OSError: The paging file is too small for this operation to complete. (os error 1455)
#   paging-file:
#     undecided: an import says nothing of what else holds the memory
# cases:
#   paging-file:
#     commands:
#       powershell: |
#         SystemPropertiesPerformance  # Advanced, Virtual memory, Change: system managed size, or 1.5 times the RAM
#         # then restart Windows
#   workers:
#     wrong: {smaller-batches: "https://github.com/prophesier/diff-svc/issues/24"}
# ---

# %%
import ast
import builtins
import ctypes
import glob
import importlib.util
import os
import platform
import sys
import textwrap
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import torch
from torch.utils.data import DataLoader, TensorDataset, _utils

torch.multiprocessing.set_start_method("fork", force=True)
Path("torch/lib").mkdir(parents=True)
Path("torch/lib/torch_cuda.dll").touch()
room = 4  # processes whose DLLs fit into RAM and paging file together
SAYS = "The paging file is too small for this operation to complete."
WinError = type("OSError", (OSError,), {"__module__": "builtins", "__str__": lambda self: f"[WinError {self.errno}] {self.strerror}"})


def load_library(*_):
    """Windows promises memory for the DLLs to every process anew; with none left to promise this fails."""
    for place in range(room):
        try:
            os.close(os.open(f"taken-{place}", os.O_CREAT | os.O_EXCL))
            return 1
        except FileExistsError:
            pass
    return None


kernel32 = SimpleNamespace(SetErrorMode=lambda mode: 0, AddDllDirectory=None)
for name in ("LoadLibraryW", "LoadLibraryExW"):
    setattr(kernel32, name, type("Function", (), {"__call__": lambda self, *arguments: load_library()})())
windows = SimpleNamespace(
    WinDLL=lambda *_, **__: kernel32, CDLL=lambda name: None, get_last_error=lambda: 1455, WinError=lambda code: WinError(code, SAYS), c_void_p=ctypes.c_void_p
)


def import_torch():
    """torch's own code for Windows, on that loader."""
    os.add_dll_directory = lambda path: None
    tree = ast.parse(Path(find_spec("torch").origin).read_text())
    code = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "_load_dll_libraries")
    names = {**globals(), "ctypes": windows, "__file__": "torch/__init__.py", "builtins": builtins, "glob": glob, "textwrap": textwrap, "platform": platform}
    exec(compile(ast.Module([code], []), "torch/__init__.py", "exec"), names)
    looks, importlib.util.find_spec = importlib.util.find_spec, lambda name: None  # from 2.15 on it looks beside torch._C
    try:
        names["_load_dll_libraries"]()
    finally:
        importlib.util.find_spec = looks


def worker_on_windows(*arguments, run=_utils.worker._worker_loop):
    """A worker there is a new Python (spawn_main) that imports torch for itself."""
    import_torch()
    run(*arguments)


_utils.worker._worker_loop = worker_on_windows
dataset = TensorDataset(torch.arange(64.0))


def shown(program):
    """Run the program in a process of its own; what this and its workers printed."""
    with open("printed", "w") as file:
        if not (pid := os.fork()):
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
            sys.stdout = sys.stderr = open(2, "w", buffering=1)
            try:
                program()
            except BaseException:
                import traceback

                traceback.print_exc()
            os._exit(0)
        os.waitpid(pid, 0)
    return Path("printed").read_text()


import_torch()  # the training itself takes one place

# %% break workers
print(shown(lambda: list(DataLoader(dataset, batch_size=8, num_workers=6))))

# %% fix workers
from torch.utils.data import DataLoader

loader = DataLoader(dataset, batch_size=8, num_workers=2, persistent_workers=True)

# %% proof workers
assert len(loader) == 8
for epoch in range(3):
    assert torch.cat([batch for (batch,) in loader]).tolist() == list(range(64))
assert len(list(Path().glob("taken-*"))) == 3

# %% wrong smaller-batches
# A smaller batch size: each worker loads the same DLLs, whatever it does then.
printed = shown(lambda: list(DataLoader(dataset, batch_size=1, num_workers=6)))
print(printed[printed.index("[WinError") :])
assert "[WinError 1455] The paging file is too small" in printed

# %%
for place in range(1, room):
    Path(f"taken-{place}").touch()  # other programs hold the rest

# %% break paging-file
import_torch()

# %% proof paging-file
room = 8  # a larger paging file
import_torch()
assert len(list(Path().glob("taken-*"))) == 5
