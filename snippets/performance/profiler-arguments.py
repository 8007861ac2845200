# ---
# wordings:
#   - text: "profile.__init__() takes from 1 to 2 positional arguments but {given:int} "
#     exception: TypeError
#     sample: "TypeError: profile.__init__() takes from 1 to 2 positional arguments but 3 positional arguments (and 1 keyword-only argument) were given"
#   - text: "__init__() takes from 1 to 2 positional arguments but {given:int} "
#     exception: TypeError
#     near: [record_shapes, use_cuda, profiler.profile, enable_profiling]
#     sample: "with torch.autograd.profiler.profile(False, True) as prof:\nTypeError: __init__() takes from 1 to 2 positional arguments but 3 were given"
#   - text: "profile.__init__() takes 1 positional argument but {given:int} "
#     exception: TypeError
#     near: [profiler, torch]
#     sample: "  File \"train.py\", line 9, in <module>\n    with torch.profiler.profile([ProfilerActivity.CPU]) as prof:\nTypeError: profile.__init__() takes 1 positional argument but 2 were given"
#   - text: "schedule() takes 0 positional arguments but {given:int} "
#     exception: TypeError
#     near: [profiler, torch]
#     sample: "    schedule=torch.profiler.schedule(1, 1, 3),\nTypeError: schedule() takes 0 positional arguments but 3 were given"
#   - text: "profile.__init__() got an unexpected keyword argument '{keyword:ident}'"
#     exception: TypeError
#     near: [profiler, torch]
#     sample: "    with torch.profiler.profile(use_cuda=True) as prof:\nTypeError: profile.__init__() got an unexpected keyword argument 'use_cuda'"
#   - text: "__init__() got an unexpected keyword argument '{keyword:ident}'"
#     exception: TypeError
#     near: [torch.profiler.profile(, autograd.profiler.profile(, "profiler.profile("]
#     sample: "    with torch.profiler.profile(with_modules=True) as prof:\nTypeError: __init__() got an unexpected keyword argument 'with_modules'"
#   - text: "'FunctionEventAvg' object has no attribute '{field:ident}'"
#     exception: AttributeError
#     sample: "AttributeError: 'FunctionEventAvg' object has no attribute 'cuda_time_total'"
#   - text: "'FunctionEvent' object has no attribute '{field:ident}'"
#     exception: AttributeError
#     near: [profiler, torch]
#     sample: "AttributeError: 'FunctionEvent' object has no attribute 'cuda_time_total'\ntorch.profiler"
# tags: [slow, cuda]
# recover: fix
# related: [performance/wrong-timing, nn/forward-arguments]
# docs: ["https://docs.pytorch.org/docs/stable/profiler.html"]
# cases:
#   positional:
#     survives:
#       "without: use_device= in torch.autograd.profiler.profile(use_device='cuda' if torch.…": "it asks for the GPU's times, and proofs run where there is none"
# causes:
#   positional:
#     if: read(given)
#   other-profiler:
#     if: keyword in ["use_cuda", "enabled", "use_kineto", "use_device"]
#     sample: "    with torch.profiler.profile(use_cuda=True) as prof:\nTypeError: profile.__init__() got an unexpected keyword argument 'use_cuda'"
#   cuda-time:
#     if: begins(field, "cuda_", "self_cuda_")
#   older-torch:
#     likely: read(keyword) or read(field)
#     sample: "    with torch.profiler.profile(with_modules=True) as prof:\nTypeError: __init__() got an unexpected keyword argument 'with_modules'"
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 4)
x = torch.rand(16, 8)
profiling = True

# %% break positional
with torch.autograd.profiler.profile(profiling, False, record_shapes=True) as prof:
    model(x)

# %% fix positional
import torch

with torch.autograd.profiler.profile(
    use_device="cuda" if torch.cuda.is_available() else None,
    record_shapes=True,
) as prof:
    model(x)

# %% proof positional
table = prof.key_averages(group_by_input_shape=True)
linear = [event for event in table if event.key == "aten::linear"]
assert len(linear) == 1 and linear[0].count == 1 and linear[0].input_shapes[0] == [16, 8]

# %% break other-profiler
with torch.profiler.profile(enabled=profiling, record_shapes=True) as prof:
    model(x)

# %% fix other-profiler
from torch.profiler import profile

# CPU, and GPU where there is one
with profile(record_shapes=True) as prof:
    model(x)

# %% proof other-profiler
table = prof.key_averages(group_by_input_shape=True)
linear = [event for event in table if event.key == "aten::linear"]
assert len(linear) == 1 and linear[0].input_shapes[0] == [16, 8]
assert (torch.profiler.ProfilerActivity.CUDA in prof.activities) == torch.cuda.is_available()

# %% break cuda-time
with torch.profiler.profile() as prof:
    model(x)
total = sum(event.self_cuda_time_total for event in prof.key_averages())

# %% fix cuda-time
import torch

with torch.profiler.profile() as prof:
    model(x)
total = sum(event.self_device_time_total for event in prof.key_averages())

# %% proof cuda-time
assert (total > 0) == torch.cuda.is_available()  # the time of kernels on a GPU
event = max(prof.key_averages(), key=lambda event: event.cpu_time_total)
assert event.cpu_time_total > event.self_device_time_total or torch.cuda.is_available()
for name in ("device_time_total", "device_memory_usage", "self_device_memory_usage"):
    getattr(event, name)
