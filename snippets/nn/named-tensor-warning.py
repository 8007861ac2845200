# ---
# wordings:
#   - text: "Named tensors and all their associated APIs are an experimental feature and subject to change"
#     exception: UserWarning
#     role: remark
#     sample: "UserWarning: Named tensors and all their associated APIs are an experimental feature and subject to change. Please do not use them for anything important until they are released as stable. (Triggered internally at  /pytorch/c10/core/TensorImpl.h:1156.)"
# tags: [warning, cnn, detection]
# recover: fix
# needs: ["torch:<1.10"]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.max_pool2d.html"]
# cases:
#   max-pool:
#     commands:
#       shell: python -m pip install --upgrade torch torchvision
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
images = torch.randn(1, 3, 4, 4)

# %% break max-pool
pooled = nn.functional.max_pool2d(images, 2)

# %% check max-pool
print(torch.__version__)  # 1.9: this release warns at every max pooling
assert torch.__version__.startswith("1.9")

# %% proof max-pool
pooled = nn.functional.max_pool2d(images, 2)
assert torch.equal(pooled, images.unfold(2, 2, 2).unfold(3, 2, 2).amax((4, 5)))  # what it warns about is right all the same
