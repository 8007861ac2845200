"""Pictures of a message's values: what is drawn, what is not, and that both twins draw the same."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from torchclinic import LANGUAGES
from torchclinic.content import words
from torchclinic.content.catalogue import Catalogue
from torchclinic.content.problem import Problems
from torchclinic.content.snippet_file import read
from torchclinic.find import lookup, picture
from torchclinic.site.message_view import svg

from .twins import VALUES, Twin

WORDS = {language: words.of(language, "picture") for language in LANGUAGES}
PRODUCT = [["product", "m", "k", "k2", "n"]]
SHAPES = [["sizes", "right", "a", "b"]]


def lines(pictures: list[list[str]], **values: str) -> list[str]:
    made = picture.draw(pictures, values, WORDS["en"])
    return made["lines"] if made else []


@pytest.mark.parametrize(
    ("pictures", "values", "wanted"),
    [
        (
            PRODUCT,
            {"m": "77", "k": "768", "k2": "4096", "n": "5120"},
            ["77 x [768]  @  [4096] x 5120", "768 ≠ 4096"],
        ),
        (SHAPES, {"a": "3, 4, 5", "b": "2, 1, 5"}, ["a  [3] 4 5", "b  [2] 1 5"]),
        (SHAPES, {"a": "8, 3, 4", "b": "5"}, ["a  8 3 [4]", "b      [5]"]),
        ([["sizes", "left", "a", "b"]], {"a": "3", "b": "3, 1,"}, ["a  3", "b  3 [1]"]),
        (
            [["axis", "dim", "a", "b"]],
            {"dim": "1", "a": "4", "b": "13"},
            ["a  ·  [4] …", "b  · [13] …", "dim 1: 4 ≠ 13"],
        ),
        ([["channels", "got", "want"]], {"got": "1", "want": "3"}, ["came [1]  ≠  wanted 3"]),
        (
            [["tiles", "want", "got", "i", "dim"]],
            {"want": "32", "got": "31", "i": "4", "dim": "1"},
            ["2: 32  3: 32  4: [31]   (dim 1)"],
        ),
        (
            [["tiles", "want", "got", "i", "dim"]],
            {"want": "32", "got": "31", "i": "1"},
            ["0: 32  1: [31]"],
        ),
        (
            [["parts", "n", "shape"]],
            {"n": "179776", "shape": "-1, 400"},
            ["179776 = 449 x 400 + [176]"],
        ),
        ([["parts", "n", "shape"]], {"n": "100", "shape": "2, 3, 4"}, ["[100] ≠ 2 × 3 × 4 = 24"]),
        (
            [["strides", "a", "b"]],
            {"a": "3, 2", "b": "1, 3"},
            ["places in memory, in reading order: 0 [3] [1] [4] [2] [5] …"],
        ),
        # The first whose values are there.
        (
            [*SHAPES, ["axis", "dim", "a", "b"]],
            {"dim": "0", "a": "4", "b": "3"},
            ["a  [4]", "b  [3]"],
        ),
        (
            [["sizes", "right", "x", "y"], *PRODUCT],
            {"m": "1", "k": "2", "k2": "3", "n": "4"},
            ["1 x [2]  @  [3] x 4", "2 ≠ 3"],
        ),
    ],
)
def test_a_picture_in_lines(
    pictures: list[list[str]], values: dict[str, str], wanted: list[str]
) -> None:
    assert lines(pictures, **values) == wanted


def test_memory_adds_up() -> None:
    """Of 24 GiB: 1 free, 20 this process's, of which 18 in use and 1 reserved; so 3 are of others and 1 is the driver's."""
    values = {
        "size": "2.00 GiB",
        "total": "24.00 GiB",
        "free": "1.00 GiB",
        "used": "18.00 GiB",
        "cached": "1024.00 MiB",
        "mine": "20.00 GiB",
    }
    assert [
        tuple(" ".join(line.replace("#", "").split()).rsplit(" ", 2))
        for line in lines([["memory"]], **values)
    ] == [
        ("other processes", "3.00", "GiB"),
        ("driver (CUDA context)", "1.00", "GiB"),
        ("PyTorch: in use", "18.00", "GiB"),
        ("PyTorch: reserved, not in use", "1.00", "GiB"),
        ("free", "1.00", "GiB"),
        ("requested", "2.00", "GiB"),
    ]
    older = {
        "size": "20.00 MiB",
        "total": "10.00 GiB",
        "free": "38.00 MiB",
        "used": "9.00 GiB",
        "reserved": "9.50 GiB",
    }
    assert (
        "512 MiB" in lines([["memory"]], **older)[2]
        and "38 MiB" in lines([["memory"]], **older)[3]
        and "20 MiB" in lines([["memory"]], **older)[4]
    )


@pytest.mark.parametrize(
    ("pictures", "values"),
    [
        (PRODUCT, {"m": "1", "k": "2", "k2": "2", "n": "4"}),  # nothing is wrong with it
        (PRODUCT, {"m": "1", "k": "2", "k2": "3"}),
        (PRODUCT, {"m": "s0", "k": "2", "k2": "3", "n": "4"}),
        (PRODUCT, {"m": "9" * 400, "k": "2", "k2": "3", "n": "4"}),
        ([["strides", "a", "b"]], {"a": "3, 2", "b": "2, 1"}),
        (SHAPES, {"a": "3, 1", "b": "3, 5"}),  # a 1 fits all
        (SHAPES, {"a": ", ".join("9" * 1000), "b": "5"}),
        ([["parts", "n", "shape"]], {"n": "100", "shape": ", ".join(["9999999999999"] * 8)}),
        ([["parts", "n", "shape"]], {"n": "100", "shape": "0, -1"}),
        ([["memory"]], {"size": "1 GiB", "total": "2 GiB", "free": "3 GiB"}),
        ([["memory"]], {"size": "1 GiB", "total": "2 GiB", "free": "1 GiB", "used": "9 GiB"}),
        ([["memory"]], {"size": "1e999 GiB", "total": "2 GiB", "free": "1 GiB"}),
        ([], {"m": "1"}),
    ],
)
def test_no_picture_of_what_cannot_be(pictures: list[list[str]], values: dict[str, str]) -> None:
    assert picture.draw(pictures, values, WORDS["en"]) is None


def test_every_sample_of_a_symptom_with_pictures_that_holds_the_values_is_drawn(
    clinic: Catalogue, table: dict[str, Any]
) -> None:
    for symptom in clinic.symptoms.values():
        if symptom.snippet.pictures:
            hits = [
                hit
                for made in symptom.snippet.wordings
                for hit in lookup.lookup(table, made.sample)["hits"]
                if hit["symptom"] == symptom.stem
            ]
            assert any(lookup.drawn(table, hit, WORDS["en"]) for hit in hits), symptom.stem


def arguments(count: int, seed: int) -> list[list[Any]]:
    """Pictures of any kind with values that fit and values that nothing fits."""
    rng = random.Random(seed)
    names = ["a", "b", "c", "d"]
    made: list[list[Any]] = []
    for _ in range(count):
        kind = rng.choice(list(picture.KINDS))
        values = {
            name: rng.choice(
                [
                    rng.choice(VALUES),
                    str(rng.randint(0, 9)),
                    str(rng.randint(0, 5000)),
                    str(10 ** rng.randint(0, 14)),
                    ", ".join(str(rng.randint(-1, 9)) for _ in range(rng.randint(0, 9))),
                ]
            )
            for name in names
        }
        if kind == "memory":
            unit = ["KiB", "MiB", "GiB", "GiB", "GiB", "bytes", "TiB"]
            sizes = ("size", "total", "free", "used", "cached", "reserved", "mine")
            values = {
                name: f"{rng.randint(0, 99)}.{rng.randint(0, 99):02} {rng.choice(unit)}"
                for name in sizes
                if rng.random() < 0.85
            }
        holes = (
            [rng.choice(["left", "right"]), *rng.sample(names, rng.randint(2, 4))]
            if kind == "sizes"
            else rng.choices(names, k=len(picture.KINDS[kind]))
        )
        made.append([[[kind, *holes]], values, WORDS[rng.choice(LANGUAGES)]])
    return made


def test_both_twins_draw_the_same() -> None:
    drawn = 0
    with Twin("picture-twin.mjs") as twin:
        for one in arguments(3000, 7):
            made = picture.draw(*one)
            assert twin.ask(one) == made, one
            drawn += made is not None
    assert drawn > 300


def test_a_picture_is_well_formed_and_says_what_it_shows() -> None:
    made = picture.draw(PRODUCT, {"m": "77", "k": "768", "k2": "4096", "n": "5120"}, WORDS["en"])
    assert made
    made["shapes"].append(["text", 1, 1, "start", "", "<b>&"])
    root = ElementTree.fromstring(svg(made))
    assert (
        root.get("role") == "img"
        and "768 ≠ 4096" in (root.get("aria-label") or "")
        and [node.text for node in root][-1] == "<b>&"
    )


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("[square, m]", "there is no `square`; there are product"),
        ("[product, m, k]", "`[product, M, K, K2, N]` names the holes of a wording"),
        ("[product, m, k, k2, q]", "no wording has a hole `q`; there are k, k2, m, n"),
        ("[sizes, middle, m, k]", "left or right"),
        ("oops", "is a list"),
    ],
)
def test_a_picture_that_cannot_be_drawn_is_reported(
    tmp_path: Path, written: str, told: str
) -> None:
    file = tmp_path / "snippets" / "shapes" / "made.py"
    file.parent.mkdir(parents=True)
    file.write_text(
        f'# ---\n# wordings:\n#   - text: "shapes cannot be multiplied ({{m:int}}x{{k:int}} and {{k2:int}}x{{n:int}})"\n'
        f'#     sample: "shapes cannot be multiplied (1x2 and 3x4)"\n# picture: {written}\n# recover: fix\n# ---\n'
        "# %% break a\nassert False\n\n# %% fix a\nassert True\n",
        encoding="utf-8",
    )
    problems = Problems(tmp_path)
    read(file, problems)
    assert any(told in str(problem) for problem in problems), [str(problem) for problem in problems]
