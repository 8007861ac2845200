"""Where PyTorch writes a message: what is believed and what is not, the same in both languages, and where it is shown."""

from __future__ import annotations

import argparse
import gzip
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from twins import Twin, mutations

from tools.origins import table as tables
from tools.origins import telling
from torchclinic import ROOT
from torchclinic.commands import explain, knowledge, lookup, mcp, terminal
from torchclinic.commands.knowledge import Knowledge
from torchclinic.content.index import TABLES
from torchclinic.find import answer, origins, origins_table
from torchclinic.find.clean import WORD, is_source
from torchclinic.find.origins_table import Template
from torchclinic.find.wording import HOLES
from torchclinic.site import knowledge_parts

UNSCALE = "Attempting to unscale FP16 walruses of the {} optimizer."
#: text, file, line, function, class, condition, first and last release.
ROWS = [
    (
        UNSCALE,
        "torch/amp/grad_scaler.py",
        260,
        "GradScaler._unscale_grads_",
        "ValueError",
        "not allow_fp16",
        0,
        2,
    ),
    (
        "Sparse flavours need {:int}x{:int} pickled walruses, got {} of them",
        "aten/src/ATen/native/Walrus.cpp",
        41,
        "walrus_cpu",
        "RuntimeError",
        "",
        1,
        1,
    ),
    (
        "Sparse flavours need {:int}x{:int} pickled walruses, got {} of them",
        "torch/_refs/walrus.py",
        8,
        "walrus",
        "RuntimeError",
        "",
        1,
        2,
    ),
    (
        "{}th walrus flipper is not contiguous",
        "torch/nn/functional.py",
        7,
        "walrus",
        "RuntimeError",
        "x < 0",
        2,
        2,
    ),
    (
        "Two walruses:\n    first: {}\n    braces: {{}}, {}{} tusks",
        "torch/walrus/__init__.py",
        5,
        "herd",
        "KeyError",
        "",
        0,
        2,
    ),
    (
        "Walrus weights were quantized twice; this is deprecated.",
        "torch/walrus/__init__.py",
        9,
        "",
        "UserWarning",
        "",
        0,
        0,
    ),
    ("walrus rendezvous took {:int} seconds", "torch/walrus/log.py", 3, "wait", "log", "", 0, 2),
    ("no place knows this walrus constructor", "", 0, "", "", "", 0, 2),
    (
        "CUDA walrus: {} when calling `cuwalrusCreate(handle)`",
        "aten/src/ATen/cuda/Walrus.cpp",
        30,
        "torch.nn.functional.walrus",
        "RuntimeError",
        "",
        ~1,
        2,
    ),
]
FRAME = 'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n    step()\n  File "{}", line 9, in {}\n    raise X\n'
SAID = "ValueError: Attempting to unscale FP16 walruses of the Adam optimizer."


