# ---
# wordings:
#   - text: "Segmentation fault (core dumped)"
#     role: symptom
#     near: &torch [torch, DataLoader, train.py, accelerate, ComfyUI, Loading checkpoint shards]
#     unless: &others [tensorflow, keras, paddle, mxnet, ggml, llama.cpp, onnxruntime, libjvm, jaxlib, node_modules]
#     sample: "./run.sh: line 3: 23449 Segmentation fault      (core dumped) python train.py"
#   - text: "Segmentation fault: 11"
#     role: symptom
#     near: &shell [torch, train, DataLoader, accelerate, deepspeed, omfyUI, webui]
#     unless: *others
#   - text: "Segmentation fault python"
#     role: symptom
#     near: *shell
#     unless: *others
#     sample: "./run.sh: line 3: 23449 Segmentation fault      python train.py"
#   - text: "Segmentation fault {_:line}python"
#     role: symptom
#     near: *shell
#     unless: *others
#     sample: "./run.sh: line 3: 23449 Segmentation fault      CUDA_VISIBLE_DEVICES=0 python train.py"
#   - text: "Fatal Python error: Segmentation fault"
#     role: symptom
#     near: [torch]
#     unless: *others
#   - text: "Fatal Python error: Aborted"
#     role: symptom
#     near: [torch]
#     unless: *others
#   - text: "Fatal Python error: Bus error"
#     role: symptom
#     near: [torch]
#     unless: *others
#   - text: "Fatal Python error: Illegal instruction"
#     role: symptom
#     near: [torch]
#     unless: *others
#   - text: "Fatal Python error: Floating"
#     role: symptom
#     near: [torch]
#     unless: *others
#   - text: "Windows fatal exception: {kind:ident} {_:ident}"
#     role: symptom
#     near: [torch]
#     unless: *others
#     sample: "Windows fatal exception: access violation"
#   - text: "Process finished with exit code {code:int} (0x"
#     role: symptom
#     near: &training [torch, backward, Epoch, epoch, cuda, DataLoader]
#     unless: *others
#     sample: "Process finished with exit code -1073741819 (0xC0000005)"
#   - text: "Process finished with exit code {code:int} (interrupted by signal {number:int}: SIG"
#     role: symptom
#     near: *training
#     unless: ["signal 2: SIGINT", "signal 15: SIGTERM", tensorflow, keras, paddle, mxnet, jaxlib]
#     sample: "Process finished with exit code 139 (interrupted by signal 11: SIGSEGV)"
#   - text: "returned non-zero exit status {code:int}"
#     exception: CalledProcessError
#     role: symptom
#     near: ["exit status 3221"]
#     unless: *others
#     sample: "subprocess.CalledProcessError: Command '['C:\\venv\\Scripts\\python.exe', 'train.py']' returned non-zero exit status 3221225477."
#   - text: "died with <Signals.{name:ident}: {number:int}>"
#     exception: CalledProcessError
#     role: symptom
#     near: [accelerate, torch, train.py, deepspeed]
#     unless: [SIGINT, SIGTERM, cc1plus, ninja, setup.py, --local_rank, --local-rank, torch/distributed/launch.py]
#     sample: "subprocess.CalledProcessError: Command '['/usr/bin/python', 'train.py']' died with <Signals.SIGSEGV: 11>."
#   - text: "free(): invalid pointer"
#     role: symptom
#     near: *torch
#     unless: *others
#   - text: "double free or corruption"
#     role: symptom
#     near: *torch
#     unless: *others
#   - text: "munmap_chunk(): invalid pointer"
#     role: symptom
#     near: *torch
#     unless: *others
#   - text: "malloc(): invalid size"
#     role: symptom
#     near: *torch
#     unless: *others
#   - text: "corrupted size vs. prev_size"
#     role: symptom
#     near: *torch
#     unless: *others
#   - text: "Illegal instruction (core dumped)"
#     role: symptom
#     near: *torch
#     unless: *others
#   - text: "Floating point exception (core dumped)"
#     role: symptom
#     near: *torch
#     unless: *others
#   - text: "Bus error (core dumped)"
#     role: symptom
#     near: *torch
#     unless: *others
#   - text: "Bus error python"
#     role: symptom
#     near: *torch
#     unless: *others
#     sample: "./run.sh: line 3: 23461 Bus error               python train.py"
#   - text: "Killed python"
#     role: symptom
#     near: &trains [torch, train, DataLoader, accelerate, deepspeed]
#     unless: &builds [tensorflow, keras, paddle, mxnet, cc1plus, ninja, setup.py, "pip install"]
#     sample: "./run.sh: line 3: 23475 Killed                  python train.py"
#   - text: "Killed python3"
#     role: symptom
#     near: *trains
#     unless: *builds
#     sample: "./run.sh: line 3: 23475 Killed                  python3 train.py"
#   - text: "Killed {_:line}python3"
#     role: symptom
#     near: *trains
#     unless: *builds
#     sample: "bash: line 1: 25413 Killed                  ( python3 -m train --dump dump/raw )"
#   - text: "Out of memory: Killed process {pid:int} (python"
#     role: symptom
#     near: [python, torch]
#     sample: "Out of memory: Killed process 23475 (python) total-vm:21843460kB, anon-rss:15893344kB"
#   - text: "died with <Signals.SIGSEGV: 11>"
#     role: symptom
#     near: [torch, DataLoader, train.py, dist_train]
#     sample: "subprocess.CalledProcessError: Command '['python', 'train.py', '--local_rank=3']' died with <Signals.SIGSEGV: 11>."
#   - text: "zsh: segmentation fault"
#     role: symptom
#     near: *shell
#     unless: *others
#     sample: "zsh: segmentation fault  python train.py"
#   - text: "segmentation fault python"
#     role: symptom
#     near: *shell
#     unless: *others
#     sample: "[1]    31902 segmentation fault  python train.py"
#   - text: "segmentation fault (core dumped)"
#     role: symptom
#     near: *shell
#     unless: *others
#     sample: "[1]    31902 segmentation fault (core dumped)  python train.py"
#   - text: "terminated by signal SIGSEGV"
#     role: symptom
#     near: *shell
#     unless: *others
#     sample: "fish: Job 1, 'python train.py' terminated by signal SIGSEGV (Address boundary error)"
#   - text: "zsh: bus error"
#     role: symptom
#     near: *shell
#     unless: *others
#     sample: "zsh: bus error  python train.py"
#   - text: "bus error python"
#     role: symptom
#     near: *shell
#     unless: *others
#     sample: "[1]    4939 bus error  python train.py"
#   - text: "zsh: abort"
#     role: symptom
#     near: *shell
#     unless: *others
#     sample: "zsh: abort      python train.py"
#   - text: "zsh: illegal hardware instruction"
#     role: symptom
#     near: *shell
#     unless: *others
#     sample: "zsh: illegal hardware instruction  python train.py"
#   - text: "zsh: killed"
#     role: symptom
#     near: *trains
#     unless: *builds
#     sample: "zsh: killed     python train.py"
# tags: [crash, oom, ram]
# recover: process
# cases:
#   which-line:
#     wrong: {except-around-it: "https://github.com/santi-pdp/pase/pull/44"}
#     needs: ["fault:a read of address 0 in C code", "package:numpy"]
#     commands:
#       linux: |
#         python -X faulthandler train.py
#         PYTHONFAULTHANDLER=1 torchrun --nproc-per-node 4 train.py  # launchers and workers: by the environment
#       powershell: |
#         python -X faulthandler train.py
#         $env:PYTHONFAULTHANDLER = "1"; accelerate launch train.py
#       notebook: |
#         import faulthandler
#
#         faulthandler.enable(file=open("crash.txt", "w"))  # in the first cell; read crash.txt after the crash
#   reason-above:
#     unbroken: "which C++ error it is, is what is to be found out"
#     commands:
#       linux: "python train.py 2>&1 | grep -A 3 \"what():\""
#       powershell: "python train.py 2>&1 | Select-String \"what\\(\\)\" -Context 0,3"
#   killed-for-memory: {needs: ["fault:SIGKILL over a memory limit"]}
#   file-overwritten: {needs: ["fault:a mapped file made shorter"]}
#   too-deep: {needs: ["fault:a recursion limit beyond the stack"]}
# related: [data-loading/worker-killed, install-env/two-libtorch, memory/cpu-alloc-fail, install-env/unhandled-cpp-exception]
# docs: ["https://docs.python.org/3/library/faulthandler.html"]
# timeout: 120
# causes:
#   which-line:
#     undecided: which line crashes is what is to be found out
#   at-import:
#     if: paste("in import_module", "<frozen importlib._bootstrap>", "importlib._bootstrap_external") and paste("Fatal Python error", "Windows fatal exception")
#     likely: paste(">>> import torch", '-c "import torch', "-c 'import torch")
#     sample: |
#       Fatal Python error: Segmentation fault
#         File "<frozen importlib._bootstrap>", line 241 in _call_with_frames_removed
#         File "/opt/conda/lib/python3.11/site-packages/torch/__init__.py", line 367 in <module>
#   in-worker:
#   killed-for-memory:
#     if: paste("SIGKILL", "Killed process")
#     likely: 'paste("Killed ", "zsh: killed") and paste("python")'
#   too-deep:
#     if: paste("0xC00000FD", "3221225725", "stack overflow", "Stack overflow")
#     likely: paste("setrecursionlimit")
#   file-overwritten:
#     if: paste("Bus error", "SIGBUS") and paste("serialization.py", "safetensors")
#   bus-error:
#     likely: paste("Bus error", "bus error", "SIGBUS")
#     sample: "subprocess.CalledProcessError: Command '['/usr/bin/python', 'train.py']' died with <Signals.SIGBUS: 7>."
#   floating-point:
#     if: 'paste("Floating point exception", "SIGFPE", "Signal 8 ", "signal 8 ", "Fatal Python error: Floating") and paste("H20")'
#     likely: 'paste("Floating point exception", "SIGFPE", "Signal 8 ", "signal 8 ", "Fatal Python error: Floating")'
#     sample: "NVIDIA H20: torch.matmul(a, b)\nFloating point exception (core dumped)"
#   jetson:
#     if: paste("Illegal instruction", "illegal instruction") and paste("Jetson", "jetson", "aarch64", "tegra", "JetPack")
#     sample: |
#       jetson@nano:~$ python3 -c "import torch"
#       Illegal instruction (core dumped)
#   illegal-instruction:
#     if: paste("Illegal instruction", "illegal instruction", "illegal hardware instruction", "SIGILL", "0xC000001D", "3221225501")
#     sample: "subprocess.CalledProcessError: Command '['/usr/bin/python', 'train.py']' died with <Signals.SIGILL: 4>."
#   reason-above:
#     if: 'paste("Fatal Python error: Aborted", "SIGABRT") and paste("terminate called after", "what():")'
#     sample: "terminate called after throwing an instance of 'c10::Error'\n  what():  CUDA error: named symbol not found\nFatal Python error: Aborted\n  File \"/opt/conda/lib/python3.11/site-packages/torch/nn/modules/linear.py\", line 125 in forward"
#   package-mismatch:
#     likely: paste("free()", "double free", "munmap_chunk", "malloc()", "corrupted size")
#     sample: "double free or corruption (out)\n./run.sh: line 3: 23475 Aborted                 (core dumped) python train.py"
# ---

