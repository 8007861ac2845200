"""In which order four stages of a pipeline work: noted in each stage during one step of GPipe and of 1F1B, four processes on gloo, and set in time by what each piece of work waits for."""

import itertools
import json
import tempfile
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe

LABELS = {
    "en": {
        "alt": "Four stages work on six small batches, once by GPipe and once by 1F1B. Both take equally long. GPipe keeps the activations of all six; 1F1B begins with backward earlier and keeps four at the first stage, one at the last.",
        "stage": "stage {number}",
        "kept": "keeps {count}",
        "legend": "pale: forward, dark: backward (drawn twice as long); empty: the stage waits",
    },
    "zh": {
        "alt": "四个 stage 处理六个 micro-batch，一次用 GPipe，一次用 1F1B。两者一样长。GPipe 要保存全部六个的激活值；1F1B 更早开始反向，第一个 stage 只保存四个，最后一个只保存一个。",
        "stage": "stage {number}",
        "kept": "保存 {count} 个",
        "legend": "浅色：前向，深色：反向（按两倍时间画）；空白：在等待",
    },
}
STAGES, BATCHES = 4, 6
KINDS = {"GPipe": ScheduleGPipe, "1F1B": Schedule1F1B}
LONG = {"F": 1, "B": 2}


class Noting(nn.Module):
    """One stage: notes on which small batch it works, which stands in the numbers themselves."""

    def __init__(self):
        super().__init__()
        self.one, self.noted = nn.Parameter(torch.ones(())), []

    def forward(self, x):
        y = x * self.one
        if x.device.type != "meta":
            batch = round(x[0, 0].item())
            self.noted.append(("F", batch))
            if y.requires_grad:
                y.register_hook(lambda gradient: self.noted.append(("B", batch)))
        return y


def work(rank, folder):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=STAGES)
    x = torch.arange(BATCHES, dtype=torch.float32).repeat_interleave(2).reshape(-1, 1)
    for kind, make in KINDS.items():
        part = Noting()
        schedule = make(PipelineStage(part, rank, STAGES, torch.device("cpu")), BATCHES, loss_fn=nn.functional.mse_loss)
        for _ in range(2):  # the first step also tries out shapes
            part.noted.clear()
            given = {"target": x} if rank == STAGES - 1 else {}
            schedule.step(*([x] if rank == 0 else []), **given)
        Path(folder, f"{kind}-{rank}.json").write_text(json.dumps(part.noted))
        dist.barrier()
    dist.destroy_process_group()


def measure():
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(work, (folder,), nprocs=STAGES, start_method="fork")
        return {kind: [json.loads(Path(folder, f"{kind}-{rank}.json").read_text()) for rank in range(STAGES)] for kind in KINDS}


def begins(order):
    """When each piece of work begins, if none waits longer than it must."""
    ended, begun, free, left = {}, {}, [0] * STAGES, [list(map(tuple, work)) for work in order]
    while any(left):
        for stage, queue in enumerate(left):
            while queue:
                kind, batch = queue[0]
                before = (kind, batch, stage + (1 if kind == "B" else -1))
                if 0 <= before[2] < STAGES and before not in ended:
                    break
                start = max(free[stage], ended.get(before, 0))
                begun[kind, batch, stage] = start
                ended[kind, batch, stage] = free[stage] = start + LONG[kind]
                queue.pop(0)
    return begun


def kept(work):
    """The most small batches that wait for their backward at one time."""
    alive = [0]
    for kind, _ in work:
        alive.append(alive[-1] + (1 if kind == "F" else -1))
    return max(alive)


def draw(axes, data, label):
    axes.axis("off")
    for number, (kind, order) in enumerate(data.items()):
        top = -6 * number
        axes.text(0, top + 0.25, kind, va="bottom", size=11, weight="bold")
        begun = begins(order)
        for stage, way in itertools.product(range(STAGES), LONG):
            spans = [(start + 0.04, LONG[way] - 0.08) for (kind, _, at), start in begun.items() if (kind, at) == (way, stage)]
            axes.broken_barh(spans, (top - 0.94 - stage, 0.88), facecolors="C0", alpha=0.25 if way == "F" else 0.6, clip_on=False)
        for (way, batch, stage), start in begun.items():
            axes.text(start + LONG[way] / 2, top - 0.52 - stage, batch + 1, ha="center", va="center", size=9.5)
        for stage, noted in enumerate(order):
            axes.text(-0.4, top - 0.5 - stage, label["stage"].format(number=stage + 1), ha="right", va="center", size=10)
            axes.text(27.5, top - 0.5 - stage, label["kept"].format(count=kept(noted)), va="center", size=10)
    axes.text(13.5, -11, label["legend"], ha="center", va="center", size=10)
    axes.set_xlim(-3.6, 31.2)
    axes.set_ylim(-11.5, 1.3)
