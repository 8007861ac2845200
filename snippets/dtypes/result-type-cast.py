# ---
# wordings:
#   - text: "result type {result:dtype} can't be cast to the desired output type {output:dtype}"
#     exception: RuntimeError
#     sample: "RuntimeError: result type Float can't be cast to the desired output type long int"
#   - text: "can't be cast to the desired output type"
#     exception: RuntimeError
# tags: [dtype, in-place, detection]
# recover: fix
# related: [dtypes/expected-long-index, dtypes/expected-scalar-type]
# docs: ["https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc"]
# causes:
#   yolo-clamp:
#     if: begins(output, "long", "__int64") or frames("clamp_(")
#   in-place:
#     likely: >-
#       begins(output, "Long", "Int", "Short", "Char") and not frames("state_dict", "state_dicts",
#       "aggregate", "aggregation", "aggregated", "average", "averaged", "averaging", "ema", "EMA",
#       "data.add_", "state[")
#   averaging:
#     likely: >-
#       frames("state_dict", "state_dicts", "aggregate", "aggregation", "aggregated", "average",
#       "averaged", "averaging", "ema", "EMA", "data.add_", "state[")
#     sample: |
#       Traceback (most recent call last):
#         File "helper.py", line 256, in average_shrink_models
#           data.add_(update_per_layer)
#       RuntimeError: result type Float can't be cast to the desired output type Long
#   image:
#     if: begins(output, "Byte", "unsigned")
#   mask:
#     if: begins(output, "Bool")
# ---

# %%
import torch
from torch import nn

x = torch.tensor([3, 9, 5])  # grid cells: whole numbers
y = torch.tensor(8.0)  # the size of the grid, as a float

# %% break yolo-clamp
cells = x.clamp_(0, y - 1)

# %% check yolo-clamp
print(x.dtype, (y - 1).dtype)  # int64, and a limit in float32
assert x.dtype == torch.int64 and y.dtype == torch.float32

# %% fix yolo-clamp
cells = x.clamp_(0, y.long() - 1)

# %% proof yolo-clamp
assert cells.tolist() == [3, 7, 5] and cells.dtype == torch.int64 and cells is x

# %%
x = torch.tensor([1, 2, 3])

# %% break in-place
x /= 2

# %% check in-place
print(x.dtype)  # int64: no place for 0.5
assert not x.dtype.is_floating_point

# %% fix in-place
x = x / 2  # a new tensor, float32

# %% proof in-place
assert x.tolist() == [0.5, 1.0, 1.5]

# %%
model, averaged = nn.BatchNorm1d(2), nn.BatchNorm1d(2)
model.num_batches_tracked.fill_(10), averaged.num_batches_tracked.fill_(4)
model.weight.data.fill_(3.0)
model.averaged = averaged

# %% break averaging
state = model.averaged.state_dict()
for name, value in model.state_dict().items():
    state[name].add_((value - state[name]) * 0.5)

# %% check averaging
state = model.averaged.state_dict()
print([name for name, value in state.items() if not value.is_floating_point()])
assert not state["num_batches_tracked"].is_floating_point()

# %% fix averaging
state = model.averaged.state_dict()
for name, value in model.state_dict().items():
    if name in state and value.is_floating_point():
        state[name].add_((value - state[name]) * 0.5)
    elif name in state:
        state[name].copy_(value)  # counters such as num_batches_tracked

# %% proof averaging
assert averaged.weight.tolist() == [2.0, 2.0] and averaged.num_batches_tracked == 10

# %%
images = torch.tensor([0, 128, 255], dtype=torch.uint8)  # as read_image() and OpenCV give

# %% break image
images.div_(255)

# %% check image
print(images.dtype)  # uint8
assert images.dtype == torch.uint8

# %% fix image
images = images.float().div_(255)  # or images / 255

# %% proof image
torch.testing.assert_close(images, torch.tensor([0.0, 128 / 255, 1.0]))

# %%
x = torch.tensor([True, False, True])
y = torch.tensor([1, 1, 0])

# %% break mask
x += y

# %% check mask
print(x.dtype)  # bool
assert x.dtype == torch.bool

# %% fix mask
x = x + y  # a new tensor, of numbers; as a mask: x | y.bool()

# %% proof mask
assert x.tolist() == [2, 1, 1]
