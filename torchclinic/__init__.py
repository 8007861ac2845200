"""Torch Clinic: PyTorch errors whose break and fix have been run.

For other people's code, `import torchclinic` costs next to nothing and these two do the rest:

    answer = torchclinic.lookup(text)
    # {"status": "match", "hits": [{"symptom": "matmul-shapes", "values": {"m": "64", ...}}], ...}
    index = torchclinic.load_index()  # plain data, can be pickled: load it once for all workers
    answer = torchclinic.lookup(text, index)
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which would cost its import
if TYPE_CHECKING:
    from pathlib import Path

    from .find.answer import Answer, Index

    #: The checkout: snippets/, docs/, facts/ and evidence/ lie below it. Of an installed package,
    #: the folder that it lies in.
    ROOT: Path

#: By date, since the pages are the product: year, month, number of the release in it.
__version__ = "2026.11.0"
LANGUAGES = ("en", "zh")

_index: Index | None = None


def load_index() -> Index:
    """The index of all symptoms, loaded once.

    Raises:
        content.problem.BadInput: this copy of the package has no data; the message says what to do.
    """
    global _index
    if _index is None:
        from .commands import knowledge

        index = knowledge.load().index
        _index = index.copy()
        _index["symptoms"], _index["wordings"] = {**index["symptoms"]}, [*index["wordings"]]
    return _index


def lookup(text: str, index: Index | None = None) -> Answer:
    """Which symptom does this text print? See `find.lookup.lookup`, and `find.answer` for shapes.

    Args:
        index: `load_index()` if left out.
    """
    from .find.lookup import lookup as look

    return look(load_index() if index is None else index, text)


def install() -> None:
    """Say below each uncaught traceback of this process what it is, where, and which command shows
    the fix."""
    from .commands import hooks

    hooks.install()


def load_ipython_extension(shell: object) -> None:
    """`%load_ext torchclinic`: the same below the tracebacks of a notebook or an IPython shell."""
    from .commands import hooks

    hooks.load_ipython_extension(shell)


def unload_ipython_extension(shell: object) -> None:
    from .commands import hooks

    hooks.unload_ipython_extension(shell)


def __getattr__(name: str) -> object:
    if name != "ROOT":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pathlib import Path

    globals()["ROOT"] = Path(__file__).resolve().parent.parent
    return globals()["ROOT"]
