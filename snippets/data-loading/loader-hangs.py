# ---
# wordings:
#   - text: "DataLoader timed out after {n:int} seconds"
#     exception: RuntimeError
#     sample: "RuntimeError: DataLoader timed out after 5 seconds"
#   - text: "KeyboardInterrupt"
#     role: symptom
#     near: ["_data_queue.get(", "data_queue.get()", "worker_result_queue.get(", "worker_result_queue.put("]
#   - text: "_try_get_data (torch/utils/data/dataloader.py:{_:int})"
#     role: symptom
#     unless: ["distributed_c10d.py", "%Own", ");"]  # py-spy top and record: a program that runs
#     sample: "    _try_get_data (torch/utils/data/dataloader.py:1133)"
#   - text: "_worker_loop (torch/utils/data/_utils/worker.py:{_:int})"
#     role: symptom
#     near: ["fetch (torch/utils/data/_utils/fetch.py"]  # a worker without it waits for an index: it has nothing to do
#     unless: ["distributed_c10d.py", "%Own", ");"]
#     sample: "    _worker_loop (torch/utils/data/_utils/worker.py:308)"
#   - text: "dataloader.py\", line {_:int} in _try_get_data"
#     role: symptom
#     near: ["most recent call first"]
#     unless: ["Fatal Python error", "Windows fatal exception", "distributed_c10d.py"]
#     sample: |
#       Timeout (0:05:00)!
#       Thread 0x00007f9d583f1b80 (most recent call first):
#         File "/usr/lib/python3/site-packages/torch/utils/data/dataloader.py", line 1295 in _try_get_data
# tags: [dataloader, hang, multiprocessing]
# recover: process
# needs: [fork]
# cases:
#   any-worker:
#     wrong: {persistent-workers: "https://github.com/pytorch/pytorch/issues/1355"}
#     survives: {"without: num_workers= in DataLoader(dataset, batch_size=2, num_workers=0)": "0 is the default; it is written out because that is the change"}
#   main-guard: {silent: true}  # what it prints is another symptom: a process started too early
#   only-slow:
#     survives: {"without: timeout= in DataLoader(dataset, batch_size=2, num_workers=2, timeout=12…": "the default waits without a limit, which is another cure"}
# rows: [S001-110, S001-115]
# related: [data-loading/worker-killed]
# docs: ["https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading", "https://docs.python.org/3/library/faulthandler.html"]
# causes:
#   any-worker:
#     undecided: the main process prints that it waits, not where the worker stands
#   main-guard:
#     likely: paste("\\torch\\utils\\data\\") and not read(n)
#     sample: |
#       File "C:\Users\me\miniconda3\lib\site-packages\torch\utils\data\dataloader.py", line 1133, in _try_get_data
#         data = self._data_queue.get(timeout=timeout)
#       File "C:\Users\me\miniconda3\lib\multiprocessing\connection.py", line 330, in _poll
#         return bool(wait([self], timeout))
#       KeyboardInterrupt
#   lock-at-fork:
#     if: paste("fetch (torch/utils/data/_utils/fetch.py") and paste("acquire (logging", "acquire (threading")
#     undecided: the main process prints that it waits, not where the worker stands
#     sample: |
#       Thread 21530 (idle): "MainThread"
#           acquire (logging/__init__.py:917)
#           handle (logging/__init__.py:966)
#           info (logging/__init__.py:1477)
#           __getitem__ (data.py:31)
#           fetch (torch/utils/data/_utils/fetch.py:51)
#           _worker_loop (torch/utils/data/_utils/worker.py:308)
#   stuck-sample:
#     likely: >-
#       paste("fetch (torch/utils/data/_utils/fetch.py") and paste("recv_into (", "recv (", "readinto (socket", "read (ssl.py", "urllib3/", "botocore/", "fsspec/", "s3fs/", "gcsfs/",
#       "pymongo/", "redis/", "psycopg2/")
#     undecided: the main process prints that it waits, not where the worker stands
#     sample: |
#       Thread 21530 (idle): "MainThread"
#           recv_into (socket.py:669)
#           readinto (socket.py:669)
#           begin (http/client.py:279)
#           urlopen (urllib/request.py:216)
#           __getitem__ (data.py:31)
#           fetch (torch/utils/data/_utils/fetch.py:51)
#           _worker_loop (torch/utils/data/_utils/worker.py:308)
#   only-slow:
#     likely: n < 3
#   one-machine:
# ---

