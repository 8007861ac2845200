"""Each check on a program that is broken and on one that is sound, and that it leaves both as they
were."""

from __future__ import annotations

import ast
import copy
import random
import subprocess
import sys
import warnings
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402
from torch.utils.data import (  # noqa: E402
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    TensorDataset,
    get_worker_info,
)

from torchclinic import checks  # noqa: E402
from torchclinic.checks import common  # noqa: E402
from torchclinic.content.code import as_shown  # noqa: E402
from torchclinic.site import checks_file  # noqa: E402


class Net(nn.Module):
    def __init__(self, functional: bool = False):
        super().__init__()
        self.body, self.norm, self.drop, self.head = (
            nn.Linear(4, 8),
            nn.BatchNorm1d(8),
            nn.Dropout(0.5),
            nn.Linear(8, 3),
        )
        self.functional = functional

    def forward(self, x: Any) -> Any:
        x = self.norm(self.body(x))
        return self.head(F.dropout(x) if self.functional else self.drop(x))


@pytest.fixture
def x() -> Any:
    torch.manual_seed(0)
    return torch.randn(16, 4)


def state(model: nn.Module) -> list[Any]:
    return [tensor.clone() for tensor in [*model.parameters(), *model.buffers()]] + [
        torch.get_rng_state(),
        torch.tensor([m.training for m in model.modules()]),
    ]


def test_findings_print() -> None:
    assert (
        str(checks.Findings()) == "nothing found" and str(checks.Findings(["a", "b"])) == "- a\n- b"
    )
    assert common.some(range(7)) == "0, 1, 2, 3, 4 and 2 more"


def test_modes() -> None:
    model = Net()
    assert "norm, drop" in str(checks.eval_mode(model)) and not checks.train_mode(model)
    model.eval()
    assert not checks.eval_mode(model) and "norm, drop" in str(checks.train_mode(model))


def test_a_dropout_that_ignores_eval(x: Any) -> None:
    assert not checks.repeatable(Net(), x) and checks.repeatable(Net(functional=True), x)


def test_modes_of_layers_that_do_the_same_in_both() -> None:
    same = nn.Sequential(
        nn.Dropout(0.0),
        nn.InstanceNorm1d(3),
        nn.BatchNorm1d(3, track_running_stats=False),
        nn.LSTM(2, 2),
    )
    assert not checks.eval_mode(same)
    assert (
        len(checks.eval_mode(nn.LSTM(2, 2, 2, dropout=0.5)))
        == len(checks.eval_mode(nn.MultiheadAttention(2, 1, dropout=0.5)))
        == 1
    )


def test_rounding_is_no_difference_and_noise_is() -> None:
    one = torch.randn(100)
    assert (
        common.same(one, one * (1 + 1e-6), rounded=True)
        and not common.same(one, one * (1 + 1e-6))
        and not common.same(one, one + 1e-2, rounded=True)
    )
    assert common.same(torch.tensor([float("nan"), 1.0]), torch.tensor([float("nan"), 1.0]))
    with pytest.raises(TypeError, match="nothing to compare"):
        common.same("a", "b")


def test_buffers_under_no_grad(x: Any) -> None:
    model = Net()
    with torch.no_grad():
        assert "norm.running_mean" in str(checks.buffers_stay(model, x))
    assert not checks.buffers_stay(model.eval(), x)


def test_what_calls_the_model_leaves_it_as_it_was(x: Any) -> None:
    model, labels = Net(), torch.zeros(16, dtype=torch.long)
    model.body.weight.grad = torch.ones_like(model.body.weight)
    model.drop.eval()
    before = state(model)

    def loss() -> Any:
        return F.cross_entropy(model(x), labels)

    (
        checks.repeatable(model, x),
        checks.buffers_stay(model, x),
        checks.moves(model, loss),
        checks.overfit(model, loss, steps=3),
    )
    checks.accumulates(lambda: loss().backward(), lambda: loss().backward(), model)
    assert all(torch.equal(one, other) for one, other in zip(before, state(model), strict=True))
    assert (
        torch.equal(model.body.weight.grad, torch.ones_like(model.body.weight))
        and model.head.weight.grad is None
    )


