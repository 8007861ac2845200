"""Instructions of ARM64: what one does to registers and stack. Of those that are not known here,
what they write to is no longer known either."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from .library import Library, page_distance, signed
from .machine_state import STACK, State, moved

#: What an instruction does, of the state, its word, its address and the library.
Step = Callable[[State, int, int, Library], None]


def branch(word: int) -> int | None:
    """By how many instructions a branch jumps; None of all else, and of calls."""
    if word >> 26 == 0x05:
        return signed(word & 0x3FFFFFF, 26)
    if word >> 24 == 0x54 or word & 0x7E000000 == 0x34000000:
        return signed(word >> 5 & 0x7FFFF, 19)
    if word & 0x7E000000 == 0x36000000:
        return signed(word >> 5 & 0x3FFF, 14)
    return None


def is_call(word: int) -> bool:
    return word >> 26 == 0x25 or calls_register(word)


def calls_register(word: int) -> bool:
    return word & 0xFFFFFC1F == 0xD63F0000


def goes_elsewhere(word: int) -> bool:
    """A jump, a return or a trap: the next instruction is not run after it."""
    return (
        word >> 26 == 0x05
        or word & 0xFFFFFC1F in (0xD65F0000, 0xD61F0000)
        or word & 0xFFE0001F == 0xD4200000
    )


def step(state: State, word: int, here: int, library: Library) -> None:
    """Run one instruction that is no call, at the address `here`."""
    _step_of(word)(state, word, here, library)


def _first(word: int) -> int:
    """The register that is written, or stored."""
    return word & 31


def _base(word: int) -> int:
    """The register that is read, or that holds the address."""
    return word >> 5 & 31


def _second(word: int) -> int:
    """The other register of a pair."""
    return word >> 10 & 31


def _unsigned(word: int) -> int:
    return word >> 10 & 0xFFF


def _nine(word: int) -> int:
    return signed(word >> 12 & 0x1FF, 9)


def _seven(word: int) -> int:
    return signed(word >> 15 & 0x7F, 7)


def _address(state: State, word: int, here: int, library: Library) -> None:
    """adr, adrp."""
    distance = page_distance(word)
    state.set(_first(word), (here & ~0xFFF) + (distance << 12) if word >> 31 else here + distance)


def _add(state: State, word: int, here: int, library: Library) -> None:
    """add, sub of a number."""
    amount = _unsigned(word) << (12 if word >> 22 & 1 else 0)
    added = amount if not word >> 30 & 1 else -amount
    state.set(_first(word), moved(state.registers.get(_base(word)), added))


def _movz(state: State, word: int, here: int, library: Library) -> None:
    state.set(_first(word), (word >> 5 & 0xFFFF) << (word >> 21 & 3) * 16)


def _movk(state: State, word: int, here: int, library: Library) -> None:
    old, shift = state.registers.get(_first(word)), (word >> 21 & 3) * 16
    part = (word >> 5 & 0xFFFF) << shift
    state.set(_first(word), old & ~(0xFFFF << shift) | part if isinstance(old, int) else None)


def _mov(state: State, word: int, here: int, library: Library) -> None:
    state.set(_first(word), state.number_or(word >> 16 & 31))


def _str(state: State, word: int, here: int, library: Library) -> None:
    width = 8 if word >> 30 == 3 else 4
    place = moved(state.registers.get(_base(word)), _unsigned(word) * width)
    state.store(place, state.number_or(_first(word)))


def _stur(state: State, word: int, here: int, library: Library) -> None:
    place = moved(state.registers.get(_base(word)), _nine(word))
    state.store(place, state.number_or(_first(word)))


def _stp(state: State, word: int, here: int, library: Library) -> None:
    place = moved(state.registers.get(_base(word)), _seven(word) * 8)
    state.store(place, state.number_or(_first(word)))
    state.store(moved(place, 8), state.number_or(_second(word)))


def _ldr(state: State, word: int, here: int, library: Library) -> None:
    place = moved(state.registers.get(_base(word)), _unsigned(word) * 8)
    state.set(_first(word), state.load(place, library))


def _ldur(state: State, word: int, here: int, library: Library) -> None:
    place = moved(state.registers.get(_base(word)), _nine(word))
    state.set(_first(word), state.load(place, library))


def _ldp(state: State, word: int, here: int, library: Library) -> None:
    place = moved(state.registers.get(_base(word)), _seven(word) * 8)
    first, second = state.load(place, library), state.load(moved(place, 8), library)
    state.set(_first(word), first)
    state.set(_second(word), second)


def _store_vector(state: State, word: int, here: int, library: Library) -> None:
    """What stood there is gone."""
    if word & 0xFFC00000 == 0x3D800000:
        offset, size = _unsigned(word) * 16, 16
    elif word & 0xFFC00000 == 0x3C800000:
        offset, size = _nine(word), 16
    else:
        offset, size = _seven(word) * 16, 32
    state.forget(moved(state.registers.get(_base(word)), offset), size)


def _other(state: State, word: int, here: int, library: Library) -> None:
    """What is not known here writes a register that is no longer known."""
    if branch(word) is not None:
        return
    # Number 31 is the stack only where an address is reckoned: with a mask, or with a register that
    # was made wider. Elsewhere it is nothing, as in `cmp`.
    reckons = word & 0x7F800000 == 0x12000000 or word & 0x7FE00000 in (0x0B200000, 0x4B200000)
    if _first(word) != STACK or reckons:
        state.set(_first(word), None)
    if word & 0x3A000000 == 0x28000000:  # pairs
        state.set(_second(word), None)
    single = word & 0x3B200400 == 0x38000400
    if single or word & 0x3A800000 == 0x28800000:  # with the address moved on
        by = _nine(word) if single else _seven(word) * 8
        on_stack = _base(word) == STACK and word >> 30 & 2
        value = moved(state.registers.get(STACK), by) if on_stack else None
        state.set(_base(word), value)


#: Bits that tell an instruction, what they are, and what it does; the first that fits counts.
_STEPS: tuple[tuple[int, tuple[int, ...], Step], ...] = (
    (0x1F000000, (0x10000000,), _address),
    (0xFF800000, (0x91000000, 0xD1000000, 0x11000000, 0x51000000), _add),
    (0xFF800000, (0xD2800000, 0x52800000), _movz),
    (0xFF800000, (0xF2800000, 0x72800000), _movk),
    (0xFFE0FFE0, (0xAA0003E0, 0x2A0003E0), _mov),
    (0xFFC00000, (0xF9000000, 0xB9000000), _str),
    (0xFFE00C00, (0xF8000000, 0xB8000000), _stur),
    (0xFFC00000, (0xA9000000,), _stp),
    (0xFFC00000, (0xF9400000,), _ldr),
    (0xFFC00000, (0xA9400000,), _ldp),
    (0xFFE00C00, (0xF8400000,), _ldur),
    (0xFFC00000, (0x3D800000, 0xAD000000, 0x3C800000, 0xAD800000), _store_vector),
    (0, (0,), _other),
)


@lru_cache(1 << 16)
def _step_of(word: int) -> Step:
    return next(run for mask, patterns, run in _STEPS if word & mask in patterns)
