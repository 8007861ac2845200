"""Routes: pages that lead through one program that grows, docs/LANGUAGE/routes/NAME.md.

`{{ step NAME/2-WHAT.py }}` stands for what that step of docs/programs/routes/NAME changes; of the
first step, for the whole program. Below a change is a link to the whole program, which lies
beside the page. A Chinese page's front matter holds the `comments` of all steps.
tests/test_routes.py follows each page: it puts the step in place, and runs what the page types.
"""

from __future__ import annotations

import difflib
import re
from pathlib import Path

from ..content import comments, page, yamlfile
from ..content.problem import Problems
from ..content.tip import PROGRAMS
from . import markup
from .labels import LABELS

FOLDER = "routes"
#: What readers call the program, whatever step it has reached.
PROGRAM = "train.py"
DIRECTIVE = re.compile(r"^\{\{ step ([a-z-]+)/(\d+)(-[a-z-]+\.py) \}\}$", re.MULTILINE)


def names(root: Path, language: str) -> list[str]:
    """Sources of the routes, in the order of the overview that leads to them."""
    overview = root / "docs" / language / FOLDER / "index.md"
    if not overview.is_file():
        return []
    linked = re.findall(r"\]\(([a-z-]+\.md)\)", overview.read_text(encoding="utf-8"))
    return [f"{FOLDER}/{name}" for name in ("index.md", *dict.fromkeys(linked))]


def steps(text: str) -> list[tuple[str, int, str]]:
    """Of each step that a page shows: the route, the number, the rest of the file's name."""
    return [(route, int(number), rest) for route, number, rest in DIRECTIVE.findall(text)]


def source(root: Path, route: str, number: int) -> str:
    """The whole program at a step.

    Raises:
        FileNotFoundError: the route has no step of this number.
    """
    folder = root / PROGRAMS / FOLDER / route
    file = next(folder.glob(f"{number}-*.py"), folder / f"{number}-*.py")
    return file.read_text(encoding="utf-8").rstrip("\n")


def _said(root: Path, route: str, number: int, twins: dict[str, str]) -> str:
    code = source(root, route, number)
    return comments.replaced(code, comments.of_code(code), twins)


def programs(root: Path, language: str) -> dict[str, str]:
    """The whole programs that the pages link: name -> text."""
    texts = {}
    for name in names(root, language):
        file = root / "docs" / language / name
        text = file.read_text(encoding="utf-8")
        front = page.split_front_matter(text)[0]
        twins = yamlfile.load(front, file, 2, Problems(root)).get("comments", {})
        for route, number, rest in steps(text):
            texts[f"{FOLDER}/{route}/{number}{rest}"] = _said(root, route, number, twins) + "\n"
    return texts


def expand(root: Path, text: str, twins: dict[str, str], language: str) -> str:
    """A page with its steps in place of their directives.

    Args:
        twins: the comments of the program, English -> the page's language.
    """

    def shown(found: re.Match[str]) -> str:
        route, number, rest = found[1], int(found[2]), found[3]
        after = _said(root, route, number, twins)
        if number == 1:
            return markup.fence(after, "python", PROGRAM)
        changed = _changed(_said(root, route, number - 1, twins), after)
        whole = LABELS[language]["whole-program"].format(
            link=f'[`{PROGRAM}`]({route}/{number}{rest}){{ download="{PROGRAM}" }}'
        )
        return f"{markup.fence(changed, 'diff .tc-diff', PROGRAM)}\n\n{whole}\n{{ .tc-note }}"

    return DIRECTIVE.sub(shown, text)


def _changed(before: str, after: str) -> str:
    """Both programs as one, without what is far from any change."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2)
    hunks = ["@@" if line.startswith("@@") else line for line in lines][2:]
    return "\n".join(hunks).removeprefix("@@\n").replace("@@", " …")
