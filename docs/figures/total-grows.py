"""The graph behind a sum of losses, walked by `grad_fn`, after three steps: with `total += loss`, and of the last loss alone."""

import torch

LABELS = {
    "en": {"total": "total += loss", "item": "total += loss.item()", "step": "step {number}", "kept": "{count} nodes kept"},
    "zh": {"total": "total += loss", "item": "total += loss.item()", "step": "第 {number} 步", "kept": "保留 {count} 个节点"},
}
STEPS = 3


def walk(start):
    """Every node that can be reached: name, and the numbers of those before it."""
    nodes, names, before = [start], [], []
    for node in nodes:
        follow = [earlier for earlier, _ in node.next_functions if earlier is not None]
        nodes += [earlier for earlier in dict.fromkeys(follow) if earlier not in nodes]
        names.append(node.name().removeprefix("torch::autograd::").removesuffix("Backward0"))
        before.append([nodes.index(earlier) for earlier in follow])
    return {"names": names, "before": before}


def measure():
    weight = torch.ones(3, requires_grad=True)
    total = torch.zeros(())
    for step in range(STEPS):
        loss = (weight * (step + 1)).square().mean()
        total = total + loss
    return {"total": walk(total.grad_fn), "item": walk(loss.grad_fn)}


def draw(axes, data, label):
    axes.axis("off")
    for half, kind in enumerate(("total", "item")):
        left = 6.4 * half
        graph = data[kind]
        at = _places(graph, left)
        for number, earlier in enumerate(graph["before"]):
            for other in earlier:
                axes.annotate("", at[other], at[number], arrowprops={"arrowstyle": "->", "color": "C1", "shrinkA": 9, "shrinkB": 9})
        for number, name in enumerate(graph["names"]):
            box = {"boxstyle": "round,pad=0.25", "facecolor": "C0", "alpha": 0.3, "edgecolor": "none"}
            axes.text(*at[number], name, ha="center", va="center", size=8.5, bbox=box)
        kept = label["kept"].format(count=len(graph["names"]))
        axes.text(left + 2.4, 1, f"{label[kind]}: {kept}", ha="center", size=10)
        for step in range(STEPS):
            axes.text(left + 2 * step, -4.6, label["step"].format(number=step + 1), ha="center", size=9)
    axes.set_xlim(-1, 11.8)
    axes.set_ylim(-5, 1.5)


def _places(graph, left):
    """Each step a column, the newest at the right; the shared leaf below the middle."""
    places, column, row = {}, STEPS - 1, {}
    queue = [(0, column)]
    while queue:
        number, column = queue.pop(0)
        if number in places:
            continue
        name = graph["names"][number]
        row[column] = row.get(column, 1 if name == "Add" else 0) - 1
        leaf = name == "AccumulateGrad"
        places[number] = (left + 2 * (column if not leaf else 1), -4.0 if leaf else -0.85 * (4 - _depth(name)))
        for earlier in graph["before"][number]:
            behind = graph["names"][earlier] == "Add"
            queue.append((earlier, column - behind))
    return places


def _depth(name):
    return {"Add": 4, "Mean": 3, "Pow": 2, "Mul": 1}.get(name, 0)
