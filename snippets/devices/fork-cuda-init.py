# ---
# wordings:
#   - text: "Cannot re-initialize CUDA in forked subprocess"
#     exception: RuntimeError
#   - text: "Lightning can't create new processes if CUDA is already initialized"
#     exception: RuntimeError
#     sample: "RuntimeError: Lightning can't create new processes if CUDA is already initialized. Did you manually call `torch.cuda.*` functions, have moved the model to the device, or allocated memory on the GPU any other way?"
#   - text: "Cannot re-initialize XPU in forked subprocess"
#     exception: RuntimeError
#   - text: "CUDA error: initialization error"
#     near: [DataLoader worker, _worker_loop, multiprocessing, "terminate called after throwing an instance of 'c10::Error'"]
#   - text: "cuda runtime error ({_:int}) : initialization error"
#     exception: RuntimeError
#     near: [DataLoader worker, _worker_loop, multiprocessing]
#     sample: "RuntimeError: cuda runtime error (3) : initialization error at /pytorch/aten/src/THC/THCGeneral.cpp:51"
# outranks: [cuda-initialization-error]
# tags: [cuda, dataloader, hang, inference, multiprocessing]
# recover: process
# needs: [fork]
# cases:
#   dataset-on-gpu: {needs: [cuda]}
#   started-after-cuda: {needs: [cuda]}
#   thread-pool: {silent: true, wrong: {variable-in-the-process: "https://github.com/tsinghua-fib-lab/DRL-urban-planning/issues/20"}}
# rows: [S001-106]
# docs: ["https://docs.pytorch.org/docs/stable/notes/multiprocessing.html", "https://docs.pytorch.org/docs/stable/generated/torch.cuda.is_available.html"]
# causes:
#   dataset-on-gpu:
#     if: paste("DataLoader worker process", "_worker_loop")
#     likely: paste("_utils/fetch.py", "_utils\\fetch.py")
#     sample: |
#       RuntimeError: Caught RuntimeError in DataLoader worker process 0.
#       Original Traceback (most recent call last):
#         File "torch/utils/data/_utils/worker.py", line 308, in _worker_loop
#           data = fetcher.fetch(index)
#       RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' start method
#   vllm:
#     if: paste("VllmWorker", "EngineCore", "vllm/")
#     sample: "(VllmWorkerProcess pid=1243) ERROR RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' start method"
#   started-after-cuda:
#     if: >-
#       paste("multiprocessing/process.py", "multiprocessing/spawn.py", "multiprocessing/pool.py", "concurrent/futures/process.py", "notebook_launcher", "ForkPoolWorker",
#       "Process Process-", "ForkProcess", "multiprocess/", "billiard/", "celery/", "gunicorn/") and not paste("DataLoader worker process", "_worker_loop", "vllm/")
#     likely: paste("start_method", "spawn.py", "multiprocessing/")
#     sample: |
#       Process Process-1:
#       Traceback (most recent call last):
#         File "multiprocessing/process.py", line 314, in _bootstrap
#           self.run()
#         File "serve.py", line 12, in predict
#           model.to("cuda")
#       RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' start method
#   thread-pool:
# ---

# %%
import os
import time

import torch
from torch import nn
from torch import multiprocessing as mp
from torch.utils.data import DataLoader, Dataset

torch.set_default_device(None)  # as in every new process
torch.manual_seed(0)


