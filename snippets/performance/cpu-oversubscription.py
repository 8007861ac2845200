# ---
# wordings:
#   - text: "libgomp: Thread creation failed"
#     sample: "libgomp: Thread creation failed: Resource temporarily unavailable"
#   - text: "cannot set number of interop threads after parallel work has started or set_num_interop_threads called"
#     exception: RuntimeError
#   - text: "OpenBLAS blas_thread_init: pthread_create failed for thread {_:int} of {threads:int}"
#     sample: "OpenBLAS blas_thread_init: pthread_create failed for thread 12 of 64: Resource temporarily unavailable"
#   - text: "OMP: Error #34: System unable to allocate necessary resources for OMP thread"
# tags: [multiprocessing, slow]
# recover: process
# related: [data-loading/loader-slow-workers]
# rows: [S000-18]
# docs: ["https://docs.pytorch.org/docs/stable/notes/multiprocessing.html"]
# needs: ["fault:in the case no-more-threads, a limit on memory (setrlimit) that leaves no room for the stacks of more threads"]
# cases:
#   many-jobs:
#     wrong: {exported-from-python: "https://github.com/sql-machine-learning/elasticdl/pull/153"}
#     silent: true
#     needs: [fork]
#     commands:
#       linux: |
#         OMP_NUM_THREADS=2 python train.py  # cores divided by processes, at least 1
#       powershell: |
#         $env:OMP_NUM_THREADS = "2"; python train.py  # cores divided by processes, at least 1
#       notebook: |
#         %env OMP_NUM_THREADS=2
#         # in the first cell after a restart of the kernel, before import torch
#       torchrun: |
#         OMP_NUM_THREADS=4 torchrun --nproc_per_node 2 train.py
#   no-more-threads: {needs: [fork]}
# causes:
#   many-jobs:
#   container: {case: many-jobs}
#   torchrun: {case: many-jobs}
#   workers: {case: many-jobs}
#   no-more-threads:
#     if: 'paste("libgomp: Thread creation failed", "OpenBLAS blas_thread_init", "OMP: Error #34")'
#   interop-too-late:
#     if: paste("cannot set number of interop threads")
# ---

# %%
import os
import subprocess
import sys
import time

import torch
import torch.multiprocessing as mp


# %%
def job(rank, threads, barrier, times, result):
    torch.set_num_threads(threads)
    x = torch.linspace(-1, 1, 300_000, device="cpu")
    x.exp()
    barrier.wait()  # all jobs measure at the same time
    start = time.process_time()  # of all threads: also of those that only spin
    for _ in range(30):
        y = x.exp()
    times[rank] = time.process_time() - start
    result[rank] = y.sum().item()


def side_by_side(jobs, threads):
    """Seconds of processor time of several jobs that run side by side, and what they computed."""
    context = mp.get_context("fork")
    barrier, times, result = context.Barrier(jobs), context.Array("d", jobs), context.Array("d", jobs)
    mp.start_processes(job, (threads, barrier, times, result), nprocs=jobs, start_method="fork")
    return sum(times), list(result)


os.environ.pop("OMP_NUM_THREADS", None)
cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
torch.set_num_threads(cores)  # what PyTorch takes by itself: all cores

# %% break many-jobs
share = max(1, cores // 4)
tries = [[side_by_side(4, threads=n)[0] for n in (cores, share)] for _ in range(3)]
slow, fast = sorted(tries, key=lambda pair: pair[0] / pair[1])[1]  # the middle one
more = f"{slow / fast:.1f} times the processor time that they take with their share"
print(f"4 jobs, {cores} threads each, take {more}")
assert slow > 1.5 * fast or cores == 1  # of one core each job takes one thread

# %% check many-jobs
# compare the number of threads, times your processes, with the cores
print(torch.__config__.parallel_info())
assert torch.get_num_threads() == cores

# %% proof many-jobs
share = max(1, cores // 4)
program = [sys.executable, "-c", "import torch; print(torch.get_num_threads())"]
jobs = [subprocess.Popen(program, env={**os.environ, "OMP_NUM_THREADS": str(share)}, stdout=subprocess.PIPE, text=True) for _ in range(4)]
assert [int(job.communicate()[0]) for job in jobs] == [share] * 4  # the variable decides
_, result = side_by_side(4, threads=share)
assert all(abs(value / 300_000 - 1.1752) < 0.001 for value in result)  # the mean of exp over -1 to 1

# %% wrong exported-from-python
# `os.system("export …")`: a shell is started, sets its own variable and ends. The program, and what
# it starts, has as many threads as before.
os.system("export OMP_NUM_THREADS=1")
program = "import torch; print(torch.get_num_threads())"
child = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE)
print(int(child.stdout), "threads in a process that the program starts")
assert int(child.stdout) == cores
assert "OMP_NUM_THREADS" not in os.environ and torch.get_num_threads() == cores

# %%
import resource

torch.set_num_threads(32)  # what PyTorch takes by itself on a machine with 32 cores


def compute():
    used = int(open("/proc/self/statm").read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + 30 * 2**20, resource.RLIM_INFINITY))  # room for data, not for 32 threads
    x = torch.linspace(-1, 1, 300_000, device="cpu")
    return x.exp().mean().item()


def train(rank):
    torch.set_num_threads(32)
    compute()


# %% break no-more-threads
context = mp.start_processes(train, nprocs=1, start_method="fork", join=False)
context.processes[0].join()
assert context.processes[0].exitcode == 1  # no exception: OpenMP ends the process

# %% check no-more-threads
# threads and processes of your user; `ulimit -u` in a shell
print(resource.getrlimit(resource.RLIMIT_NPROC))
print(torch.get_num_threads())  # each of your processes starts as many
assert torch.get_num_threads() > 0

# %% fix no-more-threads
import torch

torch.set_num_threads(1)  # before the first operation; or OMP_NUM_THREADS=1 outside

# %% proof no-more-threads
assert abs(compute() - 1.1752) < 0.001  # in this process, which ends here if it starts 32 threads

# %% break interop-too-late
torch.set_num_interop_threads(1)
torch.set_num_interop_threads(1)  # the second module that sets it

# %% check interop-too-late
# if this is the number that you want, a library has set it already
print(torch.get_num_interop_threads())
assert torch.get_num_interop_threads() > 0

# %% fix interop-too-late
import torch


def set_interop_threads(number):
    if torch.get_num_interop_threads() != number:  # it can be set once
        torch.set_num_interop_threads(number)


# %% proof interop-too-late
number = torch.get_num_interop_threads() + 1
set_interop_threads(number)
set_interop_threads(number)  # the second module that sets it
assert torch.get_num_interop_threads() == number
try:
    set_interop_threads(number + 1)
except RuntimeError as error:
    assert "cannot set number of interop threads" in str(error)  # another number is still told
else:
    raise AssertionError("another number was dropped without a word")
