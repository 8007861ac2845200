"""What commands read and print, in a checkout: pastes of every form, fix, show, the cache of the
knowledge."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path

import pytest

from torchclinic import LANGUAGES, ROOT, __version__
from torchclinic.commands import entries, fix, knowledge, paste, show, terminal
from torchclinic.commands.knowledge import Knowledge
from torchclinic.commands.parser import main
from torchclinic.content.catalogue import Catalogue
from torchclinic.content.problem import BadInput
from torchclinic.find import lookup
from torchclinic.site import knowledge_parts as maker

MATMUL = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x400 and 784x10)"
TRACEBACK = (
    "Traceback (most recent call last):\n"
    f'  File "train.py", line 3, in <module>\n'
    f'    y = model("mat1")\n'
    f"{MATMUL}\n"
)


@pytest.fixture(scope="module")
def known() -> Knowledge:
    return knowledge.load()


# ---- pastes

PASTES = {
    "error file of torchrun": (
        json.dumps(
            {
                "message": {
                    "message": MATMUL,
                    "extraInfo": {"py_callstack": TRACEBACK, "timestamp": "1763800000"},
                }
            }
        ),
        1,
    ),
    "the same, indented": (
        json.dumps(
            {"message": {"message": "x", "extraInfo": {"py_callstack": TRACEBACK}}}, indent=2
        ),
        1,
    ),
    "a log of JSON lines": (
        '{"level": "info", "msg": "step 1"}\n'
        + json.dumps({"level": "error", "msg": "failed", "exc_info": TRACEBACK})
        + "\n",
        2,
    ),
    "behind a prefix": (
        "step 1\nstep 2\n2026-11-22T10:00:00Z node-3 " + json.dumps({"log": TRACEBACK}) + "\nbye\n",
        3,
    ),
    "a container's log, one line each": (
        "\n".join(
            json.dumps({"log": line + "\n", "stream": "stderr", "time": "2026-11-22T10:00:00.1Z"})
            for line in TRACEBACK.splitlines()
        ),
        4,
    ),
    "JSON in JSON": (
        json.dumps({"log": json.dumps({"severity": "ERROR", "message": TRACEBACK}) + "\n"}),
        1,
    ),
    "no JSON after all": ('{"level": "error", "msg": \n' + TRACEBACK + "}", 5),
}


@pytest.mark.parametrize("name", PASTES)
def test_json_is_opened(known: Knowledge, name: str) -> None:
    text, line = PASTES[name]
    made = paste.unpack(text)
    answer = made.place(lookup.lookup(known.index, made.text))
    assert (answer["status"], answer["hits"][0]["symptom"], answer["hits"][0]["line"]) == (
        "match",
        "matmul-shapes",
        line,
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"a": "\\ud800 \\r\\n b\\rc"}',
        "{}",
        "}{",
        '["x y", {"a b": 1}]',
        MATMUL + " {a}",
    ],
)
def test_hostile_json_is_a_text(known: Knowledge, text: str) -> None:
    made = paste.unpack(text)
    made.place(lookup.lookup(known.index, made.text))
    assert (
        not made.lines
        or len(made.lines) == made.text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("way", ["file", "pipe"])
def test_a_huge_log_is_read_at_its_end(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    way: str,
    encoding: str,
) -> None:
    """A file of 1 TB without blocks of its own, if it is a file: nothing but its end is read."""
    file = tmp_path / "huge.log"
    with file.open("wb") as handle:
        handle.write(("first line\n" * 30).encode(encoding))
        if way == "file":
            handle.truncate(1 << 40)
            handle.seek(0, os.SEEK_END)
        tail = f"\n{'x' * 80}" * (paste.LIMIT // 40) + f"\n{MATMUL}\nlast\n"
        handle.write(tail.encode(encoding)[2 if encoding == "utf-16" else 0 :])
    if way == "pipe":
        monkeypatch.setattr(sys, "stdin", file.open(encoding="latin-1"))
    assert main(["lookup", "--lang", "en", str(file) if way == "file" else "-"]) == 0
    done = capsys.readouterr()
    assert "matmul-shapes" in done.out
    assert "is long: its last 16 MiB were looked up" in done.err


def test_json_lines_are_answered_at_once() -> None:
    """Each answer is read before the next question is asked."""
    command = [sys.executable, "-m", "torchclinic", "lookup", "--jsonl"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", cwd=ROOT
    ) as process:
        assert process.stdin and process.stdout
        for ident, text, status in (
            (1, MATMUL, "match"),
            (2, "no", "none"),
            (3, json.dumps({"log": TRACEBACK}), "match"),
        ):
            process.stdin.write(json.dumps({"id": ident, "text": text}) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            assert (answer["id"], answer["status"]) == (ident, status)
        process.stdin.close()
        assert process.wait() == 0


def test_a_growing_log_of_json_is_followed() -> None:
    log = '{"msg": "step 1"}\n' + json.dumps({"msg": "failed", "exc_info": TRACEBACK}) + "\n"
    command = [sys.executable, "-m", "torchclinic", "lookup", "--follow", "--lang", "en"]
    done = subprocess.run(
        command, input=log, capture_output=True, encoding="utf-8", cwd=ROOT, check=False
    )
    assert done.returncode == 0 and done.stdout.count("line 2:") == 1


HOSTILE = "\x1b]0;evil\x07\x9b2J\u202e\x7f" + MATMUL + "\x1b[2J\x9d0;evil\x9c\u2028"


@pytest.mark.parametrize("arguments", [[], ["--json"], ["--jsonl"]])
def test_control_characters_never_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    names = [tmp_path / "\x1b[31m.log", tmp_path / "b\x9b.log"]
    for file in names:
        file.write_text(
            json.dumps({"id": HOSTILE, "text": HOSTILE}) if "--jsonl" in arguments else HOSTILE,
            encoding="utf-8",
        )
    assert main(["lookup", *arguments, *map(str, names)]) == 0
    assert main(["lookup", *arguments, str(tmp_path / "\x1b[2Jmissing")]) == 2
    assert main(["fix", "\x1b[2J\x9b"]) == 2
    done = capsys.readouterr()
    assert "matmul-shapes" in done.out
    assert not [c for c in done.out + done.err if not c.isprintable() and c != "\n"]


def test_json_stays_json(known: Knowledge) -> None:
    data = {"raw": HOSTILE, "zh": "报错", "pair": "\U0001f600\ue000"}
    assert json.loads(terminal.dumps(data)) == data and "报错" in terminal.dumps(data)


# ---- fix and show


def test_every_symptom_has_a_fix_to_print(known: Knowledge, clinic: Catalogue) -> None:
    for stem, symptom in clinic.symptoms.items():
        entry = known.symptoms[stem]
        for name in symptom.snippet.cases:
            for language in LANGUAGES:
                case, text = (
                    symptom.code(language).cases[name],
                    terminal.fix(entry, fix.choose(entry, name), language, False),
                )
                assert text.startswith(entry["texts"][language]["title"]), stem
                assert all(
                    line in text for source in case.fixes.values() for line in source.splitlines()
                )
                if len(symptom.snippet.cases) > 1:
                    assert f"[{name}]" in text, "every case stands in the table"
    assert len(clinic.symptoms) > 10


def test_fix_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fix", "matmul-shapes", "no-flatten", "--json", "--lang", "zh"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["id"], made["case"]["name"]) == ("shapes/matmul-shapes", "no-flatten")
    assert (
        "nn.Flatten()" in made["case"]["fixes"]["python"]
        and made["case"]["title"] == "送进全连接层之前没有展平"
    )
    assert {"row", "see", "do", "say", "case"} == set(made["causes"][0])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["fix", "matmul-shape"], "did you mean shapes/matmul-shapes"),
        (["fix", "nn/matmul-shapes"], "did you mean shapes/matmul-shapes"),
        (["fix", "matmul-shapes", "nope"], "it has image-size, "),
        (["fix", "tips/nn/inference"], "is a tip: it has no causes to choose from, show its page"),
        (["fix", "tips/training-loop"], "tips/nn/training-loop is a tip"),
        (["show", "tips/nn/inferense"], "did you mean tips/nn/inference"),
    ],
)
def test_what_is_not_there_is_bad_input(
    capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    assert main(arguments) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("name", ["tips/nn/training-loop", "tips/training-loop", "training-loop"])
def test_a_tip_has_one_page_by_each_of_its_names(known: Knowledge, name: str) -> None:
    assert known.find_page(name)["id"] == "tips/nn/training-loop"


def test_the_version_says_how_much_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    shown = capsys.readouterr().out.split()
    assert shown[:2] == ["torchclinic", f"{__version__}:"]
    assert shown[2:4] == [str(len(knowledge.load().symptoms)), "symptoms,"]
    assert date.fromisoformat(shown[-1]) <= date.today()


@pytest.mark.parametrize(("age", "says"), [(0, False), (400, True)])
def test_pages_that_are_old_are_called_so_once(
    age: int, says: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = knowledge.load()
    made.day = (date.today() - timedelta(days=age)).isoformat()
    monkeypatch.setattr(knowledge, "load", lambda: made)
    main(["env", "--lang", "en"])
    assert ("the pages of this copy are of" in capsys.readouterr().err) == says


def test_search_shows_ten_and_says_how_to_see_more(capsys: pytest.CaptureFixture[str]) -> None:
    def pages(*options: str) -> list[str]:
        main(["search", "--lang", "en", *options, "cuda", "out", "of", "memory"])
        return [line for line in capsys.readouterr().out.splitlines() if line[:1] not in " #"]

    few, all_of_them = pages(), pages("--all")
    more = len(all_of_them) - len(few) + 1
    assert more > 1 and few[-1] == f"{more} more: --all" and few[:-1] == all_of_them[: len(few) - 1]


def test_searches_come_from_standard_input() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "torchclinic", "search", "--jsonl", "-"],
        input='{"id": 1, "lang": "zh", "query": "显存不足"}\n{"id": 2, "query": "cuda oom"}\n{"id": 3}\n',
        capture_output=True,
        encoding="utf-8",
        cwd=ROOT,
        check=False,
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["hits"][0] for row in found] == ["memory/cuda-oom"] * 2, done.stderr
    says = 'line 3 is not {"id": …, "query": …}: \'query\' is missing'
    assert done.returncode == 2 and says in done.stderr


def test_pages_are_plain_text(known: Knowledge) -> None:
    """No HTML, no links of Markdown, no fences, nothing for Material."""
    for entry in [*known.symptoms.values(), *known.tips.values()]:
        for language in entry["texts"]:
            text = show.plain(known.page(entry, language), entry["id"], 100)
            prose = "\n".join(line for line in text.splitlines() if not line.startswith("    "))
            # Code within a line may go on in the next.
            prose = re.sub(r"(?<!`)`[^`]+`(?!`)", "", prose)
            bad = [
                line
                for line in prose.splitlines()
                if any(
                    mark in line
                    for mark in ("```", "](", "<p", "<div", "</", "{ .", "??? ", "!!! ", "**")
                )
            ]
            assert not bad, f"{entry['id']} {language}: {bad[:3]}"
            assert text.startswith(
                show.plain(f"# {entry['texts'][language]['title']}", entry["id"], 100).splitlines()[
                    0
                ]
            )


def test_show_fills_lines_and_keeps_code() -> None:
    page = (
        "# A title\n\n<a/b/>\n\nSee [this](a/b/index.md), [that](c/d/index.md) and "
        "[docs](https://example.org/x): **" + "word " * 12 + "**\n\n"
        "```python\nx = a[0](1)  # **kept**\n\n```\n\n- one\n  two\n- three\n\n"
        "| a | b |\n| --- | --- |\n"
    )
    assert show.plain(page, "a/b", 60).splitlines() == [
        *("A title", "=======", "", "(a/b)", ""),
        "See this, that (c/d) and docs <https://example.org/x>: word",
        "word word word word word word word word word word word",
        *(
            "",
            "    x = a[0](1)  # **kept**",
            "",
            "",
            "- one two",
            "- three",
            "",
            "| a | b |",
            "| --- | --- |",
        ),
    ]


# ---- the cache


@pytest.fixture
def checkout_of(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small checkout in which the knowledge is looked for."""
    monkeypatch.setattr(knowledge, "ROOT", project)
    monkeypatch.setattr(maker.make, "__defaults__", (project,))
    monkeypatch.setattr(maker.problems, "__defaults__", (project,))
    maker._catalogue.cache_clear()
    yield project
    maker._catalogue.cache_clear()