def test_a_buffer_that_is_replaced_and_a_graph_that_is_held(x: Any) -> None:
    class Average(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.mean = nn.Linear(4, 4), nn.Buffer(torch.zeros(4))

        def forward(self, x: Any) -> Any:
            self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
            return self.layer(x)

    model = nn.Sequential(Average(), nn.BatchNorm1d(4), nn.Linear(4, 1)).eval()
    kept, loss = model[0].mean, model(x).sum()
    kept = model[0].mean
    assert "in evaluation mode" in str(checks.buffers_stay(model, x)) and model[0].mean is kept
    checks.moves(model, lambda: model(x).sum())
    loss.backward()  # nothing that it needs was written to


def test_batches_of_every_form() -> None:
    class Two(nn.Module):
        def forward(self, a: Any, b: Any) -> Any:
            return {"sum": a + b}

    a, b = torch.ones(2), torch.ones(2)
    assert not checks.repeatable(Two(), (a, b)) and not checks.repeatable(Two(), {"a": a, "b": b})


def test_layers_in_a_list() -> None:
    class Plain(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = [nn.Linear(2, 2)]
            self.named = {"head": nn.Linear(2, 2)}
            self.sizes = [1, 2]

    class Sound(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(2, 2)])
            self.shortcut = [self.layers[0]]  # known all the same

    assert (
        len(checks.registered(nn.Sequential(Plain()))) == 2
        and "0.layers" in checks.registered(nn.Sequential(Plain()))[0]
    )
    assert not checks.registered(Sound())

    class Bare(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale, self.table = torch.ones(2, requires_grad=True), torch.ones(2)
            self.grid = [[nn.Linear(1, 1)]]

    assert [finding.split()[0] for finding in checks.registered(Bare())] == ["scale", "grid"]

    class Private(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self._layers = [nn.Linear(2, 2)]
            self.rnn = nn.LSTM(2, 2)  # keeps a list of its weights by itself
            self.register_buffer("mask", torch.ones(2))

    assert [finding.split()[0] for finding in checks.registered(Private())] == ["_layers"]


def test_a_layer_replaced_after_the_optimizer() -> None:
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    assert not checks.optimizer_holds(model.double(), optimizer)  # .to() keeps the parameters
    model.head = nn.Linear(8, 5)
    first, second = checks.optimizer_holds(model, optimizer)
    assert "head.weight, head.bias" in first and second.startswith("2 tensor(s)")
    body, head = (
        torch.optim.SGD([*model.body.parameters(), *model.norm.parameters()]),
        torch.optim.SGD(model.head.parameters()),
    )
    assert checks.optimizer_holds(model, body) and not checks.optimizer_holds(model, body, head)


def test_gradients_that_reach_nothing(x: Any) -> None:
    model, labels = Net(), torch.arange(16) % 3
    assert not checks.moves(model, lambda: F.cross_entropy(model(x), labels))
    assert "head.weight" in str(checks.moves(model, lambda: model.body(x).sum()))
    assert "zero everywhere in body.weight" in str(
        checks.moves(model, lambda: (model.body(x) * 0).sum())
    )
    assert "nan" in str(checks.moves(model, lambda: (model(x) * float("inf")).sum()))
    assert "no graph" in str(checks.moves(model, lambda: model(x).sum().detach()))
    with torch.no_grad():
        assert not checks.moves(model, lambda: F.cross_entropy(model(x), labels))
    sparse = nn.Embedding(4, 2, sparse=True)
    assert not checks.moves(sparse, lambda: sparse(torch.tensor([1, 1])).sum())
    sparse(torch.tensor([1])).sum().backward()
    assert (
        checks.gradients_cleared(sparse)
        and checks.clipped(sparse, 1.0)
        and not checks.clipped(sparse, 2.0)
    )


def test_gradients_of_the_step_before(x: Any) -> None:
    model = Net()
    assert not checks.gradients_cleared(model)
    model(x).sum().backward()
    assert "body.weight" in str(checks.gradients_cleared(model))
    model.zero_grad(set_to_none=False)
    assert not checks.gradients_cleared(model)


def test_clipped_before_unscaled() -> None:
    layer = nn.Linear(3, 1, bias=False)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)

    def step(unscale: bool) -> checks.Findings:
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
        optimizer.zero_grad()
        scaler.scale(layer(torch.ones(1, 3)).sum() * 10).backward()
        if unscale:
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(layer.parameters(), 0.5)
        return checks.clipped(layer, 0.5)

    assert not step(True) and "above 0.5" in str(step(False))
    torch.nn.utils.clip_grad_norm_(layer.parameters(), 0.5, norm_type=float("inf"))
    assert not checks.clipped(layer, 0.5, norm_type=float("inf")) and checks.clipped(layer, 0.5)
    layer.weight.grad.fill_(float("inf"))
    assert "leaves such a step out" in str(checks.clipped(layer, 0.5))


def test_gradients_that_are_still_scaled() -> None:
    layer = nn.Linear(3, 1)
    optimizer, scaler = (
        torch.optim.SGD(layer.parameters(), lr=0.1),
        torch.amp.GradScaler("cpu", init_scale=1024.0),
    )
    for _ in range(2):
        scaler.scale(layer(torch.ones(1, 3)).sum()).backward()
        assert "multiplied by the scale, 1024" in str(checks.unscaled(scaler, optimizer))
        scaler.unscale_(optimizer)
        assert not checks.unscaled(scaler, optimizer)
        scaler.step(optimizer)
        scaler.update()
    assert not checks.unscaled(torch.amp.GradScaler("cpu", enabled=False), optimizer)

    class Other:
        def is_enabled(self) -> bool:
            return True

    with pytest.raises(TypeError, match="Other does not keep"):
        checks.unscaled(Other(), optimizer)


def test_decay_of_norms_and_biases() -> None:
    model = Net()
    assert "norm.weight" in str(
        checks.decayed(model, torch.optim.AdamW(model.parameters(), weight_decay=0.1))
    )
    frozen = Net().requires_grad_(False)
    assert not checks.decayed(
        frozen, torch.optim.AdamW(frozen.parameters(), weight_decay=0.1)
    )  # a step leaves them alone
    groups = [
        {"params": [p for p in model.parameters() if p.ndim > 1]},
        {"params": [p for p in model.parameters() if p.ndim < 2], "weight_decay": 0.0},
    ]
    assert not checks.decayed(model, torch.optim.AdamW(groups, weight_decay=0.1))


def test_schedules() -> None:
    def optimizer() -> Any:
        return torch.optim.SGD(nn.Linear(1, 1).parameters(), lr=0.1)

    per_epoch = torch.optim.lr_scheduler.StepLR(optimizer(), 30)
    assert not checks.schedule(per_epoch, 90) and "from step 120 of 9000" in str(
        checks.schedule(per_epoch, 9000)
    )
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer(), T_max=100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not checks.schedule(cosine, 100) and "climbs again after step 100 of 200" in str(
            checks.schedule(cosine, 200)
        )
        assert "climbs again after step 100 of 1000, to 0.1" in str(
            checks.schedule(cosine, 1000)
        )  # up and down, with rounding
    warm = torch.optim.lr_scheduler.LambdaLR(
        optimizer(), lambda step: min(1, step / 10) * (1 - step / 100)
    )
    restarts = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer(), 10)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer(), 0.1, total_steps=100)
    assert (
        not checks.schedule(warm, 100)
        and not checks.schedule(restarts, 100)
        and not checks.schedule(cycle, 100)
    )
    assert "still rises at the last of 5 steps" in str(
        checks.schedule(warm, 5)
    ) and not checks.schedule(torch.optim.lr_scheduler.LinearLR(optimizer()), 9)
    assert "100 steps left, you make 101" in str(checks.schedule(cycle, 101))
    with pytest.raises(TypeError, match="ReduceLROnPlateau"):
        checks.schedule(torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer()), 10)
    with pytest.raises(ValueError, match="0 steps"):
        checks.schedule(per_epoch, 0)
    shared = optimizer()
    parts = [
        torch.optim.lr_scheduler.LinearLR(shared, 0.1, total_iters=10),
        torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(shared, 30),
    ]
    assert not checks.schedule(torch.optim.lr_scheduler.SequentialLR(shared, parts, [10]), 100)
    groups = [
        {"params": [nn.Parameter(torch.zeros(1))], "lr": rate} for rate in (0.0, 0.1)
    ]  # a frozen group comes first
    assert not checks.schedule(torch.optim.lr_scheduler.StepLR(torch.optim.SGD(groups), 30), 90)
    assert "is 0 in all" in str(
        checks.schedule(torch.optim.lr_scheduler.StepLR(torch.optim.SGD(groups[:1]), 30), 90)
    )
    assert (
        checks.learning_rates(per_epoch, 31) == pytest.approx([0.1] * 30 + [0.01])
        and per_epoch.last_epoch == 0
    )


