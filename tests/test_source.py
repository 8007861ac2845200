"""Bytes of logs, whatever wrote them: code pages, compression, growing files, closed channels."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from torchclinic import ROOT
from torchclinic.commands import decode, follow, knowledge, paste
from torchclinic.commands.decode import code_page
from torchclinic.commands.parser import main
from torchclinic.content.problem import BadInput

MATMUL = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x400 and 784x10)"
#: What Windows says in its languages, by code page.
SPOKEN = {
    "gb18030": [
        "OSError: [WinError 1455] 页面文件太小，无法完成操作。",
        "错误: 找不到",
        "警告",
        "进程无法访问该文件",
        "'python' 不是内部或外部命令，也不是可运行的程序或批处理文件。",
    ],
    "cp949": [
        "지정된 파일을 찾을 수 없습니다",
        "페이징 파일이 너무 작습니다",
        "오류: 파일이 없습니다",
    ],
    "cp932": ["指定されたファイルが見つかりません。", "アクセスが拒否されました。"],
    "cp950": ["系統找不到指定的檔案。", "分頁檔太小，無法完成這項操作。"],
    "cp1252": ["Le fichier spécifié est introuvable", "für größere Dateien", "el módulo no existe"],
}
SENTENCES = [(codec, text) for codec, texts in SPOKEN.items() for text in texts]


@pytest.mark.parametrize(("codec", "text"), SENTENCES)
def test_the_code_page_is_told(codec: str, text: str) -> None:
    assert code_page(text.encode(codec)) == codec
    assert decode.decode(f"step 1\n{text}\n{MATMUL}\n".encode(codec)) == (
        f"step 1\n{text}\n{MATMUL}\n"
    )


def test_where_nothing_tells_the_machines_own_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode.locale, "getpreferredencoding", lambda _: "cp1251")
    assert decode.decode("Не удается найти указанный файл".encode("cp1251")).startswith(
        "Не удается"
    )


def test_lines_of_two_encodings_stand_in_one_log() -> None:
    mixed = "错误\n".encode() + "错误: 文件\n".encode("gbk") + b"plain\n"
    assert decode.decode(mixed) == "错误\n错误: 文件\nplain\n"


@pytest.mark.parametrize("data", [bytes(range(256)) * 99, b"\x80\x04\x95\0\0\0\0\x8c\0\1" * 99])
def test_what_is_no_text_is_called_that(data: bytes, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "model.pt").write_bytes(data)
    assert main(["lookup", "--lang", "en", str(tmp_path / "model.pt")]) == 2
    assert capsys.readouterr().out.startswith("This is not text")


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "gbk", "latin-1"])
@pytest.mark.parametrize("size", [1, 3000])
def test_hostile_bytes_are_some_text(codec: str, size: int) -> None:
    for tail in (b"\xff", b"\x81", b"\0", b"\xfe\xff", b"\x1b[", b"\xe4\xb8"):
        text = decode.decode(f"{'x ' * size}{MATMUL}".encode(codec) + tail + b"\n")
        assert "mat1 and mat2" in text.replace("\0", "")


# ---- files


def zstd(data: bytes) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd as packer

        return packer.compress(data)
    if not shutil.which("zstd"):
        pytest.skip("needs the program zstd")
    return subprocess.run(["zstd", "-qc"], input=data, stdout=subprocess.PIPE, check=True).stdout


@pytest.mark.parametrize("pack", [gzip.compress, zstd])
def test_compressed_logs_are_read(pack: Any, tmp_path: Path, capsys: Any) -> None:
    log = ("step\n" * (paste.LIMIT // 4) + f"{MATMUL}\n").encode()
    (tmp_path / "log").write_bytes(pack(log))
    assert main(["lookup", "--lang", "en", str(tmp_path / "log")]) == 0
    done = capsys.readouterr()
    assert "matmul-shapes" in done.out and "is long" in done.err


def test_of_a_compressed_log_that_is_cut_the_beginning_is_read(tmp_path: Path) -> None:
    packed = gzip.compress(f"{MATMUL}\n".encode() + os.urandom(9999).hex().encode())
    (tmp_path / "cut.gz").write_bytes(packed[:-2000])
    assert paste.read(str(tmp_path / "cut.gz")).text.startswith(MATMUL)


def test_of_one_that_is_damaged_what_stands_before_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "bad.gz").write_bytes(gzip.compress(f"{MATMUL}\n".encode()) + b"garbage")
    assert paste.read(str(tmp_path / "bad.gz")).text.startswith(MATMUL)


@pytest.mark.parametrize("pack", [gzip.compress, zstd])
def test_where_nothing_can_be_unpacked_it_is_not_called_empty(
    pack: Any, tmp_path: Path, capfd: Any
) -> None:
    (tmp_path / "cut").write_bytes(pack(os.urandom(99))[:5])
    with pytest.raises(BadInput, match=r"cut cannot be read .*its end is missing"):
        paste.read(str(tmp_path / "cut"))
    assert not capfd.readouterr().err


@pytest.mark.parametrize(
    "damage", [b"\x1f\x8bnonsense", b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xff\xff\xff"]
)
def test_a_damaged_file_is_bad_input(damage: bytes, tmp_path: Path) -> None:
    (tmp_path / "bad.gz").write_bytes(damage)
    with pytest.raises(BadInput, match="cannot be read"):
        paste.read(str(tmp_path / "bad.gz"))


def test_one_that_cannot_be_read_hides_no_other(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "plain.log").write_text(MATMUL, encoding="utf-8")
    files = [str(tmp_path / name) for name in ("missing.log", "plain.log")]
    assert main(["lookup", "--lang", "en", *files]) == 2
    done = capsys.readouterr()
    assert "matmul-shapes" in done.out and "missing.log cannot be read" in done.err


def test_a_progress_bar_ends_no_line(tmp_path: Path, capsys: Any) -> None:
    """Lines are those of `grep -n`."""
    bar = "".join(f"\r{n}%|###| {{'loss': 1}}" for n in range(100))
    (tmp_path / "log").write_bytes(f"start\r\n{bar}\n{MATMUL}\n".encode())
    assert main(["lookup", "--lang", "en", str(tmp_path / "log")]) == 0
    assert "line 3: RuntimeError" in capsys.readouterr().out


def test_a_quoted_line_has_no_colours(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "log").write_text(f"\x1b[1;91m{MATMUL[:12]}\x1b[0m{MATMUL[12:]}", encoding="utf-8")
    main(["lookup", "--lang", "en", str(tmp_path / "log")])
    assert f"line 1: {MATMUL}" in capsys.readouterr().out


def test_a_quoted_line_has_no_zeros_of_a_log_that_was_cut(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "log").write_text("\0" * 999 + MATMUL, encoding="utf-8")
    main(["lookup", "--lang", "en", str(tmp_path / "log")])
    assert f"line 1: {MATMUL}" in capsys.readouterr().out


# ---- channels that are closed or full


@pytest.mark.skipif(sys.platform == "win32", reason="a shell's redirections")
@pytest.mark.parametrize(
    ("redirection", "says"),
    [
        ("<&-", "standard input cannot be read"),
        (">&- <log", "standard output is closed"),
        ("2>&- <log >/dev/full", ""),
        ("<log >/dev/full", "No space left"),
        ("2>&- <&-", ""),
    ],
)
def test_what_cannot_be_read_or_written_is_no_answer(
    redirection: str, says: str, tmp_path: Path
) -> None:
    if "/dev/full" in redirection and not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    (tmp_path / "log").write_text("nothing is known of this\n", encoding="utf-8")
    done = subprocess.run(
        ["sh", "-c", f'"$@" {redirection}', "sh", sys.executable, "-m", "torchclinic", "lookup"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2 and says in done.stderr
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr


# ---- growing logs


@pytest.fixture(scope="module")
def known() -> knowledge.Knowledge:
    return knowledge.load()


def told(log: follow._Log, known: knowledge.Knowledge, *pieces: bytes) -> list[tuple[str, int]]:
    """What a log tells of pieces that come one by one."""
    found = []
    for piece in pieces:
        log.add(piece)
        for answer in log.new(known):
            hit: Any = answer["hits"][0] if answer["hits"] else answer["origin"]
            found.append((hit.get("symptom", "origin"), hit["line"]))
    return found


@pytest.mark.parametrize("codec", ["utf-8", "utf-16", "utf-16-be", "gbk"])
def test_a_growing_log_of_any_encoding(known: knowledge.Knowledge, codec: str) -> None:
    data = ("错误: 第一\n" + "step\n" * 40_000 + f"{MATMUL}\nlast\n").encode(codec)
    third = len(data) // 3 | 1
    pieces = [data[:third], data[third:-30], data[-30:]]
    assert told(follow._Log(), known, *pieces) == [("matmul-shapes", 40_002)]


def test_a_line_is_told_when_it_is_whole(known: knowledge.Knowledge) -> None:
    log = follow._Log()
    assert told(log, known, MATMUL.encode()) == []
    assert told(log, known, b"\n", b"step\n") == [("matmul-shapes", 1)]


def test_where_pytorch_writes_it_is_told(known: knowledge.Knowledge) -> None:
    """A message of PyTorch that no page has."""
    text = b"RuntimeError: Cannot call strides() on tensor with symbolic sizes/strides\n"
    assert told(follow._Log(), known, text) == [("origin", 1)]


@pytest.mark.parametrize("way", ["moved", "cut"])
def test_a_log_that_is_rotated_is_followed(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Into a new file of the name, or from the beginning of one that was cut."""
    file, log = tmp_path / "train.log", follow._Log()
    file.write_text("step\n" * 9, encoding="utf-8")
    pauses = []

    def rotate(_: float) -> None:
        pauses.append(1)
        if way == "moved":
            file.rename(tmp_path / "train.log.1")
        file.write_text("new\n", encoding="utf-8")

    monkeypatch.setattr(follow.time, "sleep", rotate)
    pieces = follow._pieces(str(file), log)
    seen = [next(pieces) for _ in range(3)]
    assert seen == [b"step\n" * 9, b"", b"new\n"] and len(pauses) == 1


def test_followed_as_json() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "torchclinic", "lookup", "--follow", "--json"],
        input=f"step\n{MATMUL}\n".encode("utf-16"),
        capture_output=True,
        cwd=ROOT,
        check=False,
    )
    (line,) = done.stdout.splitlines()
    answer = json.loads(line)
    assert (answer["hits"][0]["symptom"], answer["hits"][0]["line"]) == ("matmul-shapes", 2)
