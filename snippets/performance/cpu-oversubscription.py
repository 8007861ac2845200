# ---
# wordings:
#   - text: "cannot set number of interop threads after parallel work has started or set_num_interop_threads called"
#     exception: RuntimeError
#   - text: "libgomp: Thread creation failed"
#     sample: "libgomp: Thread creation failed: Resource temporarily unavailable"
# tags: [multiprocessing, slow]
# related: [data-loading/loader-slow-workers]
# rows: [S000-18]
# docs: ["https://docs.pytorch.org/docs/stable/notes/multiprocessing.html"]
# needs: ["fault:in the case no-more-threads, a limit on memory (setrlimit) that leaves no room for the stacks of more threads"]
# cases:
#   many-jobs: {silent: true, needs: [fork]}
#   no-more-threads: {needs: [fork]}
# ---

# %%
import time

import torch
import torch.multiprocessing as mp


# %%
def job(rank, threads, barrier, times, result):
    torch.set_num_threads(threads)
    x = torch.linspace(-1, 1, 300_000, device="cpu")
    x.exp()
    barrier.wait()  # all jobs measure at the same time
    start = time.perf_counter()
    for _ in range(30):
        y = x.exp()
    times[rank] = time.perf_counter() - start
    result[rank] = y.sum().item()


def slowest(jobs, threads):
    """Seconds of the slowest of several jobs that run side by side, and what they computed."""
    context = mp.get_context("fork")
    barrier, times, result = context.Barrier(jobs), context.Array("d", jobs), context.Array("d", jobs)
    mp.start_processes(job, (threads, barrier, times, result), nprocs=jobs, start_method="fork")
    return max(times), list(result)


cores = torch.get_num_threads()  # what PyTorch takes by default: all cores

# %% break many-jobs
tries = [(slowest(4, threads=cores)[0], slowest(4, threads=max(1, cores // 4))[0]) for _ in range(3)]
slow, fast = sorted(tries, key=lambda pair: pair[0] / pair[1])[1]  # the middle one
print(f"4 jobs, {cores} threads each: {slow / fast:.1f} times slower than with their share")
assert slow > 1.5 * fast

# %% check many-jobs
print(torch.__config__.parallel_info())  # compare the number of threads, times your processes, with the cores
assert torch.get_num_threads() == cores

# %% fix many-jobs
jobs = 4
seconds, result = slowest(jobs, threads=max(1, cores // jobs))  # set_num_threads, first thing in each process
assert all(abs(value - result[0]) < 1 for value in result)
assert abs(result[0] / 300_000 - 1.1752) < 0.001  # the mean of exp over -1 to 1


# %%
import os
import resource


def train(rank, threads):
    torch.set_num_threads(threads)
    used = int(open("/proc/self/statm").read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + 30 * 2**20, resource.RLIM_INFINITY))  # room for data, not for 32 threads
    x = torch.linspace(-1, 1, 300_000, device="cpu")
    assert abs(x.exp().mean().item() - 1.1752) < 0.001


# %% break no-more-threads
context = mp.start_processes(train, (32,), nprocs=1, start_method="fork", join=False)
context.processes[0].join()
assert context.processes[0].exitcode == 1  # no Python exception: OpenMP ends the process

# %% check no-more-threads
print(resource.getrlimit(resource.RLIMIT_NPROC))  # threads and processes of your user; `ulimit -u` in a shell
print(torch.get_num_threads())  # each of your processes starts as many
assert torch.get_num_threads() > 0

# %% fix no-more-threads
context = mp.start_processes(train, (1,), nprocs=1, start_method="fork", join=False)
assert context.join(timeout=60)  # True: ended, and its own assertion held

# %% break interop-too-late
torch.set_num_interop_threads(1)
torch.set_num_interop_threads(1)  # the second module that sets it

# %% check interop-too-late
print(torch.get_num_interop_threads())  # if this is the number that you want, somebody has set it already
assert torch.get_num_interop_threads() > 0

# %% fix interop-too-late
if torch.get_num_interop_threads() != 1:  # at the top of the main script, after `import torch`
    torch.set_num_interop_threads(1)
assert torch.get_num_interop_threads() == 1
