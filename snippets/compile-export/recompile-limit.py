# ---
# wordings:
#   - text: "torch._dynamo hit config.recompile_limit ({limit:int})"
#     role: symptom
#     sample: "W0110 12:27:06.332000 158 torch/_dynamo/convert_frame.py:1551] [2/8] torch._dynamo hit config.recompile_limit (8)"
#   - text: "torch._dynamo hit config.accumulated_recompile_limit ({limit:int})"
#     role: symptom
#     sample: "W0810 18:28:53.521000 10244 site-packages/torch/_dynamo/convert_frame.py:964] [2/256] torch._dynamo hit config.accumulated_recompile_limit (256)"
#   - text: "torch._dynamo hit config.cache_size_limit ({limit:int})"
#     role: symptom
#     sample: "W0109 10:23:44.277000 181780 site-packages/torch/_dynamo/convert_frame.py:844] [2/8] torch._dynamo hit config.cache_size_limit (8)"
#   - text: "torch._dynamo hit config.accumulated_cache_size_limit ({limit:int})"
#     role: symptom
#     sample: "torch._dynamo hit config.accumulated_cache_size_limit (64)"
#   - text: "torch._dynamo.exc.Unsupported: cache_size_limit reached"
#     exception: Unsupported
#   - text: "torch._dynamo.exc.FailOnRecompileLimitHit"
#     exception: FailOnRecompileLimitHit
#   - text: "FailOnRecompileLimitHit:"
#     exception: FailOnRecompileLimitHit
#   - text: "torch._dynamo.exc.FailOnCacheLimitHit"
#     exception: FailOnCacheLimitHit
#   - text: "torch._dynamo.exc.RecompileLimitExceeded"
#     exception: RecompileLimitExceeded
#   - text: "torch._dynamo.exc.CacheLimitExceeded"
#     exception: CacheLimitExceeded
#   - text: "recompile_limit reached with"
#   - text: "cache_size_limit reached with"
#   - text: "torch._dynamo.exc.Unsupported: Dynamo recompile limit exceeded"
#     exception: Unsupported
#   - text: "Dynamo recompile limit exceeded"
#     exception: Unsupported
# tags: [compile, slow, shape]
# recover: fix
# docs: ["https://docs.pytorch.org/docs/stable/user_guide/torch_compiler/compile/programming_model.recompilation.html", "https://docs.pytorch.org/docs/stable/user_guide/torch_compiler/torch.compiler_dynamic_shapes.html"]
# causes:
#   sizes:
#     if: paste("size mismatch at index", "stride mismatch at index") and not paste("allow dynamism on parameters")
#     undecided: "the reason stands in the log line above the traceback"
#     sample: |
#       torch/_dynamo/convert_frame.py:1994] [0/8] torch._dynamo hit config.recompile_limit (8)
#       torch/_dynamo/convert_frame.py:1994] [0/8]    function: 'forward' (train.py:67)
#       torch/_dynamo/convert_frame.py:1994] [0/8]    last reason: 0/7: tensor 'args[0]' size mismatch at index 0. expected 9, actual 10
#   attribute:
#     if: paste("integer attributes of the nn.Module")
#     undecided: "the reason stands in the log line above the traceback"
#     sample: |
#       torch/_dynamo/convert_frame.py:1994] [0/8] torch._dynamo hit config.recompile_limit (8)
#       torch/_dynamo/convert_frame.py:1994] [0/8]    function: 'forward' (train.py:67)
#       torch/_dynamo/convert_frame.py:1994] [0/8]    last reason: 0/7: self.step == 7  # self.step += 1  # train.py:67 in forward (HINT: torch.compile considers integer attributes of the nn.Module to be static.)
#   many-modules:
#     case: python-value
#     if: paste("___check_obj_id(self", "___check_type_id(self", "check_obj_id(L['self']", "check_type_id(L['self']", "allow dynamism on parameters")
#     sample: |
#       torch/_dynamo/convert_frame.py:844] [1/8] torch._dynamo hit config.cache_size_limit (8)
#       torch/_dynamo/convert_frame.py:844] [1/8]    function: 'forward' (/root/model.py:66)
#       torch/_dynamo/convert_frame.py:844] [1/8]    last reason: 1/7: ___check_obj_id(L['self'], 139872)
#   mode:
#     if: paste("GLOBAL_STATE changed", "requires_grad mismatch")
#     sample: |
#       torch/_dynamo/convert_frame.py:844] [2/8] torch._dynamo hit config.cache_size_limit (8)
#       torch/_dynamo/convert_frame.py:844] [2/8]    last reason: 2/0: GLOBAL_STATE changed: allow_tf32
#   python-value:
#     likely: paste(" == '", "len(", " == ")
#     undecided: "the reason stands in the log line above the traceback"
#     sample: |
#       torch/_dynamo/convert_frame.py:1994] [0/8] torch._dynamo hit config.recompile_limit (8)
#       torch/_dynamo/convert_frame.py:1994] [0/8]    function: 'forward' (train.py:67)
#       torch/_dynamo/convert_frame.py:1994] [0/8]    last reason: 0/7: n == '7'  # train.py:17 in forward
# ---

