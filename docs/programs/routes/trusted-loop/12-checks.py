import torch
import torchclinic_checks as checks
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, Subset, TensorDataset

PATIENTS, SAMPLES, EPOCHS, BATCH = 325, 4, 6, 64


def blood():
    """Four samples of each patient's blood, 30 numbers each: is the patient ill?"""
    own = torch.Generator().manual_seed(0)
    patient = torch.randn(PATIENTS, 30, generator=own)
    chance = 2 * torch.randn(PATIENTS, generator=own)
    ill = (patient[:, :3].sum(1) + chance > 0).long()
    of = torch.arange(PATIENTS).repeat_interleave(SAMPLES)
    noise = 0.3 * torch.randn(len(of), 30, generator=own)
    return TensorDataset(patient[of] + noise, ill[of])


def split(data):
    # whole patients, and the same ones in every run
    own = torch.Generator().manual_seed(1)
    order = torch.randperm(PATIENTS, generator=own)
    rows = [one * SAMPLES + n for one in order.tolist() for n in range(SAMPLES)]
    return Subset(data, rows[:1040]), Subset(data, rows[1040:])


def build():
    model = nn.Sequential(
        nn.Linear(30, 256),
        nn.ReLU(),
        nn.Dropout(0.5),
        nn.Linear(256, 2),
    )
    return model, torch.optim.Adam(model.parameters(), lr=5e-3)


def train(model, optimizer, part):
    total = 0.0
    model.train()
    for numbers, ill in DataLoader(part, BATCH, shuffle=True):
        loss = cross_entropy(model(numbers), ill)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(ill)
    return total / len(part)


@torch.no_grad()
def test(model, part, batch=BATCH):
    total = right = 0.0
    model.eval()
    for numbers, ill in DataLoader(part, batch):
        scores = model(numbers)
        total += cross_entropy(scores, ill, reduction="sum").item()
        right += (scores.argmax(1) == ill).sum().item()
    return total / len(part), right / len(part)


def findings(model, learn):
    """What the ready-made checks say against this model, optimizer and data."""
    numbers, ill = next(iter(DataLoader(learn, BATCH)))
    small, optimizer = build()

    def loss():
        return cross_entropy(small(numbers[:16]), ill[:16])

    return [
        *checks.first_batch(DataLoader(learn, BATCH)),
        *checks.sample_stays(learn),
        *checks.registered(small),
        *checks.optimizer_holds(small, optimizer),
        *checks.moves(small, loss),
        *checks.overfit(small, loss, lr=0.01),
        *checks.logits(small(numbers)),
        *checks.same_shape(small(numbers).argmax(1), ill),
        *checks.repeatable(model, numbers),
        *checks.buffers_stay(model, numbers),
    ]


def fit(learn, held, first=0, quiet=False):
    torch.manual_seed(0)
    model, optimizer = build()
    if first:
        state = torch.load(f"epoch{first - 1}.pt", weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
    for epoch in range(first, EPOCHS):
        torch.manual_seed(1 + epoch)  # what is random depends on the epoch alone
        trained = train(model, optimizer, learn)
        loss, right = test(model, held)
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save(state, f"epoch{epoch}.pt")
        if not quiet:
            losses = f"loss {trained:.2f}, held out {loss:.2f}"
            print(f"epoch {epoch}: {losses}, right {right:.0%}")
    return model


if __name__ == "__main__":
    learn, held = split(blood())
    model = fit(learn, held)
    small, optimizer = build()
    losses = [train(small, optimizer, Subset(learn, range(16))) for _ in range(200)]
    print(f"by heart: loss {losses[-1]:.2f}, must be 0")
    once, again = test(model, held), test(model, held)
    twice = f"{once[0]:.2f} and {again[0]:.2f}"
    print(f"tested twice: loss {twice}, the same: {once == again}")
    learnt = {row // SAMPLES for row in learn.indices}
    tested = {row // SAMPLES for row in held.indices}
    print(f"patients in both parts: {len(learnt & tested)}, must be 0")
    for batch in (64, 260):
        loss, right = test(model, held, batch)
        print(f"in batches of {batch}: loss {loss:.2f}, right {right:.0%}")
    for what, first in (("resumed at epoch 3", 3), ("from the beginning", 0)):
        again = fit(learn, held, first, quiet=True)
        same = all(map(torch.equal, model.parameters(), again.parameters()))
        print(f"{what}: the same weights {same}")
    print(f"ready-made checks found: {findings(model, learn) or 'nothing'}")
