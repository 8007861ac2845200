# ---
# wordings:
#   - text: "mat1 and mat2 shapes cannot be multiplied ({m:int}x{k:int} and {k2:int}x{n:int})"
#     exception: RuntimeError
#     sample: "RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x864 and 1176x10)"
#   - text: "size mismatch, m1: [{m:int} x {k:int}], m2: [{k2:int} x {n:int}]"
#     exception: RuntimeError
#     sample: "RuntimeError: size mismatch, m1: [1 x 256], m2: [64 x 4] at /opt/conda/conda-bld/pytorch_1549627089062/work/aten/src/TH/generic/THTensorMath.cpp:940"
#   - text: "input and weight.T shapes cannot be multiplied ({m:int}x{k:int} and {k2:int}x{n:int})"
#     exception: RuntimeError
#     sample: "RuntimeError: linear(): input and weight.T shapes cannot be multiplied (2x2816 and 768x320)"
#   - text: "mat1 dim 1 must match mat2 dim 0"
#     exception: RuntimeError
#   - text: "a and b must have same reduction dim, but got [{m:ident}, {k:ident}] X [{k2:ident}, {n:ident}]"
#     sample: "RuntimeError: a and b must have same reduction dim, but got [2, 3] X [4, 5]."
#   - text: "size mismatch, got input ({m:int}), mat ({_:int}x{k:int}), vec ({length:int})"
#     exception: RuntimeError
#     sample: "RuntimeError: size mismatch, got input (2), mat (2x3), vec (4)"
#   - text: "size mismatch, got {m:int}, {_:int}x{k:int},{length:int}"
#     exception: RuntimeError
#     sample: "RuntimeError: size mismatch, got 41, 41x4096,0"
#   - text: "Expected size for first two dimensions of batch2 tensor to be: [{b:int}, {inner:int}] but got: [{b2:int}, {inner2:int}]"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected size for first two dimensions of batch2 tensor to be: [2, 1] but got: [2, 4]."
#   - text: "Expected tensor to have size {inner:int} at dimension 1, but got size {inner2:int} for argument #2 'batch2'"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected tensor to have size 16 at dimension 1, but got size 10 for argument #2 'batch2' (while checking arguments for bmm)"
#   - text: "Expected tensor to have size {b:int} at dimension 0, but got size {b2:int} for argument #2 'batch2'"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected tensor to have size 4 at dimension 0, but got size 2 for argument #2 'batch2' (while checking arguments for bmm)"
#   - text: "-dimensional tensor for argument #1 'batch1'"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected 3-dimensional tensor, but got 2-dimensional tensor for argument #1 'batch1' (while checking arguments for bmm)"
#   - text: "-dimensional tensor for argument #2 'batch2'"
#     exception: RuntimeError
#     sample: "RuntimeError: Expected 3-dimensional tensor, but got 2-dimensional tensor for argument #2 'batch2' (while checking arguments for bmm)"
#   - text: "matrices expected, got {_:dims}D, {_:dims}D tensors"
#     exception: RuntimeError
#     sample: "RuntimeError: matrices expected, got 3D, 2D tensors at /pytorch/aten/src/TH/generic/THTensorMath.cpp:935"
#   - text: "1D tensors expected, but got {_:dims}D and {_:dims}D tensors"
#     exception: RuntimeError
#     sample: "RuntimeError: 1D tensors expected, but got 2D and 1D tensors"
#   - text: "self must be a matrix"
#     exception: RuntimeError
#   - text: "mat2 must be a matrix"
#     exception: RuntimeError
#   - text: "mat1 must be a matrix"
#     exception: RuntimeError
#   - text: "batch1 must be a 3D tensor"
#     exception: RuntimeError
#   - text: "batch2 must be a 3D tensor"
#     exception: RuntimeError
#   - text: "matrix and matrix expected at"
#     exception: RuntimeError
#     sample: "RuntimeError: matrix and matrix expected at /opt/conda/conda-bld/pytorch_1501971235237/work/pytorch-0.1.12/torch/lib/THC/generic/THCTensorMathBlas.cu:237"
# tags: [matmul, linear, shape, cnn, transformer, fine-tuning, rnn, comfyui, lora, compile, fsdp]
# picture: [product, m, k, k2, n]
# recover: fix
# cases:
#   no-flatten:
#     wrong: {one-row: "https://github.com/udacity/deep-learning-v2-pytorch/issues/86"}
#   wrong-encoder:
#     commands:
#       comfyui: |
#         # node "Load CLIP" (CLIPLoader) in front of a Wan model
#         clip_name: umt5_xxl_fp8_e4m3fn_scaled.safetensors
#         type: wan
#   quantized:
#     commands:
#       linux: |
#         CUDA_VISIBLE_DEVICES=0 python train.py
#         torchrun --nproc-per-node=2 train.py  # or: one process a GPU
#       powershell: "$env:CUDA_VISIBLE_DEVICES = \"0\"; python train.py"
#       notebook: |
#         import os
#
#         os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # before torch is imported: restart the kernel
#   adapter:
#     commands:
#       linux: |
#         # MoRA: the peft of its repository, in place of the one from PyPI
#         pip uninstall -y peft
#         pip install -e ./peft-mora
#   under-compile:
#     commands:
#       linux: "TORCH_COMPILE_DISABLE=1 python train.py"
#       powershell: "$env:TORCH_COMPILE_DISABLE = \"1\"; python train.py"
#       notebook: "torch.compiler.set_stance(\"force_eager\")"
#   sharded-weight: {needs: [fork]}
# timeout: 180
# rows: [S000-14, S001-33]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html", "https://docs.pytorch.org/docs/stable/generated/torch.matmul.html"]
# causes:
#   image-size:
#     if: >-
#       k > 100 and k2 > 100 and square(k * k2) and k / k2 not in [1, 4, 16, 0.25, 0.0625] and not
#       (m == 1 and k % k2 == 0) and not paste("omfy", "webui", "diffus") and not (k in [128, 192,
#       200, 256, 300, 320, 384, 400, 500, 512, 600, 640, 768, 784, 800, 1000, 1024, 1280, 1536,
#       2048, 2560, 3072, 4096, 5120] and k2 in [128, 192, 200, 256, 300, 320, 384, 400, 500, 512,
#       600, 640, 768, 784, 800, 1000, 1024, 1280, 1536, 2048, 2560, 3072, 4096, 5120]) or k >= 64
#       and k2 == 400 and n == 120
#     likely: >-
#       k > 100 and k2 > 100 and square(k * k2) and not (m == 1 and k % k2 == 0) and not
#       paste("omfy", "webui", "diffus") and not (k in [128, 192, 200, 256, 300, 320, 384, 400,
#       500, 512, 600, 640, 768, 784, 800, 1000, 1024, 1280, 1536, 2048, 2560, 3072, 4096, 5120]
#       and k2 in [128, 192, 200, 256, 300, 320, 384, 400, 500, 512, 600, 640, 768, 784, 800,
#       1000, 1024, 1280, 1536, 2048, 2560, 3072, 4096, 5120]) or k > 100 and k2 > 100 and n <=
#       4096 and not paste("omfy", "webui", "diffus") and (not (m == 1 and k % k2 == 0) and (k >
#       5120 and k not in [6144, 7680, 8192, 12288, 15360] or k2 > 5120 and k2 not in [6144,
#       7680, 8192, 12288, 15360]) or m == 1 and k / k2 in [9, 49])
#       or live("input", "computed") and (live("input", "by flatten") or live("input", "by view")
#       or live("input", "by reshape")) and m > 1
#   wrong-encoder:
#     if: >-
#       k2 > 1 and k % 64 == 0 and k2 % 64 == 0 and paste("omfy", "webui", "custom_nodes",
#       "KSampler")
#     likely: >-
#       k2 > 1 and paste("omfy", "webui", "custom_nodes", "KSampler", "diffus", "ControlNet",
#       "sd-scripts") or m % 77 == 0 and n >= 320 and k in [512, 640, 768, 1024, 1152, 1280, 1408,
#       1536, 1664, 2048, 2304, 2560, 2816, 3584, 3840, 4096, 5120, 7680] and k2 in [512, 640, 768,
#       1024, 1152, 1280, 1408, 1536, 1664, 2048, 2304, 2560, 2816, 3584, 3840, 4096, 5120, 7680]
#   replaced-head:
#     if: >-
#       frames("torchvision/models", "torchvision\\models") and not paste("m1: [")
#       and frames("self.fc(x)", "self.classifier(x)", "self.heads(x)", "self.head(x)")
#     likely: >-
#       n <= 512 and k in [512, 2048] and k2 in [512, 1280, 2048] or n <= 512 and k + k2 != 1536 and
#       k in [384, 512, 576, 768, 960, 1000, 1024, 1280, 1408, 1536, 1664, 1792, 1920, 2048, 2208,
#       4096] and k2 in [384, 512, 576, 768, 960, 1000, 1024, 1280, 1408, 1536, 1664, 1792, 1920,
#       2048, 2208, 4096] and paste("torchvision", "timm", "resnet", "ResNet", "efficientnet",
#       "EfficientNet", "densenet", "DenseNet", "vgg", "VGG", "mobilenet", "MobileNet",
#       "transformers", "classifier", "self.fc(", "self.head(")
#   layers-not-chained:
#     likely: >-
#       k in [50, 64, 100, 128, 200, 256, 300, 500, 512, 1024] and k2 in [50, 64, 100, 128, 200,
#       256, 300, 500, 512, 1024] and not paste("LSTM", "lstm", "GRU", "gru") or
#       frames("torch_geometric", "dgl/nn") and k2 > 4
#       or live("input", "computed") and len(live.input.shape) == 2 and m > 1 and k != 2 * k2 and
#       k2 > 1 and live.layer.in_features == k2
#   squeeze-block:
#     case: layers-not-chained
#     if: frames("view(b, c, 1, 1)", "SELayer", "SEBlock", "SEModule")
#     sample: |
#       RuntimeError: size mismatch, m1: [1 x 256], m2: [64 x 4] at /pytorch/aten/src/TH/generic/THTensorMath.cpp:940
#         File "lib/models/se.py", line 30, in forward
#           y = self.fc(y).view(b, c, 1, 1)
#   table-columns:
#     likely: >-
#       k - k2 in [-3, -2, -1, 1, 2, 3] and k2 > 3 and k2 < 200 and n < 2048
#       or len(live.input.shape) == 2 and live.layer.in_features == k2 and k2 > 1 and k2 < 1000 and
#       k < 1000 and not live("input", "computed")
#   one-feature:
#     likely: k2 == 1 and k > 1 and n < 100000
#   bidirectional:
#     if: >-
#       k == 2 * k2 and (live("by lstm") or live("by gru") or live("by rnn") or live("reads both
#       ways"))
#     likely: k == 2 * k2 and paste("LSTM", "lstm", "GRU", "gru")
#     undecided: where the failing line names no LSTM or GRU, twice the number may come from anything
#     sample: |
#       Traceback (most recent call last):
#         File "tagger.py", line 58, in forward
#           return self.head(self.lstm(x)[0])
#       RuntimeError: mat1 and mat2 shapes cannot be multiplied (480x256 and 128x9)
#   no-flatten:
#     if: >-
#       len(live.input.shape) > 2 and product(live.input.shape[1:]) == live.layer.in_features
#     likely: >-
#       m != k2 and (k >= 5 and k not in [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096] and
#       k2 >= 300 and k2 % (k * k) == 0 and m % (k2 / k) == 0 or k == 1 and k2 >= 512 and m % k2 ==
#       0) or m > k and m != k2 and k2 >= k * k and k2 % k == 0 and m % (k2 / k) == 0 and (k == 1
#       and k2 >= 8 or k >= 4 and k2 / k not in [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048,
#       4096] or k >= 4 and m >= 2000)
#   flattened-batch:
#     case: no-flatten
#     if: >-
#       len(live.input.shape) == 1 and live.layer.in_features > 1 and
#       live.input.shape[0] > live.layer.in_features and
#       live.input.shape[0] % live.layer.in_features == 0
#     likely: m == 1 and k2 > 16 and k % k2 == 0 and k / k2 not in [2, 4, 9, 49]
#     sample: "RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x25088 and 784x128)"
#   features-not-last:
#     if: len(live.input.shape) == 3 and live.input.shape[1] == live.layer.in_features
#     likely: >-
#       k2 >= 12 and k >= 12 and m % k2 == 0 and k != n
#       and k2 not in [16, 20, 25, 30, 32, 40, 50, 60, 64, 100, 128, 150, 200, 250, 256, 300, 500, 512, 1000, 1024, 2048]
#     undecided: of the input's sizes only the last is printed by itself, and 16 divides most batches
#     sample: "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2560x401 and 80x512)"
#   weight-as-stored:
#     if: >-
#       k == n and frames(".weight") and frames(" @ ", "matmul(", ".mm(") and not
#       paste("F.linear", "linear.py", "addmm:")
#       or k == n and live("right", "parameter")
#     likely: k == n and m != k2 and frames(" @ ", "matmul(", ".mm(") and not paste("F.linear", "linear.py", "addmm:")
#   elementwise-meant:
#     if: m == k2 and k == n and frames(" @ ", "matmul(", ".mm(") and not paste("F.linear", "linear.py", "addmm:")
#     likely: m == k2 and k == n and not paste("F.linear", "linear.py", "addmm:")
#   quantized:
#     if: k2 == 1 and n >= 100000
#   outliers:
#     case: quantized
#     if: frames("subB")
#     likely: k - k2 in [-3, -2, -1, 1, 2, 3] and k < 100 and n >= 2048
#     sample: |
#       Traceback (most recent call last):
#         File "bitsandbytes/autograd/_functions.py", line 398, in forward
#           output += torch.matmul(subA, state.subB)
#       RuntimeError: mat1 and mat2 shapes cannot be multiplied (1024x6 and 7x4096)
#   adapter:
#     likely: k2 == n and k >= 1000 and k2 < 1000 and k % k2 != 0 and k2 % 64 != 0 and k2 not in [100, 200, 300, 400, 500]
#   key-not-transposed:
#     likely: b == b2 or read(inner) and not read(b)
#   batches-differ:
#     if: b != b2
#     sample: "RuntimeError: Expected size for first two dimensions of batch2 tensor to be: [64, 32] but got: [8, 32]."
#   mm-with-batch:
#     if: >-
#       paste("self must be a matrix", "mat1 must be a matrix", "batch1 must be a", "batch2 must be a")
#       or paste("matrices expected, got", "1D tensors expected", "-dimensional tensor for argument")
#       or paste("mat2 must be a matrix") and (not paste("got 1-D") or frames(".mm(", "addmm(") or paste(" mm: mat2"))
#   sharded-weight:
#     if: >-
#       length == 0 or read(length) and frames("F.linear")
#       or paste("mat2 must be a matrix, got 1-D") and not frames(".mm(", "addmm(") and not paste(" mm: mat2")
#   under-compile:
#     if: paste("must have same reduction dim")
# ---

