# ---
# wordings:
#   - text: "Could not run '{op:line}' with arguments from the 'npu' backend"
#     exception: NotImplementedError
#     sample: "NotImplementedError: Could not run 'aten::_cdist_forward' with arguments from the 'npu' backend."
#   - text: "Could not run '{op:line}' with arguments from the 'PrivateUse1' backend"
#     exception: NotImplementedError
#     sample: "NotImplementedError: Could not run 'aten::_cdist_forward' with arguments from the 'PrivateUse1' backend."
#   - text: "Could not run '{op:line}' with arguments from the 'XPU' backend"
#     exception: NotImplementedError
#     unless: ["torchvision::"]
#     sample: "NotImplementedError: Could not run 'aten::_fused_moe' with arguments from the 'XPU' backend."
#   - text: "Could not run '{op:line}' with arguments from the 'HPU' backend"
#     exception: NotImplementedError
#     sample: "NotImplementedError: Could not run 'aten::_cdist_forward' with arguments from the 'HPU' backend."
#   - text: "Could not run '{op:line}' with arguments from the 'XLA' backend"
#     exception: NotImplementedError
#     sample: "NotImplementedError: Could not run 'aten::_foobar' with arguments from the 'XLA' backend."
#   - text: "Could not run '{op:line}' with arguments from the 'musa' backend"
#     exception: NotImplementedError
#     sample: "NotImplementedError: Could not run 'aten::_cdist_forward' with arguments from the 'musa' backend."
#   - text: "Could not run '{op:line}' with arguments from the 'mlu' backend"
#     exception: NotImplementedError
#     sample: "NotImplementedError: Could not run 'aten::_cdist_forward' with arguments from the 'mlu' backend."
#   - text: "is not currently supported on the {backend:ident} backend"
#     exception: UserWarning
#     role: remark
#     sample: "CAUTION: The operator 'aten::linalg_lstsq.out' is not currently supported on the NPU backend and will fall back to run on the CPU. This may have performance implications."
#   - text: "is not currently implemented for the MLU device"
#     exception: NotImplementedError
#   - text: "ERR01007 OPS feature not supported"
#     role: symptom
# tags: [build, cpp-extension, device]
# recover: fix
# needs: ["fault:a second device type, registered with torch, that has two operations and runs on the CPU"]
# related: [devices/mps-unsupported, devices/npu-inner-error, nn/quantized-backend]
# docs: ["https://docs.pytorch.org/tutorials/advanced/privateuseone.html"]
# causes:
#   on-cpu:
#     if: begins(op, "aten::") and not paste("::_index_put_impl_ deterministic") and not begins(op, "aten::empty", "aten::_copy_from")
#   falls-back:
#     if: read(backend)
#     sample: "CAUTION: The operator 'aten::isin.Tensor_Tensor_out' is not currently supported on the NPU backend and will fall back to run on the CPU."
#   add-on:
#     if: begins(op, "aten::empty", "aten::_copy_from")
#     sample: "NotImplementedError: Could not run 'aten::empty.memory_format' with arguments from the 'PrivateUse1' backend."
#   own-operator:
#     likely: paste("Could not run '") and not paste("Could not run 'aten::")
#     sample: "NotImplementedError: Could not run 'xformers::efficient_attention_forward' with arguments from the 'npu' backend."
# ---

# %%
import torch
from torch.utils import backend_registration

backend_registration._setup_privateuseone_for_python_backend("npu")


class OnDevice(torch.Tensor):
    """A tensor of the second device; its numbers lie on the CPU."""

    @staticmethod
    def __new__(cls, numbers):
        made = torch._C._acc.create_empty_tensor(numbers.shape, numbers.dtype)
        made.__class__ = cls
        return made

    def __init__(self, numbers):
        self.numbers = numbers


def to_copy(x, dtype=None, device=None, **_):
    return x.numbers.clone() if device and device.type == "cpu" else OnDevice(x.numbers.clone())


library = torch.library.Library("aten", "IMPL", "PrivateUse1")
library.impl("mul.Tensor", lambda x, y: OnDevice(x.numbers * y), "PrivateUse1")
library.impl("_to_copy", to_copy, "PrivateUse1")
torch.Tensor.npu = lambda tensor: OnDevice(tensor)
torch.manual_seed(0)
points, centers = torch.rand(5, 3).npu(), torch.rand(2, 3).npu()

# %%
x, y = points, centers

# %% break on-cpu
print((points * 2).device)  # this operation has a kernel
torch.cdist(points, centers)

# %% check on-cpu
# the registered kernels of the operation: is the device's among them?
kernels = torch._C._dispatch_dump("aten::_cdist_forward")
print([line.split(":")[0] for line in kernels.splitlines() if "registered" in line])
assert "PrivateUse1" not in [line.split(":")[0] for line in kernels.splitlines()]

# %% fix on-cpu
import torch

near = torch.cdist(x.cpu(), y.cpu())  # this one step on the CPU
# and back, for what follows: near = near.to(x.device)

# %% proof on-cpu
assert near.device.type == "cpu" and near.shape == (5, 2)
expected = (points.numbers[:, None] - centers.numbers).square().sum(-1).sqrt()
torch.testing.assert_close(near, expected)

# %% use on-cpu
x, y = torch.rand(4, 3).npu(), torch.rand(6, 3).npu()
# >>>
near = torch.cdist(x, y)
# <<<
nearest = near.argmin(dim=1)
assert nearest.tolist() == (x.numbers[:, None] - y.numbers).norm(dim=-1).argmin(1).tolist()
