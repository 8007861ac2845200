"""The words of the interface: every text in every language, every text used, no text missing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from torchclinic import LANGUAGES, ROOT
from torchclinic.content import words
from torchclinic.content.problem import Problems

SITE = ("torchclinic/site/*.py", "torchclinic/site/templates/*", "overrides/**/*.html")
LOOKUP = tuple(f"docs/assets/lookup-{part}.js" for part in ("page", "card", "none"))
#: group -> the files that use it.
USERS: dict[str, tuple[str, ...]] = {
    "everywhere": SITE,
    "punctuation": (*SITE, "torchclinic/commands/*.py", *LOOKUP),
    "form": (*SITE, "docs/assets/lookup-page.js"),  # its examples have their texts in the script
    "symptom": (
        *SITE,
        "torchclinic/content/snippet.py",
        "torchclinic/content/mutation.py",
    ),  # places of a fix, kinds of wrong ones
    "afterwards": (*SITE, "torchclinic/content/snippet.py"),  # what brings the reader on
    "notebook": (*SITE, "torchclinic/content/snippet.py"),  # kinds of cells
    "tip": SITE,
    "evidence": (*SITE, "torchclinic/content/evidence.py"),  # states
    "lists": (*SITE, "torchclinic/content/catalogue.py"),  # what became of a source's row
    "messages": SITE,
    "reasons": ("torchclinic/run/*.py", "torchclinic/content/tip.py"),
    "kinds": ("torchclinic/find/wording.py",),
    "answer": ("torchclinic/commands/*.py", *LOOKUP),
    "terminal": ("torchclinic/commands/*.py",),
    "origin": ("torchclinic/commands/*.py", *LOOKUP),
    "below": (
        "torchclinic/commands/explain.py",
        "torchclinic/commands/frames.py",
        "torchclinic/pytest.py",
    ),
    "run": ("torchclinic/commands/run.py",),
    "hang": (
        "torchclinic/commands/hang.py",
        "torchclinic/commands/roll_call.py",
        "torchclinic/commands/watch.py",
        "torchclinic/find/hang.py",
        "torchclinic/commands/processes.py",
    ),
    "env": ("torchclinic/commands/env*.py",),
    "lookup": (  # its reasons; the roles among them travel in the index
        *LOOKUP,
        "docs/assets/symptom.js",
        "docs/assets/lookup.js",
        "torchclinic/find/ladder.py",
        "torchclinic/find/rank.py",
        "torchclinic/find/wording.py",
    ),
    "picture": ("torchclinic/find/drawn_*.py",),
    "search": ("docs/assets/search-worker.js", "torchclinic/commands/search.py"),
    "offline": ("docs/assets/offline.js",),
    "scaffold": ("torchclinic/authoring/new.py",),
}
#: What a file calls its words -> the groups that these are.
SCRIPTS = {
    **{
        f"lookup-{part}.js": ("answer", "afterwards", "lookup", "punctuation")
        for part in ("page", "card", "none")
    },
    "symptom.js": ("lookup",),
    "offline.js": ("offline",),
    "search-worker.js": ("search",),
}


def files(*patterns: str) -> list[Path]:
    return [file for pattern in patterns for file in sorted(ROOT.glob(pattern))]


def constants(file: Path) -> set[str]:
    """The strings of a Python file; of another file, what stands behind a dot, in quotes, or before a colon."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        return {
            node.value
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
    return set(re.findall(r"(?<=[.\"'])[A-Za-z][\w-]*", text)) | set(
        re.findall(r"[A-Za-z][\w-]*(?=:)", text)
    )


def leaves(node: dict[str, Any]) -> Iterator[str]:
    for key, inner in node.items():
        if isinstance(inner, dict):
            yield from leaves(inner)
        else:
            yield key


def keys(group: str) -> set[str]:
    """All keys of a group, those of mappings within it as well."""
    found = words.of("en", group)
    return {*found, *leaves(found)}


