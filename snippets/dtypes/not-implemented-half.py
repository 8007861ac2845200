# ---
# wordings:
#   - text: "\"{op:ident}\" not implemented for 'Half'"
#     sample: "RuntimeError: \"addmm_impl_cpu_\" not implemented for 'Half'"
#   - text: "\"{op:ident}\" not implemented for 'BFloat16'"
#     sample: "NotImplementedError: \"geqrf_cpu\" not implemented for 'BFloat16'"
#   - text: "\"{op:ident}\" not implemented for 'Float8_{_:ident}'"
#     sample: "NotImplementedError: \"add_stub\" not implemented for 'Float8_e4m3fn'"
#   - text: "not implemented for 'Half'"
#   - text: "not implemented for 'BFloat16'"
#   - text: "not implemented for 'Float8_e4m3fn'"
#   - text: "not implemented for 'Float8_e5m2'"
#   - text: "Promotion for Float8 Types is not supported"
#     exception: RuntimeError
#   - text: "Low precision dtypes not supported. Got"
#     exception: RuntimeError
#   - text: "Unsupported dtype Half"
#     exception: RuntimeError
#   - text: "cuFFT only supports dimensions whose sizes are powers of two when computing in half precision"
#     exception: RuntimeError
#     sample: "RuntimeError: cuFFT only supports dimensions whose sizes are powers of two when computing in half precision, but got a signal size of[1280]"
#   - text: "MKL FFT doesn't support tensors of type"
#     exception: RuntimeError
#     sample: "RuntimeError: MKL FFT doesn't support tensors of type: Half"
#   - text: "Unsupported dtype BFloat16"
#     exception: RuntimeError
#   - text: "not supported on CPUType for Half"
#     exception: RuntimeError
#   - text: "not supported on CPUType for BFloat16"
#     exception: RuntimeError
#   - text: "is not implemented for type torch.HalfTensor"
#     exception: RuntimeError
#   - text: "Your setup doesn't support bf16/gpu"
#     exception: ValueError
#     sample: "ValueError: Your setup doesn't support bf16/gpu. You need to assign use_cpu if you want to train the model on CPU."
#   - text: "Bfloat16 is only supported on GPUs with compute capability of at least"
#     exception: ValueError
#     sample: "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your Tesla T4 GPU has compute capability 7.5."
# tags: [inference, amp, linear-algebra, comfyui]
# recover: fix
# related: [dtypes/input-weight-type, dtypes/expected-scalar-type]
# docs: ["https://docs.pytorch.org/docs/stable/amp.html", "https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch-dtype"]
# cases: {half-on-cpu: {wrong: {input-only: "https://github.com/tencent-ailab/IP-Adapter/issues/448"}}}
# causes:
#   half-on-cpu:
#     if: >-
#       begins(op, "addmm_impl_cpu", "slow_conv2d_cpu", "slow_conv3d_cpu", "slow_conv_transpose2d_out_cpu", "slow_conv_transpose3d_out_cpu", "LayerNormKernelImpl", "addmv_impl_cpu",
#       "softmax_lastdim_kernel_impl", "softmax_kernel_impl", "baddbmm_with_gemm", "compute_indices_weights", "upsample_nearest2d_channels_last", "GroupNormKernelImpl", "batch_norm_cpu",
#       "thnn_conv2d_cpu", "sqrt_cpu", "sqrt_vml_cpu", "tanh_vml_cpu", "exp_vml_cpu", "sigmoid_cpu", "log_vml_cpu", "cos_vml_cpu", "rsqrt_cpu", "norm_cpu", "sum_cpu", "mean_cpu",
#       "add_cpu", "mul_cpu", "threshold_cpu", "GeluKernelImpl", "silu_cpu", "unfolded2d_copy", "im2col_out_cpu", "arange_cpu", "random_cpu", "normal_kernel_cpu", "min_values_cpu",
#       "max_values_cpu", "clamp_scalar_cpu", "clamp_cpu", "bernoulli_scalar_cpu", "ctc_loss_cpu")
#       or paste("CPUType for Half", "CPUType for BFloat16", "torch.HalfTensor")
#     likely: >-
#       begins(op, "upsample_", "slow_conv_", "thnn_conv", "mkldnn", "max_pool2d", "avg_pool2d", "replication_pad", "reflection_pad", "bernoulli", "multinomial", "dot")
#       and paste("'Half'") and not paste("_cuda")
#   float8:
#     if: paste("Float8")
#   linear-algebra:
#     if: begins(op, "geqrf", "linalg_", "lu_", "cholesky", "svd", "triangular", "orgqr", "inverse", "lstsq", "eig", "symeig", "qr_") or paste("Low precision dtypes not supported", "Unsupported dtype Half", "Unsupported dtype BFloat16", "cuFFT only", "MKL FFT")
#   one-operation:
#     likely: paste("cuda", "CUDA") or begins(op, "upsample_") and paste("'BFloat16'")
#     undecided: on which device the tensor lies is not printed
#     sample: |
#       Traceback (most recent call last):
#         File "train.py", line 40, in forward
#           distances = torch.cdist(x, self.centres.cuda())
#       RuntimeError: "cdist" not implemented for 'Half'
#   bf16-refused:
#     if: paste("support bf16/gpu", "Bfloat16 is only supported on GPUs")
#     sample: "ValueError: Your setup doesn't support bf16/gpu. You need to assign use_cpu if you want to train the model on CPU."
# ---

