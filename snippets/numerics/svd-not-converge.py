# ---
# wordings:
#   - text: "The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated singular values"
#     exception: LinAlgError
#   - text: "The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated eigenvalues"
#     exception: LinAlgError
#   - text: "The algorithm failed to converge because the input matrix contained non-finite values"
#     exception: LinAlgError
#   - text: "The algorithm failed to converge because the input matrix"
#   - text: "input tensor should not contain infs or NaNs"
#     exception: RuntimeError
#   - text: "The factorization could not be completed because the input is not positive-definite (the leading minor of order {order:int} is not positive-definite)"
#     exception: LinAlgError
#     sample: "linalg.cholesky: (Batch element 0): The factorization could not be completed because the input is not positive-definite (the leading minor of order 55 is not positive-definite)."
#   - text: "The factorization could not be completed because the input is not positive-definite"
#   - text: "The diagonal element {diagonal:int} is zero, the inversion could not be completed because the input matrix is singular"
#     exception: LinAlgError
#     sample: "torch._C._LinAlgError: linalg.inv: The diagonal element 1 is zero, the inversion could not be completed because the input matrix is singular."
#   - text: "the inversion could not be completed because the input matrix is singular"
#   - text: "The solver failed because the input matrix is singular"
#     exception: LinAlgError
#   - text: "is zero and using it on lu_solve would result in a division by zero"
#     exception: RuntimeError
#   - text: "failed to converge. A more accurate method will be used to compute the SVD as a fallback"
#     exception: UserWarning
#   - text: "has illegal value. Most certainly there is a bug in the implementation calling the backend library"
#   - text: "the updating process of SBDSDC did not converge"
#     exception: RuntimeError
#   - text: "superdiagonals failed to converge"
#     exception: RuntimeError
#   - text: "off-diagonal elements of an intermediate tridiagonal form did not converge to zero"
#     exception: RuntimeError
#   - text: "off-diagonal elements of an intermediate bidiagonal form did not converge to zero"
#     exception: RuntimeError
#   - text: "For batch {_:int}: U({diagonal:int},{_:int}) is zero, singular U"
#     exception: RuntimeError
#     sample: "RuntimeError: cholesky_cuda: For batch 0: U(1,1) is zero, singular U."
#   - text: "cholesky_cpu: U({diagonal:int},{_:int}) is zero, singular U"
#     exception: RuntimeError
#     sample: "RuntimeError: cholesky_cpu: U(2,2) is zero, singular U."
#   - text: "cholesky_cuda: U({diagonal:int},{_:int}) is zero, singular U"
#     exception: RuntimeError
#     sample: "RuntimeError: cholesky_cuda: U(2,2) is zero, singular U."
#   - text: "inverse_cpu: U({diagonal:int},{_:int}) is zero, singular U"
#     exception: RuntimeError
#     sample: "RuntimeError: inverse_cpu: U(10,10) is zero, singular U."
#   - text: "inverse_cuda: U({diagonal:int},{_:int}) is zero, singular U"
#     exception: RuntimeError
#     sample: "RuntimeError: inverse_cuda: U(1,1) is zero, singular U."
#   - text: "inverse_gpu: U({diagonal:int},{_:int}) is zero, singular U"
#     exception: RuntimeError
#     sample: "RuntimeError: inverse_gpu: U(1,1) is zero, singular U."
#   - text: "solve_cpu: U({diagonal:int},{_:int}) is zero, singular U"
#     exception: RuntimeError
#     sample: "RuntimeError: solve_cpu: U(2,2) is zero, singular U."
#   - text: "solve_cuda: U({diagonal:int},{_:int}) is zero, singular U"
#     exception: RuntimeError
#     sample: "RuntimeError: solve_cuda: U(2,2) is zero, singular U."
#   - text: "torch.linalg.{_:ident}: U({diagonal:int},{_:int}) is zero, singular U"
#     exception: RuntimeError
#     sample: "RuntimeError: torch.linalg.cholesky: U(70,70) is zero, singular U."
#   - text: "Lapack Error in {_:ident} : U({diagonal:int},{_:int}) is zero, singular U"
#     exception: RuntimeError
#     sample: "RuntimeError: Lapack Error in gesv : U(2,2) is zero, singular U."
#   - text: "Lapack Error in potrf : the leading minor of order {order:int} is not positive definite"
#     exception: RuntimeError
#     sample: "RuntimeError: Lapack Error in potrf : the leading minor of order 2 is not positive definite at /pytorch/aten/src/TH/generic/THTensorLapack.c:617"
#   - text: "Lapack Error potrf : the leading minor of order {order:int} is not positive definite"
#     exception: RuntimeError
#     sample: "RuntimeError: Lapack Error potrf : the leading minor of order 2 is not positive definite at /pytorch/aten/src/TH/generic/THTensorLapack.cpp:658"
# tags: [linear-algebra, nan, quantization]
# recover: fix
# related: [numerics/lstsq-rank-deficient, numerics/loss-nan]
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.linalg.svd.html", "https://docs.pytorch.org/docs/stable/notes/numerical_accuracy.html"]
# cases: {nan-inside: {wrong: {noise: "https://github.com/pytorch/pytorch/issues/28293"}}}
# causes:
#   nan-inside:
#     if: 'paste("non-finite values", "infs or NaNs")'
#     likely: 'paste("ill-conditioned", "did not converge", "superdiagonals failed", "did not converge to zero") and not paste("as a fallback")'
#   not-positive-definite:
#     if: 'paste("not positive-definite", "not positive definite", "cholesky_cpu: U(", "cholesky_cuda: U(", "cholesky: U(")'
#   singular:
#     if: 'paste("matrix is singular", "singular U", "would result in a division by zero") and not paste("cholesky_c", "cholesky: U(")'
#   hard-for-the-gpu:
#   only-a-warning:
#     likely: 'paste("A more accurate method will be used to compute the SVD as a fallback")'
#     sample: "[W BatchLinearAlgebraLib.cpp:703] Warning: torch.linalg.svd: During SVD computation with the selected cusolver driver, batches 0 failed to converge. A more accurate method will be used to compute the SVD as a fallback. Check doc at https://pytorch.org/docs/stable/generated/torch.linalg.svd.html (function operator ())"
# ---