# %%
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import torch


def rss_mb(pid, what="RssAnon"):
    """MB of RAM of a process that the kernel cannot take back: not its mapped files."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(what):
            return int(line.split()[1]) / 1024
    return 0


def shell(command, spare_mb=None, show=True):
    """Run a line in a shell, as run.sh does. Over `spare_mb` the program is killed: for real, but by us in place of the kernel."""
    Path("run.sh").write_text(command + "\nexit $?\n")
    shell = subprocess.Popen(["bash", "run.sh"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    while spare_mb and shell.poll() is None:
        for child in Path(f"/proc/{shell.pid}/task/{shell.pid}/children").read_text().split():
            try:
                if "ready" in os.listdir() and rss_mb(child) > base_mb(child) + spare_mb:
                    os.kill(int(child), signal.SIGKILL)
            except (ProcessLookupError, FileNotFoundError):
                pass
        time.sleep(0.002)
    printed = shell.communicate()[0].replace(sys.executable, "python")
    print(printed.strip() if show else "")
    return shell.returncode, printed


def base_mb(pid):
    """What the program held when it had imported torch and written `ready`."""
    return float(Path("ready").read_text() or "1e9")


python = sys.executable

# %%
Path("train.py").write_text(
    """
import ctypes
import torch

x = torch.ones(3)
ctypes.string_at(0)  # stands for a call into a package whose C code fails
"""
)

# %% break which-line
shell(f"{python} train.py")

# %% check which-line
# 139 = 128 + 11 (SIGSEGV); Windows: 3221225477 = 0xC0000005
COMMAND = "python train.py; echo $?"
_, printed = shell(COMMAND.replace("python", python))
assert printed.split()[-1] == "139" and 'File "' not in printed

# %% proof which-line
status, printed = shell(f"{python} -X faulthandler train.py", show=False)
assert status == 139 and "train.py\", line 6 in <module>" in printed
status, printed = shell(f"PYTHONFAULTHANDLER=1 {python} train.py", show=False)
assert status == 139 and "train.py\", line 6 in <module>" in printed

# %% wrong except-around-it
# `try` and `except` around the line: C code that reads a wrong address raises nothing, and the
# process ends all the same.
Path("train.py").write_text(
    """
