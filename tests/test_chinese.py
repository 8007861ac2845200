from __future__ import annotations

import pytest

from torchclinic.content.chinese import joined, punctuate


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


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("第一次\n读取", "第一次读取"),
        ("显存不足\uff0c\nCUDA 报错", "显存不足\uff0cCUDA 报错"),
        ("显存\nCUDA 报错\n`x`\n不足\uff1a\n1. 一", "显存\nCUDA 报错\n`x`\n不足\uff1a\n1. 一"),
        (
            "见[显存不足](a.md)\n和**原因**\n[内存](b.md)",
            "见[显存不足](a.md)和**原因**[内存](b.md)",
        ),
        ("- 第一条\n  接着写\n- 第二条", "- 第一条接着写\n- 第二条"),
        ("## 原因\n正文", "## 原因\n正文"),
        ("```text\n第一行\n第二行\n```\n正文", "```text\n第一行\n第二行\n```\n正文"),
        ("第一段\n\n第二段", "第一段\n\n第二段"),
        ("| 现象 |\n| 处理 |", "| 现象 |\n| 处理 |"),
    ],
)
def test_lines_of_chinese_are_joined(typed: str, meant: str) -> None:
    assert joined(typed) == meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("用 torch.load(file)加载,再算", "用 torch.load(file) 加载\uff0c再算"),
        ('写 "cuda" 或 "cpu" 都行', '写 "cuda" 或 "cpu" 都行'),
    ],
)
def test_calls_and_quoted_code_stay(typed: str, meant: str) -> None:
    assert punctuate(typed) == punctuate(meant) == meant


@pytest.mark.parametrize(
    "comment",
    [
        "(12, 0) 写成 12.0",
        "torch.Size([8])\uff1b应该是 torch.Size([])",
        "[batch, 词]\uff1a填充",
        "2\uff1a(-1) ** 3 是 -1",
        "c10:: 是 PyTorch 的",
    ],
)
def test_code_in_a_comment_stays(comment: str) -> None:
    assert punctuate(comment, comment=True) == comment
