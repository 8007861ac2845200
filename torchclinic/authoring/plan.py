"""The order in which a GPU that is lent for minutes runs pages, and how long that may take."""

from __future__ import annotations

from ..content import evidence
from ..content.catalogue import Catalogue
from ..content.evidence import Evidence
from ..content.snippet import Snippet
from ..content.symptom import Symptom
from ..content.tip import Tip
from ..run.engine import at_once
from .mutate import Trial, trials_of

#: Seconds that a cell is taken to need of which no run is recorded.
UNKNOWN = 1.0
#: Groups of pages, the most valuable first.
GROUPS = ("have cells that need CUDA", "name CUDA in their code", "run on the CPU as well")


def record_of(clinic: Catalogue, device: str) -> Evidence | None:
    """The record of the release that CI runs."""
    here = (evidence.RELEASE, evidence.PYTHON, device)
    return next((r for r in clinic.evidence if (r.torch, r.python, r.device) == here), None)


def seconds_of(code: Snippet, recorded: Evidence | None) -> dict[str, float]:
    """Processor time of each cell, as recorded."""
    return {
        cell.name: (recorded and recorded.cell(code, cell.name) or {}).get("seconds", UNKNOWN)
        for cell in code.runs
    }


def by_value(clinic: Catalogue, pages: list[Symptom | Tip]) -> list[Symptom | Tip]:
    """What only a GPU can run, then what is about one; of each the most met and the quick first."""
    often = {one.stem: place for place, one in enumerate(clinic.often)}
    recorded = record_of(clinic, "cpu")

    def place(page: Symptom | Tip) -> tuple[int, int, float]:
        seconds = sum(seconds_of(page.snippet, recorded).values())
        return _group(page), often.get(page.stem, len(often)), seconds

    return sorted(pages, key=place)


def _group(page: Symptom | Tip) -> int:
    code = page.snippet
    if any("cuda" in code.needs_of(name) for name in code.cases):
        return 0
    return 1 if any("cuda" in cell.source for cell in code.runs) else 2


def show(clinic: Catalogue, pages: list[Symptom | Tip], device: str, mutate: bool) -> None:
    """Print what a run of these pages would do, in its order; nothing is run.

    The time by the clock is what it comes to if all cores are ours; a GPU adds a context to each
    cell, which no record of a CPU knows.
    """
    recorded, jobs, clock = record_of(clinic, "cpu"), at_once(device), 0.0
    print("so far  cells  alone  seconds  page")
    groups: dict[str, int] = {}
    for page in pages:
        code = page.snippet
        seconds = seconds_of(code, recorded)
        runs = trials_of(page) if mutate else [Trial(page, cell) for cell in code.runs]
        alone = [run for run in runs if device == "cuda" and "cuda" in run.needs]
        total = sum(seconds[run.cell.name] for run in runs)
        by_itself = sum(seconds[run.cell.name] for run in alone)
        clock += by_itself + (total - by_itself) / jobs
        print(f"{clock:6.0f} {len(runs):6} {len(alone):6} {total:8.1f}  {page.id}")
        if device == "cuda":
            name = GROUPS[_group(page)]
            groups[name] = groups.get(name, 0) + len(runs)
    for name, number in groups.items():
        print(f"{number} cells of pages that {name}")
    print(
        f"{clock:.0f} s in all, by processor times recorded on the CPU and {jobs} at a time"
        f"{' (those that need CUDA one by one)' if device == 'cuda' else ''}; "
        f"a cell without a record counts {UNKNOWN:g} s, and what CUDA needs to start counts nothing"
    )
