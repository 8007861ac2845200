# ---
# wordings:
#   - text: "value cannot be converted to type {type:path} without overflow"
#     exception: RuntimeError
#     sample: "RuntimeError: value cannot be converted to type at::Half without overflow"
#   - text: "Overflow when unpacking long"
#     exception: [ValueError, RuntimeError]
# tags: [amp, dtype, transformer, inference]
# recover: fix
# related: [dtypes/not-implemented-half]
# docs: ["https://docs.pytorch.org/docs/stable/type_info.html"]
# causes:
#   mask-value:
#     if: frames("masked_fill", "full(", "full_like", "fill_") and begins(type, "c10::Half", "at::Half", "Half")
#     likely: begins(type, "c10::Half", "at::Half", "Half")
#   whole-numbers:
#     if: begins(type, "int", "uint", "long", "short", "signed", "unsigned")
#   beyond-long:
#     if: paste("Overflow when unpacking long")
#     sample: "ValueError: Overflow when unpacking long long"
#   eight-bits:
#     if: begins(type, "c10::Float8", "Float8")
#     sample: "RuntimeError: value cannot be converted to type c10::Float8_e4m3fn without overflow"
# ---

# %%
import torch

torch.manual_seed(0)
scores = torch.rand(2, 4, dtype=torch.half)
x, y = scores, torch.tensor([[True, True, False, False], [True, True, True, False]])

# %% break mask-value
weights = scores.masked_fill(~y, -1e9).softmax(-1)

# %% check mask-value
print(scores.dtype, torch.finfo(scores.dtype).min)  # no number below -65504
assert torch.finfo(scores.dtype).min == -65504

# %% fix mask-value
import torch

lowest = torch.finfo(x.dtype).min  # or float("-inf"), where no row is all masked
weights = x.masked_fill(~y, lowest).softmax(-1)

# %% proof mask-value
right = x.float().masked_fill(~y, float("-inf")).softmax(-1)
torch.testing.assert_close(weights.float(), right, atol=1e-3, rtol=1e-3)
assert (weights[~y] == 0).all() and weights.dtype == torch.half

# %%
images = torch.zeros(3, dtype=torch.uint8)

# %% break whole-numbers
images.fill_(300)

# %% check whole-numbers
print(torch.iinfo(images.dtype).min, torch.iinfo(images.dtype).max)  # 0 255
assert torch.iinfo(images.dtype).max < 300

# %% fix whole-numbers
images = images.int().fill_(300)  # a type in which the number has a place

# %% proof whole-numbers
assert images.tolist() == [300, 300, 300] and images.dtype == torch.int32
