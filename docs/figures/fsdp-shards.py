"""What one of two processes holds under `fully_shard`: the local shapes of its parameters, and which layers are whole while each of them works (gloo, on the CPU)."""

import itertools
import json
import tempfile
from pathlib import Path

import torch
import torch._dynamo
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor

LABELS = {
    "en": {
        "alt": "Left: the rows of each weight are divided over two processes, an odd number of rows unevenly. Right: at rest a process has its part of each layer; a layer is whole only while it works.",
        "shards": "rows of process 0 and of process 1",
        "whole": "in process 0: whole, or its own part",
        "rest": "at rest",
        "forward": "forward {number}",
        "backward": "backward {number}",
        "layer": "layer {number}",
    },
    "zh": {
        "alt": "左：每个权重按行分给两个进程，行数是奇数时分得不均。右：平时每个进程只有每一层的一部分，一层只在计算时才是完整的。",
        "shards": "进程 0 和进程 1 各自的行",
        "whole": "进程 0 里：完整，或只有自己那部分",
        "rest": "平时",
        "forward": "前向 {number}",
        "backward": "反向 {number}",
        "layer": "第 {number} 层",
    },
}
WIDTHS = [6, 6, 4, 3]


class Passing(torch.autograd.Function):
    """Changes nothing; calls back when its backward is reached."""

    @staticmethod
    def forward(ctx, x, note):
        ctx.note = note
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        ctx.note()
        return gradient, None


class Noting(nn.Linear):
    """A layer that notes which layers are whole while it works."""

    def forward(self, x):
        x = Passing.apply(x, lambda: self.note("backward"))  # behind the layer's own backward
        self.note("forward")
        return super().forward(x)

    def note(self, way):
        self.noted.append([way, self.number, [not isinstance(layer.weight, DTensor) for layer in self.layers]])


def work(rank, folder):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    layers = [Noting(*pair) for pair in itertools.pairwise(WIDTHS)]
    model, noted = nn.Sequential(*layers), []
    full = [list(layer.weight.shape) for layer in layers]
    for part in (*layers, model):
        fully_shard(part, mesh=init_device_mesh("cpu", (2,)))
    for number, layer in enumerate(layers):
        layer.number, layer.layers, layer.noted = number, layers, noted
    local = [list(layer.weight.to_local().shape) for layer in layers]
    layers[0].note("rest")
    model(torch.randn(2, WIDTHS[0], requires_grad=True)).sum().backward()
    layers[0].note("rest")
    found = {"full": full, "local": local, "moments": noted}
    Path(folder, f"{rank}.json").write_text(json.dumps(found))
    dist.destroy_process_group()


def measure():
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(work, (folder,), nprocs=2, start_method="fork")
        return [json.loads(Path(folder, f"{rank}.json").read_text()) for rank in range(2)]


def draw(axes, data, label):
    from matplotlib.patches import Rectangle

    axes.axis("off")
    first = data[0]

    def box(x, y, wide, high, colour, alpha=0.35):
        axes.add_patch(Rectangle((x, y), wide, high, facecolor=colour, alpha=alpha, edgecolor="none"))

    top = 0.0
    for number, (rows, columns) in enumerate(first["full"]):
        axes.text(1.9, top - rows / 4, f"{label['layer'].format(number=number + 1)}\n({rows}, {columns})", ha="right", va="center", size=10)
        y = top
        for rank, found in enumerate(data):
            mine = found["local"][number][0]
            for _ in range(mine):
                y -= 0.5
                for column in range(columns):
                    box(2.2 + 0.5 * column, y + 0.03, 0.46, 0.44, f"C{rank}")
            shape = tuple(found["local"][number])
            axes.text(2.4 + 0.5 * columns, y + mine / 4, shape, va="center", size=10)
        top -= rows / 2 + 0.55
    axes.text(3.6, 0.45, label["shards"], ha="center", va="bottom", size=10)
    axes.text(11.4, 0.45, label["whole"], ha="center", va="bottom", size=10)
    for row, (way, number, whole) in enumerate(first["moments"]):
        y = -0.98 * (row + 1)
        axes.text(9.3, y + 0.4, label[way].format(number=number + 1), ha="right", va="center", size=10)
        for column, all_of_it in enumerate(whole):
            x = 9.6 + 1.6 * column
            box(x, y, 0.7, 0.8, "C0", 0.45)
            axes.add_patch(Rectangle((x, y), 1.4, 0.8, fill=False, edgecolor="C0", alpha=0.6, linewidth=1))
            if all_of_it:
                box(x + 0.7, y, 0.7, 0.8, "C1", 0.45)
    for column in range(len(first["full"])):
        axes.text(10.3 + 1.6 * column, -0.98 * len(first["moments"]) - 0.15, label["layer"].format(number=column + 1), ha="center", va="top", size=10)
    axes.set_xlim(0, 14.5)
    axes.set_ylim(-8.8, 1.2)