# %%
from collections import OrderedDict

import torch
from torch import nn

torch.manual_seed(0)
images = torch.rand(8, 1, 28, 28)

# %% break image-size
layers = nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()
convolutions = nn.Sequential(*layers)
head = nn.Linear(6 * 14 * 14, 10)  # counted for images of 32x32
head(convolutions(images))

# %% check image-size
layers = nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()
convolutions = nn.Sequential(*layers)
head = nn.Linear(6 * 14 * 14, 10)
print(convolutions(images).shape)  # what arrives: the last number
print(head.in_features)  # what the layer was built for
assert convolutions(images).shape[-1] != head.in_features

# %% fix image-size
import torch
from torch import nn

layers = nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()
convolutions = nn.Sequential(*layers)
features = convolutions(images[:1]).shape[1]  # one image gives the number
head = nn.Linear(features, 10)

# %% proof image-size
assert features == 6 * 12 * 12
scores = head(convolutions(images))
assert scores.shape == (8, 10)
by_hand = images.unfold(2, 5, 1).unfold(3, 5, 1).flatten(4)[:, 0] @ convolutions[0].weight.flatten(1).T + convolutions[0].bias
pooled = by_hand.permute(0, 3, 1, 2).relu().unfold(2, 2, 2).unfold(3, 2, 2).amax((4, 5))
assert torch.allclose(scores, pooled.flatten(1) @ head.weight.T + head.bias, atol=1e-5)

