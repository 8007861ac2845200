# ---
# wordings:
#   - text: "argument '{arg:ident}' (position {_:int}) must be Tensor, not {type:ident}"
#     exception: TypeError
#     sample: "TypeError: dropout(): argument 'input' (position 1) must be Tensor, not str"
#   - text: "argument '{arg:ident}' must be Tensor, not {type:ident}"
#     exception: TypeError
#     sample: "TypeError: conv2d(): argument 'input' must be Tensor, not tuple"
#   - text: "argument '{arg:ident}' (position {_:int}) must be tuple of Tensors, not {type:ident}"
#     exception: TypeError
#     sample: "TypeError: cat(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor"
#   - text: "expected Tensor as element {_:int} in argument {_:int}, but got {type:ident}"
#     exception: TypeError
#     sample: "TypeError: expected Tensor as element 0 in argument 0, but got NoneType"
#   - text: "received an invalid combination of arguments - got ({type:ident}, Parameter, "
#     exception: TypeError
#     unless: ["got (Tensor, Parameter"]
#     sample: "TypeError: conv2d() received an invalid combination of arguments - got (tuple, Parameter, Parameter, tuple, tuple, tuple, int), but expected one of:"
#   - text: "'tuple' object has no attribute 'dim'"
#     exception: AttributeError
#     near: ["nn/functional.py", 'nn\functional.py', "nn/modules/", 'nn\modules']
#   - text: "'tuple' object has no attribute 'size'"
#     exception: AttributeError
#     near: ["nn/functional.py", 'nn\functional.py', "nn/modules/", 'nn\modules']
# tags: [shape, rnn, transformer, numpy]
# recover: fix
# related: [shapes/stack-sizes]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html", "https://huggingface.co/docs/transformers/main_classes/output"]
# cases: {list: {wrong: {torch-tensor: "https://github.com/pytorch/pytorch/issues/44628"}}}
# causes:
#   names:
#     if: >-
#       begins(type, "str") and paste("linear(): argument 'input'", "dropout(): argument 'input'")
#     likely: begins(type, "str")
#   none:
#     if: begins(type, "NoneType") and (not read(arg) or not begins(arg, "weight"))
#   tuple:
#     if: begins(type, "tuple") or paste("'tuple' object has no attribute 'dim'", "'tuple' object has no attribute 'size'")
#   output-object:
#     if: >-
#       begins(type, "dict", "OrderedDict", "BatchEncoding", "BatchFeature", "ModelOutput", "BaseModelOutput", "CausalLMOutput", "Seq2Seq", "MaskedLMOutput",
#       "SequenceClassifierOutput", "TokenClassifierOutput", "QuestionAnsweringModelOutput", "ImageClassifierOutput", "SemanticSegmenterOutput", "CLIP", "UNet2D",
#       "Transformer2D", "Autoencoder", "DecoderOutput")
#   list:
#     if: begins(type, "list") and not paste("argument 'tensors'")
#   column:
#     if: begins(type, "Column")
#     sample: |
#       TypeError: stack(): argument 'tensors' (position 1) must be tuple of Tensors, not Column
#   array:
#     if: begins(type, "numpy", "Image", "JpegImage", "PngImage")
#   one-tensor:
#     if: paste("argument 'tensors'") and begins(type, "Tensor", "Parameter")
#     sample: "TypeError: cat(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor"
#   not-called:
#     if: >-
#       begins(type, "Sequential", "ModuleList", "method", "function", "builtin", "int", "float", "bool", "Linear", "Conv", "BatchNorm", "LayerNorm", "ReLU",
#       "LeakyReLU", "GELU", "Dropout", "Embedding", "MaxPool", "AvgPool")
#     sample: "TypeError: sqrt(): argument 'input' (position 1) must be Tensor, not float"
# ---

# %%
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
x = torch.rand(4, 5, 3)
kept = x


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 8)

    def forward(self, x):
        hidden = self.layer(x).relu()  # and no return


# %% break none
model = nn.Sequential(Encoder(), nn.Linear(8, 2))
outputs = model(x)

# %% check none
print(Encoder()(x))  # None: what a function without return gives
assert Encoder()(x) is None

# %% fix none
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 8)

    def forward(self, x):
        hidden = self.layer(x).relu()
        return hidden


# %% proof none
encoder = Encoder()
outputs = nn.Sequential(encoder, nn.Linear(8, 2))(x)
right = (x @ encoder.layer.weight.T + encoder.layer.bias).clamp(min=0)
torch.testing.assert_close(encoder(x), right)
assert outputs.shape == (4, 5, 2)
outputs.sum().backward()
assert encoder.layer.weight.grad.any()  # it learns

# %%
model = nn.Sequential(nn.LSTM(3, 8, batch_first=True), nn.Linear(8, 2))

# %% break tuple
outputs = model(x)

# %% check tuple
print(type(model[0](x)), len(model[0](x)))  # outputs and state
assert isinstance(model[0](x), tuple)

# %% fix tuple
from torch import nn


