"""Which cells of one block of memory a view reads, and in which order: found by the addresses of its elements."""

import itertools

import torch

VIEWS = {
    "x = torch.arange(12).view(3, 4)": lambda x: x,
    "x.t()": lambda x: x.t(),
    "x[:, :2]": lambda x: x[:, :2],
    "x[1].expand(2, 4)": lambda x: x[1].expand(2, 4),
}
LABELS = {
    "en": {"memory": "the 12 places in memory; in each, when the view reads it", "strides": "strides"},
    "zh": {"memory": "内存里的 12 个位置，格子里是视图读到它的次序", "strides": "步长"},
}


def reads(view, start):
    """Of each element of a view, in order, its place behind an address."""
    places = itertools.product(*map(range, view.shape))
    return [(view[place].data_ptr() - start) // view.element_size() for place in places]


def measure():
    x = torch.arange(12).view(3, 4)
    found = {}
    for code, make in VIEWS.items():
        view = make(x)
        found[code] = {"strides": view.stride(), "reads": reads(view, x.data_ptr())}
    return found


def draw(axes, data, label):
    axes.axis("off")
    for row, (code, view) in enumerate(data.items()):
        top = -1.9 * row
        axes.text(0, top + 1.15, code, family="monospace", va="bottom", size=9.5)
        axes.text(12, top + 1.15, f"{label['strides']} {tuple(view['strides'])}", va="bottom", ha="right", size=9.5)
        for place in range(12):
            when = [order for order, read in enumerate(view["reads"]) if read == place]
            colour = "C0" if when else "none"
            axes.add_patch(_square(place, top, colour))
            axes.text(place + 0.5, top + 0.5, ", ".join(map(str, when)), ha="center", va="center", size=9.5)
    axes.set_xlim(0, 12)
    axes.set_ylim(-1.9 * len(data) + 0.9, 2)
    axes.text(6, -1.9 * len(data) + 1.5, label["memory"], ha="center", va="center", size=9.5)


def _square(place, top, colour):
    from matplotlib import pyplot
    from matplotlib.patches import Rectangle

    edge = pyplot.rcParams["axes.edgecolor"]
    return Rectangle((place + 0.04, top), 0.92, 1, facecolor=colour, alpha=0.3 if colour != "none" else 1, edgecolor=edge)
