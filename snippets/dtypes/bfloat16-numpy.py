# ---
# wordings:
#   - text: "Got unsupported ScalarType {type:ident}"
#     exception: TypeError
#     sample: "TypeError: Got unsupported ScalarType BFloat16"
# tags: [numpy, dtype, amp]
# recover: fix
# related: [dtypes/half-overflow]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.Tensor.numpy.html"]
# causes:
#   to-numpy:
#     if: begins(type, "BFloat16")
#   eight-bits:
#     if: begins(type, "Float8", "Float4", "ComplexHalf", "Q", "Bits", "UInt")
# cases:
#   to-numpy:
#     wrong: {half: "https://github.com/ml-explore/mlx-examples/pull/10"}
#     survives: {"raw: x.detach().float().cpu()": "cpu() is for tensors on a GPU"}
# ---

# %%
import torch

torch.manual_seed(0)
x = torch.randn(4, dtype=torch.bfloat16, requires_grad=True) * 2

# %% break to-numpy
array = x.detach().numpy()

# %% check to-numpy
print(x.dtype)  # torch.bfloat16: NumPy has no such type
assert x.dtype == torch.bfloat16

# %% fix to-numpy
array = x.detach().float().cpu().numpy()

# %% proof to-numpy
assert array.dtype == "float32" and array.tolist() == x.tolist()

# %% wrong half
# `.half()`: NumPy has this type, but it ends at 65504, and larger numbers become `inf`.
array = (1e5 * x).detach().half().numpy()
print(array)
assert abs(array).max() == float("inf")

# %% use to-numpy
model = torch.nn.Linear(4, 3, dtype=torch.bfloat16)
rows = []
for batch in torch.randn(5, 4, dtype=torch.bfloat16).split(2):
    x = 1e5 * model(batch)  # beyond the range of float16
    # >>>
    array = x.detach().numpy()
    # <<<
    rows.extend(array.tolist())
assert len(rows) == 5 and 65504 < max(max(row) for row in rows) < 1e6

# %%
x = torch.randn(4).to(torch.float8_e4m3fn)

# %% break eight-bits
array = x.numpy()

# %% check eight-bits
print(x.dtype)
assert x.element_size() == 1

# %% fix eight-bits
import torch

array = x.to(torch.float32).numpy()

# %% proof eight-bits
assert array.dtype == "float32" and array.tolist() == [value.float().item() for value in x]
