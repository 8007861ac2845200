"""`torchclinic stamp`: which English text each Chinese section was made from."""

from __future__ import annotations

import argparse
import itertools
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

from ..content import chinese, comments, page, words, yamlfile
from ..content.problem import BadInput, Problems
from ..content.symptom import Symptom
from ..content.tip import Tip
from .problems import load_page, print_all


def add(commands: Any) -> None:
    command = commands.add_parser(
        "stamp", help="say that Chinese sections follow the English ones of today"
    )
    command.add_argument("id", metavar="TOPIC/STEM", help="a symptom, or a tip as tips/TOPIC/STEM")
    command.add_argument(
        "sections",
        nargs="*",
        metavar="SECTION",
        help="those that follow, such as title, see, fix, why, causes; if left out, all that were"
        " never stamped, and each that changed is shown and asked for",
    )
    command.add_argument(
        "--format", action="store_true", help="also give the Chinese page full-width punctuation"
    )
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    _, symptom = load_page(options.id, lint=False, check=False)
    try:
        sections = options.sections or _chosen(symptom)
        if not (sections or options.format or untranslated(symptom)):
            print("nothing was stamped")
            return 0
        return print_all(stamp(symptom, sections, options.format))
    except ValueError as error:
        raise BadInput(str(error)) from None


def _chosen(symptom: Symptom | Tip) -> list[str]:
    """Sections that were never stamped, and of those that changed the ones that are agreed to."""
    new, changed = unstamped(symptom)
    if changed and not sys.stdin.isatty():
        how = "name those that the Chinese follows, or answer at a terminal"
        raise BadInput(f"`{'`, `'.join(changed)}` changed in English: {how}")
    return new + [name for name in changed if _agrees(symptom, name)]


def _agrees(symptom: Symptom | Tip, section: str) -> bool:
    """Show both texts of a section side by side, and ask."""
    width = (shutil.get_terminal_size().columns - 3) // 2
    texts = (symptom.pages[language].texts()[section] for language in ("en", "zh"))
    columns = (wrapped(text, width) for text in texts)
    print(f"\n== {section}")
    for left, right in itertools.zip_longest(*columns, fillvalue=""):
        print(left + " " * (width - words.columns(left)) + " | " + right)
    while True:
        answer = input("Does the Chinese say what the English says? [y/n] ").strip().lower()
        if answer in ("y", "n"):
            return answer == "y"


def unstamped(symptom: Symptom | Tip) -> tuple[list[str], list[str]]:
    """The English sections that the Chinese page never stamped, and those that changed since.

    Raises:
        ValueError: a page is missing or does not parse.
    """
    if "en" not in symptom.pages or "zh" not in symptom.pages:
        raise ValueError(f"{symptom.id} needs both pages before it can be stamped")
    if symptom.pages["zh"].unread:
        where = "`python -m torchclinic catalogue` says where"
        file = symptom.pages["zh"].file
        raise ValueError(f"the front matter of {file} does not parse; {where}")
    stamps, hashes = symptom.pages["zh"].front.source, symptom.pages["en"].hashes()
    new = [name for name in hashes if name not in stamps]
    changed = [name for name in hashes if stamps.get(name, hashes[name]) != hashes[name]]
    return new, changed


def untranslated(symptom: Symptom | Tip) -> list[str]:
    """The comments of the code without a twin. A tip's pages hold their own code."""
    if isinstance(symptom, Tip):
        return []
    texts = dict.fromkeys(comment.text for comment, _ in comments.find(symptom.snippet))
    return [text for text in texts if text not in symptom.pages["zh"].front.comments]


def stamp(symptom: Symptom | Tip, sections: list[str] | None, tidy: bool) -> list[str]:
    """Write into the Chinese page which English text each of `sections` (all for None) was made
    from, and the comments of the code that it has no twin for.

    Args:
        tidy: give the page full-width punctuation as well.

    Raises:
        ValueError: a page is missing, or the English page has no such section.
    """
    unstamped(symptom)
    target, hashes = symptom.pages["zh"], symptom.pages["en"].hashes()
    chosen = list(hashes) if sections is None else sections
    if unknown := [name for name in chosen if name not in hashes]:
        raise ValueError(
            f"no section {', '.join(unknown)}; the English page has {', '.join(hashes)}"
        )
    old = target.front.source
    stamps = {name: hashes[name] if name in chosen else old.get(name, "") for name in hashes}
    front, body, _ = page.split_front_matter(target.text)
    kept = re.sub(r"^(?:source|comments):.*\n(?:[ \t]+.*\n)*", "", front, flags=re.MULTILINE)
    missing = untranslated(symptom)
    source = "".join(f"  {name}: {value}\n" for name, value in stamps.items() if value)
    if tidy:
        body = _tidy_body(body)
        kept = "\n".join(_tidy_field(line) for line in kept.split("\n"))
    front = f"{kept}{_comments(symptom, tidy)}source:\n{source}"
    target.file.write_text(f"---\n{front}---\n{body}", encoding="utf-8")
    return [
        f"stamped {', '.join(chosen) or 'nothing'} of {target.file.name} ({symptom.id})",
        *(f"{page.OPEN} in `comments`: {text!r}" for text in missing),
    ]


def _comments(symptom: Symptom | Tip, tidy: bool) -> str:
    """The table of comments, in the order of the snippet; what the snippet no longer has comes
    last, for its writer to take out."""
    file, table = symptom.pages["zh"].file, symptom.pages["zh"].front.comments
    if isinstance(symptom, Symptom):
        texts = [comment.text for comment, _ in comments.find(symptom.snippet)]
        table = {text: table.get(text, page.OPEN) for text in texts} | table
    lines = []
    for text, twin in table.items():
        if tidy:
            parts = (chinese.punctuate(line, comment=True) for line in twin.split("\n"))
            twin = "\n".join(parts)
        plain = yamlfile.load(f"text: {twin}", file, 1, Problems(Path())) == {"text": twin}
        lines.append(f"  {_scalar(text)}: {twin if plain else _scalar(twin)}\n")
    return "".join(["comments:\n", *lines]) if lines else ""


def _scalar(text: str) -> str:
    """A text as YAML reads it back, whatever it holds."""
    return json.dumps(text, ensure_ascii=False)


def _tidy_body(body: str) -> str:
    """Punctuate all but code."""
    fenced, lines = False, []
    for line in body.split("\n"):
        fenced ^= line.lstrip().startswith("```")
        lines.append(line if fenced else chinese.punctuate(line))
    return "\n".join(lines)


def _tidy_field(line: str) -> str:
    """Punctuate the value of `key: value`, or of a list item; the YAML around it is left alone."""
    match = re.match(r"(\s*(?:[a-z]+:|-)\s+[\"']?)(.*?)([\"']?)$", line)
    if not match or match[2].startswith(("[", "{")) or "\\" in match[2]:
        return line
    start, value, end = match.groups()
    quotes = "'" if start.endswith('"') else '"'
    return start + chinese.punctuate(value).replace('"', quotes) + end


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most `width` columns, broken at blanks and between Chinese characters.

    Within a word only where it is longer.
    """
    lines = []
    for line in text.strip().split("\n"):
        row = ""
        for piece in re.findall(r"[!-~]+ ?|.", line):
            for part in [piece[at : at + width] for at in range(0, len(piece), width)]:
                if words.columns((row + part).rstrip()) > width:
                    lines.append(row.rstrip())
                    row = ""
                row += part
        lines.append(row.rstrip())
    return lines
