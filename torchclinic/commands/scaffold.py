"""Makes the files of a new symptom, and stamps translations."""

from __future__ import annotations

import re
from pathlib import Path

from ..content import catalogue, chinese, page, words
from ..content.problem import BadInput
from ..content.symptom import Symptom
from ..content.tip import Tip

_ID = re.compile(r"([a-z0-9-]+)/([a-z0-9]+(?:-[a-z0-9]+)*)")
_SNIPPET = """# ---
# wordings:
#   - text: "the message, with {{hole:int}} for what varies"
#     exception: RuntimeError
#     sample: "RuntimeError: the message as it was printed, with 3 for what varies"
# tags: []
# needs: []
# ---

# %%
import torch

# %% break main-cause
raise RuntimeError("write the few lines that end in the real error")

# %% check main-cause
print(torch.__version__)  # what a reader looks at to know that this is the cause

# %% fix main-cause
assert False, "write the fix, and assert that its result is right"
"""


def new(root: Path, name: str) -> list[str]:
    """Make the snippet and both pages of `topic/stem`; returns what to do next.

    Raises:
        BadInput: the id is malformed, the topic unknown, or a file is there already (nothing is overwritten).
    """
    found = _ID.fullmatch(name)
    made = catalogue.load(root)
    if not found or found[1] not in made.topics:
        raise BadInput(f"`{name}` is no TOPIC/STEM: stem in lower case, digits and hyphens; topics are {', '.join(made.topics)}")
    if found[2] in made.symptoms:
        raise BadInput(f"the stem `{found[2]}` is taken by {made.symptoms[found[2]].id}")
    files = {root / "snippets" / f"{name}.py": _SNIPPET.replace("{{", "{").replace("}}", "}")}
    files |= {root / "docs" / language / f"{name}.md": _page(language) for language in ("en", "zh")}
    for file in files:
        if file.exists():
            raise BadInput(f"{file.relative_to(root)} is there already; nothing was written")
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    lines = [f"made {file.relative_to(root)}" for file in files]
    if found[2] in made.known:
        lines.append(f"facts/known/{found[1]}.yml holds wordings of `{found[2]}`: move them into the snippet's header")
    return [
        *lines,
        f"next: fill them in, then `python -m torchclinic verify {name}`, `python -m torchclinic stamp --format {name}`, `python -m torchclinic catalogue`",
    ]


def _page(language: str) -> str:
    text = words.of(language, "scaffold")
    bodies = {
        "see": "{{ wordings }}",
        "fix": "{{ case main-cause }}",
        "why": "…",
        "causes": "### … {#main-cause}\n\n{{ check main-cause }}",
        "cost": "…",
        "more": "…",
    }
    source = "source: {}\n" if language == "zh" else ""
    sections = "\n".join(f"\n## {page.SECTIONS[name][language]}\n\n{body}" for name, body in bodies.items())
    return f"---\ntitle: {text['title']}\nsummary: {text['summary']}\n{source}---\n{sections}\n"


def stamp(symptom: Symptom | Tip, sections: list[str], tidy: bool) -> list[str]:
    """Write into the Chinese page which English text each of `sections` (all if empty) was made from.

    Raises:
        ValueError: a page is missing, or the English page has no such section.
    """
    if "en" not in symptom.pages or "zh" not in symptom.pages:
        raise ValueError(f"{symptom.id} needs both pages before it can be stamped")
    english, target = symptom.pages["en"], symptom.pages["zh"]
    if not target.title:
        raise ValueError(f"the front matter of {target.file} does not parse; `python -m torchclinic catalogue` says where")
    hashes = english.hashes()
    unknown = [name for name in sections if name not in hashes]
    if unknown:
        raise ValueError(f"no section {', '.join(unknown)}; the English page has {', '.join(hashes)}")
    stamps = target.meta.get("source") or {}
    stamps = {name: hashes[name] if not sections or name in sections else stamps.get(name, "") for name in hashes}
    front, body, _ = page.split_front_matter(target.text)
    kept = re.sub(r"^source:.*\n(?:[ \t]+.*\n)*", "", front, flags=re.MULTILINE)
    written = "source:\n" + "".join(f"  {name}: {value}\n" for name, value in stamps.items() if value)
    if tidy:
        fenced = False
        lines = []
        for line in body.split("\n"):
            fenced ^= line.lstrip().startswith("```")
            lines.append(line if fenced else chinese.punctuate(line))
        body = "\n".join(lines)
        kept = "\n".join(_tidy_field(line) for line in kept.split("\n"))
    target.file.write_text(f"---\n{kept}{written}---\n{body}", encoding="utf-8")
    return [f"stamped {', '.join(sections or hashes)} of {target.file.name} ({symptom.id})"]


def _tidy_field(line: str) -> str:
    """Punctuate the value of `key: value`, or of a list item, and leave the YAML around it alone."""
    found = re.match(r"(\s*(?:[a-z]+:|-)\s+[\"']?)(.*?)([\"']?)$", line)
    if not found or found[2].startswith(("[", "{")) or "\\" in found[2]:
        return line
    return found[1] + chinese.punctuate(found[2]).replace('"', "'" if found[1].endswith('"') else '"') + found[3]