# %%
import torch
from torch import nn

real_compile, compiled_graphs = torch.compile, []


def count(graph, inputs):  # in place of a real backend: counts what it is given
    compiled_graphs.append(graph)
    return graph.forward


def compile_here(model, **options):
    return real_compile(model, backend=count, fullgraph=True, **options)  # with fullgraph the limit is an error


torch.compile = compile_here
torch.manual_seed(0)
model = nn.Linear(4, 2)
loader = [torch.rand(size, 4) for size in range(2, 14)]

# %% break sizes
compiled = torch.compile(model, dynamic=False)
for batch in loader:  # batches of 2 to 13 rows
    compiled(batch)

# %% check sizes
sizes = {batch.shape[0] for batch in loader}
print(len(sizes))  # so many programs, one for each size
assert len(sizes) == 12

# %% fix sizes
import torch

compiled = torch.compile(model, dynamic=True)  # one program for all sizes
for batch in loader:
    compiled(batch)

# %% proof sizes
assert len(compiled_graphs) == 1
torch.testing.assert_close(compiled(loader[3]), model(loader[3]))

# %%


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)
        self.step = 0

    def forward(self, x):
        self.step += 1  # another number in each call
        return self.layer(x) / self.step


x = torch.rand(3, 4)

# %% break attribute
model = torch.compile(Model())
for _ in range(12):
    y = model(x)

# %% check attribute
model = Model()
before = model.step
model(x)
print(before, model.step)  # a number of Python, that every call changes
assert model.step == before + 1

# %% fix attribute
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)
        self.register_buffer("step", torch.zeros(()))  # a tensor may change

    def forward(self, x):
        self.step += 1
        return self.layer(x) / self.step


model = torch.compile(Model())
for _ in range(12):
    y = model(x)

# %% proof attribute
assert len(compiled_graphs) == 1
original = model._orig_mod
assert original.step == 12 and "step" in original.state_dict()
torch.testing.assert_close(y, original.layer(x) / 12)

# %%


class Block(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.depth = str(depth)

    def forward(self, x):
        return self.layer(x) / (len(self.depth) + 1)


blocks = nn.ModuleList(Block(depth) for depth in range(12))

# %% break python-value
for block in blocks:  # all of them share one forward
    block = torch.compile(block)
    x = block(x)

# %% check python-value
names = {block.depth for block in blocks}
print(len(names))  # texts that differ: as many programs
assert len(names) == 12

# %% fix python-value
import torch

torch._dynamo.config.recompile_limit = 32  # before 2.7: cache_size_limit

# %% proof python-value
assert torch._dynamo.config.recompile_limit > 12  # for 12 blocks, and one more that comes
y = x
for block in blocks:
    y = torch.compile(block)(y)
assert len(compiled_graphs) == 12
for block in blocks:
    x = block.layer(x) / (len(block.depth) + 1)
torch.testing.assert_close(y, x)
