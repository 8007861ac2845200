"""A symptom: its snippet and its pages."""

from __future__ import annotations

from dataclasses import dataclass, field

from . import comments
from .page import Page
from .snippet import Snippet
from .threads import Thread


@dataclass
class Symptom:
    """One symptom: its snippet and its page in each language.

    Attributes:
        threads: in which people met it, and what was the matter.
    """

    snippet: Snippet
    pages: dict[str, Page]
    threads: list[Thread] = field(default_factory=list)
    _code: dict[str, Snippet] = field(default_factory=dict, repr=False, compare=False)

    @property
    def id(self) -> str:
        return self.snippet.id

    @property
    def stem(self) -> str:
        return self.snippet.stem

    @property
    def topic(self) -> str:
        return self.snippet.topic

    def code(self, language: str) -> Snippet:
        """The snippet as readers of a language see it: with their page's own comments.

        What runs is `snippet`.
        """
        if language not in self._code:
            table = self.pages[language].front.comments if language in self.pages else {}
            self._code[language] = (
                comments.translated(self.snippet, table) if table else self.snippet
            )
        return self._code[language]

    def title(self, language: str) -> str:
        return self.pages[language].front.title if language in self.pages else self.stem
