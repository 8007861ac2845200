"""What our wordings have to do with PyTorch's own messages: which of hers no wording covers, and which of ours no longer stand in the newest release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import log
from typing import Any

from ..find.clean import words
from ..find.origins import parts, qualified, rows
from ..find.wording import Wording
from . import origins

#: Rare words of a text by which others like it are sought.
RAREST = 4
#: The share of its words' weight below which a message is not called near.
NEAR = 0.4
#: The share of a wording that must stand in a message as it is, the rest in its holes.
LITERAL = 0.7


@dataclass(frozen=True)
class Message:
    """One message of PyTorch.

    Attributes:
        text: the template.
        last: the newest release that has it, by its place in the list of releases.
        place: where it is written: function, or file and line.
    """

    text: str
    last: int
    place: str

    @cached_property
    def literals(self) -> list[str]:
        return [" ".join(part.split()) for part in parts(self.text) if isinstance(part, str)]

    @cached_property
    def flat(self) -> str:
        """The text in one line, with a NUL for each hole."""
        text = self.text.replace("{:int}", "\0").replace("{}", "\0").replace("{{", "{").replace("}}", "}")
        return " ".join(text.split())


@dataclass
class Messages:
    """All of the table, by their words."""

    releases: list[str]
    all: list[Message]
    by_word: dict[str, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, table: dict[str, Any]) -> Messages:
        made = cls(table["releases"], [])
        known: dict[str, Message] = {}  # by text: the first of its places
        for text, number, line, function, *_, last in rows(table):
            file = table["files"][number] if number >= 0 else ""
            where = file + (f":{line}" if line > 0 else "") if file else "a library"
            known.setdefault(text, Message(text, last, ", ".join(filter(None, (qualified(file, function), where)))))
        made.all = list(known.values())
        for number, message in enumerate(made.all):
            for word in set(words(message.text.lower())):
                made.by_word.setdefault(word, []).append(number)
        return made

    def weight(self, word: str) -> float:
        """How rare a word is among the messages."""
        return log(len(self.all) / len(self.by_word[word])) if word in self.by_word else 0.0

    def like(self, text: str) -> Iterator[Message]:
        """Messages that hold one of the rarest words of a text."""
        known = sorted((word for word in set(words(text.lower())) if word in self.by_word), key=lambda word: (len(self.by_word[word]), word))
        for number in sorted({number for word in known[:RAREST] for number in self.by_word[word]}):
            yield self.all[number]

    def nearest(self, text: str, last: int) -> Message | None:
        """The message of a release whose words are the most like those of a text; None where none is near."""
        own = set(words(text.lower()))
        best, found = NEAR, None
        for message in self.like(text):
            if message.last == last:
                there = set(words(message.text.lower()))
                share = sum(map(self.weight, own & there)) / (sum(map(self.weight, own | there)) or 1)
                if share > best:
                    best, found = share, message
        return found


def shown(text: str) -> str:
    """A template as `find.origins.origin` gives it."""
    return "".join(part if isinstance(part, str) else "\u2026" for part in parts(text))


def covers(wording: Wording, message: Message) -> bool:
    """Is what PyTorch prints there what the wording claims? One may be a piece of the other."""
    sample = " ".join(wording.sample.split())
    return _in_order([" ".join(part.split()) for part in wording.literals], message.flat) or (bool(message.literals) and _in_order(message.literals, sample))


def could_print(message: Message, wording: Wording) -> bool:
    """Could a message hold the wording where its holes take some of the wording's letters, though not too many?

    Slower than `covers`, which knows only whole literals: a text that now has a hole for `CUDA` is still the same message.
    """
    text, sought = message.flat, " ".join("\0".join(wording.literals).split())
    # For each place in the message, the most letters of the wording so far that stand there as they are; the wording may begin anywhere.
    best = [0] * (len(text) + 1)
    for c in sought:
        new = [-1] * (len(text) + 1)
        if c == "\0":  # a value: anything from here on
            most = -1
            for at in range(len(text) + 1):
                most = max(most, best[at])
                new[at] = most
        else:
            for at, here in enumerate(text):
                if best[at] < 0:
                    continue
                if here == "\0":
                    new[at] = max(new[at], best[at])  # the hole takes it
                elif here == c:
                    new[at + 1] = max(new[at + 1], best[at] + 1)
            # A hole may end here, having taken one letter or more.
            for at, here in enumerate(text):
                if here == "\0" and new[at] >= 0:
                    new[at + 1] = max(new[at + 1], new[at])
        best = new
    return max(best) >= LITERAL * sum(c != "\0" for c in sought)


def _in_order(literals: list[str], text: str) -> bool:
    at = 0
    for literal in literals:
        at = text.find(literal, at)
        if at < 0:
            return False
        at += len(literal)
    return True


@dataclass(frozen=True)
class Moved:
    """A wording that PyTorch had and has no more. Attributes: stem, wording; last: the newest release with it; nearest: what the newest has instead, if anything is near."""

    stem: str
    wording: Wording
    last: str
    nearest: Message | None


def moved(table: dict[str, Any], wordings: Iterable[tuple[str, Wording]], printed: Iterable[tuple[str, str]] = ()) -> list[Moved]:
    """Wordings, by stem, that stand in an older release of the table and not in the newest.

    What stands in no release is not told: it may be another program's, or be made of pieces that no file holds as a whole. Nor what a newer release has printed.

    Args:
        printed: what runs have printed, as (release, text).
    """
    runs = [(origins.order(release), " ".join(text.split())) for release, text in printed]
    messages = Messages.of(table)
    newest = len(messages.releases) - 1
    found = []
    for stem, wording in wordings:
        lasts = [message.last for message in messages.like(" ".join(wording.literals)) if covers(wording, message)]
        if not lasts or max(lasts) == newest:
            continue
        last, literals = messages.releases[max(lasts)], [" ".join(part.split()) for part in wording.literals]
        if any(release > origins.order(last) and _in_order(literals, text) for release, text in runs):
            continue
        if not any(message.last == newest and could_print(message, wording) for message in messages.like(" ".join(literals))):
            found.append(Moved(stem, wording, last, messages.nearest(" ".join(literals), newest)))
    return found


def missing(table: dict[str, Any], wordings: Iterable[tuple[str, Wording]], met: Counter[str]) -> list[tuple[int, Message]]:
    """Messages of the newest release that no wording covers, the most often met first, then the most public.

    Args:
        met: how often each message was met in pastes, as `shown`.
    """
    messages = Messages.of(table)
    covered: set[str] = set()
    for _, wording in wordings:
        covered.update(message.text for message in messages.like(" ".join(wording.literals)) if covers(wording, message))
    left = [message for message in messages.all if message.last == len(messages.releases) - 1 and message.text not in covered]
    # Functions of Python that are reached by a name without underscores are what people call.
    left.sort(
        key=lambda message: (-met[shown(message.text)], not message.place.startswith("torch."), message.place.partition(",")[0].count("._"), message.place)
    )
    return [(met[shown(message.text)], message) for message in left]
