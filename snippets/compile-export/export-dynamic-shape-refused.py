# ---
# wordings:
#   - text: "Constraints violated ({names:line})!"
#     exception: [UserError, ConstraintViolationError]
#     sample: "torch._dynamo.exc.UserError: Constraints violated (batch)! For more information, run with TORCH_LOGS=\"+dynamic\"."
#   - text: "as dynamic but your code specialized it to be a constant ({size:int})"
#     exception: [UserError, ConstraintViolationError]
#     sample: "  - You marked batch as dynamic but your code specialized it to be a constant (8). If you're using mark_dynamic, either remove it or use maybe_mark_dynamic. If you're using Dim.DYNAMIC, replace it with either Dim.STATIC or Dim.AUTO."
#   - text: "was inferred to be a constant ({size:int})"
#     exception: [UserError, ConstraintViolationError]
#     near: ["Not all values of", torch]
#     sample: "  - Not all values of batch = L['x'].size()[0] in the specified range batch <= 32 are valid because batch was inferred to be a constant (1)."
#   - text: "The following dimensions have been specialized and CANNOT be dynamic"
#     exception: [UserError, ConstraintViolationError]
#   - text: "but export 0/1 specialized due to hint of {size:int} for dimension"
#     exception: ValueError
#     sample: "- Received user-specified dim hint Dim.DYNAMIC(min=None, max=None), but export 0/1 specialized due to hint of 1 for dimension inputs['input'].shape[0]."
#   - text: "Found the following conflicts between user-specified ranges and inferred ranges from model tracing"
#     exception: ValueError
#   - text: "in the specified range satisfy the generated guard"
#     exception: [UserError, ConstraintViolationError]
#     sample: "  - Not all values of w = L['x'].size()[3] in the specified range satisfy the generated guard (2 + 2*(((-1) + L['x'].size()[3]) // 2)) == L['x'].size()[3]."
#   - text: "torch.fx.experimental.symbolic_shapes.ConstraintViolationError"
#     exception: ConstraintViolationError
# tags: [export, shape, onnx]
# recover: fix
# related: [compile-export/onnx-torch-export-failed]
# docs: ["https://docs.pytorch.org/docs/stable/export.html", "https://docs.pytorch.org/docs/stable/user_guide/torch_compiler/export.html"]
# cases:
#   example-of-one:
#     wrong: {dim-auto: "https://github.com/pytorch/pytorch/issues/151094"}
# causes:
#   example-of-one:
#     if: size == 1 or size == 0
#   fixed-size:
#     if: size > 1
#   equal-sizes:
#     if: paste("must always be equal")
#   multiple:
#     if: paste("satisfy the generated guard")
# ---

# %%
import torch
from torch import nn
from torch.export import Dim

torch.manual_seed(0)
model = nn.Linear(4, 3)
x = torch.randn(1, 4)

# %% break example-of-one
batch = Dim("batch")
torch.export.export(model, (x,), dynamic_shapes=({0: batch},))

# %% check example-of-one
print(x.shape)  # a 1 where the size is to be free
assert x.shape[0] == 1

# %% fix example-of-one
import torch
from torch.export import Dim

example = torch.cat([x, x])  # a batch of two
batch = Dim("batch")
program = torch.export.export(model, (example,), dynamic_shapes=({0: batch},))

# %% proof example-of-one
for size in (1, 2, 7):
    other = torch.randn(size, 4)
    torch.testing.assert_close(program.module()(other), model(other))

# %% use example-of-one
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(x).square().mean().backward()
optimizer.step()
# >>>
batch = Dim("batch")
program = torch.export.export(model, (x,), dynamic_shapes=({0: batch},))
# <<<
torch.export.save(program, "model.pt2")
served = torch.export.load("model.pt2").module()
for size in (1, 3, 16):
    requests = torch.randn(size, 4)
    torch.testing.assert_close(served(requests), model(requests))

# %% wrong dim-auto
# `Dim.AUTO` in place of a name: it exports, and the size is fixed to that of the example.
program = torch.export.export(model, (x,), dynamic_shapes=({0: Dim.AUTO},))

# %%


class Model(nn.Module):
    def forward(self, x):
        return x.reshape(8, -1) * 2  # 8 stands in the model


model = Model()
x = torch.randn(8, 2, 2)

# %% break fixed-size
batch = Dim("batch")
torch.export.export(model, (x,), dynamic_shapes=({0: batch},))

# %% check fixed-size
try:
    model(torch.randn(5, 3))
except RuntimeError as error:
    print(error)  # without any export: the model itself takes no other size
    assert "invalid for input of size 15" in str(error)

# %% fix fixed-size
import torch
from torch import nn
from torch.export import Dim


class Model(nn.Module):
    def forward(self, x):
        return x.flatten(1) * 2  # or x.reshape(x.shape[0], -1)


batch = Dim("batch")
program = torch.export.export(Model(), (x,), dynamic_shapes=({0: batch},))

# %% proof fixed-size
for size in (1, 2, 7):
    other = torch.randn(size, 2, 2)
    torch.testing.assert_close(program.module()(other), other.reshape(size, 4) * 2)

# %%


class Model(nn.Module):
    def forward(self, x, mask):
        return x * mask


model = Model()
x = torch.randn(8, 4)
mask = torch.ones(8, 4)

# %% break equal-sizes
shapes = ({0: Dim("rows")}, {0: Dim("mask_rows")})
torch.export.export(model, (x, mask), dynamic_shapes=shapes)

# %% check equal-sizes
print(x.shape[0] == mask.shape[0])  # True: one size, that got two names
assert x.shape[0] == mask.shape[0]

# %% fix equal-sizes
import torch
from torch.export import Dim

batch = Dim("batch")
shapes = ({0: batch}, {0: batch})  # one name for one size
program = torch.export.export(model, (x, torch.ones_like(x)), dynamic_shapes=shapes)

# %% proof equal-sizes
other, mask = torch.randn(5, 4), torch.rand(5, 4)
torch.testing.assert_close(program.module()(other, mask), other * mask)

# %%


class Model(nn.Module):  # halves the picture, doubles it again, and adds the two
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(3, 4, 3, stride=2, padding=1)
        self.up = nn.Upsample(scale_factor=2)
        self.skip = nn.Conv2d(3, 4, 1)

    def forward(self, x):
        return self.up(self.down(x)) + self.skip(x)


model = Model()
images = torch.randn(2, 3, 32, 32)

# %% break multiple
sizes = {2: Dim("height"), 3: Dim("width")}
torch.export.export(model, (images,), dynamic_shapes=(sizes,))

# %% check multiple
try:
    model(torch.randn(2, 3, 33, 32))
except RuntimeError as error:
    print(error)  # an odd height fails without any export, too
    assert "must match" in str(error)

# %% fix multiple
import torch
from torch.export import Dim

height, width = 2 * Dim("half_height"), 2 * Dim("half_width")  # even sizes only
sizes = {2: height, 3: width}
program = torch.export.export(model, (images,), dynamic_shapes=(sizes,))

# %% proof multiple
for size in ((64, 48), (20, 32)):
    other = torch.randn(2, 3, *size)
    torch.testing.assert_close(program.module()(other), model(other))
