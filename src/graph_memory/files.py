"""Private files. They are written completely or not at all, never through a symbolic link, and synced to disk."""

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
_SYNC_UNSUPPORTED = {errno.EACCES, errno.EINVAL, errno.ENOTSUP, errno.EBADF}


def open_private(path: Path, mode: int = 0o600) -> IO[bytes]:
    """Open a new file that only its owner can read (mode 600). Raises OSError if the path exists or cannot be created.

    For a file that is not private, pass its mode. The process's umask is applied to it.
    """
    return open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode))


@contextmanager
def new_private_file(path: Path, mode: int = 0o600) -> Generator[IO[bytes]]:
    """Yield a new private file, and sync it at the end. Raises OSError like `open_private`."""
    with open_private(path, mode) as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def replace_file(target: Path) -> Generator[IO[bytes]]:
    """Yield a file that replaces the target at the end.

    If writing fails or the process crashes, the target is unchanged.
    """
    temporary = new_temporary_path(target)
    try:
        with new_private_file(temporary) as file:
            yield file
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(target.parent)


def write_private(path: Path, text: str) -> None:
    """Write a private file. After a crash, it contains either its old or its new content."""
    with replace_file(path) as file:
        file.write(text.encode())


def append_private(path: Path, data: bytes) -> None:
    """Append to a private file (mode 600) with one write. Creates the file if needed.

    Raises OSError if that fails, if the path is a symbolic link, or if it is a pipe without a reader.
    """
    descriptor = os.open(path, _APPENDING, 0o600)
    try:
        os.write(descriptor, data)
    finally:
        os.close(descriptor)


def new_temporary_path(target: Path) -> Path:
    """Return a new hidden path in the target's folder."""
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")


def make_private_folder(path: Path) -> None:
    """Make a folder and its missing parents, accessible only to the owner (mode 700), and sync each new entry."""
    if path.is_dir():
        return
    make_private_folder(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Sync a folder's entries. Does nothing on Windows, and on network file systems that do not support it."""
    if os.name == "nt":
        return
    try:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in _SYNC_UNSUPPORTED:
            raise


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
