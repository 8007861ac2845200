"""`torchclinic run COMMAND…`: run a command; if it fails, say below its own words what the error is. Exit status: the command's own."""

from __future__ import annotations

import signal
import sys

from . import child

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

TEXT = {
    "en": {
        "ended": "Torch Clinic: {how}: {why}",
        "signal": "ended by {name}",
        "status": "exit status {status} ({name})",
        "none": "Torch Clinic: no page knows this error. To report it, without paths, addresses and numbers: {report}",
        "nothing": "Torch Clinic: it failed (exit status {status}) and printed nothing to look up on its standard error. "
        "If the error stands on its standard output: {program} run --stdout …",
        "silent": "Torch Clinic: it failed (exit status {status}) and printed nothing to look up.",
        "SIGKILL": "no program can catch that. Most often the machine or its container ran out of memory; "
        "`dmesg -T | grep -i 'out of memory'` or `journalctl -k` says so if it was that. A scheduler's limit does the same.",
        "SIGABRT": "native code stopped the program; its reason stands above, if it gave one.",
        "SIGSEGV": "a crash in native code. `python -X faulthandler …` shows which line of Python called it.",
        "SIGBUS": "memory behind a mapped file is gone. Most often shared memory is full; `df -h /dev/shm` shows it.",
        "SIGILL": "the program was built for another processor, or native code stopped it on purpose.",
        "SIGFPE": "native code divided an integer by zero.",
        "SIGTERM": "another process asked it to stop: a scheduler, a time limit, a launcher, or a person.",
        "SIGHUP": "its terminal or connection was closed. `nohup`, `tmux` or `screen` keep a program alive.",
        "SIGXCPU": "it used up its limit of processor time (`ulimit -t`).",
        "0xC0000005": "access violation, a crash in native code. `python -X faulthandler …` shows which line of Python called it.",
        "0xC00000FD": "the stack overflowed: most often an endless recursion in native code.",
        "0xC0000135": "a DLL was not found.",
        "0xC000001D": "the program was built for another processor.",
        "0xC0000409": "native code stopped the program; its reason stands above, if it gave one.",
        "0xC0000017": "no memory was left.",
    },
    "zh": {
        "ended": "Torch Clinic：{how}：{why}",
        "signal": "程序被 {name} 终止",
        "status": "退出码 {status}（{name}）",
        "none": "Torch Clinic：没有页面认识这个报错。要反馈的话，可以用这一行（已去掉路径、地址和数字）：{report}",
        "nothing": "Torch Clinic：程序失败了（退出码 {status}），标准错误里没有可查的内容。如果报错在标准输出里：{program} run --stdout …",
        "silent": "Torch Clinic：程序失败了（退出码 {status}），没有输出可查的内容。",
        "SIGKILL": "任何程序都拦不住这个信号。最常见的原因是机器或容器的内存用完了，可以用 `dmesg -T | grep -i 'out of memory'` 或 `journalctl -k` 确认。"
        "作业调度系统超出限制时也会这样做。",
        "SIGABRT": "底层代码主动终止了程序。如果给了原因，就在上面的输出里。",
        "SIGSEGV": "底层代码崩溃（段错误）。用 `python -X faulthandler …` 运行，可以看到是哪一行 Python 调用的。",
        "SIGBUS": "映射文件背后的内存不可用。最常见的原因是共享内存满了，用 `df -h /dev/shm` 查看。",
        "SIGILL": "程序是为另一种 CPU 编译的，或者底层代码主动终止了它。",
        "SIGFPE": "底层代码里发生了整数除以零。",
        "SIGTERM": "有别的进程要求它停止：作业调度系统、时间限制、启动器，或者有人手动停止。",
        "SIGHUP": "终端或连接断开了。用 `nohup`、`tmux` 或 `screen` 可以让程序继续运行。",
        "SIGXCPU": "用完了 CPU 时间限制（`ulimit -t`）。",
        "0xC0000005": "访问冲突，底层代码崩溃。用 `python -X faulthandler …` 运行，可以看到是哪一行 Python 调用的。",
        "0xC00000FD": "栈溢出，最常见的原因是底层代码无限递归。",
        "0xC0000135": "找不到某个 DLL。",
        "0xC000001D": "程序是为另一种 CPU 编译的。",
        "0xC0000409": "底层代码主动终止了程序。如果给了原因，就在上面的输出里。",
        "0xC0000017": "没有内存可用了。",
    },
}
#: What a person did on purpose needs no words: Ctrl-C, Ctrl-\\, `… | head`; Ctrl-C on Windows.
MEANT = ("SIGINT", "SIGQUIT", "SIGPIPE", "0xC000013A")

