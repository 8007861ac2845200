import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, Subset, TensorDataset

EPOCHS, BATCH = 4, 64
FILE = Path("checkpoint.pt")


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
    dist.all_reduce(total)  # the sum over all ranks, on all ranks
    return total


@torch.no_grad()
def evaluate(model, loader, device):
    total = torch.zeros(2, device=device)  # right ones, all
    model.eval()
    for picture, label in loader:
        right = model(picture.to(device)).argmax(1) == label.to(device)
        total += torch.tensor([right.sum(), len(label)], device=device)
    dist.all_reduce(total)
    return total


def main():
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
        dist.init_process_group("nccl", device_id=device)
    else:
        device = torch.device("cpu")
        dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DDP(make_model().to(device))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    data = stripes(4096, seed=1)
    sampler = DistributedSampler(data)  # shuffles, each picture to one rank
    loader = DataLoader(data, BATCH // dist.get_world_size(), sampler=sampler)
    part = range(dist.get_rank(), 1000, dist.get_world_size())
    test_loader = DataLoader(Subset(stripes(1000, seed=2), part), 250)
    first = 0
    if FILE.exists():  # every rank reads it
        state = torch.load(FILE, map_location=device, weights_only=True)
        model.module.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["epoch"] + 1
    for epoch in range(first, EPOCHS):
        sampler.set_epoch(epoch)  # without it, the same order in every epoch
        loss, pictures = train(model, loader, optimizer, device).tolist()
        right, tested = evaluate(model, test_loader, device).tolist()
        if dist.get_rank() == 0:  # print and save; no call that all must make
            print(
                f"epoch {epoch}: {pictures:.0f} pictures in {len(loader)} steps,"
                f" loss {loss / pictures:.2f},"
                f" right {right / tested:.0%} of {tested:.0f}"
            )
            state = {
                "model": model.module.state_dict(),
                "optimizer": optimizer.state_dict(),
                "epoch": epoch,
            }
            torch.save(state, "checkpoint.new")
            Path("checkpoint.new").replace(FILE)  # killed before: the old is whole
    mine = torch.cat([weight.detach().flatten() for weight in model.parameters()])
    all_ranks = [torch.empty_like(mine) for _ in range(dist.get_world_size())]
    dist.all_gather(all_ranks, mine)
    if dist.get_rank() == 0:
        same = all(torch.equal(mine, one) for one in all_ranks)
        print("same weights on every rank:", same)


if __name__ == "__main__":
    main()
    dist.destroy_process_group()
