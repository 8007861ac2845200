# ---
# wordings:
#   - text: "Could not guard on data-dependent expression {expression:line} (unhinted"
#     exception: [GuardOnDataDependentSymNode, UserError]
#     sample: "torch.fx.experimental.symbolic_shapes.GuardOnDataDependentSymNode: Could not guard on data-dependent expression Eq(u0, 1) (unhinted: Eq(u0, 1)).  (Size-like symbols: none)"
#   - text: "Could not guard on data-dependent expression"
#     exception: [GuardOnDataDependentSymNode, UserError]
#   - text: "Could not extract specialized integer from data-dependent expression {expression:line} (unhinted"
#     exception: [GuardOnDataDependentSymNode, UserError]
#     sample: "torch.fx.experimental.symbolic_shapes.GuardOnDataDependentSymNode: Could not extract specialized integer from data-dependent expression u0 (unhinted: u0).  (Size-like symbols: none)"
#   - text: "Could not extract specialized integer from data-dependent expression"
#     exception: [GuardOnDataDependentSymNode, UserError]
#   - text: "GuardOnDataDependentSymNode:"
#     exception: GuardOnDataDependentSymNode
#   - text: "trying to get a value out of symbolic int/float whose value is data-dependent"
#     exception: [GuardOnDataDependentSymNode, UserError]
#     sample: "GuardOnDataDependentSymNode: It appears that you're trying to get a value out of symbolic int/float whose value is data-dependent (and thus we do not know the true value.)"
#   - text: "Dynamic control flow is not supported at the moment"
#     exception: UserError
#     near: [torch/export, "torch\\export", torch.export]
#     sample: 'File "torch/export/__init__.py", line 368, in export torch._dynamo.exc.UserError: Dynamic control flow is not supported at the moment.'
#   - text: "Tried to use data-dependent value in the subsequent computation"
#     exception: UserError
# tags: [export, compile, shape]
# recover: fix
# related: [compile-export/onnx-torch-export-failed, compile-export/dynamo-unsupported, compile-export/torch-export-failed]
# docs: ["https://docs.pytorch.org/docs/stable/export.html", "https://docs.pytorch.org/docs/stable/generated/torch.cond.html"]
# cases:
#   size:
#     survives: {"without: torch._check(longest >= 0)": "2.9.1 needs it, 2.13 does not"}
# causes:
#   branch:
#     if: paste("Dynamic control flow is not supported")
#     likely: 'begins(expression, "Eq(u") and paste("(Size-like symbols:") and not paste("(Size-like symbols: u")'
#   empty:
#     likely: 'read(expression) and paste("(Size-like symbols: u") and not paste("Could not extract specialized integer")'
#   size:
#     if: paste("Could not extract specialized integer", "whose value is data-dependent")
#     likely: begins(expression, "Eq(") and not begins(expression, "Eq(u")
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
x = torch.rand(4, 3)
lengths = torch.tensor([1, 2, 3, 2])

# %% break branch


class Model(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return x - 1


program = torch.export.export(Model(), (x,))

# %% check branch
print(type(x.sum() > 0))  # the condition is a tensor: its value comes with the data
assert isinstance(x.sum() > 0, torch.Tensor)

# %% fix branch
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        return torch.where(x.sum() > 0, x * 2, x - 1)


program = torch.export.export(Model(), (x,))

# %% proof branch
exported = program.module()
signs = torch.tensor([[3.0, -1.0, 0.5], [-1.0, 0.2, -0.5], [0.0, 0.1, 0.0], [0.0, 0.0, -0.4]])
for sample in (x, -x, signs, -signs):  # the sum decides, not each value or row
    torch.testing.assert_close(exported(sample), sample * 2 if sample.sum() > 0 else sample - 1)

# %% use branch
# >>>
class Model(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return x - 1


program = torch.export.export(Model(), (x,))
# <<<
torch.export.save(program, "model.pt2")
served = torch.export.load("model.pt2").module()
for requests in (torch.ones(4, 3), -torch.ones(4, 3)):
    requests.requires_grad_()
    served(requests).sum().backward()
    slope = 2.0 if requests.sum() > 0 else 1.0
    assert (requests.grad == slope).all()

# %% break size


class Model(nn.Module):
    def forward(self, x, lengths):
        return x[:, : int(lengths.max())]


program = torch.export.export(Model(), (x, lengths))

# %% check size
print(type(int(lengths.max())))  # a plain number: the export would have to know it
assert type(int(lengths.max())) is int

# %% fix size
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x, lengths):
        longest = lengths.max().item()  # .item() stays a symbol, int() does not
        torch._check(longest >= 0)
        torch._check(longest <= x.shape[1])
        return x[:, :longest]


program = torch.export.export(Model(), (x, lengths))

# %% proof size
exported = program.module()
for longest in (1, 2, 3):
    shorter = lengths.clamp(max=longest).roll(longest)
    torch.testing.assert_close(exported(x, shorter), x[:, :longest])
try:
    exported(x, lengths + 1)
    raise SystemExit("a length beyond the tensor went through")
except RuntimeError:
    pass

# %% break empty


class Model(nn.Module):
    def forward(self, x):
        found = x[x > 0.5]
        if found.shape[0] == 0:
            return x.sum() * 0
        return found.sum()


program = torch.export.export(Model(), (x,))

# %% check empty
print(x[x > 0.5].shape)  # how many there are depends on the data
assert x[x > 0.5].shape != x.shape

# %% fix empty
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        found = torch.where(x > 0.5, x, 0)  # the shape of x, whatever is in it
        return found.sum()


program = torch.export.export(Model(), (x,))

# %% proof empty
exported = program.module()
for sample in (x, x - 0.4, 3 * x):
    torch.testing.assert_close(exported(sample), sample[sample > 0.5].sum())
assert exported(x * 0) == 0