def test_softmax_before_cross_entropy(x: Any) -> None:
    output = Net()(x)
    assert (
        not checks.logits(output)
        and checks.logits(output.softmax(-1))
        and checks.logits(output.sigmoid() / output.sigmoid().sum(-1, keepdim=True))
    )
    for dtype in (torch.bfloat16, torch.float16):  # sums of rounded values
        wide = torch.linspace(-4, 4, 640).reshape(64, 10).sin().mul(3).to(dtype)
        assert (
            not checks.logits(wide)
            and checks.logits(wide.softmax(-1))
            and not checks.probabilities(wide.softmax(-1))
        )


def test_softmax_over_the_batch(x: Any) -> None:
    output = Net()(x)
    assert not checks.probabilities(output.softmax(-1)) and "softmax(dim=-1) is wanted" in str(
        checks.probabilities(output.softmax(0))
    )
    assert "not 1" in str(checks.probabilities(output))
    for dtype in (torch.float16, torch.bfloat16):
        rounded = (
            (20 * torch.randn(64, 50, generator=torch.Generator().manual_seed(0)))
            .to(dtype)
            .softmax(-1)
        )
        assert (
            not checks.probabilities(rounded)
            and checks.probabilities(rounded, dim=0)
            and checks.logits(rounded)
        )
    assert checks.probabilities(torch.tensor([[2, 1]]))  # class numbers are no probabilities


