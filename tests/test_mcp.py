"""The server for coding agents, asked by the protocol's own client over pipes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError

from torchclinic import ROOT, __version__
from torchclinic.commands import mcp
from torchclinic.commands.knowledge import load

MESSAGE = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x400 and 784x10)"
#: What must not reach a terminal or a log, and what only looks as if.
HOSTILE = "\x1b]0;owned\x07\x1b[2J\x00\x9b31m\u202e\r\x08 {name} %s <b> '; rm -rf / \ud7ff"


def ask(talk: Callable[[ClientSession], Awaitable[Any]]) -> Any:
    """What a conversation with a fresh server gave."""

    async def main() -> Any:
        parameters = StdioServerParameters(
            command=sys.executable, args=["-m", "torchclinic", "mcp"], cwd=ROOT
        )
        async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
            await session.initialize()
            return await talk(session)

    with ThreadPoolExecutor(1) as pool:  # the browser tests leave a loop in the thread of the tests
        return pool.submit(anyio.run, main).result()


def text_of(result: Any) -> str:
    assert result.structured_content is None and len(result.content) == 1
    text = result.content[0].text
    assert all(c.isprintable() for c in text.replace("\n", "")) and len(text) < 2 * mcp.ANSWER
    return text


def test_from_an_error_to_its_fix() -> None:
    async def talk(session: ClientSession) -> None:
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert set(tools) == {"lookup_error", "fix", "search_pages", "read_page"}
        assert all(tool.annotations.read_only_hint for tool in tools.values())
        assert tools["lookup_error"].input_schema["required"] == ["text"] and tools[
            "fix"
        ].input_schema["required"] == ["id"]
        found = text_of(
            await session.call_tool("lookup_error", {"text": f"step 1\n[rank3]: {MESSAGE}\n"})
        )
        assert "(shapes/matmul-shapes)" in found and "784" in found and "line 2" in found
        # What leads on is called, not typed.
        assert 'read_page(id="shapes/matmul-shapes")' in found and "torchclinic" not in found
        case = next(iter(load().symptoms["matmul-shapes"]["cases"]))
        fixed = text_of(
            await session.call_tool("fix", {"id": "shapes/matmul-shapes", "case": case["name"]})
        )
        fixes = load().symptoms["matmul-shapes"]["texts"]["en"]["cases"][case["name"]]["fixes"]
        assert all(line.strip() in fixed for fix in fixes.values() for line in fix.splitlines())
        assert "如何排查" in text_of(
            await session.call_tool("fix", {"id": "matmul-shapes", "language": "zh"})
        )
        templates = (await session.list_resource_templates()).resource_templates
        assert {template.uri_template for template in templates} == {
            "torchclinic://{language}/{topic}/{stem}",
            "torchclinic://{language}/tips/{topic}/{stem}",
        }
        for address, title in (
            ("zh/shapes/matmul-shapes", load().symptoms["matmul-shapes"]["texts"]["zh"]["title"]),
            ("en/tips/nn/training-loop", "# "),
        ):
            (page,) = (await session.read_resource(f"torchclinic://{address}")).contents
            assert (
                page.mime_type == "text/markdown"
                and page.text.startswith("# ")
                and title in page.text
            )

    ask(talk)


def test_what_prints_nothing_is_searched_and_read() -> None:
    """By one scheme of ids; the server says which version it is."""

    async def talk(session: ClientSession) -> None:
        found = text_of(await session.call_tool("search_pages", {"query": "loss becomes nan"}))
        assert "(numerics/loss-nan)" in found.splitlines()[0]
        assert "(memory/cuda-oom)" in text_of(
            await session.call_tool("search_pages", {"query": "显存不足", "language": "zh"})
        )
        weak = text_of(await session.call_tool("search_pages", {"query": "zzz qqq"}))
        assert weak.startswith(("Nothing", "没有"))
        for ident in ("numerics/loss-nan", "tips/nn/training-loop"):
            result = await session.call_tool("read_page", {"id": ident})
            assert result.content[0].text.startswith("# ") and not result.is_error
        wrong = await session.call_tool("read_page", {"id": "numerics/los-nan"})
        assert wrong.is_error and "did you mean numerics/loss-nan" in text_of(wrong)
        is_tip = await session.call_tool("fix", {"id": "tips/nn/training-loop"})
        assert is_tip.is_error and "is a tip" in text_of(is_tip)

    ask(talk)


def test_the_server_says_its_version() -> None:
    assert mcp.server(load()).version == __version__


def test_of_a_long_text_both_ends_are_looked_up() -> None:
    """Lines are counted from its beginning."""
    long = "step\n" * 400_000
    first = mcp.look_up(load(), f"{MESSAGE}\n{long}", "en")
    last = mcp.look_up(load(), f"{long}{MESSAGE}\n", "en")
    assert "line 1: RuntimeError" in first and "line 400001: RuntimeError" in last
    assert all(text.startswith("This text is long: its beginning and") for text in (first, last))
    assert not mcp.look_up(load(), MESSAGE, "en").startswith("This text is long")


def test_what_is_not_known_is_said() -> None:
    async def talk(session: ClientSession) -> None:
        result = await session.call_tool("lookup_error", {"text": "ValueError: my own message"})
        assert not result.is_error and text_of(result).startswith(("No match", "No message"))
        assert not (await session.call_tool("lookup_error", {"text": ""})).is_error
        for arguments, says in (
            ({"id": "shapes/no-such-thing"}, "no symptom"),
            ({"id": "matmul-shapes", "case": "none"}, "it has"),
            ({"id": "matmul-shapes", "language": "fr"}, "language"),
            ({"id": HOSTILE * 10_000}, "no symptom"),
        ):
            result = await session.call_tool("fix", arguments)
            assert result.is_error and says in text_of(result)
        for address in (
            "fr/shapes/matmul-shapes",
            "en/shapes/none",
            "en/tips/none",
            "en/tips/nn/none",
            "en/tips/training-loop",
            "en/..%2F..%2F../etc%2Fpasswd",
            "en/memory/matmul-shapes",
        ):
            with pytest.raises(MCPError):
                await session.read_resource(f"torchclinic://{address}")

    ask(talk)


def test_hostile_text_stays_text_and_answers_are_bounded() -> None:
    async def talk(session: ClientSession) -> None:
        text_of(await session.call_tool("lookup_error", {"text": HOSTILE}))
        assert "matmul-shapes" in text_of(
            await session.call_tool("lookup_error", {"text": f"{MESSAGE}{HOSTILE}"})
        )
        assert "\\x1b" not in text_of(
            await session.call_tool("lookup_error", {"text": f"Error: {HOSTILE}"})
        )
        long = "x" * 3_000_000 + f"\n{MESSAGE}\n"
        answer = text_of(await session.call_tool("lookup_error", {"text": long}))
        assert answer.startswith("This text is long") and "matmul-shapes" in answer
        many = "\n".join(sample for sample in load_samples())
        text_of(await session.call_tool("lookup_error", {"text": many}))

    ask(talk)


def load_samples() -> list[str]:
    """Each wording's literal text, as if a hundred programs had died at once."""
    index = load().index
    return [
        "RuntimeError: "
        + "".join(part if isinstance(part, str) else "1" for part in wording["parts"])
        for wording in index["wordings"]
    ]


def test_no_page_is_cut() -> None:
    known = load()
    for language in ("en", "zh"):
        for entry in [*known.tips.values(), *known.symptoms.values()]:
            assert len(known.page(entry, language)) <= mcp.PAGE, entry["id"]


def test_without_its_package_it_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['mcp'] = None; from torchclinic.commands.parser import main; "
        "sys.exit(main(['mcp']))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert (
        run.returncode == 2 and 'python -m pip install "mcp>=2"' in run.stderr and run.stdout == ""
    )
