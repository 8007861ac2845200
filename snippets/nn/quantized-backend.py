# ---
# wordings:
#   - text: "Could not run 'aten::{op:ident}' with arguments from the 'Quantized{_:ident}' backend"
#     sample: "NotImplementedError: Could not run 'aten::_slow_conv2d_forward' with arguments from the 'QuantizedCPU' backend."
#   - text: "Could not run 'quantized::{layer:ident}' with arguments from the '{backend:ident}' backend"
#     sample: "NotImplementedError: Could not run 'quantized::linear' with arguments from the 'CPU' backend."
#   - text: "Input type (c10::quint8) and bias type (float) should be the same"
#     exception: RuntimeError
#   - text: "Input type (c10::qint8) and bias type (float) should be the same"
#     exception: RuntimeError
#   - text: "mat1 and mat2 must have the same dtype, but got QUInt8 and Float"
#     exception: RuntimeError
#   - text: "mat1 and mat2 must have the same dtype, but got QInt8 and Float"
#     exception: RuntimeError
#   - text: "empty_strided not supported on quantized tensors yet"
#     exception: RuntimeError
#   - text: "promoteTypes with quantized numbers is not handled yet"
#     exception: RuntimeError
#   - text: "Could not run 'aten::{plain:ident}' with arguments from the 'CPU' backend"
#     exception: NotImplementedError
#     sample: "NotImplementedError: Could not run 'aten::q_scale' with arguments from the 'CPU' backend."
#   - text: "Could not run 'aten::{plain:ident}' with arguments from the 'CUDA' backend"
#     exception: NotImplementedError
#     sample: "NotImplementedError: Could not run 'aten::slow_conv3d_forward' with arguments from the 'CUDA' backend."
#   - text: "Could not run 'aten::{plain:ident}' with arguments from the 'CPUTensorId' backend"
#     exception: RuntimeError
#     sample: "RuntimeError: Could not run 'aten::thnn_conv2d_forward' with arguments from the 'CPUTensorId' backend."
#   - text: "Could not run 'aten::{plain:ident}' with arguments from the 'CUDATensorId' backend"
#     exception: RuntimeError
#     sample: "RuntimeError: Could not run 'aten::quantize_per_tensor' with arguments from the 'CUDATensorId' backend."
# tags: [cnn, inference, quantization]
# recover: fix
# rows: [S001-103]
# docs: ["https://docs.pytorch.org/docs/stable/quantization.html"]
# cases:
#   quantized-twice:
#     wrong: {to-cpu: "https://github.com/pytorch/pytorch/issues/32691"}
# causes:
#   float-layer:
#     if: >-
#       paste("Input type (c10::q", "QUInt8 and Float", "QInt8 and Float")
#       or begins(op, "conv", "_conv", "slow_conv", "_slow_conv", "thnn_conv", "mkldnn_conv", "cudnn_conv", "addmm", "linear", "mkldnn_linear",
#       "native_batch_norm", "batch_norm", "_batch_norm", "cudnn_batch_norm", "native_layer_norm", "native_group_norm", "prelu", "_prelu", "lstm", "gru")
#       or (read(op) and not begins(op, "quantize_per_", "fake_quant", "_fake_quant", "bernoulli", "native_dropout")
#       and paste("torch/nn/modules/conv.py", "torch/nn/modules/linear.py", "torch/nn/modules/batchnorm.py", "torch/nn/modules/normalization.py",
#       "torch/nn/modules/instancenorm.py", "torch/nn/modules/activation.py", "torch/nn/modules/rnn.py", "torch\\nn\\modules\\conv.py",
#       "torch\\nn\\modules\\linear.py", "torch\\nn\\modules\\batchnorm.py", "torch\\nn\\modules\\activation.py"))
#   float-input:
#     if: >-
#       (begins(backend, "CPU") and not paste("pack' with arguments from"))
#       or (begins(plain, "qscheme") and frames("ops.quantized.", "functional_modules.py"))
#   on-gpu:
#     case: float-input
#     if: >-
#       begins(backend, "CUDA", "QuantizedCUDA", "HIP", "MPS", "XPU")
#       or (begins(plain, "quantize_per_", "fbgemm_", "_choose_qparams", "choose_qparams") and paste("from the 'CUDA"))
#       or (read(op) and paste("from the 'QuantizedCUDA"))
#     sample: "RuntimeError: Could not run 'quantized::conv2d_relu' with arguments from the 'CUDATensorId' backend."
#   addition:
#     if: >-
#       paste("promoteTypes with quantized numbers")
#       or (read(op) and not begins(op, "mm", "quantize_per_", "fake_quant", "_fake_quant", "fused_moving_avg", "_aminmax", "aminmax", "histc", "bernoulli",
#       "native_dropout", "empty", "_empty", "set_", "copy_", "_copy_from", "_local_scalar_dense"))
#     likely: paste("empty_strided not supported on quantized tensors")
#   quantized-twice:
#     if: begins(op, "quantize_per_tensor")
#     likely: begins(op, "quantize_per_channel")
#   float-asked-for-scale:
#     if: begins(plain, "q_scale", "q_zero_point", "q_per_channel_", "int_repr", "qscheme")
#   no-cuda-build:
#     if: begins(plain, "empty") and paste("from the 'CUDA")
#     sample: "NotImplementedError: Could not run 'aten::empty_strided' with arguments from the 'CUDA' backend."
#   other-op:
#     likely: >-
#       read(plain) and not begins(plain, "quantize", "dequantize", "fused_moving_avg", "fake_quant", "_fake_quant", "_amp_", "_pin_memory", "is_pinned",
#       "record_stream", "_indices", "_values", "_nnz", "_coalesced", "sparse_mask", "_sparse", "set_", "_copy_from")
#     sample: "NotImplementedError: Could not run 'aten::slow_conv3d_forward' with arguments from the 'CUDA' backend."
# ---

