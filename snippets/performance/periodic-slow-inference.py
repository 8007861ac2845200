# ---
# tags: [inference, slow]
# related: [performance/wrong-timing, performance/first-iteration-slow]
# rows: [S001-114]
# docs: ["https://docs.pytorch.org/docs/stable/profiler.html"]
# ---

# %%
import gc
import statistics
import time

import torch
from torch import nn


def seconds(call):
    start = time.perf_counter()
    call()
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()
    return time.perf_counter() - start


def slow_calls(times, factor=5):
    """Which calls took much longer than the median."""
    limit = factor * statistics.median(times)
    return [number for number, value in enumerate(times) if value > limit]


# %% break own-interval
model = nn.Linear(64, 8, device="cpu")
x = torch.randn(1, 64, device="cpu")
number = 0


def request():
    global number
    number += 1
    with torch.no_grad():
        y = model(x)
    if number % 50 == 0:  # something that your own program does now and then
        time.sleep(0.05)
    return y


times = [seconds(request) for _ in range(400)]
slow = slow_calls(times)
print(slow)
assert {49, 99, 149, 199, 249, 299, 349, 399} <= set(slow)

# %% check own-interval
slow = slow_calls([0.1 if number % 50 == 49 else 0.001 for number in range(200)])  # put your own times in here
print(slow, [b - a for a, b in zip(slow, slow[1:], strict=False)])  # always the same distance: counted by a program
assert slow == [49, 99, 149, 199]

# %% fix own-interval
model = nn.Linear(64, 8, device="cpu")
x = torch.randn(1, 64, device="cpu")


def request():
    with torch.no_grad():
        return model(x)


results, times = [], []
for _ in range(400):
    times.append(seconds(lambda: results.append(request())))
time.sleep(0.05)  # the same work, outside what is measured or waited for
assert len(set(slow_calls(times)) & {49, 99, 149, 199, 249, 299, 349, 399}) < 8
assert all(torch.equal(y, results[0]) for y in results)

# %% break garbage
keep = [[i] for i in range(300_000)]  # many Python objects: a service with large tables or caches
times = [seconds(lambda: torch.ones(8, device="cpu").sum()) for _ in range(100)]
usual = statistics.median(times)
full = seconds(gc.collect)  # what Python does by itself, when it finds that enough objects were made
print(f"one full collection takes as long as {full / usual:.0f} requests")
assert full > 20 * usual

# %% check garbage
pauses, started = [], [0.0]


def watch(phase, info):
    if phase == "start":
        started[0] = time.perf_counter()
    else:
        pauses.append((info["generation"], time.perf_counter() - started[0]))


gc.callbacks.append(watch)
gc.collect()  # in your program: let it run for a while instead
gc.callbacks.remove(watch)
print(pauses)  # (generation, seconds): compare with your slow calls
assert pauses and pauses[-1][0] == 2

# %% fix garbage
keep = [[i] for i in range(300_000)]
before = seconds(gc.collect)
gc.freeze()  # once, when everything is loaded: these objects are not looked at any more
after = seconds(gc.collect)
assert after < before / 2
assert keep[-1] == [299_999] and gc.isenabled()
