"""A compiled library as `origins_native` reads it: its instructions, strings and symbols, of a Mach-O file (macOS) or an ELF file (Linux), both for ARM64."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

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
#: Constructors of strings, of LLVM's and of GNU's library: what their symbols begin and end with, among those that the last of SOUGHT finds.
OF_LITERAL = (
    ("__ZNSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEC1", "PKc"),
    ("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1I", "EEPKcRKS3_"),
    ("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2I", "EEPKcRKS3_"),
)
#: Sections of an ELF file whose code lies at most this far apart are read as one: bytes.
APART = 4096
#: Relocations of an ELF file for ARM64: the address of a symbol, in the table of addresses and in that of functions; an address within the library.
_GLOB_DAT, _JUMP_SLOT, _RELATIVE = 1025, 1026, 1027


@dataclass
class Library:
    """A library.

    Attributes:
        data: the file.
        code: where instructions lie: (address, size, offset in the file).
        strings: where strings lie: (address, size, offset, whether nothing else lies there).
        functions: address -> symbol, of those that are sought, and of the stubs that jump to them.
        starts, names: all functions' addresses, ascending, and where in the file their symbols stand.
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
                return self.pointers.get(address) or int.from_bytes(self.data[offset + address - start : offset + address - start + 8], "little")
        return None

    def literal(self, address: Any) -> str | None:
        """The string at an address of the string table; None of any other value."""
        if isinstance(address, int):
            for start, size, offset, alone in self.strings:
                if start <= address < start + size:
                    found = self.text(offset + address - start)
                    return found if alone or found.replace("\n", "").replace("\t", "").isprintable() else None
        return None

    def table(self) -> set[bytes]:
        """All strings of two letters and more; in an ELF file other data too."""
        tables = [self.data[offset : offset + size] for _, size, offset, alone in self.strings if alone or len(self.strings) == 1]
        return {text for table in tables for text in table.split(b"\0") if len(text) > 1}


def load(data: bytes) -> Library:
    """Raises: ValueError: this is no library for ARM64, or not one that can be read."""
    try:
        if data[:4] == b"\x7fELF":
            return _elf(data)
        return _mach_o(data)
    except (struct.error, IndexError, KeyError) as error:
        raise ValueError(f"a library that ends early, or lacks a part ({error})") from None


def for_x86(data: bytes) -> bool:
    """Is this an ELF file for x86-64?"""
    return data[:4] == b"\x7fELF" and data[18:20] == b"\x3e\0"


def _plain(symbol: str) -> str:
    """A symbol without what GCC adds to a copy that it made of a function, such as `.constprop.0`."""
    return symbol.partition(".")[0] if symbol.startswith("_Z") else symbol


def _wanted(data: bytes, start: int, size: int) -> dict[int, str]:
    """The few names that are sought, by where they stand in a table of names."""
    wanted: dict[int, str] = {}
    for word in SOUGHT:
        found = data.find(word, start, start + size)
        while found >= 0:
            first = data.rfind(b"\0", start, found) + 1
            end = data.index(b"\0", found)
            name = data[first:end].decode("utf-8", "replace")
            plain = _plain(name)
            # A part of a function takes other arguments than the whole.
            if ".part." not in name and ".cold" not in name and (word != SOUGHT[-1] or of_literal(plain)):
                wanted[first - start] = plain
            found = data.find(word, end, start + size)
    return wanted


def of_literal(name: str) -> bool:
    """Is this symbol of a constructor that makes a string of a `char const*`?"""
    return any(name.startswith(start) and name.endswith(end) for start, end in OF_LITERAL)


