"""PyTorch's own messages: read out of small made-up wheels, and the table that the checkout holds."""

from __future__ import annotations

import json
import struct
import zipfile
from collections import Counter
from pathlib import Path
from textwrap import dedent

import pytest

from tools.origins import __main__ as command
from tools.origins import exports, machine_code, python_source, spans
from tools.origins import table as tables
from tools.origins import wordings as our_wordings
from tools.origins.library import Library
from tools.origins.release import Release, order, version
from tools.origins.release import read as read_wheel
from tools.origins.template import Site
from torchclinic import ROOT
from torchclinic.content.problem import BadInput
from torchclinic.find import origins_table, wording
from torchclinic.find.wording import Wording

SCALER = """
class GradScaler:
    def _unscale_grads_(self, allow_fp16):
        for param in params:
            if (not allow_fp16) and param.grad.dtype == torch.float16:
                raise ValueError("Attempting to unscale FP16 gradients.")
"""


def read(source: str) -> list[Site]:
    return python_source.sites(python_source.parse(dedent(source)), "torch.m")


def texts(source: str) -> list[str]:
    return [site.text for site in read(source)]


def test_a_raise_says_where_and_when() -> None:
    (site,) = read(SCALER)
    assert site == Site(
        "Attempting to unscale FP16 gradients.",
        6,
        "torch.m.GradScaler._unscale_grads_",
        "ValueError",
        "not allow_fp16 and param.grad.dtype == torch.float16",
    )


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ('"one" " two"', "one two"),
        (
            'f"got {x} of {n:d}, {len(y)} left, {{braces}}"',
            "got {} of {:int}, {:int} left, {{braces}}",
        ),
        ('f"two {a}{b:d}"', "two {}"),
        ('"got %s, %d, %5d and 100%%" % (x, y, z)', "got {}, {:int}, {} and 100%"),
        ('"got %(name)r" % values', "got {}"),
        ('"got {} of {n:d}, {0!r:>10} {{x}}".format(x, n=3)', "got {} of {:int}, {} {{x}}"),
        ('"got " + str(x) + " here"', "got {} here"),
        ('textwrap.dedent("""\\\n    one\n      two %s\n    """) % x', "one\n  two {}"),
        ('" ".join(["one", x, "two"])', "one {} two"),
        ("MESSAGE.format(x)", None),
        ('"50% of {}".format(x)', "50% of {}"),
        ("message(x)", None),
        ('b"bytes"', None),
        ("x", None),
        ('"{broken".format(x)', None),
    ],
)
def test_a_message_is_a_template(message: str, text: str | None) -> None:
    assert texts(f"raise RuntimeError({message})") == ([] if text is None else [text])


def test_names_stand_for_texts_where_that_is_simple() -> None:
    source = """
        HINT = "Set x=True."
        SEVERAL: str = "no"
        for SEVERAL in names: pass

        def f(given):
            message = f"one of {given}"
            if given:
                message = "two. " + HINT
            other = "a"
            other += "b"
            raise RuntimeError(message)

        def g(HINT):
            raise ValueError(HINT)

        def h():
            raise KeyError(SEVERAL)

        def i():
            text = make()
            raise TypeError(f"it is {text}")

        class C:
            def j(self):
                raise OSError(f"because {HINT}" if x else "not")
        """
    assert sorted(texts(source)) == [
        "because Set x=True.",
        "it is {}",
        "not",
        "one of {}",
        "two. Set x=True.",
    ]


