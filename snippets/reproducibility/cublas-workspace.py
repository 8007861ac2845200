# ---
# wordings:
#   - text: "Deterministic behavior was enabled with either"
#     exception: RuntimeError
#     sample: "RuntimeError: Deterministic behavior was enabled with either `torch.use_deterministic_algorithms(True)` or `at::Context::setDeterministicAlgorithms(true)`, but this operation is not deterministic because it uses CuBLAS and you have CUDA >= 10.2. To enable deterministic behavior in this case, you must set an environment variable before running your PyTorch application: CUBLAS_WORKSPACE_CONFIG=:4096:8 or CUBLAS_WORKSPACE_CONFIG=:16:8."
#   - text: "this operation is not deterministic because it uses CuBLAS and you have CUDA >= 10.2"
#     exception: RuntimeError
#   - text: "set an environment variable before running your PyTorch application: CUBLAS_WORKSPACE_CONFIG"
# tags: [reproducibility, seed, cuda, matmul]
# recover: process
# needs: [cuda]
# related: [reproducibility/ops-not-deterministic]
# docs: ["https://docs.pytorch.org/docs/stable/notes/randomness.html", "https://docs.nvidia.com/cuda/cublas/index.html#results-reproducibility"]
# cases:
#   not-set:
#     commands:
#       shell: CUBLAS_WORKSPACE_CONFIG=:4096:8 python train.py
#       powershell: |
#         $env:CUBLAS_WORKSPACE_CONFIG = ":4096:8"
#         python train.py
#       docker: docker run -e CUBLAS_WORKSPACE_CONFIG=:4096:8 …
#       slurm: |
#         export CUBLAS_WORKSPACE_CONFIG=:4096:8  # in the job script, above the training
#       notebook: |
#         # first cell after a restart of the kernel, above `import torch`
#         import os
#
#         os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
# ---

# %%
import os

import torch

torch.manual_seed(0)
torch.use_deterministic_algorithms(True)

# %% break not-set
os.environ.pop("CUBLAS_WORKSPACE_CONFIG", None)
weight = torch.randn(64, 64, device="cuda")
product = weight @ weight

# %% check not-set
os.environ.pop("CUBLAS_WORKSPACE_CONFIG", None)
print(os.environ.get("CUBLAS_WORKSPACE_CONFIG"))  # None: not set for this process
assert os.environ.get("CUBLAS_WORKSPACE_CONFIG") is None

# %% proof not-set
os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"  # what the shell sets; CUDA has not begun
weight = torch.randn(64, 64, device="cuda")
product = weight @ weight
assert torch.are_deterministic_algorithms_enabled() and torch.equal(product, weight @ weight)
assert torch.allclose(product.cpu(), weight.cpu() @ weight.cpu(), atol=1e-3)