def test_shapes_that_are_broadcast() -> None:
    assert not checks.same_shape(torch.ones(4, 1), torch.ones(4, 1))
    assert "argmax(dim=1)" in str(checks.same_shape(torch.ones(4, 2).argmax(), torch.ones(4)))
    assert "squeeze" not in str(checks.same_shape(torch.ones(4, 1), torch.ones(4, 3)))
    assert "(4, 4)" in str(checks.same_shape(torch.ones(4, 1), torch.ones(4))) and "not fit" in str(
        checks.same_shape(torch.ones(4), torch.ones(3))
    )


def test_losses_kept_with_their_graphs(x: Any) -> None:
    loss = Net()(x).mean()
    assert (
        checks.kept_graphs([loss.item(), loss])
        and checks.kept_graphs({"total": loss})
        and not checks.kept_graphs({"total": loss.detach(), "n": 3})
    )


def test_losses_kept_in_meters(x: Any) -> None:
    class Meter:
        def __init__(self) -> None:
            self.name, self.last, self.owner = "loss", deque(maxlen=3), self

    model, meter = Net(), Meter()
    for kept, wanted in (
        (model(x).mean().item(), False),
        (model(x).mean().detach(), False),
        (model(x).mean(), True),
    ):
        meter.last.append(kept)
        for metrics in (
            meter,
            {"train": meter},
            [{"train": meter}],
            meter.last,
            {"train": (meter.last,)},
        ):
            assert bool(checks.kept_graphs(metrics)) == wanted
    assert str(checks.kept_graphs({"epoch": 3, "train": meter})).startswith(
        "- kept with its graph: train."
    )
    assert checks.kept_graphs(model(x).mean()) and not checks.kept_graphs(
        torch.ones(2, requires_grad=True)
    )
    assert not checks.kept_graphs({"model": model, "count": 3, "none": None, "what": Meter})
    with pytest.raises(TypeError, match="nothing to look at in this int"):
        checks.kept_graphs(3)


def test_the_first_loss() -> None:
    assert not checks.initial_loss(torch.tensor(2.4), 10) and "chance on 10 classes is 2.3" in str(
        checks.initial_loss(30.0, 10)
    )


