from __future__ import annotations

import html
import tokenize
from pathlib import Path

import pytest

from torchclinic.authoring import stamp
from torchclinic.commands import terminal
from torchclinic.content import answers, catalogue, comments
from torchclinic.content.catalogue import Catalogue
from torchclinic.content.snippet import FAULT
from torchclinic.content.tip import code_of
from torchclinic.site import markdown_copy, notebook, symptom_page

IDENT, STEM = "autograd/backward-second-time", "backward-second-time"

CODE = '''\
x = "# no comment"  # one
# two, which
# has two lines
y = """
# no comment
"""  # three
    # four
# True, None'''


def test_only_comments_are_found_and_replaced() -> None:
    found = comments.of_code(CODE)
    assert [comment.text for comment in found] == [
        "one",
        "two, which\nhas two lines",
        "three",
        "four",
        "True, None",
    ]
    made = comments.replaced(
        CODE, found, {"one": "一", "two, which\nhas two lines": "二\n两行", "three": "三"}
    )
    assert made == CODE.replace("# one", "# 一").replace(
        "# two, which\n# has two lines", "# 二\n# 两行"
    ).replace("# three", "# 三")


DOCUMENTED = '''\
def one(): """On the line."""  # not here
def 二(): "Behind Chinese."
class Three:
    r"""Several \\lines.

    And the last.
    """

    def four(self):
        """A string that is computed: no docstring."""[0]
    x = """No docstring."""
'''


def test_docstrings_are_found_and_replaced() -> None:
    found = [comment for comment in comments.of_code(DOCUMENTED) if comment.quoted]
    assert [comment.text for comment in found] == [
        "On the line.",
        "Behind Chinese.",
        "Several \\lines.\nAnd the last.",
    ]
    table = {
        "On the line.": "一",
        "not here": "不在这里",
        "Behind Chinese.": "二",
        "Several \\lines.\nAnd the last.": "几行\n最后",
    }
    made = comments.replaced(DOCUMENTED, comments.of_code(DOCUMENTED), table)
    for text, twin in (
        ("On the line.", "一"),
        ("not here", "不在这里"),
        ("Behind Chinese.", "二"),
        ("Several \\lines.", "几行"),
        ("And the last.", "最后"),
    ):
        assert text in DOCUMENTED and text not in made and twin in made
    assert code_of(made) == code_of(DOCUMENTED)
    assert code_of("def f():\n    'one'\n    return 'two'\n") != code_of(
        "def f():\n    'one'\n    return 'three'\n"
    )


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("ulimit -n 4096  # in the shell", ["in the shell"]),
        ("echo \"# no\" '# no' a#no  # yes", ["yes"]),
        ("# first\n# second\npython train.py", ["first\nsecond"]),
        ('grep "CUDA Version"    # don\'t "guess', ["don't \"guess"]),
        ("pip install torch", []),
    ],
)
def test_comments_of_commands(command: str, found: list[str]) -> None:
    assert [comment.text for comment in comments.of_command(command)] == found


def test_the_code_is_the_same_in_both_languages(clinic: Catalogue) -> None:
    for symptom in clinic.symptoms.values():
        chinese = symptom.code("zh")
        assert len(chinese.text.splitlines()) == len(symptom.snippet.text.splitlines())
        for one, other in zip(symptom.snippet.cells, chinese.cells, strict=True):
            assert (one.kind, one.case, one.line) == (other.kind, other.case, other.line)
            try:
                assert code_of(one.source) == code_of(other.source), f"{symptom.id} {one.name}"
            except tokenize.TokenError:
                pytest.fail(f"{symptom.id} {one.name}")
        assert symptom.code("en") is symptom.snippet