def _mach_o(data: bytes) -> Library:
    magic, cpu, _, _, commands = struct.unpack_from("<5I", data)
    if (magic, cpu) != (0xFEEDFACF, 0x0100000C):
        raise ValueError("no library for ARM64, neither in Apple's format nor in Linux's")
    library = Library(data)
    at, symbols, indirect = 32, (0, 0, 0, 0), 0
    sections: dict[str, tuple[int, int, int, int, int]] = {}  # address, size, offset, first entry in the indirect table, size of a stub
    for _ in range(commands):
        command, size = struct.unpack_from("<2I", data, at)
        if command == 0x19:  # a segment, with its sections
            for number in range(struct.unpack_from("<I", data, at + 64)[0]):
                place = at + 72 + 80 * number
                name = data[place : place + 16].rstrip(b"\0").decode()
                segment = data[place + 16 : place + 32].rstrip(b"\0")
                address, length, offset, _, _, _, _, first, stub = struct.unpack_from("<2Q7I", data, place + 32)
                if segment == b"__TEXT" or name == "__got":
                    sections[name] = (address, length, offset, first, stub)
        elif command == 2:
            symbols = struct.unpack_from("<4I", data, at + 8)
        elif command == 0xB:
            indirect = struct.unpack_from("<18I", data, at + 8)[12]
        at += size
    library.code = [sections["__text"][:3]]
    library.strings = [(*sections[name][:3], name == "__cstring") for name in ("__cstring", "__const") if name in sections]
    table, count, strings, size = symbols
    wanted = _wanted(data, strings, size)
    entries = list(struct.iter_unpack("<IBBHQ", data[table : table + 16 * count]))
    functions = ((value, name) for name, kind, _, _, value in entries if value and kind & 0x0E == 0x0E and not kind & 0xE0)
    _functions(library, ((value, strings + name, wanted.get(name)) for value, name in functions))
    for section in ("__stubs", "__got"):
        address, length, _, first, stub = sections.get(section, (0, 0, 0, 0, 0))
        width = stub or 8
        for number in range(length // width):
            entry = struct.unpack_from("<I", data, indirect + 4 * (first + number))[0]
            if entry & 0xC0000000:
                continue
            name = entries[entry][0]
            if section == "__got":
                library.imports[address + number * width] = library.text(strings + name)
            elif name in wanted:
                library.functions[address + number * width] = wanted[name]
    return library


def _functions(library: Library, found: Iterable[tuple[int, int, str | None]]) -> None:
    """Note functions: address, where the symbol stands, and the name of those that are sought."""
    ordered = sorted(found, key=lambda one: one[:2])
    library.starts, library.names = [address for address, _, _ in ordered], [place for _, place, _ in ordered]
    library.functions |= {address: name for address, _, name in ordered if name}


def _elf(data: bytes) -> Library:
    kind, order, machine = data[4], data[5], struct.unpack_from("<H", data, 18)[0]
    if (kind, order, machine) != (2, 1, 183):
        raise ValueError("an ELF file, but not for ARM64")
    library = Library(data)
    start, width, count, named = struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<3H", data, 58)
    headers = [struct.unpack_from("<2I4Q2I2Q", data, start + width * number) for number in range(count)]
    sections = {library.text(headers[named][4] + header[0]): header for header in headers}
    for name, (_, _, flags, address, offset, size, *_) in sorted(sections.items(), key=lambda one: one[1][3]):
        if flags & 4 and name not in (".plt", ".init", ".fini"):  # what can be run
            last = library.code[-1] if library.code else (0, 0, 0)
            if library.code and offset - last[2] == address - last[0] and address - last[0] - last[1] < APART:
                library.code[-1] = (last[0], address + size - last[0], last[2])
            else:
                library.code.append((address, size, offset))
        elif name == ".rodata":
            library.strings = [(address, size, offset, False)]
        if name in (".rodata", ".data.rel.ro", ".data"):
            library.constants.append((address, size, offset))
    _, _, _, _, names, size, *_ = sections[".dynstr"]
    wanted, symbols = _wanted(data, names, size), _symbols(data, sections[".dynsym"])
    functions = [(value, names + name, wanted.get(name)) for name, kind, _, section, value, _ in symbols if kind & 15 == 2 and section]
    if ".symtab" in sections:  # functions that are no one else's as well
        _, _, _, _, place, size, *_ = sections[".strtab"]
        local = _wanted(data, place, size)
        functions += [
            (value, place + name, local.get(name)) for name, kind, _, section, value, _ in _symbols(data, sections[".symtab"]) if kind & 15 == 2 and section
        ]
    _functions(library, functions)
    for table in (".rela.dyn", ".rela.plt"):
        _, _, _, _, offset, size, *_ = sections.get(table, (0,) * 10)
        for address, info, addend in struct.iter_unpack("<2Qq", data[offset : offset + size]):
            if info == _RELATIVE:
                library.pointers[address] = addend
            elif info & 0xFFFFFFFF in (_GLOB_DAT, _JUMP_SLOT):
                library.imports[address] = library.text(names + symbols[info >> 32][0])
    _, _, _, address, offset, size, *_ = sections.get(".plt", (0,) * 10)
    words = [word for (word,) in struct.iter_unpack("<I", data[offset : offset + size // 4 * 4])]
    sought = set(wanted.values())
    library.entries = {address: name for address, name in library.imports.items() if name in sought}
    for number, (page, entry) in enumerate(pairwise(words)):
        if page & 0x9F00001F == 0x90000010 and entry & 0xFFC003FF == 0xF9400211:  # adrp x16, ldr x17
            here = address + 4 * number
            target = (here & ~0xFFF) + (signed((page >> 5 & 0x7FFFF) << 2 | page >> 29 & 3, 21) << 12) + (entry >> 10 & 0xFFF) * 8
            if name := library.entries.get(target):
                library.functions[here] = name
                if number and words[number - 1] == 0xD503245F:  # the mark of a place that may be jumped to
                    library.functions[here - 4] = name
    return library


def _symbols(data: bytes, section: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Entries of a table of symbols: where in the table of names, kind, visibility, section, address, size."""
    _, _, _, _, offset, size, *_ = section
    return list(struct.iter_unpack("<IBBHQQ", data[offset : offset + size]))


def signed(value: int, bits: int) -> int:
    """A number of so many bits, of which the first is its sign."""
    return value - (1 << bits) if value >> bits - 1 else value
