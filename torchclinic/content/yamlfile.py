"""Reads the YAML that people write: headers of snippets, front matter of pages, the vocabulary."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from .problem import BadInput, Problems


@functools.cache
def _yaml() -> Any:
    """The module and the loader.

    Asked for only when there is a file to read: an installed package carries none, and does without
    PyYAML.
    """
    try:
        import yaml
    except ImportError:
        raise BadInput(
            "a checkout's files are read with PyYAML: python -m pip install PyYAML"
        ) from None
    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    # Versions and dates stay text: `until: 1.10` must not become the number 1.1.
    rules = {
        first: [(tag, rule) for tag, rule in known if not tag.endswith((":float", ":timestamp"))]
        for first, known in base.yaml_implicit_resolvers.items()
    }
    return yaml, type("Loader", (base,), {"yaml_implicit_resolvers": rules})


def read(file: Path, problems: Problems) -> dict[str, Any]:
    """The mapping of a whole file; empty where it cannot be read, which is reported."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        problems.add(file, 0, f"cannot be read: {error}")
        return {}
    return load(text, file, 1, problems)


def load(text: str, file: Path, first_line: int, problems: Problems) -> dict[str, Any]:
    """Parse a mapping; report what does not parse with its line in the file.

    Args:
        text: the YAML.
        first_line: 1-based line of the file on which `text` begins.

    Returns:
        The mapping; empty if there is none or if it does not parse.
    """
    yaml, loader = _yaml()
    try:
        data = yaml.load(text, Loader=loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = first_line + mark.line if mark else first_line
        why = getattr(error, "problem", None) or str(error)
        how = "Quote the value if it holds `: ` or ` #`"
        problems.add(file, line, f"YAML that does not parse: {why}. {how}.")
        return {}
    if isinstance(data, dict) or data is None:
        return data or {}
    kind = type(data).__name__
    problems.add(file, first_line, f"YAML must be a mapping of `key: value`, not {kind}.")
    return {}
