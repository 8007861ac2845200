# ---
# tags: [compile, cuda, inference, slow]
# related: [performance/wrong-timing]
# rows: [S001-102]
# docs: ["https://docs.pytorch.org/tutorials/recipes/recipes/benchmark.html", "https://docs.pytorch.org/docs/stable/torch.compiler_faq.html"]
# cases:
#   cuda-start: {needs: [cuda]}
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
print(f"the first step took {times[0] / statistics.median(times):.0f} times as long as the median")
assert times[0] > 3 * statistics.median(times)

# %% check first-calls
step = make_step()
print([round(1000 * seconds(step), 1) for _ in range(10)])  # ms: only the first ones are large


# %% fix first-calls
def measure(call, warmup=3, repeat=21):
    for _ in range(warmup):
        call()  # not counted
    return statistics.median(seconds(call) for _ in range(repeat))  # the median forgives a hiccup, a mean does not


step = make_step()
first = seconds(step)
typical = measure(step)
assert typical * 2 < first
assert 0.2 < measure(step) / typical < 5  # measured again, about the same


# %% break compiled
def double(x):
    return (2 * x).relu()


compiled = torch.compile(double, backend="eager")  # the quickest back end: the default one takes far longer
x = torch.randn(64)
first = seconds(lambda: compiled(x))
later = statistics.median(seconds(lambda: compiled(x)) for _ in range(9))
print(f"the first call took {first / later:.0f} times as long")
assert first > 10 * later

# %% check compiled
import torch._dynamo.utils as dynamo

compiled = torch.compile(lambda x: (2 * x).relu(), backend="eager")
for call in range(3):
    compiled(torch.randn(64))
    print(call, dynamo.counters["stats"]["unique_graphs"])  # grows in the calls that compile: the first one only
assert dynamo.counters["stats"]["unique_graphs"] == 1


# %% fix compiled
def double(x):
    return (2 * x).relu()


compiled = torch.compile(double, backend="eager")
first = seconds(lambda: compiled(torch.zeros(64)))  # at start-up, with the shape and dtype of the real inputs

x = torch.randn(64)
assert seconds(lambda: compiled(x)) < first / 2  # the first real request
assert torch.equal(compiled(x), double(x))

# %% break new-shapes
graphs = []


def backend(graph, inputs):  # only counts
    graphs.append(graph)
    return graph


compiled = torch.compile(lambda x: (2 * x).relu(), backend=backend)
for length in [16, 32]:
    compiled(torch.randn(length))
print(len(graphs))  # the second length is compiled again
assert len(graphs) == 2

# %% check new-shapes
torch._logging.set_logs(recompiles=True)  # in a shell: TORCH_LOGS=recompiles python train.py
compiled = torch.compile(lambda x: (2 * x).relu(), backend="eager")
for length in [16, 32, 48]:
    assert compiled(torch.randn(length)).shape == (length,)

# %% fix new-shapes
graphs = []


def backend(graph, inputs):
    graphs.append(graph)
    return graph


compiled = torch.compile(lambda x: (2 * x).relu(), backend=backend, dynamic=True)
for length in [16, 32, 48]:
    x = torch.randn(length)
    assert torch.equal(compiled(x), (2 * x).relu())
assert len(graphs) == 1

# %% break cuda-start
first = seconds(lambda: torch.ones(1000, device="cuda").exp().cpu())  # starts CUDA, loads kernels, asks for memory
later = statistics.median(seconds(lambda: torch.ones(1000, device="cuda").exp().cpu()) for _ in range(9))
print(f"the first call took {first / later:.0f} times as long")
assert first > 10 * later

# %% check cuda-start
print(torch.cuda.get_device_capability(), torch.cuda.get_arch_list())  # sm_90 for (9, 0): is your GPU in the list?
assert torch.cuda.get_arch_list()

# %% fix cuda-start
torch.cuda.init()
start_up = seconds(lambda: torch.ones(1000, device="cuda").exp().cpu())  # once, before the first request
request = statistics.median(seconds(lambda: torch.ones(1000, device="cuda").exp().cpu()) for _ in range(9))
assert request < start_up
assert torch.allclose(torch.ones(3, device="cuda").exp().cpu(), torch.full((3,), 2.71828, device="cpu"))
