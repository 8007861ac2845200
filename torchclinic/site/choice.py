"""The choice of a symptom's page: its causes as they look, the most met first, each with its fix
behind it, opened in place. Pages are written as sections; this puts the parts of "Quick fix" and
"Which cause is yours" where the reader chooses."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..content import command
from ..content.index import Met
from ..content.page import LINK, SECTIONS, Page
from ..content.snippet import Cause
from ..content.symptom import Symptom
from .labels import LABELS
from .markup import fence, in_html

#: Rows that are seen at once; the rest is folded.
SEEN = 5
#: Most characters of a text between the first row and the others.
LEAD = 400
_CASE = re.compile(r"\{\{ case ([a-z0-9-]+) \}\}")
#: What is bold; code is passed over, in which `**` is a power.
_BOLD = re.compile(r"<code>.*?</code>|\*\*(.+?)\*\*")
_HEADING = re.compile(r"### .* \{#([a-z0-9-]+)\}$")

#: Makes Markdown of a line of a page: of a directive what it stands for.
Expand = Callable[[str], str]


def rows(symptom: Symptom, language: str, *first: str) -> list[Cause]:
    """The causes that the page of this language has words for, in the table's order; before them
    the rows `first`, and the one whose fix is the quick one."""
    page = symptom.pages[language]
    known = [cause for cause in symptom.snippet.causes if cause.row in page.front.causes]
    quick = _CASE.search(page.sections["fix"].text)
    named = [cause for row in first for cause in known if cause.row == row]
    quickest = [cause for cause in known if quick and cause.case == quick[1]]
    return list({cause.row: cause for cause in [*named, *quickest[:1], *known]}.values())


class Choice:
    """The parts of a page that are behind its rows.

    Args:
        told: the row that the headline tells; "" for none.
        met: the row that most readers of the headline are served by, and of how many threads.
        parts: lines of the sections "Quick fix" and "Which cause is yours".
        expand: see `Expand`.
    """

    def __init__(
        self,
        symptom: Symptom,
        language: str,
        told: str,
        met: Met,
        parts: tuple[list[str], list[str]],
        expand: Expand,
    ):
        self.page: Page = symptom.pages[language]
        self.label = LABELS[language]
        self.heading = SECTIONS["fix"][language]
        self.met, self.threads = met
        self.rows = rows(symptom, language, told, self.met)
        self.apart = {name for word, name, _ in self.page.directives if word == "case"}
        self.fix, causes = parts
        self.expand = expand
        quick = _CASE.search("\n".join(self.fix))
        self.quick = quick[1] if quick else ""
        self.before, self.behind, self.parts = _parts(causes)

    def markdown(self, ask: list[str], nothing: list[str]) -> list[str]:
        """The section with the rows, and what belongs to none of them; of one cause no choice.

        Args:
            ask: stands behind the first row.
            nothing: stands behind them, for a reader who has seen none of them.
        """
        if len(self.rows) < 2:
            parts = [line for lines in self.parts.values() for line in lines]
            own = [f"## {self.heading} {{#fix}}", *self._all(self.fix), '<div id="causes"></div>']
            return [*own, "", *self._all(self.behind), *self._all(parts), "", *nothing]
        own = [] if self.quick else [f"## {self.heading} {{#fix}}", *self._all(self.fix), ""]
        shown = self._shown(ask)
        left = [line for lines in self.parts.values() for line in lines]
        return [
            *own,
            f"## {self.label['which']} {{#causes}}",
            "",
            '<div class="tc-choice" id="choice" data-tc-choice markdown>',
            "",
            *shown,
            "</div>",
            "",
            *self._all([] if _short(self.before) else self.before),
            *self._all(self.behind),
            *self._all(left),
            "",
            *nothing,
        ]

    def _shown(self, ask: list[str]) -> list[str]:
        """The rows, the first open, `ask` behind it, those behind the fifth folded."""
        folded = len(self.rows) - SEEN if len(self.rows) > SEEN + 1 else 0
        shown = []
        for at, cause in enumerate(self.rows):
            if at == 1:
                shown += [
                    *(self._all(self.before) if _short(self.before) else []),
                    "",
                    '<div id="others"></div>',
                    "",
                    *ask,
                ]
            if folded and at == SEEN:
                more = self.label["more-causes"].format(count=folded)
                shown += ['<details class="tc-more" markdown>', f"<summary>{more}</summary>", ""]
            shown += self._row(cause, first=at == 0)
        return [*shown, *["</details>", ""] * bool(folded)]

    def _all(self, lines: list[str]) -> list[str]:
        return [self.expand(line) for line in lines]

    def _row(self, cause: Cause, *, first: bool) -> list[str]:
        often, see = "", self.page.front.causes[cause.row].see
        if self.threads and cause.row == self.met:
            count, of = self.threads
            said = self.label["most-often-of"].format(count=count, of=of)
            often = f' <small class="tc-met">{said}</small>'
        return [
            f'<details class="tc-row" data-tc-row="{cause.row}"{" open" * first} markdown>',
            f'<summary markdown="0">{_seen(see)}{often}</summary>',
            "",
            *self._body(cause),
            "",
            "</details>",
            "",
        ]

    def _body(self, cause: Cause) -> list[str]:
        """What is behind a row: what to do, and the case with its text, which stands once."""
        do = self.page.front.causes[cause.row].do
        own = self.parts.pop(cause.case, []) if cause.case else []
        fix = self.fix if cause.case and cause.case == self.quick else []
        if fix:
            self.fix = []
            fix = [f"### {self.heading} {{#fix}}", "", *self._all(fix), ""]
        if cause.case and cause.case not in self.apart:  # it has no part on the page
            words = (f"{{{{ {word} {cause.case} }}}}" for word in ("case", "check"))
            return [do, "{ .tc-do }", "", *(f"{self.expand(word)}\n" for word in words)]
        if cause.case and not own and not fix and "](" not in do:
            do = f"[{do}](#{cause.case})"
        line = None if cause.case else command.to_type(do)
        note = f"{self.label['line-read']}\n{{ .tc-note .tc-type }}"
        block = ["", fence(line[1], f"{line[0]} .tc-type"), "", note] if line else []
        # The text of the quick fix says what to do.
        return [*([] if fix else [do, "{ .tc-do }", *block, ""]), *fix, *self._all(own)]


def _seen(see: str) -> str:
    """What is seen, as HTML of one line; its links stand behind the row."""
    text = LINK.sub(lambda link: link[0][1 : link[0].index("](")], see)
    return _BOLD.sub(lambda part: f"<b>{part[1]}</b>" if part[1] else part[0], in_html(text))


def _short(lines: list[str]) -> bool:
    """May these stand between two rows?"""
    text = "\n".join(lines).strip()
    return 0 < len(text) < LEAD and not any(mark in text for mark in ("```", "| ", "{{"))


def _parts(causes: list[str]) -> tuple[list[str], list[str], dict[str, list[str]]]:
    """Of the section: the lines before the rows, those behind them, and the part of each case."""
    before: list[str] = []
    behind: list[str] = []
    parts: dict[str, list[str]] = {}
    current = before
    for line in causes:
        if heading := _HEADING.match(line):
            current = parts.setdefault(heading[1], [])
        elif line == "{{ causes }}":
            current = behind
            continue
        current.append(line)
    return before, behind, parts
