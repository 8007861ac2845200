# ---
# wordings:
#   - text: "The least squares solution could not be computed because the input matrix does not have full rank"
#     exception: LinAlgError
#   - text: "torch.linalg.lstsq("
#     role: symptom
#     near: ["tensor([nan", "[nan,", "nan]", "inf]"]
# tags: [cuda, linear-algebra, nan]
# rows: [S001-118]
# cases:
#   nearly-dependent: {silent: true}
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.linalg.lstsq.html"]
# ---

# %%
import torch

torch.set_default_device("cpu")  # gels on CUDA does not always notice, see the page

b = torch.tensor([[1.0], [2.0], [3.0]])

# %% break dependent
A = torch.tensor([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])  # a feature that is always 0
torch.linalg.lstsq(A, b, driver="gels")  # the only driver on CUDA, and the default there

# %% check dependent
A = torch.tensor([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
print(torch.linalg.matrix_rank(A).item(), "of", min(A.shape))  # 1 of 2; gels needs all of them
assert torch.linalg.matrix_rank(A) < min(A.shape)

# %% fix dependent
A = torch.tensor([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
x = torch.linalg.pinv(A) @ b  # the shortest of all best solutions; runs on CPU and on CUDA

assert torch.allclose(x, torch.tensor([[2.0], [0.0]]), atol=1e-4)

# %% break nearly-dependent
A = torch.tensor([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0 + 1e-7]])  # the same feature twice, but for rounding
x = torch.linalg.lstsq(A, b, driver="gels").solution
print(x.flatten())  # about -11 million and +11 million: fitted to the rounding error
assert not x.abs().max() < 1000  # so written that NaN counts too

# %% check nearly-dependent
A = torch.tensor([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0 + 1e-7]])
print(f"{torch.linalg.cond(A):.0e}")  # 1e6 and more is too much for float32
assert not torch.linalg.cond(A) < 1e6

# %% fix nearly-dependent
A = torch.tensor([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0 + 1e-7]])
penalty = 1e-3  # ridge regression: large solutions cost something
x = torch.linalg.solve(A.T @ A + penalty * torch.eye(2), A.T @ b)

assert torch.allclose(x, torch.ones(2, 1), atol=1e-2)
assert torch.allclose(torch.linalg.pinv(A, rtol=1e-5) @ b, torch.ones(2, 1), atol=1e-2)  # or without a penalty
