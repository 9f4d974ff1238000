"""The archive of a compaction: a file like that of an export, of the log up to a point, that `import` reads."""

from __future__ import annotations

import gzip
import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import IO, cast

from anyio import to_thread

from graph_memory.memory.archives import Writer, silent
from graph_memory.memory.core import Core
from graph_memory.memory.export import state_of, write_log
from graph_memory.model.archive import Header
from graph_memory.model.errors import Code, GraphError
from graph_memory.storage.blob_places import sync_folder
from graph_memory.storage.log import utc_now
from graph_memory.storage.ontologies import no_ontology
from graph_memory.storage.queries import query


@dataclass(frozen=True, slots=True)
class PartRow:
    """What a log holds up to a number."""

    events: int
    ontology_version: int
    created: datetime
    compacted_to: int | None


PART = query("archive/part", PartRow)


class Archive:
    """A file of the events up to a number of a log. Until `put_in_place` it has another name."""

    def __init__(self, core: Core, domain: str, until: int, path: Path) -> None:
        self._core = core
        self._domain = domain
        self._until = until
        self._path = path
        self._aside = path.with_name(f".{secrets.token_hex(4)}.{path.name}")

    async def write(self) -> None:
        """Write it, and have it safe on disk.

        Raises FILE_CREATION_FAILED, CONTENT_READ_FAILED, and DOMAIN_BUSY when events are missing already.
        """
        header = await self._header()
        try:
            await to_thread.run_sync(lambda: self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700))
            with _private(self._aside) as stream:
                await write_log(self._core, header, Writer(stream), silent)
        except OSError as error:
            raise unwritable(self._path, error.strerror or str(error)) from error

    async def put_in_place(self) -> None:
        """Give it its name; done already, nothing is left to do. Raises FILE_CREATION_FAILED."""
        try:
            await to_thread.run_sync(self._put_in_place)
        except OSError as error:
            raise unwritable(self._path, error.strerror or str(error)) from error

    def discard(self) -> None:
        """Delete what was not put in place."""
        with suppress(OSError):
            self._aside.unlink()

    async def _header(self) -> Header:
        part = await self._core.store.one(PART, domain=self._domain, until=self._until)
        if part is None:
            raise no_ontology(self._domain)
        return Header(
            domain=self._domain,
            exported=utc_now(),
            written_by=version("graph-memory"),
            seq=self._until,
            events=part.events,
            ontology_version=part.ontology_version,
            state=await state_of(self._core, self._domain, self._until, part.created, part.compacted_to),
        )

    def _put_in_place(self) -> None:
        if not self._aside.exists():
            return
        self._aside.replace(self._path)
        sync_folder(self._path.parent)


@contextmanager
def _private(path: Path) -> Generator[IO[bytes]]:
    """Give a new file that nobody else may read, synced at the end; a name that ends in `.gz` is compressed."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        if path.suffix == ".gz":
            with gzip.GzipFile("", "wb", 6, file, mtime=0) as stream:
                yield cast("IO[bytes]", stream)
        else:
            yield file
        file.flush()
        os.fsync(file.fileno())


def unwritable(path: Path, cause: str) -> GraphError:
    """Return the error for an archive that cannot be written; nothing was changed."""
    hint = "Give another path, in a folder that can be written."
    return GraphError(Code.FILE_CREATION_FAILED, f"Cannot write the archive: {cause}", {"hint": hint}, path=path)
