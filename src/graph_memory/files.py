"""Files for the owner alone: whole or not at all, never written through a link, and safe on disk when complete."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_NO_FOLDER_SYNC = {errno.EACCES, errno.EINVAL, errno.ENOTSUP, errno.EBADF}


def open_private(path: Path) -> IO[bytes]:
    """Open a new file that only its owner reads (mode 600). Raises OSError, also if a file or a link is there."""
    return open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600))


@contextmanager
def new_private_file(path: Path) -> Generator[IO[bytes]]:
    """Give a new file that only its owner reads, synced at the end. Raises OSError, also if it is there."""
    with open_private(path) as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def replacing(target: Path) -> Generator[IO[bytes]]:
    """Give a file that takes the target's place when it is complete; a failure or a crash leaves what was there."""
    part = temporary_beside(target)
    try:
        with new_private_file(part) as file:
            yield file
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    sync_folder(target.parent)


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner reads; a crash leaves the old one or the new one, never a part."""
    with replacing(path) as file:
        file.write(text.encode())


def temporary_beside(target: Path) -> Path:
    """Return a new name, hidden, for what is to replace the target by one rename."""
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")


def make_private_folder(path: Path) -> None:
    """Make a folder and those above it that are missing, for the owner alone (mode 700), and sync each new entry."""
    if path.is_dir():
        return
    make_private_folder(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Sync the entries of a folder, where the system can: Windows and some network file systems cannot."""
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
