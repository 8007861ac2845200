# ---
# wordings:
#   - text: "setStorage: sizes [{sizes:shape}], strides [{strides:shape}], storage offset {offset:int}, and itemsize {item:int} requiring a storage size of {need:int} are out of bounds for storage of size {have:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: setStorage: sizes [4096, 64], strides [64, 1], storage offset 0, and itemsize 4 requiring a storage size of 1048576 are out of bounds for storage of size 0"
#   - text: "requiring a storage size of {need:int} are out of bounds for storage of size {have:int}"
#     exception: RuntimeError
#     unless: [mindspore]
#     sample: "RuntimeError: setStorage: sizes [3, 3], strides [3, 1], and storage offset 0 requiring a storage size of 9 are out of bounds for storage of size 6"
# tags: [fsdp, multi-gpu, shape, view, fine-tuning]
# recover: fix
# related: [shapes/invalid-view-size, shapes/narrow-out-of-range, distributed/fsdp-uniform-dtype]
# docs: ["https://docs.pytorch.org/docs/stable/fsdp.html#torch.distributed.fsdp.FullyShardedDataParallel.summon_full_params", "https://docs.pytorch.org/docs/stable/generated/torch.Tensor.unfold.html"]
# causes:
#   old-release:
#     case: module-call
#     likely: have == 0 and frames("torch/utils/checkpoint.py", "_engine_run_backward", "_execution_engine.run_backward", "peft")
#     sample: |
#       Traceback (most recent call last):
#         File "/env/lib/python3.8/site-packages/torch/_tensor.py", line 487, in backward
#           torch.autograd.backward(
#         File "/env/lib/python3.8/site-packages/torch/autograd/__init__.py", line 200, in backward
#           Variable._execution_engine.run_backward(  # Calls into the C++ engine
#       RuntimeError: setStorage: sizes [4096, 64], strides [64, 1], storage offset 0, and itemsize 4 requiring a storage size of 1048576 are out of bounds for storage of size 0
#   module-call:
#     likely: have == 0 and frames(".weight", "linear(", "lm_head") and not frames("_tensor_str.py", "generate(", "save_pretrained(")
#   read-weights:
#     likely: have == 0 and frames("_tensor_str.py", "generate(", "save_pretrained(")
#   windows:
#     if: have > 0 and paste("as_strided")
# ---

# %%
import copy
import tempfile
import warnings

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.nn import functional as F

warnings.simplefilter("ignore")
x = torch.arange(6).view(2, 3)


def worker(rank, function, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(10, 4), nn.Linear(4, 300))
    whole = copy.deepcopy(model)
    for i in range(2):
        model[i] = FSDP(model[i], device_id=torch.device("cpu"))
    model = FSDP(model, device_id=torch.device("cpu"))
    model(x)  # a step of training
    function(model, whole)
    dist.destroy_process_group()


def run(function):
    """What torchrun does: function(model, whole) in two processes, where `model` is sharded."""
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(worker, (function, folder), nprocs=2, start_method="fork")


# %% break module-call
def logits_of(model, x):
    hidden = model[0](x)
    return F.linear(hidden, model[1].weight, model[1].bias)


run(lambda model, whole: logits_of(model, x))


# %% check module-call
PROGRAM = """
weight = model[1].weight
print(weight.shape, weight.untyped_storage().size())
"""
def look(model, whole):
    exec(PROGRAM, {"model": model})  # [300, 4], but 0 bytes
    assert model[1].weight.untyped_storage().size() == 0


run(look)


# %% fix module-call
def logits_of(model, x):
    hidden = model[0](x)
    return model[1](hidden)  # the module gathers its weight, and frees it again


# %% proof module-call
run(lambda model, whole: torch.testing.assert_close(logits_of(model, x), whole(x)))


# %% break read-weights
def show(model):
    print(model[1].weight.detach())


run(lambda model, whole: show(model))

# %% fix read-weights
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def show(model):  # on every rank
    with FSDP.summon_full_params(model):
        print(model[1].weight.detach())


# %% proof read-weights
import contextlib
import io


def printed(function, *arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        function(*arguments)
    return out.getvalue()


def same(model, whole):
    assert printed(show, model) == printed(print, whole[1].weight.detach())


run(same)

# %%
x = torch.arange(10.0)

# %% break windows
windows = torch.as_strided(x, (5, 4), (2, 1))  # 5 windows of 4, every 2

# %% check windows
print((len(x) - 4) // 2 + 1)  # 4 windows fit, not 5
assert (len(x) - 4) // 2 + 1 == 4

# %% fix windows
windows = x.unfold(0, size=4, step=2)  # as many as fit

# %% proof windows
assert windows.tolist() == [[0, 1, 2, 3], [2, 3, 4, 5], [4, 5, 6, 7], [6, 7, 8, 9]]
