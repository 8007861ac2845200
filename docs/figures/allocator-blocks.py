"""The blocks of PyTorch's CUDA allocator, step by step: not read from a GPU, but worked out here by the rules of its large pool, with the sizes of the header that torch ships."""

import re
from pathlib import Path

import torch

LABELS = {
    "en": {
        "alt": "Three tensors of 6 MiB share a segment of 20 MiB. Two are freed; 14 MiB are free, in pieces of 6 and 8. A tensor of 4 MiB fits into the piece of 6. One of 10 MiB fits nowhere, so 10 MiB more are taken from the driver. empty_cache() returns only that segment.",
        "sum": "{allocated} of {reserved} MiB in use",
        "legend": "MiB. Filled: a tensor; empty: free, but PyTorch keeps it",
    },
    "zh": {
        "alt": "三个 6 MiB 的张量共用一个 20 MiB 的段。释放其中两个后，空闲 14 MiB，分成 6 和 8 两块。4 MiB 的张量放进 6 的那块；10 MiB 的哪一块都放不下，于是再向驱动申请 10 MiB。empty_cache() 只能还掉后来这一段。",
        "sum": "{reserved} MiB 中用了 {allocated}",
        "legend": "单位 MiB。有颜色：张量；空白：空闲，但 PyTorch 还留着",
    },
}
MIB = 2**20
STEPS = {
    "a, b, c = 6, 6, 6": [("a", 6), ("b", 6), ("c", 6)],
    "del a, c": [("a", 0), ("c", 0)],
    "d = 4": [("d", 4)],
    "e = 10": [("e", 10)],
    "del e; empty_cache()": [("e", 0), ("", 0)],
}


def sizes():
    """The sizes by which the allocator rounds and splits, in bytes."""
    text = (Path(torch.__file__).parent / "include/c10/core/AllocatorConfig.h").read_text()
    found = {name: int(size) for name, size in re.findall(r"constexpr size_t (\w+) = (\d+);", text)}
    found["kLargeBuffer"] = int(re.search(r"large_segment_size_\{(\d+)\}", text)[1])
    return found


class LargePool:
    """Segments, each a list of blocks [size, name of the tensor in it or None]; sizes in bytes."""

    def __init__(self):
        self.segments, self.of = [], sizes()

    def allocate(self, name, size):
        """Into the smallest free block that it fits, which is split if enough is left over."""
        assert size > self.of["kSmallSize"]
        fits = [(block[0], block, blocks) for blocks in self.segments for block in blocks if block[1] is None and block[0] >= size]
        if not fits:
            blocks = [[self.from_driver(size), None]]
            self.segments.append(blocks)
            fits = [(blocks[0][0], blocks[0], blocks)]
        _, block, blocks = min(fits, key=lambda found: found[0])
        left = block[0] - size
        if left > self.of["kSmallSize"]:
            blocks.insert(blocks.index(block) + 1, [left, None])
            block[0] = size
        block[1] = name

    def from_driver(self, size):
        if size < self.of["kMinLargeAlloc"]:
            return self.of["kLargeBuffer"]
        return -(-size // self.of["kRoundLarge"]) * self.of["kRoundLarge"]

    def free(self, name):
        """The block is free, and one with its free neighbours."""
        for number, blocks in enumerate(self.segments):
            merged = []
            for size, held in blocks:
                held = None if held == name else held
                if merged and merged[-1][1] is None and held is None:
                    merged[-1][0] += size
                else:
                    merged.append([size, held])
            self.segments[number] = merged

    def empty_cache(self):
        """Gives back segments that are one free block."""
        self.segments = [blocks for blocks in self.segments if len(blocks) > 1 or blocks[0][1]]


def measure():
    pool, found = LargePool(), {}
    for step, deeds in STEPS.items():
        for name, size in deeds:
            if size:
                pool.allocate(name, size * MIB)
            elif name:
                pool.free(name)
            else:
                pool.empty_cache()
        found[step] = [[[size / MIB, held] for size, held in blocks] for blocks in pool.segments]
    return found


def draw(axes, data, label):
    from matplotlib import pyplot
    from matplotlib.patches import Rectangle

    edge = pyplot.rcParams["axes.edgecolor"]
    axes.axis("off")
    for row, (step, segments) in enumerate(data.items()):
        y, left = -1.75 * row, 0
        axes.text(0, y + 1.08, step, family="monospace", va="bottom", size=10)
        blocks = [block for blocks in segments for block in blocks]
        used = sum(size for size, held in blocks if held)
        total = label["sum"].format(allocated=f"{used:g}", reserved=f"{sum(size for size, _ in blocks):g}")
        axes.text(31, y + 1.08, total, va="bottom", ha="right", size=10)
        for blocks in segments:
            start = left
            for size, held in blocks:
                axes.add_patch(Rectangle((left, y), size, 0.9, facecolor="C0" if held else "none", alpha=0.35 if held else 1, edgecolor="none"))
                if left > start:
                    axes.plot([left, left], [y, y + 0.9], color=edge, linewidth=0.7, linestyle=":")
                axes.text(left + size / 2, y + 0.43, f"{held} {size:g}" if held else f"{size:g}", ha="center", va="center", size=10)
                left += size
            axes.add_patch(Rectangle((start, y), left - start, 0.9, fill=False, edgecolor=edge, linewidth=1.5))
            left += 1
    axes.text(15.5, -1.75 * len(data) + 1.2, label["legend"], ha="center", va="center", size=10)
    axes.set_xlim(-0.2, 31.2)
    axes.set_ylim(-1.75 * len(data) + 0.7, 2)
