# ---
# wordings:
#   - text: "the use_reentrant parameter should be passed explicitly"
#     exception: UserWarning
#     sample: "UserWarning: torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. In version 2.5 we will raise an exception if use_reentrant is not passed. use_reentrant=False is recommended, but if you need to preserve the current default behavior, you can pass use_reentrant=True."
#   - text: "please pass in use_reentrant=True or use_reentrant=False explicitly"
#     exception: UserWarning
#     sample: "UserWarning: torch.utils.checkpoint: please pass in use_reentrant=True or use_reentrant=False explicitly. The default value of use_reentrant will be updated to be False in the future. To maintain current behavior, pass use_reentrant=True. It is recommended that you use use_reentrant=False."
# tags: [activation-checkpointing, warning, fine-tuning, lora]
# recover: fix
# related: [autograd/no-grad-fn, distributed/ddp-ready-once]
# docs: ["https://docs.pytorch.org/docs/stable/checkpoint.html"]
# causes:
#   in-a-trainer:
#     likely: paste("transformers", "Trainer", "sd-scripts", "LLaMA-Factory", "llamafactory", "unsloth", "peft", "axolotl", "diffusers")
#     undecided: the warning names a file of torch, not the library that called it
#     sample: |
#       /opt/conda/lib/python3.10/site-packages/transformers/models/llama/modeling_llama.py:1040: UserWarning: torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. In version 2.5 we will raise an exception if use_reentrant is not passed.
#   your-own-call:
#     undecided: whose line it is, is not printed
# cases:
#   in-a-trainer:
#     commands:
#       trainer: |
#         TrainingArguments(
#             gradient_checkpointing=True,
#             gradient_checkpointing_kwargs={"use_reentrant": False},
#             # and your other settings
#         )
#   your-own-call: {wrong: {explicitly-true: "https://github.com/huggingface/transformers/pull/28538"}}
# ---

# %%
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
x, y = torch.randn(8, 4), torch.randn(8, 3)
model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
loss_fn = nn.MSELoss()
expected = torch.autograd.grad(loss_fn(model(x), y), list(model.parameters()))

# %% break your-own-call
hidden = checkpoint(model[:2], x)
loss_fn(model[2](hidden), y).backward()
print(model[0].weight.grad)  # None: the first layers got no gradient at all

# %% check your-own-call
print(x.requires_grad)  # False: the old kind then gives the block no gradients
assert not x.requires_grad

# %% fix your-own-call
from torch.utils.checkpoint import checkpoint

hidden = checkpoint(model[:2], x, use_reentrant=False)
loss = loss_fn(model[2](hidden), y)

# %% proof your-own-call
again = []
model[0].register_forward_hook(lambda *_: again.append(1))
loss.backward()
assert again  # computed a second time, not kept
torch.testing.assert_close([parameter.grad for parameter in model.parameters()], list(expected))

# %% use your-own-call
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
first = model[2].weight.detach().clone()
for x, y in [(torch.randn(6, 4), torch.randn(6, 3)) for _ in range(2)]:
    optimizer.zero_grad()
    # >>>
    hidden = checkpoint(model[:2], x)
    loss = loss_fn(model[2](hidden), y)
    # <<<
    loss.backward()
    optimizer.step()
assert loss.isfinite() and not torch.equal(model[2].weight, first)

# %% wrong explicitly-true
# `use_reentrant=True`, the other value that the warning offers: it is quiet about it, and the first
# layers still get no gradient.
hidden = checkpoint(model[:2], x, use_reentrant=True)
loss = loss_fn(model[2](hidden), y)

# %%
class PretrainedModel(nn.Module):
    """Stands for a model whose trainer switches checkpointing on."""

    def __init__(self, layers):
        super().__init__()
        self.layers, self.options = layers, None

    def gradient_checkpointing_enable(self, gradient_checkpointing_kwargs=None):
        self.options = gradient_checkpointing_kwargs or {}

    def forward(self, x):
        return self.layers[2](checkpoint(self.layers[:2], x, **self.options))


model = PretrainedModel(model)

# %% break in-a-trainer
model.gradient_checkpointing_enable()
loss_fn(model(x), y).backward()

# %% proof in-a-trainer
model.gradient_checkpointing_enable({"use_reentrant": False})  # what the trainer makes of the setting
loss_fn(model(x), y).backward()
torch.testing.assert_close([parameter.grad for parameter in model.parameters()], list(expected))
