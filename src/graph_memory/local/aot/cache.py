"""The file of the JVM's ahead-of-time (AOT) cache for Neo4j, and the record of attempts to create it."""

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

_MAX_TRIES: Final = 4
_DAY = 24 * 3600.0
_UNUSED_LIFETIME = 7 * _DAY


@dataclass(frozen=True)
class CacheRecord:
    """The record of a cache: size in bytes and modification time (ns) of the verified file, and attempts to create it.

    A file with another size or modification time has been changed, and is not used. `tries` contains the times of the
    attempts in the last day, in seconds since the epoch. `failure` is the reason for the last failure.
    """

    __pydantic_config__: ClassVar = ConfigDict(strict=True, extra="forbid")

    size: int = -1
    modified: int = -1
    tries: list[Annotated[float, Field(allow_inf_nan=False)]] = field(default_factory=list[float])
    failure: str | None = None

    @property
    def is_exhausted(self) -> bool:
        """Whether the attempts of the last day have reached the limit. Then no further attempt is made."""
        return len(self.tries) >= _MAX_TRIES


@dataclass(frozen=True)
class AotCache:
    """The file of an AOT cache, and its companion files."""

    file: Path

    @property
    def lock(self) -> Path:
        """The lock file for creating a cache. All caches share it, so only one is created at a time."""
        return self.file.with_name("lock")

    @property
    def training_home(self) -> Path:
        """The home folder of the temporary Neo4j that is started to create a cache."""
        return self.file.with_name("training")

    @property
    def log(self) -> Path:
        """The log file of the process that creates a cache."""
        return self.file.with_name("training.log")

    @property
    def _record_file(self) -> Path:
        return self.file.with_suffix(".json")

    def record(self) -> CacheRecord:
        """Return the cache's record, or an empty record if its file is missing or invalid."""
        try:
            record = read_json(self._record_file.read_bytes(), CacheRecord) or CacheRecord()
        except FileNotFoundError:
            return CacheRecord()
        return replace(
            record, tries=[value for value in record.tries if time.time() - _DAY < value < time.time() + _DAY]
        )

    def is_intact(self) -> bool:
        """Return whether the cache file exists and has not changed since it was verified."""
        try:
            stat = self.file.stat()
        except FileNotFoundError:
            return False
        record = self.record()
        return (stat.st_size, stat.st_mtime_ns) == (record.size, record.modified)

    def is_being_made(self) -> bool:
        """Return whether a process is currently creating a cache."""
        return is_locked(self.lock)

    def record_try(self) -> None:
        """Record an attempt to create the cache, because the number of attempts per day is limited."""
        record = self.record()
        self._write(CacheRecord(tries=[*record.tries, time.time()], failure="the last attempt was interrupted"))

    def record_failure(self, reason: str) -> None:
        """Record the reason why the cache could not be created, for the status of the fast start."""
        self._write(replace(self.record(), failure=reason))

    def adopt(self, new_file: Path) -> None:
        """Move a verified file to the cache's path atomically, and record it. Later starts use it."""
        with new_file.open("rb") as file:
            os.fsync(file.fileno())
        stat = new_file.stat()
        self._write(replace(self.record(), size=stat.st_size, modified=stat.st_mtime_ns, failure=None))
        new_file.replace(self.file)

    def discard(self) -> None:
        """Remove the cache file, but keep the record of the attempts to create it."""
        self.file.unlink(missing_ok=True)

    def mark_used(self) -> None:
        """Record that a start used the cache. Removes other caches that were not used for a week."""
        with suppress(FileNotFoundError):
            os.utime(self._record_file)
        for record_file in self.file.parent.glob("*.json"):
            if record_file != self._record_file and record_file.stat().st_mtime < time.time() - _UNUSED_LIFETIME:
                record_file.with_suffix(".aot").unlink(missing_ok=True)
                record_file.unlink(missing_ok=True)

    def _write(self, record: CacheRecord) -> None:
        write_private(self._record_file, json.dumps(asdict(record)))
