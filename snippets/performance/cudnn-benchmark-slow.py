# ---
# tags: [cnn, cuda, padding, slow]
# recover: fix
# related: [performance/first-iteration-slow]
# rows: [S000-23, S001-43, S002-05, S003-18]
# docs: ["https://docs.pytorch.org/docs/stable/backends.html#torch.backends.cudnn.torch.backends.cudnn.benchmark", "https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html"]
# cases:
#   new-lengths: {needs: [cuda]}
# causes:
#   new-lengths:
#   many-shapes:
#   last-batch: {case: many-shapes}
#   not-the-search:
# ---

# %%
import random
import time

import torch
from torch import nn

random.seed(0)
lengths = [random.randint(20, 400) for _ in range(200)]  # words in each text


# %%
def seconds(lengths, benchmark):
    """Forward and backward over texts of these lengths, after a warm-up with another one."""
    torch.backends.cudnn.benchmark = benchmark
    conv = nn.Conv1d(64, 64, kernel_size=5, padding=2).cuda()
    conv(torch.randn(8, 64, 19, device="cuda")).sum().backward()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for length in lengths:
        conv(torch.randn(8, 64, length, device="cuda")).sum().backward()
    torch.cuda.synchronize()
    return time.perf_counter() - start


# %% break new-lengths
fast = seconds(range(20, 80), benchmark=False)
slow = seconds(range(100, 160), benchmark=True)  # as many lengths, all of them new
print(f"{slow / fast:.1f} times slower")
assert slow > 1.5 * fast

# %% check new-lengths
import time

torch.backends.cudnn.benchmark = True
conv = nn.Conv1d(64, 64, kernel_size=5, padding=2).cuda()
taken = []
for _ in range(2):
    start = time.perf_counter()
    for length in range(200, 240):
        conv(torch.randn(8, 64, length, device="cuda")).sum().backward()
    torch.cuda.synchronize()
    taken.append(time.perf_counter() - start)
# new lengths, and the same ones again
print(f"{taken[0]:.2f} s, {taken[1]:.2f} s")
assert taken[0] > 1.2 * taken[1]

# %%
torch.backends.cudnn.benchmark = True  # somewhere at the top of the program

# %% fix new-lengths
import torch

torch.backends.cudnn.benchmark = False  # the default: look who switched it on

# %% proof new-lengths
assert not torch.backends.cudnn.benchmark
conv = nn.Conv1d(64, 64, kernel_size=5, padding=2).cuda()
x = torch.randn(8, 64, 123, device="cuda")
expected = conv.cpu()(x.cpu())
torch.testing.assert_close(conv.cuda()(x).cpu(), expected, rtol=1e-2, atol=1e-2)  # a GPU may compute it in TF32

# %%
torch.backends.cudnn.benchmark = False

# %% break many-shapes
print(len(lengths), "batches,", len(set(lengths)), "lengths")  # nearly all are new
assert len(set(lengths)) > 100

# %% check many-shapes
# defaults: True, False
print(torch.backends.cudnn.enabled, torch.backends.cudnn.benchmark)
assert torch.backends.cudnn.enabled and not torch.backends.cudnn.benchmark


# %% fix many-shapes
from torch import nn


def padded(text, multiple=64):
    """(..., length), with zeros up to the next multiple of 64."""
    return nn.functional.pad(text, (0, -text.shape[-1] % multiple))


# %% proof many-shapes
conv = nn.Conv1d(4, 4, kernel_size=5, padding=2)
found = set()
for length in lengths:
    text = torch.randn(1, 4, length)
    filled = padded(text)
    found.add(filled.shape[-1])
    torch.testing.assert_close(conv(filled)[:, :, :length], conv(text), rtol=1e-4, atol=1e-4)  # zeros, as the convolution's own padding
assert found <= {64, 128, 192, 256, 320, 384, 448}  # at most seven searches
