# ---
# wordings:
#   - text: "No module named 'torchvision.transforms.functional_tensor'"
#     exception: ModuleNotFoundError
#   - text: "from torchvision.transforms.functional_tensor import"
#     near: [basicsr, gfpgan, realesrgan, GFPGAN, torchvision.transforms.functional_tensor']
#   - text: "The torchvision.transforms.functional_tensor module is deprecated in 0.15 and will be **removed in 0.17**"
#     exception: UserWarning
#     role: remark
# tags: [import-error, comfyui]
# recover: process
# needs: ["fault:small packages in place of torchvision and basicsr"]
# related: [install-env/torchvision-nms, install-env/no-module-torch-x]
# docs: ["https://docs.pytorch.org/vision/stable/transforms.html"]
# causes:
#   removed:
#     if: paste("No module named")
#     likely: paste("functional_tensor") and not paste("is deprecated in 0.15")
#   warned:
#     case: removed
#     if: paste("is deprecated in 0.15")
#     sample: "UserWarning: The torchvision.transforms.functional_tensor module is deprecated in 0.15 and will be **removed in 0.17**. Please don't rely on it."
# ---

# %%
from pathlib import Path

# torchvision from 0.17 on has the function in `functional`, and no `functional_tensor`.
for file, text in {
    "torchvision/__init__.py": "",
    "torchvision/transforms/__init__.py": "",
    "torchvision/transforms/functional.py": "def rgb_to_grayscale(image):\n    return sum(image) / 3\n",
    "basicsr/__init__.py": "",
    "basicsr/degradations.py": "from torchvision.transforms.functional_tensor import rgb_to_grayscale\n",
}.items():
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    Path(file).write_text(text)

# %% break removed
import basicsr.degradations

# %% check removed
from importlib.util import find_spec

# None: this torchvision has no such module
print(find_spec("torchvision.transforms.functional_tensor"))
assert find_spec("torchvision.transforms.functional_tensor") is None

# %% fix removed
import sys

import torchvision.transforms.functional

# above the first import of basicsr, gfpgan or realesrgan
old_name = "torchvision.transforms.functional_tensor"
sys.modules[old_name] = torchvision.transforms.functional

# %% proof removed
import basicsr.degradations

assert sys.modules[old_name] is torchvision.transforms.functional

assert basicsr.degradations.rgb_to_grayscale([3, 6, 9]) == 6
