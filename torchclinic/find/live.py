"""What a program knew when it died, read below a traceback: run/live.py gathers and writes it.

    What the program knew:
      self.fc  left,layer  Linear; in_features=1176; weight=float32 [10, 1176]; cpu; train
      x        right       float32 [8, 864]; cpu; grad

A row has a name, roles, and phrases. Conditions ask `live("layer", "train")`: does one row say all
of these? They also read values: `live.layer.in_features`, `live.layer.kind`, `live.right.shape`,
`live.right.dtype`, `live.layer.weight.shape`. docs/assets/live.js is the twin.
"""

from __future__ import annotations

from typing import NamedTuple

HEAD = "What the program knew:"
#: Rows that are read, and characters of one.
ROWS, LONG = 20, 2000


class Live(NamedTuple):
    """What stands in the block.

    Attributes:
        values: `live.ROLE.KEY` -> as printed; sizes without their brackets; `name` is a key.
        rows: the words of each row: roles, kind, phrases.
    """

    values: dict[str, str]
    rows: list[set[str]]


def apart(text: str) -> tuple[str, Live | None]:
    """The text with an empty line for each line of the block, and what the first block says."""
    if HEAD not in text:
        return text, None
    lines, live = text.split("\n"), None
    for number, line in enumerate(lines):
        if not line.endswith(HEAD):
            continue
        begins = line[: -len(HEAD)] + "  "
        at = number + 1
        while at < len(lines) and at <= number + ROWS and lines[at].startswith(begins):
            at += 1
        if live is None:
            live = _read([row[len(begins) : LONG] for row in lines[number + 1 : at]])
        lines[number:at] = [""] * (at - number)
    return "\n".join(lines), live


def _read(rows: list[str]) -> Live:
    live = Live({}, [])
    for row in rows:
        name, _, rest = row.partition("  ")
        roles, _, told = rest.lstrip(" ").partition("  ")
        phrases = [phrase.strip(" ") for phrase in told.split(";")]
        said, words = _values(phrases), {*phrases, *roles.split(",")}
        if "kind" in said:
            words.add(said["kind"])
        live.rows.append(words - {""})
        for role in filter(None, roles.split(",")):
            for key, value in {"name": name, **said}.items():
                live.values.setdefault(f"live.{role}.{key}", value)
    return live


def _values(phrases: list[str]) -> dict[str, str]:
    """Key -> value; the first phrase says what kind of thing it is."""
    values: dict[str, str] = {}
    for at, phrase in enumerate(phrases):
        key, mark, value = phrase.partition("=")
        if not at:
            key, value = "", phrase
        elif not mark:
            continue
        word, _, rest = value.partition(" ")
        dot = f"{key}." if key else ""
        if rest.startswith("[") and rest.endswith("]") and _is_name(word):
            values[f"{dot}dtype"], values[f"{dot}shape"] = word, rest[1:-1]
        elif key:
            values[key] = value
        else:
            values["kind"] = word
            if rest:
                values["value"] = rest
    return values


def _is_name(word: str) -> bool:
    return word.isascii() and word.isalnum()
