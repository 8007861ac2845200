from __future__ import annotations

import pytest

from torchclinic.find.wording import Hole, Wording, lint, parse


def problems(text: str) -> list[str]:
    return list(lint(Wording(text, parse(text))))


def test_literals_and_holes_alternate() -> None:
    assert parse("size ({m:int}x{_:int})") == (
        "size (",
        Hole("m", "int"),
        "x",
        Hole("", "int"),
        ")",
    )


def test_doubled_braces_stand_for_braces() -> None:
    assert parse("a {{b}} {n:int}") == ("a {b} ", Hole("n", "int"))


@pytest.mark.parametrize("text", ["a {n}", "a {n:float}", "a {n:int", "a } b", "a {1n:int}"])
def test_malformed_holes_are_refused_with_the_way_to_write_them(text: str) -> None:
    with pytest.raises(ValueError, match="write"):
        parse(text)


def test_a_sound_wording_passes() -> None:
    assert problems("shapes cannot be multiplied ({m:int}x{k:int} and {k2:int}x{n:int})") == []
    assert (
        problems("a total capacity of {total:bytes} of which {free:bytes} is free") == []
    )  # a value with blanks ends where the next literal begins


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{n:int} elements of the tensor", "begins with words, not with a hole"),
        ("elements of the {a:int}{b:dtype} tensor", "two holes in a row"),
        ("elements of the shape {a:shape}, and others", "takes ','"),
        ("size {n:int}", "literal letters"),
        ("one {n:int} size and two {n:int} sizes", "two holes are named"),
    ],
)
def test_ambiguous_wordings_are_rejected(text: str, says: str) -> None:
    assert any(says in problem for problem in problems(text)), problems(text)
