# ---
# wordings:
#   - text: "mat1 and mat2 shapes cannot be multiplied ({m:int}x{k:int} and {k2:int}x{n:int})"
#     exception: RuntimeError
#     sample: "RuntimeError: mat1 and mat2 shapes cannot be multiplied (77x768 and 4096x5120)"
#   - text: "size mismatch, m1: [{m:int} x {k:int}], m2: [{k2:int} x {n:int}]"
#     exception: RuntimeError
#     sample: "RuntimeError: size mismatch, m1: [1 x 256], m2: [64 x 4] at /opt/conda/conda-bld/pytorch_1549627089062/work/aten/src/TH/generic/THTensorMath.cpp:940"
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
# tags: [matmul, linear, shape, cnn, transformer, fine-tuning, rnn, comfyui, lora, compile, fsdp]
# recover: fix
# cases:
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
#   replaced-head:
#   layers-not-chained:
#   table-columns:
#   bidirectional:
#   no-flatten:
#   m-1-k-batch: {case: no-flatten}
#   features-not-last:
#   weight-as-stored:
#   elementwise-meant:
#   wrong-encoder:
#   quantized:
#   k2-n-much-smaller: {case: quantized}
#   key-not-transposed:
#   mm-with-batch:
#   sharded-weight:
#   under-compile:
# ---

# %%
from collections import OrderedDict

import torch
from torch import nn

torch.manual_seed(0)
images = torch.rand(8, 1, 28, 28)

# %% break image-size
convolutions = nn.Sequential(nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
head = nn.Linear(6 * 14 * 14, 10)  # counted for images of 32x32
head(convolutions(images))

# %% check image-size
convolutions = nn.Sequential(nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
head = nn.Linear(6 * 14 * 14, 10)
print(convolutions(images).shape)  # what arrives: the last number
print(head.in_features)  # what the layer was built for
assert convolutions(images).shape[-1] != head.in_features

# %% fix image-size
import torch
from torch import nn

convolutions = nn.Sequential(nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
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

model.fc = nn.Linear(model.fc.in_features, 2)  # 2 classes; the old layer knows its input

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
print([(name, layer.in_features, layer.out_features) for name, layer in model.named_modules() if isinstance(layer, nn.Linear)])
assert model[0].out_features != model[2].in_features  # each layer must begin with what the one before gives

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
print(x.shape[1], model[0].in_features)  # one column more than you thought: an index, an id, or the answer itself
assert x.shape[1] == model[0].in_features + 1

# %% fix table-columns
from torch import nn

x, y = x[:, :-1], x[:, -1:]  # the answer is no feature
model = nn.Sequential(nn.Linear(x.shape[1], 32), nn.ReLU(), nn.Linear(32, 1))

# %% proof table-columns
assert torch.equal(x, table[:, :12]) and torch.equal(y, table[:, 12:])
assert model(x).shape == y.shape

# %%
x = torch.rand(28, 20, 8)  # (batch, time, features)

# %% break bidirectional
lstm, head = nn.LSTM(8, 16, batch_first=True, bidirectional=True), nn.Linear(16, 3)
out, (hidden, cell) = lstm(x)
scores = head(out[:, -1])

# %% check bidirectional
lstm, head = nn.LSTM(8, 16, batch_first=True, bidirectional=True), nn.Linear(16, 3)
print(lstm(x)[0].shape[-1], head.in_features)  # 32 and 16: both directions, side by side
assert lstm(x)[0].shape[-1] == 2 * head.in_features

# %% fix bidirectional
import torch
from torch import nn

lstm, head = nn.LSTM(8, 16, batch_first=True, bidirectional=True), nn.Linear(2 * 16, 3)
out, (hidden, cell) = lstm(x)
scores = head(torch.cat([hidden[-2], hidden[-1]], dim=1))  # where each direction ends

# %% proof bidirectional
ends = torch.cat([out[:, -1, :16], out[:, 0, 16:]], dim=1)  # forwards at the last step, backwards at the first
assert scores.shape == (28, 3)
assert torch.allclose(scores, ends @ head.weight.T + head.bias, atol=1e-6)

# %%
images = torch.rand(8, 1, 28, 28)

# %% break no-flatten
model = nn.Sequential(nn.Linear(28 * 28, 64), nn.ReLU(), nn.Linear(64, 10))
model(images)

# %% check no-flatten
print(images.shape)  # more than two sizes: the layer takes the last one, 28, for the features
assert images.dim() > 2 and images.flatten(1).shape == (8, 784)

# %% fix no-flatten
from torch import nn

model = nn.Sequential(nn.Flatten(), nn.Linear(28 * 28, 64), nn.ReLU(), nn.Linear(64, 10))

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
print(x.shape == y.shape)  # True: the same shape twice, so `@` is wrong, not the shapes
assert x.shape == y.shape

# %% fix elementwise-meant
weighted = x * y

# %% proof elementwise-meant
assert torch.equal(weighted, torch.stack([x[:, column] * y[:, column] for column in range(3)], dim=1))

# %% break wrong-encoder
tokens = torch.randint(1000, (77,))
text_encoder = nn.Embedding(1000, 768)  # stands for CLIP-L, which gives 768 values for each token
text_projection = nn.Linear(4096, 5120)  # of a video model that was trained with UMT5-XXL
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
model = Linear4bit(16, 8)
replica = model._replicate_for_data_parallel()  # what DataParallel makes for each GPU ...
replica.weight = model.weight.clone()  # ... with copies of the weights: values only
replica(torch.rand(4, 16))

# %% check quantized
model = Linear4bit(16, 8)
print(model.weight.shape)  # (128, 1): packed into one column
assert hasattr(model.weight, "quant_state") and not hasattr(model.weight.clone(), "quant_state")

# %% proof quantized
model, x = Linear4bit(16, 8), torch.rand(4, 16)
expected = x @ model.weight.view(8, 16).T
assert torch.allclose(model(x), expected, atol=1e-6)  # the model itself, as with one GPU or one process for each
replica = model._replicate_for_data_parallel()
replica.weight = model.weight.clone()
replica.weight.quant_state = model.weight.quant_state  # with what the copy has lost, it is right again
assert torch.allclose(replica(x), expected, atol=1e-6)

# %%
x = y = torch.rand(2, 10, 16)  # queries and keys: (batch, tokens, features)

# %% break key-not-transposed
scores = x @ y

# %% check key-not-transposed
print(x.shape[-1], "must equal", y.shape[-2])  # last size of the left one, last but one of the right one
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
print(x.dim(), y.dim())  # mm takes 2 and 2, bmm takes 3 and 3; matmul and `@` take both
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
    return model.module[0](x)  # a layer inside, called past the wrapper that gathers its weight


mp.start_processes(lambda rank: score(sharded_model(rank), torch.rand(8, 3)), nprocs=2, start_method="fork")


# %% check sharded-weight
def work(rank):
    model = sharded_model(rank)
    print(rank, model.module[0].weight.shape)  # one size, and another on every rank: a shard
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
