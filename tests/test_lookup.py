"""The matcher: on what snippets printed, on what people paste, on what is hostile."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from torchclinic import ROOT
from torchclinic.commands.parser import main
from torchclinic.commands.paste import decode
from torchclinic.content.catalogue import Catalogue
from torchclinic.find import lookup
from torchclinic.find.clean import redact

MATMUL = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x864 and 1176x10)"


def stems(table: dict[str, Any], text: str) -> list[str]:
    return [hit["symptom"] for hit in lookup.lookup(table, text)["hits"]]


def test_every_recorded_break_is_found(clinic: Catalogue, table: dict[str, Any]) -> None:
    seen = 0
    for record in clinic.evidence:
        for stem, symptom in clinic.symptoms.items():
            for name, case in symptom.snippet.cases.items():
                made = record.cell(symptom.snippet, f"break {name}")
                if made and made["outcome"] == "passed" and not case.silent:
                    assert stems(table, made.get("traceback") or made["output"])[:1] == [stem], (
                        f"{record.environment} {stem} {name}"
                    )
                    seen += 1
    assert seen > 10


@pytest.mark.parametrize(
    "dress",
    [
        str,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\n".join(f"[rank3]: {line}" for line in text.split("\n")),
        lambda text: "\n".join(f"(train pid=4711) {line}" for line in text.split("\n")),
        lambda text: "\n".join(f"E       {line}" for line in text.split("\n")),
        lambda text: "\n".join(f"> {line}" for line in text.split("\n")),
        lambda text: "\n".join(f"\u2502 {line:<100} \u2502" for line in text.split("\n")),
        lambda text: "\n".join(
            f"2026-11-21 10:00:00,123 ERROR {line}" for line in text.split("\n")
        ),
        lambda text: "\n".join(
            f"ERROR 01-11 13:09:40 engine.py:366] {line}" for line in text.split("\n")
        ),
        lambda text: "\n".join(
            line[at : at + 37]
            for line in text.split("\n")
            for at in range(0, max(1, len(line)), 37)
        ),
        lambda text: text.replace("mat1", "\x1b[31mmat1\x1b[0m"),
        lambda text: text.replace(" ", "\u00a0").replace("(", "\uff08"),
        lambda text: "  0%|    | 0/76 [00:00<?, ?it/s]\r 10%|#   | 7/76\r" + text,
        lambda text: text.replace("\n", "\\n"),
        lambda text: text.replace("RuntimeError: ", "RuntimeError:") + "\uff0c求助",
    ],
)
def test_a_message_is_found_however_it_is_dressed(table: dict[str, Any], dress: Any) -> None:
    text = f'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n    model(x)\n{MATMUL}'
    answer = lookup.lookup(table, dress(text))
    assert answer["status"] == "match"
    assert answer["hits"][0]["symptom"] == "matmul-shapes"
    assert answer["hits"][0]["values"]["k"] == "864"


def test_the_hit_names_the_raw_line(table: dict[str, Any]) -> None:
    hit = lookup.lookup(table, f"first\n\x1b[31m[rank0]: {MATMUL}\x1b[0m\nlast")["hits"][0]
    assert (hit["line"], hit["raw"]) == (2, f"\x1b[31m[rank0]: {MATMUL}\x1b[0m")


def test_the_diagnosis_holds_the_users_numbers(table: dict[str, Any]) -> None:
    hit = lookup.lookup(table, MATMUL)["hits"][0]
    for language in ("en", "zh"):
        sentence = lookup.diagnose(table, hit, language)
        assert "864" in sentence and "1176" in sentence and "{" not in sentence


def test_quoted_source_is_no_error(table: dict[str, Any]) -> None:
    text = 'File "a.py", line 3, in f\n    raise RuntimeError("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)")'
    assert lookup.lookup(table, text)["status"] == "none"


def test_the_cause_stands_before_its_wrapper(table: dict[str, Any]) -> None:
    text = (
        "RuntimeError: Caught RuntimeError in DataLoader worker process 0.\nOriginal Traceback (most recent call last):\n"
        '  File "collate.py", line 1, in f\n    return torch.stack(batch, 0)\n'
        "RuntimeError: stack expects each tensor to be equal size, but got [3, 4] at entry 0 and [3, 5] at entry 1"
    )
    assert stems(table, text)[0] == "stack-sizes"


def test_the_assertion_line_outranks_the_device_side_assert(table: dict[str, Any]) -> None:
    text = (
        "../aten/src/ATen/native/cuda/Loss.cu:250: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: [5,0,0] "
        "Assertion `t >= 0 && t < n_classes` failed.\nRuntimeError: CUDA error: device-side assert triggered"
    )
    assert stems(table, text)[:2] == ["label-out-of-range", "device-side-assert"]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("", "empty"),
        (" \n\t\ufeff\u200b\r\n", "empty"),
        ("\x01\x02\x03\x04" * 500, "binary"),
        ("\ufffd\ufffd\ufffdPNG" * 100, "binary"),
        ("<script>alert(1)</script><img src=x onerror=alert(1)>", "none"),
        ("everything is fine", "none"),
        ("ValueError: my own message", "none"),
    ],
)
def test_what_is_no_error_of_torch(table: dict[str, Any], text: str, status: str) -> None:
    answer = lookup.lookup(table, text)
    assert (answer["status"], answer["hits"]) == (status, [])


def test_none_names_the_line_it_looked_for(table: dict[str, Any]) -> None:
    assert (
        lookup.lookup(table, "step 1\n[rank0]: my.module.OddError: what now\nbye")["looked_for"]
        == "my.module.OddError: what now"
    )


def test_five_megabytes_of_noise_are_read_to_the_end(table: dict[str, Any]) -> None:
    noise = "".join(f"{n} the loss of step {n} is {n * 7919 % 1000}\n" for n in range(130_000))
    assert len(noise) > 5_000_000 - 1_000_000
    assert lookup.lookup(table, noise)["status"] == "none"
    assert stems(table, noise + MATMUL) == ["matmul-shapes"]


def run(*arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "torchclinic", *arguments],
        input=data,
        capture_output=True,
        cwd=ROOT,
        check=False,
    )


def test_command_line_prints_diagnosis_and_fix() -> None:
    done = run("lookup", "--lang", "en", data=MATMUL.encode())
    text = done.stdout.decode()
    assert done.returncode == 0, done.stderr
    assert (
        "864" in text
        and "1176" in text
        and "Cause: The layer was counted for another image size" in text
        and "nn.Linear(" in text
        and "show shapes/matmul-shapes" in text
    )
    assert "\x1b" not in text  # no colour into a pipe


@pytest.mark.parametrize(
    ("data", "status", "says"),
    [
        (b"", 2, b"empty"),
        (b"\x7fELF\x02\x01\x01" + bytes(range(1, 32)) * 200, 2, b"not text"),
        (b"qwertz asdf", 1, b"No match"),
        ("\ufeff".encode("utf-16-le") + MATMUL.encode("utf-16-le"), 0, b"matmul-shapes"),
        (MATMUL.encode() + b"\xff\xfe", 0, b"matmul-shapes"),
        (b"\x1b]0;evil\x07<script>\x1b[2J" + MATMUL.encode(), 0, b"matmul-shapes"),
    ],
)
def test_command_line_on_bad_input(data: bytes, status: int, says: bytes) -> None:
    done = run("lookup", "--lang", "en", data=data)
    assert done.returncode == status
    assert says in done.stdout and b"\x1b" not in done.stdout


def test_a_missing_file_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lookup", "no-such-file.log"]) == 2
    assert "no-such-file.log cannot be read" in capsys.readouterr().err


def test_unknown_ids_are_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "no-such-symptom"]) == 2
    assert "no symptom `no-such-symptom`" in capsys.readouterr().err


def test_where_the_text_tells_no_cause_the_one_met_most_stands_above_the_table() -> None:
    text = run(
        "lookup", "--lang", "en", data=MATMUL.replace("864", "400").replace("1176", "784").encode()
    ).stdout.decode()
    places = [
        text.find(part)
        for part in ("Check first", "Fix (", "Which of these do you see?", "To decide, it needs: ")
    ]
    assert places[0] > 0 and places == sorted(places) and "[image-size]" in text[places[-1] :]
    assert "Cause: " not in text and "Most likely: " not in text


def test_a_leaning_is_said_to_be_one() -> None:
    text = run(
        "lookup", "--lang", "en", data=MATMUL.replace("864", "13").replace("1176", "12").encode()
    ).stdout.decode()
    assert "Most likely: " in text and "Cause: " not in text and "Other causes:" in text


def test_json_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "pastes.jsonl"
    file.write_text(
        json.dumps({"id": "a", "text": MATMUL})
        + "\n\n"
        + json.dumps({"id": "b", "text": "no"})
        + "\n",
        encoding="utf-8",
    )
    assert main(["lookup", "--jsonl", str(file)]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows == [
        {
            "id": "a",
            "status": "match",
            "hits": ["matmul-shapes"],
            "rung": "sure",
            "about": [],
            "cause": "image-size",
            "leaning": False,
            "row": "image-size",
        },
        {
            "id": "b",
            "status": "none",
            "hits": [],
            "rung": "none",
            "about": [],
            "cause": None,
            "leaning": False,
            "row": "",
        },
    ]
    file.write_text('{"id": 1}\n', encoding="utf-8")
    assert main(["lookup", "--jsonl", str(file)]) == 2
    assert "line 1" in capsys.readouterr().err


def test_json(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        buffer = io.BytesIO(MATMUL.encode())

    monkeypatch.setattr(sys, "stdin", Input)
    assert main(["lookup", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (
        answer["hits"][0]["values"]["k2"] == "1176"
        and "1176" in answer["hits"][0]["diagnosis"]["zh"]
    )


def test_decode_knows_powershells_utf16() -> None:
    assert decode("\ufeffabc".encode("utf-16-le")) in ("abc", "\ufeffabc")
    assert decode("abcdef".encode("utf-16-le")) == "abcdef"


def test_follow_reports_each_error_once(tmp_path: Path) -> None:
    log = (
        "step 1\nstep 2\n"
        + MATMUL
        + "\nstep 3\n"
        + "x" * 60_000
        + "\nRuntimeError: CUDA error: device-side assert triggered\n"
    )
    done = run("lookup", "--lang", "en", "--follow", data=log.encode())
    text = done.stdout.decode()
    assert done.returncode == 0
    assert text.count("line 3:") == 1 and text.count("line 6:") == 1


def test_several_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("a.log", MATMUL), ("b.log", "qwertz asdf")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert main(["lookup", "--lang", "en", str(tmp_path / "a.log"), str(tmp_path / "b.log")]) == 1
    text = capsys.readouterr().out
    assert f"== {tmp_path / 'a.log'}" in text and "No match" in text


@pytest.mark.parametrize(
    ("line", "redacted"),
    [
        ("OSError: /home/ann/run3/a.pt is gone", "OSError: <path> is gone"),
        ("connect to ann@host.example.org:29500 failed", "connect to <address> failed"),
        ("token hf_aBcD1234eFgH5678iJkL was refused", "token <secret> was refused"),
        ("got (3, 12) of 10.0.0.7", "got (<n>, <n>) of <n>.<n>.<n>.<n>"),
        ("what(): c10::Error in Conv2d of 64x864", "what(): c10::Error in Conv2d of <n>x<n>"),
        (
            "needs torch==1.13.1,numpy<2 not 2.0.1+cu117",
            "needs torch==1.13.1,numpy<<n> not 2.0.1+cu117",
        ),
        (
            "\u5728Win10\u7528torch1.13\u548ccuda11.6\u8bad\u7ec3\u62a5\u9519",
            "\u5728Win10\u7528torch1.<n>\u548ccuda11.<n>\u8bad\u7ec3\u62a5\u9519",
        ),
        ("\u6587\u4ef6D:\\\u5f20\u4e09\\a.pt\u4e0d\u5b58\u5728", "\u6587\u4ef6<path>"),
        ("\u5728\u6570\u636e/\u5f20\u4e09/a.pt, \u4e0d\u884c", "<path>, \u4e0d\u884c"),
        (
            "undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocationE",
            "undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocationE",
        ),
    ],
)
def test_reports_are_redacted(line: str, redacted: str) -> None:
    assert redact(line) == redacted


FOREIGN = [
    json.loads(line)
    for line in (Path(__file__).parent / "data/foreign.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]


@pytest.mark.parametrize("row", FOREIGN, ids=[row["id"] for row in FOREIGN])
def test_errors_of_other_programs_are_not_claimed(
    table: dict[str, Any], row: dict[str, Any]
) -> None:
    """Real errors of other programs, and ours (`own-…`) in which torch stands only in a list, a path or prose; `same_cure` may be claimed all the same."""
    assert not stems(table, row["text"])[:1] or stems(table, row["text"])[0] in row["same_cure"]