def test_every_text_stands_in_every_language() -> None:
    problems = Problems(ROOT)
    words.check(words.read(), problems)
    assert not problems


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ({"a": {"b": {"en": "x"}}}, "`a.b` has no text in `zh`"),
        ({"a": {"b": {"en": "x", "zh": ""}}}, "`a.b` has no text in `zh`"),
        ({"a": {"b": {"en": "x {n}", "zh": "y"}}}, "`a.b` has other places to fill"),
        ({"a": {"b": {"en": "x {n}", "zh": "y {m}"}}}, "`a.b` has other places to fill"),
        ({"a": {"b": {"en": "x", "zh": "y", "fr": "z"}}}, "`a.b` has a text in fr"),
        ({"a": {"b": {"c": {"zh": "y"}}}}, "`a.b.c` has no text in `en`"),
        ({"a": {"b": "x"}}, "`a.b` is no mapping"),
        ({"a": {"b": {"en": "x", "zh": "y {"}}}, "`a.b` has other places to fill"),
    ],
)
def test_what_is_wrong_is_reported_with_its_key(found: dict[str, Any], told: str) -> None:
    problems = Problems(ROOT)
    words.check(found, problems)
    assert len(problems) == 1 and str(problems[0]).startswith(
        f"torchclinic/content/words.json: {told}"
    )


def test_a_key_that_stands_twice_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "words.json").write_text(
        '{"a": {"b": {"en": "x", "zh": "y"}, "b": {"en": "x", "zh": "y"}}}', encoding="utf-8"
    )
    monkeypatch.setattr(words, "FILE", tmp_path / "words.json")
    with pytest.raises(ValueError, match="stands twice among b, b"):
        words.read.__wrapped__()


def test_a_text_stands_once() -> None:
    """The same sentence in two places would be changed in one of them."""
    seen: dict[tuple[str, ...], str] = {}
    for group in words.read():
        for key in keys(group):
            texts = tuple(str(words.of(language, group).get(key, "")) for language in LANGUAGES)
            if len(texts[0]) > 25:
                assert texts not in seen, f"{group}.{key} says what {seen[texts]} says"
                seen[texts] = f"{group}.{key}"


def test_groups_are_known() -> None:
    assert set(words.read()) == set(USERS)


@pytest.mark.parametrize("group", USERS)
def test_every_word_is_used(group: str) -> None:
    used = set().union(*(constants(file) for file in files(*USERS[group])))
    if group == "reasons":
        unused = {key for key in keys(group) if not any(text.startswith(key) for text in used)}
    else:
        unused = keys(group) - used
    assert not unused, f"words.json: nothing uses {group}: {', '.join(sorted(unused))}"


def test_no_word_is_missing_from_pages_and_answers() -> None:
    """Of `label["key"]`, `text["key"]` and `LABELS[language]["key"]`."""
    from torchclinic.commands import terminal
    from torchclinic.site.labels import LABELS

    for pattern, name, known in (
        ("torchclinic/site/*.py", "label", LABELS["en"]),
        ("torchclinic/commands/terminal.py", "text", terminal.TEXT["en"]),
    ):
        for file in files(pattern):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Constant):
                    continue
                if ast.unparse(node.value) in (name, "LABELS[language]"):
                    assert node.slice.value in known, (
                        f"{file.name}:{node.lineno}: words.json has no `{node.slice.value}`"
                    )
    for file in files("overrides/**/*.html"):
        for first, second in re.findall(
            r"\blabels(?:\.(\w+)|\[\"([\w-]+)\"\])", file.read_text(encoding="utf-8")
        ):
            assert (first or second) in LABELS["en"], (
                f"{file.name}: words.json has no `{first or second}`"
            )


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_word_is_missing_from_scripts(name: str) -> None:
    text = (ROOT / "docs" / "assets" / name).read_text(encoding="utf-8")
    found = {
        first or second
        for first, second in re.findall(r"\bwords(?:\.(\w+)|\[\"([\w-]+)\"\])", text)
    } - {"js"}  # of the import
    assert found and found <= words.of("en", *SCRIPTS[name]).keys()


def test_groups_that_are_read_together_share_no_key() -> None:
    from torchclinic.site.labels import GROUPS

    for groups in (GROUPS, ("answer", "terminal", "punctuation"), *SCRIPTS.values()):
        assert len(words.of("en", *groups)) == sum(
            len(words.of("en", group)) for group in groups
        ), groups
