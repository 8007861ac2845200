"""Chinese typography: full-width punctuation beside Chinese characters, blanks between Chinese
and Latin text."""

from __future__ import annotations

import re

_CJK = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WIDE = dict(zip(",:;?!()", "\uff0c\uff1a\uff1b\uff1f\uff01\uff08\uff09", strict=True))
_AROUND = f"{_CJK}\u3001\u3002\u300a\u300b\u201c\u201d" + "".join(_WIDE.values())
# Left as they stand: code, calls as `torch.load(file)`, link and image targets, anchors, HTML tags
# and comments, directives, bare addresses.
_VERBATIM = re.compile(
    rf"(`+[^`]*`+|[A-Za-z_.]+\(\)|(?:[a-z_][\w.]*|\w+\.[\w.]+)\((?:[^(){_CJK}]|\([^(){_CJK}]*\))*\)|\]\([^)\s]*\)|\{{[#:][^}}]*\}}|<[^>]*>|\{{\{{[^}}]*\}}\}}|https?://\S+)",
    re.ASCII,
)
# In a comment of code, where nothing marks code, also: calls, brackets without Chinese, `::`.
_IN_COMMENT = re.compile(
    rf"({_VERBATIM.pattern[1:-1]}|[\w.]*\((?:[^(){_CJK}]|\([^(){_CJK}]*\))*\)|\[[^\]]*\]|\{{[^}}]*\}}|::)",
    re.ASCII,
)
_BEFORE = re.compile(rf"(?<=[{_AROUND}])[ ]?([,:;?!()])[ ]?")
_AFTER = re.compile(rf"[ ]?([,:;?!()])[ ]?(?=[{_AROUND}])")
_LEADING = re.compile(r"^([,:;?!])(?:[ ]|$)")
_QUOTED = re.compile(r'"([^"]*)"')
_GLUED = re.compile(rf"(?<=[{_CJK}])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[{_CJK}])")
# Where a line ends and the next goes on: what stands there, whatever Markdown marks stand around
# it. Full-width punctuation has its own blank.
_MARKS = "\u3001\u3002\u201c\u201d" + "".join(_WIDE.values())
_END, _BEGIN = r"(?:\*\*|\]\([^)\s]*\))*$", r"(?:\*\*(?=\S)|\[)*"
_ENDS = re.compile(rf"[{_AROUND}]{_END}"), re.compile(rf"[{_MARKS}]{_END}")
_BEGINS = re.compile(rf"{_BEGIN}[{_AROUND}]"), re.compile(rf"{_BEGIN}(?!\d+\.\s)[\w`(]", re.ASCII)
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
HAS_CHINESE = re.compile(f"[{_CJK}]")


def punctuate(line: str, comment: bool = False) -> str:
    """Give one line of Chinese prose, or a comment of code, full-width punctuation and blanks.

    The blanks stand around Latin words and code.

    A line without Chinese characters comes back unchanged; so does what is code, a link's target,
    an anchor or a tag.
    """
    if not HAS_CHINESE.search(line):
        return line
    parts = (_IN_COMMENT if comment else _VERBATIM).split(line)
    for at in range(0, len(parts), 2):
        part = _QUOTED.sub(_curled, parts[at])
        before = None
        while before != part:
            before = part
            for pattern in (_BEFORE, _AFTER):
                part = pattern.sub(lambda mark: _WIDE[mark[1]], part)
        # What follows code or a link goes on in Chinese.
        if at and parts[at - 1].startswith(("`", "](")):
            part = _LEADING.sub(lambda mark: _WIDE[mark[1]], part)
        parts[at] = _GLUED.sub(" ", part)
    for at in range(1, len(parts), 2):
        is_call = parts[at].endswith(")") and not parts[at].startswith("](")
        if is_call or parts[at].startswith("`"):
            if re.search(rf"[{_CJK}]$", parts[at - 1]):
                parts[at - 1] += " "
            if re.match(rf"[{_CJK}]", parts[at + 1]):
                parts[at + 1] = " " + parts[at + 1]
    return _paired(parts)


def _curled(quoted: re.Match[str]) -> str:
    return f"\u201c{quoted[1]}\u201d" if HAS_CHINESE.search(quoted[1]) else quoted[0]


def joined(markdown: str) -> str:
    """Markdown whose lines of Chinese that go on in the next line are one line: a browser shows
    the end of a line as a blank, and Chinese has none there."""
    lines: list[str] = []
    ends = list(zip(_ENDS, _BEGINS, strict=True))
    fence = ""
    for line in markdown.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and line.strip() == fence else fence
        elif mark:
            fence = mark[1]
        elif (
            lines
            and any(end.search(lines[-1]) and begin.match(line.lstrip()) for end, begin in ends)
            and not lines[-1].startswith(("#", "|"))
        ):
            lines[-1] += line.lstrip()
            continue
        lines.append(line)
    return "\n".join(lines)


def _paired(parts: list[str]) -> str:
    """Brackets of one pair have one width: full, if either is."""
    if not any(bracket in part for part in parts[::2] for bracket in "()"):
        return "".join(parts)
    characters = [c for part in parts for c in part]
    is_prose = [at % 2 == 0 for at, part in enumerate(parts) for _ in part]
    open_at: list[int] = []
    for at, (c, prose) in enumerate(zip(characters, is_prose, strict=True)):
        if prose and c in "(\uff08":
            open_at.append(at)
        elif prose and c in ")\uff09" and open_at:
            pair = (open_at.pop(), at)
            if any(characters[n] in "\uff08\uff09" for n in pair):
                characters[pair[0]], characters[pair[1]] = "\uff08", "\uff09"
    return "".join(characters)
