# ---
# wordings:
#   - text: "Tensors of floating point and complex dtype can require gradients"
#     exception: RuntimeError
#     sample: "RuntimeError: Only Tensors of floating point and complex dtype can require gradients"
#   - text: "Tensors of floating point dtype can require gradients"
#     exception: RuntimeError
#     sample: "RuntimeError: only Tensors of floating point dtype can require gradients"
# tags: [autograd, dtype, quantization, lora, fine-tuning]
# recover: fix
# related: [dtypes/expected-long-index, autograd/no-grad-fn]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.Tensor.requires_grad_.html", "https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html"]
# causes:
#   integer-parameter:
#     if: frames("nn/parameter.py", "nn\\parameter.py", "_make_subclass", "Parameter(")
#     likely: frames("bitsandbytes", "nn/modules/module.py", "nn\\modules\\module.py", "param.requires_grad", "parameter.requires_grad", "p.requires_grad")
#   whole-numbers:
#     likely: frames("requires_grad=True")
#   token-ids:
#     likely: frames(".requires_grad_(") or paste("only Tensors of floating point dtype")
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
weight = model.weight.detach().clone()

# %% break integer-parameter
scale = model.weight.abs().amax(1, keepdim=True) / 127
codes = (model.weight / scale).round().to(torch.int8)
model.codes = nn.Parameter(codes)  # a parameter requires a gradient by default

# %% check integer-parameter
codes = (model.weight * 100).round().to(torch.int8)
print(codes.dtype, codes.is_floating_point())  # torch.int8 False
assert not codes.is_floating_point()

# %% fix integer-parameter
import torch
from torch import nn

scale = model.weight.abs().amax(1, keepdim=True) / 127
codes = (model.weight / scale).round().to(torch.int8)
model.codes = nn.Parameter(codes, requires_grad=False)  # stored, not trained
model.scale = nn.Parameter(scale)  # floating point: may be trained

# %% proof integer-parameter
assert torch.allclose(model.codes * model.scale, weight, atol=weight.abs().max() / 200)
assert set(model.state_dict()) == {"weight", "bias", "codes", "scale"}
assert model.codes.dtype == torch.int8 and not model.codes.requires_grad and model.scale.requires_grad

# %% break whole-numbers
x = torch.tensor([1, 2, 3], requires_grad=True)

# %% check whole-numbers
x = torch.tensor([1, 2, 3])
print(x.dtype)  # torch.int64: whole numbers make an integer tensor
assert x.dtype == torch.int64

# %% fix whole-numbers
import torch

x = torch.tensor([1.0, 2, 3], requires_grad=True)  # or dtype=torch.float32

# %% proof whole-numbers
(x**2).sum().backward()
assert x.grad.tolist() == [2, 4, 6] and x.dtype == torch.float32


# %%
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(100, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, ids):
        return self.head(self.embedding(ids).mean(1))


model = Classifier()
batch = torch.tensor([[5, 17, 2], [7, 7, 99]])

# %% break token-ids
batch.requires_grad_()  # which token matters?
model(batch)[:, 1].sum().backward()

# %% check token-ids
print(batch.dtype)  # torch.int64: numbers of rows, there is nothing between 5 and 6
assert batch.dtype == torch.int64

# %% fix token-ids
embedded = model.embedding(batch).detach().requires_grad_()
model.head(embedded.mean(1))[:, 1].sum().backward()
saliency = embedded.grad.norm(dim=-1)  # one number for each token

# %% proof token-ids
assert saliency.shape == batch.shape
assert torch.allclose(saliency, (model.head.weight[1].norm() / 3).expand(2, 3))
assert torch.equal(embedded, model.embedding(batch)) and model.embedding.weight.grad is None
