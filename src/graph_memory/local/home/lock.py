"""File locks that exclude other processes."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from graph_memory.model.errors import Code, GraphError, Hint


@contextmanager
def file_lock(path: Path, timeout: float, on_wait: Callable[[], None]) -> Generator[None]:
    """Hold a lock on the file in the `with` block. The system releases the lock whenever the process ends.

    If another process holds the lock, call `on_wait` once and wait. Raises STARTING after `timeout` seconds.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path, thread_local=False)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        on_wait()
        _wait(lock, path, timeout)
    try:
        yield
    finally:
        lock.release()


def is_locked(path: Path) -> bool:
    """Return whether a process currently holds the lock on the file."""
    if not path.is_file():
        return False
    try:
        with FileLock(path, timeout=0):
            return False
    except Timeout:
        return True


def _wait(lock: FileLock, path: Path, timeout: float) -> None:
    try:
        lock.acquire(timeout=timeout)
    except Timeout as error:
        raise GraphError(
            Code.STARTING,
            f"Another process has been starting or stopping Neo4j for over {timeout:.0f} s",
            {"hint": Hint("Try again in a moment, or check its state with {graph-memory neo4j status}.")},
            path=path,
        ) from error
