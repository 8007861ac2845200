"""Calls that make a string: `c10::str(…)`, constructors, streams.

`c10::str(…)`, which makes a message of literals and values, is a call of
`_str_wrapper<types…>::call`, whose symbol holds the types. GCC writes out what Clang calls: there a
message is followed through the stream that it is written to.
"""

from __future__ import annotations

from .demangle import demangle, parameters, split
from .library import Library, of_literal
from .machine_state import Import, Place, State, Value, moved
from .template import HOLE, INT, Piece

#: Bytes that a callee may write where a pointer is handed to it, and those of a std::string.
REACH, STRING = 128, 24
#: GNU's library: where in a stream its buffer lies, and where the buffer's text.
BUFFER, TEXT = 8, 80
#: Its functions that write to a stream: a text, a part of one, a whole number; all.
WRITE_TEXT = "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc"
WRITE_PART = ("_ZSt16__ostream_insertIc", "_ZNSo5writeEPKcl")
WRITE_NUMBER = tuple(f"_ZNSo{name}{kind}" for name in ("lsE", "9_M_insertI") for kind in "sijlmtxy")
WRITES = (WRITE_TEXT, *WRITE_PART, "_ZNSols", "_ZNSo9_M_insert", "_ZStls", "_ZN3c10ls", "_ZN2atls")
INTEGERS = {
    f"{sign}{kind} const&"
    for sign in ("", "unsigned ")
    for kind in ("int", "long", "long long", "short")
}


def symbol_at(value: Value | None) -> str:
    """The function that is called through a register."""
    return value.symbol if isinstance(value, Import) else ""


def run(state: State, name: str, library: Library) -> None:
    """After a call: a string that it makes, and what it may have changed.

    Args:
        name: the symbol of the function; "" where it is not sought.
    """
    place, pieces = _string(state, name, library)
    returned = None
    if pieces is None:
        if not _begins_stream(state, name):
            returned = _write(state, name, library)
        for register in range(9):
            state.forget(state.registers.get(register), REACH)
    else:
        state.forget(place, STRING)
        if pieces and isinstance(place, tuple):
            state.strings[place] = [*pieces]
    for register in (*range(19), 30):  # what calls do not keep
        state.registers.pop(register, None)
    state.set(0, returned)


def _string(state: State, name: str, library: Library) -> tuple[Value | None, list[Piece] | None]:
    """The string that a call makes: where, and its pieces; [] where they are not known, None where
    it makes none."""
    given = state.registers.get
    if "_str_wrapper" in name or "torchCheckMsgImpl" in name:
        return given(8), _pieces(state, demangle(name), library)
    if of_literal(name):
        literal = library.literal(given(1))
        return given(0), [] if literal is None else [literal]
    if name.endswith("E3strEv"):  # of a stream, or of its buffer
        return given(8), _stream(state, given(0)) or _stream(state, moved(given(0), -BUFFER))
    if "9_M_assign" in name:
        if text := _stream(state, moved(given(1), -TEXT)):
            return given(0), text
    return None, None


def _stream(state: State, place: Value | None) -> list[Piece] | None:
    return state.streams.get(place) if isinstance(place, tuple) else None


def _begins_stream(state: State, name: str) -> bool:
    """Is this the constructor of a stream? It is noted."""
    place: Value | None = None
    if "ostringstream" in name and name.endswith(("C1Ev", "C2Ev")):
        place = state.registers.get(0)
    elif "9basic_ios" in name and name.endswith("E4initEPSt15basic_streambufIcS1_E"):
        place = moved(state.registers.get(1), -BUFFER)
    if isinstance(place, tuple):
        state.streams[place] = []
    return isinstance(place, tuple)


def _write(state: State, name: str, library: Library) -> Place | None:
    """Note what a call writes to the streams that it is given. Returns: the stream that it
    returns."""
    returned = None
    for register in range(8):
        place = state.registers.get(register)
        if isinstance(place, tuple) and place in state.streams:
            state.streams[place].append(HOLE if register else _written(state, name, library))
            returned = place if not register and name.startswith(WRITES) else None
    return returned


def _written(state: State, name: str, library: Library) -> Piece:
    """What a call writes to a stream."""
    text, size = library.literal(state.registers.get(1)), state.registers.get(2)
    if name.startswith(WRITE_TEXT):
        return HOLE if text is None else text
    if name.startswith(WRITE_PART):
        return HOLE if text is None or not isinstance(size, int) else text[:size]
    return INT if name.startswith(WRITE_NUMBER) else HOLE


def _pieces(state: State, name: str, library: Library) -> list[Piece]:
    """What a call of `c10::str` makes: its literals and values, in turn."""
    types = parameters(name)
    if "torchCheckMsgImpl" in name:
        first = 1  # after the message that a check has by default
        literals = [kind.startswith("char const (&)") for kind in types]
    else:
        # A literal is given as a `char const*`, a name that the caller has as a `char const*
        # const&`: the types in the brackets tell them apart.
        first = 0
        brackets = name[name.index("<") + 1 : name.rindex(">::call")]
        literals = [kind == "char const*" for kind in split(brackets)]
    if len(types) != len(literals):
        return []
    pieces: list[Piece] = []
    for number, (kind, literal) in enumerate(zip(types, literals, strict=True)):
        if number >= first:
            value = _argument(state, number)
            if not first:  # what is handed over is where the pointer lies
                value = state.stack.get(value) if isinstance(value, tuple) else None
            text = library.literal(value) if literal else None
            pieces.append(text if text is not None else INT if kind in INTEGERS else HOLE)
    return pieces


def _argument(state: State, number: int) -> Value | None:
    """What a call is given: eight in registers, more on the stack."""
    return state.registers.get(number) if number < 8 else state.stack.get(("s", 8 * (number - 8)))
