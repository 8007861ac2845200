# ---
# wordings:
#   - text: "masked_fill_ only supports boolean masks, but got mask with dtype"
#     exception: RuntimeError
#     sample: "RuntimeError: masked_fill_ only supports boolean masks, but got mask with dtype unsigned char"
#   - text: "masked_fill only supports boolean masks, but got"
#     exception: RuntimeError
#     sample: "RuntimeError: masked_fill only supports boolean masks, but got mask with dtype float"
#   - text: "masked_select: expected BoolTensor"
#     exception: RuntimeError
#     sample: "RuntimeError: masked_select: expected BoolTensor for mask"
#   - text: "received a mask with dtype torch.uint8, this behavior is now deprecated"
#     exception: UserWarning
#     sample: "UserWarning: masked_fill_ received a mask with dtype torch.uint8, this behavior is now deprecated,please use a mask with dtype torch.bool instead."
#   - text: "indexing with dtype torch.uint8 is now deprecated"
#     exception: UserWarning
#     sample: "UserWarning: indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
#   - text: "where received a uint8 condition tensor"
#     exception: UserWarning
#     sample: "UserWarning: where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of PyTorch. Use a boolean condition instead."
#   - text: "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument"
#     exception: UserWarning
#   - text: "__floordiv__ is deprecated, and its behavior will change in a future version of pytorch"
#     exception: UserWarning
#   - text: "floor_divide is deprecated, and will be removed in a future version of pytorch"
#     exception: UserWarning
#   - text: "The use of `x.T` on tensors of dimension other than 2"
#     exception: UserWarning
#     sample: "UserWarning: The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an error in a future release."
#   - text: "Using torch.cross without specifying the dim arg is deprecated"
#     exception: UserWarning
# tags: [dtype, warning, shape]
# recover: fix
# related: [dtypes/bool-subtract, shapes/mask-index-shape, nn/layer-warnings]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.meshgrid.html", "https://docs.pytorch.org/docs/stable/generated/torch.div.html"]
# causes:
#   byte-mask:
#     if: paste("only supports boolean masks", "expected BoolTensor", "mask with dtype torch.uint8", "indexing with dtype torch.uint8", "uint8 condition tensor")
#   meshgrid:
#     if: paste("torch.meshgrid")
#   floor:
#     if: paste("__floordiv__ is deprecated", "floor_divide is deprecated")
#     sample: "UserWarning: __floordiv__ is deprecated, and its behavior will change in a future version of pytorch. It currently rounds toward 0 (like the 'trunc' function NOT 'floor'). This results in incorrect rounding for negative values."
#   transpose:
#     if: paste("The use of `x.T`")
#   cross:
#     if: paste("Using torch.cross")
# cases:
#   floor: {silent: true}
# ---

# %%
import torch

x = torch.zeros(4)

# %% break byte-mask
mask = torch.tensor([1, 0, 0, 1], dtype=torch.uint8)
x = x.masked_fill(mask, -1.0)

# %% check byte-mask
mask = torch.tensor([1, 0, 0, 1], dtype=torch.uint8)
print(mask.dtype)  # torch.uint8: numbers, not True and False
assert mask.dtype == torch.uint8

# %% fix byte-mask
import torch

mask = torch.tensor([1, 0, 0, 1], dtype=torch.uint8)
x = x.masked_fill(mask.bool(), -1.0)

# %% proof byte-mask
assert x.tolist() == [-1, 0, 0, -1] and mask.dtype == torch.uint8

# %% break meshgrid
rows, columns = torch.meshgrid(torch.arange(2), torch.arange(3))

# %% fix meshgrid
import torch

rows, columns = torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")

# %% proof meshgrid
assert rows.tolist() == [[0, 0, 0], [1, 1, 1]] and columns.tolist() == [[0, 1, 2]] * 2

# %%
x = torch.tensor([7, -7])

# %% break floor
half = x // 2
assert half.tolist() == [3, -4]  # where code for an old release counts on [3, -3]

# %% fix floor
import torch

half = torch.div(x, 2, rounding_mode="trunc")  # 3, -3: as the old // did
down = torch.div(x, 2, rounding_mode="floor")  # 3, -4: as Python does

# %% proof floor
assert half.tolist() == [3, -3] and down.tolist() == [3, -4] and down.dtype == x.dtype

# %%
x = torch.rand(2, 3, 4)

# %% break transpose
y = x.T  # [4, 3, 2]: the batch is at the end

# %% fix transpose
y = x.mT  # [2, 4, 3]: the last two dimensions change places

# %% proof transpose
assert torch.equal(y, x.transpose(1, 2))

# %%
x, y = torch.rand(3, 3), torch.rand(3, 3)

# %% break cross
normal = torch.cross(x, y)
assert torch.equal(normal, torch.cross(x, y, dim=0))  # columns, not rows

# %% fix cross
import torch

normal = torch.linalg.cross(x, y)  # the last dimension holds x, y, z

# %% proof cross
assert torch.allclose((normal * x).sum(-1), torch.zeros(3), atol=1e-6)
assert normal.norm() > 0.1
