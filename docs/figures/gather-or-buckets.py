"""One step of DataParallel and one of DDP, in the order of events: DataParallel's own `forward`, its four parts put on the CPU; DDP on two gloo processes, its third step."""

import json
import tempfile
from pathlib import Path

import torch
import torch._dynamo
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

LABELS = {
    "en": {
        "alt": "DataParallel: GPU 0 sends half of the batch and all weights to GPU 1 in each step, collects the outputs, and adds up the gradients at the end. DDP: two processes work alike, and exchange the gradients in buckets while backward still runs.",
        "gpu": "GPU {number}", "process": "process {number}",
        "batch": "batch of {count}", "scatter": "scatter: {count}", "replicate": "replicate: weights",
        "forward": "forward: {count}", "gather": "gather: {count} outputs", "loss": "loss", "backward": "backward",
        "add": "gradients added", "gradient": "backward: layer {layers}", "bucket": "bucket {number}"},
    "zh": {
        "alt": "DataParallel：每一步，GPU 0 都要把半个 batch 和全部权重发给 GPU 1，收回输出，最后把梯度加起来。DDP：两个进程做同样的事，反向传播还在进行时就按桶交换梯度。",
        "gpu": "GPU {number}", "process": "进程 {number}",
        "batch": "batch：{count} 个", "scatter": "scatter：{count} 个", "replicate": "replicate：权重",
        "forward": "前向：{count} 个", "gather": "gather：{count} 个输出", "loss": "loss", "backward": "反向",
        "add": "梯度相加", "gradient": "反向：第 {layers} 层", "bucket": "桶 {number}"},
}
LAYERS, WIDE, BATCH = 6, 512, 8  # a layer's weight has 1 MiB


def layers():
    return nn.Sequential(*[nn.Linear(WIDE, WIDE, bias=False) for _ in range(LAYERS)])


class OnTheCPU(nn.DataParallel):
    """What needs GPUs, done with pieces of a tensor; `forward` is torch's own."""

    def __init__(self, module):
        super().__init__(module)
        self.device_ids, self.output_device, self.noted = [0, 1], 0, []
        self.src_device_obj = torch.device("cpu")

    def scatter(self, inputs, kwargs, device_ids):
        parts = inputs[0].chunk(len(device_ids))
        self.noted.append(["scatter", [len(part) for part in parts]])
        return [(part,) for part in parts], [{} for _ in parts]

    def replicate(self, module, device_ids):
        self.noted.append(["replicate", len(device_ids)])
        copies = []
        for number in device_ids:
            weights = {name: weight.clone() for name, weight in module.named_parameters()}
            weights["0.weight"].register_hook(lambda gradient, number=number: self.noted.append(["backward", number]))
            copies.append(weights)
        return copies

    def parallel_apply(self, replicas, inputs, kwargs):
        self.noted.append(["forward", [len(part[0]) for part in inputs]])
        return [torch.func.functional_call(self.module, copy, part) for copy, part in zip(replicas, inputs, strict=True)]

    def gather(self, outputs, device):
        self.noted.append(["gather", sum(map(len, outputs))])
        return torch.cat(outputs)


def data_parallel():
    model = layers()
    parallel = OnTheCPU(model)
    loss = parallel(torch.randn(BATCH, WIDE)).square().mean()
    parallel.noted.append(["loss", 1])
    model[0].weight.register_post_accumulate_grad_hook(lambda weight: parallel.noted.append(["add", 0]))
    loss.backward()
    return parallel.noted


