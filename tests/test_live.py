"""What a program knew when it died: gathered, read, asked by conditions, and never in the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from torchclinic.content import condition as written
from torchclinic.find import condition, live, lookup
from torchclinic.find.answer import Index
from torchclinic.find.pasted import Pasted

ROOT = Path(__file__).resolve().parent.parent
BLOCK = """What the program knew:
  self.fc  layer       Linear; in_features=1176; weight=float32 [10, 1176]; cpu; train
  x        left,input  float32 [8, 864]; cpu; grad
  torch    run         2.13.0+cpu; in a loop
"""


def holds(text: str, paste: str) -> bool | None:
    clean, known = live.apart(paste)
    values = known.values if known else {}
    return condition.holds(
        written.parse(text), condition.Facts(Pasted(clean), values, {}, set(), known)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('live("layer", "train")', True),
        ('live("layer", "eval")', False),
        ('live("Linear")', True),
        ('live("layer", "grad")', False),  # of one row, not of two
        ("live.input.shape[-1] == 864", True),
        ("live.input.shape[-1] != live.layer.in_features", True),
        ("len(live.input.shape) == 2", True),
        ("live.layer.weight.shape[0] == 10", True),
        ('live.layer.kind == "Linear"', True),
        ('live.left.dtype == "float32"', True),
        ("live.right.shape[0] == 1", None),
    ],
)
def test_a_condition_asks_what_the_program_knew(text: str, expected: bool | None) -> None:
    assert holds(text, "RuntimeError: x\n" + BLOCK) is expected
    assert holds(text, "RuntimeError: x\n") is None  # nothing is known, nothing is denied


def test_the_block_is_no_message_and_lines_keep_their_numbers() -> None:
    text, known = live.apart("Traceback\n" + BLOCK + "RuntimeError: below")
    assert text == "Traceback\n\n\n\n\nRuntimeError: below"
    assert known is not None and known.values["live.layer.name"] == "self.fc"
    prefixed = "".join(f"[rank1]: {line}\n" for line in BLOCK.splitlines())
    assert live.apart(prefixed)[1] == known


def run(code: str, folder: Path, *options: str, **more: str) -> subprocess.CompletedProcess[str]:
    file = folder / "train.py"
    file.write_text(textwrap.dedent(code), encoding="utf-8")
    command = [sys.executable, "-m", "torchclinic", "run", "--live", *options]
    return subprocess.run(
        [*command, sys.executable, str(file)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **more},
        capture_output=True,
        text=True,
    )


HEAD = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(1176, 10)
    def forward(self, x):
        return self.fc(x.flatten(1))
"""


