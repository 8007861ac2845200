# ---
# wordings:
#   - text: "RuntimeError when making fake tensor call"
#     exception: TorchRuntimeError
#     role: wrapper
#   - text: "Dynamo failed to run FX node with fake tensors"
#     exception: TorchRuntimeError
#     role: wrapper
#   - text: "Failed running call_function"
#     exception: TorchRuntimeError
#     role: wrapper
#     near: [FakeTensor, torch._dynamo, torch/_dynamo]
#     sample: "torch._dynamo.exc.TorchRuntimeError: Failed running call_function <built-in function matmul>(*(FakeTensor(..., size=(4, 3)), FakeTensor(..., size=(4, 3))), **{}):"
#   - text: "Failed running call_method"
#     exception: TorchRuntimeError
#     role: wrapper
#     near: [FakeTensor, torch._dynamo, torch/_dynamo]
#   - text: "Failed running call_module"
#     exception: TorchRuntimeError
#     role: wrapper
#     near: [FakeTensor, torch._dynamo, torch/_dynamo]
#   - text: "torch._dynamo.exc.TorchRuntimeError:"
#     exception: TorchRuntimeError
#     role: wrapper
#   - text: "Please convert all Tensors to FakeTensors first"
#     exception: [AssertionError, Exception, RuntimeError]
#     sample: "AssertionError: Please convert all Tensors to FakeTensors first or instantiate FakeTensorMode with 'allow_non_fake_inputs'. Found in aten.add.Tensor(FakeTensor(..., size=(3,)), tensor([...], size=(3,)))"
#   - text: "There was no fake impl registered for"
#     exception: [RuntimeError, TorchRuntimeError]
#   - text: "torch._subclasses.fake_tensor.UnsupportedOperatorException"
#     exception: UnsupportedOperatorException
# tags: [compile, export, device]
# recover: fix
# outranks: [dynamo-unsupported, launcher-warnings]
# related: [compile-export/dynamo-unsupported]
# docs: ["https://docs.pytorch.org/docs/stable/user_guide/torch_compiler/torch.compiler_fake_tensor.html", "https://docs.pytorch.org/tutorials/advanced/python_custom_ops.html"]
# causes:
#   model:
#     undecided: "the inner message can be anything that the model itself does wrong"
#   no-fake:
#     if: paste("There was no fake impl registered", "UnsupportedOperatorException")
#   two-devices:
#   real-tensor:
#     if: paste("Please convert all Tensors to FakeTensors first")
#   tensor-subclass:
#     likely: frames("torchao/", "torchao\\")
#     sample: |
#       Traceback (most recent call last):
#         File "site-packages/torchao/float8/float8_linear.py", line 584, in forward
#           output = manual_float8_matmul_with_args_in_float8.apply(
#       torch._dynamo.exc.TorchRuntimeError: Failed running call_function <built-in method mm>(*(FakeTensor(..., device='cuda:0')))
# ---

# %%
import torch
from torch import nn

real_compile = torch.compile


def compile_here(model, **options):  # it fails before any backend, so none is needed
    return real_compile(model, backend="eager", **options)


torch.compile = compile_here
torch.manual_seed(0)
x = torch.rand(2, 3)

# %% break model
model = nn.Sequential(nn.Linear(3, 8), nn.LayerNorm(3))
y = torch.compile(model)(x)

# %% check model
model = nn.Sequential(nn.Linear(3, 8), nn.LayerNorm(3))
try:
    model(x)  # without torch.compile: the same mistake, in plain words
except RuntimeError as error:
    print(str(error)[:60])
    assert "normalized_shape=[3]" in str(error)

# %% fix model
import torch
from torch import nn

model = nn.Sequential(nn.Linear(3, 8), nn.LayerNorm(8))
y = torch.compile(model)(x)

# %% proof model
torch.testing.assert_close(y, model(x))
assert y.shape == (2, 8) and y.mean(1).abs().max() < 1e-5 and y.std(1).min() > 0.9

# %% use model
# >>>
model = nn.Sequential(nn.Linear(3, 8), nn.LayerNorm(3))
y = torch.compile(model)(x)
# <<<
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
compiled = torch.compile(model)
for size in (2, 5):
    batch = torch.rand(size, 3)
    optimizer.zero_grad()
    compiled(batch)[:, 0].mean().backward()
    optimizer.step()
torch.testing.assert_close(compiled(batch), model(batch))
assert model[0].weight.grad.any()

# %%


@torch.library.custom_op("mine::doubled", mutates_args=())
def doubled(x: torch.Tensor) -> torch.Tensor:
    return x * 2


class Model(nn.Module):
    def forward(self, x):
        return doubled(x) + 1


model = Model()

# %% break no-fake
y = torch.compile(model)(x)

# %% check no-fake
from torch._subclasses.fake_tensor import FakeTensorMode

try:
    with FakeTensorMode():
        doubled(torch.empty(4))  # the operator alone, without data
except RuntimeError as error:
    print(str(error)[:40])
    assert "no fake impl" in str(error)

# %% fix no-fake
import torch


@torch.library.register_fake("mine::doubled")
def _(x):  # shape, dtype and device of the result; no values
    return torch.empty_like(x)


y = torch.compile(model)(x)

# %% proof no-fake
torch.testing.assert_close(y, x * 2 + 1)
torch.library.opcheck(doubled, (x,))

# %%
from torch._subclasses.fake_tensor import FakeTensorMode

model = nn.Linear(3, 2)

# %% break real-tensor
with FakeTensorMode():
    inputs = torch.empty(4, 3)
    model(inputs)  # a model of real tensors, made outside

# %% check real-tensor
with FakeTensorMode():
    inputs = torch.empty(4, 3)
print(type(inputs).__name__, type(model.weight).__name__)  # one of them is real
assert type(inputs).__name__ == "FakeTensor"
assert type(model.weight).__name__ == "Parameter"

# %% fix real-tensor
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

with FakeTensorMode(allow_non_fake_inputs=True):
    inputs = torch.empty(4, 3)
    result = model(inputs)  # shapes only: nothing is computed

# %% proof real-tensor
assert type(result).__name__ == "FakeTensor" and result.shape == (4, 2)
assert type(inputs).__name__ == "FakeTensor"