# %%
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)


class Reader(nn.Module):
    """Reads a line of text from an image; CTC is its loss."""

    def __init__(self):
        super().__init__()
        self.scores = nn.Linear(6, 5)

    def forward(self, x):
        scores = self.scores(x).log_softmax(2)
        return F.ctc_loss(scores, torch.tensor([[1, 2]]), torch.tensor([7]), torch.tensor([2]))


model = Reader().half()  # as torch_dtype=torch.float16 loads it, and model.half()
x = torch.rand(7, 1, 6).half()
kept = model.scores.weight.detach().float()

# %% break half-on-cpu
loss = model(x)

# %% check half-on-cpu
print(x.device, x.dtype, next(model.parameters()).dtype)
assert x.device.type == "cpu" and x.dtype == torch.float16

# %% fix half-on-cpu
model = model.float()  # on the CPU: all in float32
loss = model(x.float())

# %% proof half-on-cpu
assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
assert torch.equal(model.scores.weight, kept)  # the weights that were loaded
scores = F.linear(x.float(), kept, model.scores.bias).log_softmax(2)
torch.testing.assert_close(loss, F.ctc_loss(scores, torch.tensor([[1, 2]]), torch.tensor([7]), torch.tensor([2])))
loss.backward()
assert model.scores.weight.grad.any()

# %% wrong input-only
# `float32` in the script, for the input: the weights that a library has made half stay half, and now
# the two types differ.
loss = model(x.float())

# %% use half-on-cpu
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for x in torch.rand(1, 7, 1, 6).half().expand(20, 7, 1, 6):  # the same line 20 times
    # >>>
    loss = model(x)
    # <<<
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
assert losses[-1] < 0.9 * losses[0]

# %%
x = (torch.rand(4, 4) + 4 * torch.eye(4)).half()

# %% break linear-algebra
q, r = torch.linalg.qr(x)

# %% check linear-algebra
print(x.dtype)  # no device has QR, SVD, an inverse or an FFT for every 16-bit type
assert x.dtype == torch.float16

# %% fix linear-algebra
import torch

q, r = torch.linalg.qr(x.float())

# %% proof linear-algebra
assert q.dtype == torch.float32
torch.testing.assert_close(q @ r, x.float())
torch.testing.assert_close(q.T @ q, torch.eye(4))
assert torch.equal(r, r.triu())

# %%
x, y = torch.rand(5, 3).half(), torch.rand(4, 3).half()

# %% break one-operation
distances = torch.cdist(x, y)

# %% check one-operation
print(x.dtype, (x @ y.T).dtype)  # other operations do take it
assert (x @ y.T).dtype == torch.float16

# %% fix one-operation
import torch

# up for this line, and back
distances = torch.cdist(x.float(), y.float()).to(x.dtype)

# %% proof one-operation
exact = (x.double()[:, None] - y.double()[None]).norm(dim=2)
assert distances.dtype == torch.float16 and (distances - exact).abs().max() < 6e-4

# %%
x = torch.rand(3, 3).to(torch.float8_e4m3fn)
y = torch.rand(3, 3).to(torch.float8_e4m3fn)

# %% break float8
total = x + y

# %% check float8
print(x.dtype)  # a format to store, not to compute in
assert x.dtype == torch.float8_e4m3fn

# %% fix float8
import torch

total = x.to(torch.bfloat16) + y.to(torch.bfloat16)

# %% proof float8
assert total.dtype == torch.bfloat16
assert (total.float() - x.float() - y.float()).abs().max() < 1e-2