# %%
images = torch.rand(30, 3, 8, 8)
model = nn.Sequential(  # stands for a ResNet-50: 2048 features, 1000 classes
    OrderedDict(conv=nn.Conv2d(3, 2048, 3), pool=nn.AdaptiveAvgPool2d(1), flatten=nn.Flatten(), fc=nn.Linear(2048, 1000))
)

# %% break replaced-head
model.fc = nn.Linear(512, 2)  # copied from an example with ResNet-18
model(images)

# %% check replaced-head
print(model.fc)  # Linear(in_features=2048, ...): print it before you replace it
assert model.fc.in_features == 2048

# %% fix replaced-head
from torch import nn

model.fc = nn.Linear(model.fc.in_features, 2)  # 2 classes; the input as before

# %% proof replaced-head
assert model(images).shape == (30, 2)
assert torch.allclose(model(images), model[:3](images) @ model.fc.weight.T + model.fc.bias, atol=1e-5)

# %%
x = torch.rand(5, 10)

# %% break layers-not-chained
model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(128, 3))
model(x)

# %% check layers-not-chained
model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(128, 3))
linears = [(n, m) for n, m in model.named_modules() if isinstance(m, nn.Linear)]
# each layer must begin with what the one before gives
print([(name, layer.in_features, layer.out_features) for name, layer in linears])
assert model[0].out_features != model[2].in_features

