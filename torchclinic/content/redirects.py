"""Redirects: where a page went whose stem or topic changed.

Ids are permanent; if one has to change after all, the old address still leads on.

facts/redirects.yml, a mapping of old id to new id, `tips/...` for tips; both languages are
redirected:

    memory/out-of-memory: memory/cuda-oom
"""

from __future__ import annotations

import re
from pathlib import Path

from . import yamlfile
from .problem import Problems, line_beginning

FILE = "redirects.yml"
_ID = re.compile(r"(?:tips/)?[a-z0-9-]+/[a-z0-9-]+")


def read(file: Path, ids: set[str], problems: Problems) -> dict[str, str]:
    """Old id -> new id; {} if there is no file.

    Args:
        ids: of all symptoms and tips.
    """
    if not file.exists():
        return {}
    text = file.read_text(encoding="utf-8")
    redirects = {}
    for old, new in yamlfile.load(text, file, 1, problems).items():
        line = line_beginning(text, f"{old}:")
        if old in ids:
            problems.add(file, line, f"`{old}` is a page: a redirect would hide it")
        elif not _ID.fullmatch(str(old)):
            problems.add(file, line, f"`{old}` is no id: write topic/stem, or tips/topic/stem")
        elif new not in ids:
            message = f"`{old}` leads to `{new}`, which is neither a symptom nor a tip"
            problems.add(file, line, f"{message}; lead it to the page of today")
        else:
            redirects[old] = new
    return redirects
