"""Three lines below the tracebacks of this process: `torchclinic.install()` for scripts,
`%load_ext torchclinic` for IPython and Jupyter.

Each hook lets the one that was there before print first, then adds its lines. Whatever goes wrong
in here is kept in here.
"""

from __future__ import annotations

import sys
import threading

from . import prepared

TYPE_CHECKING = False  # as typing has it; what most errors need not costs no import
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType, TracebackType
    from typing import Any

#: Of PyTorch, and of what is built for it.
SIGNS = ("torch", "cuda", "cudnn", "nccl", "nvidia", "triton", "flash_attn", "numpy", "tensor")
#: What PyTorch's C++ raises of Python's own, and leaves no frame below.
NATIVE = (
    *("RuntimeError", "NotImplementedError", "ValueError", "TypeError", "IndexError"),
    *("BufferError", "SystemError", "AssertionError", "UserWarning", "DeprecationWarning"),
)
#: Folders of what is read for PyTorch's messages.
OWN = ("/torch/", "/functorch/", "/torchgen/")
#: Exceptions of a chain that are asked for them.
CHAIN = 20
_state = threading.local()
#: The hook that install() put in place, and threading's.
_hook: Any = None
_thread_hook: Any = None


def install() -> None:
    """Add three lines below every uncaught exception of this process and its threads, and let
    `torchclinic hang` ask it where they stand. A second call changes nothing."""
    prepared.prepare()
    global _hook, _thread_hook
    if _hook is None or sys.excepthook is not _hook:
        previous = sys.excepthook

        def hook(
            kind: type[BaseException], error: BaseException, trace: TracebackType | None
        ) -> None:
            _after(lambda: previous(kind, error, trace), error)

        sys.excepthook = _hook = hook
    if _thread_hook is None or threading.excepthook is not _thread_hook:
        of_thread = threading.excepthook

        def thread_hook(facts: Any) -> None:
            _after(lambda: of_thread(facts), facts.exc_value)

        threading.excepthook = _thread_hook = thread_hook


def _after(previous: Callable[[], object], error: BaseException | None) -> None:
    """Call the hook that was there before, then add the lines, once: another of ours may stand
    further down the chain."""
    _state.said = False
    previous()
    if not _state.said:
        add_lines(error)
    _state.said = True


def add_lines(error: BaseException | None, names: dict[str, str] | None = None) -> None:
    """Print the lines for an exception whose traceback has just been printed; nothing if no page
    knows it. Never raises.

    Args:
        names: what to call files of its traceback, e.g. the cells of a notebook.
    """
    try:
        if error is None or isinstance(error, (KeyboardInterrupt, SystemExit)):
            return
        if sys.stderr is None or not may_be_torchs(error):
            return
        from .entries import uncollected

        with uncollected():
            lines = _lines(error, names or {})
        if lines:
            print("\n".join(lines), file=sys.stderr, flush=True)
    except BaseException:  # not even an interrupt may take the place of the user's own error
        pass


def _lines(error: BaseException, names: dict[str, str]) -> list[str]:
    """What is known of an error, and what the program knew. Most errors are the program's own:
    what only an answer needs is loaded where there is one."""
    import traceback

    from ..content import words
    from ..content.problem import BadInput
    from . import explain, knowledge
    from .child import KEPT

    printed = traceback.format_exception(type(error), error, error.__traceback__)
    text = "".join(printed)[-KEPT:]
    for file, name in names.items():
        text = text.replace(f'File "{file}"', f'File "{name}"')
    language, own = words.language_of_locale(), may_be_its_own(error)
    try:
        known = knowledge.load()
        lines = explain.explain(known, text, language, origins=own).lines
    except BadInput as problem:
        return [f"torchclinic: {problem}"]
    if not lines or "torch" not in sys.modules:
        return [*lines]
    from . import live_child

    if facts := live_child.facts_of(error, lambda file: file in names):
        lines = explain.explain(known, text + facts, language, origins=own).lines
    return [*facts.splitlines(), *lines]


def may_be_torchs(error: BaseException) -> bool:
    """Has this process, or an error, anything to do with PyTorch? Asked before anything is loaded:
    most errors of most programs have not.

    PyTorch's C++ leaves no frame: that torch was imported says it then. Where it cannot be
    imported, or a package built for it, its name or that of NVIDIA's libraries stands in the
    message, or in the files and functions that it came through.
    """
    if "torch" in sys.modules:
        return True
    for one in _chain(error):
        text = f"{type(one).__module__} {type(one).__name__} {one}".lower()
        text += "".join(f" {code.co_filename} {code.co_name}".lower() for code in _codes(one))
        if any(sign in text for sign in SIGNS):
            return True
    return False


def may_be_its_own(error: BaseException) -> bool:
    """May PyTorch itself have raised it, or an error that led to it? Else its messages need not be
    asked."""
    for one in _chain(error):
        kind = type(one)
        if kind.__name__ in NATIVE or kind.__module__.startswith("torch"):
            return True
        files = (code.co_filename.replace("\\", "/") for code in _codes(one))
        if any(folder in file for file in files for folder in OWN):
            return True
    return False


def _chain(error: BaseException) -> list[BaseException]:
    """An error, and those that led to it or are grouped in it."""
    chain = [error]
    for one in chain:  # grows
        more = (one.__cause__, one.__context__, *getattr(one, "exceptions", ()))
        chain += [other for other in more if other is not None][: max(0, CHAIN - len(chain))]
    return chain


def _codes(error: BaseException) -> Iterator[CodeType]:
    """What it came through."""
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame.f_code
        trace = trace.tb_next


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext torchclinic`."""
    _state.shell, _state.last = shell, getattr(sys, "last_value", None)
    shell.events.register("post_run_cell", _after_cell)


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext torchclinic`."""
    shell.events.unregister("post_run_cell", _after_cell)


def _after_cell(result: Any) -> None:
    error, last = getattr(result, "error_in_exec", None), getattr(sys, "last_value", None)
    if (
        error is None
        and getattr(result, "error_before_exec", None) is None
        and last is not getattr(_state, "last", None)
    ):
        error = last  # a magic, as %run, printed a traceback and went on
    _state.last = last
    if error is not None:
        try:
            sys.stdout.flush()  # where IPython prints the traceback
        except Exception:
            pass
        add_lines(error, _cells(error, getattr(_state, "shell", None)))


def _cells(error: BaseException, shell: Any) -> dict[str, str]:
    """File -> `In[3]` for the cells that a traceback passes through."""
    names = {}
    try:
        trace = error.__traceback__
        while trace is not None:
            file = trace.tb_frame.f_code.co_filename
            label = shell.compile.format_code_name(file)
            if label:
                names[file] = label[1]
            trace = trace.tb_next
    except Exception:  # an IPython of another age
        pass
    return names