def table(rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    """A table as tools/origins/table.py makes it."""
    made: dict[str, Any] = {
        "version": origins_table.VERSION,
        "notice": "",
        "releases": ["2.0.1", "2.12.0", "2.13.0"],
        "python": [],
        "native": [],
        "linux": [],
        "lists": origins.LISTS,
    }
    for column, name in ((1, "files"), (4, "classes")):
        made[name] = sorted({row[column] for row in rows} - {""})
    made["public"] = {
        "torch.amp.grad_scaler.GradScaler": "torch.amp.GradScaler",
        "torch.nn.functional.walrus": "torch.nn.functional.walrus",
    }
    at = {
        name: {value: number for number, value in enumerate(made[name])} | {"": -1}
        for name in ("files", "classes")
    }
    made["templates"] = [
        *zip(
            *(
                (text, at["files"][file], line, function, at["classes"][kind], when, first, last)
                for text, file, line, function, kind, when, first, last in sorted(
                    rows, key=lambda row: row[1:3]
                )
            ),
            strict=True,
        )
    ]
    return made


TABLE = table(ROWS)
KNOWN = origins_table.load(TABLE)


def names(text: str) -> list[str]:
    found = origins.origin(KNOWN, text)
    return [place["name"] for place in found["places"]] if found else []


def test_an_origin_is_all_that_is_known_of_a_place() -> None:
    found = origins.origin(
        KNOWN,
        "step 1\r\n"
        + FRAME.format(
            "/opt/lib/python3.11/site-packages/torch/amp/grad_scaler.py", "_unscale_grads_"
        )
        + SAID,
    )
    assert found == {
        "line": 7,
        "raw": SAID,
        "message": "Attempting to unscale FP16 walruses of the \u2026 optimizer.",
        "search": "https://github.com/pytorch/pytorch/issues?q=%22Attempting%20to%20unscale%20FP16%20walruses%20of%20the%22",
        "places": [
            {
                "name": "torch.amp.grad_scaler.GradScaler._unscale_grads_",
                "function": "GradScaler._unscale_grads_",
                "file": "torch/amp/grad_scaler.py",
                "number": 260,
                "exception": "ValueError",
                "condition": "not allow_fp16",
                "first": "2.0.1",
                "last": "2.13.0",
                "unread": False,
                "public": "torch.amp.GradScaler",
                "documentation": "https://docs.pytorch.org/docs/stable/search.html?q=torch.amp.GradScaler",
                "source": "https://github.com/pytorch/pytorch/blob/v2.13.0/torch/amp/grad_scaler.py#L260",
                "raised": True,
            }
        ],
    }


#: What is pasted -> the first place.
BELIEVED = {
    SAID: "torch.amp.grad_scaler.GradScaler._unscale_grads_",
    SAID.partition(": ")[
        2
    ]: "torch.amp.grad_scaler.GradScaler._unscale_grads_",  # without its class, as people quote it
    FRAME.format("C:\\envs\\torch\\cuda\\amp\\grad_scaler.py", "_unscale_grads_")
    + SAID: "torch.amp.grad_scaler.GradScaler._unscale_grads_",
    "[rank1]: "
    + SAID.replace(
        "of the", "of\n[rank1]: the"
    ): "torch.amp.grad_scaler.GradScaler._unscale_grads_",  # wrapped by a terminal
    "RuntimeError: Sparse flavours need 3x4 pickled walruses, got (2, 'x') of them": "walrus_cpu",
    # A class was made a finer one, and C++ puts words behind.
    "IndexError: Sparse flavours need 3x4 pickled walruses, got 2 of them (function add)": "walrus_cpu",
    FRAME.format("model.py", "f").replace("raise X", "x @ y")
    + "RuntimeError: Sparse flavours need 3x4 pickled walruses, got 2 of them": "walrus_cpu",
    FRAME.format("/x/torch/_refs/walrus.py", "walrus")
    + "RuntimeError: Sparse flavours need 3x4 pickled walruses, got 2 of them": "torch._refs.walrus.walrus",
    "RuntimeError: 4th walrus flipper is not contiguous": "torch.nn.functional.walrus",
    "RuntimeError: CUDA walrus: WALRUS_STATUS_ASLEEP when calling `cuwalrusCreate(handle)`": "torch.nn.functional.walrus",
    # A traceback that is cut short: what is left of it is no place that could have written this.
    FRAME.format("train.py", "step").replace("raise X", "scaler.step(optimizer)")
    + SAID: "torch.amp.grad_scaler.GradScaler._unscale_grads_",
    FRAME.format("train.py", "step").replace("raise X", "scaler.step(optimizer)\n  ...")
    + SAID: "torch.amp.grad_scaler.GradScaler._unscale_grads_",
    FRAME.format("/x/site-packages/apex/amp.py", "step")
    + "    [...]\n"
    + SAID: "torch.amp.grad_scaler.GradScaler._unscale_grads_",
    "KeyError: Two walruses:\n  first: a b\nbraces: {}, 17 tusks": "torch.walrus.herd",
    "train.py:3: UserWarning: Walrus weights were quantized twice; this is deprecated.": "torch.walrus",
    "I1122 10:00:00.1 7 log.py:3] walrus rendezvous took 12 seconds": "torch.walrus.log.wait",
    # An error before a warning; of a chain the first; else the last.
    "UserWarning: Walrus weights were quantized twice; this is deprecated.\n"
    + SAID: "torch.amp.grad_scaler.GradScaler._unscale_grads_",
    SAID
    + "\nThe above exception was the direct cause of the following exception:\nRuntimeError: 4th walrus flipper is not contiguous": (
        "torch.amp.grad_scaler.GradScaler._unscale_grads_"
    ),
    SAID + "\nRuntimeError: 4th walrus flipper is not contiguous": "torch.nn.functional.walrus",
}
REFUSED = {
    "another class": SAID.replace("ValueError", "KeyError"),
    "another class of C++": "UserWarning: Sparse flavours need 3x4 pickled walruses, got 2 of them",
    "more behind it": SAID + " Sorry",
    "more before it": SAID.replace(": ", ": After "),
    "raised by another's file": FRAME.format(
        "/x/site-packages/apex/amp/scaler.py", "_unscale_grads_"
    )
    + SAID,
    "raised by a file of that name elsewhere": FRAME.format(
        "/x/mine/grad_scaler.py", "_unscale_grads_"
    )
    + SAID,
    "raised in what another package calls": FRAME.format(
        "/x/site-packages/apex/amp.py", "step"
    ).replace("raise X", "unscale(grads)")
    + SAID,
    "asserted by another": FRAME.format("train.py", "step").replace(
        "raise X", "assert scale, message"
    )
    + SAID,
    "below a frame whose line is not shown": FRAME.format("train.py", "step").replace(
        "    raise X\n", ""
    )
    + SAID,
    "raised by another's statement": FRAME.format("model.py", "f")
    + "RuntimeError: Sparse flavours need 3x4 pickled walruses, got 2 of them",
    "a quoted line of code": 'File "a.py", line 3, in f\n    raise ValueError("Attempting to unscale FP16 walruses of the Adam optimizer.")',
    "a hole that holds something else": "RuntimeError: Sparse flavours need axb pickled walruses, got 2 of them",
    "a log line as an error": "ValueError: walrus rendezvous took 12 seconds",
    "half of it": "ValueError: Attempting to unscale FP16 walruses",
    "nothing": "",
}


@pytest.mark.parametrize("text", BELIEVED, ids=range(len(BELIEVED)))
def test_what_is_believed(text: str) -> None:
    assert names(text)[:1] == [BELIEVED[text]]


@pytest.mark.parametrize("why", REFUSED)
def test_what_is_refused(why: str) -> None:
    assert names(REFUSED[why]) == []


def test_what_has_no_file_has_no_address() -> None:
    found = origins.origin(KNOWN, "RuntimeError: no place knows this walrus constructor")
    assert found and (found["places"][0]["file"], found["places"][0]["source"]) == ("", "")


def test_what_was_not_read_before_is_said() -> None:
    found = origins.origin(
        KNOWN, "RuntimeError: CUDA walrus: X when calling `cuwalrusCreate(handle)`"
    )
    (place,) = found["places"] if found else []
    # A name of C++ is no public name.
    assert (
        place["first"],
        place["last"],
        place["unread"],
        place["public"],
        place["documentation"],
    ) == ("2.12.0", "2.13.0", True, "", "")
    assert "2.12.0 to 2.13.0 (older ones were not read for it)." in terminal.origin_sentence(
        place, "en"
    )


def test_of_places_with_the_same_words_the_newest_comes_first() -> None:
    found = origins.origin(
        KNOWN, "RuntimeError: Sparse flavours need 3x4 pickled walruses, got 2 of them\n"
    )
    assert found and [place["last"] for place in found["places"]] == ["2.12.0"]
    shown = (
        FRAME.format("/x/torch/_refs/walrus.py", "other")
        + "RuntimeError: Sparse flavours need 3x4 pickled walruses, got 2 of them"
    )
    assert [
        place["last"] for place in (origins.origin(KNOWN, shown) or {"places": []})["places"]
    ] == ["2.13.0", "2.12.0"]


def test_a_search_holds_nothing_of_the_text() -> None:
    for text in BELIEVED:
        found = origins.origin(KNOWN, text.replace("Adam", "Sesame").replace("17", "4711"))
        assert found and "Sesame" not in found["search"] and "4711" not in found["search"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("plain", ["plain"]),
        ("{} is {:int}x{:int}, {{}}", ["is ", ["", "int"], "x", ["", "int"], ", {}"]),
        # Two holes in a row, and a hole that takes what follows, take anything; with a hole at the beginning goes what is glued to it.
        ("a {:int}2{}{} end ", ["a ", ["", "line"], "2", ["", "line"], " end"]),
        ("{}th walrus", ["walrus"]),
        ("a  b\n   c {}", ["a b\nc ", ["", "line"]]),
        ("{}", []),
        ("", []),
        ("word " * 100, [("word " * 33).rstrip(), ["", "line"]]),
    ],
)
def test_templates_as_the_matcher_takes_them(text: str, parts: list[Any]) -> None:
    assert origins_table.parts(text) == parts


