"""`torchclinic mcp`: the same answers for programs that speak the Model Context Protocol, over standard input and output.

Two tools, `lookup_error` and `fix`, and one kind of resource, a page as Markdown at `torchclinic://{language}/{topic}/{stem}` (a tip's topic is `tips`).
What a client sends is only ever read: as a text that is looked up, or as an id that is known or not. What goes out is bounded, and holds no
control characters but line ends.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Literal

from ..content.problem import BadInput
from . import knowledge, paste, terminal
from .fix import choose
from .knowledge import Knowledge

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

#: Characters of a text that are looked up: its end, where a program dies.
READ = 1 << 20
#: Characters of an answer, and of a page.
ANSWER, PAGE = 8_000, 100_000
ABOUT = (
    "Torch Clinic knows the words that PyTorch prints, and fixes that have been run. Give lookup_error the whole output of a program that failed, then take "
    "the id that it names to fix. `No match` is an answer: say so, and do not use the pages that are named as not a match."
)


def add(commands: Any) -> None:
    command = commands.add_parser("mcp", help="serve lookup and fix to a coding agent over standard input and output (MCP)")
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
        raise BadInput('`mcp` needs the package of that name, 2.0 or newer: python -m pip install "mcp>=2"') from None
    made = MCPServer("torchclinic", instructions=ABOUT, log_level="WARNING")
    reads_only = ToolAnnotations(read_only_hint=True, open_world_hint=False)

    @made.tool(annotations=reads_only, structured_output=False)
    def lookup_error(text: str, language: Literal["en", "zh"] = "en") -> str:
        """Look up what a PyTorch program printed (traceback, warning, log of all ranks): which symptom it is, what it means with the values of this
        text, and the fix of the cause that the text tells, or the table of causes where it tells none. Give the whole output. A text that is not known is answered with `No match`: nothing is guessed.
        Where PyTorch's own source holds the message, that is named, with the condition on which it is printed: where it comes from, no advice."""
        return look_up(known, text, language)

    @made.tool(annotations=reads_only, structured_output=False)
    def fix(id: str, case: str | None = None, language: Literal["en", "zh"] = "en") -> str:
        """The table of causes of a symptom, and the fix of one of them, which has been run. `id` is topic/stem, as lookup_error names it; `case` is one
        of the names in brackets, the most common one if left out. Decide for a case by what the table says is seen."""
        try:
            symptom = known.find(id)
            return bounded(terminal.fix(symptom, choose(symptom, case), language, False), ANSWER)
        except BadInput as error:
            raise ToolError(bounded(str(error), ANSWER)) from None

    @made.resource("torchclinic://{language}/{topic}/{stem}", name="page", mime_type="text/markdown")
    def page(language: str, topic: str, stem: str) -> str:
        """The whole page of a symptom as Markdown, or of a tip, whose topic is `tips`. `language` is en or zh."""
        try:
            return whole_page(known, language, topic, stem)
        except BadInput as error:
            raise ResourceNotFoundError(bounded(str(error), ANSWER)) from None

    return made


def look_up(known: Knowledge, text: str, language: str) -> str:
    """What `torchclinic lookup` prints for a text, or for the end of a long one."""
    read = paste.unpack(text[-READ:])
    answer = terminal.render(known, read.place(known.look_up(read.text)), language, False)
    return bounded(f"{terminal.TEXT[language]['only-the-end']}\n{answer}" if len(text) > READ else answer, ANSWER)


def whole_page(known: Knowledge, language: str, topic: str, stem: str) -> str:
    """A page as Markdown. Raises: BadInput, there is none."""
    if language not in ("en", "zh"):
        raise BadInput(f"no language `{language}`; there are en and zh")
    entry = known.tips.get(stem) if topic == "tips" else known.find(f"{topic}/{stem}")
    if entry is None:
        raise BadInput(f"no tip `{stem}`")
    return bounded(known.page(entry, language), PAGE)


def bounded(text: str, most: int) -> str:
    """The beginning of a text, without control characters but line ends."""
    text = "\n".join(terminal.printable(line) for line in text.split("\n"))
    return text if len(text) <= most else f"{text[:most]}\n… {len(text) - most} characters were left out"