# %% fix layers-not-chained
from torch import nn

model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 3))

# %% proof layers-not-chained
scores = model(x)
assert scores.shape == (5, 3)
assert torch.allclose(scores, (x @ model[0].weight.T + model[0].bias).relu() @ model[2].weight.T + model[2].bias, atol=1e-6)

# %%
table = torch.rand(64, 13)  # 12 features, and the answer in the last column
x = table

# %% break table-columns
model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 1))
model(x)

# %% check table-columns
model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 1))
print(x.shape[1], model[0].in_features)  # one more: an index, an id, or the answer
assert x.shape[1] == model[0].in_features + 1

# %% fix table-columns
from torch import nn

x, y = x[:, :-1], x[:, -1:]  # the answer is no feature
model = nn.Sequential(nn.Linear(x.shape[1], 32), nn.ReLU(), nn.Linear(32, 1))

# %% proof table-columns
assert torch.equal(x, table[:, :12]) and torch.equal(y, table[:, 12:])
assert model(x).shape == y.shape

# %%
x = torch.linspace(-1, 1, 100)

# %% break one-feature
model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
model(x)

# %% check one-feature
model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
print(x.shape, model[0].in_features)  # 100 numbers in one row; 1 in each is wanted
assert x.shape[-1] != model[0].in_features == 1