def test_one_batch_by_heart(x: Any) -> None:
    model, labels = (
        nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 3)),
        torch.arange(16) % 3,
    )
    assert not checks.overfit(model, lambda: F.cross_entropy(model(x), labels), lr=0.05)
    assert "cannot learn" in str(
        checks.overfit(model, lambda: F.cross_entropy(model(x).softmax(-1), labels), lr=0.05)
    )
    assert checks.overfit(
        model, lambda: -2 + 0 * model(x).sum()
    )  # below zero, and it does not fall
    assert "frozen" in str(
        checks.overfit(copy.deepcopy(model).requires_grad_(False), lambda: model(x).sum())
    )


def test_accumulated_gradients(x: Any) -> None:
    model, labels = nn.Linear(4, 3), torch.arange(16) % 3

    def whole() -> None:
        F.cross_entropy(model(x), labels).backward()

    def parts(scale: float) -> None:
        for some, few in zip(x.split(4), labels.split(4), strict=True):
            (F.cross_entropy(model(some), few) / scale).backward()

    assert not checks.accumulates(whole, lambda: parts(4), model) and "4 times as long" in str(
        checks.accumulates(whole, lambda: parts(1), model)
    )
    with torch.autocast("cpu", dtype=torch.bfloat16):  # rounds, and is no finding
        assert not checks.accumulates(whole, lambda: parts(4), model) and checks.accumulates(
            whole, lambda: parts(1), model
        )
    model = nn.Sequential(nn.BatchNorm1d(4), nn.Linear(4, 3))
    assert "point elsewhere" in str(
        checks.accumulates(whole, lambda: parts(4), model)
    ) and not checks.accumulates(whole, lambda: parts(4), model.eval())
    with pytest.raises(ValueError, match="no gradient"):
        checks.accumulates(lambda: None, lambda: None, model)


def test_view_for_permute() -> None:
    assert not checks.permutes(lambda t: t.permute(0, 2, 1), (2, 3, 4), (0, 2, 1))
    assert "not where they belong" in str(
        checks.permutes(lambda t: t.view(2, 4, 3), (2, 3, 4), (0, 2, 1))
    )
    assert "gives the shape" in str(checks.permutes(lambda t: t, (2, 3, 4), (0, 2, 1)))
    assert not checks.permutes(lambda t: t.permute(0, 2, 1).float(), (2, 3, 4), (0, 2, 1))


def test_padding(x: Any) -> None:
    embedding, tokens = nn.Embedding(10, 4), torch.tensor([[3, 4, 0, 0], [5, 6, 7, 0]])
    keep = tokens != 0

    def mean(tokens: Any, masked: bool) -> Any:
        made, weights = embedding(tokens), keep.unsqueeze(-1).float()
        return (made * weights).sum(1) / weights.sum(1) if masked else made.mean(1)

    assert not checks.ignores_padding(
        lambda t: mean(t, True), tokens, keep
    ) and checks.ignores_padding(lambda t: mean(t, False), tokens, keep)
    assert not checks.ignores_padding(
        lambda t: mean(t, True), tokens, keep.long()
    )  # an attention_mask of 0 and 1
    assert checks.ignores_padding(
        lambda t: 1e-6 * mean(t, False), tokens, keep
    ) and not checks.ignores_padding(lambda t: 1e6 * mean(t, True), tokens, keep)
    with pytest.raises(TypeError, match="returns no tensor"):
        checks.ignores_padding(lambda t: "a text", tokens, keep)
    with pytest.raises(ValueError, match="no mask of True and False"):
        checks.ignores_padding(
            embedding, tokens, torch.zeros(2, 4).masked_fill(~keep, float("-inf"))
        )
    attention = nn.MultiheadAttention(4, 1, batch_first=True).eval()
    features = torch.randn(2, 4, 4)
    assert not checks.ignores_padding(
        lambda f: attention(f, f, f, key_padding_mask=~keep)[0], features, keep
    )
    assert not checks.ignores_padding(
        lambda f: attention(f, f, f, key_padding_mask=~keep), features, keep
    )  # a tuple
    assert checks.ignores_padding(
        lambda f: attention(f, f, f, key_padding_mask=keep)[0], features, keep
    )
    assert not checks.ignores_padding(
        lambda f: F.scaled_dot_product_attention(f, f, f, attn_mask=keep[:, None]), features, keep
    )
    assert checks.ignores_padding(
        lambda f: F.scaled_dot_product_attention(f, f, f, attn_mask=~keep[:, None]), features, keep
    )


