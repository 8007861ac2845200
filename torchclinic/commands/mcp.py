"""`torchclinic mcp`: the same answers for programs that speak the Model Context Protocol, over
standard input and output.

Four tools, `lookup_error`, `fix`, `search_pages` and `read_page`, and one kind of resource, a page
as Markdown at `torchclinic://{language}/{id}`. What a client sends is only ever read: as a text
that is looked up, or as an id that is known or not. What goes out is bounded, and holds no control
characters but line ends.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Literal

from .. import LANGUAGES, __version__
from ..content import words
from ..content.problem import BadInput
from . import knowledge, paste, search, terminal
from .fix import choose
from .knowledge import Knowledge
from .options import Subcommands

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

#: Characters of a text that are looked up, of its beginning and of its end: where the first of
#: several programs failed, and where the last one died.
FIRST, LAST = 1 << 18, 3 << 18
#: Characters of an answer, and of a page.
ANSWER, PAGE = 8_000, 100_000
ABOUT = (
    "Torch Clinic knows the words that PyTorch prints, and fixes that have been run. Give "
    "lookup_error the whole output of a program that failed, then take the id that it names to "
    "fix. Where nothing was printed (a hang, a loss that stays, slow training), search_pages finds "
    "pages by words, and read_page gives a page. `No match` is an answer: say so, and do not use "
    "the pages that are named as not a match."
)


def add(commands: Subcommands) -> None:
    command = commands.add_parser(
        "mcp", help="serve lookup and fix to a coding agent over standard input and output (MCP)"
    )
    command.set_defaults(run=run_mcp)


def run_mcp(options: argparse.Namespace) -> int:
    server(knowledge.load()).run("stdio")
    return 0


def server(known: Knowledge) -> MCPServer:
    """The server, not yet running.

    Raises:
        BadInput: the package `mcp` is not installed, or too old.
    """
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
        from mcp_types import ToolAnnotations
    except ImportError:
        raise BadInput(
            '`mcp` needs the package of that name, 2.0 or newer: python -m pip install "mcp>=2"'
        ) from None
    server = MCPServer("torchclinic", version=__version__, instructions=ABOUT, log_level="WARNING")
    reads_only = ToolAnnotations(read_only_hint=True, open_world_hint=False)

    @server.tool(annotations=reads_only, structured_output=False)
    def lookup_error(text: str, language: Literal["en", "zh"] = "en") -> str:
        """Look up what a PyTorch program printed (traceback, warning, log of all ranks): which
        symptom it is, what it means with the values of this text, and the fix of the cause that the
        text tells; where it tells none, of the one met most often, and the table of all. Give the
        whole output. A text that is not known is answered with `No match`: nothing is guessed.
        Where PyTorch's own source holds the message, that is named, with the condition on which it
        is printed: where it comes from, no advice."""
        return look_up(known, text, language)

    @server.tool(annotations=reads_only, structured_output=False)
    def fix(id: str, case: str | None = None, language: Literal["en", "zh"] = "en") -> str:
        """The table of causes of a symptom, and the fix of one of them, which has been run. `id` is
        topic/stem, as lookup_error names it; `case` is one of the names in brackets, the most
        common one if left out. Decide for a case by what the table says is seen."""
        try:
            symptom = known.find(id)
            chosen = choose(symptom, case)
            return bounded(terminal.fix(symptom, chosen, language, False, call), ANSWER)
        except BadInput as error:
            raise ToolError(bounded(str(error), ANSWER)) from None

    @server.tool(annotations=reads_only, structured_output=False)
    def search_pages(query: str, language: Literal["en", "zh"] = "en") -> str:
        """Find pages by a few words, best first: for what prints no message (a hang, NaN, training
        that is slow or learns nothing), or for a subject. An error's text is for lookup_error."""
        return bounded(search_for(known, query, language), ANSWER)

    @server.tool(annotations=reads_only, structured_output=False)
    def read_page(id: str, language: Literal["en", "zh"] = "en") -> str:
        """A whole page as Markdown, by the id that another tool names: why it happens, all causes
        and fixes, on which machines they were run. About ten times as long as fix."""
        try:
            return bounded(known.page(known.find_page(id), language), PAGE)
        except BadInput as error:
            raise ToolError(bounded(str(error), ANSWER)) from None

    @server.resource(
        "torchclinic://{language}/{topic}/{stem}", name="page", mime_type="text/markdown"
    )
    def page(language: str, topic: str, stem: str) -> str:
        """The whole page of a symptom as Markdown, by its id. `language` is en or zh."""
        try:
            return whole_page(known, language, f"{topic}/{stem}")
        except BadInput as error:
            raise ResourceNotFoundError(bounded(str(error), ANSWER)) from None

    @server.resource(
        "torchclinic://{language}/tips/{topic}/{stem}", name="tip", mime_type="text/markdown"
    )
    def tip(language: str, topic: str, stem: str) -> str:
        """The whole page of a tip as Markdown, by its id."""
        return page(language, f"tips/{topic}", stem)

    return server