# %% fix one-feature
from torch import nn

model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
y = model(x.unsqueeze(-1))  # (100, 1): each number is a sample of its own

# %% proof one-feature
assert y.shape == (100, 1)
assert torch.allclose(y[7], model(x[7:8]), atol=1e-6) and not torch.allclose(y[7], y[8])

# %%
x = torch.rand(28, 20, 8)  # (batch, time, features)

# %% break bidirectional
lstm, head = nn.LSTM(8, 16, batch_first=True, bidirectional=True), nn.Linear(16, 3)
out, (hidden, cell) = lstm(x)
scores = head(out[:, -1])

# %% check bidirectional
lstm = nn.LSTM(8, 16, batch_first=True, bidirectional=True)
head = nn.Linear(16, 3)
# 32 and 16: both directions, side by side
print(lstm(x)[0].shape[-1], head.in_features)
assert lstm(x)[0].shape[-1] == 2 * head.in_features

# %% fix bidirectional
import torch
from torch import nn

lstm = nn.LSTM(8, 16, batch_first=True, bidirectional=True)
head = nn.Linear(2 * 16, 3)
out, (hidden, cell) = lstm(x)
scores = head(torch.cat([hidden[-2], hidden[-1]], dim=1))  # where each one ends

# %% proof bidirectional
ends = torch.cat([out[:, -1, :16], out[:, 0, 16:]], dim=1)  # forwards at the last step, backwards at the first
assert scores.shape == (28, 3)
assert torch.allclose(scores, ends @ head.weight.T + head.bias, atol=1e-6)

