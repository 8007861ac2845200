"""Chinese typography: full-width punctuation beside Chinese characters, blanks between Chinese and Latin text."""

from __future__ import annotations

import re

_CJK = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WIDE = dict(zip(",:;?!()", "\uff0c\uff1a\uff1b\uff1f\uff01\uff08\uff09", strict=True))
_AROUND = f"{_CJK}\u3001\u3002\u300a\u300b\u201c\u201d" + "".join(_WIDE.values())
# Left as they stand: code, link and image targets, anchors, HTML tags and comments, directives, bare addresses.
_VERBATIM = re.compile(r"(`+[^`]*`+|[A-Za-z_.]+\(\)|\]\([^)\s]*\)|\{[#:][^}]*\}|<[^>]*>|\{\{[^}]*\}\}|https?://\S+)")
_BEFORE = re.compile(rf"(?<=[{_AROUND}])[ ]?([,:;?!()])[ ]?")
_AFTER = re.compile(rf"[ ]?([,:;?!()])[ ]?(?=[{_AROUND}])")
_QUOTED = re.compile(rf'"([^"]*[{_CJK}][^"]*)"')
_GLUED = re.compile(rf"(?<=[{_CJK}])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[{_CJK}])")
HAS_CHINESE = re.compile(f"[{_CJK}]")


def punctuate(line: str) -> str:
    """Give one line of Chinese prose full-width punctuation and blanks around Latin words and code.

    A line without Chinese characters comes back unchanged; so does what is code, a link's target, an anchor or a tag.
    """
    if not HAS_CHINESE.search(line):
        return line
    parts = _VERBATIM.split(line)
    for at in range(0, len(parts), 2):
        # The neighbour of a verbatim piece is not seen: a placeholder keeps `code`, text from being taken for an edge.
        part = parts[at]
        before = None
        while before != part:
            before = part
            part = _BEFORE.sub(lambda found: _WIDE[found[1]], part)
            part = _AFTER.sub(lambda found: _WIDE[found[1]], part)
        parts[at] = _GLUED.sub(" ", _QUOTED.sub("\u201c\\1\u201d", part))
    for at in range(1, len(parts), 2):
        if parts[at].startswith("`") or parts[at].endswith("()"):
            if re.search(rf"[{_CJK}]$", parts[at - 1]):
                parts[at - 1] += " "
            if re.match(rf"[{_CJK}]", parts[at + 1]):
                parts[at + 1] = " " + parts[at + 1]
    return "".join(parts)
