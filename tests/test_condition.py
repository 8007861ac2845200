"""Conditions of causes: how they are written, and what they say of a paste. tests/test_twins.py asks the JavaScript twin the same."""

from __future__ import annotations

import time
from typing import Any

import pytest

from torchclinic.content import condition
from torchclinic.find.condition import SIZES, Facts, bytes_of, holds, number_of
from torchclinic.find.pasted import Pasted

TRACEBACK = """\
the loss was fine so far: epoch 3 in train.py
Traceback (most recent call last):
  File "train.py", line 8, in <module>
    loss.backward()
  File "/opt/conda/lib/python3.8/site-packages/torch/_tensor.py", line 396, in backward
    torch.autograd.backward(self, gradient, retain_graph, create_graph)
RuntimeError: the last line says GroupNorm
"""


def paste(
    clean: str = "",
    /,
    *,
    also: tuple[str, ...] = (),
    every: dict[str, list[str]] | None = None,
    **values: str,
) -> Facts:
    return Facts(
        Pasted(clean),
        values,
        {name: [value] for name, value in values.items()} | (every or {}),
        set(also),
    )


def asked(text: str, of: Facts) -> bool | None:
    return holds(condition.parse(text), of)


# ---- as they are written


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("k == n", ["==", ["hole", "k"], ["hole", "n"]]),
        (
            "device >= count > 0",
            ["and", [">=", ["hole", "device"], ["hole", "count"]], [">", ["hole", "count"], 0]],
        ),
        (
            "k % k2 == 0 and not paste('ComfyUI')",
            ["and", ["==", ["%", ["hole", "k"], ["hole", "k2"]], 0], ["not", ["paste", "ComfyUI"]]],
        ),
        (
            "k in [768, 'a'] or n not in (1, -2)",
            [
                "or",
                ["in", ["hole", "k"], 768, ["text", "a"]],
                ["not", ["in", ["hole", "n"], 1, -2]],
            ],
        ),
        (
            "len(a) == len(b) and a[-1] != 4",
            [
                "and",
                ["==", ["len", ["sizes", "a"]], ["len", ["sizes", "b"]]],
                ["!=", ["item", ["sizes", "a"], -1], 4],
            ],
        ),
        (
            "a[1:] == b[:-1]",
            ["==", ["slice", ["sizes", "a"], 1, None], ["slice", ["sizes", "b"], None, -1]],
        ),
        (
            "product(a[1:]) * 2 <= 1.5",
            ["<=", ["*", ["product", ["slice", ["sizes", "a"], 1, None]], 2], 1.5],
        ),
        ("bytes(size) > 20 * MiB", [">", ["bytes", "size"], ["*", 20, 1024**2]]),
        ("count(op) > kinds(op)", [">", ["count", "op"], ["kinds", "op"]]),
        ("begins(op, 'Relu', 'Exp')", ["begins", "op", "Relu", "Exp"]),
        ("  square(k / 6) and read(k)\n and also('cuda-oom') and frames('x.py')", None),
    ],
)
def test_a_condition_becomes_lists(text: str, tree: Any) -> None:
    made = condition.parse(text.replace("\n", ""))
    assert tree is None or made == tree