def test_which_templates_are_known_by_their_words() -> None:
    assert telling.tells(UNSCALE, "torch/amp/grad_scaler.py")
    assert not telling.tells(UNSCALE, "torch/_numpy/linalg.py")
    assert not telling.tells(
        "Expected {} to be a list, but got {} instead", "torch/amp/grad_scaler.py"
    )
    assert not telling.tells("unscaled walruses: {}", "torch/amp/grad_scaler.py")
    assert not telling.tells(
        'walrus.defined() INTERNAL ASSERT FAILED at "{}":{:int}, please report a bug to PyTorch.',
        "c10/core/Walrus.cpp",
    )


def test_foreign_messages_are_refused() -> None:
    """With all templates that PyTorch's own table holds, where this checkout has one."""
    if (mine := Knowledge({}, {}, {}, {}).origins()) is None:
        pytest.skip("this checkout has no facts/origins.json.gz: `nox -s origins` makes it")
    for line in (
        Path(__file__)
        .with_name("data")
        .joinpath("foreign.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    ):
        row = json.loads(line)
        assert origins.origin(mine, row["text"]) is None, row["id"]


# ---- every message of the newest release leads to where it is written


def printed(table: answer.Table, template: Template) -> str:
    """What a program prints that meets this message, with values in its holes."""
    message = re.sub(
        r"\{\{|\}\}|\{(:int)?\}",
        lambda hole: hole[0][0] if len(set(hole[0])) == 1 else "3" if hole[1] else "Foo",
        template.text,
    )
    file = table["files"][template.file] if template.file >= 0 else ""
    exception = table["classes"][template.exception] if template.exception >= 0 else ""
    if exception in ("", origins.LOG):
        return message
    frame = FRAME.format(f"/x/site-packages/{file}", template.function.rpartition(".")[2] or "f")
    behind = " (Triggered internally at /pytorch/x.cpp:3.)" if exception == "UserWarning" else ""
    if file.endswith(".py"):
        return f"{frame}{exception}: {message}"
    return f"{exception}: {message}{behind}"


def looks_quoted(print_: str) -> bool:
    """It begins as a line of code does, such as `# a comment`: who quotes code prints nothing."""
    return is_source(print_.partition("\n")[0], "")


@pytest.mark.parametrize("step", [97, pytest.param(1, marks=pytest.mark.full)])
def test_every_message_is_known_by_its_own_print(step: int) -> None:
    table = tables.load(ROOT / origins_table.FILE)
    asked = origins_table.load(table)
    newest = [row for row in origins_table.rows(table) if row.last == len(table["releases"]) - 1]
    prints = [printed(table, row) for row in newest]
    unknown = [text for text in prints[::step] if origins.origin(asked, text) is None]
    assert all(map(looks_quoted, unknown)), unknown
    assert sum(map(looks_quoted, prints)) < 10


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        # A full stop alone is no rest of a message, and no line's end is.
        ("word " * 32 + "end.", ["word " * 32 + "end."]),
        ("word " * 32 + "end.\n\nNext {}", ["word " * 32 + "end.\n\nNext ", ["", "line"]]),
        ("word " * 31 + "{:int}) " + "word " * 9, ["word " * 31, ["", "int"], ") word", ["", "line"]]),
        ("word " * 32 + "{:int}) and so on", [("word " * 32), ["", "line"]]),
        # What cleaning takes from a line.
        ("file <{}> of <{:int}>", ["file <", ["", "line"], "> of <", ["", "int"]]),
        ("FATAL: a walrus", ["a walrus"]),
        ("[Rank {}] a walrus\n>>> is there", ["a walrus\nis there"]),
    ],
)  # fmt: skip
def test_a_template_can_match_what_it_prints(text: str, parts: list[Any]) -> None:
    assert origins_table.parts(text) == parts


