"""Java's ahead-of-time cache of a Neo4j as a file: sound or not, being made, failed, unused."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, ClassVar, Final

from pydantic import ConfigDict, Field

from graph_memory.files import write_private
from graph_memory.local.home.lock import is_locked
from graph_memory.local.home.notes import read_json

_TRIES: Final = 4
_DAY = 24 * 3600.0
_KEPT_UNUSED = 7 * _DAY


@dataclass(frozen=True)
class Note:
    """What is written down beside a cache: the file as it was when it was found good, and how its making went.

    A file of another size or time (ns) was changed by somebody and is not used. Times of tries are seconds since the
    epoch, of the last day only.
    """

    __pydantic_config__: ClassVar = ConfigDict(strict=True, extra="forbid")

    size: int = -1
    modified: int = -1
    tries: list[Annotated[float, Field(allow_inf_nan=False)]] = field(default_factory=list[float])
    failure: str | None = None

    @property
    def exhausted(self) -> bool:
        """Whether it was tried so often within a day that more would only cost."""
        return len(self.tries) >= _TRIES


@dataclass(frozen=True)
class AotCache:
    """One cache file and what is known of it."""

    file: Path

    @property
    def lock(self) -> Path:
        """Locked while somebody makes a cache; one at a time, whichever it is."""
        return self.file.with_name("lock")

    @property
    def workshop(self) -> Path:
        """The home of the Neo4j that is started to make a cache."""
        return self.file.with_name("training")

    @property
    def log(self) -> Path:
        """What the process that makes caches wrote."""
        return self.file.with_name("training.log")

    @property
    def _note(self) -> Path:
        return self.file.with_suffix(".json")

    def note(self) -> Note:
        """Give what is written down, an empty note where nothing is."""
        try:
            note = read_json(self._note.read_bytes(), Note) or Note()
        except FileNotFoundError:
            return Note()
        return replace(note, tries=[value for value in note.tries if time.time() - _DAY < value < time.time() + _DAY])

    def is_sound(self) -> bool:
        """Tell whether the file is there and still the one that was found good."""
        try:
            stat = self.file.stat()
        except FileNotFoundError:
            return False
        note = self.note()
        return (stat.st_size, stat.st_mtime_ns) == (note.size, note.modified)

    def is_being_made(self) -> bool:
        """Tell whether a process makes a cache now."""
        return is_locked(self.lock)

    def begin_try(self) -> None:
        """Write down that the cache is being made, so that what always fails is not tried for ever."""
        note = self.note()
        self._write(Note(tries=[*note.tries, time.time()], failure="the last attempt was interrupted"))

    def failed(self, reason: str) -> None:
        """Write down why it could not be made."""
        self._write(replace(self.note(), failure=reason))

    def adopt(self, made: Path) -> None:
        """Put a finished file in its place. Only then is it used: whoever is interrupted leaves none."""
        with made.open("rb") as file:
            os.fsync(file.fileno())
        stat = made.stat()
        self._write(replace(self.note(), size=stat.st_size, modified=stat.st_mtime_ns, failure=None))
        made.replace(self.file)

    def discard(self) -> None:
        """Remove the file; the tries to make it stay known."""
        self.file.unlink(missing_ok=True)

    def used(self) -> None:
        """Remember that it was used today, and remove the caches that nobody has used for a week."""
        with suppress(FileNotFoundError):
            os.utime(self._note)
        for note in self.file.parent.glob("*.json"):
            if note != self._note and note.stat().st_mtime < time.time() - _KEPT_UNUSED:
                note.with_suffix(".aot").unlink(missing_ok=True)
                note.unlink(missing_ok=True)

    def _write(self, note: Note) -> None:
        write_private(self._note, json.dumps(asdict(note)))
