"""Train with DistributedDataParallel, one process for each GPU, or on the CPU:

    torchrun --nproc-per-node 2 ddp_train.py

Started again after an interruption, it goes on from its last checkpoint.
"""

import argparse
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=32, help="per process")
    parser.add_argument("--lr", type=float, default=1e-2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=0, help="per process")
    parser.add_argument("--checkpoint", type=Path, default=Path("checkpoint.pt"))
    return parser.parse_args()


def set_up() -> torch.device:
    """One process, one device: torchrun gives the number in LOCAL_RANK."""
    if not torch.cuda.is_available():
        dist.init_process_group("gloo")
        return torch.device("cpu")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", device_id=device)
    return device


def make_data() -> TensorDataset:
    """Is the sum of ten numbers larger than that of ten others?"""
    x = torch.randn(2001, 20, generator=torch.Generator().manual_seed(0))
    return TensorDataset(x, (x[:, :10].sum(1) > x[:, 10:].sum(1)).long())


def make_model() -> nn.Module:
    head = nn.Linear(64, 2)
    return nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.1), head)


def random_state(device: torch.device) -> dict[str, torch.Tensor]:
    state = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        state["cuda"] = torch.cuda.get_rng_state()
    return state


def save(file: Path, parts: dict, epoch: int, device: torch.device) -> None:
    """Every rank calls this, because each has random numbers of its own."""
    states = [None] * dist.get_world_size() if dist.get_rank() == 0 else None
    dist.gather_object(random_state(device), states)
    if dist.get_rank() == 0:
        state = {name: part.state_dict() for name, part in parts.items()}
        partial = file.with_suffix(".partial")
        torch.save({**state, "epoch": epoch, "random": states}, partial)
        partial.replace(file)  # killed before this line: the old file is whole


def load(file: Path, parts: dict) -> int:
    """Every rank reads the file. Returns the epoch to go on with."""
    state = torch.load(file, map_location="cpu", weights_only=True)
    for name, part in parts.items():
        part.load_state_dict(state[name])
    if len(state["random"]) == dist.get_world_size():
        mine = state["random"][dist.get_rank()]
        torch.set_rng_state(mine["cpu"])
        if "cuda" in mine and torch.cuda.is_available():
            torch.cuda.set_rng_state(mine["cuda"])
    return state["epoch"] + 1


def train(model, loader, optimizer, scaler, device) -> float:
    """One epoch; returns the mean loss over the samples of all ranks."""
    half = torch.float16 if device.type == "cuda" else torch.bfloat16
    total = torch.zeros(2, dtype=torch.float64, device=device)
    model.train()
    for x, label in loader:
        x, label = x.to(device, non_blocking=True), label.to(device, non_blocking=True)
        with torch.autocast(device.type, dtype=half):
            loss = nn.functional.cross_entropy(model(x), label)
        optimizer.zero_grad()
        scaler.scale(loss).backward()  # DDP averages the gradients in here
        scaler.unscale_(optimizer)  # clip the gradients, not the scaled ones
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        total[0] += loss.detach() * len(x)
        total[1] += len(x)
    dist.all_reduce(total)  # every rank, never inside `if rank == 0`
    return (total[0] / total[1]).item()


def main() -> None:
    args, device = arguments(), set_up()
    rank, on_gpu = dist.get_rank(), device.type == "cuda"
    torch.manual_seed(args.seed)  # the same on all ranks while the model is made
    model = DDP(make_model().to(device), device_ids=[device.index] if on_gpu else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    scaler = torch.amp.GradScaler(device.type, enabled=on_gpu)
    data = make_data()
    sampler = DistributedSampler(data, seed=args.seed)
    loader = DataLoader(
        data,
        args.batch_size,
        sampler=sampler,
        num_workers=args.workers,
        pin_memory=on_gpu,
    )

    torch.manual_seed(args.seed + 1 + rank)  # from here on: dropout differs by rank
    parts = {
        "model": model.module,
        "optimizer": optimizer,
        "scheduler": scheduler,
        "scaler": scaler,
    }
    first = load(args.checkpoint, parts) if args.checkpoint.exists() else 0
    for epoch in range(first, args.epochs):
        sampler.set_epoch(epoch)  # another order in each epoch
        loss = train(model, loader, optimizer, scaler, device)
        scheduler.step()
        save(args.checkpoint, parts, epoch, device)
        if rank == 0:
            print(f"epoch {epoch} loss {loss}", flush=True)


if __name__ == "__main__":
    main()
    dist.destroy_process_group()  # out here: the DDP model must be gone before
