"""Files for the owner alone: made new, never written through a link, and safe on disk when they are complete."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@contextmanager
def new_private_file(path: Path) -> Generator[IO[bytes]]:
    """Give a new file that only its owner reads (mode 600), synced at the end. Raises OSError, also if it is there."""
    with os.fdopen(os.open(path, _NEW, 0o600), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def new_private_folder(path: Path) -> None:
    """Make a new folder that only its owner enters (mode 700). Raises OSError, also if it is there."""
    path.mkdir(mode=0o700)
