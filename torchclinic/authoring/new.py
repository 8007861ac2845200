"""`torchclinic new`: the three files of a new symptom, as a draft."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

from .. import ROOT
from ..content import catalogue, page, words
from ..content.header import NAME
from ..content.problem import BadInput
from .problems import print_all

_ID = re.compile(r"([a-z0-9-]+)/([a-z0-9]+(?:-[a-z0-9]+)*)")
#: What is still to be written; the catalogue's check reports it wherever it is left.
OPEN = page.OPEN
_HEADER = f"""# ---
# draft: true  # `publish` takes this line out
# wordings:
#   # begins with a literal; holes for what varies, of the kinds in torchclinic/find/wording.py
#   - text: "{OPEN} {{name:int}}"
#     exception: RuntimeError  # its class without the module, or a list where releases differ
#     sample: "RuntimeError: {OPEN} 3"  # as it was really printed
# tags: []  # of facts/vocabulary.yml
# recover: fix  # what brings the reader on: fix (no restart), again, process, machine, hardware
# # What follows may be left out. Needs are cuda, multi-gpu, fork, compiler, package:NAME,
# # torch:2.13, fault:WHAT.
# # needs: [fork]
# # outranks: [stem]  # symptoms that this one explains when a text prints both
# # related: [topic/stem]  # pages to look at if it is not this one
# # docs: [https://…]  # PyTorch's own documentation
# # timeout: 60  # seconds that a cell may take
"""
_CAUSES = """# causes:
#   # The rows of the table of causes, the most common first, with what a text must say. The first
#   # that holds decides. torchclinic/content/condition.py lists what a condition may say.
"""
_CAUSE = """#   {case}: {{if: 'paste("{OPEN}")'}}  # or likely: …, undecided: why no text tells
"""
_CELLS = """
# %% break {case}
raise RuntimeError("{OPEN}")  # the few lines that end in the real error

# %% check {case}
print("{OPEN}")  # the one thing that tells this cause; may be left out

# %% fix {case}
print("{OPEN}")  # what a reader copies

# %% proof {case}
assert "{OPEN}" == ""  # runs behind the fix, and fails if the fix is wrong
"""


def add(commands: Any) -> None:
    command = commands.add_parser("new", help="make the three files of a new symptom, as a draft")
    command.add_argument("id", metavar="TOPIC/STEM")
    command.add_argument(
        "--cases", default="main-cause", metavar="A,B,C", help="its causes, the most common first"
    )
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    return print_all(new(ROOT, options.id, options.cases.split(",")))


def new(root: Path, name: str, cases: list[str]) -> list[str]:
    """Make the snippet and both pages of `topic/stem`, as a draft; returns what to do next.

    Raises:
        BadInput: the id or a case is malformed, the topic unknown, or a file is there already
            (nothing is overwritten).
    """
    _check_names(root, name, cases)
    files = {root / "snippets" / f"{name}.py": snippet(cases)}
    for language in ("en", "zh"):
        files[root / "docs" / language / f"{name}.md"] = _page(language, cases)
    for file in files:
        if file.exists():
            raise BadInput(f"{file.relative_to(root)} is there already; nothing was written")
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    look = f"look at it with `python -m torchclinic check {name}` and `preview {name}`"
    return [
        *(f"made {file.relative_to(root)}" for file in files),
        f"next: write what `{OPEN}` stands for, and {look}; CONTRIBUTING.md has an example",
    ]


def _check_names(root: Path, name: str, cases: list[str]) -> None:
    """Raises: BadInput, as `new` says."""
    match = _ID.fullmatch(name)
    pages = catalogue.load(root, lint=False, check=False)
    form = "lower case, digits and hyphens"
    if not match or match[1] not in pages.topics:
        topics = ", ".join(pages.topics)
        raise BadInput(f"`{name}` is no TOPIC/STEM: stem in {form}; topics are {topics}")
    for case in cases:
        if not NAME.fullmatch(case) or cases.count(case) > 1:
            raise BadInput(f"`{case}` is no name of a case, or stands twice: {form}")
    if other := pages.symptoms.get(match[2]) or pages.drafts.get(match[2]):
        raise BadInput(f"the stem `{match[2]}` is taken by {other.id}")


def snippet(cases: list[str]) -> str:
    """The template of a snippet."""
    causes = ""
    if len(cases) > 1:
        causes = _CAUSES + "".join(_CAUSE.format(case=case, OPEN=OPEN) for case in cases)
    cells = "".join(_CELLS.format(case=case, OPEN=OPEN) for case in cases)
    return f"{_HEADER}{causes}# ---\n\n# %%\nimport torch\n{cells}"


def _page(language: str, cases: list[str]) -> str:
    """The template of a page."""
    text = words.of(language, "scaffold")
    todo = json.dumps(OPEN)
    front = [f"title: {todo}  # {text['title']}", f"summary: {todo}  # {text['summary']}"]
    front += [f"diagnosis:  # {text['diagnosis']}", f"  - {todo}"]
    front += [f"synonyms: []  # {text['synonyms']}"]
    first, *others = cases
    if others:
        front += [f"ask: {todo}  # {text['ask']}", "causes:"]
        for case in cases:
            front += [f"  {case}:", f"    see: {todo}", f"    do: {todo}"]
    if language == "zh":
        front += [f"comments: {{}}  # {text['comments']}", "source: {}"]
    bodies = {
        "see": f"{{{{ wordings }}}}\n\n{OPEN}",
        "fix": f"{OPEN}\n\n{{{{ case {first} }}}}",
        "why": OPEN,
        "causes": _causes(cases),
        "cost": f"- {OPEN}",
        "more": f"- {OPEN}",
    }
    sections = [f"\n## {page.SECTIONS[name][language]}\n\n{body}" for name, body in bodies.items()]
    return "\n".join(["---", *front, "---", *sections]) + "\n"


def _causes(cases: list[str]) -> str:
    """The section of causes: the table, where there are several, and a heading each."""
    parts = [OPEN, "{{ causes }}"] if len(cases) > 1 else []
    for case in cases:
        parts += [f"### {OPEN} {{#{case}}}", f"{{{{ check {case} }}}}"]
        if case != cases[0]:
            parts.append(f"{{{{ case {case} }}}}")
    return "\n\n".join(parts)
