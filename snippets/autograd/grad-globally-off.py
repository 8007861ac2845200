# ---
# wordings: []
# tags: [autograd, backward, inference]
# recover: fix
# related: [autograd/no-grad-fn]
# rows: [S001-128]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad_mode.set_grad_enabled.html"]
# cases:
#   a-library: {wrong: {parameters-on: "https://github.com/meta-llama/llama/issues/122"}}
#   evaluation-left-early:
#     survives: {"back: torch.set_grad_enabled(False)": "inside the decorated function the call does no harm"}
# causes:
#   a-library:
#   in-each-call:
#   evaluation-left-early:
#   paused-generator:
# ---

# %%
import sys
import tempfile
from pathlib import Path

import torch
from torch import nn

model = nn.Linear(4, 1)
images = torch.randn(8, 4)
loader = [images[:4], images[4:]]

folder = Path(tempfile.mkdtemp())  # two libraries that were written for inference only
(folder / "their_detector.py").write_text("import torch\ntorch.set_grad_enabled(False)\n")
(folder / "their_cropper.py").write_text("import torch\ndef crop(images):\n    torch.set_grad_enabled(False)\n    return images * 2\n")
sys.path.insert(0, str(folder))

# %% break a-library
import their_detector

output = model(images)
print(model.weight.requires_grad, output.requires_grad)  # True False: no error yet
assert model.weight.requires_grad and not output.requires_grad

# %% check a-library
print(torch.is_grad_enabled())  # True
import their_detector  # print again after each import, each object that is made

print(torch.is_grad_enabled())  # False: it was this line
assert not torch.is_grad_enabled()

# %% fix a-library
import torch

with torch.no_grad():  # puts the switch back as it was, whatever happens inside
    import their_detector

# %% proof a-library
assert "their_detector" in sys.modules and torch.is_grad_enabled()
model(images).sum().backward()
assert torch.allclose(model.weight.grad, images.sum(0))

# %% wrong parameters-on
# `requires_grad_(True)` and `train()` on the model: other switches, nothing is recorded still.
import their_detector

model.requires_grad_(True).train()
loss = model(images).sum()
loss.backward()

# %% break in-each-call
import their_cropper

crops = their_cropper.crop(images)
assert not model(crops).requires_grad

# %% check in-each-call
import their_cropper

print(torch.is_grad_enabled())  # True after the import
their_cropper.crop(images)
print(torch.is_grad_enabled())  # False after the call
assert not torch.is_grad_enabled()

# %% fix in-each-call
import their_cropper
import torch


def crop(images):
    with torch.no_grad():  # around each call
        return their_cropper.crop(images)


# %% proof in-each-call
for batch in loader:
    model(crop(batch)).sum().backward()
assert torch.allclose(model.weight.grad, 2 * images.sum(0), atol=1e-5)
assert torch.is_grad_enabled() and not crop(images.clone().requires_grad_()).requires_grad


# %% break evaluation-left-early
def evaluate(model, loader):
    torch.set_grad_enabled(False)
    if not loader:
        return None  # the line that switches gradients on again is never reached
    score = sum(model(batch).mean() for batch in loader)
    torch.set_grad_enabled(True)
    return score


evaluate(model, [])
assert not model(images).requires_grad


# %% check evaluation-left-early
def evaluate(model, loader):
    torch.set_grad_enabled(False)
    if not loader:
        return None
    torch.set_grad_enabled(True)


print(torch.is_grad_enabled())  # True
evaluate(model, [])
model.train()  # does not switch gradients on, nor does model.requires_grad_(True)
print(torch.is_grad_enabled())  # False after the evaluation
assert not torch.is_grad_enabled()

# %% fix evaluation-left-early
import torch


@torch.no_grad()  # left by every way out: return, exception, Ctrl-C
def evaluate(model, loader):
    if not loader:
        return None
    return sum(model(batch).mean() for batch in loader)


# %% proof evaluation-left-early
assert evaluate(model, []) is None and torch.is_grad_enabled()
try:
    evaluate(model, [images, "not a tensor"])
except TypeError:
    assert torch.is_grad_enabled()
else:
    raise AssertionError("nothing was raised")
score = evaluate(model, loader)
assert not score.requires_grad  # gradients were off inside
assert torch.allclose(score, sum(model(batch).mean() for batch in loader))
model(images).sum().backward()
assert torch.allclose(model.weight.grad, images.sum(0))


# %% break paused-generator
def features():
    with torch.no_grad():
        for image in images:
            yield model(image)  # pauses inside the block: gradients stay off


for feature in features():
    assert not model(feature.expand(4)).requires_grad


# %% check paused-generator
def features():
    with torch.no_grad():
        for image in images:
            yield model(image)


print(torch.is_grad_enabled())  # True before the loop
print([torch.is_grad_enabled() for _ in features()])  # False in its body
assert not any([torch.is_grad_enabled() for _ in features()])

# %% fix paused-generator
import torch


@torch.no_grad()  # as a decorator it ends at each yield and begins again after it
def features():
    for image in images:
        yield model(image)


# %% proof paused-generator
weight = model.weight.detach().clone()
for feature in features():
    assert not feature.requires_grad  # off inside
    model(feature.expand(4)).sum().backward()  # on outside
inner = images @ weight.T + model.bias.detach()
assert torch.allclose(model.weight.grad, inner.sum().expand(1, 4), atol=1e-4)
