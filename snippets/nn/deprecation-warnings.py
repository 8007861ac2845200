# ---
# wordings:
#   - text: "TypedStorage is deprecated. It will be removed in the future"
#     exception: UserWarning
#     role: remark
#     unless: &alone ["Traceback (most recent call last)"]  # an error says more than a harmless warning
#   - text: "size_average and reduce args will be deprecated, please use reduction='{reduction:ident}' instead"
#     exception: UserWarning
#     role: remark
#     unless: *alone
#     sample: "UserWarning: size_average and reduce args will be deprecated, please use reduction='sum' instead."
#   - text: "The parameter 'pretrained' is deprecated since {_:num} and"
#     exception: UserWarning
#     role: remark
#     unless: *alone
#     sample: "UserWarning: The parameter 'pretrained' is deprecated since 0.13 and may be removed in the future, please use 'weights' instead."
#   - text: "The parameter 'pretrained_backbone' is deprecated since {_:num} and"
#     exception: UserWarning
#     role: remark
#     unless: *alone
#     sample: "UserWarning: The parameter 'pretrained_backbone' is deprecated since 0.13 and may be removed in the future, please use 'weights_backbone' instead."
#   - text: "Arguments other than a weight enum or `None` for '{_:ident}' are deprecated since"
#     exception: UserWarning
#     role: remark
#     unless: *alone
#     sample: "UserWarning: Arguments other than a weight enum or `None` for 'weights' are deprecated since 0.13 and may be removed in the future. The current behavior is equivalent to passing `weights=ResNet18_Weights.IMAGENET1K_V1`."
#   - text: "nn.{name:ident} is deprecated. Use "
#     exception: UserWarning
#     role: remark
#     unless: [paddle, "tf.nn.", mindspore, mxnet, "Traceback (most recent call last)"]
#     sample: "UserWarning: nn.functional.sigmoid is deprecated. Use torch.sigmoid instead."
#   - text: "`nn.{name:ident}` is deprecated. Use "
#     exception: UserWarning
#     role: remark
#     unless: [paddle, "tf.nn.", mindspore, mxnet, "Traceback (most recent call last)"]
#     sample: "UserWarning: `nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead."
#   - text: "is now deprecated in favor of nn.init."
#     exception: UserWarning
#     role: remark
#     unless: *alone
#     sample: "UserWarning: nn.init.xavier_uniform is now deprecated in favor of nn.init.xavier_uniform_."
#   - text: "is now deprecated in favor of `nn.init."
#     exception: FutureWarning
#     role: remark
#     unless: *alone
#     sample: "FutureWarning: `nn.init.xavier_uniform` is now deprecated in favor of `nn.init.xavier_uniform_`."
#   - text: "torch.nn.utils.clip_grad_norm is now deprecated in favor of"
#     exception: UserWarning
#     role: remark
#     unless: *alone
#   - text: "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of"
#     exception: FutureWarning
#     role: remark
#     unless: *alone
#   - text: "torch.nn.utils.weight_norm is deprecated in favor of torch.nn.utils.parametrizations.weight_norm"
#     exception: UserWarning
#     role: remark
#     unless: *alone
#   - text: "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`"
#     exception: FutureWarning
#     role: remark
#     unless: *alone
#   - text: "This overload of {name:ident} is deprecated:"
#     exception: UserWarning
#     role: remark
#     unless: *alone
#     near: ["Consider using one of the following signatures", "Number alpha", "Triggered internally"]
#     sample: "UserWarning: This overload of add_ is deprecated:\n\tadd_(Number alpha, Tensor other)\nConsider using one of the following signatures instead:\n\tadd_(Tensor other, *, Number alpha)"
#   - text: "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1"
#     exception: UserWarning
#     role: remark
#     unless: *alone
#   - text: "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument"
#     exception: UserWarning
#     role: remark
#     unless: *alone
#   - text: "torch.range is deprecated and will be removed in a future release"
#     exception: UserWarning
#     role: remark
#     unless: *alone
#   - text: "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated"
#     exception: UserWarning
#     role: remark
#     unless: *alone
#   - text: "To get the last learning rate computed by the scheduler, please use `get_last_lr()`"
#     exception: UserWarning
#     role: remark
#     unless: *alone
#   - text: "reduction: 'mean' divides the total loss by both the batch size and the support size"
#     exception: UserWarning
#     role: remark
#     unless: *alone
#   - text: "Default grid_sample and affine_grid behavior has changed to align_corners=False since"
#     exception: UserWarning
#     role: remark
#     unless: *alone
#   - text: "Default upsampling behavior when mode={mode:ident} is changed to align_corners=False since"
#     exception: UserWarning
#     role: remark
#     unless: *alone
#     sample: "UserWarning: Default upsampling behavior when mode=bilinear is changed to align_corners=False since 0.4.0. Please specify align_corners=True if the old behavior is desired."
#   - text: "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead"
#     exception: UserWarning
#     role: remark
#     unless: *alone
#   - text: "masked_fill_ received a mask with dtype torch.uint8, this behavior is now deprecated"
#     exception: UserWarning
#     role: remark
#     unless: *alone
#   - text: "where received a uint8 condition tensor. This behavior is deprecated"
#     exception: UserWarning
#     role: remark
#     unless: *alone
#   - text: "masked_select received a mask with dtype torch.uint8, this behavior is now deprecated"
#     exception: UserWarning
#     role: remark
#     unless: *alone
#   - text: "masked_fill_ only supports boolean masks, but got mask with dtype {_:line}"
#     exception: RuntimeError
#     sample: "RuntimeError: masked_fill_ only supports boolean masks, but got mask with dtype unsigned char"
#   - text: "masked_fill only supports boolean masks, but got"
#     exception: RuntimeError
#   - text: "masked_select: expected BoolTensor"
#     exception: RuntimeError
#     sample: "RuntimeError: masked_select: expected BoolTensor for mask"
#   - text: "volatile was removed and now has no effect"
#     exception: UserWarning
#     role: remark
#     unless: *alone
#   - text: "__floordiv__ is deprecated, and its behavior will change in a future version of pytorch"
#     exception: UserWarning
#     role: remark
#     unless: *alone
#   - text: "floor_divide is deprecated, and will be removed in a future version of pytorch"
#     exception: UserWarning
#     role: remark
#     unless: *alone
# tags: [warning, loss, optimizer]
# recover: fix
# related: [performance/amp-deprecated, nn/scheduler-arguments, nn/implicit-softmax-dim]
# docs: ["https://docs.pytorch.org/docs/stable/nn.functional.html", "https://docs.pytorch.org/vision/stable/models.html"]
# cases:
#   align-corners:
#     wrong: {the-new-default: "https://github.com/TWJianNuo/EdgeDepth-Release/issues/12"}
# causes:
#   renamed:
#     if: read(name) or paste("TypedStorage", "in favor of", "set_default_tensor_type", "torch.meshgrid", "torch.range is", "The epoch parameter in")
#   weights:
#     if: paste("'pretrained", "weight enum")
#     sample: "UserWarning: The parameter 'pretrained' is deprecated since 0.13 and may be removed in the future, please use 'weights' instead."
#   reduction:
#     if: read(reduction)
#   last-lr:
#     if: paste("get_last_lr()")
#   kl-mean:
#     if: paste("and the support size")
#   align-corners:
#     if: paste("align_corners=False since")
#   byte-mask:
#     if: paste("torch.uint8", "uint8 condition", "only supports boolean masks", "expected BoolTensor")
#   volatile:
#     if: paste("volatile was removed")
#     sample: "UserWarning: volatile was removed and now has no effect. Use `with torch.no_grad():` instead."
#   floor:
#     if: paste("__floordiv__ is deprecated", "floor_divide is deprecated")
#     sample: "UserWarning: __floordiv__ is deprecated, and its behavior will change in a future version of pytorch. It currently rounds toward 0 (like the 'trunc' function NOT 'floor')."
# ---