# %%
import warnings

import torch
from torch import nn
from torch.ao.nn.quantized import FloatFunctional
from torch.ao.quantization import DeQuantStub, QuantStub, convert, get_default_qconfig, prepare

warnings.simplefilter("ignore")  # every call below says that torch.ao.quantization is deprecated
torch.set_default_device("cpu")  # these quantized layers are for the CPU
torch.manual_seed(0)
images = torch.rand(8, 3, 8, 8)


def quantize(model, keep_float=()):
    model.eval().qconfig = get_default_qconfig(torch.backends.quantized.engine)
    for layer in keep_float:
        layer.qconfig = None
    prepare(model, inplace=True)
    model(images)  # calibrate
    return convert(model, inplace=True)


def close(result, expected):
    return not result.is_quantized and (result - expected).abs().mean() < 0.05 * expected.abs().mean()


# %% break float-layer
body, head = nn.Conv2d(3, 4, 3), nn.Conv2d(4, 2, 3, bias=False)
layers = QuantStub(), body, head, DeQuantStub()
model = quantize(nn.Sequential(*layers), keep_float=[head])
model(images)  # head was left float, and what it gets is quantized

# %% check float-layer
head = nn.Conv2d(4, 2, 3)
layers = QuantStub(), nn.Conv2d(3, 4, 3), head, DeQuantStub()
model = quantize(nn.Sequential(*layers), keep_float=[head])
kinds = {name: type(layer).__module__ for name, layer in model.named_children()}
print(kinds)  # "2" is a torch.nn layer between layers of torch.ao.nn.quantized
assert ".quantized" in kinds["1"] and ".quantized" not in kinds["2"]

# %% fix float-layer
from torch import nn
from torch.ao.quantization import DeQuantStub, QuantStub

head = nn.Conv2d(4, 2, 3, bias=False)  # stays float
# before prepare()
model = nn.Sequential(QuantStub(), nn.Conv2d(3, 4, 3), DeQuantStub(), head)

# %% proof float-layer
expected = head(model[1](images))
assert expected.shape == (8, 2, 4, 4) and head.bias is None
model = quantize(model, keep_float=[head])
assert ".quantized" in type(model[1]).__module__ and ".quantized" not in type(model[3]).__module__
assert close(model(images), expected)

# %% use float-layer
# >>>
head = nn.Conv2d(4, 2, 3, bias=False)
model = nn.Sequential(QuantStub(), nn.Conv2d(3, 4, 3), head, DeQuantStub())
# <<<
model.eval().qconfig = get_default_qconfig(torch.backends.quantized.engine)
head.qconfig = None
prepare(model, inplace=True)
with torch.no_grad():
    for _ in range(3):
        model(torch.rand(4, 3, 10, 10))  # calibrate
