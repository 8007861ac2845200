"""The site opened from a folder: its modules, its index and its search as plain scripts, which
browsers load from there too."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

MODULES = (
    *(
        *("words.js", "clean.js", "pasted.js", "match.js", "condition.js", "live.js", "devices.js"),
        *("drawing.js", "drawn-memory.js", "drawn-sizes.js", "picture.js", "failure.js"),
        *("ranks.js", "hang.js", "lookup.js", "likely.js", "ladder.js", "own-code.js"),
        *("lookup-ask.js", "lookup-card.js", "lookup-none.js", "lookup-page.js"),
        *("lookup-worker.js", "origins-table.js", "origins.js", "origins-worker.js"),
    ),
    *(
        *("terms.js", "marks.js", "search-table.js", "search.js", "search-worker.js", "filter.js"),
        *("symptom.js", "site.js"),
    ),
)
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./([\w-]+\.js)";$', re.MULTILINE)
_DYNAMIC = re.compile(r'import\("\./([\w-]+\.js)"\)')
_LEFT = re.compile(r"^(?:import|export)\b.*|\bimport(?:\.meta|\().*", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.MULTILINE)


def write(out: Path, template: Path) -> None:
    """Write the scripts of one language into the assets of its built site, and Material's settings
    of the search as a script, for which it then asks.

    Args:
        template: docs/root/file.js.
    """
    assets, search = out / "assets", out / "search"
    sources = {name: (assets / name).read_text(encoding="utf-8") for name in MODULES}
    for name, source in sources.items():
        for _, target in _IMPORT.findall(source):
            if target not in sources:
                raise ValueError(f"{name} imports {target}, which MODULES lacks")
    modules = [module(source, name) for name, source in sources.items()]
    text = template.read_text(encoding="utf-8").replace("{modules}", "\n".join(modules))
    for name in ("index", "advice"):
        text = text.replace(f"{{{name}}}", (assets / f"{name}.json").read_text(encoding="utf-8"))
    (assets / "file.js").write_text(text, encoding="utf-8")
    data = ",".join(
        (assets / name).read_text(encoding="utf-8") for name in ("search.json", "search-texts.json")
    )
    (assets / "file-search.js").write_text(f"torchClinicSearch({data})\n", encoding="utf-8")
    (search / "search_index.js").write_text(
        f"var __index={(search / 'search_index.json').read_text(encoding='utf-8')}",
        encoding="utf-8",
    )


def write_origins(table: Path, out: Path) -> None:
    """Write the table of PyTorch's messages as a script; both languages ask for it."""
    (out / "file-origins.js").write_text(
        f'torchClinicOrigins("{base64.b64encode(table.read_bytes()).decode()}")\n', encoding="utf-8"
    )


def module(source: str, name: str) -> str:
    """A module as an entry of file.js: a function that gives what it exports.

    Raises: ValueError (it imports or exports in a way that is not known here).

    >>> text = 'import { a as e } from "./b.js";\\nexport const c = e(import.meta.url);'
    >>> print(module(text, "d.js"))
    "d.js": (here, self) => {
    const { a: e } = use("b.js");
    const c = e(here);
    return { c };
    },
    """
    exported = ", ".join(_EXPORT.findall(source))
    source = _IMPORT.sub(
        lambda found: f'const {found[1].replace(" as ", ": ")} = use("{found[2]}");',
        _EXPORT.sub("", source),
    )
    source = _DYNAMIC.sub(r'Promise.resolve(use("\1"))', source).replace("import.meta.url", "here")
    if found := _LEFT.search(source):
        raise ValueError(
            f"{name}: `{found[0]}`: only imports of names from a neighbour, and exports of "
            "functions, constants and classes, work from a folder"
        )
    return f"{json.dumps(name)}: (here, self) => {{\n{source}\nreturn {{ {exported} }};\n}},"
