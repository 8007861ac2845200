"""Of several processes the one that failed first; what stops a program from outside is no failure."""

from __future__ import annotations

from typing import Any

import pytest

from torchclinic.commands import explain
from torchclinic.commands.knowledge import Knowledge
from torchclinic.find import ladder, ranks
from torchclinic.find.answer import Answer
from torchclinic.find.likely import Likeness
from torchclinic.find.lookup import lookup

LOST = (
    "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer"
    " [10.0.0.5]:23456"
)
MATMUL = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x864 and 1176x10)"
HEAD = "Traceback (most recent call last):"


def died(message: str, label: str = "", line: int = 4) -> str:
    lines = [HEAD, f'  File "/w/train.py", line {line}, in <module>', "    step(batch)", message]
    return "".join(f"{label}{one}\n" for one in lines)


def summary(rank: int) -> str:
    return (
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n"
        "train.py FAILED\nFailures:\n[1]:\n  rank      : 7 (local_rank: 7)\n"
        "  exitcode  : -15 (pid: 5)\nRoot Cause (first observed failure):\n[0]:\n"
        f"  rank      : {rank} (local_rank: {rank})\n  exitcode  : 1 (pid: 6)\n"
    )


def climb(table: Any, text: str) -> Answer:
    return ladder.climb(table, lambda: Likeness(table), text, lambda _: None, lambda _: ((), True))


@pytest.mark.parametrize("label", ["[rank{}]: ", "[default{}]:", "trainer-1  | [rank{}]: "])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_others_only_lost_it(table: Any, label: str, order: tuple[int, int]) -> None:
    told = {0: died(LOST, label.format(0), 12), 1: died("KeyError: 'label'", label.format(1))}
    answer = climb(table, "".join(told[rank] for rank in order) + summary(1))
    first = answer["first"]
    assert (first["rank"], first["others"], first["text"]) == ("1", ["0"], "KeyError: 'label'")
    assert first["frame"] and first["frame"]["file"] == "/w/train.py"
    assert (answer["rung"], answer["hits"]) == ("other", [])


def test_its_error_is_the_answer_where_a_page_knows_it(table: Any) -> None:
    text = died(LOST, "[rank0]: ") + died(MATMUL, "[rank3]: ") + summary(3)
    answer = lookup(table, text)
    assert answer["hits"][0]["symptom"] == "matmul-shapes"
    assert answer["first"]["rank"] == "3" and answer["hits"][0]["line"] == answer["first"]["line"]


def test_without_labels_the_summary_names_it(table: Any) -> None:
    answer = climb(table, died(LOST) + died("KeyError: 'label'") + summary(5))
    assert answer["first"]["rank"] == "5" and answer["first"]["text"] == "KeyError: 'label'"


def test_the_root_cause_of_the_summary_wins(table: Any) -> None:
    text = died("KeyError: 'a'", "[rank0]: ") + died("KeyError: 'b'", "[rank2]: ") + summary(2)
    first = lookup(table, text)["first"]
    assert (first["rank"], first["text"], first["others"]) == ("2", "KeyError: 'b'", [])


def test_what_all_lost_stays(table: Any) -> None:
    text = died(LOST, "[rank0]: ") + died(LOST, "[rank1]: ")
    assert ranks.apart(text) == (text, None) and "first" not in lookup(table, text)


def test_in_one_line_below_a_command(table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    known = Knowledge(table, {}, {}, {})
    known._origins.append(None)
    text = died(LOST, "[rank0]: ") + died("KeyError: 'label'", "[rank1]: ") + summary(1)
    origin = {"raw": "E1 api.py:1002] failed (exitcode: 1) local_rank: 1", "line": 9}
    monkeypatch.setattr(Knowledge, "_origin", lambda self, text: origin)  # a line of torchrun's log
    assert explain.explain_log(known, text, "en", {}).lines == [
        "Torch Clinic: Rank 1 failed first: `KeyError: 'label'` at /w/train.py:4; "
        "rank 0 only lost its peer."
    ]


def killed(rank: int, signal: str = "Signal 9 (SIGKILL)") -> str:
    told = f"  error_file: <N/A>\n  traceback : {signal} received by PID 6\n"
    return summary(rank).replace("exitcode  : 1 ", "exitcode  : -9 ") + told


@pytest.mark.parametrize("label", ["[rank0]: ", ""])
def test_a_signal_in_the_summary_is_its_error(table: Any, label: str) -> None:
    answer = climb(table, died(LOST, label) + killed(1))
    first = answer["first"]
    assert (first["rank"], first["text"]) == ("1", "Signal 9 (SIGKILL) received by PID 6")
    assert first["others"] == (["0"] if label else [])
    assert [hit["symptom"] for hit in answer["hits"]] == ["child-failed"]


def test_who_has_an_error_is_not_called_killed(table: Any) -> None:
    both = lookup(table, died("KeyError: 'label'", "[rank0]: ") + killed(1))
    assert both["first"]["text"] == "KeyError: 'label'"
    # a watchdog aborts those who only wait
    text = died(LOST, "[rank0]: ") + killed(1, "Signal 6 (SIGABRT)")
    assert "first" not in lookup(table, text)


STOPS = [
    died("torch.distributed.elastic.multiprocessing.api.SignalException: Process 7 got signal: 15"),
    "W0102 api.py:719] Received 15 death signal, shutting down workers\n",
    "slurmstepd: error: *** STEP 1.0 ON n1 CANCELLED AT 2026-01-02T03:04:05 DUE TO TIME LIMIT ***\n",
    "slurmstepd: error: *** JOB 1 ON n1 CANCELLED AT 2026-01-02T03:04:05 DUE TO PREEMPTION ***\n",
]


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("end", ["", summary(0)])
def test_a_stop_from_outside_is_no_failure(table: Any, stop: str, end: str) -> None:
    answer = climb(table, f"epoch 3\n{stop}{end}")
    assert (answer["rung"], answer["failure"]["kind"], answer["hits"]) == ("other", "stopped", [])
    known = Knowledge(table, {}, {}, {})
    known._origins.append(None)
    assert "stopped from outside" in explain.explain_log(known, stop + end, "en", {}).lines[0]


@pytest.mark.parametrize("stop", STOPS)
def test_what_failed_before_it_was_stopped_is_the_answer(table: Any, stop: str) -> None:
    assert climb(table, died(MATMUL) + stop)["hits"][0]["symptom"] == "matmul-shapes"
    assert (
        climb(table, died("KeyError: 'label'") + stop).get("failure", {}).get("kind") != "stopped"
    )
