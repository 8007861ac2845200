"""Makes the files of a new symptom, and stamps translations."""

from __future__ import annotations

import json
import re
from pathlib import Path

from ..content import catalogue, chinese, comments, page, words, yamlfile
from ..content.known import KnownMessage
from ..content.problem import BadInput, Problems
from ..content.symptom import Symptom
from ..content.tip import Tip

_ID = re.compile(r"([a-z0-9-]+)/([a-z0-9]+(?:-[a-z0-9]+)*)")
_CASE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
#: What is still to be written; the catalogue's check reports it wherever it is left.
OPEN = page.OPEN
_WORDINGS = f"""# wordings:
#   - text: "{OPEN} {{name:int}}"  # begins with a literal; holes for what varies, of the kinds in torchclinic/find/wording.py
#     exception: RuntimeError  # its class without the module, or a list where releases differ
#     sample: "RuntimeError: {OPEN} 3"  # as it was really printed
"""
_FACTS = """# tags: []  # of facts/vocabulary.yml
# recover: fix  # what brings the reader on: fix (nothing needs a restart), again, process, machine, hardware
# # What follows may be left out.
# # needs: [fork]  # what it cannot run without: cuda, multi-gpu, fork, compiler, package:NAME, torch:2.13, fault:WHAT
# # outranks: [stem]  # symptoms that this one explains when a text prints both
# # related: [topic/stem]  # pages to look at if it is not this one
# # docs: [https://…]  # PyTorch's own documentation
# # timeout: 60  # seconds that a cell may take
"""


def new(root: Path, name: str, cases: list[str]) -> list[str]:
    """Make the snippet and both pages of `topic/stem`, as a draft; returns what to do next.

    What is known of a message of this stem is put there: wordings, titles, diagnoses, synonyms. Its entry stays until the page is published.

    Raises:
        BadInput: the id or a case is malformed, the topic unknown, or a file is there already (nothing is overwritten).
    """
    found = _ID.fullmatch(name)
    made = catalogue.load(root, lint=False)
    if not found or found[1] not in made.topics:
        raise BadInput(f"`{name}` is no TOPIC/STEM: stem in lower case, digits and hyphens; topics are {', '.join(made.topics)}")
    topic, stem = found.groups()
    for case in cases:
        if not _CASE.fullmatch(case) or cases.count(case) > 1:
            raise BadInput(f"`{case}` is no name of a case, or stands twice: lower case, digits and hyphens")
    if other := made.symptoms.get(stem) or made.drafts.get(stem):
        raise BadInput(f"the stem `{stem}` is taken by {other.id}")
    message = made.known.get(stem)
    if message and message.topic != topic:
        raise BadInput(f"facts/known/{message.topic}.yml holds `{stem}`: make it {message.topic}/{stem}, or move the entry first")
    block = _known_block(message) if message else ""
    files = {root / "snippets" / f"{name}.py": _snippet(message, block, cases)}
    files |= {root / "docs" / language / f"{name}.md": _page(message, language, cases) for language in ("en", "zh")}
    for file in files:
        if file.exists():
            raise BadInput(f"{file.relative_to(root)} is there already; nothing was written")
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    lines = [f"made {file.relative_to(root)}" for file in files]
    return [
        *lines,
        f"next: write what `{OPEN}` stands for, and look at it with `python -m torchclinic check {name}` and `preview {name}`; CONTRIBUTING.md has an example",
    ]


def publish(root: Path, name: str) -> list[str]:
    """Make a draft a page of the site: take `draft: true` out of its header and its entry out of facts/known. Returns what was done.

    Raises:
        BadInput: there is no such draft, or it still breaks rules; nothing was written.
    """
    stem = name.rpartition("/")[2]
    made = catalogue.load(root, drafts={stem})
    symptom = made.symptoms.get(stem)
    if symptom is None or not symptom.snippet.draft:
        raise BadInput(f"no draft `{name}`; there are {', '.join(one.id for one in catalogue.load(root, lint=False).drafts.values()) or 'none'}")
    open_ones = [problem for problem in made.problems if symptom.id in problem.file]
    if open_ones:
        raise BadInput(f"{symptom.id} is not ready: {open_ones[0]}" + (f" (and {len(open_ones) - 1} more; `check {symptom.id}`)" if open_ones[1:] else ""))
    file = symptom.snippet.file
    file.write_text(re.sub(r"^# draft:.*\n", "", file.read_text(encoding="utf-8"), count=1, flags=re.MULTILINE), encoding="utf-8")
    lines = [f"published {symptom.id}"]
    if message := made.known.get(stem):
        message.file.write_text(message.file.read_text(encoding="utf-8").replace(_known_block(message), "", 1), encoding="utf-8")
        lines.append(f"took the entry of `{stem}` out of {message.file.relative_to(root)}")
    return lines


