# ---
# wordings:
#   - text: "positional arguments and argument \"destination\" are deprecated. nn.Module.state_dict will not accept them in the future"
#     exception: UserWarning
#     role: remark
#   - text: "Positional args are being deprecated, use kwargs instead. Refer to"
#     exception: FutureWarning
#     role: remark
#     near: [state_dict]
#     sample: "FutureWarning: Positional args are being deprecated, use kwargs instead. Refer to https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details."
# tags: [checkpoint, warning, detection]
# recover: fix
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.state_dict"]
# causes:
#   your-own-call:
#     undecided: whose line it is, is not printed
#   old-release:
#     likely: paste("nn/modules/module.py:", "nn\\modules\\module.py:")
#     sample: |
#       /opt/conda/lib/python3.8/site-packages/torch/nn/modules/module.py:1402: UserWarning: positional arguments and argument "destination" are deprecated. nn.Module.state_dict will not accept them in the future. Refer to https://pytorch.org/docs/master/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details.
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)


class Wrapper(nn.Module):
    """Saves what is in it, without a name of its own in front."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def state_dict(self, destination=None, prefix="", keep_vars=False):
        return self.inner.state_dict(destination, prefix, keep_vars)


model = Wrapper(nn.Linear(4, 3))

# %% break your-own-call
saved = model.state_dict()  # its state_dict() hands three values on by position

# %% check your-own-call
saved = model.inner.state_dict(prefix="net.")  # with names: no warning
print(list(saved))  # ['net.weight', 'net.bias']
assert list(saved) == ["net.weight", "net.bias"]

# %% fix your-own-call
from torch import nn


class Wrapper(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def state_dict(self, *args, **kwargs):
        return self.inner.state_dict(*args, **kwargs)

    def load_state_dict(self, *args, **kwargs):
        return self.inner.load_state_dict(*args, **kwargs)


# %% proof your-own-call
old = model.inner
model = Wrapper(old)
assert list(model.state_dict()) == ["weight", "bias"] and torch.equal(model.state_dict()["weight"], old.weight)
assert list(nn.Sequential(model).state_dict(prefix="a.")) == ["a.0.weight", "a.0.bias"]
assert model.state_dict(keep_vars=True)["weight"] is old.weight
saved = model.state_dict()
assert saved._metadata == old.state_dict()._metadata
other = Wrapper(nn.Linear(4, 3))
assert other.load_state_dict(saved).missing_keys == [] and torch.equal(other.inner.weight, old.weight)
