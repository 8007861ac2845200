# ---
# wordings:
#   - text: "Unable to cast from non-held to held instance (T& to Holder<T>)"
#     exception: RuntimeError
#   - text: "Unable to cast from non-held to held instance"
#     exception: RuntimeError
# tags: [compile, inference]
# recover: process
# needs: ["fault:an object of TorchScript made without running its constructor"]
# cases:
#   half-made:
#     commands:
#       shell: python export.py  # no debugger, no breakpoint, no old kernel
# rows: [S001-120]
# docs: ["https://docs.pytorch.org/docs/stable/onnx.html"]
# ---

# %%
import sys

import torch
from torch import nn

model = nn.Sequential(nn.Linear(3, 2), nn.ReLU()).eval()
x = torch.ones(1, 3)

# %% break half-made
# the Python object exists, the C++ object behind it does not
graph = torch._C.Graph.__new__(torch._C.Graph)
torch._C._jit_pass_lint(graph)  # the old ONNX exporter hands such graphs on

# %% check half-made
debugged = sys.gettrace() is not None
if sys.version_info >= (3, 12):
    debugged |= sys.monitoring.get_tool(sys.monitoring.DEBUGGER_ID) is not None
# put these lines before the export: it must say False
print("a debugger is attached:", debugged)
assert not debugged

# %% proof half-made
graph = torch.jit.trace(model, x).graph  # the same graph, finished before it is handed on, as in a process that nothing interrupts
torch._C._jit_pass_lint(graph)
assert len(list(graph.nodes())) > 0
program = torch.export.export(model, (x,))  # what dynamo=True begins with has no such objects
assert isinstance(program.graph, torch.fx.Graph)
torch.testing.assert_close(program.module()(x), model(x))
