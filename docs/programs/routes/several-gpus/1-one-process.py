import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

EPOCHS, BATCH = 4, 64


def stripes(count, seed):
    """Pictures of 16 x 16 with stripes, down (label 0) or across (label 1)."""
    generator = torch.Generator().manual_seed(seed)
    label = torch.randint(2, (count,), generator=generator)
    wave = torch.sin(torch.arange(16) * 1.5).expand(16, 16)
    picture = torch.where(label[:, None, None].bool(), wave.T, wave)
    noise = torch.randn(count, 16, 16, generator=generator)
    return TensorDataset((picture + 3 * noise)[:, None], label)


def make_model():
    return nn.Sequential(
        nn.Conv2d(1, 8, 5, padding=2),
        nn.ReLU(),
        nn.AdaptiveMaxPool2d(4),
        nn.Flatten(),
        nn.Linear(128, 2),
    )


def train(model, loader, optimizer, device):
    total = torch.zeros(2, device=device)  # sum of losses, number of pictures
    model.train()
    for picture, label in loader:
        picture, label = picture.to(device), label.to(device)
        loss = nn.functional.cross_entropy(model(picture), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += torch.tensor([loss.item() * len(label), len(label)], device=device)
    return total


@torch.no_grad()
def evaluate(model, loader, device):
    total = torch.zeros(2, device=device)  # right ones, all
    model.eval()
    for picture, label in loader:
        right = model(picture.to(device)).argmax(1) == label.to(device)
        total += torch.tensor([right.sum(), len(label)], device=device)
    return total


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(0)
    model = make_model().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    loader = DataLoader(stripes(4096, seed=1), BATCH, shuffle=True)
    test_loader = DataLoader(stripes(1000, seed=2), 250)
    for epoch in range(EPOCHS):
        loss, pictures = train(model, loader, optimizer, device).tolist()
        right, tested = evaluate(model, test_loader, device).tolist()
        print(
            f"epoch {epoch}: {pictures:.0f} pictures in {len(loader)} steps,"
            f" loss {loss / pictures:.2f},"
            f" right {right / tested:.0%} of {tested:.0f}"
        )


if __name__ == "__main__":
    main()
