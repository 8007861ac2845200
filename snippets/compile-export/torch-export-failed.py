# ---
# wordings:
#   - text: "Expecting `args` to be a tuple of example positional inputs, got <class '{kind:ident}"
#     exception: UserError
#     sample: "torch._dynamo.exc.UserError: Expecting `args` to be a tuple of example positional inputs, got <class 'torch.Tensor'>"
#   - text: "Expected `mod` to be an instance of `torch.nn.Module`, got <class '{mod:ident}'>"
#     exception: ValueError
#     sample: "ValueError: Expected `mod` to be an instance of `torch.nn.Module`, got <class 'function'>."
#   - text: "Exporting a ScriptModule is not supported"
#     exception: ValueError
#   - text: "Unsupported input type <class '{given:ident}'>. Export only supports"
#     exception: ValueError
#     sample: "ValueError: Unsupported input type <class '__main__.Batch'>. Export only supports pytree containers of basic types (Tensor, int, float, ...) as input."
#   - text: "in output, which is not a known type. If this type holds tensors, you need to register a pytree for it"
#     exception: RuntimeError
#     sample: "RuntimeError: Found <class '__main__.Out'> in output, which is not a known type. If this type holds tensors, you need to register a pytree for it."
#   - text: "KeyError: 'L__self__"
#     near: [export]
#     sample: "    ep = torch.export.export(M(), inp, strict=True)\nKeyError: 'L__self___b_0_weight'"
#   - text: "The error above occurred when calling torch.export.export"
#     role: symptom
# tags: [export]
# recover: fix
# related: [compile-export/export-data-dependent, compile-export/export-dynamic-shape-refused, compile-export/onnx-torch-export-failed]
# docs: ["https://docs.pytorch.org/docs/stable/export.html"]
# cases:
#   strict:
#     survives:
#       "without: strict= in torch.export.export(model, (x,), strict=False)": "newer releases have False as the default"
# causes:
#   arguments:
#     if: read(kind)
#   no-module:
#     if: read(mod) or paste("Exporting a ScriptModule")
#   own-type:
#     if: read(given) or paste("in output, which is not a known type")
#   control-flow:
#   strict:
#     likely: >-
#       paste("torch._dynamo.exc.Unsupported", "KeyError: 'L__self_", "Error while creating guard")
#     sample: "KeyError: 'L__self___b_0_weight'\nThe error above occurred when calling torch.export.export."
# ---

# %%
from dataclasses import dataclass

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 4), nn.ReLU()).eval()
x = torch.rand(2, 8)
other = torch.rand(2, 8)

# %% break arguments
program = torch.export.export(model, x)

# %% fix arguments
import torch

program = torch.export.export(model, (x,))  # a tuple, also for one input

# %% proof arguments
torch.testing.assert_close(program.module()(other), model(other))
assert program.module()(other).shape == (2, 4)


# %%
def predict(x):
    return model(x).softmax(1)


# %% break no-module
program = torch.export.export(predict, (x,))

# %% fix no-module
import torch
from torch import nn


class Predict(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(x).softmax(1)  # what the function did


program = torch.export.export(Predict(model).eval(), (x,))

# %% proof no-module
torch.testing.assert_close(program.module()(other), predict(other))
assert "model.0.weight" in program.state_dict and not program.module()(other).isnan().any()


# %%
@dataclass
class Batch:
    """What the model takes, and what another one gives."""

    x: torch.Tensor
    scale: torch.Tensor


class Scaled(nn.Module):
    def forward(self, batch):
        return batch.x * batch.scale


model = Scaled()
batch = Batch(x, torch.tensor(3.0))

# %% break own-type
program = torch.export.export(model, (batch,))

# %% fix own-type
import torch

torch.export.register_dataclass(type(batch))  # once, before the export
program = torch.export.export(model, (batch,))

# %% proof own-type
second = Batch(other, torch.tensor(-2.0))
torch.testing.assert_close(program.module()(second), other * -2)
assert len(program.graph_signature.user_inputs) == 2  # both tensors are inputs


# %%
class Block(nn.Module):
    """Layers in a list of Python, which strict mode does not follow."""

    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(8, 8), nn.Linear(8, 4)]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


model = Block().eval()

# %% break strict
torch.export.export(model, (x,), strict=True)

# %% fix strict
import torch

program = torch.export.export(model, (x,), strict=False)  # runs the Python once

# %% proof strict
torch.testing.assert_close(program.module()(other), model(other))
