"""Private files: written completely or not at all, never through a link, and synced to disk."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_APPENDING = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_NO_FOLDER_SYNC = {errno.EACCES, errno.EINVAL, errno.ENOTSUP, errno.EBADF}


def open_private(path: Path) -> IO[bytes]:
    """Open a new file that only its owner can read (mode 600). Raises OSError, also if the path exists."""
    return open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600))


@contextmanager
def new_private_file(path: Path) -> Generator[IO[bytes]]:
    """Yield a new private file, synced at the end. Raises OSError, also if the path exists."""
    with open_private(path) as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def replacing(target: Path) -> Generator[IO[bytes]]:
    """Yield a file that replaces the target at the end. After a failure or a crash, the target is unchanged."""
    part = temporary_beside(target)
    try:
        with new_private_file(part) as file:
            yield file
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    sync_folder(target.parent)


def write_private(path: Path, text: str) -> None:
    """Write a private file. After a crash it has its old or its new content, never a part of it."""
    with replacing(path) as file:
        file.write(text.encode())


def append_private(path: Path, data: bytes) -> None:
    """Append to a file with one write, or create it for its owner alone (mode 600).

    Raises OSError, also for a link, and for a pipe that nobody reads.
    """
    descriptor = os.open(path, _APPENDING, 0o600)
    try:
        os.write(descriptor, data)
    finally:
        os.close(descriptor)


def temporary_beside(target: Path) -> Path:
    """Return a new hidden path in the folder of the target."""
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")


def make_private_folder(path: Path) -> None:
    """Make a folder and its missing parents for the owner alone (mode 700), and sync each new entry."""
    if path.is_dir():
        return
    make_private_folder(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Sync the entries of a folder. Does nothing on Windows and network file systems that cannot."""
    if os.name == "nt":
        return
    try:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