def test_the_table_carries_what_both_twins_go_by() -> None:
    """`python -m tools.origins --lists` writes it."""
    assert tables.load(ROOT / origins_table.FILE)["lists"] == origins.LISTS


# ---- the twin


@pytest.fixture(scope="module")
def twin() -> Iterator[Twin]:
    with Twin("origins-twin.mjs", TABLE, {"holes": HOLES, "tables": TABLES}) as twin:
        yield twin


def test_the_twin_reads_templates_alike(twin: Twin) -> None:
    assert twin.ask("templates") == [wording["parts"] for wording in KNOWN["wordings"]]


def test_the_twin_answers_alike(twin: Twin) -> None:
    texts = [*BELIEVED, *REFUSED.values()]
    for text in [*texts, *mutations([text for text in texts if text], 2000, seed=20261122)]:
        assert origins.origin(KNOWN, text) == twin.ask(text), repr(text)


def test_the_end_of_a_long_text_is_read(twin: Twin) -> None:
    noise = "the walrus optimizer of step 3 is contiguous\n" * (origins.READ // 20)
    for text in (
        noise + SAID,
        SAID + "\n" + noise,
        noise.replace("\n", " ") + "\n" + SAID + "\n" + "\U0001f525" * 9,
    ):
        here = origins.origin(KNOWN, text)
        assert here == twin.ask(text)
        assert (here is None) == text.startswith("ValueError") and (
            here is None or here["line"] == text[: text.find(SAID)].count("\n") + 1
        )


def test_no_text_takes_long() -> None:
    """Twice the text, at most a few times the time, even where every line begins a message."""
    line = "ValueError: Attempting to unscale FP16 walruses of the "

    def seconds(count: int) -> float:
        text = (line * 3 + "\n") * count
        took = []
        for _ in range(3):
            started = time.process_time()
            origins.origin(KNOWN, text)
            took.append(time.process_time() - started)
        return min(took)

    assert seconds(800) < 8 * seconds(200) + 0.01 * seconds(200)


# ---- where it is shown


@pytest.fixture(scope="module")
def known(table: dict[str, Any]) -> Knowledge:
    known = Knowledge(table, {stem: {"id": stem} for stem in table["symptoms"]}, {}, {})
    known._origins.append(KNOWN)
    return known


def test_it_is_asked_only_after_none(known: Knowledge) -> None:
    both = SAID + "\nRuntimeError: mat1 and mat2 shapes cannot be multiplied (64x864 and 1176x10)"
    assert known.look_up(both)["status"] == "match" and "origin" not in known.look_up(both)
    assert known.look_up(SAID)["status"] == "origin"
    assert known.look_up("ValueError: my own message")["status"] == "none"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_terminal_says_what_it_is(known: Knowledge, language: str) -> None:
    text = terminal.render(known, known.look_up(f"\x1b]0;x\x07\x1b[31m{SAID}"), language, False)
    assert (
        "GradScaler._unscale_grads_" in text
        and "`not allow_fp16`" in text
        and "2.0.1" in text
        and "#L260" in text
        and "issues?q=" in text
    )
    assert "search.html?q=torch.amp.GradScaler" in text
    assert ("no advice" if language == "en" else "不是建议") in text
    assert text.replace("\n", "").isprintable()


def test_the_lines_below_an_error(known: Knowledge) -> None:
    text = FRAME.format("/lib/site-packages/torch/amp/grad_scaler.py", "_unscale_grads_") + SAID
    for made in (
        explain.explain(known, text, "en", {}),
        explain.explain_log(known, "noise\n" + text, "en", {}),
    ):
        first, second, third = made.lines
        assert first.startswith(
            "Torch Clinic: PyTorch writes this in `GradScaler._unscale_grads_` (torch/amp/grad_scaler.py), when `not allow_fp16`; in releases 2.0.1 to 2.13.0."
        )
        assert second == "  at train.py:3" and third.endswith(
            "/v2.13.0/torch/amp/grad_scaler.py#L260"
        )
        assert made.symptom.startswith("Attempting to unscale")


def test_what_was_survived_is_not_why_it_ended(known: Knowledge) -> None:
    mine = FRAME.format("mine.py", "f") + "ValueError: my own message"
    survived = FRAME.format("torch/amp/grad_scaler.py", "x") + SAID + "\n" + mine
    assert not explain.explain_log(known, survived, "en", {}).lines
    warned = explain.explain_log(
        known,
        "train.py:3: UserWarning: Walrus weights were quantized twice; this is deprecated.\nbye",
        "en",
        {},
    )
    assert not warned.lines


def test_for_programs(
    known: Knowledge,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(knowledge, "load", lambda: known)
    file = tmp_path / "pastes.jsonl"
    file.write_text(json.dumps({"id": 1, "text": SAID}) + "\n", encoding="utf-8")
    options = argparse.Namespace(files=[str(file)], follow=False, jsonl=True)
    assert lookup.run_lookup(options) == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["status"], row["hits"], row["origin"][0]["name"]) == (
        "origin",
        [],
        "torch.amp.grad_scaler.GradScaler._unscale_grads_",
    )
    assert "GradScaler._unscale_grads_" in mcp.look_up(
        known, json.dumps({"message": {"message": SAID}}), "en"
    )


def test_a_table_is_read_when_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From an installed package; one that has none, or a damaged one, says so."""
    monkeypatch.setattr(knowledge, "DATA", tmp_path)
    monkeypatch.setattr(knowledge, "ROOT", tmp_path)
    with pytest.raises(knowledge.BadInput, match="holds no knowledge"):
        Knowledge({}, {}, {}, {}).origins()
    file = tmp_path / "origins.jsonl"
    file.write_bytes(knowledge.packed(origins_table.pack(TABLE)))
    known = Knowledge({}, {}, {}, {}).origins()
    assert known is not None and len(known["wordings"]) == len(KNOWN["wordings"])
    file.write_bytes(b"no table")
    with pytest.raises(knowledge.BadInput, match="install torchclinic anew"):
        Knowledge({}, {}, {}, {}).origins()


def test_the_table_of_a_checkout_is_packed(tmp_path: Path) -> None:
    assert knowledge_parts.origins(tmp_path) == {}  # a checkout may have none
    file = tmp_path / origins_table.FILE
    file.parent.mkdir()
    file.write_bytes(gzip.compress(json.dumps(TABLE).encode()))
    packed = json.loads(json.dumps(knowledge_parts.origins(tmp_path)))
    mine = origins_table.ready(packed)
    assert [(m.text, m.places, m["parts"]) for m in mine["messages"]] == [
        (m.text, m.places, m["parts"]) for m in KNOWN["messages"]
    ]
    assert mine["numbered"] == KNOWN["numbered"] and {**mine["anchors"]} == {**KNOWN["anchors"]}
    assert mine["packed"]["files"] == KNOWN["packed"]["files"]
    for damage in (b"no table", gzip.compress(b'{"version": 0}')):
        file.write_bytes(damage)
        with pytest.raises(knowledge.BadInput, match="nox -s origins"):
            knowledge_parts.origins(tmp_path)


def test_words_are_ascii() -> None:
    """The twins agree on what a word is only there."""
    assert all(c in WORD for word in telling.COMMON for c in word)