def test_run_live_shows_the_layer_and_what_it_was_given(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    ended = run(HEAD + "Net()(torch.randn(8, 3, 18, 16))", tmp_path, "--jsonl", "o.jsonl")
    assert ended.returncode == 1
    assert "self.fc  layer" in ended.stderr and "float32 [8, 864]" in ended.stderr
    assert ended.stderr.index("RuntimeError: mat1") < ended.stderr.index(live.HEAD)
    row = json.loads((tmp_path / "o.jsonl").read_text(encoding="utf-8"))
    assert row["hits"] == ["matmul-shapes"] and row["facts"].startswith(live.HEAD)


def test_what_is_saved_is_a_paste(tmp_path: Path, table: Index) -> None:
    pytest.importorskip("torch")
    code = HEAD + "Net()(torch.randn(8, 3, 18, 16))"
    run(code, tmp_path, "--save", "crash.txt", "--jsonl", "o.jsonl")
    row = json.loads((tmp_path / "o.jsonl").read_text(encoding="utf-8"))
    saved = (tmp_path / "crash.txt").read_text(encoding="utf-8")
    assert "Traceback" in saved and row["facts"] in saved
    assert (lookup.lookup(table, saved)["hits"][0]["cause"] or {})["row"] == row["row"]


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    ended = run("import torch; raise KeyError('conv1.weight')", tmp_path, "--save", "no/crash.txt")
    assert ended.returncode == 1 and "no/crash.txt cannot be written" in ended.stderr


@pytest.mark.full
def test_the_rank_that_failed_first_is_shown(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "ranks.py").write_text(
        HEAD
        + textwrap.dedent("""
            import torch.distributed as dist
            dist.init_process_group("gloo")
            if dist.get_rank():
                Net()(torch.randn(8, 3, 18, 16))
            dist.barrier()
            """),
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "torchclinic", "run", "--live", "--jsonl", "o.jsonl"]
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    ended = subprocess.run(
        [*command, *launch, "--nproc_per_node", "2", "ranks.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    row = json.loads((tmp_path / "o.jsonl").read_text(encoding="utf-8"))
    assert row["hits"][0] == "matmul-shapes" and "rank=1" in row["facts"], ended.stderr
    assert "float32 [8, 864]" in ended.stderr


@pytest.mark.full
def test_cells_of_a_notebook_tell_what_they_knew() -> None:
    pytest.importorskip("torch")
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    cells = ["%load_ext torchclinic", HEAD, "Net()(torch.randn(8, 3, 18, 16))"]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    where = {"metadata": {"path": str(ROOT)}}
    nbclient.NotebookClient(book, allow_errors=True, resources=where).execute()
    error, added = book.cells[2].outputs
    assert error.ename == "RuntimeError"
    assert live.HEAD in added.text and "self.fc  layer" in added.text


def test_a_switch_ends_it_and_what_is_hidden_is_loaded(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "sitecustomize.py").write_text("print('mine')", encoding="utf-8")
    paths = os.pathsep.join([str(tmp_path), str(ROOT)])
    code = HEAD + "Net()(torch.randn(8, 3, 18, 16))"
    ended = run(code, tmp_path, TORCHCLINIC_LIVE="0", PYTHONPATH=paths)
    assert "mine" in ended.stdout
    assert live.HEAD not in ended.stderr and "matmul-shapes" in ended.stderr


HOSTILE = {
    "a class that lies": """
        class Liar:
            @property
            def __class__(self): raise SystemExit("asked")
            def __getattr__(self, name): raise SystemExit("asked")
            def __repr__(self): raise SystemExit("asked")
        thing = Liar()
        """,
    "a tensor subclass that raises": """
        class Odd(torch.Tensor):
            @classmethod
            def __torch_function__(cls, *a, **k): raise SystemExit("asked")
        thing = torch.randn(3).as_subclass(Odd)
        """,
    "a module with its own attributes": """
        class Odd(nn.Module):
            def __getattr__(self, name): raise SystemExit("asked")
            def __iter__(self): raise SystemExit("asked")
        thing = Odd()
        """,
    "a dict of a million": "thing = {n: n for n in range(1_000_000)}",
    "a list that holds itself": "thing = []; thing.append(thing)",
    "a module that holds itself": "thing = nn.ModuleList(); thing._modules['0'] = thing",
    "sparse": "thing = torch.eye(3).to_sparse()",
    "meta": "thing = torch.empty(3, device='meta')",
    "quantized": "thing = torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8)",
    "complex": "thing = torch.ones(3, dtype=torch.complex64)",
    "fake": """
        from torch._subclasses.fake_tensor import FakeTensorMode
        with FakeTensorMode(): thing = torch.empty(3)
        """,
    "lazy layer": "thing = nn.LazyLinear(3)",
    "lazily loaded module": """
        import types
        class Lazy(types.ModuleType):
            def __getattr__(self, name): raise SystemExit("loaded")
        thing = Lazy("lazy")
        """,
    "distributed": """
        import torch.distributed as dist
        from torch.distributed.tensor import distribute_tensor, init_device_mesh
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
        thing = distribute_tensor(torch.ones(4), init_device_mesh("cpu", (1,)))
        dist.destroy_process_group()
        """,
    "vmap": """
        def product(row): return row.unsqueeze(0) @ torch.ones(2, 3)
        thing = None
        """,
    "compiled": "thing = torch.compile(nn.Linear(2, 2), backend='eager')",
    "deep": """
        def deep(n, x): return deep(n + 1, x) if n < 400 else x @ torch.ones(9, 9)
        thing = None
        """,
}


LAST = {
    "deep": "deep(0, torch.ones(2, 3))",
    "vmap": "torch.vmap(product)(torch.ones(4, 3))",
    "compiled": "thing(torch.ones(2, 3))",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_takes_the_place_of_the_readers_error(name: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from torchclinic.run import live as gatherer

    product = "torch.ones(2, 3) @ torch.ones(2, 3)"
    last = LAST.get(name, f"(thing, {product})")
    file = tmp_path / "train.py"
    source = f"import torch\nfrom torch import nn\n{textwrap.dedent(HOSTILE[name])}\n{last}\n"
    file.write_text(source, encoding="utf-8")
    with pytest.raises(RuntimeError, match=r"mat1 and mat2|reduction dim|must match") as raised:
        exec(compile(source, str(file), "exec"), {})
    facts = gatherer.gather(raised.value, lambda named: named == str(file))
    assert facts.startswith(live.HEAD) and len(facts) <= gatherer.LONGEST


@pytest.mark.parametrize("disturbed", [MemoryError, KeyboardInterrupt, RecursionError, SystemExit])
def test_what_happens_while_we_look_stays_with_us(
    disturbed: type[BaseException],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("torch")
    from torchclinic.commands import hooks
    from torchclinic.run import live as gatherer

    def look(*_: object) -> str:
        raise disturbed

    monkeypatch.setattr(gatherer, "_gathered", look)
    hooks.add_lines(RuntimeError("mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"))
    assert live.HEAD not in capsys.readouterr().out


def test_a_recursion_without_end_and_a_closed_stderr(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    from torchclinic.commands import hooks
    from torchclinic.run import live as gatherer

    def again(x: object) -> object:
        return again(torch.ones(3) + x)

    with pytest.raises(RecursionError) as raised:
        again(torch.ones(3))
    assert len(gatherer.gather(raised.value, lambda file: file == __file__)) <= gatherer.LONGEST
    with (tmp_path / "closed").open("w") as closed:
        monkeypatch.setattr(sys, "stderr", closed)
    hooks.add_lines(raised.value)
    monkeypatch.setattr(sys, "stderr", None)
    hooks.add_lines(raised.value)


def test_without_torch_nothing_is_said(tmp_path: Path) -> None:
    assert live.HEAD not in run("raise KeyError('x')", tmp_path).stderr


def test_a_gpus_memory_is_read_from_pytorchs_own_books(monkeypatch: pytest.MonkeyPatch) -> None:
    """With books such as PyTorch keeps: no GPU is needed, nor asked."""
    torch = pytest.importorskip("torch")
    from torchclinic.run.live_things import Reader

    def books(index: int) -> dict[str, dict[str, dict[str, int]]]:
        if index > 1:
            raise RuntimeError("invalid device argument")
        held = {"all": {"current": index << 30}}
        return {"allocated_bytes": held, "reserved_bytes": held}

    monkeypatch.setattr(torch._C, "_cuda_memoryStats", books, raising=False)
    assert not any("GiB" in phrase for phrase in Reader(torch, False).run())
    monkeypatch.setattr(torch.cuda, "_initialized", True)
    told = [*Reader(torch, False).run()]
    assert told[1:4] == ["cuda", "cuda:1.allocated=1.00 GiB", "cuda:1.reserved=1.00 GiB"]
