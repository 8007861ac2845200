# ---
# wordings:
#   - text: "returned an invalid gradient at index {i:int} - got [{got:shape}] but expected shape compatible with [{wanted:shape}]"
#     exception: RuntimeError
#     sample: "RuntimeError: Function MulBackward returned an invalid gradient at index 1 - got [8, 4] but expected shape compatible with [4]"
#   - text: "returned an invalid gradient at index"
#     exception: RuntimeError
#   - text: "returned an incorrect number of gradients (expected {wanted_count:int}, got {got_count:int})"
#     exception: RuntimeError
#     sample: "RuntimeError: function ScaleBackward returned an incorrect number of gradients (expected 2, got 1)"
# tags: [autograd, backward, shape]
# recover: fix
# docs: ["https://docs.pytorch.org/docs/stable/notes/extending.html", "https://docs.pytorch.org/docs/stable/generated/torch.autograd.gradcheck.gradcheck.html"]
# cases:
#   wrong-shape:
#     survives: &static
#       "without: @staticmethod": "called on the class, where a plain function works as well"
#       "without: @staticmethod (2)": "called on the class, where a plain function works as well"
#   count:
#     survives: *static
# causes:
#   wrong-shape:
#     likely: read(got) and got != wanted and not paste("Backward0 returned", "Backward1 returned")
#   count:
#     if: read(got_count)
# ---

# %%
import torch

torch.manual_seed(0)
x = torch.randn(8, 4, dtype=torch.float64, requires_grad=True)
y = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)  # weights


class Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x @ weight.T

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        return gradient @ weight, x.T @ gradient


# %% break wrong-shape
Linear.apply(x, y).sum().backward()

# %% check wrong-shape
gradient = torch.ones_like(x @ y.T)
print((x.T @ gradient).shape, y.shape)  # [4, 3] and [3, 4]: turned round
assert (x.T @ gradient).shape == (4, 3) and y.shape == (3, 4)

# %% fix wrong-shape
import torch


class Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x @ weight.T

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        # in the order of the inputs, each with the shape of its input
        return gradient @ weight, gradient.T @ x


# %% proof wrong-shape
assert torch.equal(Linear.apply(x, y), x @ y.T)
assert torch.autograd.gradcheck(Linear.apply, (x, y))

# %% use wrong-shape
weight = torch.nn.Parameter(0.1 * torch.randn(2, 4))
optimizer = torch.optim.SGD([weight], lr=0.1)
x, labels = torch.randn(16, 4), torch.arange(16) % 2
losses = []
for _ in range(30):
    # >>>
    class Linear(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, weight):
            ctx.save_for_backward(x, weight)
            return x @ weight.T

        @staticmethod
        def backward(ctx, gradient):
            x, weight = ctx.saved_tensors
            return gradient @ weight, x.T @ gradient

    # <<<
    loss = torch.nn.functional.cross_entropy(Linear.apply(x, weight), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
assert losses == sorted(losses, reverse=True) and losses[-1] < losses[0]

# %%
class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, limit):
        ctx.save_for_backward(x)
        ctx.limit = limit
        return x.clamp(-limit, limit)

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient * (x.abs() <= ctx.limit)


# %% break count
Clip.apply(x, 0.5).sum().backward()

# %% check count
import inspect

print(list(inspect.signature(Clip.forward).parameters)[1:])  # ['x', 'limit']: two
assert len(inspect.signature(Clip.forward).parameters) - 1 == 2

# %% fix count
import torch


class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, limit):
        ctx.save_for_backward(x)
        ctx.limit = limit
        return x.clamp(-limit, limit)

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        # one for each input of forward; None for what is no tensor
        return gradient * (x.abs() <= ctx.limit), None


# %% proof count
assert torch.equal(Clip.apply(x, 0.5), x.clamp(-0.5, 0.5))
other = torch.randn(5, dtype=torch.float64, requires_grad=True)
assert torch.autograd.gradcheck(lambda inputs: Clip.apply(inputs, 0.5), other)