def test_the_values_that_a_condition_reads() -> None:
    text = "k == 1 and a[1:] == b[1:] or begins(op, 'hole') and not read(x) and bytes(s) > count(c) + kinds(d) and paste('hole') and square(product(p)) and n in ['hole']"
    assert set(condition.names(condition.parse(text))) == {
        "k",
        "a",
        "b",
        "op",
        "x",
        "s",
        "c",
        "d",
        "p",
        "n",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "invalid syntax"),
        ("k ==", "invalid syntax, at character"),
        ("k = 3", "invalid syntax"),
        ("k", "`k` is neither true nor false; write a comparison, or paste"),
        ("not k", "`k` is neither true nor false"),
        ("3", "`3` is neither true nor false"),
        ("len(k)", "neither true nor false"),
        ("guess(k)", "`guess(k)` is neither true nor false"),
        ("k == 1 if n else 2", "neither true nor false"),
        ("paste()", "`paste()` is neither true nor false"),
        ("paste(text='a')", "neither true nor false"),
        ("begins(k)", "neither true nor false"),
        ("square(k, n)", "neither true nor false"),
        ("paste('')", "a text in quotes stands here"),
        ("paste('  ')", "a text in quotes stands here"),
        ("paste('a', 3)", "`3`: a text in quotes stands here"),
        ("paste(k)", "`k` is neither a number nor a text in quotes"),
        ("paste(*k)", "neither a number nor a text in quotes"),
        ("begins('k', 'a')", "`'k'`: the name of a value stands here"),
        ("read('k')", "the name of a value stands here"),
        ("bytes(k[0]) > 1", "the name of a value stands here"),
        ("k[0][1] == 1", "`k[0]`: the name of a value stands here"),
        ("k is 3", "`is` compares nothing here; write =="),
        ("k in 3", "behind `in` stands a list, as in [768, 1024]"),
        ("k not in []", "behind `not in` stands a list"),
        ("k in [n]", "`n` is neither a number nor a text in quotes"),
        ("k == True", "`True` is neither a number nor a text in quotes"),
        ("k == None", "neither a number nor a text in quotes"),
        ("k == -'a'", "neither a number nor a text in quotes"),
        ("k == 1e999", "neither a number nor a text in quotes"),
        ("k == 9007199254740992", "neither a number nor a text in quotes"),
        ("k == " + "9" * 400, "neither a number nor a text in quotes"),
        ("k == [1]", "`[1]` has no value here; there are NAME"),
        ("k ** 2 == 4", "`k ** 2` has no value here"),
        ("product(k, 2) == 4", "has no value here"),
        ("k[::2] == n[::2]", "a step in a slice is not read"),
        (
            r"paste('transformers\trainer.py')",
            r"holds a control character; a backslash is written twice, as in 'transformers\\trainer.py'",
        ),
        (r"frames('a', 'site-packages\numpy')", "holds a control character"),
        (r"begins(k, '\x1b[0m')", "holds a control character"),
        (r"k == 'a\0'", "holds a control character"),
        ("k[65] == 1", "`65`: a whole number stands here, at most 64"),
        ("k[1.5] == 1", "a whole number stands here"),
        ("k['a'] == 1", "a whole number stands here"),
        ("k[n] == 1", "neither a number nor a text in quotes"),
        ("len(3) == 1", "`len(3)`: sizes stand here, NAME or NAME[1:]"),
        ("product(k[0]) == 1", "sizes stand here"),
        ("k[1:] == 3", "sizes are equal to sizes, or not"),
        ("k[1:] < n[1:]", "sizes are equal to sizes, or not"),
        ("k[1:] + 1 == 2", "`k[1:]`: one value stands here, not several sizes"),
        ("square(k[1:])", "one value stands here"),
        ("k[1:] in [3]", "one value stands here"),
        ("k < 'a'", "a text is no larger or smaller than another; behind `<` stands a number"),
    ],
)
def test_what_is_no_condition_says_how_to_write_it(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        condition.parse(text)
    assert message in str(caught.value)


# ---- as they are read


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        # A part that is not known makes the whole unknown, unless the other parts decide.
        ("k == 3", True),
        ("k == 4", False),
        ("lost == 3", None),
        ("not lost == 3", None),
        ("lost == 3 and k == 3", None),
        ("lost == 3 and k == 4", False),
        ("k == 4 and lost == 3", False),
        ("lost == 3 or k == 3", True),
        ("lost == 3 or k == 4", None),
        ("not (lost == 3 and k == 4)", True),
        ("not (k == 3 or lost == 3)", False),
        ("lost in [1, 2]", None),
        ("lost not in [1, 2]", None),
        ("k in [lost_is_no_literal]", ValueError),
        ("k in [1, 3]", True),
        ("k not in [1, 3]", False),
        ("begins(lost, 'a')", None),
        ("not begins(lost, 'a')", None),
        ("read(lost)", False),
        ("read(k) and not read(lost)", True),
        # Nobody says how often what was not read stands there: that it stands there no time is known.
        ("count(lost) == 0 and kinds(lost) == 0", True),
    ],
)
def test_unknown_is_neither_true_nor_false(text: str, answer: Any) -> None:
    if answer is ValueError:
        with pytest.raises(ValueError):
            condition.parse(text)
    else:
        assert asked(text, paste(k="3")) is answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("k == n", True),  # 3 and 3.0: numbers
        ("op == 'ReluBackward0'", True),
        ("op != 'ReluBackward0'", False),
        ("op == k", False),  # two values, one a number: compared as they were printed
        ("op == 3", None),  # a number beside what is none
        ("not op == 3", None),
        ("op in [3, 'ReluBackward0']", True),
        ("op in [3, 'x']", None),
        ("op > 3", None),
        ("k == '3'", True),
        ("n == '3'", False),  # a text is compared as it stands
        ("begins(op, 'Tanh', 'Relu') and not begins(op, 'relu')", True),
        ("k + 1 == 4 and k - 4 == -1 and k * 2 == 6 and k / 2 == 1.5 and 7 % k == 1", True),
        (
            "0 - k % 2 == -1 and (0 - k) % 2 == -1",
            True,
        ),  # the rest has the sign of what is divided, as in JavaScript
        ("zero < k <= n < 4", True),
        ("k / zero == 1", None),
        ("k % zero == 1", None),
        ("not k / zero > 1", None),
        (
            "square(9) and square(k * 12) and not square(k) and not square(zero) and not square(0 - 9)",
            True,
        ),
        ("square(op)", None),
        ("square(5.5 - 1.5)", True),
    ],
)
def test_numbers_and_texts(text: str, answer: bool | None) -> None:
    assert asked(text, paste(k="3", n="3.0", zero="0", op="ReluBackward0")) is answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("len(a) == 4 and a[0] == 2 and a[-1] == 5 and product(a) == 120", True),
        ("a[4] == 5", None),
        ("a[-5] == 5", None),
        ("a[1:] == b[1:] and a[:-1] != b[:-1]", True),
        ("a[1:] == c[1:]", None),
        ("product(a[2:]) == 20 and len(a[1:3]) == 2", True),
        ("len(a[9:]) == 0 and product(a[9:]) == 1", True),  # no sizes at all are known sizes
        ("a[9:] == b[9:]", True),
        ("product(d) == 6912", True),  # `8x864`
        ("len(e) == 1", True),  # `(3,)`
        ("product(f) == 5", None),  # no sizes
        ("len(empty) == 0", None),
        ("len(c) == 0", None),
        ("len(cut) == 2", None),  # `3, 4a`: what is not read whole is not read at all
    ],
)
def test_sizes(text: str, answer: bool | None) -> None:
    values = {
        "a": "2, 3, 4, 5",
        "b": "[1, 3, 4, 5]",
        "d": "8x864",
        "e": "(3,)",
        "f": "cuda:0",
        "empty": "",
        "cut": "3, 4a",
    }
    assert asked(text, paste(**values)) is answer


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.50 GiB", 1.5 * 1024**3),
        ("20 MB", 20 * 1024**2),
        ("20MiB", 20 * 1024**2),
        ("0 bytes", 0.0),
        ("359661568", 359661568.0),
        ("512.00 MiB.", 512 * 1024**2),
        ("4 KiB,", 4096.0),
        ("2 TiB", 2 * 1024.0**4),
        ("5 parsecs", None),
        ("GiB", None),
        ("", None),
        (" . ", None),
        ("1 024 MiB", None),
        ("1e308 TiB", None),
        ("9" * 400 + " GiB", None),
    ],
)
def test_bytes(text: str, number: float | None) -> None:
    assert bytes_of(text) == number
    assert asked("bytes(size) >= 0", paste(size=text)) is (None if number is None else True)