import ctypes

try:
    ctypes.string_at(0)
except BaseException:
    print("caught")
print("goes on")
"""
)
status, printed = shell(f"{python} train.py")
assert status == 139 and "caught" not in printed and "goes on" not in printed

# %%
LOAD = """
import torch
status = open("/proc/self/status").read().split("RssAnon:")[1]
open("ready", "w").write(str(int(status.split()[0]) / 1024))
{load}
total = sum(float(weight.sum()) for weight in state.values())
print("sum of all weights:", total)
"""
torch.save({f"layer{i}": torch.full((2**20,), float(i)) for i in range(50)}, "model.pt")  # 200 MB

# %% break killed-for-memory
Path("train.py").write_text(LOAD.format(load='state = torch.load("model.pt")'))
shell(f"{python} train.py", spare_mb=100)

# %% check killed-for-memory
Path("train.py").write_text(LOAD.format(load='state = torch.load("model.pt")'))
# 137 = 128 + 9 (SIGKILL): somebody killed it, mostly the kernel
COMMAND = "python train.py; echo $?"
_, printed = shell(COMMAND.replace("python", python), spare_mb=100)
assert printed.split()[-1] == "137"

# %% fix killed-for-memory
import torch

# reads each weight when it is used; RAM is not filled
state = torch.load("model.pt", mmap=True)

# %% proof killed-for-memory
assert float(state["layer7"][5]) == 7 and "model.pt" in Path("/proc/self/maps").read_text()
Path("train.py").write_text(LOAD.format(load='state = torch.load("model.pt", mmap=True)'))
before = rss_mb("self")
again = [weight.sum().item() for weight in state.values()]
assert again == [float(i) * 2**20 for i in range(50)] and rss_mb("self") < before + 50  # 200 MB were read, none are held
status, printed = shell(f"{python} train.py", spare_mb=100)
assert status == 0 and "sum of all weights: 1284505600.0" in printed

# %%
torch.save({"weight": torch.ones(2**20)}, "last.pt")

# %% break file-overwritten
Path("train.py").write_text(
    """
