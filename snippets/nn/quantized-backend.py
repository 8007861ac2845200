# ---
# wordings:
#   - text: "Could not run 'aten::{op:ident}' with arguments from the 'Quantized{_:ident}' backend"
#     sample: "NotImplementedError: Could not run 'aten::add.out' with arguments from the 'QuantizedCPU' backend."
#   - text: "Could not run 'quantized::{layer:ident}' with arguments from the '{backend:ident}' backend"
#     sample: "NotImplementedError: Could not run 'quantized::linear' with arguments from the 'CPU' backend."
#   - text: "Input type (c10::quint8) and bias type (float) should be the same"
#     exception: RuntimeError
#   - text: "mat1 and mat2 must have the same dtype, but got QUInt8 and Float"
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
#   - text: "Didn't find engine for operation quantized::{engine_op:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: Didn't find engine for operation quantized::linear_prepack NoQEngine"
# tags: [cnn, inference, quantization]
# rows: [S001-103]
# docs: ["https://docs.pytorch.org/docs/stable/quantization.html"]
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


# %% break float-layer
body, head = nn.Conv2d(3, 4, 3), nn.Conv2d(4, 2, 3, bias=False)
model = quantize(nn.Sequential(QuantStub(), body, head, DeQuantStub()), keep_float=[head])
model(images)  # head was left float, and what it gets is quantized

# %% check float-layer
head = nn.Conv2d(4, 2, 3)
model = quantize(nn.Sequential(QuantStub(), nn.Conv2d(3, 4, 3), head, DeQuantStub()), keep_float=[head])
kinds = {name: type(layer).__module__ for name, layer in model.named_children()}
print(kinds)  # "2" is a torch.nn layer between layers of torch.ao.nn.quantized
assert ".quantized" in kinds["1"] and ".quantized" not in kinds["2"]

# %% fix float-layer
body, head = nn.Conv2d(3, 4, 3), nn.Conv2d(4, 2, 3, bias=False)
expected = head(body(images))
model = quantize(nn.Sequential(QuantStub(), body, DeQuantStub(), head), keep_float=[head])
result = model(images)

assert not result.is_quantized
assert (result - expected).abs().mean() < 0.05 * expected.abs().mean()

# %% break float-input
model = quantize(nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU()))
model(images)

# %% check float-input
model = quantize(nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU()))
print(images.is_quantized, type(model[0]).__module__)  # False, and the first layer is one of torch.ao.nn.quantized
assert not images.is_quantized and ".quantized" in type(model[0]).__module__

# %% fix float-input
model = nn.Sequential(QuantStub(), nn.Conv2d(3, 4, 3), nn.ReLU(), DeQuantStub())
expected = model.eval()(images)
result = quantize(model)(images)

assert not result.is_quantized
assert (result - expected).abs().mean() < 0.05 * expected.abs().mean()

# %% break addition
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.quant, self.conv, self.dequant = QuantStub(), nn.Conv2d(3, 3, 1), DeQuantStub()

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
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.quant, self.conv, self.dequant = QuantStub(), nn.Conv2d(3, 3, 1), DeQuantStub()
        self.plus = FloatFunctional()  # a module, so prepare() observes it and convert() replaces it

    def forward(self, x):
        x = self.quant(x)
        return self.dequant(self.plus.add(x, self.conv(x)))


model = Block()
expected = model(images)
result = quantize(model)(images)

assert (result - expected).abs().mean() < 0.05 * expected.abs().mean()
