# ---
# wordings:
#   - text: "mat1 and mat2 must have the same dtype, but got {a:dtype} and {b:dtype}"
#     exception: RuntimeError
#     sample: "RuntimeError: mat1 and mat2 must have the same dtype, but got Double and Float"
#   - text: "expected m1 and m2 to have the same dtype, but got: {a:line} != {b:line}"
#     exception: RuntimeError
#     sample: "RuntimeError: expected m1 and m2 to have the same dtype, but got: float != c10::Half"
#   - text: "expected mat1 and mat2 to have the same dtype, but got: {a:line} != {b:line}"
#     exception: RuntimeError
#     sample: "RuntimeError: expected mat1 and mat2 to have the same dtype, but got: double != float"
#   - text: "expected scalar type {want:dtype} but found {got:dtype}"
#     exception: RuntimeError
#     sample: "RuntimeError: expected scalar type Float but found Double"
#   - text: "Expected object of scalar type {want:dtype} but got scalar type {got:dtype}"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected object of scalar type Float but got scalar type Double for argument #2 'mat2' in call to _th_mm"
#   - text: "mat1 and mat2 must have the same dtype"
#     exception: RuntimeError
#   - text: "self and mat2 must have the same dtype, but got {a:dtype} and {b:dtype}"
#     exception: RuntimeError
#     sample: "RuntimeError: self and mat2 must have the same dtype, but got Double and Float"
#   - text: "expected self and mat2 to have the same dtype"
#     exception: RuntimeError
#   - text: "expected both vectors to have same dtype, but found {a:dtype} and {b:dtype}"
#     exception: RuntimeError
#     sample: "RuntimeError: dot : expected both vectors to have same dtype, but found Float and Double"
#   - text: "addmv input tensors must have the same dtype"
#     exception: RuntimeError
#   - text: "Input dtypes must be the same, got: input"
#     exception: RuntimeError
#   - text: "both inputs should have same dtype"
#     exception: RuntimeError
#   - text: "Found dtype {got:dtype} but expected {want:dtype}"
#     exception: RuntimeError
#     sample: "RuntimeError: Found dtype Double but expected Float"
#   - text: "expected dtype {want:dtype} but got dtype {got:dtype}"
#     exception: RuntimeError
#     sample: "RuntimeError: expected dtype Double but got dtype Float (validate_dtype at /pytorch/aten/src/ATen/native/TensorIterator.cpp:143)"
#   - text: "expected dtype {want:dtype} for `{_:ident}` but got dtype {got:dtype}"
#     exception: RuntimeError
#     sample: "RuntimeError: expected dtype float for `end` but got dtype double"
#   - text: "Expected query, key, and value to have the same dtype"
#     exception: RuntimeError
#   - text: "RNN input dtype ({got:dtype}) does not match weight dtype ({want:dtype})"
#     exception: ValueError
#     sample: "ValueError: RNN input dtype (torch.float64) does not match weight dtype (torch.float32). Convert input: input.to(torch.float32), or convert model: model.to(torch.float64)"
#   - text: "mixed dtype (CPU): all inputs must share same datatype"
#     exception: RuntimeError
#   - text: "mixed dtype (CPU): expect {_:ident} to have scalar type of {want:dtype}"
#     exception: RuntimeError
#     sample: "RuntimeError: mixed dtype (CPU): expect parameter to have scalar type of Float"
#   - text: "masked_scatter: expected self and source to have same dtypes"
#     exception: RuntimeError
#   - text: "self and source expected to have the same dtype, but got (self) {want:dtype} and (source) {got:dtype}"
#     exception: RuntimeError
#     sample: "RuntimeError: index_copy_(): self and source expected to have the same dtype, but got (self) Float and (source) Half"
#   - text: "self ({want:dtype}) and source ({got:dtype}) must have the same scalar type"
#     exception: RuntimeError
#     sample: "RuntimeError: index_add_(): self (Float) and source (Half) must have the same scalar type"
#   - text: "Expected self.dtype to be equal to src.dtype"
#     exception: RuntimeError
#   - text: "Index put requires the source and destination dtypes match, got {want:dtype} for the destination and {got:dtype} for the source"
#     exception: RuntimeError
#     sample: "RuntimeError: Index put requires the source and destination dtypes match, got Float for the destination and Half for the source."
#   - text: "Expected A and B to have the same dtype, but found A of type {a:dtype} and B of type {b:dtype}"
#     exception: RuntimeError
#     sample: "RuntimeError: linalg.solve: Expected A and B to have the same dtype, but found A of type Float and B of type Double instead"
#   - text: "to have the same type as tensor for argument #{_:int} '{_:ident}'; but type {a:line} does not equal {b:line} (while checking arguments for"
#     exception: RuntimeError
#     when: [same, a, b]
#     sample: "RuntimeError: Expected tensor for argument #1 'input' to have the same type as tensor for argument #2 'weight'; but type torch.cuda.HalfTensor does not equal torch.cuda.FloatTensor (while checking arguments for cudnn_batch_norm)"
#   - text: "expected backend {x:ident} and dtype {want:dtype} but got backend {y:ident} and dtype {got:dtype}"
#     exception: RuntimeError
#     when: [same, x, y]
#     sample: "RuntimeError: expected backend CUDA and dtype Float but got backend CUDA and dtype Long"
#   - text: "expected device {x:device} and dtype {want:dtype} but got device {y:device} and dtype {got:dtype}"
#     exception: RuntimeError
#     when: [same, x, y]
#     sample: "RuntimeError: expected device cuda:0 and dtype Float but got device cuda:0 and dtype Long"
#   - text: "expected type torch.{want:dtype} but got torch.{got:dtype}"
#     exception: RuntimeError
#     when: [same, want, got]
#     sample: "RuntimeError: expected type torch.FloatTensor but got torch.LongTensor"
#   - text: "Expected object of type torch.{want:dtype} but found type torch.{got:dtype} for argument"
#     exception: RuntimeError
#     when: [same, want, got]
#     sample: "RuntimeError: Expected object of type torch.FloatTensor but found type torch.DoubleTensor for argument #2 'mat2'"
#   - text: "Expected object of type Variable[torch.{want:dtype}] but found type Variable[torch.{got:dtype}]"
#     exception: RuntimeError
#     when: [same, want, got]
#     sample: "RuntimeError: Expected object of type Variable[torch.DoubleTensor] but found type Variable[torch.FloatTensor] for argument #1 'mat2'"
#   - text: "expected Double tensor (got {got:ident} tensor)"
#     exception: RuntimeError
#     sample: "RuntimeError: expected Double tensor (got Float tensor)"
#   - text: "expected Float tensor (got {got:ident} tensor)"
#     exception: RuntimeError
#     sample: "RuntimeError: expected Float tensor (got Double tensor)"
#   - text: "expected m1 and m2 to have the same dtype"
#     exception: RuntimeError
#   - text: "expected mat1 and mat2 to have the same dtype"
#     exception: RuntimeError
#   - text: "expected type CUDAFloatType but got CUDAHalfType"
#     exception: RuntimeError
#     sample: "RuntimeError: expected type CUDAFloatType but got CUDAHalfType"
# tags: [numpy, amp, inference, fine-tuning, lora, loss, comfyui]
# recover: fix
# docs: ["https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch-dtype", "https://docs.pytorch.org/docs/stable/amp.html"]
# cases: {double-input: {wrong: {double-model: "https://github.com/cornellius-gp/gpytorch/issues/2003"}}}
# causes:
#   double-input:
#     if: >-
#       (got in ["Double", "double"] or a in ["Double", "double"] or b in ["Double", "double"] or
#       want == "Double" or paste("torch.DoubleTensor", "torch.cuda.DoubleTensor", "torch.float64"))
#       and not paste("Found dtype")
#     undecided: PyTorch 2.0 does not print the dtypes
#   float8:
#     if: paste("Float8_e")
#     sample: "RuntimeError: mat1 and mat2 must have the same dtype, but got Half and Float8_e4m3fn"
#   double-targets:
#     if: >-
#       paste("Found dtype") and got in ["Double", "Long", "Int", "Byte", "Bool"] and frames(
#       "backward", "loss")
#     likely: paste("Found dtype") and got in ["Double", "Long", "Int", "Byte", "Bool"]
#     sample: "RuntimeError: Found dtype Double but expected Float"
#   two-halves:
#     if: want == "Half" and got == "BFloat16" or want == "BFloat16" and got == "Half" or a == "Half" and b == "BFloat16" or a == "BFloat16" and b == "Half"
#     sample: "RuntimeError: mat1 and mat2 must have the same dtype, but got BFloat16 and Half"
#   half-model:
#     likely: >-
#       want in ["Half", "BFloat16"] or got in ["Half", "BFloat16"] or a in ["Half", "BFloat16",
#       "c10::Half", "c10::BFloat16"] or b in ["Half", "BFloat16", "c10::Half", "c10::BFloat16"]
#       or paste("c10::Half", "c10::BFloat16")
#     undecided: PyTorch 2.0 does not print the dtypes
#   integer-input:
#     undecided: PyTorch 2.0 does not print the dtypes
#     if: >-
#       got in ["Long", "Int", "Byte", "Char", "Short", "Bool"] and want in ["Float", "float"] or a in ["Long", "Int", "Byte", "Char", "Short", "Bool", "long", "int"] and b in ["Float", "float"]
#       or b in ["Long", "Int", "Byte", "Char", "Short", "Bool", "long", "int"] and a in ["Float", "float"]
#     likely: >-
#       got in ["Byte", "Long", "Int"] and paste("expected Float tensor") or want in ["FloatTensor",
#       "cuda.FloatTensor"] and got in ["LongTensor", "IntTensor", "ByteTensor", "cuda.LongTensor",
#       "cuda.IntTensor", "cuda.ByteTensor"]
# ---

