"""A child process whose standard error is copied through, unchanged and as it comes, and whose last
bytes are kept.

To the child nothing differs from being started by itself: where its error goes to a terminal it
sees a terminal (of its own, a pty), signals reach it, signals that were ignored stay ignored, and
whoever waits for this process sees the child's own end. Little is imported: this stands before
every run.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading

#: Bytes of a stream that are kept and looked up: its last ones.
KEPT = 400_000
#: Bytes that are still copied when the child has ended and its own children go on printing: more
#: than any pipe holds.
DRAINED = 1 << 21
WINDOWS = sys.platform == "win32"


class Unstartable(Exception):
    """The command cannot be started; `status` is the exit status that a shell gives then."""

    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status = status


class Channel:
    """One stream of the child: what is read from `source` is written to `target` and kept.

    Attributes:
        streams: the child's streams (2, 1) that go there.
        source: -1 when there is nothing more to copy.
        inner: the child's end.
        terminal: is it a pty?
        kept: its last bytes, at least KEPT of them.
    """

    def __init__(self, target: int):
        self.target = target
        self.streams = [target]
        self.source = self.inner = -1
        self.terminal = False
        self.kept = bytearray()

    def open(self) -> None:
        if not WINDOWS and os.isatty(self.target):
            try:
                self.source, self.inner = os.openpty()
                self.terminal = True
                _as_terminal(self.inner, self.target)
                self.fit()
                return
            except OSError:  # no more of them, or none in this container
                self.terminal = False
        self.source, self.inner = os.pipe()

    def fit(self) -> None:
        """Give the child's terminal the size of ours."""
        if self.terminal and self.source >= 0:
            import fcntl
            import termios

            try:
                size = fcntl.ioctl(self.target, termios.TIOCGWINSZ, b"\0" * 8)
                fcntl.ioctl(self.source, termios.TIOCSWINSZ, size)
            except OSError:
                pass

    def pump(self) -> int:
        """Copy what there is, waiting for it; the number of bytes, 0 at the end (or when nobody
        takes them any more)."""
        try:
            data = os.read(self.source, 1 << 16)
        except OSError:  # a terminal's way of saying that nobody has it open any more
            data = b""
        if not data:
            self.close()
            return 0
        self.kept += data
        if len(self.kept) > 2 * KEPT:
            del self.kept[:-KEPT]
        try:
            _write(self.target, data)
        except OSError:
            self.close()  # the child learns of it at its next write, as without us
            return 0
        return len(data)

    def close(self) -> None:
        os.close(self.source)
        self.source = -1


def _as_terminal(inner: int, outer: int) -> None:
    """Settings of our terminal, but bytes are passed on as they are: ours makes the line ends."""
    import termios

    settings = termios.tcgetattr(outer)
    settings[1] &= ~termios.OPOST
    termios.tcsetattr(inner, termios.TCSANOW, settings)


def _write(target: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(target, rest) :]
        except BlockingIOError:
            select.select([], [target], [])


def _channels(stdout: bool) -> list[Channel]:
    """Open channels for the streams to watch: standard error and, if asked, standard output; one
    for both where both go to the same file, pipe or terminal, so that their order stays."""
    channels: dict[object, Channel] = {}
    for number in (2, 1):
        try:
            facts = os.fstat(number)
        except OSError:  # closed: nothing to copy
            continue
        # Windows has no such numbers for a pipe
        place = (facts.st_dev, facts.st_ino) if facts.st_ino else number
        if place in channels:
            channels[place].streams.append(number)
        elif number == 2 or stdout:
            channels[place] = Channel(number)
    for channel in channels.values():
        channel.open()
    return list(channels.values())


def run(command: list[str], *, stdout: bool = False) -> tuple[int, list[bytes], set[int]]:
    """Run a command to its end.

    Args:
        stdout: watch its standard output as well.

    Returns:
        Its exit status, or -n if signal n ended it; the last bytes of each watched stream; the
        signals that came meanwhile from others.

    Raises:
        Unstartable: there is no such command.
    """
    channels, sent = _channels(stdout), set[int]()
    try:
        if not command[0]:
            raise FileNotFoundError
        status = _run_windows(command, channels) if WINDOWS else _run_posix(command, channels, sent)
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            raise Unstartable(127, f"{command[0]}: command not found") from None
        raise Unstartable(126, f"{command[0]}: {error.strerror or error}") from None
    return status, [bytes(channel.kept[-KEPT:]) for channel in channels], sent


