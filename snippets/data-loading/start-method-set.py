# ---
# wordings:
#   - text: "context has already been set"
#     exception: RuntimeError
#   - text: "cannot find context for '{method:ident}'"
#     exception: ValueError
#     sample: "ValueError: cannot find context for 'fork'"
# tags: [multiprocessing, dataloader, notebook]
# recover: process
# needs: [fork]
# cases:
#   no-guard: {needs: ["fault:a script without a guard, run beside this one"]}
#   no-fork: {needs: ["fault:Python's table of start methods as on Windows, without fork"]}
# timeout: 120
# related: [data-loading/spawn-guard, devices/fork-cuda-init, data-loading/pickle-worker]
# docs: ["https://docs.python.org/3/library/multiprocessing.html#contexts-and-start-methods", "https://docs.pytorch.org/docs/stable/notes/multiprocessing.html"]
# causes:
#   set-late:
#     likely: frames("set_start_method") and not read(method)
#   no-guard:
#     if: paste("spawn_main", "_fixup_main_from", "__mp_main__")
#   no-fork:
#     if: method in ["fork", "forkserver"]
#   notebook:
#     case: set-late
#     if: paste("Cell In[", "ipython-input", "ipykernel", "Input In [") and not paste("spawn_main", "_fixup_main_from")
#     sample: |
#       Cell In[7], line 3
#       ----> 3 mp.set_start_method("spawn")
#       RuntimeError: context has already been set
# ---

# %%
import subprocess
import sys
from pathlib import Path

import torch
import torch.multiprocessing as mp

if __name__ == "__main__":
    mp.set_start_method(None, force=True)  # not set, as in a new Python

# A script without a guard: the process that it starts runs it once more.
TRAIN = """
import torch.multiprocessing as mp

mp.set_start_method("spawn")


def train(rank):
    print("process", rank)


process = mp.Process(target=train, args=(0,))
process.start()
process.join()
"""

# %% break no-guard
Path("train.py").write_text(TRAIN)
done = subprocess.run([sys.executable, "train.py"], capture_output=True, text=True)
print((done.stdout + done.stderr).replace(str(Path.cwd()) + "/", ""))
assert "context has already been set" in done.stderr

# %% fix no-guard
import torch
import torch.multiprocessing as mp


def train(rank):
    torch.save({"rank": rank}, f"rank{rank}.pt")


if __name__ == "__main__":
    mp.set_start_method("spawn")
    process = mp.Process(target=train, args=(0,))
    process.start()
    process.join()

# %% proof no-guard
if __name__ == "__main__":
    assert process.exitcode == 0 and torch.load("rank0.pt") == {"rank": 0}
    assert mp.get_start_method() == "spawn"

# %%
mp.set_start_method("fork")
lock = mp.Lock()  # a library that was imported did this

# %% break set-late
import torch.multiprocessing as mp

mp.set_start_method("spawn")

# %% check set-late
import torch.multiprocessing as mp

print(mp.get_start_method(allow_none=True))  # None: not set yet
assert mp.get_start_method(allow_none=True) == "fork"

# %% fix set-late
import torch.multiprocessing as mp

mp.set_start_method("spawn", force=True)

# %% proof set-late
assert mp.get_start_method() == "spawn"
# What was made before belongs to the old start method, and does not go into a new process.
try:
    mp.Process(target=print, args=(lock,)).start()
except RuntimeError as error:
    assert "SemLock created in a fork context" in str(error)
else:
    raise AssertionError
# The other ways of the page set nothing for the rest of the program.
loader = torch.utils.data.DataLoader(range(4), num_workers=1, multiprocessing_context="fork")
assert loader.multiprocessing_context.get_start_method() == "fork"
assert mp.get_context("fork").Process is not mp.get_context("spawn").Process and mp.get_start_method() == "spawn"

# %%
from multiprocessing import context

mp.set_start_method(None, force=True)
context._concrete_contexts.pop("fork", None)  # as on Windows

# %% break no-fork
mp.set_start_method("fork")

# %% fix no-fork
import torch.multiprocessing as mp

print(mp.get_all_start_methods())
mp.set_start_method("spawn")  # every system has it

# %% proof no-fork
assert mp.get_start_method() == "spawn"
