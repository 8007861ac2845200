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
# tags: [matmul, linear, shape, cnn, transformer, comfyui, lora, compile, fsdp]
# cases:
#   sharded-weight: {needs: [fork]}
# rows: [S000-14, S001-33]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html", "https://docs.pytorch.org/docs/stable/generated/torch.matmul.html"]
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)

# %% break image-size
images = torch.rand(8, 1, 28, 28)
layers = nn.Sequential(nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
head = nn.Linear(6 * 14 * 14, 10)  # counted for images of 32x32
head(layers(images))

# %% check image-size
images = torch.rand(8, 1, 28, 28)
layers = nn.Sequential(nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
head = nn.Linear(6 * 14 * 14, 10)
print(layers(images).shape)  # what arrives: the last number
print(head.weight.shape)  # (out, in): what the layer was built for, again the last number
assert layers(images).shape[-1] != head.weight.shape[-1]

# %% fix image-size
images = torch.rand(8, 1, 28, 28)
layers = nn.Sequential(nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
with torch.no_grad():
    features = layers(images[:1]).shape[1]  # let one image tell the number
head = nn.Linear(features, 10)

assert features == 6 * 12 * 12
assert head(layers(images)).shape == (8, 10)

# %% break no-flatten
images = torch.rand(8, 1, 28, 28)
classifier = nn.Sequential(nn.Linear(28 * 28, 64), nn.ReLU(), nn.Linear(64, 10))
classifier(images)

# %% check no-flatten
images = torch.rand(8, 1, 28, 28)
print(images.shape)  # more than two sizes: the layer takes the last one, 28, for the features
assert images.dim() > 2 and images.flatten(1).shape == (8, 784)

# %% fix no-flatten
images = torch.rand(8, 1, 28, 28)
classifier = nn.Sequential(nn.Flatten(), nn.Linear(28 * 28, 64), nn.ReLU(), nn.Linear(64, 10))
scores = classifier(images)

assert scores.shape == (8, 10)  # one row for each image
assert torch.allclose(scores[3], classifier(images[3:4])[0], atol=1e-6)

# %% break features-not-last
signal = torch.rand(8, 16, 50)  # (batch, channels, time), as Conv1d gives it
mix = nn.Linear(16, 4)
mix(signal)

# %% check features-not-last
signal, mix = torch.rand(8, 16, 50), nn.Linear(16, 4)
print(signal.shape, mix.in_features)  # the 16 is there, but not in the last place
assert mix.in_features in signal.shape and mix.in_features != signal.shape[-1]

# %% fix features-not-last
signal, mix = torch.rand(8, 16, 50), nn.Linear(16, 4)
mixed = mix(signal.transpose(1, 2))  # (batch, time, channels)

assert mixed.shape == (8, 50, 4)
assert torch.allclose(mixed[2, 7], mix(signal[2, :, 7]), atol=1e-6)  # each moment by itself

# %% break weight-as-stored
layer, x = nn.Linear(4, 5), torch.rand(8, 4)
x @ layer.weight + layer.bias

# %% check weight-as-stored
layer = nn.Linear(4, 5)
print(layer.weight.shape)  # (5, 4): a Linear stores (out, in)

# %% fix weight-as-stored
layer, x = nn.Linear(4, 5), torch.rand(8, 4)
out = x @ layer.weight.T + layer.bias

assert torch.allclose(out, layer(x), atol=1e-6)

# %% break elementwise-meant
attention, values = torch.rand(8, 3), torch.rand(8, 3)
attention @ values

# %% check elementwise-meant
attention, values = torch.rand(8, 3), torch.rand(8, 3)
print(attention.shape == values.shape)  # True: nothing is wrong with the shapes, but with the `@`

# %% fix elementwise-meant
attention, values = torch.rand(8, 3), torch.rand(8, 3)
weighted = attention * values

assert weighted.shape == (8, 3)
assert torch.equal(weighted[:, 2], attention[:, 2] * values[:, 2])

# %% break wrong-encoder
tokens = torch.randint(1000, (77,))
text_encoder = nn.Embedding(1000, 768)  # stands for CLIP-L, which gives 768 values for each token
text_projection = nn.Linear(4096, 5120)  # of a video model that was trained with UMT5-XXL
text_projection(text_encoder(tokens))

# %% check wrong-encoder
text_encoder, text_projection = nn.Embedding(1000, 768), nn.Linear(4096, 5120)
print(text_encoder(torch.tensor([0])).shape[-1], "given,", text_projection.in_features, "needed")
assert text_encoder(torch.tensor([0])).shape[-1] != text_projection.in_features

# %% fix wrong-encoder
tokens = torch.randint(1000, (77,))
text_encoder = nn.Embedding(1000, 4096)  # stands for UMT5-XXL
text_projection = nn.Linear(4096, 5120)
assert text_encoder(tokens).shape[-1] == text_projection.in_features
assert text_projection(text_encoder(tokens)).shape == (77, 5120)

# %% break key-not-transposed
query, key = torch.rand(2, 10, 16), torch.rand(2, 10, 16)  # (batch, tokens, features)
scores = query @ key

# %% check key-not-transposed
query, key = torch.rand(2, 10, 16), torch.rand(2, 10, 16)
print(query.shape[-1], "must equal", key.shape[-2])  # last size of the left one, last but one of the right one
assert query.shape[-1] != key.shape[-2]

# %% fix key-not-transposed
query, key = torch.rand(2, 10, 16), torch.rand(2, 10, 16)
scores = query @ key.transpose(-2, -1)

assert scores.shape == (2, 10, 10)
assert torch.allclose(scores[1, 3, 7], query[1, 3].dot(key[1, 7]), atol=1e-5)

# %% break outer-per-sample
a, b = torch.rand(8, 2), torch.rand(8, 4)
torch.bmm(a.unsqueeze(2), b.unsqueeze(2))  # (8, 2, 1) with (8, 4, 1)

# %% check outer-per-sample
a, b = torch.rand(8, 2), torch.rand(8, 4)
print(a.unsqueeze(2).shape, b.unsqueeze(2).shape)  # the second must be (8, 1, 4)

# %% fix outer-per-sample
a, b = torch.rand(8, 2), torch.rand(8, 4)
outer = torch.bmm(a.unsqueeze(2), b.unsqueeze(1))  # (8, 2, 1) with (8, 1, 4)

assert outer.shape == (8, 2, 4)
assert torch.allclose(outer, torch.einsum("nm,nk->nmk", a, b), atol=1e-6)

# %% break mm-with-batch
batch, weight = torch.rand(8, 10, 16), torch.rand(16, 4)
torch.mm(batch, weight)

# %% check mm-with-batch
batch, weight = torch.rand(8, 10, 16), torch.rand(16, 4)
print(batch.dim(), weight.dim())  # mm wants 2 and 2, bmm wants 3 and 3; matmul and `@` take both

# %% fix mm-with-batch
batch, weight = torch.rand(8, 10, 16), torch.rand(16, 4)
out = batch @ weight

assert out.shape == (8, 10, 4)
assert torch.allclose(out[6], torch.mm(batch[6], weight), atol=1e-6)

# %% break under-compile
model = torch.compile(nn.Linear(4, 5), backend="eager")
model(torch.rand(2, 3))

# %% check under-compile
with torch.compiler.set_stance("force_eager"):  # the same model without compilation
    model = torch.compile(nn.Linear(4, 5), backend="eager")
    try:
        model(torch.rand(2, 3))
    except RuntimeError as error:
        print(error)

# %% fix under-compile
model = torch.compile(nn.Linear(3, 5), backend="eager")
x = torch.rand(2, 3)

assert torch.allclose(model(x), x @ model.weight.T + model.bias, atol=1e-6)

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
def work(rank):
    model = sharded_model(rank)
    model.module[0](torch.rand(8, 3))  # a layer inside, called past the wrapper that gathers its weight


mp.start_processes(work, nprocs=2, start_method="fork")


# %% check sharded-weight
def work(rank):
    model = sharded_model(rank)
    print(rank, model.module[0].weight.shape)  # one size, and another on every rank: a shard
    assert model.module[0].weight.dim() == 1


mp.start_processes(work, nprocs=2, start_method="fork")


# %% fix sharded-weight
def work(rank):
    model = sharded_model(rank)
    torch.manual_seed(0)
    whole = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 1))
    x = torch.rand(8, 3)
    assert torch.allclose(model(x), whole(x), atol=1e-6)  # through the wrapper


mp.start_processes(work, nprocs=2, start_method="fork")
