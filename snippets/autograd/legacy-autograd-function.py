# ---
# wordings:
#   - text: "Legacy autograd function with non-static forward method is deprecated"
#     exception: RuntimeError
# tags: [autograd, backward]
# recover: fix
# related: [autograd/custom-function-gradient-shape]
# docs: ["https://docs.pytorch.org/docs/stable/notes/extending.html#extending-torch-autograd"]
# ---

# %%
import torch

torch.manual_seed(0)
x = torch.randn(5, requires_grad=True)

# %% break called-as-object
class Clip(torch.autograd.Function):
    def forward(self, values):
        self.save_for_backward(values)
        return values.clamp(min=0)

    def backward(self, gradient):
        (values,) = self.saved_tensors
        return gradient * (values > 0)


Clip()(x)

# %% fix called-as-object
import torch


class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, values):  # ctx in place of self
        ctx.save_for_backward(values)
        return values.clamp(min=0)

    @staticmethod
    def backward(ctx, gradient):
        (values,) = ctx.saved_tensors
        return gradient * (values > 0)


y = Clip.apply(x)  # in place of Clip()(x)

# %% proof called-as-object
assert torch.equal(y, x.clamp(min=0))
assert all(isinstance(vars(Clip)[name], staticmethod) for name in ("forward", "backward"))  # apply would run without; the documented form
weights = torch.arange(1.0, 6.0)
(gradient,) = torch.autograd.grad(y, x, weights)
assert torch.equal(gradient, weights * (x > 0)) and 0 < (x > 0).sum() < 5
inputs = torch.randn(3, 4, dtype=torch.double, requires_grad=True)
assert torch.autograd.gradcheck(Clip.apply, (inputs,))
