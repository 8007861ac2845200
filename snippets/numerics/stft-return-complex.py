# ---
# wordings:
#   - text: "stft requires the return_complex parameter be given for real inputs"
#     exception: RuntimeError
#     sample: "RuntimeError: stft requires the return_complex parameter be given for real inputs, and will further require that return_complex=True in a future PyTorch release."
#   - text: "stft will require the return_complex parameter be explicitly"
#     exception: UserWarning
#     role: remark
#     sample: "UserWarning: stft will require the return_complex parameter be explicitly  specified in a future PyTorch release. Use return_complex=False  to preserve the current behavior or return_complex=True to return  a complex output."
#   - text: "stft with return_complex=False is deprecated"
#     exception: UserWarning
#     role: remark
#     sample: "UserWarning: stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex tensors for all inputs, and return_complex=False will raise an error."
#   - text: "istft requires a complex-valued input tensor matching the output from stft with return_complex=True"
#     exception: RuntimeError
#     sample: "RuntimeError: istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
# tags: [amp]
# recover: fix
# related: [dtypes/not-implemented-half, install-env/attr-removed]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.stft.html", "https://docs.pytorch.org/docs/stable/generated/torch.istft.html", "https://docs.pytorch.org/docs/stable/complex_numbers.html"]
# causes:
#   forward:
#     if: paste("parameter be given", "parameter be explicitly", "return_complex=False is deprecated")
#   backward:
#     if: paste("istft requires")
# ---

# %%
import torch

torch.manual_seed(0)
x = torch.rand(2, 8000)  # two sounds
window = torch.hann_window(400)

# %% break forward
y = torch.stft(x, 400, window=window)

# %% fix forward
import torch

y = torch.stft(x, 400, window=torch.hann_window(400), return_complex=True)
y = torch.view_as_real(y)  # [..., 2], as old code expects it

# %% proof forward
frames = torch.nn.functional.pad(x[None], (200, 200), mode="reflect")[0].unfold(1, 400, 100)
want = torch.fft.rfft(frames * window).transpose(1, 2)
torch.testing.assert_close(torch.view_as_complex(y.contiguous()), want)

# %%
y = torch.stft(x, 400, window=window, return_complex=True)
y = torch.stack([y.real, y.imag]).movedim(0, -1)  # from two channels of a network

# %% break backward
sound = torch.istft(y, 400, window=window)

# %% check backward
print(y.shape, y.is_complex())  # the last 2: real and imaginary part
assert y.shape[-1] == 2 and not y.is_complex()

# %% fix backward
import torch

y = torch.view_as_complex(y.contiguous())
sound = torch.istft(y, 400, window=torch.hann_window(400))

# %% proof backward
torch.testing.assert_close(sound, x[:, : sound.shape[1]])