def test_padding_before_a_norm() -> None:
    """A LayerNorm takes a shift out, and would hide that the padding is looked at."""
    layer, keep = (
        nn.TransformerEncoderLayer(4, 1, 8, batch_first=True, norm_first=True).eval(),
        torch.tensor([[True, True, False], [True, True, True]]),
    )
    features = torch.randn(2, 3, 4)
    assert checks.ignores_padding(layer, features, keep) and not checks.ignores_padding(
        lambda f: layer(f, src_key_padding_mask=~keep), features, keep
    )
    with pytest.raises(ValueError, match="batch with padding"):
        checks.ignores_padding(layer, features, keep | True)


def test_a_best_state_that_follows() -> None:
    model = Net()
    assert "body.weight" in str(checks.own_copy(model.state_dict(), model)) and not checks.own_copy(
        copy.deepcopy(model.state_dict()), model
    )
    assert checks.own_copy(model, model) and not checks.own_copy(copy.deepcopy(model), model)
    arrays = [tensor.numpy() for tensor in model.state_dict().values()]
    assert "model.body.weight" in str(
        checks.own_copy({"epoch": 3, "model": model.state_dict()}, model)
    ) and "0, 1, 2" in str(checks.own_copy(arrays, model))
    assert not checks.own_copy(
        {"epoch": 3, "model": copy.deepcopy(model.state_dict())}, model
    ) and not checks.own_copy([a.copy() for a in arrays], model)


def test_what_strict_false_left_out() -> None:
    model = Net()
    saved = {f"module.{name}": value for name, value in model.state_dict().items()}
    first, second = checks.loaded(model.load_state_dict(saved, strict=False), model)
    assert first.split()[1:4] == ["of", "9", "tensors"] and "module.body.weight" in second
    assert not checks.loaded(model.load_state_dict(model.state_dict(), strict=False), model)
    tied = nn.ModuleDict({"embedding": nn.Embedding(3, 2), "head": nn.Linear(2, 3, bias=False)})
    tied["head"].weight = tied["embedding"].weight
    assert not checks.loaded(
        tied.load_state_dict({"embedding.weight": torch.ones(3, 2)}, strict=False), tied
    )


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        (torch.randn(8, 3), ""),
        (torch.randn(8, 3).double(), "float64"),
        (torch.randint(0, 255, (8, 3), dtype=torch.uint8), "uint8"),
        (torch.full((8, 3), float("nan")), "nan"),
        (torch.rand(8, 3) * 255, "inputs are usually scaled"),
        (torch.zeros(8, 3), "0 everywhere"),
        (torch.zeros(8, 1), ""),
    ],
)
def test_the_first_batch(inputs: Any, told: str) -> None:
    found = checks.first_batch(DataLoader(TensorDataset(inputs, torch.arange(8)), batch_size=4))
    assert told in str(found) and bool(found) == bool(told)


def test_the_first_batch_of_an_empty_loader() -> None:
    with pytest.raises(ValueError, match="no batch"):
        checks.first_batch(DataLoader([]))


class Stored(Dataset):  # type: ignore[misc]
    def __init__(self, in_place: bool):
        self.sample, self.in_place = torch.ones(3), in_place

    def __getitem__(self, index: int) -> Any:
        factor = random.random()
        return self.sample.mul_(factor) if self.in_place else self.sample * factor

    def __len__(self) -> int:
        return 1


def test_augmentation_in_place() -> None:
    assert checks.sample_stays(Stored(True)) and not checks.sample_stays(Stored(False))

    class Flipped(Stored):
        def __getitem__(self, index: int) -> Any:
            flipped = random.random() < 0.5  # not so after random.seed(0)
            return (
                self.sample.neg_()
                if flipped and self.in_place
                else -self.sample
                if flipped
                else self.sample
            )

    assert checks.sample_stays(Flipped(True)) and not checks.sample_stays(Flipped(False))


class Stream(IterableDataset):  # type: ignore[misc]
    def __init__(self, split: bool):
        self.split = split

    def __iter__(self) -> Iterator[Any]:
        worker = get_worker_info()
        start, step = (worker.id, worker.num_workers) if worker and self.split else (0, 1)
        return iter(torch.arange(8)[start::step])


