# ---
# wordings:
#   - text: "'Tensor' object has no attribute 'astype'"
#     exception: AttributeError
#     unless: [tensorflow, keras, paddle, mxnet, mindspore]
#   - text: "'Tensor' object has no attribute 'append'"
#     exception: AttributeError
#     unless: [tensorflow, keras, paddle, mxnet, mindspore]
#   - text: "'Tensor' object has no attribute 'copy'"
#     exception: AttributeError
#     unless: [tensorflow, keras, paddle, mxnet, mindspore]
#   - text: "'Tensor' object has no attribute 'concatenate'"
#     exception: AttributeError
#     unless: [tensorflow, keras, paddle, mxnet, mindspore]
#   - text: "'Tensor' object has no attribute 'to_numpy'"
#     exception: AttributeError
#     unless: [tensorflow, keras, paddle, mxnet, mindspore]
#   - text: "'Tensor' object has no attribute 'extend'"
#     exception: AttributeError
#     unless: [tensorflow, keras, paddle, mxnet, mindspore]
#   - text: "'Tensor' object has no attribute 'get'"
#     exception: AttributeError
#     unless: [tensorflow, keras, paddle, mxnet, mindspore]
#   - text: "'Tensor' object has no attribute 'keys'"
#     exception: AttributeError
#     unless: [tensorflow, keras, paddle, mxnet, mindspore]
#   - text: "'Tensor' object has no attribute 'items'"
#     exception: AttributeError
#     unless: [tensorflow, keras, paddle, mxnet, mindspore]
#   - text: "'Tensor' object has no attribute 'len'"
#     exception: AttributeError
#     unless: [tensorflow, keras, paddle, mxnet, mindspore]
#   - text: "'Tensor' object has no attribute 'length'"
#     exception: AttributeError
#     unless: [tensorflow, keras, paddle, mxnet, mindspore]
#   - text: "'Tensor' object has no attribute 'logits'"
#     exception: AttributeError
#     unless: [tensorflow, keras, paddle, mxnet, mindspore]
#   - text: "'Tensor' object has no attribute 'loss'"
#     exception: AttributeError
#     unless: [tensorflow, keras, paddle, mxnet, mindspore]
#   - text: "'Tensor' object has no attribute 'last_hidden_state'"
#     exception: AttributeError
#     unless: [tensorflow, keras, paddle, mxnet, mindspore]
#   - text: "'Tensor' object has no attribute 'untyped_storage'"
#     exception: AttributeError
#     unless: [tensorflow, keras, paddle, mxnet, mindspore]
#   - text: "'Tensor' object has no attribute '{name:ident}'"
#     exception: AttributeError
#     near: [torch]
#     unless: [tensorflow, keras, paddle, mxnet, mindspore]
#     sample: "    x = torch.relu(x).flat\nAttributeError: 'Tensor' object has no attribute 'flat'"
# tags: [numpy, dtype]
# recover: fix
# related: [devices/no-attribute-to, devices/cuda-tensor-to-numpy, install-env/attr-removed]
# docs: ["https://docs.pytorch.org/docs/stable/tensors.html"]
# causes:
#   numpy-method:
#     if: >-
#       paste("attribute 'astype'", "attribute 'copy'", "attribute 'concatenate'", "attribute
#       'to_numpy'", "attribute 'flat'", "attribute 'fillna'", "attribute 'nonzeros'", "attribute
#       'tostring'", "attribute 'asarray'")
#   list-method:
#     if: paste("attribute 'append'", "attribute 'extend'", "attribute 'insert'")
#   model-output:
#     if: >-
#       paste("attribute 'logits'", "attribute 'loss'", "attribute 'last_hidden_state'", "attribute
#       'hidden_states'", "attribute 'pooler_output'")
#     likely: >-
#       paste("attribute 'keys'", "attribute 'items'", "attribute 'get'", "attribute 'sample'")
#   picture:
#     if: >-
#       paste("attribute 'width'", "attribute 'height'", "attribute 'convert'", "attribute 'crop'")
#     sample: |
#       import torch
#       AttributeError: 'Tensor' object has no attribute 'width'
#   newer-name:
#     if: paste("attribute 'untyped_storage'")
#     sample: "AttributeError: 'Tensor' object has no attribute 'untyped_storage'"
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
x = torch.tensor([[1, 2, -3, 4], [5, 600, 7, 8]])

# %% break numpy-method
x = x.astype("float32")

# %% fix numpy-method
import torch

x = x.to(torch.float32)

# %% proof numpy-method
assert x.dtype == torch.float32 and x.tolist() == [[1, 2, -3, 4], [5, 600, 7, 8]]

# %% use numpy-method
loader = [(torch.randint(256, (6, 4)), torch.arange(6) % 3) for _ in range(2)]
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
for x, labels in loader:
    # >>>
    x = x.astype("float32")
    # <<<
    loss = nn.functional.cross_entropy(model(x), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
assert model.weight.grad.any() and x.max() > 200

# %%
loader = [torch.rand(2, 4), torch.rand(1, 4)]

# %% break list-method
outputs = torch.tensor([])
for batch in loader:
    outputs.append(model(batch))

# %% fix list-method
import torch

outputs = []
for batch in loader:
    outputs.append(model(batch).detach())
outputs = torch.cat(outputs)

# %% proof list-method
assert outputs.shape == (3, 3) and not outputs.requires_grad
torch.testing.assert_close(outputs, model(torch.cat(loader)).detach())

# %%
x = torch.rand(2, 4)

# %% break model-output
logits = model(x).logits

# %% check model-output
print(type(model(x)))  # <class 'torch.Tensor'>: there is nothing to unpack
assert isinstance(model(x), torch.Tensor)

# %% fix model-output
logits = model(x)

# %% proof model-output
torch.testing.assert_close(logits, x @ model.weight.T + model.bias)
logits.sum().backward()
assert model.weight.grad.any()  # it learns

# %%
images = torch.rand(3, 20, 30)  # a picture of 30 x 20 pixels, behind ToTensor

# %% break picture
width = torch.flip(images, dims=[-1]).width

# %% fix picture
height, width = images.shape[-2:]

# %% proof picture
assert (height, width) == (20, 30)
assert images[:, height - 1, width - 1].shape == (3,)
