from __future__ import annotations

import pytest

from torchclinic.content.chinese import punctuate


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("显存不足,请减小 batch", "显存不足\uff0c请减小 batch"),
        ("用`detach()`切断,再算", "用 `detach()` 切断\uff0c再算"),
        ("调用 backward()两次", "调用 backward() 两次"),
        ("参见[这里](a.md),然后", "参见[这里](a.md)\uff0c然后"),
        ("### 标题:一 {#case-name}", "### 标题\uff1a一 {#case-name}"),
        ('找"上一步"的张量', "找\u201c上一步\u201d的张量"),
        ("截断(TBPTT)。", "截断\uff08TBPTT\uff09。"),
        ("English, only.", "English, only."),
        ("见 `a`, `b`", "见 `a`\uff0c`b`"),
        ("见[链接](b.md):", "见[链接](b.md)\uff1a"),
        ("形状(见 `x.shape`)", "形状\uff08见 `x.shape`\uff09"),
    ],
)
def test_punctuation(typed: str, meant: str) -> None:
    assert punctuate(typed) == meant
    assert punctuate(meant) == meant