def test_checks_asserts_warnings_and_logs() -> None:
    source = """
        torch._check(a == b, lambda: f"a is not b: {a}")
        torch._check_with(ValueError, x.dim() < 2, lambda: "too many dims")
        check(a in b, lambda: "not there", IndexError)
        check(a, "of another function")
        assert isinstance(x, int), f"no int: {x}"
        assert x
        assert False, "cannot be reached"
        warnings.warn("of the user", FutureWarning, stacklevel=2)
        warnings.warn("without a class")
        warnings.warn("of a class that is computed", category=kind())
        self.warn("of something else")
        log.warning("skipped %s of %d", a, b)
        log.info("nobody sees this")
        unimplemented(gb_type="short", context=f"{x}", explanation=f"Dynamo cannot {x}.", hints=[])

        @deprecated("use g instead", category=FutureWarning)
        def f(): pass

        class BadError(Exception):
            def __init__(self, x):
                super().__init__(f"bad because of {x}")
        """
    found = {site.text: (site.kind, site.condition) for site in read(source)}
    assert found == {
        "a is not b: {}": ("RuntimeError", "a != b"),
        "too many dims": ("ValueError", "not x.dim() < 2"),
        "not there": ("IndexError", "a not in b"),
        "no int: {}": ("AssertionError", "not isinstance(x, int)"),
        "cannot be reached": ("AssertionError", ""),
        "of the user": ("FutureWarning", ""),
        "without a class": ("UserWarning", ""),
        "of a class that is computed": ("", ""),
        "skipped {} of {:int}": ("log", ""),
        "short": ("Unsupported", ""),
        "Dynamo cannot {}.": ("Unsupported", ""),
        "use g instead": ("FutureWarning", ""),
        "bad because of {}": ("BadError", ""),
    }


def test_the_condition_is_that_of_the_branch() -> None:
    source = """
        if a: raise X("first text")
        elif b is None: raise X("second text")
        else:
            raise X("third text")
        if c:
            for d in c:
                raise X("not directly")
        else: raise X("fourth text")
        if e > 1:
            with f:
                raise X("not directly either")
        """
    assert {site.text: site.condition for site in read(source)} == {
        "first text": "a",
        "second text": "b is None",
        "third text": "not (a or b is None)",
        "not directly": "",
        "fourth text": "not c",
        "not directly either": "",
    }
    (long,) = read(f"if {' and '.join(f'value_{n}' for n in range(20))}: raise X('text')")
    assert long.condition == ""


# A library of the fewest parts: four functions, each of whose instructions are put together by hand.

TEXT, STUBS, STRINGS, TABLE = 0x4000, 0x5000, 0x6000, 0x7000
CHECK = "__ZN3c106detail14torchCheckFailEPKcS2_jS2_"
CHECK_STRING = "__ZN3c106detail14torchCheckFailEPKcS2_jRKNSt3__112basic_stringIcNS3_11char_traitsIcEENS3_9allocatorIcEEEE"
ASSERT = "__ZN3c106detail23torchInternalAssertFailEPKcS2_jS2_S2_"
STR = "__ZN3c106detail12_str_wrapperIJPKcRKxS3_RKS3_EE4callERKS3_S5_S8_S8_"  # literal, long long, literal, a name


