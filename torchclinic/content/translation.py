"""Translations: whether the Chinese page says what the English one says today."""

from __future__ import annotations

from . import page, words
from .page import Page
from .problem import Problems
from .symptom import Symptom
from .tip import Tip, code_of


def check(shown: Symptom | Tip, problems: Problems) -> None:
    """Report what changed in English since the Chinese was written, and what differs in form."""
    english, chinese = shown.pages["en"], shown.pages["zh"]
    how = f"bring the Chinese along, then `python -m torchclinic stamp {shown.id}`"
    _check_stamps(english, chinese, how, problems)
    forms = zip(_form(english).items(), _form(chinese).values(), strict=True)
    for (what, in_english), in_chinese in forms:
        if in_english != in_chinese:
            lacks = [str(item) for item in in_english if item not in in_chinese]
            has = [str(item) for item in in_chinese if item not in in_english]
            said = [f"it lacks {', '.join(lacks)}"] * bool(lacks)
            said += [f"it alone has {', '.join(has)}"] * bool(has)
            difference = " and ".join(said) or "in their order, or how often they stand"
            message = f"{what} differ from the English page: {difference}"
            problems.add(chinese.file, 1, message)


def _check_stamps(english: Page, chinese: Page, how: str, problems: Problems) -> None:
    hashes, stamps = english.hashes(), chinese.front.source
    for name in hashes:
        if name in page.PROSE_FIELDS and not chinese.meta.get(name):
            message = f"front matter lacks `{name}`, which the English page has"
            problems.add(chinese.file, 1, message)
    old = [name for name, value in hashes.items() if name in stamps and stamps[name] != value]
    new = [name for name in hashes if name not in stamps]
    for names, what in (
        (old, "changed in English since this was written"),
        (new if page.OPEN not in english.text else [], "not stamped"),
    ):
        if names:
            lines = [chinese.sections[name].line for name in names if name in chinese.sections]
            message = f"{what}: `{'`, `'.join(names)}`; {how}"
            problems.add(chinese.file, min(lines, default=1), message)
    for name in stamps:
        if name not in hashes:
            message = f"`source` stamps `{name}`, which the English page has not; {how}"
            problems.add(chinese.file, 1, message)


def _form(shown: Page) -> dict[str, list[str]]:
    """What is the same in both languages, in its order."""
    return {
        "sections": list(shown.sections),
        "directives": [
            f"`{{{{ {' '.join(filter(None, (word, name)))} }}}}`"
            for word, name, _ in shown.directives
        ],
        "case headings": [name for name, _ in shown.cases],
        "link targets": sorted(target for target, _ in shown.links if "://" not in target),
        "rows of `causes`": list(shown.front.causes),
        "rows of `causes` that `say` something": [
            name for name, row in shown.front.causes.items() if row.say
        ],
        "values in the diagnosis": [
            f"{{{name}}}"
            for sentence in shown.front.diagnosis
            for name in sorted(words.placeholders(sentence))
        ],
    }


def check_tip(tip: Tip, problems: Problems) -> None:
    """The same, and that its blocks are one program in both languages; comments may differ."""
    check(tip, problems)
    english, chinese = tip.pages["en"], tip.pages["zh"]
    tokens = {language: _tokens(shown, problems) for language, shown in tip.pages.items()}
    if tokens["en"] is None or tokens["zh"] is None:
        return
    if len(english.codes) != len(chinese.codes):
        blocks = f"{len(chinese.codes)} blocks of code"
        problems.add(chinese.file, 0, f"{blocks}, the English page has {len(english.codes)}")
    blocks_of_both = zip(tokens["en"], tokens["zh"], chinese.codes, strict=False)
    for in_english, in_chinese, (_, line) in blocks_of_both:
        if in_english != in_chinese:
            pairs = zip(in_english, in_chinese, strict=False)
            differing = next((f"`{b}` for `{a}`" for a, b in pairs if a != b), "its end")
            message = "the code differs from the English page by more than comments"
            problems.add(chinese.file, line, f"{message}: {differing}")


def _tokens(shown: Page, problems: Problems) -> list[list[str]] | None:
    """The tokens of each block of a page; None where one is no Python, which is reported."""
    blocks = []
    for code, line in shown.codes:
        try:
            compile(code, str(shown.file), "exec")
            blocks.append(code_of(code))
        except SyntaxError as error:
            message = f"syntax error in the block: {error.msg}"
            problems.add(shown.file, line + (error.lineno or 0), message)
            return None
        if "assert" not in blocks[-1]:
            message = "the block asserts nothing: it would pass whatever it does"
            problems.add(shown.file, line, message)
    return blocks
