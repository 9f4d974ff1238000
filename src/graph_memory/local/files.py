"""Small, safe steps on files: whole or not at all, private where they must be, and one process at a time."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from graph_memory.model.errors import Code, GraphError

T = TypeVar("T")

_POLL = 0.05
_BLOCK = 1 << 20


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner reads (mode 600); a crash leaves the old one or the new one, never a part."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def read_json(text: str | bytes, kind: type[T]) -> T | None:
    """Give what JSON says, None where it says nothing or something of another kind, however odd."""
    try:
        return _adapter(kind).validate_json(text, strict=True)
    except ValidationError:
        return None


@cache
def _adapter(kind: type[T]) -> TypeAdapter[T]:
    return TypeAdapter(kind)


def make_private_folder(path: Path) -> None:
    """Make a folder, with its parents, that only its owner enters (mode 700)."""
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(0o700)


def sync_folder(path: Path) -> None:
    """Have what was made or removed in a folder survive a power cut, where the system needs telling."""
    if sys.platform == "win32":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sha256_of(path: Path) -> str:
    """Give the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def beginning_of(path: Path, size: int) -> bytes:
    """Give the first bytes of a file, at most so many."""
    with path.open("rb") as file:
        return file.read(size)


def tail(path: Path, lines: int) -> list[str]:
    """Give the last lines of a text file, at most a megabyte of them; nothing when there is no such file."""
    if not path.is_file():
        return []
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _BLOCK))
        return file.read().decode("utf-8", "replace").splitlines()[-lines:]


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
                {"hint": "Try again in a moment; `graph-memory neo4j status` says more."},
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
