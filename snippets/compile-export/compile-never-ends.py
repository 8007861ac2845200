# ---
# wordings:
#   - text: "(torch/_dynamo/convert_frame.py:{_:int})"
#     role: symptom
#     unless: ["%Own", ");"]  # py-spy top and record: a program that runs
#     sample: "    _compile (torch/_dynamo/convert_frame.py:2102)"
#   - text: "convert_frame.py\", line {_:int} in _compile"
#     role: symptom
#     near: ["most recent call first"]
#     unless: ["Fatal Python error", "Windows fatal exception"]
#     sample: |
#       Timeout (0:05:00)!
#       Thread 0x00007f9d583f1b80 (most recent call first):
#         File "/usr/lib/python3/site-packages/torch/_dynamo/convert_frame.py", line 2102 in _compile
#   - text: "convert_frame.py\", line {_:int}, in _compile"
#     role: symptom
#     near: [KeyboardInterrupt]
#     sample: |
#       File "/usr/lib/python3/site-packages/torch/_dynamo/convert_frame.py", line 2102, in _compile
#         guarded_code = compile_inner(code, one_graph, hooks)
#       KeyboardInterrupt
# tags: [compile, slow, hang]
# recover: process
# related: [performance/first-iteration-slow, compile-export/recompile-limit]
# docs: ["https://docs.pytorch.org/tutorials/recipes/regional_compilation.html", "https://docs.pytorch.org/docs/stable/user_guide/torch_compiler/torch.compiler_dynamic_shapes.html"]
# cases:
#   long-loop: {silent: true}
#   every-size:
#     silent: true
#     wrong: {no-dynamic: "https://github.com/pytorch/pytorch/issues/136196"}
# causes:
#   long-loop:
#   every-size:
#   again-and-again:
#   waiting:
# ---

# %%
import torch
from torch import nn

real_compile, graphs = torch.compile, []


def count(graph, inputs):  # in place of a real backend: counts what it would have to compile
    symbols = sum(isinstance(value, torch.SymInt) for value in inputs)
    graphs.append((len(graph.graph.nodes), symbols))
    return graph.forward


def compile_here(model, **options):
    return real_compile(model, backend=count, **options)


torch.compile = compile_here
torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        return x + torch.tanh(self.layer(x))


class Model(nn.Module):
    def __init__(self, blocks):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(blocks))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


model = Model(48)
x = torch.rand(4, 8)

# %% break long-loop
compiled = torch.compile(model)  # the loop is unrolled: 48 blocks in one graph
compiled(x)
torch.compile(Model(1))(x)
(whole, _), (one, _) = graphs
assert whole > 30 * one  # of one block 6 nodes, of 48 blocks 240

# %% check long-loop
import torch._dynamo

found = torch._dynamo.explain(model)(x)
print(found.op_count)  # operations in the graphs: the more, the longer it takes
assert found.op_count > 100

# %% fix long-loop
for block in model.blocks:
    block.compile()  # in place of torch.compile(model): one code, compiled once

# %% proof long-loop
y = model(x)
assert 1 <= len(graphs) <= 2 and sum(nodes for nodes, _ in graphs) < 20  # a second graph: whether x requires a gradient
again = Model(48)
again.load_state_dict(model.state_dict())
torch.testing.assert_close(y, again(x))
assert all(isinstance(b, torch._dynamo.OptimizedModule) or b._compiled_call_impl for b in model.blocks)

# %% use long-loop
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
# >>>
model = torch.compile(model)
# <<<
for step in range(3):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), x)
    loss.backward()
    optimizer.step()
assert all(parameter.grad.any() for parameter in model.parameters())
assert sum(nodes for nodes, _ in graphs) < 30  # of 48 blocks one was compiled

# %%
model = nn.Conv2d(3, 4, 3)
images = torch.rand(2, 3, 9, 10)

# %% break every-size
compiled = torch.compile(model, dynamic=True)
y = compiled(images)
(_, symbols), *_ = graphs
assert symbols == 3  # batch, height and width: all are symbols, in every formula

# %% check every-size
print(images.shape)  # which of these sizes really change from call to call?
assert len(images.shape) == 4

# %% fix every-size
import torch

compiled = torch.compile(model)
torch._dynamo.mark_dynamic(images, 0)  # only the batch size changes
y = compiled(images)

# %% proof every-size
(_, symbols), *_ = graphs
assert symbols == 1
torch.testing.assert_close(y, model(images))
for size in (3, 5, 7):
    more = torch.rand(size, 3, 9, 10)
    torch.testing.assert_close(compiled(more), model(more))
assert len(graphs) == 1  # and still no second compilation

# %% wrong no-dynamic
# `dynamic=False`: no symbols, and each new batch size is a compilation of its own.
compiled = torch.compile(model, dynamic=False)
for size in (3, 5, 7):
    compiled(torch.rand(size, 3, 9, 10))
print(len(graphs))  # one for each of the three
assert len(graphs) == 3