def _known_block(message: KnownMessage) -> str:
    """The entry of a known message, as its file has it."""
    lines = message.file.read_text(encoding="utf-8").splitlines(keepends=True)
    start = message.line - 1
    end = next((number for number in range(start + 1, len(lines)) if not lines[number].startswith((" ", "\n", "\r"))), len(lines))
    return "".join(lines[start:end])


def _snippet(message: KnownMessage | None, block: str, cases: list[str]) -> str:
    wordings = _WORDINGS
    if message:
        inside = block[block.index("\n  wordings:") + 1 :].splitlines()
        inside = [line for number, line in enumerate(inside) if not number or line.startswith("    ")]
        wordings = "".join(f"# {line[2:]}\n" for line in inside)
    facts = _FACTS
    for name, value in (("outranks", message.outranks), ("docs", [message.docs] if message.docs else [])) if message else ():
        facts = re.sub(rf"^# # {name}: .*$", lambda _, name=name, value=value: f"# {name}: {json.dumps(value)}", facts, flags=re.MULTILINE) if value else facts
    causes = "# causes:  # the rows of the table of causes, the most common first, with what a text must say; content/condition.py lists what it may\n"
    causes += "".join(f"#   {case}: {{if: 'paste(\"{OPEN}\")'}}  # or likely: …, or undecided: why a text cannot tell\n" for case in cases)
    cells = "".join(_CELLS.format(case=case, OPEN=OPEN) for case in cases)
    return f"# ---\n# draft: true  # take this line out when both pages are written\n{wordings}{facts}{causes if len(cases) > 1 else ''}# ---\n\n# %%\nimport torch\n{cells}"


_CELLS = """
# %% break {case}
raise RuntimeError("{OPEN}")  # the few lines that end in the real error

# %% check {case}
print("{OPEN}")  # the one thing to look at that tells this cause from the others; may be left out

# %% fix {case}
print("{OPEN}")  # what a reader copies

# %% proof {case}
assert "{OPEN}" == ""  # runs behind the fix, and fails if the fix is wrong
"""


def _page(message: KnownMessage | None, language: str, cases: list[str]) -> str:
    text = words.of(language, "scaffold")
    title, diagnosis = (message.title[language], message.diagnosis.get(language, [])) if message else (OPEN, [])
    typed = message.synonyms.get(language, []) if message else []
    front = [f"title: {_scalar(title)}  # {text['title']}", f"summary: {_scalar(OPEN)}  # {text['summary']}"]
    front += [f"diagnosis:  # {text['diagnosis']}", *(f"  - {_scalar(sentence)}" for sentence in diagnosis or [OPEN])]
    front += [f"synonyms: {json.dumps(typed, ensure_ascii=False)}  # {text['synonyms']}"]
    first, *others = cases
    table = ""
    if others:
        table = f"{OPEN}\n\n{{{{ causes }}}}\n\n"
        front += [f"ask: {_scalar(OPEN)}  # {text['ask']}", "causes:"]
        for case in cases:
            front += [f"  {case}:", f"    see: {_scalar(OPEN)}", f"    do: {_scalar(OPEN)}"]
    bodies = {
        "see": f"{{{{ wordings }}}}\n\n{OPEN}",
        "fix": f"{OPEN}\n\n{{{{ case {first} }}}}",
        "why": OPEN,
        "causes": table
        + "\n\n".join(f"### {OPEN} {{#{case}}}\n\n{{{{ check {case} }}}}" + ("" if case == first else f"\n\n{{{{ case {case} }}}}") for case in cases),
        "cost": f"- {OPEN}",
        "more": f"- {OPEN}",
    }
    source = [f"comments: {{}}  # {text['comments']}", "source: {}"] if language == "zh" else []
    sections = "\n".join(f"\n## {page.SECTIONS[name][language]}\n\n{body}" for name, body in bodies.items())
    return "\n".join(["---", *front, *source, "---", ""]) + f"{sections}\n"


