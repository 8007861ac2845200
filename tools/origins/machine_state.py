"""What registers and the stack hold on one way to a call, as far as it is known."""

from __future__ import annotations

from dataclasses import dataclass, field

from .library import Library
from .template import Piece

#: Bytes from the beginning of an empty std::string of GNU's library to its letters.
LETTERS = 16
#: A place whose address is not a constant: what it is counted from ("s" the stack, "f" the frame,
#: "x19" what a register held at first, "[…]" what lay elsewhere), and the bytes from there.
Place = tuple[str, int]


@dataclass(frozen=True)
class Import:
    """An entry of the table of other libraries' symbols."""

    symbol: str


@dataclass(frozen=True)
class Imported:
    """What lies at the address of another library's symbol."""

    symbol: str


#: A value that is followed: a number or an address; a place; a symbol.
Value = int | Place | Import | Imported

STACK, FRAME = 31, 29


def _registers() -> dict[int, Value]:
    """What registers hold where a way begins: the stack, the frame, and, in those that calls leave
    alone, places that only they name."""
    kept: dict[int, Value] = {number: (f"x{number}", 0) for number in range(19, 29)}
    return {STACK: ("s", 0), FRAME: ("f", 0), **kept}


@dataclass
class State:
    """Registers and stack.

    Attributes:
        strings: the strings at places, as pieces.
        streams: what was written so far to the streams at places.
        begun: where a string was begun, and what was written by then to the only stream.
    """

    registers: dict[int, Value] = field(default_factory=_registers)
    stack: dict[Place, Value] = field(default_factory=dict)
    strings: dict[Place, list[Piece]] = field(default_factory=dict)
    streams: dict[Place, list[Piece]] = field(default_factory=dict)
    begun: dict[Place, list[Piece]] = field(default_factory=dict)

    def set(self, register: int, value: Value | None) -> None:
        if value is None:
            self.registers.pop(register, None)
        else:
            self.registers[register] = value

    def number_or(self, register: int) -> Value | None:
        """What is stored of a register: number 31 is zero there."""
        return 0 if register == STACK else self.registers.get(register)

    def store(self, place: Value | None, value: Value | None) -> None:
        if not isinstance(place, tuple):
            return
        self.strings.pop(place, None)
        if value == moved(place, LETTERS) and len(self.streams) == 1:  # an empty string begins
            self.begun[place] = [*next(iter(self.streams.values()))]
        if value is None:
            self.stack.pop(place, None)
        else:
            self.stack[place] = value

    def load(self, place: Value | None, library: Library) -> Value | None:
        if isinstance(place, int):
            symbol = library.imports.get(place)
            return library.constant(place) if symbol is None else Import(symbol)
        if isinstance(place, Import):
            return Imported(place.symbol)
        if isinstance(place, Imported):
            return (f"[{place.symbol}]", 0)
        # The same until something else is stored there.
        return place and self.stack.setdefault(place, (f"[{place[0]}{place[1]}]", 0))

    def forget(self, place: Value | None, size: int) -> None:
        """So many bytes from a place may have been written."""
        if isinstance(place, tuple):
            start, end = place[1], place[1] + size
            for kept in (self.stack, self.strings):
                for slot in [*kept]:
                    if slot[0] == place[0] and start <= slot[1] < end:
                        del kept[slot]


def moved(value: Value | None, by: int) -> Value | None:
    """A value with a number added."""
    if isinstance(value, int):
        return value + by
    if isinstance(value, tuple):
        return (value[0], value[1] + by)
    return None if by else value