class OwnGenerator(Dataset):  # type: ignore[misc]
    def __init__(self, own: bool):
        self.generator = torch.Generator().manual_seed(0) if own else None

    def __getitem__(self, index: int) -> Any:
        return torch.rand(2, generator=self.generator)

    def __len__(self) -> int:
        return 8


def loader(dataset: Any, **options: Any) -> Any:
    return DataLoader(
        dataset, batch_size=2, num_workers=2, multiprocessing_context="fork", **options
    )


@pytest.mark.skipif(sys.platform == "win32", reason="workers are forked here")
def test_epochs() -> None:
    assert "16 samples come in an epoch, of which 8" in str(
        checks.epochs(loader(Stream(False)), shuffled=False)
    )
    assert not checks.epochs(loader(Stream(True)), shuffled=False)
    assert "draws the same random numbers" in str(
        checks.epochs(loader(OwnGenerator(True)))
    ) and not checks.epochs(loader(OwnGenerator(False)))
    samples = TensorDataset(torch.arange(8))
    sampler = DistributedSampler(samples, num_replicas=1, rank=0)
    assert "set_epoch" in str(checks.epochs(DataLoader(samples, sampler=sampler)))
    assert checks.epochs(DataLoader(samples)) and not checks.epochs(
        DataLoader(samples, shuffle=True)
    )


def test_epochs_of_samples_that_share_a_label() -> None:
    """All that a sample holds tells it from the others, texts too."""
    for sample in [
        lambda i: {"label": i % 2, "x": torch.full((2,), i)},
        lambda i: {"text": f"t{i}", "label": i % 2},
        lambda i: f"t{i}",
    ]:
        every = [sample(i) for i in range(10)]
        for size in (4, None):
            assert not checks.epochs(DataLoader(every, size), shuffled=False)
            assert "20 samples come in an epoch, of which 10" in str(
                checks.epochs(DataLoader(every * 2, 5 if size else None), shuffled=False)
            )
    with pytest.raises(ValueError, match="no batch"):
        checks.epochs(DataLoader([]))
    with pytest.raises(TypeError, match="no tensor, number or text"):
        checks.epochs([object()])


def test_the_epoch_of_a_sampler() -> None:
    samples = TensorDataset(torch.arange(8))
    sampler = DistributedSampler(samples, num_replicas=1, rank=0)
    both = (
        DataLoader(samples, sampler=sampler),
        DataLoader(samples, batch_sampler=torch.utils.data.BatchSampler(sampler, 2, False)),
    )
    for made, place in zip(both, ["loader.sampler.", "loader.batch_sampler.sampler."], strict=True):
        sampler.set_epoch(0)
        assert not checks.epoch_set(made, 0) and place in str(checks.epoch_set(made, 1))
        sampler.set_epoch(1)
        assert not checks.epoch_set(made, 1)
    assert not checks.epoch_set(
        DataLoader(
            samples, sampler=DistributedSampler(samples, num_replicas=1, rank=0, shuffle=False)
        ),
        1,
    )
    with pytest.raises(ValueError, match=r"checks\.epochs"):
        checks.epoch_set(DataLoader(samples, shuffle=True), 0)

    assert not checks.epoch_set(
        DataLoader(
            samples, sampler=DistributedSampler(samples, num_replicas=1, rank=0, shuffle=False)
        ),
        1,
    )


def test_epochs_look_at_all_that_a_sample_holds() -> None:
    """Labels repeat, and may come first; texts are no tensors."""
    for samples in [
        [{"label": i % 2, "x": torch.tensor([float(i)])} for i in range(20)],
        [(i % 2, f"text {i}") for i in range(20)],
        list("abcdefghijklmnopqrst"),
    ]:
        assert not checks.epochs(
            DataLoader(samples, batch_size=4, shuffle=True)
        ) and "two epochs are equal" in str(checks.epochs(DataLoader(samples, 4)))
    with pytest.raises(TypeError, match="cannot be told apart"):
        checks.epochs(DataLoader([object()] * 4, collate_fn=lambda batch: batch))


