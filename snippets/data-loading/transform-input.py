# ---
# wordings:
#   - text: "pic should be PIL Image or ndarray. Got <class '{kind:ident}"
#     exception: TypeError
#     sample: "TypeError: pic should be PIL Image or ndarray. Got <class 'torch.Tensor'>"
#   - text: "pic should be PIL Image. Got <class '{kind:ident}"
#     exception: TypeError
#     sample: "TypeError: pic should be PIL Image. Got <class 'numpy.ndarray'>"
#   - text: "pic should be Tensor or ndarray. Got <class '{kind:ident}"
#     exception: TypeError
#     sample: "TypeError: pic should be Tensor or ndarray. Got <class 'PIL.Image.Image'>."
#   - text: "img should be PIL Image. Got <class '{kind:ident}"
#     exception: TypeError
#     sample: "TypeError: img should be PIL Image. Got <class 'numpy.ndarray'>"
#   - text: "img should be PIL Image or Tensor. Got <class '{kind:ident}"
#     exception: TypeError
#     sample: "TypeError: img should be PIL Image or Tensor. Got <class 'numpy.ndarray'>"
#   - text: "img should be Tensor Image. Got <class '{kind:ident}"
#     exception: TypeError
#     sample: "TypeError: img should be Tensor Image. Got <class 'PIL.Image.Image'>"
#   - text: "Input tensor should be a torch tensor. Got <class '{kind:ident}"
#     exception: TypeError
#     sample: "TypeError: Input tensor should be a torch tensor. Got <class 'PIL.Image.Image'>."
#   - text: "() does not support PIL images"
#     exception: TypeError
#     near: [torchvision, "TypeError: Normalize()", "transforms"]
#     sample: "TypeError: Normalize() does not support PIL images."
#   - text: "tensor is not a torch image"
#     exception: TypeError
#   - text: "Input img should be Tensor Image"
#     exception: TypeError
#   - text: "TypeError: Unexpected type <class 'numpy.{kind:ident}"
#     exception: TypeError
#     unless: ['File "', "File ~", ipython-input, site-packages, dist-packages]  # a trace without torchvision is another program's
#     sample: "TypeError: Unexpected type <class 'numpy.ndarray'>"
#   - text: "Unexpected type <class '{kind:ident}"
#     exception: TypeError
#     near: [torchvision, _functional_pil, "transforms."]
#     sample: "torchvision/transforms/_functional_pil.py TypeError: Unexpected type <class 'NoneType'>"
#   - text: "Input tensor should be a float tensor. Got {dtype:dtype}"
#     exception: TypeError
#     sample: "TypeError: Input tensor should be a float tensor. Got torch.uint8."
#   - text: "pic should be 2/3 dimensional. Got {dims:int} dimensions"
#     exception: ValueError
#     sample: "ValueError: pic should be 2/3 dimensional. Got 4 dimensions."
# tags: [numpy, dtype, dataloader]
# recover: fix
# needs: ["package:torchvision"]
# related: [shapes/normalize-channels, dtypes/input-weight-type, data-loading/worker-exception]
# docs: ["https://docs.pytorch.org/vision/stable/transforms.html"]
# causes:
#   tensor-again:
#     if: paste("pic should be PIL Image") and begins(kind, "torch.")
#   not-opened:
#     if: kind == "NoneType" or kind == "str"
#     sample: "TypeError: pic should be PIL Image or ndarray. Got <class 'NoneType'>"
#   array:
#     if: begins(kind, "numpy", "ndarray") and not paste("should be Tensor Image", "should be a torch tensor")
#   bytes:
#     if: read(dtype)
#   order:
#     if: paste("should be Tensor Image", "should be a torch tensor", "is not a torch image", "does not support PIL images")
#   old-torchvision:
#     case: order
#     if: paste("img should be PIL Image") and begins(kind, "torch.")
#     sample: "TypeError: img should be PIL Image. Got <class 'torch.Tensor'>"
#   to-pil:
#     if: paste("pic should be Tensor or ndarray", "2/3 dimensional")
#     sample: "ValueError: pic should be 2/3 dimensional. Got 4 dimensions."
# ---

# %%
import numpy as np
import torch
from PIL import Image

try:
    import torchvision
except RuntimeError:  # its operators for boxes were built for another torch; no transform needs them
    boxes = torch.library.Library("torchvision", "FRAGMENT")
    for name in ("nms", "qnms"):
        boxes.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
from torchvision import transforms

rows = np.random.default_rng(0).integers(0, 256, (8, 8, 3), dtype=np.uint8)
picture = Image.fromarray(rows)

# %%
x = torch.from_numpy(rows).permute(2, 0, 1)  # what torchvision.io.read_image gives

# %% break tensor-again
image = transforms.ToTensor()(x)

# %% check tensor-again
print(type(x), x.dtype)  # a tensor already, of type torch.uint8
assert isinstance(x, torch.Tensor) and x.dtype == torch.uint8

# %% fix tensor-again
import torch
from torchvision import transforms

# in place of ToTensor(): floats from 0 to 1; a float tensor stays as it is
image = transforms.ConvertImageDtype(torch.float32)(x)

# %% proof tensor-again
assert image.dtype == torch.float32 and torch.equal(image, transforms.ToTensor()(picture))

# %% break bytes
normalize = transforms.Normalize([0.5, 0.5, 0.5], [0.5, 0.5, 0.5])
image = normalize(x)

# %% check bytes
print(x.dtype, x.max())  # torch.uint8, up to 255
assert not x.is_floating_point()

# %% fix bytes
import torch
from torchvision import transforms

transform = transforms.Compose([
    transforms.ConvertImageDtype(torch.float32),
    transforms.Normalize([0.5, 0.5, 0.5], [0.5, 0.5, 0.5]),
])
image = transform(x)

# %% proof bytes
assert torch.allclose(image, x / 127.5 - 1, atol=1e-5)

# %%
x = rows  # what cv2.imread gives

# %% break array
image = transforms.Resize(4)(x)

# %% check array
print(type(x), x.shape)  # an array, height x width x colours
assert isinstance(x, np.ndarray)

# %% fix array
from torchvision import transforms

# read by OpenCV? First x = x[:, :, ::-1].copy(): it has blue in front
transform = transforms.Compose([
    transforms.ToPILImage(),
    transforms.Resize(4),
    transforms.ToTensor(),
])
image = transform(x)

# %% proof array
small = picture.resize((4, 4), Image.BILINEAR)
assert torch.equal(image, transforms.ToTensor()(small))

# %%
x = picture

# %% break order
transform = transforms.Compose([
    transforms.Normalize([0.5, 0.5, 0.5], [0.5, 0.5, 0.5]),
    transforms.ToTensor(),
])
image = transform(x)

# %% fix order
from torchvision import transforms

transform = transforms.Compose([
    transforms.ToTensor(),  # Resize, crops, flips stand above it
    transforms.Normalize([0.5, 0.5, 0.5], [0.5, 0.5, 0.5]),
])
image = transform(x)

# %% proof order
assert torch.allclose(image, torch.from_numpy(rows).permute(2, 0, 1) / 127.5 - 1, atol=1e-5)
