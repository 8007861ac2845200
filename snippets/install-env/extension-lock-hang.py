# ---
# wordings:
#   - text: "file_baton.py\", line {_:int}, in wait"
#     sample: "  File \"/usr/lib/python3.8/site-packages/torch/utils/file_baton.py\", line 42, in wait"
#   - text: "torch/utils/file_baton.py in wait"
#   - text: "wait (torch/utils/file_baton.py"
#     unless: ["_run_ninja_build (torch/"]  # another process is building
#   - text: "torch/utils/file_baton.py:{_:int}, in FileBaton.wait"
#     sample: "File ~/venv/lib/python3.10/site-packages/torch/utils/file_baton.py:42, in FileBaton.wait(self)"
#   - text: "file_baton.py\", line {_:int} in wait"
#     unless: [" in _run_ninja_build", "Fatal Python error", "Windows fatal exception"]
#     sample: "  File \"/opt/venv/lib/python3.12/site-packages/torch/utils/file_baton.py\", line 50 in wait"
#   - text: "Waited on lock file \"{_:line}\" for"
#     sample: "UserWarning: Waited on lock file \"/root/.cache/torch_extensions/py310_cu121/fused/lock\" for 60 seconds."
#   - text: "This may be due to leftover lock files from the PyTorch C++ extension build process"
#   - text: "Setting up PyTorch plugin \"{plugin:ident}\"..."
#     role: symptom
#     near: [hang, stuck, 卡住, 卡死, 卡在, 不动, freez, Freez, forever, STUCK, Hang]
#     sample: "Setting up PyTorch plugin \"filtered_lrelu_plugin\"..."
# tags: [build, cpp-extension, hang]
# recover: process
# needs: [compiler, fork, "torch:<2.15"]  # 2.15.0 does not hang
# cases:
#   killed-build:
#     wrong: {restarted: "https://github.com/turboderp/exllama/issues/225"}
#     commands:
#       linux: find ~/.cache/torch_extensions -name lock -print -delete
#       macos: find ~/Library/Caches/torch_extensions -name lock -print -delete
#       powershell: Get-ChildItem "$env:LOCALAPPDATA\torch_extensions" -Recurse -Filter lock | Remove-Item
# related: [install-env/extension-compile]
# rows: [S001-108]
# docs: ["https://docs.pytorch.org/docs/stable/cpp_extension.html"]
# ---

# %%
import ctypes
import os
import signal
import subprocess
import tempfile
import time

from torch.utils.cpp_extension import _get_build_directory, load

os.environ["TORCH_EXTENSIONS_DIR"] = tempfile.mkdtemp()  # in your program: ~/.cache/torch_extensions
folder = _get_build_directory("fused", verbose=False)
source = os.path.join(folder, "fused.cpp")
with open(source, "w") as file:
    file.write('extern "C" int one() { return 1; }')


def build():
    return load("fused", [source], is_python_module=False)


def killed_while_building():
    """Another process begins the same build, and is killed in the middle of it."""
    slow, header = os.path.join(folder, "slow.cpp"), os.path.join(folder, "slow.h")
    with open(slow, "w") as file:
        file.write('#include "slow.h"')
    os.mkfifo(header)  # the compiler waits until something is written into it
    pid = os.fork()
    if pid == 0:
        os.setsid()
        load("fused", [slow], is_python_module=False)
    with open(header, "w"):  # opens as soon as the compiler reads
        os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def ctrl_c(signum, frame):
    if frame.f_code.co_filename.endswith("file_baton.py"):
        raise KeyboardInterrupt
    signal.alarm(1)  # it is still on its way there


# %% break killed-build
killed_while_building()
signal.signal(signal.SIGALRM, ctrl_c)
signal.alarm(3)  # Ctrl-C after 3 seconds: without it the next line waits for ever
build()

# %% check killed-build
# a lock that is older than any build takes was left behind
PROGRAM = """
import os
import time
from pathlib import Path

usual = Path.home() / ".cache/torch_extensions"
for lock in Path(os.environ.get("TORCH_EXTENSIONS_DIR", usual)).rglob("lock"):
    age = time.time() - lock.stat().st_mtime
    print(f"{lock.parent.name}/lock, {age:.0f} seconds old")
"""
killed_while_building()
exec(PROGRAM, {})
assert os.path.exists(os.path.join(folder, "lock"))

# %% proof killed-build
killed_while_building()
find = 'find "$TORCH_EXTENSIONS_DIR" -name lock -print -delete'
found = subprocess.run(find, shell=True, capture_output=True, text=True).stdout.split()
assert found == [os.path.join(folder, "lock")]  # this file and no other
signal.signal(signal.SIGALRM, ctrl_c)
signal.alarm(3)  # as in the break: a build that waits for the lock ends here, one that compiles does not
build()
signal.alarm(0)
assert ctypes.CDLL(os.path.join(folder, "fused.so")).one() == 1

# %% wrong restarted
# The program or the computer restarted: the lock is a file, and outlives both.
killed_while_building()
signal.signal(signal.SIGALRM, ctrl_c)
signal.alarm(3)
build()  # the next start
