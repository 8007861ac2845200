# ---
# tags: [cuda, slow]
# recover: fix
# rows: [S001-42]
# docs: ["https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution", "https://docs.pytorch.org/tutorials/recipes/recipes/benchmark.html"]
# cases:
#   no-synchronize: {needs: [cuda]}
#   blamed-line: {needs: [cuda]}
#   stand-in: {wrong: {measured-again: "https://github.com/uber-research/DeepPruner/issues/16"}}
# causes:
#   no-synchronize:
#   blamed-line:
#   stand-in:
#   timer-threads:
#   first-calls:
# ---

# %%
import time
from concurrent.futures import ThreadPoolExecutor

import torch
from torch.utils.benchmark import Timer


def work(x, repeat=20):
    for _ in range(repeat):
        y = x @ x
    return y


# %% break no-synchronize
x = torch.randn(4096, 4096, device="cuda")
work(x)
torch.cuda.synchronize()  # warm-up

start = time.perf_counter()
work(x)
measured = time.perf_counter() - start  # the GPU has hardly begun
torch.cuda.synchronize()
real = time.perf_counter() - start
print(f"the work takes {real / measured:.0f} times what was measured")
assert real > 3 * measured

# %% check no-synchronize
x = torch.randn(4096, 4096, device="cuda")
stream = torch.cuda.current_stream()
work(x)
print(stream.query())  # False: the GPU still works on what you have just "measured"
assert not stream.query()


# %% fix no-synchronize
import time

import torch


def seconds(call):
    torch.cuda.synchronize()  # what came before must not count
    start = time.perf_counter()
    call()
    torch.cuda.synchronize()  # what was started here must
    return time.perf_counter() - start


# %% proof no-synchronize
x = torch.randn(4096, 4096, device="cuda")
work(x)  # warm-up
once, double = seconds(lambda: work(x)), seconds(lambda: work(x, repeat=40))
assert 1.5 < double / once < 3  # twice the work takes twice as long
work(x, repeat=100)  # still under way
assert seconds(lambda: work(x)) < 2 * once
begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)  # the GPU's own clock
begin.record()
work(x)
end.record()
end.synchronize()
assert 0.5 < begin.elapsed_time(end) / 1000 / once < 2

# %% break blamed-line
x = torch.randn(4096, 4096, device="cuda")
work(x)
torch.cuda.synchronize()

start = time.perf_counter()
y = work(x)
model = time.perf_counter() - start
start = time.perf_counter()
value = y[0, 0].item()  # copies 4 bytes, but first waits for all of the work
copy = time.perf_counter() - start
print(f"item() seems to take {copy / model:.0f} times as long as the work")
assert copy > 3 * model

# %% check blamed-line
y = work(torch.randn(4096, 4096, device="cuda"))
times = []
for _ in range(2):
    start = time.perf_counter()
    y[0, 0].item()
    times.append(time.perf_counter() - start)
# the second is quick: the first one waited
print(f"first {times[0]:.6f} s, second {times[1]:.6f} s")
assert times[0] > 3 * times[1]

# %%
def model(x):
    return work(x)


if torch.cuda.is_available():
    x = torch.randn(4096, 4096, device="cuda")
    work(x)  # warm-up

# %% fix blamed-line
import time

import torch

torch.cuda.synchronize()
start = time.perf_counter()
outputs = model(x)
torch.cuda.synchronize()  # the work ends here
model_seconds = time.perf_counter() - start
start = time.perf_counter()
value = outputs[0, 0].item()
copy_seconds = time.perf_counter() - start

# %% proof blamed-line
assert model_seconds > 3 * copy_seconds

# %%
gpu = ThreadPoolExecutor(1)  # like a GPU: takes orders at once, works on them one after the other
gpu.submit(int).result()
matrix = torch.ones(300, 300, device="cpu") + torch.eye(300, device="cpu")

# %% break stand-in
start = time.perf_counter()
order = gpu.submit(torch.linalg.svdvals, matrix)
measured = time.perf_counter() - start
order.result()
real = time.perf_counter() - start
print(f"the work takes {real / measured:.0f} times what was measured")
assert real > 3 * measured

# %% check stand-in
orders = [gpu.submit(torch.linalg.svdvals, matrix) for _ in range(10)]
print(orders[-1].done())  # False: ordered, not done
assert not orders[-1].done()

# %% fix stand-in
import time


def seconds(order):
    start = time.perf_counter()
    order().result()  # wait first; for a GPU: torch.cuda.synchronize()
    return time.perf_counter() - start


# %% proof stand-in
assert seconds(lambda: gpu.submit(time.sleep, 0.3)) >= 0.3
done = []
seconds(lambda: gpu.submit(lambda: done.append(torch.linalg.svdvals(matrix))))
assert torch.equal(done[0], torch.linalg.svdvals(matrix))

# %% wrong measured-again
# The call measured ten times, without waiting: ten times the ordering is measured, and the work
# still goes on when the clock has been read.
orders, measured = [], []
for _ in range(10):
    start = time.perf_counter()
    orders.append(gpu.submit(torch.linalg.svdvals, matrix))
    measured.append(time.perf_counter() - start)
start = time.perf_counter()
orders[-1].result()
waited = time.perf_counter() - start
print(f"the work goes on for {waited / sum(measured):.0f} times what was measured")
assert waited > 3 * sum(measured)

# %%
torch.set_num_threads(2)
seen = []


def model(x):
    seen.append(torch.get_num_threads())


x = torch.ones(10)

# %% break timer-threads
Timer("model(x)", globals=globals()).timeit(3)
print(torch.get_num_threads(), seen[-1])  # your program, the Timer
assert torch.get_num_threads() == 2 and seen[-1] == 1

# %% check timer-threads
measurement = Timer("x.exp()", setup="x = torch.ones(10)").timeit(100)
print(measurement)  # the last line names the threads
assert measurement.task_spec.num_threads == 1

# %% fix timer-threads
import torch
from torch.utils.benchmark import Timer

timer = Timer("model(x)", globals=globals(), num_threads=torch.get_num_threads())
print(timer.timeit(100))

# %% proof timer-threads
assert set(seen) == {2} and torch.get_num_threads() == 2
