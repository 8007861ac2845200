"""A library of macOS: a Mach-O file for ARM64."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from .library import Library, sought

#: Commands of the header: a segment with its sections, the table of symbols, that of indirect ones.
_SEGMENT, _SYMTAB, _DYSYMTAB = 0x19, 2, 0xB
#: An entry of the indirect table that names no symbol of another library.
_LOCAL = 0xC0000000


@dataclass
class _Header:
    """Where things lie.

    Attributes:
        sections: name -> address, size, offset, first entry in the indirect table, size of a stub.
        symbols: the table of symbols: offset, entries; the table of their names: offset, size.
        indirect: offset of the indirect table.
    """

    sections: dict[str, tuple[int, int, int, int, int]] = field(default_factory=dict)
    symbols: tuple[int, int, int, int] = (0, 0, 0, 0)
    indirect: int = 0


def read(data: bytes) -> Library:
    """Raises: ValueError: this is no Mach-O file for ARM64; struct.error, IndexError, KeyError: it
    ends early, or lacks a part."""
    header = _header(data)
    library, sections = Library(data), header.sections
    library.code = [sections["__text"][:3]]
    library.strings = [
        (*sections[name][:3], name == "__cstring")
        for name in ("__cstring", "__const")
        if name in sections
    ]
    table, count, strings, size = header.symbols
    names = sought(data, strings, size)
    entries = list(struct.iter_unpack("<IBBHQ", data[table : table + 16 * count]))
    library.add_functions(
        (value, strings + name, names.get(name))
        for name, kind, _, _, value in entries
        if value and kind & 0x0E == 0x0E and not kind & 0xE0
    )
    for section in ("__stubs", "__got"):
        address, length, _, first, stub = sections.get(section, (0, 0, 0, 0, 0))
        width = stub or 8
        for number in range(length // width):
            at = header.indirect + 4 * (first + number)
            entry = struct.unpack_from("<I", data, at)[0]
            if entry & _LOCAL:
                continue
            name = entries[entry][0]
            if section == "__got":
                library.imports[address + number * width] = library.text(strings + name)
            elif name in names:
                library.functions[address + number * width] = names[name]
    return library


def _header(data: bytes) -> _Header:
    magic, cpu, _, _, commands = struct.unpack_from("<5I", data)
    if (magic, cpu) != (0xFEEDFACF, 0x0100000C):
        raise ValueError("no library for ARM64, neither in Apple's format nor in Linux's")
    header, at = _Header(), 32
    for _ in range(commands):
        command, size = struct.unpack_from("<2I", data, at)
        if command == _SEGMENT:
            for number in range(struct.unpack_from("<I", data, at + 64)[0]):
                _section(header, data, at + 72 + 80 * number)
        elif command == _SYMTAB:
            header.symbols = struct.unpack_from("<4I", data, at + 8)
        elif command == _DYSYMTAB:
            header.indirect = struct.unpack_from("<18I", data, at + 8)[12]
        at += size
    return header


def _section(header: _Header, data: bytes, at: int) -> None:
    name = data[at : at + 16].rstrip(b"\0").decode()
    segment = data[at + 16 : at + 32].rstrip(b"\0")
    address, size, offset, _, _, _, _, first, stub = struct.unpack_from("<2Q7I", data, at + 32)
    if segment == b"__TEXT" or name == "__got":
        header.sections[name] = (address, size, offset, first, stub)