def end_like(status: int) -> int:
    """End this process as the child ended: by the same signal, or with the status returned."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            pass
    if WINDOWS:
        return status - (1 << 32) if status >= 1 << 31 else status  # sys.exit takes a signed number
    if status >= 0:
        return status
    try:
        import resource

        # the child has left its core already
        limit = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (0, limit))
        if -status != signal.SIGKILL:
            signal.signal(-status, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [-status])
        os.kill(os.getpid(), -status)
    except (OSError, ValueError):
        pass
    return 128 - status  # the first process of a container is not killed by its own signals


# --- POSIX


def _watched() -> set[signal.Signals]:
    """Signals that are passed on, and those that say that the child has ended or the window has
    another size."""
    return {
        signal.SIGHUP,
        signal.SIGINT,
        signal.SIGQUIT,
        signal.SIGTERM,
        signal.SIGUSR1,
        signal.SIGUSR2,
        signal.SIGWINCH,
        signal.SIGCHLD,
    }


def _run_posix(command: list[str], channels: list[Channel], sent: set[int]) -> int:
    # inherited as ignored, it would take the child's status from us
    signal.signal(signal.SIGCHLD, lambda *_: None)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _watched())
    actions = [
        (os.POSIX_SPAWN_DUP2, channel.inner, number)
        for channel in channels
        for number in channel.streams
    ]
    # Python ignores these two; the child shall find them as this program did.
    defaults = [signal.SIGPIPE, signal.SIGXFSZ]
    try:
        child = os.posix_spawnp(
            command[0],
            command,
            os.environ,
            file_actions=actions,
            setsigmask=before,
            setsigdef=defaults,
        )
    except OSError:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        raise
    for channel in channels:
        os.close(channel.inner)
    wake, waker = os.pipe()
    copying = threading.Thread(target=_copy, args=(channels, wake), daemon=True)
    copying.start()
    status = _wait(child, channels, sent)
    # From here on nobody but the user is waiting: a signal ends this process as it ends any.
    for number in _watched() - {signal.SIGCHLD, signal.SIGWINCH}:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    os.write(waker, b".")
    copying.join()
    if any(channel.source >= 0 for channel in channels):
        _leave_a_copier(channels)
    return status


def _wait(child: int, channels: list[Channel], sent: set[int]) -> int:
    """Pass signals on, and note them, until the child has ended; its status, or -n if signal n
    ended it."""
    while True:
        number, by_process = _next_signal()
        if number == signal.SIGCHLD:
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
        elif number == signal.SIGWINCH:
            for channel in channels:
                channel.fit()
            os.kill(child, number)  # once more: before, the child would have read the old size
        else:
            sent.add(number)
            if by_process:
                os.kill(child, number)


def _next_signal() -> tuple[int, bool]:
    """The next signal, and whether a process sent it: what a terminal sends (Ctrl-C), it sends to
    the child as well."""
    if hasattr(signal, "sigwaitinfo"):
        facts = signal.sigwaitinfo(_watched())
        return facts.si_signo, facts.si_code <= 0
    number = signal.sigwait(_watched())  # macOS does not say who sent it
    try:
        in_front = os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        in_front = False
    return number, not (in_front and number in (signal.SIGINT, signal.SIGQUIT))


def _copy(channels: list[Channel], wake: int) -> None:
    """Copy until all streams have ended; once woken, until nothing is left to read: children of the
    child may keep a stream open for ever."""
    left = None
    while sources := {channel.source: channel for channel in channels if channel.source >= 0}:
        ready, _, _ = select.select(
            [*sources, *([wake] if left is None else [])], [], [], None if left is None else 0
        )
        if wake in ready:
            left = DRAINED
            continue
        if left is not None and (not ready or left <= 0):
            return
        copied = sum(sources[source].pump() for source in ready)
        left = None if left is None else left - copied


def _leave_a_copier(channels: list[Channel]) -> None:
    """Children of the child still hold its streams: a process stays behind that copies for them, so
    that they need not end when we do."""
    if os.fork():
        return
    try:
        for ignored in _watched() - {signal.SIGCHLD}:
            signal.signal(ignored, signal.SIG_IGN)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in {0, 1} - {channel.target for channel in channels}:
            os.dup2(null, stream)
        while sources := {channel.source: channel for channel in channels if channel.source >= 0}:
            for source in select.select([*sources], [], [])[0]:
                sources[source].pump()
    finally:
        os._exit(0)


# --- Windows: pipes only


def _run_windows(command: list[str], channels: list[Channel]) -> int:
    import shutil
    import subprocess

    inner = {number: channel.inner for channel in channels for number in channel.streams}
    # Ctrl-C reaches every process of a console; what the child makes of it is its own affair.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        program = shutil.which(command[0]) or command[0]
        child = subprocess.Popen([program, *command[1:]], stdout=inner.get(1), stderr=inner.get(2))
    finally:
        for channel in channels:
            os.close(channel.inner)
    threads = [
        threading.Thread(target=_copy_all, args=(channel,), daemon=True) for channel in channels
    ]
    for thread in threads:
        thread.start()
    status = child.wait()
    for thread in threads:
        thread.join(2)  # children of the child may keep the stream open for ever
    return status


def _copy_all(channel: Channel) -> None:
    while channel.pump():
        pass