# %%
images = torch.rand(8, 1, 28, 28)

# %% break no-flatten
model = nn.Sequential(nn.Linear(28 * 28, 64), nn.ReLU(), nn.Linear(64, 10))
model(images)

# %% use no-flatten
labels = torch.arange(8)
# >>>
layers = nn.Linear(28 * 28, 64), nn.ReLU(), nn.Linear(64, 10)
model = nn.Sequential(*layers)
# <<<
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for _ in range(2):
    loss = nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
assert losses[1] < losses[0]

# %% wrong one-row
# `images.view(1, -1)`: all images of the batch become one long row, which fits the layer no more
# than before. The batch must stay: `images.view(len(images), -1)` or `nn.Flatten()`.
model = nn.Sequential(nn.Linear(28 * 28, 64), nn.ReLU(), nn.Linear(64, 10))
model(images.view(1, -1))

# %% check no-flatten
print(images.shape)  # more than two sizes: the last, 28, is taken for features
assert images.dim() > 2 and images.flatten(1).shape == (8, 784)

# %% fix no-flatten
from torch import nn

layers = nn.Linear(28 * 28, 64), nn.ReLU(), nn.Linear(64, 10)
model = nn.Sequential(nn.Flatten(), *layers)

# %% proof no-flatten
scores = model(images)
assert scores.shape == (8, 10)  # one row for each image
by_hand = (images.view(8, 784) @ model[1].weight.T + model[1].bias).relu() @ model[3].weight.T + model[3].bias
assert torch.allclose(scores, by_hand, atol=1e-5)

# %%
x = torch.rand(8, 16, 50)  # (batch, channels, time), as Conv1d gives it

# %% break features-not-last
layer = nn.Linear(16, 4)
mixed = layer(x)

# %% check features-not-last
layer = nn.Linear(16, 4)
print(x.shape, layer.in_features)  # the 16 is there, but not in the last place
assert layer.in_features in x.shape and layer.in_features != x.shape[-1]

# %% fix features-not-last
from torch import nn

layer = nn.Linear(16, 4)
mixed = layer(x.transpose(1, 2))  # (batch, time, channels)

# %% proof features-not-last
assert mixed.shape == (8, 50, 4)
assert torch.allclose(mixed[2, 7], layer.weight @ x[2, :, 7] + layer.bias, atol=1e-6)  # each moment by itself

# %%
x = torch.rand(8, 4)

