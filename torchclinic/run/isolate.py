"""Shuts a cell in: no network but its own loopback, no file outside its folder, nothing stays.

On Linux by namespaces of its own (user, network, mount, IPC): the cell sees the machine's files
read-only, a `/dev/shm` and a network of its own, which vanish with its last process. Whether the
system allows that is tried out (`refused`). Where it does not, an audit hook refuses what Python
code can be seen to do; that holds against accident, not against intent, and `verify` says so.

Imports nothing of weight: it runs in every cell's process.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import glob
import os
import signal
import socket
import struct
import sys
import time

_NEWNS, _NEWIPC, _NEWUSER, _NEWNET = 0x00020000, 0x08000000, 0x10000000, 0x40000000
_BIND, _REC, _PRIVATE, _RDONLY, _REMOUNT = 0x1000, 0x4000, 0x40000, 0x1, 0x20
_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE, _ATTR_RDONLY = 442, -100, 0x8000, 0x1
_PR_SET_CHILD_SUBREAPER = 36
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 0x1


def refused() -> str:
    """Why a cell cannot be shut in by namespaces here; "" if it can.

    Tried in a process of its own, which cannot go back.
    """
    if sys.platform != "linux":
        return f"{sys.platform} has no namespaces"
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            enter(os.getcwd())
            why = ""
        except OSError as error:
            why = str(error)
        os.write(write, why.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        why = pipe.read().decode()
    os.waitpid(pid, 0)
    return why


def enter(folder: str) -> None:
    """Move this process into namespaces in which only `folder` can be written.

    Raises:
        OSError: the system refuses; the process may be half inside and should end.
    """
    libc = ctypes.CDLL(None, use_errno=True)

    def check(result: int, what: str) -> None:
        if result:
            number = ctypes.get_errno()
            raise OSError(number, f"{what}: {os.strerror(number)}")

    user, group = os.getuid(), os.getgid()
    check(libc.unshare(_NEWUSER | _NEWNS | _NEWNET | _NEWIPC), "unshare")
    for file, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{file}", "w") as handle:
            handle.write(text)
    check(libc.mount(None, b"/", None, _REC | _PRIVATE, None), "mount /")
    check(libc.mount(folder.encode(), folder.encode(), None, _BIND, None), f"mount {folder}")
    check(libc.mount(b"tmpfs", b"/dev/shm", b"tmpfs", 0, None), "mount /dev/shm")
    for path, attributes in (
        ("/", (_ATTR_RDONLY, 0)),
        (folder, (0, _ATTR_RDONLY)),
        ("/dev/shm", (0, _ATTR_RDONLY)),
    ):
        wanted = struct.pack("QQQQ", *attributes, 0, 0)
        flags = _AT_RECURSIVE if path == "/" else 0
        check(
            libc.syscall(_MOUNT_SETATTR, _AT_FDCWD, path.encode(), flags, wanted, len(wanted)),
            f"mount_setattr {path}",
        )
    os.chdir(folder)  # into the mount, not what lies under it
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        flags = struct.unpack(
            "16sh", fcntl.ioctl(control, _SIOCGIFFLAGS, struct.pack("16sh14x", b"lo", 0))[:18]
        )[1]
        fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _IFF_UP))


def guard(folder: str) -> None:
    """Without namespaces: refuse what Python code can be seen to do.

    Holds for this process and those that it forks.
    """
    allowed = tuple(os.path.realpath(path) + os.sep for path in (folder, "/dev", "/proc"))

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event in ("socket.connect", "socket.sendto", "socket.bind"):
            address = arguments[1]
            host = address[0] if isinstance(address, tuple) else ""
            if host and not _local(str(host)):
                raise PermissionError(errno.ENETUNREACH, f"a snippet reaches no network: {host}")
        elif event == "open" and isinstance(arguments[0], (str, bytes)):
            mode, flags = arguments[1], arguments[2]
            writes = any(c in str(mode or "") for c in "wax+") or (
                isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)
            )
            path = os.path.realpath(os.fsdecode(arguments[0]))
            if writes and not (path + os.sep).startswith(allowed):
                raise PermissionError(
                    errno.EROFS, f"a snippet writes only to its own folder: {path}"
                )

    sys.addaudithook(hook)


def _local(host: str) -> bool:
    return host in ("localhost", "::1", "0.0.0.0", "::") or host.startswith("127.")


def adopt() -> None:
    """Make this process the parent of every orphan below it (Linux).

    So `end_children` finds those that left their session.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_children() -> None:
    """Kill everything below this process, until there is nothing."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        for pid in _children():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.005)


def _children() -> list[int]:
    """Direct children, from /proc; nothing where there is no /proc."""
    pids = []
    for name in glob.glob("/proc/self/task/*/children"):
        try:
            with open(name) as file:
                pids += [int(pid) for pid in file.read().split()]
        except OSError:
            continue
    return pids