class Photos(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.full((8,), float(i)).to("cuda")


device = "cuda"
dataset = Photos()

# %% break dataset-on-gpu
model = nn.Linear(8, 2).to("cuda")
loader = DataLoader(dataset, num_workers=1, multiprocessing_context="fork")
for images in loader:
    model(images)

# %% check dataset-on-gpu
sample = dataset[0]
print(sample.device)  # a Dataset that is read by workers must return CPU tensors
assert sample.is_cuda

# %% fix dataset-on-gpu
import torch
from torch.utils.data import Dataset


class Photos(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.full((8,), float(i))  # on the CPU: the worker loads ...


def move(images):
    # ... and the training loop moves, with pin_memory=True in the DataLoader
    return images.to(device, non_blocking=True)


# %% proof dataset-on-gpu
model = nn.Linear(8, 2).to("cuda")
loader = DataLoader(Photos(), batch_size=2, num_workers=1, multiprocessing_context="fork", pin_memory=True)
outputs = [model(move(images)) for images in loader]
expected = model.cpu()(torch.arange(4.0).repeat(8, 1).T)
torch.testing.assert_close(torch.cat(outputs).cpu(), expected, rtol=1e-3, atol=1e-4)
assert len(outputs) == 2


# %%
def predict(rank, weights, answers):
    """One process: its own model on the GPU."""
    model = nn.Linear(8, 2)
    model.load_state_dict(weights)
    with torch.no_grad():
        answers.put(model.to("cuda")(torch.ones(1, 8, device="cuda")).tolist())


# %% break started-after-cuda
model = nn.Linear(8, 2)
weights = {name: value.clone() for name, value in model.state_dict().items()}
model.to("cuda")  # the main process uses CUDA ...
answers = mp.get_context("fork").SimpleQueue()
# ... and is then copied
mp.start_processes(predict, (weights, answers), nprocs=1, start_method="fork")

# %% check started-after-cuda
def report(answers):
    answers.put(torch.cuda._is_in_bad_fork())


model = nn.Linear(8, 2).to("cuda")
answers = mp.get_context("fork").SimpleQueue()
process = mp.get_context("fork").Process(target=report, args=(answers,))
process.start()
bad = answers.get()
process.join()
print(bad)  # True in the new process: CUDA was used before it was started
assert bad

# %% fix started-after-cuda
import torch.multiprocessing as mp

if __name__ == "__main__":  # a spawned process imports this file too
    mp.set_start_method("spawn", force=True)

# %% proof started-after-cuda
if __name__ == "__main__":
    model = nn.Linear(8, 2)
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    model.to("cuda")
    answers = mp.SimpleQueue()
    process = mp.Process(target=predict, args=(0, weights, answers))
    process.start()
    answer = torch.tensor(answers.get())
    process.join()
    assert torch.allclose(answer, model.cpu()(torch.ones(1, 8)), rtol=1e-3, atol=1e-4)

# %%
torch.set_num_threads(2)  # as many as this computer has cores, if it has two


def preprocess(image):
    """What a transform does: an operation that PyTorch spreads over its threads."""
    return (image.exp() + 1).sum().item()


def work(results):
    results.put(preprocess(torch.zeros(4_000_000)))


# %% break thread-pool
started = time.monotonic()
preprocess(torch.zeros(4_000_000))  # the main process uses its threads ...
seconds = time.monotonic() - started
results = mp.get_context("fork").SimpleQueue()
process = mp.get_context("fork").Process(target=work, args=(results,))
process.start()  # ... the copy has none of them, and waits for them
process.join(max(5, 20 * seconds))  # twenty times what the main process needed

assert process.is_alive()  # it hangs, and says nothing
process.kill()

# %% check thread-pool
def count_threads(counts):
    counts.put(len(os.listdir("/proc/self/task")))


preprocess(torch.zeros(4_000_000))
counts = mp.get_context("fork").SimpleQueue()
process = mp.get_context("fork").Process(target=count_threads, args=(counts,))
process.start()
here, there = len(os.listdir("/proc/self/task")), counts.get()
process.join()
# the copy knows of a pool that is not there
print(here, "threads in the main process,", there, "in its copy")
assert here > there == 1

# %% fix thread-pool
import torch


def work(images, results):
    torch.set_num_threads(1)  # first of all: this process computes without the pool
    for image in images:
        results.put((image.exp() + 1).sum().item())


# %% proof thread-pool
images = [torch.zeros(4_000_000), torch.zeros(2_000_000)]
expected = [preprocess(image) for image in images]
results = mp.get_context("fork").SimpleQueue()
process = mp.get_context("fork").Process(target=work, args=(images, results))
process.start()
process.join(30)
if process.is_alive():
    process.kill()
assert process.exitcode == 0
assert [results.get() for _ in images] == expected == [8_000_000, 4_000_000]

# %% wrong variable-in-the-process
# `OMP_NUM_THREADS=1` set inside the program: PyTorch reads it once, when it is loaded. The new
# process still waits for threads that it does not have.
def work(images, results):
    os.environ["OMP_NUM_THREADS"] = "1"
    for image in images:
        results.put((image.exp() + 1).sum().item())