# %%
import threading
import time

import torch
from torch.utils.data import DataLoader, Dataset

torch.multiprocessing.set_start_method("fork", force=True)  # whatever the default here: a notebook can run it
lock = threading.Lock()  # many libraries have one inside: logging, video and image decoders, OpenMP


class Frames(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        with lock:
            return torch.tensor(i)


def background():
    """A thread that is using the library at the moment when the workers start."""
    with lock:
        time.sleep(1)


dataset = Frames()
thread = threading.Thread(target=background)

# %% break any-worker
thread.start()
# without timeout it waits for ever
for batch in DataLoader(dataset, batch_size=2, num_workers=1, timeout=4):
    pass

# %% check any-worker
print(dataset[0], dataset[1])  # hangs too? Then it is the Dataset: press Ctrl-C
assert dataset[1] == 1

# %% fix any-worker
from torch.utils.data import DataLoader

loader = DataLoader(dataset, batch_size=2, num_workers=0)  # runs? A worker hangs

# %% proof any-worker
thread.start()
assert [batch.tolist() for batch in loader] == [[0, 1], [2, 3], [4, 5], [6, 7]]

# %% use any-worker
thread.start()
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
# >>>
loader = DataLoader(dataset, batch_size=2, num_workers=1, timeout=4)
# <<<
seen = []
for epoch in range(2):
    for batch in loader:
        optimizer.zero_grad()
        model(batch[:, None] / 8).mean().backward()
        optimizer.step()
        seen += batch.tolist()
assert seen == 2 * list(range(8)) and model.weight.grad.any()

# %% wrong persistent-workers
# `persistent_workers=True`: the workers start once, not in every epoch, so they meet a held lock
# less often. Where they meet one, they hang as before.
thread.start()
loader = DataLoader(
    dataset, batch_size=2, num_workers=1, persistent_workers=True, timeout=4
)
list(loader)

# %% break lock-at-fork
thread.start()
# the thread is done after one second
for batch in DataLoader(dataset, batch_size=2, num_workers=1, timeout=4):
    pass

# %% check lock-at-fork
import faulthandler

stack = open("worker.txt", "w")


def dump_later(worker_id):
    # a worker that still runs after 2 seconds writes down where it is
    faulthandler.dump_traceback_later(2, file=stack)


thread.start()
# before the DataLoader starts, only the main thread should run
print([thread.name for thread in threading.enumerate()])
loader = DataLoader(dataset, num_workers=1, timeout=5, worker_init_fn=dump_later)
try:
    list(loader)
except RuntimeError:
    pass
# in __getitem__: it waits at `with lock`; elsewhere at `acquire`, or in a library
lines = [line.rsplit(", ")[-1].strip() for line in open("worker.txt")]
print([line for line in lines if "__getitem__" in line])
assert any(line.endswith("in __getitem__") for line in lines)
assert not lock.locked()  # free in the main process, locked for ever in the worker

# %% fix lock-at-fork
from torch.utils.data import DataLoader

if __name__ == "__main__":  # such workers import this file again
    loader = DataLoader(
        dataset, batch_size=2, num_workers=1, multiprocessing_context="forkserver"
    )

# %% proof lock-at-fork
if __name__ == "__main__":
    thread.start()
    loader.timeout = 40
    assert [batch.tolist() for batch in loader] == [[0, 1], [2, 3], [4, 5], [6, 7]]

# %%
torch.multiprocessing.set_start_method("spawn", force=True)  # as on Windows, and on a Mac
seen = []


def model(batch):
    seen.append(batch.tolist())


# %% break main-guard
with open("started.txt", "a") as file:
    file.write("x")  # stands for all that the script does before the loop
message = ""
try:
    for batch in DataLoader(dataset, batch_size=2, num_workers=1):
        pass
except RuntimeError as error:
    message = str(error)
if "bootstrapping" in message:  # a worker, which runs the whole script up to here
    raise SystemExit(1)
assert "exited unexpectedly" in message  # no batch
assert open("started.txt").read() == "xx"  # and the script began twice

# %% check main-guard
# spawn or forkserver: the workers import the file that was started
print(torch.multiprocessing.get_start_method())
assert torch.multiprocessing.get_start_method() != "fork"

# %% fix main-guard
from torch.utils.data import DataLoader


def main():
    for batch in DataLoader(dataset, batch_size=2, num_workers=1):
        model(batch)


if __name__ == "__main__":
    main()

# %% proof main-guard
if __name__ == "__main__":
    assert seen == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert open("imported.txt").read() == "x"  # by one worker
else:
    with open("imported.txt", "a") as file:
        file.write("x")

# %%
import http.server
import urllib.request

torch.multiprocessing.set_start_method("fork", force=True)
asked = []


class Server(http.server.BaseHTTPRequestHandler):
    """Answers with the number of the image; the first who asks for image 5 waits for ever."""

    def do_GET(self):
        asked.append(self.path)
        if asked.count("/5") == 1 and self.path == "/5":
            time.sleep(1000)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(bytes([int(self.path[1:])]))

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
urls = [f"http://127.0.0.1:{server.server_port}/{i}" for i in range(8)]


class RemoteImages(Dataset):
    def __init__(self, urls):
        self.urls = urls

    def __len__(self):
        return len(self.urls)

    def __getitem__(self, i):
        with urllib.request.urlopen(self.urls[i]) as answer:
            return torch.tensor(list(answer.read()))


# %% break stuck-sample
# without timeout it waits for ever
for batch in DataLoader(RemoteImages(urls), batch_size=2, num_workers=2, timeout=4):
    pass

# %% check stuck-sample
import faulthandler

stack = open("worker.txt", "w")


def dump_later(worker_id):
    # a worker that still runs after 2 seconds writes down where it is
    faulthandler.dump_traceback_later(2, file=stack)


images = RemoteImages(urls)
loader = DataLoader(images, num_workers=1, timeout=5, worker_init_fn=dump_later)
try:
    list(loader)
except RuntimeError:
    pass
# the last line of your own code in the worker
lines = [line.rsplit(", ")[-1].strip() for line in open("worker.txt")]
print([line for line in lines if "__getitem__" in line])
assert any(line.endswith("in __getitem__") for line in lines)


# %% fix stuck-sample
import torch
import urllib.request
from torch.utils.data import Dataset


class RemoteImages(Dataset):
    def __init__(self, urls):
        self.urls = urls

    def __len__(self):
        return len(self.urls)

    def __getitem__(self, i):
        for attempt in range(3):
            try:
                # a limit where the worker waits; 30 over the internet
                with urllib.request.urlopen(self.urls[i], timeout=2) as answer:
                    return torch.tensor(list(answer.read()))
            except OSError:  # too late, or the connection broke: ask again
                print("no answer from", self.urls[i])
        raise RuntimeError(f"no answer from {self.urls[i]}")


# %% proof stuck-sample
loader = DataLoader(RemoteImages(urls), batch_size=2, num_workers=2, timeout=30)
assert torch.cat(list(loader)).flatten().tolist() == list(range(8)) and asked.count("/5") == 2
nowhere = RemoteImages(["http://127.0.0.1:1/0"])
try:
    nowhere[0]
    raise AssertionError("a sample that nobody sent")
except RuntimeError as error:
    assert "127.0.0.1:1/0" in str(error)


# %%
class SlowImages(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        time.sleep(1.5)  # a large file, a busy disk
        return torch.tensor(i)


dataset = SlowImages()

# %% break only-slow
for batch in DataLoader(dataset, batch_size=2, num_workers=2, timeout=1):
    pass

# %% check only-slow
start = time.monotonic()
dataset[0], dataset[1]
seconds = time.monotonic() - start
print(f"one batch of two takes a worker {seconds:.0f} s; the time-out is 1 s")
assert seconds > 1

# %% fix only-slow
from torch.utils.data import DataLoader

loader = DataLoader(dataset, batch_size=2, num_workers=2, timeout=120)

# %% proof only-slow
assert [batch.tolist() for batch in loader] == [[0, 1], [2, 3]]
