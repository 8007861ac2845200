"""Commands that a page hands out, read: programs, options, packages and variables that they name.

A place of a case's `commands` is *run* where its proof uses `commands["place"]`, which is the text
as the page shows it. Any other is *read*: what it names must stand in facts/commands.yml, and a
version or a variable's value that a place of the same case names must be one of those that are run.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from . import yamlfile
from .problem import Problems

FILE = "facts/commands.yml"
_RUN = re.compile(r"\bcommands\[\"([a-z]+)\"\]")
#: What is quoted, and the `#` that begins a comment.
_QUOTED_OR_COMMENT = re.compile(r"\"(?:\\.|[^\"\\])*\"|'[^']*'|(?<!\S)#.*")
_ASSIGNED = re.compile(
    r"\$env:([A-Z][A-Z0-9_]*) ?= ?\"?([^\s\";]*)"
    r"|(?:%env |\bexport |\bset |\bENV |-e |^|(?<=[\s;]))([A-Z][A-Z0-9_]*)=\"?([^\s\";]*)"
    r"|os\.environ\[\"([A-Z][A-Z0-9_]*)\"\] = \"([^\"]*)\"",
    re.MULTILINE,
)
#: Where PyTorch's wheels lie, by what they are built for.
_BUILDS = re.compile(r"download\.pytorch\.org/(whl/\w+)")
#: Programs whose other words are packages, with the words that make them so.
_INSTALLERS = {
    **{name: {"install"} for name in ("apt", "apt-get", "winget", "brew")},
    **{"pip": {"install", "uninstall"}, "conda": {"install", "create"}},
}
#: Options whose value is the next word.
_VALUED = {
    "--index-url",
    "--default-index",
    "-c",
    "-r",
    "-f",
    "-n",
    "--python",
    "--override",
    "--id",
    "--no-binary",
}
_IN_FRONT = {"sudo", "RUN", "srun", "xargs", "!"}
#: Where Python may stand as well, or what a person does with a mouse.
_MIXED = {"notebook", "trainer", "lightning", "comfyui"}

#: A line for a shell, or a variable with its value.
_SHELL = re.compile(
    r"(?:[A-Z]\w*=\S+ )*(?:sudo )?(?:apt|cat|conda|dmesg|docker|env|export|find|free|git|grep"
    r"|hf|ldconfig|ls|modprobe|nvidia-smi|pip|python|rm|rmmod|rocm-smi|sacct|set|sysctl"
    r"|tar|torchrun|ulimit|unset|wsl)\b.* .*|[A-Z][A-Z0-9_]{3,}=\S+|sudo reboot"
)


def to_type(told: str) -> tuple[str, str] | None:
    """Of what to do in a sentence the first line that can be typed or pasted as it stands, and how
    it is coloured; None where the sentence has names and options only."""
    for code in re.findall(r"`` ?(.+?) ?``(?!`)|`([^`]+)`", told):
        line = code[0] or code[1]
        if "…" not in line and _SHELL.fullmatch(line):
            return "console", line
        if "…" not in line and _is_statement(line):
            return "python", line
    return None


def _is_statement(line: str) -> bool:
    """Is it Python that does something: an import, an assignment (not an option, `a=1`), or a call
    of something that has a place, with what it is given?"""
    try:
        (node,) = ast.parse(line + (" ..." if line.endswith(":") else "")).body
    except (SyntaxError, ValueError):
        return False
    if isinstance(node, ast.Assign):
        return " = " in line and not ast.unparse(node.targets[0]).startswith("self.")
    if isinstance(node, ast.Expr) and isinstance(call := node.value, ast.Call):
        placed = isinstance(call.func, ast.Attribute) or ast.unparse(call.func) == "print"
        return placed and bool(call.args or call.keywords)
    return isinstance(node, (ast.Import, ast.ImportFrom, ast.With))


@dataclass
class Named:
    """What the commands of one place name.

    Attributes:
        options: (program, its option or subcommand).
        packages: (program, requirement), as `("pip", "setuptools<81")`.
        variables: (name, value).
    """

    options: set[tuple[str, str]] = field(default_factory=set)
    packages: set[tuple[str, str]] = field(default_factory=set)
    variables: set[tuple[str, str]] = field(default_factory=set)

    @property
    def pinned(self) -> set[tuple[str, str]]:
        """Requirements that name a release, and variables with their values."""
        return {pair for pair in self.packages if re.search("[<>=~!]", pair[1])} | self.variables


def run_by(proof: str) -> set[str]:
    """The places whose commands a proof runs."""
    return set(_RUN.findall(proof))


def uncommented(text: str) -> str:
    return _QUOTED_OR_COMMENT.sub(lambda part: "" if part[0][0] == "#" else part[0], text)


def read(place: str, text: str) -> Named:
    """What the commands of a place name. Raises: ValueError, a quote is not closed."""
    named = Named()
    text = uncommented(text)
    for groups in _ASSIGNED.findall(text):
        name, value = (next(filter(None, groups[at::2]), "") for at in (0, 1))
        named.variables.add((name, value))
    named.options |= {("pip", build) for build in _BUILDS.findall(text)}
    for line in _lines(place, text):
        for words in _statements(line):
            _call(words, named)
    return named


def _lines(place: str, text: str) -> list[str]:
    """The lines that are commands, not Python or what a person does."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    magic = [line for line in lines if line[0] in "%!"]
    if place not in _MIXED:
        return lines
    try:
        ast.parse("\n".join(line for line in text.splitlines() if line.strip()[:1] not in "%!"))
        return magic
    except SyntaxError:
        pass
    if place == "comfyui":
        return [line for line in lines if re.match(r"\.?\\?python|rmdir", line)]
    return magic if place == "notebook" else lines


