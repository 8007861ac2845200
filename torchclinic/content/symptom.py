"""A symptom: its snippet and its pages."""

from __future__ import annotations

from dataclasses import dataclass

from .page import Page
from .snippet import Snippet


@dataclass
class Symptom:
    """One symptom: its snippet and its page in each language."""

    snippet: Snippet
    pages: dict[str, Page]

    @property
    def id(self) -> str:
        return self.snippet.id

    @property
    def stem(self) -> str:
        return self.snippet.stem

    @property
    def topic(self) -> str:
        return self.snippet.topic

    def title(self, language: str) -> str:
        return self.pages[language].title if language in self.pages else self.stem
