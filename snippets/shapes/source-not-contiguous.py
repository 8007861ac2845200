# ---
# wordings:
#   - text: "Tensors must be contiguous"
#     exception: [ValueError, RuntimeError]
#   - text: "Source tensor must be contiguous"
#     exception: RuntimeError
#   - text: "You are trying to save a non contiguous tensor: `{name:ident}` which is not allowed"
#     exception: ValueError
#     sample: "ValueError: You are trying to save a non contiguous tensor: `encoder.layer.0.attention.self.query.weight` which is not allowed. It either means you are trying to save tensors which are reference of each other in which case it's recommended to save only the full tensors, and reslice at load time, or simply call `.contiguous()` on your tensor to pack it before saving."
#   - text: "You are trying to save a non contiguous tensor"
#     exception: ValueError
#   - text: "must be a contiguous tensor"
#     exception: RuntimeError
#     sample: "RuntimeError: xyz must be a contiguous tensor"
#   - text: "tensor has to be contiguous"
#     exception: RuntimeError
#     sample: "RuntimeError: value tensor has to be contiguous"
# tags: [shape, view, checkpoint, cpp-extension]
# recover: fix
# related: [shapes/view-noncontiguous, dtypes/numpy-negative-stride]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.Tensor.contiguous.html", "https://docs.pytorch.org/docs/stable/tensor_view.html"]
# causes:
#   collective:
#     if: paste("Tensors must be contiguous") and frames("/torch/distributed/", "dist.all_", "dist.reduce")
#     likely: paste("Tensors must be contiguous")
#   saved:
#     if: paste("You are trying to save a non contiguous tensor")
#   extension:
#     if: paste("must be a contiguous tensor", "tensor has to be contiguous")
#     sample: "RuntimeError: value tensor has to be contiguous"
#   old-copy:
#     if: paste("Source tensor must be contiguous")
#     sample: "RuntimeError: invalid argument 3: Source tensor must be contiguous at /pytorch/aten/src/THC/generic/THCTensorCopy.cpp:141"
# cases:
#   saved: {needs: ["package:safetensors"]}
# ---

# %%
import torch
import torch.distributed as dist

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
torch.manual_seed(0)
x = torch.rand(4, 3).t()  # [3, 4]; the numbers still lie as [4, 3]

# %% break collective
received = torch.empty(3, 4)
dist.all_to_all_single(received, x)

# %% check collective
print(x.is_contiguous(), x.stride())  # contiguous would be (4, 1)
assert not x.is_contiguous()

# %% fix collective
import torch
import torch.distributed as dist

sent = x.contiguous()
received = torch.empty_like(sent)
dist.all_to_all_single(received, sent)

# %% proof collective
assert torch.equal(received, x) and received.is_contiguous()

# %%
from torch import nn

model = nn.Linear(3, 4)
model.weight = nn.Parameter(torch.rand(3, 4).t())  # as a conversion makes it

# %% break saved
from safetensors.torch import save_file

save_file(model.state_dict(), "model.safetensors")

# %% check saved
odd = [n for n, v in model.state_dict().items() if not v.is_contiguous()]
print(odd)  # names of the file
assert odd == ["weight"]

# %% fix saved
from safetensors.torch import save_file

tensors = {name: value.contiguous() for name, value in model.state_dict().items()}
save_file(tensors, "model.safetensors")

# %% proof saved
from safetensors.torch import load_file

back = load_file("model.safetensors")
assert back.keys() == model.state_dict().keys()
assert all(torch.equal(back[name], value) for name, value in model.state_dict().items())
