# symptom: autograd/grad-is-none  row: updated-by-assignment
import math

import torch

torch.manual_seed(0)
x = torch.linspace(-math.pi, math.pi, 500)
y = torch.sin(x)

a = torch.randn((), requires_grad=True)
b = torch.randn((), requires_grad=True)
c = torch.randn((), requires_grad=True)
d = torch.randn((), requires_grad=True)

learning_rate = 1e-6


def predict(x):
    return a + b * x + c * x**2 + d * x**3


def report(step, loss):
    if step % 50 == 0:
        print(f"step {step:4d}  loss {loss:.3f}")


for t in range(300):
    y_pred = predict(x)
    loss = (y_pred - y).pow(2).sum()
    report(t, loss.item())
    loss.backward()
    with torch.no_grad():
        a = a - learning_rate * a.grad
        b = b - learning_rate * b.grad
        c = c - learning_rate * c.grad
        d = d - learning_rate * d.grad
        a.grad.zero_()
        b.grad.zero_()
        c.grad.zero_()
        d.grad.zero_()

print(f"y = {a.item():.3f} + {b.item():.3f} x + {c.item():.3f} x^2 + {d.item():.3f} x^3")