convert(model, inplace=True)
scores = model(torch.rand(2, 3, 10, 10)).mean((2, 3))
assert scores.shape == (2, 2) and not scores.is_quantized and scores.std() > 0

# %% break float-input
model = quantize(nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU()))
model(images)

# %% check float-input
model = quantize(nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU()))
# False, and the first layer is one of torch.ao.nn.quantized
print(images.is_quantized, type(model[0]).__module__)
assert not images.is_quantized and ".quantized" in type(model[0]).__module__

# %% fix float-input
from torch import nn
from torch.ao.quantization import DeQuantStub, QuantStub

# before prepare()
model = nn.Sequential(QuantStub(), nn.Conv2d(3, 4, 3), nn.ReLU(), DeQuantStub())

# %% proof float-input
expected = model[1](images).relu()
model = quantize(model)
assert ".quantized" in type(model[1]).__module__ and close(model(images), expected)


# %% break addition
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.quant, self.dequant = QuantStub(), DeQuantStub()
        self.conv = nn.Conv2d(3, 3, 1)

    def forward(self, x):
        x = self.quant(x)
        return self.dequant(x + self.conv(x))


quantize(Block())(images)

# %% check addition
x = torch.quantize_per_tensor(images, scale=0.01, zero_point=0, dtype=torch.quint8)
print("relu:", torch.relu(x).is_quantized)  # True: it has a quantized kernel
try:
    x + x
    failed = False
except NotImplementedError as error:
    failed = True
    print("x + x:", str(error)[:40])  # it has none
assert failed and torch.relu(x).is_quantized

# %% fix addition
from torch import nn
from torch.ao.nn.quantized import FloatFunctional
from torch.ao.quantization import DeQuantStub, QuantStub


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.quant, self.dequant = QuantStub(), DeQuantStub()
        self.conv = nn.Conv2d(3, 3, 1)
        # a module, so prepare() observes it and convert() replaces it
        self.plus = FloatFunctional()

    def forward(self, x):
        x = self.quant(x)
        return self.dequant(self.plus.add(x, self.conv(x)))


# %% proof addition
model = Block()
expected = images + model.conv(images)
model = quantize(model)
assert ".quantized" in type(model.conv).__module__ and close(model(images), expected)

# %% break quantized-twice
first, second = nn.Conv2d(3, 4, 3), nn.Conv2d(4, 2, 3)
model = nn.Sequential(QuantStub(), first, QuantStub(), second, DeQuantStub())
quantize(model)(images)

# %% check quantized-twice
model = quantize(nn.Sequential(QuantStub(), nn.Conv2d(3, 4, 3)))
print(model(images).is_quantized)  # True already: no second QuantStub is needed
assert model(images).is_quantized

# %% fix quantized-twice
from torch import nn
from torch.ao.quantization import DeQuantStub, QuantStub

first, second = nn.Conv2d(3, 4, 3), nn.Conv2d(4, 2, 3)
# one QuantStub, at the entrance
model = nn.Sequential(QuantStub(), first, second, DeQuantStub())

# %% proof quantized-twice
expected = model[2](model[1](images))
model = quantize(model)
assert all(".quantized" in type(model[place]).__module__ for place in (1, 2)) and close(model(images), expected)

# %% wrong to-cpu
# `.to("cpu")`: the model is there already. `QuantizedCPU` in the message is a kind of tensor, not a
# device.
first, second = nn.Conv2d(3, 4, 3), nn.Conv2d(4, 2, 3)
model = nn.Sequential(QuantStub(), first, QuantStub(), second, DeQuantStub())
quantize(model).to("cpu")(images.to("cpu"))

# %%
x = torch.tensor([0.0, 0.5, 1.0])

# %% break float-asked-for-scale
scale = x.q_scale()

# %% check float-asked-for-scale
print(x.is_quantized, x.dtype)  # False: an ordinary tensor has no scale
assert not x.is_quantized

# %% fix float-asked-for-scale
import torch

q = torch.quantize_per_tensor(x, scale=0.1, zero_point=10, dtype=torch.quint8)
scale = q.q_scale()

# %% proof float-asked-for-scale
assert abs(scale - 0.1) < 1e-9 and q.q_zero_point() == 10 and q.dtype == torch.quint8
assert torch.allclose(q.dequantize(), x)