def test_the_cache_is_made_once_and_anew_after_a_change(
    checkout_of: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert knowledge.load().symptoms.keys() == {"backward-second-time"}
    with monkeypatch.context() as patch:
        patch.setattr(maker, "make", lambda part: pytest.fail("made again"))
        assert knowledge.load().symptoms.keys() == {"backward-second-time"}
    file = checkout_of / "docs/en/autograd/backward-second-time.md"
    file.write_text(
        file.read_text(encoding="utf-8").replace("title: ", "title: Now "), encoding="utf-8"
    )
    maker._catalogue.cache_clear()
    assert (
        knowledge.load().symptoms["backward-second-time"]["texts"]["en"]["title"].startswith("Now ")
    )


def test_problems_are_told_each_time(checkout_of: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (checkout_of / "docs/zh/autograd/backward-second-time.md").unlink()
    for _ in range(2):
        knowledge.load()
        assert "the catalogue has 1 problem;" in capsys.readouterr().err


def test_an_empty_index_answers_nothing(checkout_of: Path) -> None:
    (checkout_of / "facts/vocabulary.yml").write_text("topics: {", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(BadInput, match="says why"):
            knowledge.load()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"key": "x"}', "\ufffd"])
def test_a_broken_cache_is_made_anew(checkout_of: Path, content: str) -> None:
    (checkout_of / knowledge.CACHE).mkdir(exist_ok=True)
    (checkout_of / knowledge.CACHE / "answers.jsonl").write_text(content, encoding="utf-8")
    assert knowledge.load().symptoms


def test_entries_are_read_from_the_file_that_was_opened(tmp_path: Path) -> None:
    """Whole or not at all, also when another takes its place."""
    file, content = tmp_path / "part.jsonl", {"a": {"text": "\u2028\n"}, "b/c": [1, 2], "b/d": 3}
    file.write_bytes(entries.write(content, version=1))
    head, found = entries.read(file)
    (tmp_path / "new").write_bytes(entries.write({"a": 0}, version=2))
    (tmp_path / "new").replace(file)
    assert head["version"] == 1 and {**found} == content
    assert {**found.below("b/")} == {"c": [1, 2], "d": 3}
    for damaged in (b"", b"{}\n", file.read_bytes()[:-2], file.read_bytes() + b"1\n"):
        file.write_bytes(damaged)
        with pytest.raises(ValueError):
            entries.read(file)


def test_a_checkout_that_cannot_be_written_is_slow_and_right(checkout_of: Path) -> None:
    shutil.rmtree(checkout_of / knowledge.CACHE, ignore_errors=True)
    (checkout_of / knowledge.CACHE).write_text("in the way", encoding="utf-8")
    assert knowledge.load().symptoms


def test_processes_may_make_the_cache_at_once(checkout_of: Path) -> None:
    """Readers among them see the old file, the new one or none; never half of one."""
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: len(knowledge.load().symptoms), range(40)))
    assert set(found) == {1}
    kept = [file.name for file in (checkout_of / knowledge.CACHE).iterdir()]
    assert [name for name in kept if not name.endswith(".pickle")] == ["answers.jsonl"]


def test_neither_data_nor_checkout_is_bad_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(knowledge, "ROOT", tmp_path)
    with pytest.raises(BadInput, match="holds no knowledge"):
        knowledge.load()