@pytest.mark.parametrize(
    "text",
    [
        "1e999",
        "-1e999",
        "9" * 400,
        "9" * 401,
        "0x10",
        "1_000",
        "nan",
        "inf",
        "Infinity",
        "",
        " ",
        " 3",
        "3 ",
        ".",
        "e5",
        "1e",
        "1e+",
        "--3",
        "3-4",
        "1.2.3",
        "\u0663",
        "\u00b2",
    ],
)
def test_what_is_no_number(text: str) -> None:
    assert number_of(text) is None
    for asks in ("k > 0", "k + 1 == 2", "k * 2 > 1", "square(k)", "not k < 1"):
        assert asked(asks, paste(k=text)) is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("3", 3.0),
        ("-3", -3.0),
        ("+7", 7.0),
        ("1.", 1.0),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("2.5e-1", 0.25),
        ("0" * 400, 0.0),
    ],
)
def test_what_is_a_number(text: str, number: float) -> None:
    assert number_of(text) == number


def test_what_grows_beyond_all_numbers_is_unknown() -> None:
    huge = paste(k="1e300", sizes=", ".join(["1e300"] * 3))
    assert asked("k * k > 1", huge) is None
    assert asked("k * k * 0 == 0", huge) is None
    assert asked("product(sizes) > 1", huge) is None
    assert asked("len(sizes) == 3", huge) is True
    assert asked("square(k)", huge) is asked(
        "square(k * 1)", huge
    )  # whatever doubles say, it is no error