def _statements(line: str) -> Iterator[list[str]]:
    """The words of each command of a line, without quotes."""
    words: list[str] = []
    redirected = False
    for word in _split(line):
        if set(word) <= set(";|&()"):
            yield words
            words, redirected = [], False
        elif set(word) <= set("<>&"):
            redirected = True
        elif not redirected:
            words.append(word.strip("\"'"))
    yield words


def _split(line: str) -> list[str]:
    try:
        return _lexed(line)
    except ValueError:  # quotes within `$(…)` within quotes
        return _lexed(line.replace('"', ""))


def _lexed(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=False, punctuation_chars=";|&<>()")
    lexer.whitespace_split, lexer.commenters = True, ""
    return list(lexer)


def _call(words: list[str], named: Named) -> None:
    if words[1:2] == ["="]:
        return
    while words and (words[0] in _IN_FRONT or "=" in words[0]):
        words = words[1:]
    if not words or words[0] in ("export", "set", "ENV", "%env", "unset", "%%writefile"):
        return
    program = re.split(r"[\\/]", words[0].lstrip("%!"))[-1].removesuffix(".exe")
    if program in ("python", "uv") and "-m" in words[:4]:
        at = words.index("-m")
        program, words = words[at + 1], words[at + 1 :]
    elif program == "uv" and words[1:2] == ["pip"]:
        program, words = "pip", words[1:]
    installs, skip = False, False
    for word in words[1:]:
        if skip:
            skip = False
        elif word.startswith("-"):
            name = word.partition("=")[0]
            named.options.add((program, name))
            skip = name in _VALUED and "=" not in word
        elif word in _INSTALLERS.get(program, ()):
            installs = True
            named.options.add((program, word))
        elif installs and len(word) > 1 and not re.match(r"[./{]|torch==\{", word):
            named.packages.add((program, word))
    if re.fullmatch(r"[A-Za-z][\w.-]*", program):
        named.options.add((program, ""))


@dataclass
class Facts:
    """facts/commands.yml: what a command may name."""

    programs: dict[str, list[str]] = field(default_factory=dict)
    packages: dict[str, list[str]] = field(default_factory=dict)
    variables: dict[str, list[str]] = field(default_factory=dict)


def load(root: Path, problems: Problems) -> Facts | None:
    """The facts of a checkout; None where it has no such file."""
    file = root / FILE
    if not file.exists():
        return None
    data = yamlfile.load(file.read_text(encoding="utf-8"), file, 1, problems)
    tables = (
        {str(name): list(map(str, known)) for name, known in (data.get(what) or {}).items()}
        for what in ("programs", "packages", "variables")
    )
    return Facts(*tables)


def complaints(commands: dict[str, str], proof: str, facts: Facts) -> list[str]:
    """What is wrong with the commands of a case that are read, not run."""
    ran, messages = run_by(proof), []
    seen = Named()  # what is run
    names = {}
    for place, text in commands.items():
        try:
            names[place] = read(place, text)
        except ValueError as error:
            messages.append(f"`{place}`: {error}")
    for place in ran & set(names):
        seen.options |= names[place].options
        seen.packages |= names[place].packages
        seen.variables |= names[place].variables
    for place, named in names.items():
        lists = (
            (facts.programs, named.options - seen.options, "option"),
            (facts.packages, named.packages - seen.packages, "package"),
            (facts.variables, named.variables - seen.variables, "value"),
        )
        for known, pairs, what in () if place in ran else lists:
            for name, word in sorted(pairs):
                if word not in known.get(name, []) and (word or name not in known):
                    messages.append(f"`{place}`: {FILE} has no {what} `{word}` of `{name}`")
        if ran and place not in ran:
            for name, word in sorted(named.pinned - seen.pinned):
                messages.append(f"`{place}`: `{name} {word}` is not what `{min(ran)}` runs")
    return [*messages, *(f"there is no place `{place}` to run" for place in ran - set(commands))]
