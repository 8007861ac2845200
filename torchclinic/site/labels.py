"""The words of pages: those groups of content/words.json that the site writes itself, in each
language."""

from __future__ import annotations

import json

from .. import LANGUAGES
from ..content import words

GROUPS = (
    *("everywhere", "punctuation", "form", "symptom", "afterwards", "notebook", "tip", "evidence"),
    *("lists", "messages"),
)
LABELS = {language: words.of(language, *GROUPS) for language in LANGUAGES}
#: Reasons for which a run skips a cell, as `verify` records them: beginning -> what the page says.
REASONS = {language: words.of(language, "reasons") for language in LANGUAGES}
#: What stands for the value of a hole: its kind, since the names of holes are English.
KINDS = {language: words.of(language, "kinds") for language in LANGUAGES}
#: The words in pictures of a message's values.
PICTURE = {language: words.of(language, "picture") for language in LANGUAGES}


def script(template: str, language: str) -> str:
    """docs/root/words.js with the words that scripts show."""
    shown = {
        "lookup": words.of(language, "answer", "afterwards", "lookup", "punctuation"),
        "origin": words.of(language, "origin"),
        "hang": words.of(language, "hang"),
        "picture": PICTURE[language],
        "offline": words.of(language, "offline"),
    }
    return template.replace("{words}", json.dumps(shown, ensure_ascii=False))
