# ---
# wordings:
#   - text: "DataLoader worker (pid {_:int}) is killed by signal: Bus error"
#     exception: RuntimeError
#     sample: "RuntimeError: DataLoader worker (pid 7579) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory. Please try to raise your shared memory limit."
#   - text: "is killed by signal: Bus error"
#     exception: RuntimeError
#   - text: "Unexpected bus error encountered in worker"
#   - text: "dataloader's workers are out of shared memory"
#     exception: RuntimeError
#   - text: "unable to allocate shared memory(shm) for file <{_:path}>"
#     exception: RuntimeError
#     sample: "RuntimeError: unable to allocate shared memory(shm) for file </torch_9859_2114050137_0>: No space left on device (28)"
#   - text: "unable to write to file </torch_"
#     exception: RuntimeError
#     sample: "RuntimeError: unable to write to file </torch_18692_1954506624>"
#   - text: "unable to resize file <{_:line}> to the right size"
#     exception: RuntimeError
#     unless: ["(24)"]
#     sample: "RuntimeError: unable to resize file </torch_2081_3771> to the right size: No space left on device (28)"
#   - text: "unable to open shared memory object <{_:path}>"
#     exception: RuntimeError
#     unless: ["(24)", Too many open files]
#     sample: "RuntimeError: unable to open shared memory object </torch_2131_1102> in read-write mode: No space left on device (28)"
#   - text: "[Errno 28] No space left on device"
#     exception: OSError
#     near: [multiprocessing/heap.py, sharedctypes, /dev/shm]
#     sample: "OSError: [Errno 28] No space left on device: '/dev/shm/pym-20-x7'"
# tags: [container, crash, dataloader, multiprocessing, ram]
# recover: process
# needs: [fork, "fault:a small /dev/shm"]
# outranks: [worker-killed, loader-hangs]
# related: [data-loading/worker-killed, data-loading/too-many-open-files, memory/cpu-alloc-fail]
# docs: ["https://docs.pytorch.org/docs/stable/multiprocessing.html#sharing-strategies", "https://docs.docker.com/reference/cli/docker/container/run/"]
# cases:
#   shm-too-small:
#     wrong: {file-system: "https://github.com/pytorch/pytorch/issues/41481"}
#     commands:
#       docker: docker run --shm-size=8g …  # or --ipc=host, which gives the container the machine's /dev/shm
#       linux: sudo mount -o remount,size=16G /dev/shm
#   left-by-others:
#     commands:
#       linux: |
#         ls -l /dev/shm       # torch_… of programs that no longer run
#         rm /dev/shm/torch_*  # only if no training runs on this machine
# causes:
#   shm-too-small:
#     likely: paste("us error", "out of shared memory", "unable to allocate shared memory", "No space left on device")
#   too-much-queued:
#     undecided: the size of /dev/shm and of a batch are not printed
#   left-by-others:
#     undecided: what else lies in /dev/shm is not printed
#   not-shared-memory:
#     undecided: PyTorch names shared memory whatever the bus error was of
# ---

# %%
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset

torch.multiprocessing.set_start_method("fork", force=True)  # whatever the default here: a notebook can run it
libc = ctypes.CDLL(None, use_errno=True)


def docker_shm(mib):
    """Give this process a /dev/shm of this size, as `docker run --shm-size` does; the machine's own is not touched."""
    size = f"size={mib}m".encode()
    if libc.mount(b"tmpfs", b"/dev/shm", b"tmpfs", 0, size):
        user, group = os.getuid(), os.getgid()
        if libc.unshare(0x10000000 | 0x00020000):  # a user and a mount namespace of its own
            raise OSError(ctypes.get_errno(), "unshare")
        for file, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            Path("/proc/self", file).write_text(text)
        if libc.mount(b"tmpfs", b"/dev/shm", b"tmpfs", 0, size):
            raise OSError(ctypes.get_errno(), "mount")


class Images(Dataset):
    """64 samples of 1 MiB."""

    def __len__(self):
        return 64

    def __getitem__(self, i):
        return torch.full((512, 512), float(i))


def seen(loader):
    """The first number of every sample."""
    found = []
    for images in loader:
        time.sleep(0.1)  # the training step
        found += images[:, 0, 0].tolist()
    return found


dataset = Images()
docker_shm(24)  # Docker gives 64 MB, enough for a toy and for no training

