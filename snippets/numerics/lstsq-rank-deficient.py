# ---
# wordings:
#   - text: "The least squares solution could not be computed because the input matrix does not have full rank"
#     exception: LinAlgError
#   - text: "torch.linalg.lstsq("
#     role: symptom
#     near: ["tensor([nan", "[nan,", "nan]", "inf]"]
# tags: [cuda, linear-algebra, nan]
# recover: fix
# rows: [S001-118]
# cases:
#   dependent: {wrong: {double: "https://github.com/KindXiaoming/pykan/issues/300"}}
#   nearly-dependent: {silent: true}
# docs: ["https://docs.pytorch.org/docs/stable/generated/torch.linalg.lstsq.html"]
# causes:
#   dependent:
#     if: paste("does not have full rank")
#     likely: paste("nan")
#   nearly-dependent:
#   in-a-library: {case: nearly-dependent}
# ---

# %%
import torch

torch.set_default_device("cpu")  # gels on CUDA does not always notice, see the page
x = torch.tensor([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])  # a feature that is always 0
y = torch.tensor([[1.0], [2.0], [3.0]])

# %% break dependent
# the only driver on CUDA, and the default there
weights = torch.linalg.lstsq(x, y, driver="gels").solution

# %% check dependent
# 1 of 2; gels needs all of them
print(torch.linalg.matrix_rank(x).item(), "of", min(x.shape))
assert torch.linalg.matrix_rank(x) < min(x.shape)

# %% fix dependent
import torch

weights = torch.linalg.pinv(x) @ y  # the shortest of all best solutions

# %% proof dependent
assert torch.allclose(weights, torch.tensor([[2.0], [0.0]]), atol=1e-4)

# %% wrong double
# float64: it helps where rounding alone hid the rank. A column that depends on others does so in
# float64 too.
weights = torch.linalg.lstsq(x.double(), y.double(), driver="gels").solution

# %% use dependent
errors = []
for size in (20, 30):
    features = torch.randn(size, 2)
    x = torch.cat([features, features.sum(1, keepdim=True), torch.zeros(size, 1)], dim=1)
    y = features @ torch.tensor([[2.0], [-1.0]])
    # >>>
    weights = torch.linalg.lstsq(x, y, driver="gels").solution
    # <<<
    errors.append((x @ weights - y).abs().max())
assert max(errors) < 1e-3 and weights.shape == (4, 1) and weights.norm() < 3

# %%
x = torch.tensor([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0 + 1e-7]])  # the same feature twice, but for rounding

# %% break nearly-dependent
weights = torch.linalg.lstsq(x, y, driver="gels").solution
print(weights.flatten())  # about -11 and +11 million: fitted to the rounding error
assert weights.isnan().any() or weights.abs().max() > 1000

# %% check nearly-dependent
print(f"{torch.linalg.cond(x):.0e}")  # 1e6 and more is too much for float32
assert torch.linalg.cond(x).isinf() or torch.linalg.cond(x) > 1e6

# %% fix nearly-dependent
import torch

penalty = 1e-3 * torch.eye(x.shape[1])  # ridge regression: large solutions cost
weights = torch.linalg.solve(x.T @ x + penalty, x.T @ y)

# %% proof nearly-dependent
assert torch.allclose(weights, torch.ones(2, 1), atol=1e-2)
assert torch.allclose(weights, weights.flip(0), atol=1e-3)  # two equal features, two equal weights
assert torch.allclose(torch.linalg.pinv(x, rtol=1e-5) @ y, torch.ones(2, 1), atol=1e-2)  # or without a penalty
