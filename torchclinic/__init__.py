"""Torch Clinic: PyTorch errors whose break and fix have been run.

For other people's code, `import torchclinic` costs next to nothing and these two do the rest:

    answer = torchclinic.lookup(text)       # {"status": "match", "hits": [{"symptom": "matmul-shapes", "values": {"m": "64", ...}, ...}], ...}
    index = torchclinic.load_index()        # plain data, can be pickled: load it once, hand it to workers
    answer = torchclinic.lookup(text, index)
"""

from __future__ import annotations

LANGUAGES = ("en", "zh")

_index: dict[str, object] | None = None


def load_index() -> dict[str, object]:
    """The index of all symptoms, loaded once.

    Raises:
        content.problem.BadInput: this copy of the package has no data; the message says what to do.
    """
    global _index
    if _index is None:
        from .commands import knowledge

        _index = knowledge.load().index
    return _index


def lookup(text: str, index: dict[str, object] | None = None) -> dict[str, object]:
    """Which symptom does this text print? See `find.lookup.lookup`; `index` is `load_index()` if left out."""
    from .find.lookup import lookup as look

    return look(load_index() if index is None else index, text)


def install() -> None:
    """Say below each uncaught traceback of this process what it is, where, and which command shows the fix."""
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
    if name == "ROOT":  #: The checkout: snippets/, docs/, facts/ and evidence/ lie below it. Of an installed package, the folder that it lies in.
        from pathlib import Path

        globals()["ROOT"] = Path(__file__).resolve().parent.parent
        return globals()["ROOT"]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
