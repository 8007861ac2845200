# ---
# wordings:
#   - text: "Tensor.__contains__ only supports Tensor or scalar, but you passed in a <class '{type:ident}'>"
#     exception: RuntimeError
#     sample: "RuntimeError: Tensor.__contains__ only supports Tensor or scalar, but you passed in a <class 'str'>."
#   - text: "Tensor.__contains__ only supports Tensor or scalar"
#     exception: RuntimeError
# tags: [shape, comfyui, dataloader]
# recover: fix
# related: [shapes/bool-ambiguous, nn/argument-must-be-tensor]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.isin.html"]
# causes:
#   dict-meant:
#     if: begins(type, "str")
#   row:
#     if: begins(type, "list", "tuple", "numpy.ndarray")
#   none:
#     if: begins(type, "NoneType")
#     sample: "RuntimeError: Tensor.__contains__ only supports Tensor or scalar, but you passed in a <class 'NoneType'>."
# ---

# %%
import torch

batch = torch.tensor([[101, 7, 9], [101, 4, 102]])  # only the numbers, not a dict of them

# %% break dict-meant
inputs = batch["input_ids"] if "input_ids" in batch else batch

# %% check dict-meant
print(type(batch))  # a tensor, where the code expects a dict
assert isinstance(batch, torch.Tensor)

# %% fix dict-meant
inputs = batch["input_ids"] if isinstance(batch, dict) else batch

# %% proof dict-meant
assert inputs is batch

# %%
x = torch.tensor([[1, 2], [3, 4], [5, 6]])

# %% break row
found = [3, 4] in x

# %% check row
print(x.shape)  # `in` looks for one number, not for a row
assert x.dim() == 2

# %% fix row
import torch

found = (x == torch.tensor([3, 4])).all(dim=1).any().item()

# %% proof row
assert found is True
missing = (x == torch.tensor([3, 6])).all(dim=1).any().item()
assert missing is False

# %% break none
found = None in x

# %% fix none
def contains(x, value):
    return value is not None and bool((x == value).any())


found = contains(x, None)  # False: the value was never set

# %% proof none
assert found is False and contains(x, 4) is True and contains(x, 9) is False
