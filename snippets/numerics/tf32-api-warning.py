# ---
# wordings:
#   - text: "Please use the new API settings to control TF32 behavior"
#     exception: UserWarning
#     role: remark
#     sample: "UserWarning: Please use the new API settings to control TF32 behavior, such as torch.backends.cudnn.conv.fp32_precision = 'tf32' or torch.backends.cuda.matmul.fp32_precision = 'ieee'."
#   - text: "This combination indicates that you have used a mix of the legacy and new APIs to set the TF32 flags"
#     exception: RuntimeError
#   - text: "PyTorch is checking whether allow_tf32 is enabled for {op:ident} without a specific operator name"
#     exception: RuntimeError
#     sample: "RuntimeError: PyTorch is checking whether allow_tf32 is enabled for cuDNN without a specific operator name,but the current flag(s) indicate that cuDNN conv and cuDNN RNN have different TF32 flags."
# tags: [warning, cuda, compile, matmul]
# recover: fix
# needs: ["torch:2.13"]
# docs: ["https://docs.pytorch.org/docs/stable/notes/cuda.html#tensorfloat-32-tf32-on-ampere-and-later-devices"]
# causes:
#   only-a-warning:
#     if: paste("Please use the new API settings to control TF32 behavior") and not paste("a mix of the legacy and new APIs")
#     sample: "UserWarning: Please use the new API settings to control TF32 behavior, such as torch.backends.cudnn.conv.fp32_precision = 'tf32' or torch.backends.cuda.matmul.fp32_precision = 'ieee'."
#   both-kinds:
#     if: paste("a mix of the legacy and new APIs", "without a specific operator name")
# ---

# %%
import torch

# %% break both-kinds
torch.backends.cudnn.conv.fp32_precision = "tf32"  # the new kind
torch.backends.cudnn.fp32_precision = "ieee"
print(torch.backends.cudnn.allow_tf32)  # the old kind, as code of a library asks it

# %% check both-kinds
torch.backends.cudnn.conv.fp32_precision = "tf32"
torch.backends.cudnn.fp32_precision = "ieee"
cudnn = torch.backends.cudnn
print(cudnn.conv.fp32_precision, cudnn.rnn.fp32_precision)  # differ
assert cudnn.conv.fp32_precision != cudnn.rnn.fp32_precision

# %%
torch.backends.cudnn.allow_tf32 = False

# %% fix both-kinds
import torch

torch.backends.cuda.matmul.allow_tf32 = True  # the old kind alone
torch.backends.cudnn.allow_tf32 = True

# %% proof both-kinds
assert torch.backends.cudnn.allow_tf32 and torch.backends.cuda.matmul.allow_tf32
assert torch.get_float32_matmul_precision() != "highest"
assert torch.backends.cuda.matmul.fp32_precision == "tf32" and torch.backends.cudnn.conv.fp32_precision == "tf32"