class Outputs(nn.Module):  # goes behind an LSTM or GRU
    def forward(self, pair):
        outputs, state = pair
        return outputs


model = nn.Sequential(nn.LSTM(3, 8, batch_first=True), Outputs(), nn.Linear(8, 2))
outputs = model(x)

# %% proof tuple
lstm, head = model[0], model[-1]
torch.testing.assert_close(outputs, head(lstm(x)[0]))  # all steps
torch.testing.assert_close(outputs[:, -1], head(lstm(x)[1][0][0]))  # the last: the state
assert outputs.shape == (4, 5, 2)
outputs.sum().backward()
assert lstm.weight_hh_l0.grad.any() and head.weight.grad.any()


# %%
class Segmenter(nn.Module):  # as those of torchvision
    def __init__(self):
        super().__init__()
        self.head, self.side = nn.Conv2d(3, 4, 1), nn.Conv2d(3, 4, 1)

    def forward(self, images):
        return {"out": self.head(images), "aux": self.side(images)}


model, loss_fn = Segmenter(), nn.CrossEntropyLoss()
images, labels = torch.rand(2, 3, 8, 8), torch.randint(4, (2, 8, 8))

# %% break output-object
loss = loss_fn(model(images), labels)

# %% check output-object
print(type(model(images)), list(model(images)))  # a dict: out, aux
assert isinstance(model(images), dict)

# %% fix output-object
outputs = model(images)["out"]
loss = loss_fn(outputs, labels)

# %% proof output-object
torch.testing.assert_close(loss, nn.functional.cross_entropy(model.head(images), labels))
loss.backward()
assert model.head.weight.grad.any()


# %%
class Language(nn.Module):  # as those of transformers
    def __init__(self):
        super().__init__()
        self.embed, self.pool = nn.Embedding(9, 8), nn.Linear(8, 8)

    def forward(self, x):
        hidden = self.embed(x)
        return {"last_hidden_state": hidden, "pooler_output": self.pool(hidden[:, 0])}


model, x = Language(), torch.tensor([[1, 5, 2], [4, 3, 8]])

# %% break names
hidden, pooled = model(x)  # taking a dict apart gives its keys
scores = nn.functional.dropout(pooled)

# %% check names
hidden, pooled = model(x)
print(hidden, pooled)  # last_hidden_state pooler_output
assert pooled == "pooler_output"

# %% fix names
outputs = model(x)
pooled = outputs["pooler_output"]

# %% proof names
torch.testing.assert_close(pooled, model.pool(model.embed(x)[:, 0]))
scores = nn.functional.dropout(pooled)
scores.sum().backward()
assert model.pool.weight.grad.any()

# %% use names
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.language, self.head = Language(), nn.Linear(8, 3)

    def forward(self, x):
        model = self.language
        # >>>
        hidden, pooled = model(x)
        # <<<
        return self.head(nn.functional.dropout(pooled, 0.1))


model = Classifier()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
nn.functional.cross_entropy(model(x), torch.tensor([0, 2])).backward()
optimizer.step()
assert model.language.pool.weight.grad.any() and model.language.embed.weight.grad.any()

# %%
x = [torch.tensor([1.0, 2.0, 3.0]), torch.tensor([4.0, 5.0, 6.0])]
model = nn.Linear(3, 2)

# %% break list
outputs = model(x)

# %% check list
print(type(x), len(x))
assert isinstance(x, list)

# %% fix list
import torch

outputs = model(torch.stack(x))  # one tensor, [2, 3]

# %% proof list
torch.testing.assert_close(outputs, torch.stack([model(row) for row in x]))
outputs.sum().backward()
assert model.weight.grad.any()

# %% wrong torch-tensor
# `torch.tensor(...)` around the list: it takes a list of numbers, and cannot join tensors that hold
# several values.
outputs = model(torch.tensor(x))

# %%
x = np.array([[1.5, -2.25, 0.1], [300.0, 0.0, -7.0]])

# %% break array
outputs = model(x)

# %% check array
print(type(x), x.dtype)
assert isinstance(x, np.ndarray)

# %% fix array
import torch

outputs = model(torch.from_numpy(x).float())  # NumPy's floats are float64

# %% proof array
torch.testing.assert_close(outputs, model(torch.tensor([[1.5, -2.25, 0.1], [300.0, 0.0, -7.0]])))
outputs.sum().backward()
assert model.weight.grad.any()

# %%
x = torch.rand(6, 3)
model = nn.Linear(3, 2)

# %% break not-called
outputs = nn.functional.gelu(model)

# %% check not-called
print(type(model))  # a layer: it is called with a tensor, and gives one
assert isinstance(model, nn.Module)

# %% fix not-called
import math

from torch.nn.functional import gelu

scaled = x / math.sqrt(x.shape[-1])  # a number: math.sqrt, not torch.sqrt
outputs = gelu(model(scaled))  # a layer or method: with its brackets

# %% proof not-called
torch.testing.assert_close(outputs, nn.GELU()(x @ (model.weight / 3**0.5).T + model.bias))
outputs.sum().backward()
assert model.weight.grad.any()