def call(verb: str, ident: str, case: str = "") -> str:
    """The call of a tool that leads on, as `terminal.typed` names a command."""
    tool = {"fix": "fix", "show": "read_page"}[verb]
    return f'{tool}(id="{ident}"' + (f', case="{case}")' if case else ")")


def look_up(known: Knowledge, text: str, language: str) -> str:
    """What `torchclinic lookup` prints for a text, or for beginning and end of a long one."""
    if len(text) <= FIRST + LAST:
        return bounded(_rendered(known, paste.unpack(text), language), ANSWER)
    first = text[: text.rfind("\n", 0, FIRST) + 1]
    last = text[text.find("\n", len(text) - LAST) + 1 or len(text) - LAST :]
    between = text.count("\n", len(first), len(text) - len(last))
    read = paste.unpack(first + last)
    lines = read.lines or list(range(1, read.text.count("\n") + 2))
    above = first.count("\n")
    read = read._replace(lines=[line + between * (line > above) for line in lines])
    note = terminal.TEXT[language]["ends"].format(lines=between)
    return bounded(f"{note}\n{_rendered(known, read, language)}", ANSWER)


def _rendered(known: Knowledge, read: paste.Paste, language: str) -> str:
    answer = read.place(known.look_up(read.text))
    return terminal.render(known, answer, language, False, call)


def search_for(known: Knowledge, query: str, language: str) -> str:
    """What `torchclinic search` finds: title, id and summary of each page."""
    box = search.Box(known.index, known.search_index(language))
    found, text = box.search(query), words.of(language, "search")
    lines = [text["weak" if found["hits"] else "nothing-found"]] if found["weak"] else []
    articles = [hit for hit in found["hits"] if "/" in box.table.docs[hit["doc"]][0]]
    for hit in articles[: search.SHOWN]:
        ident, _, title, _ = box.table.docs[hit["doc"]]
        lines += [f"{title}  ({ident})", f"    {box.table.texts[hit['doc']][0]}"]
    return "\n".join(lines)


def whole_page(known: Knowledge, language: str, ident: str) -> str:
    """A page as Markdown, by the id alone. Raises: BadInput, there is none."""
    if language not in LANGUAGES:
        raise BadInput(f"no language `{language}`; there are {' and '.join(LANGUAGES)}")
    entry = known.find_page(ident)
    if entry["id"] != ident:
        raise BadInput(f"no page `{ident}`; did you mean {entry['id']}?")
    return bounded(known.page(entry, language), PAGE)


def bounded(text: str, most: int) -> str:
    """The beginning of a text, without control characters but line ends."""
    text = "\n".join(terminal.printable(line) for line in text.split("\n"))
    return (
        text
        if len(text) <= most
        else f"{text[:most]}\n… {len(text) - most} characters were left out"
    )
