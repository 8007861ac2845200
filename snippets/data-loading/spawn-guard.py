# ---
# wordings:
#   - text: "An attempt has been made to start a new process before"
#     exception: RuntimeError
#   - text: "process has finished its bootstrapping phase"
#     exception: RuntimeError
#   - text: "[Errno 32] Broken pipe"
#     exception: BrokenPipeError
#     role: symptom
#     near: [popen_spawn_win32, "ForkingPickler(file, protocol)", 'torch\utils\data\dataloader.py']
#     sample: "BrokenPipeError: [Errno 32] Broken pipe"
# tags: [dataloader, multiprocessing]
# recover: fix
# needs: ["fault:the start method of Windows, macOS and Python 3.14"]
# outranks: [pickle-worker, worker-killed]
# related: [data-loading/pickle-worker, data-loading/loader-hangs, data-loading/worker-killed]
# docs: ["https://docs.pytorch.org/docs/stable/notes/windows.html#multiprocessing-error-without-if-clause-protection", "https://docs.python.org/3/library/multiprocessing.html#contexts-and-start-methods"]
# causes:
#   no-guard:
#     likely: not paste("forkserver", "python3.14", "Python314")
#   linux-314:
#     likely: paste("forkserver.py", "popen_forkserver", "python3.14")
#     sample: |
#       File "/usr/lib/python3.14/multiprocessing/forkserver.py", line 261, in connect_to_new_process
#       RuntimeError:
#               An attempt has been made to start a new process before the
#               current process has finished its bootstrapping phase.
#   in-imported-module:
#     case: no-guard
#   frozen-program:
#   notebook:
# ---

# %%
import multiprocessing
import subprocess
import sys
from pathlib import Path

import torch
from torch.utils.data import DataLoader

multiprocessing.set_start_method("spawn", force=True)  # as on Windows and on a Mac
dataset = torch.arange(8)
seen = []


def model(batch):
    seen.append(batch.tolist())


def run(program, method):
    """Run train.py in a new process that starts its workers in this way; prints what it prints."""
    first = f"import multiprocessing\nmultiprocessing.set_start_method({method!r}, force=True)\n"
    Path("train.py").write_text(first + program)
    done = subprocess.run([sys.executable, "train.py"], capture_output=True, text=True)
    printed = (done.stdout + done.stderr).replace(str(Path.cwd()) + "/", "")
    print(printed)
    return printed


TRAIN = """
import torch
from torch.utils.data import DataLoader

dataset = torch.arange(8)
for batch in DataLoader(dataset, batch_size=2, num_workers=1):
    print(batch.tolist())
"""

# %% break no-guard
run(TRAIN, "spawn")

# %% check no-guard
import torch

# spawn, forkserver: workers import your file
print(torch.multiprocessing.get_start_method())
assert torch.multiprocessing.get_start_method() != "fork"

# %% fix no-guard
from torch.utils.data import DataLoader


def main():
    for batch in DataLoader(dataset, batch_size=2, num_workers=1):
        model(batch)


if __name__ == "__main__":
    main()

# %% proof no-guard
if __name__ == "__main__":
    assert seen == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert Path("imported.txt").read_text() == "x"  # by one worker, which did not start the loop again
else:
    with open("imported.txt", "a") as file:
        file.write("x")

# %% use no-guard
PROGRAM = """
import torch
from torch.utils.data import DataLoader

dataset = torch.arange(8)
layer = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)


def model(batch):
    optimizer.zero_grad()
    layer(batch[:, None] / 8).mean().backward()
    optimizer.step()
    print("trained on", batch.tolist())


# >>>
for batch in DataLoader(dataset, batch_size=2, num_workers=1):
    model(batch)
# <<<
"""
printed = run(PROGRAM, "spawn")
assert printed.count("trained on") == 4, printed

# %% break linux-314
run(TRAIN, "forkserver")  # the default on Linux since Python 3.14

# %% check linux-314
import sys

print(sys.platform, sys.version_info[:2])  # linux, (3, 14) or newer
assert sys.platform == "linux"

# %% fix linux-314
from torch.utils.data import DataLoader

loader = DataLoader(
    dataset, batch_size=2, num_workers=1, multiprocessing_context="fork"
)

# %% proof linux-314
assert [batch.tolist() for batch in loader] == [[0, 1], [2, 3], [4, 5], [6, 7]]
assert multiprocessing.get_start_method() == "spawn" and loader.num_workers == 1  # only this loader forks