# %% break shm-too-small
seen(DataLoader(dataset, batch_size=4, num_workers=4))

# %% check shm-too-small
size = shutil.disk_usage("/dev/shm").total / 2**20  # in a shell: df -h /dev/shm
loader = DataLoader(dataset, batch_size=4, num_workers=4)
batch = dataset[0].nbytes * loader.batch_size / 2**20
queued = batch * loader.num_workers * loader.prefetch_factor
print(f"/dev/shm has {size:.0f} MiB, up to {queued:.0f} MiB of batches wait in it")
assert queued > size

# %% proof shm-too-small
docker_shm(128)
assert seen(DataLoader(dataset, batch_size=4, num_workers=4)) == list(range(64))

# %% wrong file-system
# `set_sharing_strategy("file_system")`: it needs fewer open files, but the batches lie in /dev/shm as
# before. Only the message is another.
torch.multiprocessing.set_sharing_strategy("file_system")
message = ""
try:
    seen(DataLoader(dataset, batch_size=4, num_workers=4))
except RuntimeError as error:
    message = str(error)
print(message)
assert "No space left on device" in message or "Bus error" in message

# %% break too-much-queued
seen(DataLoader(dataset, batch_size=4, num_workers=8))

# %% check too-much-queued
loader = DataLoader(dataset, batch_size=4, num_workers=8)
# each lies in /dev/shm
print(loader.num_workers * loader.prefetch_factor, "batches may wait")
assert loader.num_workers * loader.prefetch_factor == 16

# %% fix too-much-queued
from torch.utils.data import DataLoader

# 2 batches wait
loader = DataLoader(dataset, batch_size=4, num_workers=2, prefetch_factor=1)

# %% proof too-much-queued
assert seen(loader) == list(range(64))
assert (loader.num_workers, loader.batch_size, loader.prefetch_factor) == (2, 4, 1)

# %%
docker_shm(48)  # enough for four workers, if it is empty
KILLED = """
import torch, time
torch.multiprocessing.set_sharing_strategy("file_system")
kept = [torch.zeros(2**20).share_memory_() for _ in range(8)]
print("ready", flush=True)
time.sleep(60)
"""
program = subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
program.stdout.readline()
for child in Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text().split():
    os.kill(int(child), signal.SIGKILL)  # torch_shm_manager, which would clean up: killed as well, as where a machine runs out of memory
program.kill()
program.wait()

# %% break left-by-others
seen(DataLoader(dataset, batch_size=4, num_workers=4))

# %% check left-by-others
left = [file.name for file in Path("/dev/shm").glob("torch_*")]
print(f"{len(left)} files lie in /dev/shm, and no training runs")
assert len(left) >= 8

# %% proof left-by-others
subprocess.run("rm /dev/shm/torch_*", shell=True, check=True)
assert seen(DataLoader(dataset, batch_size=4, num_workers=4)) == list(range(64))

# %%
import numpy as np


class Mapped(Dataset):
    """64 rows of a file, which stays on disk."""

    def __init__(self, file):
        self.rows = np.load(file, mmap_mode="r")

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return torch.from_numpy(self.rows[i].copy())


np.save("original.npy", np.repeat(np.arange(64, dtype=np.float32)[:, None], 4096, 1))
shutil.copyfile("original.npy", "train.npy")
dataset = Mapped("train.npy")
os.truncate("train.npy", 2**19)  # another program writes it anew, or its network disk is full

# %% break not-shared-memory
for batch in DataLoader(dataset, batch_size=8, num_workers=1):
    time.sleep(2)  # the training step

# %% check not-shared-memory
import os

# the file that the Dataset maps, and where it came from
print(os.path.getsize("train.npy"), os.path.getsize("original.npy"))
assert os.path.getsize("train.npy") < os.path.getsize("original.npy")

# %% fix not-shared-memory
import os
import shutil

# under another name first: nobody reads half of the new file
shutil.copyfile("original.npy", "train.npy.new")
os.replace("train.npy.new", "train.npy")

# %% proof not-shared-memory
rows = torch.cat(list(DataLoader(Mapped("train.npy"), batch_size=8, num_workers=1)))
assert rows.shape == (64, 4096) and rows[:, 0].tolist() == rows[:, -1].tolist() == list(range(64))
assert not os.path.exists("train.npy.new") and os.path.exists("original.npy")
