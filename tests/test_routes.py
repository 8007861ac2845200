"""Routes are followed: each step put in place, each command run, its output compared."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from torchclinic import LANGUAGES, ROOT
from torchclinic.content import comments, page, yamlfile
from torchclinic.content.problem import Problems
from torchclinic.content.snippet import WIDTH
from torchclinic.content.tip import PROGRAMS as WHERE
from torchclinic.site import checks_file, routes

PAGES = {
    language: [
        ROOT / "docs" / language / name
        for name in routes.names(ROOT, language)
        if not name.endswith("/index.md")
    ]
    for language in LANGUAGES
}
#: A step; or what is typed, or printed then.
PIECE = re.compile(
    routes.DIRECTIVE.pattern + r"|^```(console|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
#: What is typed -> how it is run here.
PROGRAMS = {
    "python": [sys.executable],
    "torchrun": [sys.executable, "-m", "torch.distributed.run"],
}
#: Another processor rounds otherwise.
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")
TOLERANCE = 0.1
PORT = re.compile(r"((?:--master-port|train\.py (?:serve|ask)) )(\d+)")
SEVERAL = "several-gpus"
#: Name of a route -> the hash of all that it showed when its steps were run, see `--record`.
RUN = ROOT / "tests" / "data" / "routes.json"


def pieces(file: Path) -> list[tuple[str, str]]:
    """(kind, text) of the steps, commands and outputs of a page, in order."""
    found = PIECE.finditer(file.read_text(encoding="utf-8"))
    return [
        (match[4], match[5]) if match[4] else ("step", f"{match[1]} {match[2]}") for match in found
    ]


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def start(command: str, folder: Path, port: str) -> subprocess.Popen[str]:
    """Run what is typed, with a port of our own in place of the page's and of torchrun's."""
    name, *arguments = shlex.split(PORT.sub(rf"\g<1>{port}", command))
    # Warnings are shown on pages nowhere, and differ among releases.
    return subprocess.Popen(
        [*PROGRAMS[name], *arguments],
        cwd=folder,
        env={
            **os.environ,
            "CUDA_VISIBLE_DEVICES": "",
            "OMP_NUM_THREADS": "1",  # threads of a busy machine wait for one another
            "PET_MASTER_PORT": port,
            "TORCHINDUCTOR_CACHE_DIR": str(folder / "compiled"),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def run(typed: list[str], folder: Path) -> str:
    """What commands print in terminals of their own; a server is stopped when all are answered."""
    port, printed, servers, others = free_port(), "", [], []
    for command in typed:
        if " serve " not in command:
            others.append(start(command, folder, port))
            continue
        servers.append(start(command, folder, "0"))
        for line in servers[-1].stdout or ():
            if "listening" in line:
                port, line = NUMBER.findall(line)[0], NUMBER.sub(PORT.findall(command)[0][1], line)
            printed += line
            if "listening" in line:
                break
    printed += "".join(process.communicate()[0] for process in others)
    for server in servers:
        server.send_signal(signal.SIGINT)
        printed += server.communicate()[0]
    assert [process.returncode for process in others + servers] == [0] * len(typed)
    return printed


def lacking(command: str) -> str:
    """What a command needs and this machine has not."""
    compilers = ("g++", "clang++", "cl")
    if re.search("compiled|package", command) and not any(map(shutil.which, compilers)):
        return "a C++ compiler"
    return "onnxscript" if "onnx" in command and not find_spec("onnxscript") else ""


def untorn(printed: str, shown: str) -> list[str]:
    """The lines of ranks that print at once.

    torchrun starts Python without a buffer (`-u`), which writes a line and its end apart: another
    rank's line may stand between them, and an empty line is left.
    """
    lines = printed.splitlines()
    if "" not in lines:
        return lines
    begins = {re.escape(line.split()[0]) for line in shown.splitlines()}
    parts = (re.split(rf"(?<=.)(?={'|'.join(begins)})", line) for line in lines)
    return [part for line in parts for part in line if part]


def assert_printed(printed: str, shown: str) -> None:
    """Ranks print in any order: lines are compared sorted, numbers to a tenth."""
    lines, wanted = sorted(untorn(printed, shown)), sorted(shown.splitlines())
    assert [NUMBER.sub("#", line) for line in lines] == [NUMBER.sub("#", line) for line in wanted]
    for line, want in zip(lines, wanted, strict=True):
        numbers = [float(number) for number in NUMBER.findall(line)]
        expected = [float(number) for number in NUMBER.findall(want)]
        assert numbers == pytest.approx(expected, rel=TOLERANCE, abs=TOLERANCE / 2), printed


def code_of(step: str) -> str:
    route, number = step.split()
    return routes.source(ROOT, route, int(number))


def put(folder: Path, step: str) -> None:
    code = code_of(step)
    (folder / routes.PROGRAM).write_text(code, encoding="utf-8")
    if "import torchclinic_checks" in code:  # which the page gives to download
        text = checks_file.joined(ROOT / "torchclinic" / "checks")
        (folder / "torchclinic_checks.py").write_text(text, encoding="utf-8")


def digest(file: Path) -> str:
    shown = [(kind, code_of(text) if kind == "step" else text) for kind, text in pieces(file)]
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:16]


def todays() -> list[object]:
    """Routes that changed since they were recorded, and one of the others; `full` for the rest.

    Each takes up to two minutes.
    """
    recorded = json.loads(RUN.read_text(encoding="utf-8"))
    same = [file for file in PAGES["en"] if recorded.get(file.stem) == digest(file)]
    chosen = same[int(time.time() // 86400) % len(same)] if same else None
    return [
        pytest.param(file, id=file.stem, marks=pytest.mark.full)
        if file in same and file is not chosen
        else pytest.param(file, id=file.stem)
        for file in PAGES["en"]
    ]


@pytest.mark.parametrize("file", todays())
def test_each_step_prints_what_the_page_shows(
    file: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    printed = ""
    for kind, text in pieces(file):
        if kind == "step":
            put(tmp_path, text)
        elif kind == "text":
            assert_printed(printed, text)
        else:
            # `rm checkpoint.pt` stands in the sentence above.
            if "--nnodes" in text:
                (tmp_path / "checkpoint.pt").unlink()
            if missing := lacking(text):
                pytest.skip(f"from here on it was not run, it needs {missing}: {text}")
            printed = run([line.removeprefix("$ ") for line in text.splitlines()], tmp_path)
    if request.config.getoption("--record"):
        recorded = json.loads(RUN.read_text(encoding="utf-8")) | {file.stem: digest(file)}
        RUN.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def test_a_run_that_was_broken_off_goes_on(tmp_path: Path) -> None:
    put(tmp_path, f"{SEVERAL} 5")
    command = "torchrun --nproc-per-node 2 train.py"
    process = start(command, tmp_path, free_port())
    assert process.stdout is not None
    seen = ""
    while not seen.startswith("epoch 2"):  # so that epoch 1 was saved
        seen = process.stdout.readline()
        assert seen, "it ended before epoch 2"
    process.send_signal(signal.SIGINT)
    process.communicate()
    again, _ = start(command, tmp_path, free_port()).communicate()
    assert again.startswith(("epoch 2", "epoch 3")), again
    assert again.splitlines()[-1].startswith("epoch 3")
    assert start(command, tmp_path, free_port()).communicate()[0] == ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_whole_program_of_each_step_lies_where_its_link_leads(language: str) -> None:
    made = routes.programs(ROOT, language)
    for file in PAGES[language]:
        shown = routes.expand(ROOT, file.read_text(encoding="utf-8"), {}, language)
        linked = re.findall(r"\(([a-z-]+/\d+-[a-z-]+\.py)\)\{ download", shown)
        assert len(linked) == shown.count("{ .diff .tc-diff") > 0
        for name in linked:
            ast.parse(made[f"{routes.FOLDER}/{name}"])


def test_both_languages_show_the_same() -> None:
    assert [file.name for file in PAGES["en"]] == [file.name for file in PAGES["zh"]] != []
    for english, chinese in zip(PAGES["en"], PAGES["zh"], strict=True):
        assert pieces(english) == pieces(chinese), english.name
        targets = page.targets(english.read_text("utf-8"))
        assert targets == page.targets(chinese.read_text("utf-8"))
        for target in targets:
            assert (english.parent / target.partition("#")[0]).is_file(), target


@pytest.mark.parametrize("file", PAGES["zh"], ids=lambda file: file.stem)
def test_every_comment_of_the_steps_is_chinese(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    front = page.split_front_matter(text)[0]
    twins = yamlfile.load(front, file, 2, Problems(ROOT)).get("comments", {})
    said = {
        comment.text
        for route, number, _ in routes.steps(text)
        for comment in comments.of_code(routes.source(ROOT, route, number))
    }
    assert said == set(twins)
    for english, chinese in twins.items():
        assert english.count("\n") == chinese.count("\n"), english


def test_no_line_is_wider_than_its_column() -> None:
    files = sorted((ROOT / WHERE / routes.FOLDER).rglob("*.py"))
    lines = [(file, line) for file in files for line in file.read_text("utf-8").splitlines()]
    assert lines
    assert not [found for found in lines if len(found[1]) > WIDTH]


def test_lines_of_two_ranks_are_told_apart() -> None:
    shown = "epoch 0: loss 0.71\nepoch 0: loss 0.71\nepoch 1: loss 0.52\n"
    assert_printed("epoch 0: loss 0.70epoch 0: loss 0.71\n\nepoch 1: loss 0.52\n", shown)
    with pytest.raises(AssertionError):
        assert_printed("epoch 0: loss 0.70epoch 1: loss 0.52\n\n", shown)
