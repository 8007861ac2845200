import copy
import sys

import torch
from torch import nn


def trips(count, seed):
    """Metres, parcels, hour, rain (0 or 1) of deliveries, and their minutes."""
    own = torch.Generator().manual_seed(seed)
    x = torch.rand(count, 4, generator=own) * torch.tensor([9000, 30, 24, 2])
    metres, parcels, hour, rain = x.floor().T
    busy = (hour >= 16) & (hour < 19)
    minutes = 5 + metres / 300 * (1 + busy) + parcels / 2 + 6 * rain
    return x.floor(), minutes + torch.randn(count, generator=own)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))
        self.register_buffer("std", torch.ones(4))
        self.first = nn.Linear(4, 64)
        self.drop = nn.Dropout(0.2)
        self.last = nn.Linear(64, 1)

    def forward(self, x):
        x = (x - self.mean) / self.std
        return self.last(self.drop(self.first(x).relu()))[:, 0]


@torch.inference_mode()  # no graph is kept
def report(model):
    model.eval()  # dropout is off from here on
    x, minutes = trips(1000, seed=2)
    print(f"new trips: off by {(model(x) - minutes).abs().mean():.1f} minutes")
    for _ in range(2):
        print(f"the first of them takes {model(x[:1]).item():.1f} minutes")


@torch.inference_mode()
def keep(model):
    """The weights, and with them 64 questions and what the model answers."""
    model.eval()
    questions, _ = trips(64, seed=3)
    answers = model(questions)
    exact = copy.deepcopy(model).double()(questions.double())
    allowed = 10 * (answers - exact).abs().max().item()
    known = {"questions": questions, "answers": answers, "allowed": allowed}
    torch.save({"model": model.state_dict(), **known}, "weights.pt")


def fit():
    torch.manual_seed(0)
    x, minutes = trips(2000, seed=1)
    model = Net()
    model.mean, model.std = x.mean(0), x.std(0)  # part of the model from now on
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(10):
        for rows in torch.randperm(len(x)).split(50):
            loss = nn.functional.mse_loss(model(x[rows]), minutes[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    report(model)
    keep(model)


def weights():
    model = Net()
    state = torch.load("weights.pt", weights_only=True)
    model.load_state_dict(state["model"])
    return model.eval()


def export():
    example, _ = trips(2, seed=4)  # not 1: that size would be fixed
    sizes = {0: torch.export.Dim("rows", max=64)}
    program = torch.export.export(weights(), (example,), dynamic_shapes=(sizes,))
    torch.export.save(program, "exported.pt2")


def exported():
    return torch.export.load("exported.pt2").module()


@torch.inference_mode()
def compiled():
    model = torch.compile(weights(), dynamic=True)
    for size in (2, 1):  # each compiles: size 1 is a case of its own
        model(trips(size, seed=4)[0])
    torch.compiler.set_stance("fail_on_recompile")  # no request shall wait
    return model


FORMS = {
    "weights": weights,
    "exported": exported,
    "compiled": compiled,
}


@torch.inference_mode()
def check(form):
    """Stop, unless this form of the model answers as the trained model did."""
    answer, worst = FORMS[form](), 0.0
    known = torch.load("weights.pt", weights_only=True)
    right, allowed = known["answers"], known["allowed"]
    for size in (64, 7, 1):
        said = torch.cat([answer(x) for x in known["questions"].split(size)])
        torch.testing.assert_close(said, right, rtol=0, atol=allowed)
        worst = max(worst, (said - right).abs().max().item())
    print(f"{form}: off by {worst:.6f} minutes, allowed {allowed:.6f}")


COMMANDS = {
    "fit": fit,
    "check": check,
    "export": export,
}

if __name__ == "__main__":
    command, *rest = sys.argv[1:] or ["fit"]
    COMMANDS[command](*rest)