#: The reason of these is not in what the program printed.
FROM_OUTSIDE = ("SIGKILL", "SIGTERM", "SIGHUP", "SIGXCPU")


def add(commands: Any) -> None:
    command = commands.add_parser("run", help="run a command and, if it fails, say what the error is", usage="%(prog)s [--stdout] [--lang LANG] [--] COMMAND …")
    command.add_argument("--stdout", action="store_true", help="look for the error on standard output as well; it is passed through")
    command.add_argument("--lang", choices=("en", "zh"), default=None, help="language of the answer; from the locale if left out")
    command.add_argument("words", nargs="...", metavar="COMMAND …", help="what to run, as you would type it")
    command.set_defaults(run=run_run)


def main(argv: list[str]) -> int:
    """`torchclinic run` with these arguments. This stands before every run of somebody's program, so argparse is left to what is not plain."""
    words, stdout = list(argv), False
    if words[:1] == ["--stdout"]:
        stdout = bool(words.pop(0))
    if words[:1] == ["--"] and words[1:]:
        return start(words[1:], stdout, None)
    if words and not words[0].startswith("-"):
        return start(words, stdout, None)
    from . import parser

    return parser.main(["run", *argv])


def run_run(options: argparse.Namespace) -> int:
    return start(options.words[1:] if options.words[:1] == ["--"] else options.words, options.stdout, options.lang)


def start(command: list[str], stdout: bool, language: str | None) -> int:
    """Run a command to its end and, if it fails, print what is known; then end as it did.

    Args:
        stdout: watch its standard output as well.
        language: of the answer; from the locale if None.
    """
    if not command:
        from ..content.problem import BadInput

        raise BadInput("nothing to run: give a command, as in `torchclinic run python train.py`")
    try:
        status, tails = child.run(command, stdout=stdout)
    except child.Unstartable as error:
        print(f"torchclinic: {error}", file=sys.stderr)
        return error.status
    if status:
        _explain(status, tails, language, stdout)
    return child.end_like(status)


def _explain(status: int, tails: list[bytes], language: str | None, stdout: bool) -> None:
    try:
        from ..content.problem import BadInput

        try:
            _say(answer(status, tails, language, stdout))
        except BadInput as error:
            _say([f"torchclinic: {error}"])
    except Exception as error:  # whatever is wrong with us, the command's own end is what counts
        _say([f"torchclinic: this error could not be looked up ({type(error).__name__})"])


def _say(lines: list[str]) -> None:
    try:
        if lines and sys.stderr is not None:
            print("\n".join(lines), file=sys.stderr, flush=True)
    except (OSError, ValueError):  # nobody reads it any more; Python would try again at its end, and end with a status of its own
        sys.stderr = None


def answer(status: int, tails: list[bytes], language: str | None, stdout: bool) -> list[str]:
    """What to print below the words of a command that failed.

    Args:
        status: not 0; -n where signal n ended it.
        tails: the last bytes of what it printed, standard error first.
        stdout: was standard output watched as well?

    Raises:
        BadInput: there is nothing to look it up in; says what to do.
    """
    from . import explain, knowledge
    from .paste import decode
    from .terminal import language_of_locale

    language = language or language_of_locale()
    words = TEXT[language]
    how = ended(status)
    if how in MEANT:
        return []
    lines = []
    if how in words:
        shown = words["signal"].format(name=how) if status < 0 else words["status"].format(status=status, name=how)
        lines.append(words["ended"].format(how=shown, why=words[how]))
    if how in FROM_OUTSIDE:
        return lines
    texts = [text for text in (decode(_whole_lines(tail)) for tail in tails) if text.strip()]
    index = knowledge.load().index
    report = ""
    for text in texts:
        made = explain.explain_log(index, text, language)
        if made.lines:
            return lines if all(line in text for line in made.lines) else lines + made.lines  # a hook inside the command has said it
        report = report or made.report
    if lines:
        return lines
    if report:
        return [words["none"].format(report=report)]
    return [words["silent" if stdout else "nothing"].format(status=status if status > 0 else how, program=explain.program())]


def ended(status: int) -> str:
    """The name of the signal that ended a command (or one below it: a shell gives 128 + n), or of Windows' reason; "" for plain failures."""
    if status >= 1 << 31:
        return f"0x{status:X}"
    if status < 0 or 128 < status < 128 + 32:
        number = -status if status < 0 else status - 128
        try:
            return signal.Signals(number).name
        except ValueError:
            return f"signal {number}"
    return ""


def _whole_lines(tail: bytes) -> bytes:
    """Without the part of a line that it begins with, where it was cut."""
    if len(tail) < child.KEPT:
        return tail
    return tail[tail.find(b"\n") + 1 :]