# %%
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
x, y = torch.randn(4, 10), torch.randn(4, 10)
model = nn.Linear(10, 10)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

# %% break renamed
storage = x.storage()

# %% fix renamed
storage = x.untyped_storage()

# %% proof renamed
assert storage.data_ptr() == x.data_ptr() and storage.nbytes() == x.numel() * 4

# %% use renamed
sizes = {}
for x in [*model.parameters(), model.weight[:2], model.weight.T]:
    # >>>
    storage = x.storage()
    # <<<
    sizes[storage.data_ptr()] = storage.nbytes()
assert sum(sizes.values()) == 4 * (10 * 10 + 10)  # each storage counted once

# %% break reduction
loss_fn = nn.MSELoss(size_average=False)

# %% fix reduction
from torch import nn

# size_average=True: "mean"; reduce=False: "none"
loss_fn = nn.MSELoss(reduction="sum")

# %% proof reduction
assert torch.allclose(loss_fn(x, y), ((x - y) ** 2).sum())

# %%
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1)
optimizer.step()
scheduler.step()

# %% break last-lr
rate = scheduler.get_lr()[0]

# %% check last-lr
used = optimizer.param_groups[0]["lr"]
print(used, scheduler.get_lr()[0])  # 0.01 0.001
assert scheduler.get_lr()[0] < 0.2 * used

