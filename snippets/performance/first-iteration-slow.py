# ---
# tags: [compile, cuda, inference, slow]
# recover: fix
# related: [performance/wrong-timing]
# rows: [S001-102]
# docs: ["https://docs.pytorch.org/tutorials/recipes/recipes/benchmark.html", "https://docs.pytorch.org/docs/stable/torch.compiler_faq.html"]
# cases:
#   cuda-start: {needs: [cuda]}
#   new-shapes: {wrong: {higher-limit: "https://github.com/HomebrewML/HeavyBall/issues/16"}}
# causes:
#   first-calls:
#   compiled:
#   new-shapes:
#   cudnn-search:
#   cuda-start:
#   no-code-for-gpu: {case: cuda-start}
#   later-spikes:
# ---

# %%
import statistics
import time

import torch
from torch import nn


def seconds(call):
    start = time.perf_counter()
    call()
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()  # a GPU is still working when the call comes back
    return time.perf_counter() - start


def make_step():
    """A training step: forward, backward, optimizer."""
    torch.set_num_threads(1)  # only here: it keeps the times steady on a busy machine
    model, x = nn.Linear(64, 8), torch.randn(16, 64)
    optimizer = torch.optim.Adam(model.parameters())

    def step():
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()

    return step


# %% break first-calls
step = make_step()
times = [seconds(step) for _ in range(20)]
share = times[0] / statistics.median(times)
print(f"the first step took {share:.0f} times as long as the median")
assert times[0] > 3 * statistics.median(times)

# %% check first-calls
import time

step = make_step()
for _ in range(10):
    start = time.perf_counter()
    step()
    # ms: only the first ones are large
    print(round(1000 * (time.perf_counter() - start), 1))


# %% fix first-calls
import statistics
import time

import torch


def measure(call, warmup=3, repeat=21):
    for _ in range(warmup):
        call()  # not counted
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        if torch.cuda.is_available():
            torch.cuda.synchronize()  # the call comes back while a GPU still works
        times.append(time.perf_counter() - start)
    return statistics.median(times)  # the median forgives a hiccup, a mean does not


# %% proof first-calls
from unittest import mock

now, calls = [0.0], []


def step():
    """Three slow calls, then quick ones, on a clock of our own: 100 seconds, then 1, and on the GPU another 5."""
    calls.append(1)
    now[0] += 100 if len(calls) <= 3 else 1


def wait():
    now[0] += 5


with mock.patch("time.perf_counter", lambda: now[0]):
    with mock.patch("torch.cuda.is_available", lambda: False):
        assert measure(step, repeat=3) == 1 and len(calls) == 6
    calls.clear()
    with mock.patch("torch.cuda.is_available", lambda: True), mock.patch("torch.cuda.synchronize", wait):
        assert measure(step) == 6 and len(calls) == 24


# %%
graphs, runs, compile_ = [], [], torch.compile


def backend(graph, inputs):
    """The quickest back end: it does nothing but count. The default one takes far longer."""
    graphs.append(graph)

    def run(*inputs):
        runs.append(graph)
        return graph(*inputs)

    return run


torch.compile = lambda *arguments, **options: compile_(*arguments, **{"backend": backend, **options})


def model(x):
    return (2 * x).relu()


x = torch.randn(64)

# %% break compiled
compiled = torch.compile(model)
first = seconds(lambda: compiled(x))
later = statistics.median(seconds(lambda: compiled(x)) for _ in range(9))
print(f"the first call took {first / later:.0f} times as long")
assert first > 10 * later

# %% check compiled
import torch._dynamo.utils as dynamo

compiled = torch.compile(lambda x: (2 * x).relu(), backend="eager")
for call in range(3):
    compiled(torch.randn(64))
    # grows in the calls that compile: the first one only
    print(call, dynamo.counters["stats"]["unique_graphs"])
assert dynamo.counters["stats"]["unique_graphs"] == 1


# %% fix compiled
import torch

model = torch.compile(model)
model(torch.zeros_like(x))  # at start-up, with shape and dtype of the real inputs

# %% proof compiled
assert len(graphs) == 1
before = len(runs)
assert torch.equal(model(x), (2 * x).relu())
assert len(graphs) == 1 and len(runs) == before + 1  # the first real request runs what was compiled, and compiles nothing

# %% break new-shapes
compiled = torch.compile(model)
for length in [16, 32]:
    compiled(torch.randn(length))
print(len(graphs))  # the second length is compiled again
assert len(graphs) == 2

# %% check new-shapes
# in a shell: TORCH_LOGS=recompiles python train.py
torch._logging.set_logs(recompiles=True)
compiled = torch.compile(lambda x: (2 * x).relu(), backend="eager")
for length in [16, 32, 48]:
    assert compiled(torch.randn(length)).shape == (length,)

# %% fix new-shapes
import torch

model = torch.compile(model, dynamic=True)

# %% proof new-shapes
for length in [16, 32, 48]:
    x = torch.randn(length)
    assert torch.equal(model(x), (2 * x).relu())
assert len(graphs) == 1

# %% wrong higher-limit
# A higher limit for recompilations: the model stays compiled, but each new length up to the limit
# is compiled, and waited for.
torch._dynamo.config.cache_size_limit = 128
model = torch.compile(model, dynamic=False)

# %% break cuda-start
def call():
    return torch.ones(1000, device="cuda").exp().cpu()


first = seconds(call)  # starts CUDA, loads kernels, asks for memory
later = statistics.median(seconds(call) for _ in range(9))
print(f"the first call took {first / later:.0f} times as long")
assert first > 10 * later

# %% check cuda-start
# sm_90 for (9, 0): is your GPU in the list?
print(torch.cuda.get_device_capability(), torch.cuda.get_arch_list())
assert torch.cuda.get_arch_list()

# %%
model = nn.Linear(1000, 8)

# %% fix cuda-start
import torch

model.cuda()
# once, before the first request, with the shape of the real inputs
model(torch.zeros(1, 1000, device="cuda"))
torch.cuda.synchronize()

# %% proof cuda-start
x = torch.ones(1, 1000, device="cuda")
first = seconds(lambda: model(x).cpu())
later = statistics.median(seconds(lambda: model(x).cpu()) for _ in range(9))
assert first < 10 * later
torch.testing.assert_close(model(x).cpu(), model.cpu()(x.cpu()), rtol=1e-2, atol=1e-2)