# %% break weight-as-stored
layer = nn.Linear(4, 5)
y = x @ layer.weight + layer.bias

# %% check weight-as-stored
layer = nn.Linear(4, 5)
print(layer.weight.shape)  # (5, 4): a Linear stores (out, in)
assert layer.weight.shape == (layer.out_features, layer.in_features)

# %% fix weight-as-stored
from torch import nn

layer = nn.Linear(4, 5)
y = x @ layer.weight.T + layer.bias

# %% proof weight-as-stored
assert torch.allclose(y, layer(x), atol=1e-6)

# %%
x, y = torch.rand(8, 3), torch.rand(8, 3)

# %% break elementwise-meant
weighted = x @ y

# %% check elementwise-meant
print(x.shape == y.shape)  # True: twice the same, so `@` is wrong, not the shapes
assert x.shape == y.shape

# %% fix elementwise-meant
weighted = x * y

# %% proof elementwise-meant
assert torch.equal(weighted, torch.stack([x[:, column] * y[:, column] for column in range(3)], dim=1))

# %% break wrong-encoder
tokens = torch.randint(1000, (77,))
text_encoder = nn.Embedding(1000, 768)  # stands for CLIP-L: 768 values a token
text_projection = nn.Linear(4096, 5120)  # of a video model trained with UMT5-XXL
text_projection(text_encoder(tokens))

# %% proof wrong-encoder
tokens = torch.randint(1000, (77,))
text_encoder = nn.Embedding(1000, 4096)  # stands for UMT5-XXL
text_projection = nn.Linear(4096, 5120)
projected = text_projection(text_encoder(tokens))
assert text_encoder(tokens).shape[-1] == text_projection.in_features
assert projected.shape == (77, 5120) and projected.isfinite().all()

# %%
class Linear4bit(nn.Linear):
    """Stands for bitsandbytes: the weight lies packed in one column, and what unpacks it hangs on the parameter."""

    def __init__(self, inputs, outputs):
        super().__init__(inputs, outputs, bias=False)
        self.weight = nn.Parameter(self.weight.detach().reshape(-1, 1))
        self.weight.quant_state = (outputs, inputs)

    def forward(self, x):
        state = getattr(self.weight, "quant_state", None)
        return nn.functional.linear(x, self.weight.view(state) if state else self.weight)


# %% break quantized
model = Linear4bit(512, 256)
replica = model._replicate_for_data_parallel()  # DataParallel's, for each GPU ...
replica.weight = model.weight.clone()  # ... with copies of the weights: values only
replica(torch.rand(4, 512))

# %% check quantized
model = Linear4bit(512, 256)
print(model.weight.shape)  # (131072, 1): packed into one column
assert hasattr(model.weight, "quant_state")
assert not hasattr(model.weight.clone(), "quant_state")

# %% proof quantized
model, x = Linear4bit(16, 8), torch.rand(4, 16)
expected = x @ model.weight.view(8, 16).T
assert torch.allclose(model(x), expected, atol=1e-6)  # the model itself, as with one GPU or one process for each
replica = model._replicate_for_data_parallel()
replica.weight = model.weight.clone()
replica.weight.quant_state = model.weight.quant_state  # with what the copy has lost, it is right again
assert torch.allclose(replica(x), expected, atol=1e-6)

# %%
x = torch.rand(4, 1024)
layer = nn.Linear(1024, 1024)

# %% break adapter
adapter = nn.Linear(90, 90, bias=False)  # MoRA's matrix: square, and small
y = layer(x) + adapter(x)  # as plain LoRA would call it

# %% check adapter
adapter = nn.Linear(90, 90, bias=False)
print(adapter.weight.shape, layer.in_features)  # square, not the layer's width
assert adapter.in_features == adapter.out_features < layer.in_features

