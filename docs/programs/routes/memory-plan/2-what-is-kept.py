import torch
from torch import nn
from torch.nn.functional import cross_entropy

WIDTH, BLOCKS, BATCH, STEPS = 128, 6, 512, 2
UNIT, NAME = 2**20, "MiB"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(30, WIDTH)
        self.blocks = nn.ModuleList(
            nn.Sequential(
                nn.LayerNorm(WIDTH),
                nn.Linear(WIDTH, 4 * WIDTH),
                nn.GELU(),
                nn.Linear(4 * WIDTH, WIDTH),
            )
            for _ in range(BLOCKS)
        )
        self.last = nn.Linear(WIDTH, 10)

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = x + block(x)
        return self.last(x)


def batch(rows):
    """Rows of 30 numbers: which of the first ten is the largest?"""
    numbers = torch.randn(rows, 30)
    return numbers, numbers[:, :10].argmax(1)


def loss_of(model, numbers, labels):
    return cross_entropy(model(numbers), labels)


def build():
    torch.manual_seed(0)
    model = Net()
    return model, torch.optim.AdamW(model.parameters(), lr=1e-3)


def train(model, optimizer):
    for _ in range(STEPS):
        numbers, labels = batch(BATCH)
        optimizer.zero_grad()
        loss = loss_of(model, numbers, labels)
        loss.backward()
        optimizer.step()
    return loss.item()


def stays(model, optimizer):
    """Bytes that are there from step to step."""
    weights = list(model.parameters())
    gradients = [weight.grad for weight in weights if weight.grad is not None]
    states = [one for state in optimizer.state.values() for one in state.values()]
    parts = {"weights": weights, "gradients": gradients, "optimizer": states}
    return {name: sum(one.nbytes for one in part) for name, part in parts.items()}


def kept(model, rows):
    """Bytes that a forward pass keeps for the backward pass."""
    storages = set()

    def pack(tensor):
        storages.add(tensor.untyped_storage())
        return tensor

    numbers, labels = batch(rows)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        loss_of(model, numbers, labels)
    storages -= {weight.untyped_storage() for weight in model.parameters()}
    return sum(storage.nbytes() for storage in storages)


def show(parts):
    added = " + ".join(f"{name} {size / UNIT:.1f}" for name, size in parts.items())
    print(f"{added} = {sum(parts.values()) / UNIT:.1f} {NAME}")


def main():
    model, optimizer = build()
    print(f"{sum(weight.numel() for weight in model.parameters())} weights")
    print(f"loss after {STEPS} steps: {train(model, optimizer):.2f}")
    parts = stays(model, optimizer)
    for rows in (2, 4, BATCH):
        parts["kept"] = kept(model, rows)
        print(f"{rows:5} rows keep {parts['kept'] / UNIT:7.3f} {NAME}")
    show(parts)


if __name__ == "__main__":
    main()