class Made:
    """Instructions and strings of a library, as they come.

    Args:
        width: bytes of a stub: 12 in Apple's format, 16 in Linux's.
    """

    def __init__(self, width: int = 12) -> None:
        self.code: list[int] = []
        self.strings = b""
        self.stubs: list[str] = []
        self.width = width

    def string(self, text: str) -> int:
        address = STRINGS + len(self.strings)
        self.strings += text.encode() + b"\0"
        return address

    def load(self, register: int, text: str) -> None:
        """adrp, add: the address of a literal."""
        address = self.string(text)
        pages = (address >> 12) - ((TEXT + 4 * len(self.code)) >> 12)
        self.code += [
            0x90000000 | (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5 | register,
            0x91000000 | (address & 0xFFF) << 10 | register << 5 | register,
        ]

    def number(self, register: int, value: int) -> None:
        self.code.append(0x52800000 | value << 5 | register)

    def slot(self, register: int, offset: int) -> None:
        """The address of a place on the stack."""
        self.code.append(0x91000000 | offset << 10 | 31 << 5 | register)

    def keep(self, register: int, offset: int) -> None:
        self.code.append(0xF9000000 | offset // 8 << 10 | 31 << 5 | register)

    def call(self, name: str) -> None:
        if name not in self.stubs:
            self.stubs.append(name)
        distance = (STUBS + self.width * self.stubs.index(name) - TEXT) // 4 - len(self.code)
        self.code.append(0x94000000 | distance & 0x3FFFFFF)

    def jump(self, to: int) -> None:
        self.code.append(0x14000000 | (to - len(self.code)) & 0x3FFFFFF)

    def where(self, function: str, file: str, line: int) -> None:
        self.load(0, function)
        self.load(1, file)
        self.number(2, line)

    def bytes(self) -> bytes:
        code = struct.pack(f"<{len(self.code)}I", *self.code)
        parts = [
            (b"__text", TEXT, code, 0, 0),
            (b"__stubs", STUBS, b"\0" * 12 * len(self.stubs), 0, 12),
            (b"__cstring", STRINGS, self.strings, 0, 0),
        ]
        names = b"\0" + b"".join(name.encode() + b"\0" for name in self.stubs)
        symbols = b"".join(
            struct.pack("<IBBHQ", names.index(name.encode()), 1, 0, 0, 0) for name in self.stubs
        )
        indirect = b"".join(struct.pack("<I", number) for number in range(len(self.stubs)))
        commands = 72 + 80 * len(parts) + 24 + 80
        at = 32 + commands
        sections, body = b"", b""
        for name, address, data, first, size in parts:
            sections += struct.pack(
                "<16s16s2Q8I",
                name,
                b"__TEXT",
                address,
                len(data),
                at + len(body),
                0,
                0,
                0,
                0,
                first,
                size,
                0,
            )
            body += data
        table = at + len(body)
        segment = (
            struct.pack(
                "<2I16s4Q4I", 0x19, 72 + len(sections), b"__TEXT", 0, 0, 0, 0, 0, 0, len(parts), 0
            )
            + sections
        )
        symtab = struct.pack(
            "<6I", 2, 24, table, len(self.stubs), table + len(symbols) + len(indirect), len(names)
        )
        dysymtab = struct.pack(
            "<20I", 0xB, 80, *[0] * 12, table + len(symbols), len(self.stubs), *[0] * 4
        )
        header = struct.pack("<8I", 0xFEEDFACF, 0x0100000C, 0, 6, 3, commands, 0, 0)
        return header + segment + symtab + dysymtab + body + symbols + indirect + names

    def elf(self, machine: int = 183) -> bytes:
        """The same as a library of Linux: symbols have one underscore less, and stubs load from a table of addresses."""
        names, symbols, relocations, plt = b"\0", bytes(24), b"", b""
        for number, name in enumerate(self.stubs):
            here, entry = STUBS + 16 * number, TABLE + 8 * number
            pages = (entry >> 12) - (here >> 12)
            plt += struct.pack(
                "<4I",
                0x90000010 | (pages & 3) << 29 | pages >> 2 << 5,
                0xF9400211 | (entry & 0xFFF) // 8 << 10,
                0x91000210,
                0xD61F0220,
            )
            symbols += struct.pack("<IBBHQQ", len(names), 0x12, 0, 0, 0, 0)
            relocations += struct.pack("<2Qq", entry, number + 1 << 32 | 1026, 0)
            names += name.encode().removeprefix(b"_" if name.startswith("__") else b"") + b"\0"
        code = struct.pack(f"<{len(self.code)}I", *self.code)
        parts = {
            ".text": (6, TEXT, code),
            ".plt": (6, STUBS, plt),
            ".rodata": (2, STRINGS, self.strings),
        }
        parts |= {
            ".dynstr": (2, 0, names),
            ".dynsym": (2, 0, symbols),
            ".rela.plt": (2, 0, relocations),
        }
        titles = b"\0" + b"".join(title.encode() + b"\0" for title in (*parts, ".shstrtab"))
        sections, body = bytes(64), b""
        for title, (flags, address, data) in {**parts, ".shstrtab": (0, 0, titles)}.items():
            sections += struct.pack(
                "<2I4Q2I2Q",
                titles.index(title.encode() + b"\0"),
                1,
                flags,
                address,
                64 + len(body),
                len(data),
                0,
                0,
                1,
                0,
            )
            body += data
        count = len(sections) // 64
        return (
            struct.pack(
                "<4s12B2HI3QI6H",
                b"\x7fELF",
                2,
                1,
                *[0] * 10,
                3,
                machine,
                1,
                0,
                0,
                64 + len(body),
                0,
                64,
                0,
                0,
                64,
                count,
                count - 1,
            )
            + body
            + sections
        )


SOURCE = "/Users/runner/work/pytorch/pytorch/pytorch/aten/src/ATen/native/LinearAlgebra.cpp"


def library(made: Made | None = None) -> bytes:
    """A check with a literal; one whose message is made of values; an assertion; two checks whose last call is the same, and one that is nothing's."""
    made = made or Made()
    made.where("addmm", SOURCE, 191)
    made.load(3, "mat1 and mat2 must be matrices of rows")
    made.call(CHECK)

    made.load(8, "expected rank ")
    made.keep(8, 0x20)
    made.load(8, " but got tensor ")
    made.keep(8, 0x28)
    made.load(8, "self")  # a name that the caller has: it may be another tomorrow
    made.keep(8, 0x38)
    made.slot(0, 0x20)
    made.slot(1, 0x30)
    made.slot(2, 0x28)
    made.slot(3, 0x38)
    made.slot(8, 0x40)
    made.call(STR)
    made.where("kron", SOURCE, 300)
    made.slot(3, 0x40)
    made.call(CHECK_STRING)

    made.where("device_default", "../c10/core/TensorImpl.h", 1302)
    made.load(
        3,
        'tensor.defined() INTERNAL ASSERT FAILED at "../c10/core/TensorImpl.h":1302, please report a bug to PyTorch. ',
    )
    made.load(4, "Was it freed?")
    made.call(ASSERT)

    made.load(3, "the first of two branches")
    made.number(2, 11)
    made.jump(len(made.code) + 4)
    made.load(3, "the second of two branches")
    made.number(2, 12)
    made.load(0, "merged")
    made.load(1, SOURCE)
    made.call(CHECK)

    made.load(0, "nothing")
    made.load(1, SOURCE)
    made.number(2, 13)
    made.call(CHECK)  # whose message is not known
    return made.bytes()


def linux() -> bytes:
    """The same for Linux, and a check whose message goes through a stream, as GCC writes out what makes it."""
    made = Made(16)
    library(made)
    made.slot(0, 0x60)
    made.call("_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEC1Ev")
    for name, text in (
        (
            "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
            "cuBLAS failed to multiply quantized matrices of ",
        ),
        ("_ZNSolsEi", ""),
        ("_ZNSolsEPKv", ""),
    ):
        made.slot(0, 0x60)
        made.load(1, text)
        made.call(name)
    made.slot(0, 0x60)
    made.slot(8, 0x40)
    made.call("_ZNKSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv")
    made.where("gemm", SOURCE, 400)
    made.slot(3, 0x40)
    made.call(
        "_ZN3c106detail14torchCheckFailEPKcS2_jRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
    )
    return made.elf()


def test_a_library_for_linux_is_read() -> None:
    found, strings = machine_code.sites(linux())
    apple = machine_code.sites(library())[0]
    assert [one for one in found if one[1].name != "gemm"] == apple and b"Was it freed?" in strings
    assert [(site.text, site.line) for _, site in found if site.name == "gemm"] == [
        ("cuBLAS failed to multiply quantized matrices of {}", 400)
    ]


def test_a_library_is_read() -> None:
    found = {
        site.text: (file, site.line, site.name, site.kind)
        for file, site in machine_code.sites(library())[0]
    }
    source = "aten/src/ATen/native/LinearAlgebra.cpp"
    assert found == {
        "mat1 and mat2 must be matrices of rows": (source, 191, "addmm", "RuntimeError"),
        "expected rank {:int} but got tensor {}": (source, 300, "kron", "RuntimeError"),
        'tensor.defined() INTERNAL ASSERT FAILED at "{}":{:int}, please report a bug to PyTorch. Was it freed?': (
            "c10/core/TensorImpl.h",
            1302,
            "device_default",
            "RuntimeError",
        ),
        "the first of two branches": (source, 11, "merged", "RuntimeError"),
        "the second of two branches": (source, 12, "merged", "RuntimeError"),
    }


@pytest.mark.parametrize("cut", [10, 40, 200, 500])
def test_no_library_is_an_error(cut: int) -> None:
    with pytest.raises(ValueError, match="library"):
        machine_code.sites(library()[:cut])
        machine_code.sites(linux()[:cut])
    with pytest.raises(ValueError, match="Apple's format"):
        machine_code.sites(b"MZ" + library()[2:])
    with pytest.raises(ValueError, match="not for ARM64"):
        machine_code.sites(b"\x7fELF" + library()[4:])


def test_a_string_begins_where_the_one_before_ends() -> None:
    made = Library(b"abc\0def\0", strings=[(100, 8, 0, True)])
    assert [made.literal(at) for at in (100, 104, 99, 108, ("s", 0))] == [
        "abc",
        "def",
        None,
        None,
        None,
    ]


def wheel(
    folder: Path, version: str, files: dict[str, str | bytes], system: str = "macosx_11_0_arm64"
) -> Path:
    file = folder / f"torch-{version}-cp311-none-{system}.whl"
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in {"torch/version.py": f"__version__ = '{version}'\n", **files}.items():
            archive.writestr(name, content)
    return file


MULTIPLIED = 'def mm():\n    raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({a:d}x{b:d})")\n'


@pytest.fixture
def wheels(tmp_path: Path) -> list[Path]:
    """Three releases: a message that goes, one that comes, and one that moves."""
    gone = 'def _f():\n    raise RuntimeError("gone are the tensors of yesterday")\n'
    came = 'def _f():\n    raise RuntimeError("gone are all the tensors of yesterday")\n'
    return [
        wheel(tmp_path, "2.9.1", {"torch/a.py": MULTIPLIED, "torch/b.py": gone}),
        wheel(
            tmp_path,
            "2.10.0",
            {"torch/a.py": MULTIPLIED, "torch/b.py": gone, "torch/lib/libc10.dylib": library()},
        ),
        wheel(
            tmp_path,
            "2.11.0+cpu",
            {
                "torch/a/__init__.py": "\n" + MULTIPLIED,
                "torch/b.py": came,
                "torch/testing/_internal/c.py": gone,
            },
        ),
    ]


def table_of(wheels: list[Path]) -> dict[str, object]:
    made = None
    for file in wheels:
        made = tables.add(made, read_wheel(file))
    assert made
    return made


def rows(table: dict[str, object]) -> dict[str, tuple[object, ...]]:
    """text -> (file, line, function, first, last) of its first place."""
    files, releases = table["files"], table["releases"]
    return {
        row[0]: (files[row[1]], row[2], row[3], releases[max(row[6], ~row[6])], releases[row[7]])
        for row in reversed([*origins_table.rows(table)])
    }


def test_releases_make_a_table(wheels: list[Path]) -> None:
    table = table_of(wheels)
    assert table["releases"] == ["2.9.1", "2.10.0", "2.11.0"] == table["python"] and table[
        "native"
    ] == ["2.10.0"]
    found = rows(table)
    assert found["mat1 and mat2 shapes cannot be multiplied ({:int}x{:int})"] == (
        "torch/a/__init__.py",
        3,
        "mm",
        "2.9.1",
        "2.11.0",
    )
    assert found["gone are the tensors of yesterday"] == ("torch/b.py", 2, "_f", "2.9.1", "2.10.0")
    assert found["gone are all the tensors of yesterday"] == (
        "torch/b.py",
        2,
        "_f",
        "2.11.0",
        "2.11.0",
    )
    assert found["expected rank {:int} but got tensor {}"][3:] == ("2.10.0", "2.10.0")
    assert [*origins_table.rows(table)] == sorted(
        origins_table.rows(table), key=lambda row: row[1:3]
    )
    assert tables.as_bytes(table) == tables.as_bytes(json.loads(json.dumps(table)))


def test_a_message_whose_literals_are_still_there_has_not_gone(
    wheels: list[Path], tmp_path: Path
) -> None:
    table = table_of(wheels[:2])
    made = Made()
    made.string("expected rank ")
    made.string(" but got tensor ")
    table = tables.add(
        table, read_wheel(wheel(tmp_path, "2.12.0", {"torch/lib/libc10.dylib": made.bytes()}))
    )
    spans = {row[0]: (row[1], table["releases"][row[7]]) for row in origins_table.rows(table)}
    assert spans["expected rank {:int} but got tensor {}"] == (-1, "2.12.0")
    assert spans["mat1 and mat2 must be matrices of rows"][1] == "2.10.0"


def test_since_when_a_message_is_there(tmp_path: Path) -> None:
    """What the release before holds was there, and only not followed to its call; of a release whose strings are not at hand nothing is claimed."""
    made = Made()
    for text in ("expected rank ", " but got tensor ", "quantized matrices of the kernel " * 9):
        made.string(text)
    long = "quantized matrices of the kernel " * 9
    later = Made()
    library(later)
    later.where("addmm", SOURCE, 500)
    later.load(3, long)
    later.call(CHECK)
    libraries = [made.bytes(), later.bytes()]
    assert spans.cut(long) != long
    releases = [
        read_wheel(wheel(tmp_path, f"2.{n}.0", {"torch/lib/libc10.dylib": library}))
        for n, library in enumerate(libraries)
    ]
    older = {release.version: release.strings for release in releases}

    def first(
        table: dict[str, object] | None, release: Release, older: dict[str, list[bytes]]
    ) -> dict[str, int]:
        return {row[0]: row[6] for row in origins_table.rows(tables.add(table, release, older))}

    before = tables.add(None, releases[0])
    found = first(before, releases[1], older)
    assert (
        found["expected rank {:int} but got tensor {}"],
        found[spans.cut(long)],
        found["mat1 and mat2 must be matrices of rows"],
    ) == (0, 0, 1)
    assert set(first(before, releases[1], {}).values()) == {~1}


def test_what_only_linux_has(wheels: list[Path], tmp_path: Path) -> None:
    """Since when is not known: the releases before were not read for it. What the reader of one library lost, that of the other has."""
    table, native, files = table_of(wheels[:2]), library(), {"torch/a.py": MULTIPLIED}
    cut = Made(16)
    cut.where("addmm", SOURCE, 192)
    cut.load(3, "mat1 and mat2 must be matrices")
    cut.call(CHECK)
    apple = read_wheel(wheel(tmp_path, "2.12.0", files | {"torch/lib/libc10.dylib": native}))
    other = read_wheel(
        wheel(
            tmp_path,
            "2.12.0",
            files | {"torch/lib/libc10.so": linux(), "torch/lib/libtorch_cuda.so": cut.elf()},
            "manylinux_2_28_aarch64",
        )
    )
    table = tables.add(table, apple | other)
    assert table["native"] == ["2.10.0", "2.12.0"] and table["linux"] == ["2.12.0"]
    spans = {row[0]: row[6:] for row in origins_table.rows(table)}
    assert spans["cuBLAS failed to multiply quantized matrices of {}"] == (~2, 2) and spans[
        "mat1 and mat2 must be matrices of rows"
    ] == (~1, 2)
    assert "mat1 and mat2 must be matrices" not in spans
    assert spans["mat1 and mat2 shapes cannot be multiplied ({:int}x{:int})"] == (0, 2)
    with pytest.raises(BadInput, match="two releases"):
        read_wheel(wheels[0]) | other
    x86 = read_wheel(
        wheel(
            tmp_path,
            "2.13.0",
            files | {"torch/lib/libc10.so": Made(16).elf(62)},
            "manylinux_2_28_x86_64",
        )
    )
    assert x86.python and x86.linux is None


PACKAGE = {
    "torch/__init__.py": "from torch.nn.modules.linear import Linear as _Linear\nfrom .functional import *\ndef _hidden(): pass\n__version__ = '1'\n",
    "torch/functional.py": "from ._impl import einsum, secret\n__all__ = ['einsum', 'split']\n__all__ += ['stack']\ndef split(): pass\ndef other(): pass\ndef stack(): pass\n",
    "torch/_impl.py": "def einsum(): pass\ndef secret(): pass\n",
    "torch/nn/__init__.py": "from torch.nn.modules import *\nfrom torch.nn import missing\n",
    "torch/nn/modules/__init__.py": "from .linear import Identity, Linear\n__all__ = ['Linear']\n",
    "torch/nn/modules/linear.py": "class Linear:\n    def forward(self): pass\nif x:\n    class Identity: pass\n",
    "functorch/__init__.py": "from torch._impl import einsum, secret\n",
    "torch/loop.py": "from torch.pool import *\n",
    "torch/pool.py": "from torch.loop import *\n__all__ = [] + made()\ndef mine(): pass\n",
}


def test_a_public_name_is_the_shortest() -> None:
    modules = {
        origins_table.module_of(file): exports.read(python_source.parse(source), file)
        for file, source in PACKAGE.items()
    }
    assert exports.public(modules) == {
        "torch._impl.einsum": "torch.einsum",
        "torch.functional.split": "torch.split",
        "torch.functional.stack": "torch.stack",
        "torch.nn.modules.linear.Linear": "torch.nn.Linear",
        "torch.nn.modules.linear.Identity": "torch.nn.modules.linear.Identity",
        "torch.pool.mine": "torch.loop.mine",
    }


def test_the_most_public_places_are_kept(tmp_path: Path) -> None:
    text = "def {}():\n    raise RuntimeError('the optimizer of tensors is hungry')\n"
    names = ["torch/_a.py", "torch/b.py", "torch/_c/_d.py", "torch/e.py"]
    table = tables.add(
        None,
        read_wheel(
            wheel(tmp_path, "2.0.1", {name: text.format("f") + text.format("f") for name in names})
        ),
    )
    assert [table["files"][row[1]] for row in origins_table.rows(table)] == [
        "torch/_a.py",
        "torch/b.py",
        "torch/e.py",
    ]


def test_a_long_text_ends_in_a_hole() -> None:
    text = spans.cut("word " * 100)
    assert text.endswith("word{}") and len(text) <= spans.LONG + 2
    cut = spans.cut("x" * (spans.LONG - 2) + "{:int}" + " y" * 20)
    assert cut == "x" * (spans.LONG - 2) + "{}"


def test_bad_input_is_an_error(tmp_path: Path, wheels: list[Path]) -> None:
    (tmp_path / "no.whl").write_bytes(b"no zip")
    with pytest.raises(BadInput, match="is no wheel"):
        read_wheel(tmp_path / "no.whl")
    with pytest.raises(BadInput, match=r"torch/version\.py"):
        read_wheel(tmp_path)
    with pytest.raises(BadInput, match="is no wheel of torch"):
        version(tmp_path / "numpy-1.0-py3-none-any.whl")
    with pytest.raises(BadInput, match=r"not newer than 2\.10\.0"):
        tables.add(table_of(wheels[:2]), read_wheel(wheels[0]))
    with pytest.raises(BadInput, match="macosx_arm64"):
        read_wheel(wheel(tmp_path, "2.0.0", {"torch/lib/libc10.dylib": b"ELF"}))
    with pytest.raises(BadInput, match="cannot be read"):
        tables.load(tmp_path / "no.whl")


def test_what_is_missing_and_what_has_moved(wheels: list[Path]) -> None:
    table = table_of(wheels)

    def ours(text: str) -> Wording:
        return Wording(text, wording.parse(text), sample=text)

    wordings = [
        ("mm", ours("mat1 and mat2 shapes cannot be multiplied ({m:int}x{n:int})")),
        ("gone", ours("gone are the tensors of")),
        ("foreign", ours("another program's words")),
    ]
    (moved,) = our_wordings.moved(table, wordings)
    assert (
        (moved.stem, moved.last) == ("gone", "2.10.0")
        and moved.nearest
        and moved.nearest.text == "gone are all the tensors of yesterday"
    )
    missing = [message.text for _, message in our_wordings.missing(table, wordings, Counter())]
    assert missing == ["gone are all the tensors of yesterday"]


def test_the_command(
    wheels: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "table.json.gz"
    assert command.main([*map(str, wheels[1:]), "--table", str(file)]) == 0
    assert command.main([str(wheels[2]), "--table", str(file)]) == 0
    out = capsys.readouterr().out
    assert (
        "torch 2.10.0: 2 places in Python, 5 in macOS's libraries, 0 in Linux's" in out
        and "2.11.0 is in the table already" in out
    )
    assert command.main(["--missing", "--table", str(file)]) == 0
    assert (
        "'gone are all the tensors of yesterday'  torch.b._f, torch/b.py:2"
        in capsys.readouterr().out
    )
    assert command.main(["--moved", "--table", str(file)]) == 0
    assert "no longer in torch 2.11.0" in capsys.readouterr().out
    assert command.main(["--table", str(tmp_path / "none.gz")]) == 2
    assert "nox -s origins" in capsys.readouterr().err


def test_the_table_of_the_checkout() -> None:
    """It was made by `nox -s origins`, is light enough for the wheel, and points nowhere that is not there."""
    file = ROOT / tables.FILE
    table = tables.load(file)
    assert (
        file.stat().st_size < 1_000_000
        and "BSD-3-Clause" in table["notice"]
        and (ROOT / "facts/origins.LICENSE").exists()
    )
    assert table["releases"] == sorted(table["releases"], key=order) and {
        *table["python"],
        *table["native"],
        *table["linux"],
    } <= set(table["releases"])
    releases = len(table["releases"])
    for text, file, line, function, kind, condition, first, last in origins_table.rows(table):
        assert (
            text
            and -1 <= file < len(table["files"])
            and (line > 0 or file == -1)
            and isinstance(function, str)
        )
        assert (
            -1 <= kind < len(table["classes"])
            and isinstance(condition, str)
            and 0 <= max(first, ~first) <= last < releases
        )
    found = rows(table)
    assert (
        table["public"]["torch.utils.data.dataloader.DataLoader"] == "torch.utils.data.DataLoader"
    )
    assert all(
        public.startswith("torch.") and "._" not in public for public in table["public"].values()
    )
    assert found["Attempting to unscale FP16 gradients."][:3:2] == (
        "torch/amp/grad_scaler.py",
        "GradScaler._unscale_grads_",
    )
    assert found["mat1 and mat2 shapes cannot be multiplied ({:int}x{:int} and {:int}x{:int})"][
        0
    ].startswith("aten/src/ATen/native/")
    assert any(text.startswith("CUDA error: {} when calling `cublas") for text in found)