def _scalar(text: str) -> str:
    """A text as YAML reads it back, whatever it holds."""
    return json.dumps(text, ensure_ascii=False)


def unstamped(symptom: Symptom | Tip) -> tuple[list[str], list[str]]:
    """The English sections that the Chinese page never stamped, and those that have changed since it did.

    Raises:
        ValueError: a page is missing or does not parse.
    """
    if "en" not in symptom.pages or "zh" not in symptom.pages:
        raise ValueError(f"{symptom.id} needs both pages before it can be stamped")
    if symptom.pages["zh"].unread:
        raise ValueError(f"the front matter of {symptom.pages['zh'].file} does not parse; `python -m torchclinic catalogue` says where")
    stamps, hashes = symptom.pages["zh"].meta.get("source") or {}, symptom.pages["en"].hashes()
    return [name for name in hashes if name not in stamps], [name for name, value in hashes.items() if name in stamps and str(stamps[name]) != value]


def untranslated(symptom: Symptom | Tip) -> list[str]:
    """The comments of the code that the Chinese page has no twin for. A tip's pages hold their own code."""
    if isinstance(symptom, Tip):
        return []
    return list(dict.fromkeys(comment.text for comment, _ in comments.find(symptom.snippet) if comment.text not in symptom.pages["zh"].comments))


def stamp(symptom: Symptom | Tip, sections: list[str] | None, tidy: bool) -> list[str]:
    """Write into the Chinese page which English text each of `sections` (all for None) was made from, and the comments of the code that it has no twin for.

    Raises:
        ValueError: a page is missing, or the English page has no such section.
    """
    unstamped(symptom)
    english, target = symptom.pages["en"], symptom.pages["zh"]
    hashes = english.hashes()
    chosen = list(hashes) if sections is None else sections
    unknown = [name for name in chosen if name not in hashes]
    if unknown:
        raise ValueError(f"no section {', '.join(unknown)}; the English page has {', '.join(hashes)}")
    stamps = target.meta.get("source") or {}
    stamps = {name: hashes[name] if name in chosen else stamps.get(name, "") for name in hashes}
    front, body, _ = page.split_front_matter(target.text)
    kept = re.sub(r"^(?:source|comments):.*\n(?:[ \t]+.*\n)*", "", front, flags=re.MULTILINE)
    missing = untranslated(symptom)
    written = _comments(symptom, tidy) + "source:\n" + "".join(f"  {name}: {value}\n" for name, value in stamps.items() if value)
    if tidy:
        fenced = False
        lines = []
        for line in body.split("\n"):
            fenced ^= line.lstrip().startswith("```")
            lines.append(line if fenced else chinese.punctuate(line))
        body = "\n".join(lines)
        kept = "\n".join(_tidy_field(line) for line in kept.split("\n"))
    target.file.write_text(f"---\n{kept}{written}---\n{body}", encoding="utf-8")
    lines = [f"{OPEN} in `comments`: {text!r}" for text in missing]
    return [f"stamped {', '.join(chosen) or 'nothing'} of {target.file.name} ({symptom.id})", *lines]


def _comments(symptom: Symptom | Tip, tidy: bool) -> str:
    """The table of comments, in the order of the snippet; what the snippet no longer has comes last, for its writer to take out."""
    table = dict(symptom.pages["zh"].comments)
    if isinstance(symptom, Symptom):
        table = {**{comment.text: table.get(comment.text, OPEN) for comment, _ in comments.find(symptom.snippet)}, **table}
    lines = []
    for text, twin in table.items():
        twin = "\n".join(chinese.punctuate(line, comment=True) for line in twin.split("\n")) if tidy else twin
        plain = yamlfile.load(f"text: {twin}", symptom.pages["zh"].file, 1, Problems(Path())) == {"text": twin}
        lines.append(f"  {_scalar(text)}: {twin if plain else _scalar(twin)}\n")
    return "".join(["comments:\n", *lines]) if lines else ""


def _tidy_field(line: str) -> str:
    """Punctuate the value of `key: value`, or of a list item, and leave the YAML around it alone."""
    found = re.match(r"(\s*(?:[a-z]+:|-)\s+[\"']?)(.*?)([\"']?)$", line)
    if not found or found[2].startswith(("[", "{")) or "\\" in found[2]:
        return line
    return found[1] + chinese.punctuate(found[2]).replace('"', "'" if found[1].endswith('"') else '"') + found[3]
