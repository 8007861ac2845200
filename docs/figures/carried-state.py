"""How far back the loss of each batch goes when an RNN's state is carried on, with and without `detach`: the graph walked by `grad_fn`."""

import torch
from torch import nn

LABELS = {
    "en": {
        "alt": "With the state carried on, the loss of batch 3 leads back through batches 2 and 1, and backward() fails from batch 2 on; with h.detach() each loss ends in its own batch.",
        "carried": "output, h = rnn(x, h)",
        "detached": "output, h = rnn(x, h.detach())",
        "batch": "batch {number}",
        "loss": "loss {number}: {nodes} nodes",
        "works": "backward() works",
        "fails": "backward() fails",
    },
    "zh": {
        "alt": "直接把状态传下去时，第 3 批的 loss 一直连到第 2 批和第 1 批，从第 2 批起 backward() 报错；用 h.detach() 之后，每个 loss 只到自己这一批为止。",
        "carried": "output, h = rnn(x, h)",
        "detached": "output, h = rnn(x, h.detach())",
        "batch": "第 {number} 批",
        "loss": "loss {number}：{nodes} 个节点",
        "works": "backward() 正常",
        "fails": "backward() 报错",
    },
}
BATCHES = 3


def walk(start):
    """Every node that can be reached."""
    nodes = [start]
    for node in nodes:
        nodes += {earlier for earlier, _ in node.next_functions if earlier is not None}.difference(nodes)
    return nodes


def go(keep, backward):
    """Of each batch: how many nodes its loss leads to, the batches among them, and whether backward() works."""
    torch.manual_seed(0)
    rnn, h, found = nn.RNNCell(4, 5), torch.zeros(2, 5), []
    batches = [torch.randn(2, 4, requires_grad=True) for _ in range(BATCHES)]
    for x in batches:
        h = rnn(x, keep(h))
        loss = h.square().mean()
        nodes = walk(loss.grad_fn)
        leaves = [node.variable for node in nodes if hasattr(node, "variable")]
        reached = [number for number, of in enumerate(batches) if any(of is leaf for leaf in leaves)]
        works = True
        if backward:
            try:
                loss.backward()
            except RuntimeError as error:
                assert "a second time" in str(error)
                works = False
        found.append({"nodes": len(nodes), "reached": reached, "works": works})
    return found


def measure():
    ways = {"carried": lambda h: h, "detached": torch.Tensor.detach}
    found = {}
    for name, keep in ways.items():
        grown, tried = go(keep, backward=False), go(keep, backward=True)
        found[name] = [{**batch, "works": again["works"]} for batch, again in zip(grown, tried, strict=True)]
    return found


def draw(axes, data, label):
    axes.axis("off")
    for row, (way, batches) in enumerate(data.items()):
        y = -4.1 * row
        axes.text(-1.6, y + 1.35, label[way], family="monospace", va="center", size=10)
        for number, batch in enumerate(batches):
            x = 4.6 * number
            box = {"boxstyle": "round,pad=0.4", "facecolor": "C0", "alpha": 0.3, "edgecolor": "none"}
            axes.text(x, y, label["batch"].format(number=number + 1), ha="center", va="center", size=10, bbox=box)
            texts = (
                label["loss"].format(number=number + 1, nodes=batch["nodes"]),
                label["works" if batch["works"] else "fails"],
            )
            for line, text in enumerate(texts):
                axes.text(x, y - 0.95 - 0.6 * line, text, ha="center", va="center", size=9.5)
            if number:
                linked = number - 1 in batch["reached"]
                _arrow(axes, (x - 1.2, y), (x - 3.4, y), linked)
    axes.set_xlim(-1.7, 10.9)
    axes.set_ylim(-6.1, 1.7)


def _arrow(axes, start, end, linked):
    """Back to the batch before, or a cut where the graph does not lead there."""
    if linked:
        axes.annotate("", end, start, arrowprops={"arrowstyle": "->", "color": "C1", "lw": 2})
        return
    x, y = (start[0] + end[0]) / 2, start[1]
    axes.plot([start[0], x + 0.25], [y, y], color="C1", linestyle="-")
    axes.plot([x + 0.25, x + 0.25], [y - 0.3, y + 0.3], color="C1", linestyle="-")
