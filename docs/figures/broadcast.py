"""What broadcasting reads: two small tensors as `torch.broadcast_tensors` gives them, with the address of each element, and their sum."""

import itertools

import torch

LABELS = {
    "en": {
        "alt": "A row of 4 numbers is read 3 times and a column of 3 numbers 4 times; the sum has 12 numbers of its own.",
        "read": "{before} read as {after}",
        "sum": "sum {after}",
        "strides": "strides {strides}",
        "places": "{count} numbers in memory",
        "legend": "pale: the same place in memory, read again",
    },
    "zh": {
        "alt": "一行 4 个数被读了 3 遍，一列 3 个数被读了 4 遍；相加得到 12 个各占位置的数。",
        "read": "{before} 当作 {after} 来读",
        "sum": "和 {after}",
        "strides": "步长 {strides}",
        "places": "内存里有 {count} 个数",
        "legend": "浅色：内存里的同一个位置，又读了一遍",
    },
}


def seen(tensor, before):
    """Values, strides, and of each element whether its address was read before."""
    cells = list(itertools.product(*map(range, tensor.shape)))
    addresses = [tensor[cell].data_ptr() for cell in cells]
    return {
        "before": list(before),
        "after": list(tensor.shape),
        "strides": list(tensor.stride()),
        "values": tensor.flatten().tolist(),
        "again": [address in addresses[:number] for number, address in enumerate(addresses)],
    }


def measure():
    row, column = torch.arange(4).view(1, 4), 10 * torch.arange(3).view(3, 1)
    wide, tall = torch.broadcast_tensors(row, column)
    return [seen(wide, row.shape), seen(tall, column.shape), seen(row + column, (row + column).shape)]


def draw(axes, data, label):
    axes.axis("off")
    for number, part in enumerate(data):
        left = 5.4 * number
        _grid(axes, part, left)
        before, after = tuple(part["before"]), tuple(part["after"])
        head = label["sum"] if before == after else label["read"]
        axes.text(left + 2, 3.25, head.format(before=before, after=after), ha="center", va="bottom", size=10)
        below = (
            label["strides"].format(strides=tuple(part["strides"])),
            label["places"].format(count=part["again"].count(False)),
        )
        for line, text in enumerate(below):
            axes.text(left + 2, -0.25 - 0.5 * line, text, ha="center", va="top", size=10)
        if number:
            axes.text(left - 0.7, 1.5, "+="[number - 1], ha="center", va="center", size=16)
    axes.text(7.4, -1.7, label["legend"], ha="center", va="top", size=10)
    axes.set_xlim(0, 14.8)
    axes.set_ylim(-2.2, 3.8)


def _grid(axes, part, left):
    from matplotlib import pyplot
    from matplotlib.patches import Rectangle

    edge = pyplot.rcParams["axes.edgecolor"]
    for place, (value, again) in enumerate(zip(part["values"], part["again"], strict=True)):
        x, y = left + place % 4, 2 - place // 4
        look = {"facecolor": "C0", "alpha": 0.08 if again else 0.4, "edgecolor": edge}
        axes.add_patch(Rectangle((x + 0.04, y + 0.04), 0.92, 0.92, **look))
        axes.text(x + 0.5, y + 0.5, value, ha="center", va="center", size=10, alpha=0.65 if again else 1)
