"""Locks between processes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from graph_memory.model.errors import Code, GraphError

_POLL = 0.05


@contextmanager
def file_lock(path: Path, timeout: float, on_wait: Callable[[], None]) -> Generator[None]:
    """Hold the lock that a file stands for; the system frees it when the holder dies, however it dies.

    `on_wait` is called once if another process holds it. STARTING after `timeout` seconds.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        _acquire(file.fileno(), path, timeout, on_wait)
        try:
            yield
        finally:
            _unlock(file.fileno())


def is_locked(path: Path) -> bool:
    """Tell whether somebody holds the lock that a file stands for."""
    if not path.is_file():
        return False
    with path.open("a+b") as file:
        free = _try_lock(file.fileno())
        if free:
            _unlock(file.fileno())
    return not free


def _acquire(descriptor: int, path: Path, timeout: float, on_wait: Callable[[], None]) -> None:
    if _try_lock(descriptor):
        return
    on_wait()
    deadline = time.monotonic() + timeout
    while not _try_lock(descriptor):
        if time.monotonic() > deadline:
            raise GraphError(
                Code.STARTING,
                f"another process has been starting or stopping Neo4j for over {timeout:.0f} s",
                {"hint": "Try again in a moment; `graph-memory neo4j status` tells more."},
                path=path,
            )
        time.sleep(_POLL)


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            os.lseek(descriptor, 0, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
