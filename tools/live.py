"""Does the program itself tell the cause? Counted over programs that crash, and recorded breaks.

`python -m tools.live [-v] [NAME…]` runs the programs of tests/live/ (or those named) through
`torchclinic run --live --jsonl`; each says in its first line which symptom it has and which row of
its page is right. Without names it also reads the recorded breaks of pages that have several rows.
Each is looked up by its text alone, and with what the program knew.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from torchclinic.content import catalogue
from torchclinic.content.collection import Catalogue
from torchclinic.find import lookup
from torchclinic.find.answer import Index
from torchclinic.find.live import HEAD

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "tests" / "live"
#: What the lookup may say of the cause, best first.
VERDICTS = ("right", "right, leaning", "none", "other, leaning", "other", "other page")


class Crash(NamedTuple):
    """What a program printed and knew, and what is right.

    Attributes:
        name: of the program, or of the symptom and the case of a break.
        right: names of rows.
        text: its traceback.
        facts: the block; "" for none.
    """

    name: str
    symptom: str
    right: list[str]
    text: str
    facts: str

    def verdict(self, table: Index, facts: bool = True) -> str:
        """One of VERDICTS, by the text alone or with what the program knew."""
        hits = lookup.lookup(table, self.text + (self.facts if facts else ""))["hits"]
        if not hits or hits[0]["symptom"] != self.symptom:
            return "other page"
        cause = hits[0]["cause"]
        if cause is None:
            return "none"
        said = "right" if cause["row"] in self.right else "other"
        return said + (", leaning" if cause["leaning"] else "")


def crash(program: Path) -> Crash:
    """Run a program until it dies.

    Raises:
        ValueError: its first line does not say what it has.
    """
    words = program.read_text(encoding="utf-8").partition("\n")[0].split()
    if len(words) != 5 or words[:2] != ["#", "symptom:"] or words[3] != "row:":
        raise ValueError(f"{program.name} begins with `# symptom: TOPIC/STEM  row: ROW`")
    with tempfile.TemporaryDirectory(prefix="torchclinic-") as folder:
        answer = Path(folder, "answer.jsonl")
        run = [sys.executable, "-m", "torchclinic", "run", "--live", "--jsonl", str(answer)]
        told = subprocess.run(
            [*run, sys.executable, str(program)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=600,
        )
        lines = answer.read_text(encoding="utf-8").splitlines() if answer.exists() else []
    facts = json.loads(lines[0])["facts"] if lines else ""
    text = told.stderr.partition(HEAD)[0].partition("\nTorch Clinic:")[0]
    return Crash(program.stem, words[2].rpartition("/")[2], [words[4]], text.rstrip() + "\n", facts)


def crashes(names: Iterable[str] = ()) -> list[Crash]:
    """Those of the programs that are named, of all where none is."""
    wanted = set(names)
    files = [file for file in sorted(PROGRAMS.glob("*.py")) if not wanted or file.stem in wanted]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(crash, files))


def breaks(clinic: Catalogue) -> Iterator[Crash]:
    """Recorded breaks of pages with several rows that left what they knew."""
    for record in clinic.evidence:
        for stem, symptom in clinic.symptoms.items():
            snippet = symptom.snippet
            for case in snippet.cases.values() if len(snippet.causes) > 1 else ():
                right = [row.row for row in snippet.causes if row.case == case.name]
                facts = record.live(snippet, case)
                if facts:
                    name = f"{stem} {case.name}"
                    yield Crash(name, stem, right, record.printed(snippet, case), facts)


def main(arguments: list[str]) -> int:
    names = [word for word in arguments if word != "-v"]
    clinic = catalogue.load(check=False, lint=False)
    table, wrong = clinic.index(), False
    for what, those in (
        ("programs", crashes(names)),
        ("breaks", [] if names else list(breaks(clinic))),
    ):
        for facts in (False, True):
            verdicts = [(one, one.verdict(table, facts)) for one in those]
            count = Counter(verdict for _, verdict in verdicts)
            said = ", ".join(f"{count[verdict]} {verdict}" for verdict in VERDICTS)
            if those:
                print(f"{what} {'with facts' if facts else 'by text   '}: {said}")
        wrong = wrong or any(verdict == "other" for _, verdict in verdicts)
        for one, verdict in verdicts if "-v" in arguments else ():
            if not verdict.startswith("right"):
                last = one.text.strip().splitlines()[-1] if one.text.strip() else ""
                print(f"\n{one.name}: {verdict}; right is {one.right}\n{last}\n{one.facts}", end="")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