# %% proof adapter
adapter = nn.Linear(90, 90, bias=False)
padded = nn.functional.pad(x, (0, 90 * 12 - 1024))  # the method's own forward: 1024 values pressed into 90 ...
small = padded.view(4, 12, 90).sum(1)
y = layer(x) + adapter(small).repeat(1, 12)[:, :1024]  # ... and spread again
whole = adapter.weight.repeat(12, 12)[:1024, :1024]  # one large matrix does the same
assert torch.allclose(y, layer(x) + x @ whole.T, atol=1e-3)

# %%
x = y = torch.rand(2, 10, 16)  # queries and keys: (batch, tokens, features)

# %% break key-not-transposed
scores = x @ y

# %% check key-not-transposed
# last size of the left one, last but one of the right one
print(x.shape[-1], "must equal", y.shape[-2])
assert x.shape[-1] != y.shape[-2]

# %% fix key-not-transposed
scores = x @ y.transpose(-2, -1)

# %% proof key-not-transposed
assert scores.shape == (2, 10, 10)
assert torch.allclose(scores[1, 3, 7], x[1, 3].dot(y[1, 7]), atol=1e-5)

# %%
x, y = torch.rand(8, 10, 16), torch.rand(16, 4)

# %% break mm-with-batch
product = torch.mm(x, y)

# %% check mm-with-batch
print(x.dim(), y.dim())  # mm wants 2 and 2, bmm 3 and 3; matmul and `@` take both
assert x.dim() == 3 and y.dim() == 2

# %% fix mm-with-batch
product = x @ y

# %% proof mm-with-batch
assert product.shape == (8, 10, 4)
assert torch.allclose(product[6], torch.mm(x[6], y), atol=1e-6)

# %% break under-compile
model = torch.compile(nn.Linear(4, 5), backend="eager")
model(torch.rand(2, 3))

# %% proof under-compile
import os
import subprocess
import sys

PROGRAM = """
import torch
model = torch.compile(torch.nn.Linear(4, 5), backend="eager")
model(torch.rand(2, 3))
"""
plain = "shapes cannot be multiplied (2x3 and 4x5)"
run = subprocess.run([sys.executable, "-c", PROGRAM], env=os.environ | {"TORCH_COMPILE_DISABLE": "1"}, capture_output=True, text=True)
assert run.stderr.strip().endswith(plain), run.stderr
torch.compiler.set_stance("force_eager")  # in a notebook
try:
    exec(PROGRAM)
except RuntimeError as error:
    assert str(error).endswith(plain)
else:
    raise AssertionError("nothing was raised")

# %%
import tempfile
from pathlib import Path

import torch.distributed as dist
import torch.multiprocessing as mp
from torch.distributed.fsdp import FullyShardedDataParallel

store = Path(tempfile.mkdtemp(), "store").as_uri()


def sharded_model(rank):
    """A model whose weights are spread over two processes."""
    torch.set_default_device("cpu")
    dist.init_process_group("gloo", init_method=store, rank=rank, world_size=2)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
    return FullyShardedDataParallel(model, use_orig_params=True, device_id=torch.device("cpu"))


# %% break sharded-weight
def score(model, x):
    return model.module[0](x)  # past the wrapper, which gathers the layer's weight


def work(rank):
    score(sharded_model(rank), torch.rand(8, 3))


mp.start_processes(work, nprocs=2, start_method="fork")


# %% check sharded-weight
PROGRAM = "print(rank, model.module[0].weight.shape)"


def work(rank):
    model = sharded_model(rank)
    exec(PROGRAM)  # one size, and another on every rank: a shard
    assert model.module[0].weight.dim() == 1


mp.start_processes(work, nprocs=2, start_method="fork")


# %% fix sharded-weight
def score(model, x):
    return model(x)  # through the wrapper, which gathers the weights


# %% proof sharded-weight
def work(rank):
    model = sharded_model(rank)
    torch.manual_seed(0)
    whole = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
    x = torch.rand(8, 3)
    assert torch.allclose(score(model, x), whole(x), atol=1e-6)


mp.start_processes(work, nprocs=2, start_method="fork")
