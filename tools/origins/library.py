"""A compiled library as `machine_code` reads it: its instructions, strings and symbols."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

#: What the symbols that are sought hold.
SOUGHT = (
    b"_str_wrapperI",
    b"torchCheckMsgImpl",
    b"torchCheckFail",
    b"torchInternalAssertFail",
    b"3c107WarningC1",
    b"ErrorC1ENS_14SourceLocationENSt",
    b"ErrorC2ENS_14SourceLocationENSt",
    b"ErrorC1EPKcz",
    b"PyErr_SetString",
    b"PyErr_Format",
    b"13runtime_errorC1EPKc",
    b"13runtime_errorC1ERKNS",
    b"ostream",
    b"basic_ostringstreamIc",
    b"basic_iosIcSt11char_traitsIcEE4init",
    b"basic_stringbufIc",
    b"_ZNSo",
    b"9_M_assignERKS4_",
    b"basic_stringIc",
)
#: Constructors of strings, of LLVM's and of GNU's library: what their symbols begin and end with,
#: among those that the last of SOUGHT finds.
OF_LITERAL = (
    ("__ZNSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEC1", "PKc"),
    ("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1I", "EEPKcRKS3_"),
    ("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2I", "EEPKcRKS3_"),
)


@dataclass
class Library:
    """A library.

    Attributes:
        data: the file.
        code: where instructions lie: (address, size, offset in the file).
        strings: where strings lie: (address, size, offset, whether nothing else lies there).
        functions: address -> symbol, of those that are sought, and of the stubs that jump to them.
        starts, names: all functions' addresses, ascending, and where in the file their symbols
            stand.
        imports: address of an entry of the global offset table -> symbol.
        entries: of those, the functions that are sought.
        constants: where constants lie that are no text: (address, size, offset).
        pointers: address of a constant -> the address that it holds.
    """

    data: bytes
    code: list[tuple[int, int, int]] = field(default_factory=list)
    strings: list[tuple[int, int, int, bool]] = field(default_factory=list)
    functions: dict[int, str] = field(default_factory=dict)
    starts: list[int] = field(default_factory=list)
    names: list[int] = field(default_factory=list)
    imports: dict[int, str] = field(default_factory=dict)
    entries: dict[int, str] = field(default_factory=dict)
    constants: list[tuple[int, int, int]] = field(default_factory=list)
    pointers: dict[int, int] = field(default_factory=dict)

    def add_functions(self, functions: Iterable[tuple[int, int, str | None]]) -> None:
        """Note functions: address, where the symbol stands, and the name of those sought."""
        ordered = sorted(functions, key=lambda function: function[:2])
        self.starts = [address for address, _, _ in ordered]
        self.names = [place for _, place, _ in ordered]
        self.functions |= {address: name for address, _, name in ordered if name}

    def symbol(self, at: int) -> str:
        """The symbol of the function that an address lies in."""
        place = bisect_right(self.starts, at) - 1
        return _plain(self.text(self.names[place])) if place >= 0 else ""

    def text(self, offset: int) -> str:
        end = self.data.find(b"\0", offset)
        if end < 0:
            raise IndexError("a string without an end")
        return self.data[offset:end].decode("utf-8", "replace")

    def constant(self, address: int) -> int | None:
        """The eight bytes at an address; None where no constant lies."""
        for start, size, offset in self.constants:
            if start <= address <= start + size - 8:
                at = offset + address - start
                return self.pointers.get(address) or int.from_bytes(
                    self.data[at : at + 8], "little"
                )
        return None

    def literal(self, address: object) -> str | None:
        """The string at an address of the string table; None of any other value."""
        if isinstance(address, int):
            for start, size, offset, alone in self.strings:
                if start <= address < start + size:
                    text = self.text(offset + address - start)
                    plain = text.replace("\n", "").replace("\t", "")
                    return text if alone or plain.isprintable() else None
        return None

    def table(self) -> set[bytes]:
        """All strings of two letters and more; in an ELF file other data too."""
        tables = [
            self.data[offset : offset + size]
            for _, size, offset, alone in self.strings
            if alone or len(self.strings) == 1
        ]
        return {text for table in tables for text in table.split(b"\0") if len(text) > 1}


def _plain(symbol: str) -> str:
    """A symbol without what GCC adds to its copy of a function, such as `.constprop.0`."""
    return symbol.partition(".")[0] if symbol.startswith("_Z") else symbol


def sought(data: bytes, start: int, size: int) -> dict[int, str]:
    """The few names that are sought, by where they stand in a table of names."""
    names: dict[int, str] = {}
    for word in SOUGHT:
        at = data.find(word, start, start + size)
        while at >= 0:
            first = data.rfind(b"\0", start, at) + 1
            end = data.index(b"\0", at)
            name = data[first:end].decode("utf-8", "replace")
            plain = _plain(name)
            # A part of a function takes other arguments than the whole.
            whole = ".part." not in name and ".cold" not in name
            if whole and (word != SOUGHT[-1] or of_literal(plain)):
                names[first - start] = plain
            at = data.find(word, end, start + size)
    return names


def of_literal(name: str) -> bool:
    """Is this symbol of a constructor that makes a string of a `char const*`?"""
    return any(name.startswith(start) and name.endswith(end) for start, end in OF_LITERAL)


def signed(value: int, bits: int) -> int:
    """A number of so many bits, of which the first is its sign."""
    return value - (1 << bits) if value >> bits - 1 else value


def page_distance(word: int) -> int:
    """What `adr` adds to an address; `adrp` adds as many pages."""
    return signed((word >> 5 & 0x7FFFF) << 2 | word >> 29 & 3, 21)