class Pictures(Dataset):  # type: ignore[misc]
    """Different images, and noise from the dataset's own generator, from that of torch, or none."""

    def __init__(self, noise: str):
        self.images, self.noise, self.generator = (
            torch.arange(8.0)[:, None],
            noise,
            torch.Generator().manual_seed(0),
        )

    def __getitem__(self, index: int) -> Any:
        return self.images[index] + (
            0
            if self.noise == "none"
            else torch.rand(1, generator=self.generator if self.noise == "own" else None)
        ), index

    def __len__(self) -> int:
        return 8


def same_seed(worker: int) -> None:
    torch.manual_seed(7)


def seed_by_number(worker: int) -> None:
    torch.manual_seed(7 + worker)


@pytest.mark.skipif(sys.platform == "win32", reason="workers are forked here")
def test_random_numbers_in_workers() -> None:
    def found(noise: str, **options: Any) -> str:
        return str(checks.augmentation(loader(Pictures(noise), shuffle=True, **options)))

    assert "each epoch" in found("own") and "several workers" in found("own")
    assert "each epoch" not in found("own", persistent_workers=True) and "several workers" in found(
        "own", persistent_workers=True
    )
    assert "several workers" in found("torch", worker_init_fn=same_seed)
    assert "each epoch" in found(
        "torch", worker_init_fn=seed_by_number
    ) and "several workers" not in found("torch", worker_init_fn=seed_by_number)
    generator = torch.Generator().manual_seed(3)
    before = generator.get_state()
    for noise in ("torch", "none"):
        assert (
            found(noise)
            == found(noise, generator=generator)
            == found(noise, persistent_workers=True)
            == "nothing found"
        )
    assert torch.equal(before, generator.get_state()) and not checks.augmentation(
        DataLoader(Pictures("own"))
    )
    with pytest.raises(TypeError, match=r"checks\.epochs"):
        checks.augmentation(loader(Stream(True)))


def test_a_last_batch_that_is_smaller() -> None:
    samples = TensorDataset(torch.arange(10))
    assert "2 to 4 samples" in str(
        checks.batch_sizes(DataLoader(samples, batch_size=4))
    ) and not checks.batch_sizes(DataLoader(samples, batch_size=5))
    assert "1 to 2 samples" in str(
        checks.batch_sizes(DataLoader([{"text": "a"}] * 3, batch_size=2))
    )
    for nothing in (DataLoader([]), [torch.tensor(1.0)]):
        with pytest.raises(ValueError, match=r"no batch|nothing to count"):
            checks.batch_sizes(nothing)


def test_one_file_works_alone(tmp_path: Path) -> None:
    """As the site offers it, beside a script and without the package."""
    text = checks_file.joined(Path(checks.__file__).parent)
    names = [node.name for node in ast.parse(text).body if hasattr(node, "name")]
    assert len(names) == len(set(names)) and "torchclinic." not in text.replace("torchclinic_", "")
    (tmp_path / "torchclinic_checks.py").write_text(text, encoding="utf-8")
    code = (
        "import torch, torchclinic_checks as checks\n"
        "print(checks.logits(torch.randn(2, 3).softmax(-1)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.startswith("- these are probabilities"), done.stderr
    every = "import torchclinic_checks as checks; print(*vars(checks))"
    done = subprocess.run(
        [sys.executable, "-c", every], cwd=tmp_path, capture_output=True, text=True
    )
    public = {name for name, value in vars(checks).items() if callable(value)}
    assert len(public) == 31 and public <= set(done.stdout.split())


def test_a_check_is_shown_without_what_holds_for_the_broken_program_alone() -> None:
    asked = (
        "from torchclinic import checks\n"
        "\n"
        "print(checks.eval_mode(model))\n"
        "assert (\n"
        "    checks.eval_mode(model)\n"
        ")"
    )
    assert as_shown(asked, []) == "from torchclinic import checks\n\nprint(checks.eval_mode(model))"
    nested = "with open('x') as file:\n    print(file)\n    assert file\nassert file.closed"
    assert as_shown(nested, []) == "with open('x') as file:\n    print(file)"
    silent = "assert x.dtype == torch.float16"
    assert as_shown(silent, []) == silent
    setup = ["import os\nfrom pathlib import Path, PurePath\n\nx = 1", "import sys"]
    assert as_shown("print(Path(os.curdir))", setup) == (
        "import os\nfrom pathlib import Path\n\nprint(Path(os.curdir))"
    )
