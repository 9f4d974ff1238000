"""The spool: a folder in the home folder with one file per event that waits to be stored."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from graph_memory.files import make_private_folder, replace_file

FOLDER = "spool"
MOST_WAITING = 4_096
"""Maximum number of waiting events. Further events are dropped, and `doctor` reports the loss."""
_PART_SECONDS = 3_600.0
"""Age in seconds after which an incomplete file is removed, because its hook was probably killed."""


def database_key(uri: str | None, database: str | None) -> str:
    """Return a hash of a database's address and name. Returns an empty string for the local database."""
    return hashlib.sha256(f"{uri} {database or ''}".encode()).hexdigest()[:16] if uri else ""


@dataclass(frozen=True, slots=True)
class Spool:
    """The waiting events of a home folder. Files have temporary names until they are complete."""

    folder: Path

    @classmethod
    def of(cls, home: Path) -> Spool:
        """Return the spool in the home folder."""
        return cls(home / FOLDER)

    def add(self, data: bytes) -> str | None:
        """Store an event, sync its file, and return the file's name. Returns None if the spool is full.

        Raises OSError if the file cannot be written.
        """
        make_private_folder(self.folder)
        if sum(1 for _ in self._names()) >= MOST_WAITING:
            with suppress(OSError):
                self.losses.touch(mode=0o600)
            return None
        name = f"{time.time_ns():020d}-{os.getpid()}-{os.urandom(4).hex()}.json"
        with replace_file(self.folder / name) as file:
            file.write(data)
        return name

    def names(self) -> list[str]:
        """Return the file names of waiting events, oldest first."""
        return sorted(self._names())

    def size(self) -> tuple[int, int]:
        """Return the number of waiting events, and their total size in bytes."""
        sizes: list[int] = []
        for name in self._names():
            with suppress(FileNotFoundError):  # stored in the meantime
                sizes.append((self.folder / name).stat().st_size)
        return len(sizes), sum(sizes)

    def files(self) -> list[Path]:
        """Return the paths of all files that may contain events, including incomplete and invalid files."""
        return [path for path in self.folder.glob("*.*") if path.suffix in (".json", ".part", ".invalid")]

    def read(self, name: str, longest: int) -> bytes:
        """Return up to `longest` bytes from the start of a file. Raises OSError if the file cannot be read."""
        with (self.folder / name).open("rb") as file:
            return file.read(longest)

    def remove(self, name: str) -> None:
        """Remove the file of an event that is now stored in the graph."""
        (self.folder / name).unlink(missing_ok=True)

    def set_aside(self, name: str) -> None:
        """Rename a file without a valid event, so that it is not read again."""
        path = self.folder / name
        path.replace(path.with_suffix(".invalid"))

    def count_invalid(self) -> int:
        """Return the number of files that were set aside."""
        return len([*self.folder.glob("*.invalid")])

    def clean(self) -> None:
        """Remove incomplete files that killed hooks left more than `_PART_SECONDS` seconds ago."""
        with suppress(OSError):
            for entry in os.scandir(self.folder):
                if entry.name.endswith(".part") and time.time() - entry.stat().st_mtime > _PART_SECONDS:
                    Path(entry.path).unlink(missing_ok=True)

    @property
    def losses(self) -> Path:
        """The path of a file that exists only if events were dropped because the spool was full."""
        return self.folder / "full"

    def _names(self) -> Iterator[str]:
        with suppress(FileNotFoundError), os.scandir(self.folder) as entries:
            yield from (
                entry.name
                for entry in entries
                if entry.name.endswith(".json") and entry.name[0] != "." and entry.is_file(follow_symlinks=False)
            )