def test_no_more_sizes_than_a_shape_has() -> None:
    assert asked("len(s) == 64", paste(s=",".join(["7"] * SIZES))) is True
    assert asked("len(s) > 0", paste(s=",".join(["7"] * (SIZES + 1)))) is None


def test_a_million_sizes() -> None:
    of = paste(s="7," * 1_000_000)
    assert asked("len(s) > 0", of) is asked("s > 3", of) is None


def test_hostile_values_take_no_time() -> None:
    """Sizes, signs, digits and frames without end: ten times as many take some ten times as long, not a hundred times."""
    trees = [
        condition.parse(text)
        for text in (
            "product(s) > 1",
            "s == 3",
            "bytes(s) > 1",
            "s[1:] == s[1:]",
            "frames('nowhere') or paste('nowhere')",
        )
    ]

    def seconds(size: int) -> float:
        best = 1e9
        for _ in range(3):
            start = time.process_time()
            for value in ("7," * size, "-" * size, "9" * size, "[" * size, "1e" * size):
                of = paste('  File "x.py", line 3\n' * (size // 20), s=value)
                assert all(holds(tree, of) in (None, False, True) for tree in trees)
            best = min(best, time.process_time() - start)
        return best

    seconds(1000)
    assert seconds(40_000) < 50 * max(seconds(4_000), 1e-3)


# ---- the paste


def test_texts_and_frames() -> None:
    of = paste(TRACEBACK, also=("cuda-oom",))
    assert asked(
        "paste('GroupNorm') and paste('nowhere', 'the loss was fine') and not paste('nowhere')", of
    )
    assert asked(
        "frames('train.py') and frames('loss.backward()') and frames('site-packages/torch/_tensor.py', 'nowhere')",
        of,
    )
    assert (
        asked("frames('GroupNorm', 'the loss was fine', 'Traceback')", of) is False
    )  # the message and the lines before are no frames
    assert asked("also('cuda-oom', 'x') and not also('x')", of)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[rank3]:   File "train.py", line 8, in step', "in step"),
        ('E     File "train.py", line 8, in step', "in step"),
        (
            "Cell In[4], line 2, in step(x)\n      1 def step(x):\n----> 2     return x @ weight\n",
            "x @ weight",
        ),
        ("File ~/lib/torch/nn/modules/module.py:1501, in Module._call_impl(self)", "_call_impl"),
        ("--> 114         return F.linear(input, self.weight, self.bias)", "F.linear"),
        (
            "~/lib/python3.7/site-packages/torch/nn/modules/conv.py in forward(self, input)\n    443 \n",
            "modules/conv.py",
        ),
    ],
)
def test_frames_as_programs_print_them(text: str, line: str) -> None:
    assert asked(f"frames({line!r})", paste(text)) is True


@pytest.mark.parametrize(
    ("line", "text", "stands"),
    [
        ("remaining -= spent", "ema", False),
        ("self.ema.update(model)", "ema", True),
        ("update_ema(model)", "ema", True),
        ("schema, ema = load()", "ema", True),
        ("x = self.MyRNNCell(x)", "RNN", True),
        ("x = call(x)", "all(", False),
        ("x = evaluate(x)", "eval", False),
    ],
)
def test_frames_are_searched_for_whole_words(line: str, text: str, stands: bool) -> None:
    of = paste(f'  File "train.py", line 8, in step\n    {line}\nRuntimeError: no\n')
    assert asked(f"frames({text!r})", of) is stands


def test_a_message_below_a_frame_without_code_is_no_frame() -> None:
    of = paste('  File "train.py", line 8, in step\nRuntimeError: GroupNorm\n')
    assert asked("frames('in step')", of) is True
    assert asked("frames('GroupNorm')", of) is False


def test_values_that_repeat() -> None:
    of = paste(every={"rank": ["0", "1", "1", "3"]}, rank="0")
    assert asked("count(rank) == 4 and kinds(rank) == 3 and rank == 0", of)


def test_names_of_python_and_javascript_are_only_names() -> None:
    assert asked("constructor == 1 or __class__ == 1 or toString == 1", paste()) is None
    assert asked("constructor == 1", paste(constructor="1")) is True
