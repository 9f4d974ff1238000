"""Writes the archive of a compaction: the log up to a point, as an export that `import` can read."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from anyio import to_thread

from graph_memory.files import make_private_folder, new_private_file, new_temporary_path, sync_folder
from graph_memory.memory.core import Core
from graph_memory.memory.transfer.archive.export import state_of, write_log
from graph_memory.memory.transfer.archive.format import Header
from graph_memory.memory.transfer.archive.reader import Reader
from graph_memory.memory.transfer.archive.writer import Writer, archive_stream
from graph_memory.model.errors import Code, GraphError
from graph_memory.progress import log_progress
from graph_memory.storage.log.ontologies import no_ontology_error
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query


@dataclass(frozen=True, slots=True)
class PartRow:
    """Data about a log up to an event number, for the header of its archive."""

    events: int
    ontology_version: int
    created: datetime
    compacted_to: int | None


PART = query("retention/part", PartRow)
_NO_HARD_LINK_ERRORS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS}
"""Error numbers of file systems without hard links."""


class Archive:
    """A file with the events of a log up to an event number. It has a temporary name until `rename_to_final`."""

    def __init__(self, core: Core, domain: str, until: int, path: Path) -> None:
        self._core = core
        self._domain = domain
        self._until = until
        self._path = path
        self._temporary_path = new_temporary_path(path)

    async def write(self) -> None:
        """Write the archive under its temporary name, and sync it to disk.

        Raises FILE_CREATION_FAILED if the file cannot be written, CONTENT_READ_FAILED if content cannot be read, and
        DOMAIN_BUSY if events are already missing.
        """
        header = await self._header()
        try:
            await to_thread.run_sync(make_private_folder, self._path.parent)
            with new_private_file(self._temporary_path) as file, archive_stream(self._path, file) as stream:
                await write_log(self._core, header, Writer(stream), log_progress)
        except OSError as error:
            raise archive_not_writable_error(self._path, error.strerror or str(error)) from error

    async def rename_to_final(self) -> None:
        """Rename the archive to its final name, unless that was already done.

        Raises FILE_CREATION_FAILED if it cannot be renamed.
        """
        try:
            await to_thread.run_sync(self._rename_to_final)
        except OSError as error:
            raise archive_not_writable_error(self._path, error.strerror or str(error)) from error

    def discard(self) -> None:
        """Delete the temporary file, if it still exists."""
        with suppress(OSError):
            self._temporary_path.unlink()

    async def _header(self) -> Header:
        part = await self._core.store.first_row(PART, domain=self._domain, until=self._until)
        if part is None:
            raise no_ontology_error(self._domain)
        return Header(
            domain=self._domain,
            exported=utc_now(),
            written_by=version("graph-memory"),
            seq=self._until,
            events=part.events,
            ontology_version=part.ontology_version,
            state=await state_of(self._core, self._domain, self._until, part.created, part.compacted_to),
        )

    def _rename_to_final(self) -> None:
        """Rename the archive to its final name. Raises FileExistsError if another file has that name.

        Uses a hard link if the file system supports it, because it never replaces a file.
        """
        if not self._temporary_path.exists():
            return
        try:
            os.link(self._temporary_path, self._path)
            self._temporary_path.unlink()
        except FileExistsError:
            if not self._is_from_earlier_run():
                raise
            self._temporary_path.replace(self._path)
        except OSError as error:
            if error.errno not in _NO_HARD_LINK_ERRORS or os.path.lexists(self._path):
                raise
            self._temporary_path.replace(self._path)
        sync_folder(self._path.parent)

    def _is_from_earlier_run(self) -> bool:
        """Return whether the existing file is an archive with the same end, from an interrupted run."""
        try:
            header = Reader(self._path).header()
        except GraphError:
            return False
        return (header.domain, header.seq) == (self._domain, self._until)


def archive_not_writable_error(path: Path, cause: str) -> GraphError:
    """Return the error for an archive that cannot be written."""
    hint = "Pass another path, in a writable folder."
    return GraphError(Code.FILE_CREATION_FAILED, f"Cannot write the archive: {cause}", {"hint": hint}, path=path)
