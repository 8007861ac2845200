# ---
# wordings:
#   - text: "A different number of tensors was saved during the original forward and recomputation"
#     exception: [CheckpointError, RuntimeError]
#     sample: "torch.utils.checkpoint.CheckpointError: torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation."
#   - text: "Recomputed values for the following tensors have different metadata than during the forward pass"
#     exception: [CheckpointError, RuntimeError]
#     sample: "torch.utils.checkpoint.CheckpointError: torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during the forward pass."
#   - text: "trying to save more tensors during recomputation than during the original forward pass"
#     exception: [CheckpointError, RuntimeError]
#   - text: "Attempt to retrieve a tensor saved by autograd multiple times without checkpoint recomputation"
#     exception: RuntimeError
# tags: [activation-checkpointing, lora, fine-tuning, amp]
# recover: fix
# related: [memory/checkpoint-use-reentrant]
# docs: ["https://docs.pytorch.org/docs/stable/checkpoint.html"]
# causes:
#   state-changed:
#     undecided: what the block does differently is not printed
#   other-types:
#     likely: >-
#       paste("torch.bfloat16", "torch.float16") and paste("torch.float32") and paste("different
#       metadata")
#     sample: |
#       torch.utils.checkpoint.CheckpointError: torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during the forward pass.
#       tensor at position 3:
#       saved metadata: {'shape': torch.Size([2, 77, 768]), 'dtype': torch.bfloat16, 'device': device(type='cuda', index=0)}
#       recomputed metadata: {'shape': torch.Size([2, 77, 768]), 'dtype': torch.float32, 'device': device(type='cuda', index=0)}
# ---

# %%
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
x = torch.randn(8, 4, requires_grad=True)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.table = nn.Linear(4, 4), None

    def forward(self, x):
        if self.table is None:  # only the first time
            self.table = torch.sigmoid(self.layer.weight).mean(0)
        return torch.tanh(self.layer(x)) * self.table.detach()


model = Block()

# %% break state-changed
checkpoint(model, x, use_reentrant=False).sum().backward()

# %% check state-changed
from torch.utils.checkpoint import set_checkpoint_debug_enabled

try:
    with set_checkpoint_debug_enabled(True):
        checkpoint(model, x, use_reentrant=False).sum().backward()
except RuntimeError as error:
    print("sigmoid" in str(error))  # True: it lists the operations of both passes
    assert "sigmoid" in str(error)

# %% fix state-changed
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        # the same work in each call
        table = torch.sigmoid(self.layer.weight).mean(0)
        return torch.tanh(self.layer(x)) * table.detach()


# %% proof state-changed
model = Block()
checkpoint(model, x, use_reentrant=False).sum().backward()
table = torch.sigmoid(model.layer.weight).mean(0).detach()
expected = torch.autograd.grad((torch.tanh(model.layer(x)) * table).sum(), model.layer.weight)[0]
assert torch.allclose(model.layer.weight.grad, expected, atol=1e-6) and expected.abs().sum() > 0
(by_input,) = torch.autograd.grad((torch.tanh(model.layer(x)) * table).sum(), x)
assert torch.allclose(x.grad, by_input, atol=1e-6)
with torch.no_grad():
    model.layer.weight.mul_(2)  # a step of the optimizer
table = torch.sigmoid(model.layer.weight).mean(0)
assert torch.allclose(model(x), torch.tanh(model.layer(x)) * table, atol=1e-6)

# %% use state-changed
# >>>
pass
# <<<
model = nn.Sequential(Block(), Block(), nn.Linear(4, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for images, labels in zip(torch.randn(2, 6, 4), torch.randint(2, (2, 6))):
    optimizer.zero_grad()
    hidden = checkpoint(model[:2], images, use_reentrant=False)
    nn.functional.cross_entropy(model[2](hidden), labels).backward()
    optimizer.step()
assert all(p.grad is not None and p.grad.any() for p in model.parameters())
