# ---
# wordings: []
# tags: [autograd, backward, inference]
# related: [autograd/no-grad-fn]
# rows: [S001-128]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad_mode.set_grad_enabled.html"]
# ---

# %%
import torch
from torch import nn

model = nn.Linear(4, 1)
images = torch.randn(8, 4)


class FaceDetector:
    """Somebody else's code, imported for the data preparation."""

    def __init__(self):
        torch.set_grad_enabled(False)  # "this is only for inference": but it counts for the whole program

    def crop(self, images):
        return images * 2


# %% break a-library
detector = FaceDetector()
output = model(detector.crop(images))
print(model.weight.requires_grad, output.requires_grad)  # True False: no error yet
assert model.weight.requires_grad and not output.requires_grad

# %% check a-library
print(torch.is_grad_enabled())  # True
detector = FaceDetector()  # print it again after each import and each object that is made
print(torch.is_grad_enabled())  # False: it was this line
assert not torch.is_grad_enabled()

# %% fix a-library
with torch.set_grad_enabled(True):  # puts the switch back on leaving, whatever happens inside
    detector = FaceDetector()
with torch.no_grad():  # what the library wanted, for its own work only
    crops = detector.crop(images)
model(crops).sum().backward()

assert torch.is_grad_enabled()
assert torch.allclose(model.weight.grad, crops.sum(0))


# %% break evaluation-left-early
def evaluate(batches):
    torch.set_grad_enabled(False)
    if not batches:
        return None  # the line that switches gradients on again is never reached
    score = sum(model(batch).mean() for batch in batches)
    torch.set_grad_enabled(True)
    return score


evaluate([])
assert not model(images).requires_grad


# %% check evaluation-left-early
def evaluate(batches):
    torch.set_grad_enabled(False)
    if not batches:
        return None
    torch.set_grad_enabled(True)


print(torch.is_grad_enabled())  # True
evaluate([])
model.train()  # does not switch gradients on, nor does model.requires_grad_(True)
print(torch.is_grad_enabled())  # False after the evaluation
assert not torch.is_grad_enabled()


# %% fix evaluation-left-early
@torch.no_grad()  # left by every way out: return, exception, Ctrl-C
def evaluate(batches):
    if not batches:
        return None
    return sum(model(batch).mean() for batch in batches)


evaluate([])
try:
    evaluate([images, "not a tensor"])
except TypeError:
    pass
model(images).sum().backward()

assert torch.allclose(model.weight.grad, images.sum(0))


# %% break paused-generator
def crops():
    with torch.no_grad():
        for image in images:
            yield image * 2  # paused inside the block: gradients are off for whoever called


for crop in crops():
    assert not model(crop).requires_grad


# %% check paused-generator
def crops():
    with torch.no_grad():
        for image in images:
            yield image * 2


print(torch.is_grad_enabled())  # True before the loop
print([torch.is_grad_enabled() for _ in crops()])  # False in its body
assert not any([torch.is_grad_enabled() for _ in crops()])


# %% fix paused-generator
@torch.no_grad()  # as a decorator it ends at each yield and begins again after it
def crops():
    for image in images:
        yield image * 2


for crop in crops():
    model(crop).sum().backward()

assert torch.allclose(model.weight.grad, 2 * images.sum(0).unsqueeze(0))