# %%
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2)
table = np.random.default_rng(0).random((8, 4))  # NumPy's and pandas' numbers are float64
x = torch.from_numpy(table)

# %% break double-input
model(x)

# %% check double-input
print(x.dtype, model.weight.dtype)
assert x.dtype == torch.float64 and model.weight.dtype == torch.float32

# %% fix double-input
# or where the tensor is made: torch.tensor(table, dtype=torch.float32)
x = x.float()
outputs = model(x)

# %% proof double-input
assert outputs.dtype == torch.float32 and np.allclose(x.numpy(), table)
assert torch.equal(outputs[:2], model(x[:2]))

# %% wrong double-model
# `model.double()`: it runs, and weights, gradients and activations take twice the memory.
before = sum(parameter.nbytes for parameter in model.parameters())
model.double()
outputs = model(x)
after = sum(parameter.nbytes for parameter in model.parameters())
print(outputs.dtype, after / before)
assert after == 2 * before

# %% use double-input
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
losses = []
for epoch in range(20):
    x, labels = torch.from_numpy(table), torch.arange(8) % 2
    # >>>
    model(x)
    # <<<
    loss = nn.functional.cross_entropy(outputs, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
assert losses[-1] < losses[0] and model.weight.dtype == torch.float32

# %%
x = torch.randint(0, 256, (8, 4), dtype=torch.uint8)  # pixels, as a file holds them
pixels = x

# %% break integer-input
model(x)

# %% check integer-input
print(x.dtype)
assert not x.is_floating_point()

# %% fix integer-input
x = x / 255  # floats from 0 to 1; counts and years: x.float()
outputs = model(x)

# %% proof integer-input
assert x.max() <= 1 and torch.equal((x * 255).round().byte(), pixels)
assert outputs.dtype == torch.float32

# %%
model = nn.Linear(4, 2).to(torch.bfloat16)  # as torch_dtype=torch.bfloat16 loads it
x = torch.rand(8, 4)

# %% break half-model
model(x)

# %% check half-model
print({parameter.dtype for parameter in model.parameters()}, x.dtype)
assert {parameter.dtype for parameter in model.parameters()} != {x.dtype}

# %% fix half-model
x = x.to(next(model.parameters()).dtype)
outputs = model(x)

# %% proof half-model
assert outputs.dtype == torch.bfloat16
exact = torch.nn.functional.linear(x.float(), model.weight.float(), model.bias.float())
assert (outputs.float() - exact).abs().max() < 0.02

# %% use half-model
answers = []
for size in (3, 5):
    x = fractions = torch.rand(size, 4)
    # >>>
    model(x)
    # <<<
    answers.append(outputs.float() - model.float()(fractions))
    model.to(torch.bfloat16)
assert torch.cat(answers).abs().max() < 0.05 and len(answers[1]) == 5

# %%
model = nn.Linear(4, 1)
x, y = torch.rand(8, 4), torch.from_numpy(np.random.default_rng(0).integers(0, 2, (8, 1)))
loss_fn = nn.BCELoss()

# %% break double-targets
loss = loss_fn(model(x).sigmoid(), y)
loss.backward()

# %% check double-targets
print(y.dtype, model.weight.dtype)
assert y.dtype != model.weight.dtype

# %% fix double-targets
y = y.float()
loss = loss_fn(model(x).sigmoid(), y)
loss.backward()

# %% proof double-targets
by_hand = -torch.where(y == 1, model(x).sigmoid(), 1 - model(x).sigmoid()).log().mean()
torch.testing.assert_close(loss, by_hand)
assert model.weight.grad.abs().sum() > 0 and set(y.flatten().tolist()) == {0.0, 1.0}
