# ---
# wordings:
#   - text: "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: {got:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Long"
#   - text: "mean(): input dtype should be either floating point or complex dtypes. Got {got:ident} instead"
#     exception: RuntimeError
#     sample: "RuntimeError: mean(): input dtype should be either floating point or complex dtypes. Got Long instead."
#   - text: "Can only calculate the mean of floating types. Got {got:ident} instead"
#     exception: RuntimeError
#     sample: "RuntimeError: Can only calculate the mean of floating types. Got Byte instead."
#   - text: "std and var only support floating point and complex dtypes"
#     exception: RuntimeError
#   - text: "std and var only support floating-point dtypes"
#     exception: RuntimeError
#   - text: "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {got:ident}"
#     exception: RuntimeError
#     sample: "RuntimeError: linalg.vector_norm: Expected a floating point or complex tensor as input. Got Long"
#   - text: "quantile() input tensor must be either float or double dtype"
#     exception: RuntimeError
#   - text: "cdist only supports floating-point dtypes"
#     exception: RuntimeError
#   - text: "\"{op:ident}\" not implemented for 'Long'"
#     exception: [RuntimeError, NotImplementedError]
#     sample: "RuntimeError: \"log_softmax_lastdim_kernel_impl\" not implemented for 'Long'"
#   - text: "\"{op:ident}\" not implemented for 'Int'"
#     exception: [RuntimeError, NotImplementedError]
#     sample: "RuntimeError: \"log_softmax_lastdim_kernel_impl\" not implemented for 'Int'"
#   - text: "\"{op:ident}\" not implemented for 'Short'"
#     exception: [RuntimeError, NotImplementedError]
#     sample: "RuntimeError: \"log_softmax_lastdim_kernel_impl\" not implemented for 'Short'"
#   - text: "\"{op:ident}\" not implemented for 'Char'"
#     exception: [RuntimeError, NotImplementedError]
#     sample: "RuntimeError: \"log_softmax_lastdim_kernel_impl\" not implemented for 'Char'"
#   - text: "\"{op:ident}\" not implemented for 'Byte'"
#     exception: [RuntimeError, NotImplementedError]
#     sample: "RuntimeError: \"upsample_bilinear2d_channels_last\" not implemented for 'Byte'"
#   - text: "\"{op:ident}\" not implemented for 'Bool'"
#     exception: [RuntimeError, NotImplementedError]
#     sample: "RuntimeError: \"log_softmax_lastdim_kernel_impl\" not implemented for 'Bool'"
#   - text: "\"{op:ident}\" not implemented for 'torch.LongTensor'"
#     exception: RuntimeError
#     sample: "RuntimeError: \"floor\" not implemented for 'torch.LongTensor'"
#   - text: "is not implemented for type torch.LongTensor"
#     exception: RuntimeError
#     sample: "RuntimeError: _th_normal is not implemented for type torch.LongTensor"
#   - text: "is not implemented for type torch.cuda.LongTensor"
#     exception: RuntimeError
#     sample: "RuntimeError: _th_round_out is not implemented for type torch.cuda.LongTensor"
#   - text: "Type torch.LongTensor doesn't implement stateless method"
#     exception: TypeError
#     sample: "TypeError: Type torch.LongTensor doesn't implement stateless method mean"
# tags: [dtype, labels, loss, classification]
# recover: fix
# related: [dtypes/expected-scalar-type, dtypes/expected-long-index, dtypes/bool-subtract]
# docs: ["https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch-dtype"]
# causes:
#   whole-numbers:
#     likely: got in ["Long", "Int"] or paste("for 'Long'", "for 'Int'", "torch.LongTensor", "torch.cuda.LongTensor")
#   share-of-true:
#     if: got == "Bool"
#     likely: paste("for 'Bool'")
#   bytes-of-image:
#     if: got == "Byte" or paste("for 'Byte'")
#     sample: "RuntimeError: Can only calculate the mean of floating types. Got Byte instead."
# ---

# %%
import torch
from torch.nn import functional as F

x = torch.tensor([[3, 1], [1, 1]])

# %% break whole-numbers
weights = F.softmax(x, dim=0)

# %% check whole-numbers
print(x.dtype)  # torch.int64
assert not x.is_floating_point()

# %% fix whole-numbers
from torch.nn import functional as F

x = x.float()  # where it is made: torch.tensor([[3., 1.]])
weights = F.softmax(x, dim=0)

# %% proof whole-numbers
assert torch.allclose(weights.sum(0), torch.ones(2)) and weights[0, 0] > weights[1, 0]

# %%
x, y = torch.tensor([3, 1, 2, 2]), torch.tensor([3, 1, 0, 2])

# %% break share-of-true
accuracy = (x == y).mean()

# %% fix share-of-true
accuracy = (x == y).float().mean()

# %% proof share-of-true
assert accuracy == 0.75

# %%
images = torch.full((2, 3, 4, 4), 255, dtype=torch.uint8)

# %% break bytes-of-image
brightness = images.mean()

# %% check bytes-of-image
print(images.dtype, images.max().item())  # torch.uint8 255
assert images.dtype == torch.uint8

# %% fix bytes-of-image
images = images / 255  # floats from 0 to 1, as ToTensor() makes them
brightness = images.mean()

# %% proof bytes-of-image
assert brightness == 1 and images.dtype == torch.float32
