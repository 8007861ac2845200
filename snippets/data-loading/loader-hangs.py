# ---
# wordings:
#   - text: "DataLoader timed out after {n:int} seconds"
#     exception: RuntimeError
#     sample: "RuntimeError: DataLoader timed out after 5 seconds"
#   - text: "KeyboardInterrupt"
#     role: symptom
#     near: ["_data_queue.get(", "data_queue.get()", "worker_result_queue.get("]
# tags: [dataloader, hang, multiprocessing]
# needs: [fork]
# rows: [S001-110, S001-115]
# related: [data-loading/worker-killed]
# docs: ["https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading", "https://docs.python.org/3/library/faulthandler.html"]
# ---

# %%
import faulthandler
import socket
import tempfile
import threading
import time

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

torch.multiprocessing.set_start_method("fork", force=True)  # whatever the default here: a notebook can run it
stack = tempfile.TemporaryFile("w+")


def dump_later(worker_id):
    """As worker_init_fn: a worker that still runs after 2 seconds writes down where it is."""
    faulthandler.dump_traceback_later(2, file=stack)


def where():
    """The innermost line of the Dataset's own code in that stack."""
    stack.seek(0)
    return next(line.strip() for line in stack if line.rstrip().endswith(("in read", "in __getitem__")))


# %%
class RemoteImages(Dataset):
    """Eight images on a server, which never answers for image 5."""

    def __len__(self):
        return 8

    def read(self, i, timeout=None):
        mine, server = socket.socketpair()
        if i != 5:
            server.send(bytes([i]))
        mine.settimeout(timeout)
        return mine.recv(1)[0]

    def __getitem__(self, i):
        return torch.from_numpy(np.full(3, self.read(i)))


# %% break stuck-sample
for batch in DataLoader(RemoteImages(), batch_size=2, num_workers=2, timeout=3):  # without timeout it waits for ever
    pass

# %% check stuck-sample
try:
    list(DataLoader(RemoteImages(), batch_size=2, num_workers=1, timeout=5, worker_init_fn=dump_later))
except RuntimeError:
    pass
print(where().split(", ")[-1])  # the last line of your own code in the worker's stack
assert where().endswith("in read")


# %% fix stuck-sample
class PatientImages(RemoteImages):
    def __getitem__(self, i):
        try:
            value = self.read(i, timeout=1)  # a limit where the worker waits; every network library has one
        except TimeoutError:
            return None
        return torch.from_numpy(np.full(3, value))


def collate(samples):
    return torch.stack([sample for sample in samples if sample is not None])


batches = list(DataLoader(PatientImages(), batch_size=2, num_workers=2, timeout=60, collate_fn=collate))
assert torch.cat(batches)[:, 0].tolist() == [0, 1, 2, 3, 4, 6, 7]

# %%
lock = threading.Lock()  # many libraries have one inside: logging, video and image decoders, OpenMP
stop = threading.Event()


class Decoder(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        with lock:
            return torch.from_numpy(np.full(3, i))


def background():
    """A thread that is using the library at the moment when the workers start."""
    with lock:
        stop.wait(1)


# %% break lock-at-fork
thread = threading.Thread(target=background)
thread.start()
for batch in DataLoader(Decoder(), batch_size=2, num_workers=1, timeout=4):  # the thread is done after one second
    pass

# %% check lock-at-fork
thread = threading.Thread(target=background)
thread.start()
print([thread.name for thread in threading.enumerate()])  # before the DataLoader starts, only the main thread should run
try:
    list(DataLoader(Decoder(), batch_size=2, num_workers=1, timeout=5, worker_init_fn=dump_later))
except RuntimeError:
    pass
print(where().split(", ")[-1])  # look at this line: it waits at `with lock`; elsewhere at `acquire`, or inside a library
assert where().endswith("in __getitem__") and not lock.locked()  # free in the main process, locked for ever in the worker

# %% fix lock-at-fork
batches = iter(DataLoader(Decoder(), batch_size=2, num_workers=1, timeout=60))  # start the workers first ...
thread = threading.Thread(target=background)
thread.start()  # ... then the threads

assert torch.cat(list(batches))[:, 0].tolist() == list(range(8))


# %%
class SlowImages(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        time.sleep(1.5)  # a large file, a busy disk
        return torch.from_numpy(np.full(3, i))


# %% break only-slow
for batch in DataLoader(SlowImages(), batch_size=2, num_workers=2, timeout=1):
    pass

# %% check only-slow
dataset = SlowImages()
start = time.monotonic()
dataset[0], dataset[1]
seconds = time.monotonic() - start
print(f"one batch of two takes a worker {seconds:.0f} s; the time-out is 1 s")
assert seconds > 1

# %% fix only-slow
batches = list(DataLoader(SlowImages(), batch_size=2, num_workers=2, timeout=120))
assert torch.cat(batches)[:, 0].tolist() == [0, 1, 2, 3]
