# ---
# wordings:
#   - text: "Attempting to unscale FP16 gradients"
#     exception: ValueError
# tags: [amp, dtype, fine-tuning, lora]
# recover: fix
# related: [nn/no-inf-checks]
# docs: ["https://docs.pytorch.org/docs/stable/notes/amp_examples.html"]
# causes:
#   half-model:
#     likely: >-
#       live("model", "parameters=float16") and not live("model", "partly frozen") and not
#       paste("peft", "lora", "LoRA")
#     undecided: who made the weights float16 is not printed
#   half-adapter:
#     likely: >-
#       paste("peft", "lora_", "_lora", "lora.", "lora/", "LoRA")
#       or live("model", "parameters=float16", "partly frozen")
#     undecided: who made the weights float16 is not printed
#     sample: |
#       Traceback (most recent call last):
#         File "/venv/lib/python3.10/site-packages/peft/peft_model.py", line 1430, in forward
#       ValueError: Attempting to unscale FP16 gradients.
# ---

# %%
import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.rand(8, 4), torch.rand(8, 1)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)  # on a GPU: "cuda"


def train(model):
    """As a training in fp16 does."""
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(trained, lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16):
            loss = (model(x) - y).square().mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    return loss.item()


# %% break half-model
model = nn.Sequential(nn.Linear(4, 1)).half()
train(model)

# %% check half-model
model = nn.Sequential(nn.Linear(4, 1)).half()
print({p.dtype for p in model.parameters() if p.requires_grad})  # {torch.float16}
assert {p.dtype for p in model.parameters() if p.requires_grad} == {torch.float16}

# %% fix half-model
from torch import nn

model = nn.Sequential(nn.Linear(4, 1))  # without .half(): autocast does the rest

# %% proof half-model
first = train(model)
assert train(model) < first and model[0].weight.dtype == torch.float32 and model[0].weight.grad.dtype == torch.float32

# %%
model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1)).half()
model[0].requires_grad_(False)  # the base model: frozen; the second layer stands for the adapter

# %% break half-adapter
train(model)

# %% fix half-adapter
for parameter in model.parameters():
    if parameter.requires_grad:
        parameter.data = parameter.data.float()  # the trained ones only

# %% proof half-adapter
first = train(model)
assert train(model) < first
assert model[0].weight.dtype == torch.float16 and model[1].weight.dtype == torch.float32