import torch

state = torch.load("last.pt", mmap=True)
torch.save(state, "last.pt")  # empties the file that holds the weights
"""
)
shell(f"{python} -X faulthandler train.py")

# %% check file-overwritten
state = torch.load("last.pt", mmap=True)
# True: this program reads its weights out of that file
print("last.pt" in Path("/proc/self/maps").read_text())
assert "last.pt" in Path("/proc/self/maps").read_text()

# %% fix file-overwritten
import os

import torch

state = torch.load("last.pt", mmap=True)
torch.save(state, "last.pt.new")
os.replace("last.pt.new", "last.pt")  # at once; who has the old file open keeps it

# %% proof file-overwritten
assert torch.equal(state["weight"], torch.ones(2**20))
assert "last.pt (deleted)" in Path("/proc/self/maps").read_text()  # still read out of the old file
assert torch.equal(torch.load("last.pt")["weight"], torch.ones(2**20))
assert not os.path.exists("last.pt.new")

# %%
TREE = """
import sys
from torch import nn

sys.setrecursionlimit({limit})

class Tree(nn.Module):
    def forward(self, depth):
        return self(depth + 1)  # without an end

Tree()(0)
"""

sys.setrecursionlimit(10**6)  # as in a program that crashes

# %% break too-deep
Path("train.py").write_text(TREE.format(limit=10**8) + "# sys.setrecursionlimit\n")
shell(
    f"{python} -X faulthandler train.py 2>&1 | head -5; "
    "grep -n setrecursionlimit train.py"
)

# %% check too-deep
import resource
import sys

# 1000 is usual; more than 100 000 may outgrow the stack
print(sys.getrecursionlimit())
print(resource.getrlimit(resource.RLIMIT_STACK)[0])  # bytes of stack; -1: no limit
assert sys.getrecursionlimit() > 100_000

# %% fix too-deep
import sys

sys.setrecursionlimit(1000)  # the usual; take your own sys.setrecursionlimit(…) out

# %% proof too-deep
assert sys.getrecursionlimit() == 1000
Path("train.py").write_text(TREE.format(limit=sys.getrecursionlimit()))
status, printed = shell(f"{python} train.py")
assert status == 1 and "RecursionError: maximum recursion depth exceeded" in printed

# %% proof reason-above
PROGRAM = """
import os
os.write(2, b"step 7\\nterminate called after throwing an instance of 'c10::Error'\\n  what():  CUDA error: named symbol not found\\n")
os.abort()
"""
Path("train.py").write_text(PROGRAM)
where = {"PATH": f"{os.path.dirname(python)}:{os.environ['PATH']}"}
done = subprocess.run(commands["linux"], shell=True, env={**os.environ, **where}, capture_output=True, text=True)
assert done.stdout.startswith("  what():  CUDA error: named symbol not found") and "step 7" not in done.stdout
