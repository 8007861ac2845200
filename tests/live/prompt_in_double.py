# symptom: autograd/non-leaf-optimizer  row: converted-after
"""Fit the parameters of a pendulum to a measured curve."""

import torch


def simulate(length, damping, start, times):
    frequency = (9.81 / length).sqrt()
    return start * torch.exp(-damping * times) * torch.cos(frequency * times)


def fit(times, measured, rounds=50):
    length = torch.tensor(1.2, requires_grad=True).double()
    damping = torch.tensor(0.2, requires_grad=True).double()
    start = torch.tensor(0.5, requires_grad=True).double()
    optimizer = torch.optim.LBFGS([length, damping, start], lr=0.1)

    def closure():
        optimizer.zero_grad()
        error = (simulate(length, damping, start, times) - measured).pow(2).mean()
        error.backward()
        return error

    for _ in range(rounds):
        optimizer.step(closure)
    return length.item(), damping.item()


times = torch.linspace(0, 10, 200, dtype=torch.float64)
truth = simulate(torch.tensor(1.0), torch.tensor(0.1), torch.tensor(0.4), times)
print(fit(times, truth + 0.01 * torch.randn_like(truth)))