def train(rank, folder):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
    model, noted = layers(), []
    number = {weight: layer + 1 for layer, weight in enumerate(model.parameters())}
    parallel = nn.parallel.DistributedDataParallel(model, bucket_cap_mb=2)

    def exchange(state, bucket):
        noted.append(["bucket", sorted(number[weight] for weight in bucket.parameters())])
        return dist.all_reduce(bucket.buffer().div_(2), async_op=True).get_future().then(lambda done: done.value()[0])

    parallel.register_comm_hook(None, exchange)
    for weight, layer in number.items():
        weight.register_hook(lambda gradient, layer=layer: noted.append(["gradient", layer]))
    for _ in range(3):  # DDP sorts its buckets anew after the first
        noted.clear()
        parallel(torch.randn(BATCH // 2, WIDE)).square().mean().backward()
    Path(folder, f"{rank}.json").write_text(json.dumps(noted))
    sizes = parallel._get_ddp_logging_data()["rebuilt_bucket_sizes"]
    Path(folder, "sizes.json").write_text(json.dumps(sizes))
    del parallel
    dist.destroy_process_group()


def measure():
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(train, (folder,), nprocs=2, start_method="fork")
        ddp, other, sizes = (json.loads(Path(folder, f"{name}.json").read_text()) for name in ("0", "1", "sizes"))
    assert ddp == other
    return {"DataParallel": data_parallel(), "DDP": ddp, "bucket sizes": sizes}


def draw(axes, data, label):
    axes.axis("off")
    _data_parallel(axes, data["DataParallel"], label)
    _ddp(axes, data["DDP"], label)
    axes.set_xlim(-0.2, 20.2)
    axes.set_ylim(-8.8, 1.6)


def _heads(axes, left, title, word, label):
    axes.text(left + 4.6, 1.15, title, ha="center", va="bottom", size=11, weight="bold")
    for number, x in enumerate((left + 2, left + 7.2)):
        axes.text(x, 0.35, label[word].format(number=number), ha="center", va="center", size=10)


def _box(axes, x, y, text, colour="C0"):
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x - 2.15, y - 0.36), 4.3, 0.72, facecolor=colour, alpha=0.3, edgecolor="none"))
    axes.text(x, y - 0.03, text, ha="center", va="center", size=9.5)


def _arrow(axes, left, y, style):
    axes.annotate("", (left + 5.05, y), (left + 4.15, y), arrowprops={"arrowstyle": style, "color": "C1", "lw": 2, "shrinkA": 1, "shrinkB": 1})


def _data_parallel(axes, noted, label):
    _heads(axes, 0, "DataParallel", "gpu", label)
    _box(axes, 2, -0.6, label["batch"].format(count=BATCH))
    row, at_once = 1, {"forward", "backward"}
    backward = [what for kind, what in noted if kind == "backward"]
    shown = [event for event in noted if event[0] != "backward" or event[1] == backward[0]]
    for kind, what in shown:
        y = -0.6 - row
        first, second = what if isinstance(what, list) else (what, what)
        _box(axes, 2, y, label[kind].format(count=first))
        if kind in at_once or kind in ("scatter", "replicate"):
            _box(axes, 7.2, y, label[kind].format(count=second))
        if kind in ("scatter", "replicate"):
            _arrow(axes, 0, y, "->")
        if kind in ("gather", "add"):
            _arrow(axes, 0, y, "<-")
        row += 1


def _ddp(axes, noted, label):
    left, row, layers, bucket = 10.8, 0, [], 0
    _heads(axes, left, "DDP", "process", label)
    half = BATCH // 2
    rows = [label["batch"].format(count=half), label["forward"].format(count=half), label["loss"]]
    for kind, what in noted:
        if kind == "gradient":
            layers.append(str(what))
            continue
        rows.append((label["gradient"].format(layers=", ".join(layers)), label["bucket"].format(number=bucket)))
        layers, bucket = [], bucket + 1
    y = -0.6
    for row in rows:
        text, shared = (row, "") if isinstance(row, str) else row
        for x in (left + 2, left + 7.2):
            _box(axes, x, y, text)
            if shared:
                _box(axes, x, y - 0.8, shared, "C1")
        if shared:
            _arrow(axes, left, y - 0.8, "<->")
        y -= 1.75 if shared else 1