# %%
import torch

torch.manual_seed(0)
x = torch.randn(6, 3)
x[2, 1] = float("nan")  # one missing value

# %% break nan-inside
u, s, vh = torch.linalg.svd(x - x.mean(0), full_matrices=False)

# %% check nan-inside
print(torch.isfinite(x).all())  # tensor(False): a NaN or inf is in it
print((~torch.isfinite(x)).nonzero())  # tensor([[2, 1]]): where
assert (~torch.isfinite(x)).nonzero().tolist() == [[2, 1]]

# %% fix nan-inside
import torch

good = x[torch.isfinite(x).all(1)]  # rows without a missing value
u, s, vh = torch.linalg.svd(good - good.mean(0), full_matrices=False)

# %% proof nan-inside
assert torch.equal(good, x[[0, 1, 3, 4, 5]]) and u.shape == (5, 3)
assert torch.allclose(u * s @ vh, good - good.mean(0), atol=1e-5)
assert (u * s).mean(0).abs().max() < 1e-5  # centred

# %% wrong noise
# A little noise on the matrix, as it is posted for this error: NaN plus noise is NaN.
noisy = x + 1e-4 * x.mean() * torch.rand(6, 3)
u, s, vh = torch.linalg.svd(noisy - noisy.mean(0), full_matrices=False)

# %% use nan-inside
loader = [torch.randn(9, 4) * torch.tensor([5.0, 1.0, 0.1, 0.1]) for _ in range(3)]
loader[1][3, 2] = float("inf")
spread, axes = [], []
for x in loader:
    # >>>
    u, s, vh = torch.linalg.svd(x - x.mean(0), full_matrices=False)
    # <<<
    spread.append(s)
    axes.append(vh[0])  # the direction in which the batch varies most
assert torch.stack(spread).isfinite().all() and spread[1][0] > 5
assert all(axis[0].abs() > 0.9 for axis in axes)

# %%
x = torch.randn(5, 8)  # fewer samples than features

# %% break not-positive-definite
covariance = torch.cov(x.T)
factor = torch.linalg.cholesky(covariance)

# %% check not-positive-definite
covariance = torch.cov(x.T)
print(torch.allclose(covariance, covariance.T))  # must be True
values = torch.linalg.eigvalsh(covariance)
print(values.min() / values.max())  # about 0, or below
assert values.min() / values.max() < 1e-5

# %% fix not-positive-definite
import torch

covariance = torch.cov(x.T.double())  # float64: fewer rounding errors
jitter = 1e-6 * covariance.diagonal().mean()
covariance += jitter * torch.eye(len(covariance))
factor = torch.linalg.cholesky(covariance)

# %% proof not-positive-definite
exact = torch.cov(x.T.double())
assert factor.dtype == torch.float64 and torch.equal(factor, factor.tril())
assert torch.allclose(factor @ factor.T, exact, atol=1e-5) and (factor @ factor.T - exact).abs().max() > 1e-9
assert torch.allclose((factor @ factor.T - exact).diagonal(), exact.diagonal().mean() * 1e-6, rtol=1e-3)

# %%
x = torch.tensor([[1.0, 1.0], [2.0, 2.0], [4.0, 4.0]])  # the same feature twice
y = torch.tensor([[2.0], [4.0], [9.0]])

# %% break singular
weights = torch.linalg.inv(x.T @ x) @ x.T @ y

# %% check singular
print(torch.linalg.matrix_rank(x), x.shape[1])  # tensor(1) 2: one column too many
assert torch.linalg.matrix_rank(x) == 1

# %% fix singular
import torch

weights = torch.linalg.pinv(x) @ y  # the smallest of all best solutions

# %% proof singular
best = (x[:, :1] * y).sum() / (x[:, :1] ** 2).sum()  # with the feature once
assert torch.allclose(x @ weights, x[:, :1] * best, atol=1e-5)
assert torch.allclose(weights[0], weights[1], atol=1e-6)