def test_chinese_readers_see_them_everywhere(clinic: Catalogue) -> None:
    symptom = clinic.symptoms[STEM]
    english, chinese = (
        "a fresh graph in every step",
        symptom.pages["zh"].front.comments["a fresh graph in every step"],
    )
    seen = {
        language: [
            symptom_page.symptom_page(clinic, symptom, language),
            markdown_copy.copy(clinic, symptom, language, ""),
            notebook.dumps(notebook.make(clinic, symptom, language)),
            terminal.fix(
                answers.answers(clinic)["symptoms"][STEM],
                {"name": "before-the-loop"},
                language,
                False,
            ),
            symptom.code(language).text,
        ]
        for language in ("en", "zh")
    }
    assert all(english in text and chinese not in text for text in seen["en"])
    assert all(chinese in text and english not in text for text in seen["zh"])


def test_chinese_readers_see_faults(clinic: Catalogue) -> None:
    """What is injected."""
    seen = 0
    for symptom in clinic.symptoms.values():
        table = symptom.pages["zh"].front.comments
        faults = [
            need.removeprefix(FAULT) for need in symptom.snippet.needs if need.startswith(FAULT)
        ]
        if not faults:
            continue
        page = {
            language: symptom_page.symptom_page(clinic, symptom, language)
            for language in ("en", "zh")
        }
        for text in map(quoteless, faults):
            seen += 1
            assert text in page["en"] and text not in page["zh"], f"{symptom.id}: {text}"
        assert all(table[fault].partition("（")[0] in page["zh"] for fault in faults)
    assert seen


def quoteless(text: str) -> str:
    return html.escape(text, quote=False)


def problems(root: Path) -> list[str]:
    return [str(problem) for problem in catalogue.load(root, lint=False).problems]


def test_what_does_not_agree_is_told_with_its_line(project: Path) -> None:
    snippet, page = project / f"snippets/{IDENT}.py", project / f"docs/zh/{IDENT}.md"
    before = snippet.read_text(encoding="utf-8")
    line = next(
        number
        for number, text in enumerate(before.splitlines(), 1)
        if "# a fresh graph in every step" in text
    )
    key = next(
        number
        for number, text in enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
        if "a fresh graph in every step" in text
    )
    snippet.write_text(
        before.replace("a fresh graph in every step", "a new graph in every step"), encoding="utf-8"
    )
    found = problems(project)
    assert any(
        f"snippets/{IDENT}.py:{line}: no Chinese for 'a new graph in every step'" in text
        for text in found
    )
    assert any(
        f"docs/zh/{IDENT}.md:{key}: `comments` has 'a fresh graph in every step'" in text
        for text in found
    )
    snippet.write_text(before, encoding="utf-8")
    text = page.read_text(encoding="utf-8")
    chinese = (
        catalogue.load(project, lint=False)
        .symptoms[STEM]
        .pages["zh"]
        .front.comments["a fresh graph in every step"]
    )
    for wrong, told in (
        (f"{chinese},是", "half-width punctuation"),
        ("长" * 60, "too long"),
        ('"一\\n二"', "has 1 lines, its Chinese 2"),
    ):
        page.write_text(text.replace(chinese, wrong), encoding="utf-8")
        assert any(
            f"docs/zh/{IDENT}.md:{key}" in problem and told in problem
            for problem in problems(project)
        ), told


def test_stamp_puts_what_lacks_a_twin_into_the_page(project: Path) -> None:
    page = project / f"docs/zh/{IDENT}.md"
    made = catalogue.load(project, lint=False).symptoms[STEM]
    before = made.pages["zh"].front.comments
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    page.write_text(
        "".join(line for line in lines if "a fresh graph in every step" not in line),
        encoding="utf-8",
    )
    made = catalogue.load(project, lint=False).symptoms[STEM]
    assert stamp.untranslated(made) == ["a fresh graph in every step"]
    assert stamp.stamp(made, [], False)[1:] == ["TODO in `comments`: 'a fresh graph in every step'"]
    made = catalogue.load(project, lint=False).symptoms[STEM]
    assert made.pages["zh"].front.comments == {**before, "a fresh graph in every step": "TODO"}
    assert list(made.pages["zh"].front.comments) == list(before)
