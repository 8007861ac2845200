"""A library of Linux: an ELF file for ARM64."""

from __future__ import annotations

import struct
from itertools import pairwise
from typing import NamedTuple

from .library import Library, page_distance, sought

#: Sections whose code lies at most this far apart are read as one: bytes.
APART = 4096
#: Relocations: the address of a symbol, in the table of addresses and in that of functions; an
#: address within the library.
_GLOB_DAT, _JUMP_SLOT, _RELATIVE = 1025, 1026, 1027
#: `bti c`, the mark of a place that may be jumped to.
_BTI = 0xD503245F


class _Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int = 0
    info: int = 0
    align: int = 0
    width: int = 0


class _Symbol(NamedTuple):
    name: int
    kind: int
    visibility: int
    section: int
    value: int
    size: int


_NOTHING = _Section(0, 0, 0, 0, 0, 0)


def for_x86(data: bytes) -> bool:
    """Is this an ELF file for x86-64?"""
    return data[:4] == b"\x7fELF" and data[18:20] == b"\x3e\0"


def read(data: bytes) -> Library:
    """Raises: ValueError: this is no ELF file for ARM64; struct.error, IndexError, KeyError: it
    ends early, or lacks a part."""
    kind, order, machine = data[4], data[5], struct.unpack_from("<H", data, 18)[0]
    if (kind, order, machine) != (2, 1, 183):
        raise ValueError("an ELF file, but not for ARM64")
    library = Library(data)
    sections = _sections(library)
    _note_parts(library, sections)
    names = _names(data, sections[".dynstr"])
    symbols = _symbols(data, sections[".dynsym"])
    functions = _functions(symbols, sections[".dynstr"].offset, names)
    if ".symtab" in sections:  # functions that are no one else's as well
        local = _symbols(data, sections[".symtab"])
        strings = sections[".strtab"]
        functions += _functions(local, strings.offset, _names(data, strings))
    library.add_functions(functions)
    for table in (".rela.dyn", ".rela.plt"):
        section = sections.get(table, _NOTHING)
        entries = struct.iter_unpack("<2Qq", _content(data, section))
        for address, info, addend in entries:
            if info == _RELATIVE:
                library.pointers[address] = addend
            elif info & 0xFFFFFFFF in (_GLOB_DAT, _JUMP_SLOT):
                at = sections[".dynstr"].offset + symbols[info >> 32].name
                library.imports[address] = library.text(at)
    wanted = set(names.values())
    library.entries = {at: name for at, name in library.imports.items() if name in wanted}
    _note_stubs(library, sections.get(".plt", _NOTHING))
    return library


def _content(data: bytes, section: _Section) -> bytes:
    return data[section.offset : section.offset + section.size]


def _names(data: bytes, strings: _Section) -> dict[int, str]:
    return sought(data, strings.offset, strings.size)


def _sections(library: Library) -> dict[str, _Section]:
    data = library.data
    start = struct.unpack_from("<Q", data, 40)[0]
    width, count, named = struct.unpack_from("<3H", data, 58)
    headers = [
        _Section(*struct.unpack_from("<2I4Q2I2Q", data, start + width * number))
        for number in range(count)
    ]
    titles = headers[named].offset
    return {library.text(titles + header.name): header for header in headers}


def _note_parts(library: Library, sections: dict[str, _Section]) -> None:
    """Where code, strings and constants lie."""
    for name, section in sorted(sections.items(), key=lambda item: item[1].address):
        address, size, offset = section.address, section.size, section.offset
        if section.flags & 4 and name not in (".plt", ".init", ".fini"):  # what can be run
            before, length, place = library.code[-1] if library.code else (0, 0, 0)
            near = offset - place == address - before and address - before - length < APART
            if library.code and near:
                library.code[-1] = (before, address + size - before, place)
            else:
                library.code.append((address, size, offset))
        elif name == ".rodata":
            library.strings = [(address, size, offset, False)]
        if name in (".rodata", ".data.rel.ro", ".data"):
            library.constants.append((address, size, offset))


def _symbols(data: bytes, section: _Section) -> list[_Symbol]:
    return [_Symbol(*entry) for entry in struct.iter_unpack("<IBBHQQ", _content(data, section))]


def _functions(
    symbols: list[_Symbol], strings: int, names: dict[int, str]
) -> list[tuple[int, int, str | None]]:
    return [
        (symbol.value, strings + symbol.name, names.get(symbol.name))
        for symbol in symbols
        if symbol.kind & 15 == 2 and symbol.section
    ]


def _note_stubs(library: Library, section: _Section) -> None:
    """Of the stubs through which other libraries are called, those that jump to what is sought."""
    end = section.offset + section.size // 4 * 4
    words = [word for (word,) in struct.iter_unpack("<I", library.data[section.offset : end])]
    for number, (page, entry) in enumerate(pairwise(words)):
        if page & 0x9F00001F != 0x90000010 or entry & 0xFFC003FF != 0xF9400211:
            continue  # no adrp x16, ldr x17
        here = section.address + 4 * number
        target = (here & ~0xFFF) + (page_distance(page) << 12) + (entry >> 10 & 0xFFF) * 8
        if name := library.entries.get(target):
            library.functions[here] = name
            if number and words[number - 1] == _BTI:
                library.functions[here - 4] = name
