"""What our wordings have to do with PyTorch's own messages: which of PyTorch's no wording covers,
and which of ours no longer stand in the newest release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from math import log

from torchclinic.find.answer import Table
from torchclinic.find.clean import words
from torchclinic.find.origins_table import parts, qualified, rows
from torchclinic.find.wording import Wording

from .release import order
from .template import literals

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
        return " ".join("\0".join(literals(self.text)).split())


@dataclass
class Messages:
    """All of the table, by their words."""

    releases: list[str]
    all: list[Message]
    by_word: dict[str, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Table) -> Messages:
        by_text: dict[str, Message] = {}  # the first of its places
        for text, number, line, function, *_, last in rows(table):
            file = table["files"][number] if number >= 0 else ""
            where = file + (f":{line}" if line > 0 else "") if file else "a library"
            place = ", ".join(filter(None, (qualified(file, function), where)))
            by_text.setdefault(text, Message(text, last, place))
        messages = cls(table["releases"], list(by_text.values()))
        for number, message in enumerate(messages.all):
            for word in set(words(message.text.lower())):
                messages.by_word.setdefault(word, []).append(number)
        return messages

    def weight(self, word: str) -> float:
        """How rare a word is among the messages."""
        return log(len(self.all) / len(self.by_word[word])) if word in self.by_word else 0.0

    def weights(self, of: set[str]) -> float:
        return sum(map(self.weight, of))

    def like(self, text: str) -> Iterator[Message]:
        """Messages that hold one of the rarest words of a text."""
        known = sorted(
            (word for word in set(words(text.lower())) if word in self.by_word),
            key=lambda word: (len(self.by_word[word]), word),
        )
        for number in sorted({number for word in known[:RAREST] for number in self.by_word[word]}):
            yield self.all[number]

    def nearest(self, text: str, last: int) -> Message | None:
        """The message of a release whose words are the most like a text's; None if none is near."""
        here = set(words(text.lower()))
        best, nearest = NEAR, None
        for message in self.like(text):
            if message.last == last:
                there = set(words(message.text.lower()))
                share = self.weights(here & there) / (self.weights(here | there) or 1)
                if share > best:
                    best, nearest = share, message
        return nearest


def shown(text: str) -> str:
    """A template as `find.origins.origin` gives it."""
    return "".join(part if isinstance(part, str) else "\u2026" for part in parts(text))


def covers(wording: Wording, message: Message) -> bool:
    """Is what PyTorch prints there what the wording claims? One may be a piece of the other."""
    sample = " ".join(wording.sample.split())
    return _in_order([" ".join(part.split()) for part in wording.literals], message.flat) or (
        bool(message.literals) and _in_order(message.literals, sample)
    )


def could_print(message: Message, wording: Wording) -> bool:
    """Could a message hold the wording where its holes take some of the wording's letters, though
    not too many?

    Slower than `covers`, which knows only whole literals: a text that now has a hole for `CUDA` is
    still the same message.
    """
    text, sought = message.flat, " ".join("\0".join(wording.literals).split())
    # For each place in the message, the most letters of the wording so far that stand there as they
    # are; the wording may begin anywhere.
    most = [0] * (len(text) + 1)
    for letter in sought:
        if letter == "\0":  # a value: anything from here on
            most = list(accumulate(most, max))
        else:
            most = _with_letter(most, text, letter)
    return max(most) >= LITERAL * sum(letter != "\0" for letter in sought)


def _with_letter(most: list[int], text: str, letter: str) -> list[int]:
    """The same, with one letter of the wording more; -1 where it cannot stand."""
    longer = [-1] * len(most)
    for at, here in enumerate(text):
        if most[at] < 0:
            continue
        if here == "\0":
            longer[at] = max(longer[at], most[at])  # the hole takes it
        elif here == letter:
            longer[at + 1] = max(longer[at + 1], most[at] + 1)
    # A hole may end here, having taken one letter or more.
    for at, here in enumerate(text):
        if here == "\0" and longer[at] >= 0:
            longer[at + 1] = max(longer[at + 1], longer[at])
    return longer


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
    """A wording that PyTorch had and has no more.

    Attributes:
        last: the newest release with it.
        nearest: what the newest has instead, if anything is near.
    """

    stem: str
    wording: Wording
    last: str
    nearest: Message | None


def moved(
    table: Table,
    wordings: Iterable[tuple[str, Wording]],
    printed: Iterable[tuple[str, str]] = (),
) -> list[Moved]:
    """Wordings, by stem, that stand in an older release of the table and not in the newest.

    What stands in no release is not told: it may be another program's, or be made of pieces that no
    file holds as a whole. Nor what a newer release has printed.

    Args:
        printed: what runs have printed, as (release, text).
    """
    runs = [(order(release), " ".join(text.split())) for release, text in printed]
    messages = Messages.of(table)
    newest = len(messages.releases) - 1
    gone = []
    for stem, wording in wordings:
        text = " ".join(wording.literals)
        lasts = [message.last for message in messages.like(text) if covers(wording, message)]
        if not lasts or max(lasts) == newest:
            continue
        last = messages.releases[max(lasts)]
        parts = [" ".join(part.split()) for part in wording.literals]
        if any(release > order(last) and _in_order(parts, text) for release, text in runs):
            continue
        text = " ".join(parts)
        still = (message for message in messages.like(text) if message.last == newest)
        if not any(could_print(message, wording) for message in still):
            gone.append(Moved(stem, wording, last, messages.nearest(text, newest)))
    return gone


def missing(
    table: Table, wordings: Iterable[tuple[str, Wording]], met: Counter[str]
) -> list[tuple[int, Message]]:
    """Messages of the newest release that no wording covers, the most often met first, then the
    most public.

    Args:
        met: how often each message was met in pastes, as `shown`.
    """
    messages = Messages.of(table)
    covered: set[str] = set()
    for _, wording in wordings:
        like = messages.like(" ".join(wording.literals))
        covered.update(message.text for message in like if covers(wording, message))
    newest = len(messages.releases) - 1
    left = [
        (met[shown(message.text)], message)
        for message in messages.all
        if message.last == newest and message.text not in covered
    ]

    # Functions of Python that are reached by a name without underscores are what people call.
    def last_met(item: tuple[int, Message]) -> tuple[int, bool, int, str]:
        times, place = item[0], item[1].place
        private = place.partition(",")[0].count("._")
        return -times, not place.startswith("torch."), private, place

    return sorted(left, key=last_met)