# %% fix last-lr
rate = scheduler.get_last_lr()[0]

# %% proof last-lr
assert rate == optimizer.param_groups[0]["lr"]

# %% break kl-mean
loss = F.kl_div(x.log_softmax(dim=1), y.softmax(dim=1))

# %% check kl-mean
loss = F.kl_div(x.log_softmax(dim=1), y.softmax(dim=1))
of_each = F.kl_div(x.log_softmax(dim=1), y.softmax(dim=1), reduction="none").sum(1)
print((of_each.mean() / loss).item())  # 10: too small by the number of classes
assert torch.allclose(of_each.mean(), 10 * loss)

# %% fix kl-mean
from torch.nn import functional as F

loss = F.kl_div(x.log_softmax(dim=1), y.softmax(dim=1), reduction="batchmean")

# %% proof kl-mean
p, q = y.softmax(1), x.softmax(1)
assert torch.allclose(loss, (p * (p / q).log()).sum(1).mean())

# %%
images = torch.rand(1, 1, 4, 4)

# %% break align-corners
theta = torch.eye(2, 3)[None]
grid = F.affine_grid(theta, images.shape)
moved = F.grid_sample(images, grid)

# %% check align-corners
aside = torch.tensor([[[1.0, 0, 0.5], [0, 1.0, 0]]])  # a quarter of the width aside


def shift(old):
    grid = F.affine_grid(aside, images.shape, align_corners=old)
    return F.grid_sample(images, grid, align_corners=old)


print((shift(True) - shift(False)).abs().max())  # not 0: it matters
assert (shift(True) - shift(False)).abs().max() > 0.05

# %% fix align-corners
import torch
from torch.nn import functional as F

theta = torch.eye(2, 3)[None]
# True for code and weights from before PyTorch 1.3; else False, in both lines
grid = F.affine_grid(theta, images.shape, align_corners=True)
moved = F.grid_sample(images, grid, align_corners=True)

# %% proof align-corners
assert torch.allclose(moved, images, atol=1e-6)
assert torch.allclose(grid[0, 0, 0], torch.tensor([-1.0, -1.0]))

# %% wrong the-new-default
# `align_corners=False`, the default, to end the warning: for weights from before PyTorch 1.3 it is
# another place in the image.
aside = torch.tensor([[[1.0, 0, 0.5], [0, 1.0, 0]]])
sampled = []
for corners in (True, False):
    grid = F.affine_grid(aside, images.shape, align_corners=corners)
    sampled.append(F.grid_sample(images, grid, align_corners=corners))
difference = (sampled[0] - sampled[1]).abs().max()
print(difference)  # the pixels are between 0 and 1
assert difference > 0.05

# %%
x = torch.tensor([1.0, 2.0, 3.0])
y = torch.tensor([1, 0, 1], dtype=torch.uint8)  # a mask

# %% break byte-mask
kept = x[y]

# %% check byte-mask
print(~y, x[~y])  # 254 and 255 for "not": all three are taken
assert torch.equal(x[~y], x)

# %% fix byte-mask
y = y.bool()  # or made so: x > 0
kept, others = x[y], x[~y]

# %% proof byte-mask
assert torch.equal(kept, torch.tensor([1.0, 3.0])) and torch.equal(others, torch.tensor([2.0]))
