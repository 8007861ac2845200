# ---
# wordings:
#   - text: "RuntimeError: {op:ident} does not have a deterministic implementation, but you set"
#     exception: RuntimeError
#     sample: "RuntimeError: put_ does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms(True)'."
#   - text: "UserWarning: {op:ident} does not have a deterministic implementation, but you set"
#     exception: UserWarning
#     role: remark
#     sample: "UserWarning: adaptive_max_pool2d_backward_cuda does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms(True, warn_only=True)'."
#   - text: "does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms(True, warn_only=True)'"
#     exception: UserWarning
#     role: remark
#   - text: "does not have a deterministic implementation, but you set"
#     exception: RuntimeError
#   - text: "Memory Efficient attention defaults to a non-deterministic algorithm"
#     exception: UserWarning
#     role: remark
# tags: [reproducibility, seed, cuda, warning]
# recover: fix
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html", "https://docs.pytorch.org/docs/stable/notes/randomness.html"]
# cases: {excepted: {wrong: {around-the-forward: "https://github.com/pytorch/pytorch/issues/107999"}}}
# causes:
#   excepted:
#     likely: >-
#       read(op) and not begins(op, "max_unpool", "adaptive_avg_pool", "adaptive_max_pool") and not
#       paste("warn_only=True)'", "(True, warn_only=True")
#   another-op:
#     likely: >-
#       begins(op, "max_unpool", "adaptive_avg_pool", "adaptive_max_pool") and not
#       paste("warn_only=True)'", "(True, warn_only=True")
#   only-a-warning:
#     if: >-
#       paste("warn_only=True)'", "(True, warn_only=True", "Memory Efficient attention defaults to a
#       non-deterministic algorithm")
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
x = torch.zeros(8)
images = torch.randn(2, 3, 8, 8)
torch.use_deterministic_algorithms(True)

# %% break excepted
x.put_(torch.tensor([0, 5]), torch.tensor([1.0, 2.0]))

# %% check excepted
print(torch.are_deterministic_algorithms_enabled())  # True: someone asked for it
assert torch.are_deterministic_algorithms_enabled()

# %% fix excepted
import torch

torch.use_deterministic_algorithms(False)  # around this operation alone
x.put_(torch.tensor([0, 5]), torch.tensor([1.0, 2.0]))
torch.use_deterministic_algorithms(True)

# %% proof excepted
assert x.tolist() == [1, 0, 0, 0, 0, 2, 0, 0]
assert torch.are_deterministic_algorithms_enabled()  # for all that follows

# %% use excepted
model = nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    x = torch.rand(8)
    # >>>
    x.put_(torch.tensor([0, 5]), torch.tensor([1.0, 2.0]))
    # <<<
    optimizer.zero_grad()
    model(x).square().sum().backward()
    optimizer.step()
assert x[[0, 5]].tolist() == [1, 2] and torch.are_deterministic_algorithms_enabled()

# %% wrong around-the-forward
# Off around the forward alone, where the message comes from `backward()`: the mode is on again when
# the gradient is computed. It is `backward()` that goes between the two lines.
weights = torch.zeros(8, requires_grad=True)
torch.use_deterministic_algorithms(False)
x = (2 * weights).put(torch.tensor([0, 5]), torch.tensor([1.0, 2.0]))
torch.use_deterministic_algorithms(True)
x.sum().backward()

# %% break another-op
pooled, places = nn.functional.max_pool2d(images, 2, return_indices=True)
decoded = nn.functional.max_unpool2d(pooled, places, 2)

# %% check another-op
pooled, places = nn.functional.max_pool2d(images, 2, return_indices=True)
torch.use_deterministic_algorithms(False)
decoded = nn.functional.max_unpool2d(pooled, places, 2)  # runs
print(decoded.shape)  # torch.Size([2, 3, 8, 8])
assert decoded.shape == images.shape


# %% fix another-op
def unpool(pooled, places, height, width):
    flat = pooled.new_zeros(*pooled.shape[:2], height * width)
    flat = flat.scatter(2, places.flatten(2), pooled.flatten(2))
    return flat.unflatten(2, (height, width))


# %% proof another-op
pooled, places = nn.functional.max_pool2d(images.requires_grad_(), 2, return_indices=True)
decoded = unpool(pooled, places, 8, 8)
assert torch.are_deterministic_algorithms_enabled()
decoded.square().sum().backward()
torch.use_deterministic_algorithms(False)
pixels = images.detach().clone().requires_grad_()
expected = nn.functional.max_unpool2d(*nn.functional.max_pool2d(pixels, 2, return_indices=True), 2)
assert torch.equal(decoded, expected) and decoded.abs().sum() > 0
expected.square().sum().backward()
assert torch.equal(images.grad, pixels.grad)
# what the page says of the other two
assert torch.allclose(nn.AdaptiveAvgPool2d(1)(pixels), pixels.mean((2, 3), keepdim=True), atol=1e-6)
assert torch.equal(nn.AdaptiveMaxPool2d(1)(pixels), pixels.amax((2, 3), keepdim=True))
wide = torch.arange(24.0).view(1, 1, 4, 6)
assert torch.allclose(nn.AdaptiveAvgPool2d((2, 3))(wide), nn.AvgPool2d(2)(wide))

# %% break only-a-warning
torch.use_deterministic_algorithms(True, warn_only=True)
x.put_(torch.tensor([0, 5]), torch.tensor([1.0, 2.0]))

# %% check only-a-warning
torch.use_deterministic_algorithms(True, warn_only=True)
print(torch.is_deterministic_algorithms_warn_only_enabled())  # True
assert torch.is_deterministic_algorithms_warn_only_enabled()

# %% fix only-a-warning
import warnings

import torch

torch.use_deterministic_algorithms(True, warn_only=True)
about = ".*does not have a deterministic implementation"
warnings.filterwarnings("ignore", message=about)  # once you have read the names

# %% proof only-a-warning
assert torch.are_deterministic_algorithms_enabled() and torch.is_deterministic_algorithms_warn_only_enabled()
with warnings.catch_warnings(record=True) as heard:
    x.put_(torch.tensor([0, 5]), torch.tensor([1.0, 2.0]))
    warnings.warn("another", UserWarning, stacklevel=1)
assert [str(one.message) for one in heard] == ["another"] and x[5] == 2
