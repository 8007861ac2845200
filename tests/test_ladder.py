"""Below a match: what a text nearly prints, where it ends, whose error it is, what it may be about."""

from __future__ import annotations

from typing import Any

import pytest

from torchclinic.find import ladder
from torchclinic.find.about import quotes
from torchclinic.find.answer import Answer
from torchclinic.find.likely import Likeness

TORCH = '  File "/env/site-packages/torch/nn/modules/module.py", line 1518, in _call_impl\n'
PANDAS = '  File "/env/site-packages/pandas/core/frame.py", line 99, in __getitem__\n'
TRACEBACK = 'Traceback (most recent call last):\n  File "train.py", line 4, in <module>\n'


@pytest.fixture(scope="module")
def likeness(table: Any) -> Likeness:
    return Likeness(table)


def climb(likeness: Likeness, text: str, *pages: str) -> Answer:
    found = [(page, 1.0) for page in pages]
    return ladder.climb(
        likeness.index, lambda: likeness, text, lambda _: None, lambda _: (found, False)
    )


@pytest.mark.parametrize(
    ("text", "stem"),
    [
        ("mat1 and mat2 shapes cannot be multiplied (2×1568 and 1050×10)", "matmul-shapes"),
        ("i get mat1 and mat2 shapes can't be multiplied in pytorch", "matmul-shapes"),
        ("Cant copy out of meta tensor:no data! (diffusers, torch 2.5)", "meta-tensor"),
        ("expected all tensors to be on the same device, but found", "device-mismatch"),
        ("import torch\nRuntimeError: mat1 and mat2 shapes cannot be multi", "matmul-shapes"),
        ("RuntimeError: CUDA Error: out of memory", "cuda-oom"),
    ],
)
def test_retyped_and_shortened(likeness: Likeness, text: str, stem: str) -> None:
    answer = climb(likeness, text)
    assert (answer["rung"], answer["hits"][0]["symptom"]) == ("likely", stem)
    assert answer["hits"][0]["cause"] is None and not answer["hits"][0]["values"]


@pytest.mark.parametrize(
    "text",
    [
        "ggml_cuda: cuda error: an illegal memory access was encountered",
        "could not find a version that satisfies the requirement tensorflow (from versions: none)",
        "the shapes of my furniture cannot be multiplied",
        "CUDA Error: out of memory",
        "There is a cuda runtime error when running model.generate() of the tensor library",
    ],
)
def test_what_others_print_is_not_nearly_ours(likeness: Likeness, text: str) -> None:
    assert climb(likeness, text)["hits"] == []


@pytest.mark.parametrize(
    "end",
    ["", TORCH, TORCH + "    return self._call_impl(*args)\n", TORCH + "    f(x)\n    ^^^^\n"],
)
def test_a_text_that_ends_in_a_frame_is_cut(likeness: Likeness, end: str) -> None:
    answer = climb(likeness, f"My net\n{TRACEBACK}    out = model(images)\n{end}", "a/b")
    assert answer["rung"] == "cut" and answer["failure"]["kind"] == "cut"
    assert answer["about"] == ["a/b"] and not answer["hits"]


def test_a_wrapper_answers_also_where_what_it_wraps_was_cut_off(likeness: Likeness) -> None:
    caught = "RuntimeError: Caught KeyError in DataLoader worker process 0.\n"
    for end in (TORCH, "KeyError: 1"):
        answer = climb(likeness, f"{caught}Original {TRACEBACK}    a[1]\n{end}", "a/b")
        assert answer["hits"][0]["symptom"] == "worker-exception"


def test_what_is_quoted_is_asked() -> None:
    said = "I'm stuck: an 'out of memory' error, then \"no kernel image\" and `x`; it's odd"
    assert quotes(said) == ["out of memory", "no kernel image"]
    assert quotes("'" * 1000 + " 'a b") == []


def test_prose_behind_frames_is_no_message(likeness: Likeness) -> None:
    answer = climb(likeness, f"{TRACEBACK}    out = model(images)\nCan anybody help me?")
    assert answer["rung"] == "cut" and answer["failure"]["text"] == "out = model(images)"


def test_a_raised_literal_is_the_message(likeness: Likeness) -> None:
    line = 'raise RuntimeError("Trying to backward through the graph a second time")'
    answer = climb(likeness, f"{TRACEBACK}    {line}\n")
    assert answer["rung"] == "likely" and answer["hits"][0]["symptom"] == "backward-second-time"
    assert answer["hits"][0]["line"] == 3 and answer["hits"][0]["raw"] == line


def test_another_librarys_error_is_called_that(likeness: Likeness) -> None:
    answer = climb(likeness, f"{TRACEBACK}    row = table[9]\n{PANDAS}    raise e\nKeyError: 9")
    assert answer["rung"] == "other"
    frame = answer["failure"]["frame"]
    assert frame and frame["library"] == "pandas"


def test_a_torch_error_is_nobody_elses(likeness: Likeness) -> None:
    text = f"{TRACEBACK}    y = model(x)\n{TORCH}    f()\nRuntimeError: never heard of"
    assert climb(likeness, text)["rung"] == "none"
    assert climb(likeness, text, "a/b", "c/d", "e/f", "g/h")["about"] == ["a/b", "c/d", "e/f"]


WARNING = (
    "/torch/nn.py:3: UserWarning: Named tensors and all their associated APIs are an experimental "
    "feature and subject to change"
)


@pytest.mark.parametrize(
    ("after", "rung"),
    [
        ("", "sure"),
        ("\nepoch 1 done", "sure"),
        ("\nSegmentation fault (core dumped)", "sure"),  # its own page answers
        ("\n\u6bb5\u9519\u8bef (\u6838\u5fc3\u5df2\u8f6c\u50a8)", "sure"),
        ("\nKeyError: 'label'", "none"),
        (f"\n{TRACEBACK}    out = model(images)", "cut"),
    ],
)
def test_a_warning_answers_only_where_nothing_failed(
    likeness: Likeness, after: str, rung: str
) -> None:
    answer = climb(likeness, WARNING + after)
    stems = [hit["symptom"] for hit in answer["hits"]]
    assert answer["rung"] == rung
    if after in ("", "\nepoch 1 done"):
        assert stems == ["named-tensor-warning"] and not answer["harmless"]
    else:
        assert "named-tensor-warning" not in stems
        assert answer["harmless"] == [{"symptom": "named-tensor-warning", "line": 1}]
