"""`torchclinic figures`: drawn from what a run measured, in each language and colour scheme.

docs/figures/NAME.py holds three names:

    LABELS      {"en": {...}, "zh": {...}}: the words in the figure; `alt`: what it shows, in words
    measure()   runs the code that the figure is about; returns numbers (what JSON can hold)
    draw(axes, data, label)     draws them with Matplotlib; `axes` is styled already

It writes docs/assets/figures/NAME.json (the numbers, with torch's version, the date and the hash of
the script) and NAME-LANGUAGE-SCHEME.svg. The catalogue reports a figure whose script has changed
since.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import runpy
from pathlib import Path
from typing import Any

from .. import LANGUAGES, ROOT
from ..content.figure import DRAWN, SCRIPTS, script_hash
from ..content.problem import BadInput

#: Lines, text and grid of each colour scheme; the first colours of a line cycle are told apart in
#: both, also without colour vision.
SCHEMES = {
    "light": ("#24323a", "#d5dcdf", ["#0b6477", "#d1561f", "#7a5195", "#5b7f2b"]),
    "dark": ("#d9e2e6", "#45525a", ["#5cc3d6", "#ff9a5c", "#c79be0", "#a9cf6b"]),
}
SIZE = (7.0, 3.4)  # inches


def add(commands: Any) -> None:
    command = commands.add_parser(
        "figures", help="run the scripts of figures and draw what they measured"
    )
    command.add_argument(
        "names", nargs="*", metavar="NAME", help="as in docs/figures/NAME.py; all if left out"
    )
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    known = sorted(file.stem for file in (ROOT / SCRIPTS).glob("*.py"))
    if unknown := [name for name in options.names if name not in known]:
        raise BadInput(f"no figure {', '.join(unknown)}; there are {', '.join(known)}")
    for name in options.names or known:
        make(ROOT, name)
        print(f"drew {name}")
    return 0


def make(root: Path, name: str) -> None:
    """Run the script, record its numbers, draw them.

    Raises:
        OSError: there is no such script.
    """
    import warnings

    import matplotlib
    import torch

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    script = root / SCRIPTS / f"{name}.py"
    names: dict[str, Any] = runpy.run_path(str(script))
    torch.manual_seed(0)
    data = names["measure"]()
    folder = root / DRAWN
    folder.mkdir(parents=True, exist_ok=True)
    record = {
        "script": script_hash(script),
        "torch": torch.__version__.partition("+")[0],
        "python": platform.python_version(),
        "date": datetime.date.today().isoformat(),
        "alt": {language: names["LABELS"][language]["alt"] for language in LANGUAGES},
        "data": data,
    }
    text = json.dumps(record, ensure_ascii=False) + "\n"
    (folder / f"{name}.json").write_text(text, encoding="utf-8")
    for language in LANGUAGES:
        for scheme in SCHEMES:
            with plt.rc_context(_style(scheme)), warnings.catch_warnings():
                # Text is set by the reader's browser.
                warnings.filterwarnings("ignore", "Glyph .* missing")
                figure, axes = plt.subplots(figsize=SIZE, layout="constrained")
                names["draw"](axes, data, names["LABELS"][language])
                file = folder / f"{name}-{language}-{scheme}.svg"
                metadata = {"Date": None, "Creator": None}
                figure.savefig(file, transparent=True, metadata=metadata)
                plt.close(figure)


def _style(scheme: str) -> Any:
    from cycler import cycler

    text, grid, colours = SCHEMES[scheme]
    lettered = ("text.color", "axes.labelcolor", "xtick.color", "ytick.color", "axes.edgecolor")
    return {
        **dict.fromkeys(lettered, text),
        "svg.fonttype": "none",  # text stays text: small, searchable, in the reader's own font
        "svg.hashsalt": "torchclinic",  # the same file from the same numbers
        "font.family": "sans-serif",
        "font.size": 11,
        "axes.grid": True,
        "grid.color": grid,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.prop_cycle": cycler(color=colours, linestyle=["-", "--", "-.", ":"]),
        "lines.linewidth": 2,
        "legend.frameon": False,
    }
