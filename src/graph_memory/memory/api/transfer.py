"""`Transfer`: exports and imports domains."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Literal

from graph_memory.memory.api.facade import Facade
from graph_memory.memory.entities import exporting
from graph_memory.memory.entities import importing as entities_importing
from graph_memory.memory.folder_sync import markdown_export, sync
from graph_memory.memory.folder_sync.results import FolderSyncResult
from graph_memory.memory.sessions import importing as memory_importing
from graph_memory.memory.transfer import graph_export
from graph_memory.memory.transfer.archive import export, importing
from graph_memory.memory.transfer.folder import folder_import, folders
from graph_memory.memory.transfer.formats.neo4j_reading import Neo4jSource
from graph_memory.memory.transfer.formats.records import SourceOptions
from graph_memory.memory.transfer.load import load
from graph_memory.memory.transfer.load.sources import Sources
from graph_memory.memory.transfer.results import (
    ExportResult,
    FolderExportResult,
    FolderImportResult,
    GraphExportResult,
    GraphFormat,
    ImportResult,
    LoadResult,
    MemoryFormat,
    MemoryImportResult,
    OnConflict,
)
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.progress import Progress, log_progress
from graph_memory.storage.foreign import is_server


class Transfer(Facade):
    """Export and import of domains. Use it as `Memory.transfer`.

    `progress` is called with a description of the current step, and the completed fraction or None if it is unknown.
    """

    async def export_file(
        self, target: Path | str | IO[bytes], *, progress: Progress = log_progress, domain: str | None = None
    ) -> ExportResult:
        """Write a domain's whole log and all content to a file. `import_file` creates the same domain from it.

        The file appears under its name only when it is complete, and replaces an existing file. It is compressed if its
        name ends in `.gz`. If `target` is a stream, the export is written to it directly. Changes by others after the
        start are not included. Raises ONTOLOGY_NOT_FOUND, DOMAIN_BUSY, CONTENT_READ_FAILED and FILE_CREATION_FAILED.
        """
        return await export.export_file(self._core, self._domain(domain), target, progress)

    async def import_file(
        self, source: Path | str, *, name: str | None = None, progress: Progress = log_progress
    ) -> ImportResult:
        """Create a domain from a file that `export_file` wrote, with exactly the same log.

        If `name` is not given, the domain keeps its name. The file is read twice, because it is checked as a whole
        before anything is written. Repeat the call to resume an interrupted import. Until then, the domain is busy and
        can only be deleted. A branch has its history before the fork only if the domain that it was branched from
        exists.
        Raises INVALID_ARCHIVE, CONTENT_TOO_LARGE, DOMAIN_ALREADY_EXISTS, DOMAIN_BUSY and FILE_CREATION_FAILED.
        """
        return await importing.import_file(self._core, source, name, progress)

    async def export_folder(
        self,
        folder: Path | str,
        *,
        at: int | str | None = None,
        progress: Progress = log_progress,
        domain: str | None = None,
    ) -> FolderExportResult:
        """Write a domain's state at a point (default now) to a new folder.

        The folder contains a registry, the ontology and a file for each content, but neither the log nor earlier
        states. To export these too, use `export_file`. Raises ONTOLOGY_NOT_FOUND, DOMAIN_BUSY, HISTORY_COMPACTED,
        CONTENT_READ_FAILED, FILE_CREATION_FAILED, and INVALID_ARGUMENT if the folder is not empty.
        """
        return await folders.export_folder(self._core, self._domain(domain), at, folder, progress)

    async def export_graph(
        self,
        target: Path | str | IO[bytes],
        format: GraphFormat,  # noqa: A002
        *,
        at: int | str | None = None,
        progress: Progress = log_progress,
        domain: str | None = None,
    ) -> GraphExportResult:
        """Write the state of a domain at a point (default now), without the log, in a format that other programs read.

        `csv` is a new folder of files for neo4j-admin, `jsonl` a file with one node or connection per line, `graphml` a
        file for NetworkX, Gephi and others, `cypher` a script that creates the graph in a Neo4j database without
        graph-memory. `load` reads the first three formats. `official` is the file format of the official memory server,
        which contains only the current entities, and `markdown` a new folder with a note for each entity.
        `import_memory` reads these two formats. A file is compressed if its name ends in `.gz`. Raises
        ONTOLOGY_NOT_FOUND, DOMAIN_BUSY, HISTORY_COMPACTED, CONTENT_READ_FAILED, FILE_CREATION_FAILED, and
        INVALID_ARGUMENT if the format cannot represent a node or connection.
        """
        if format == "markdown":
            return await markdown_export.export_markdown(self._core, self._domain(domain), at, target, progress)
        if format == "official":
            if at is not None:
                raise invalid_argument("at", "The official format contains only the current state", "Omit at.")
            return await exporting.export_official(self._core, self._domain(domain), target, progress)
        return await graph_export.export_graph(self._core, self._domain(domain), format, at, target, progress)

    async def import_folder(
        self, folder: Path | str, *, name: str | None = None, progress: Progress = log_progress
    ) -> FolderImportResult:
        """Create a domain from a folder that `export_folder` wrote, with the same ids and a new log.

        All files are checked before anything is written. The log starts at the time of the import, but the nodes and
        connections keep the values of `created` and `modified` in the registry. Content without an encoding is text if
        it is valid UTF-8, otherwise binary. An interrupted import leaves a busy domain, which you should delete. Raises
        INVALID_ARCHIVE, INVALID_ONTOLOGY, INVALID_ENCODING, CONTENT_TOO_LARGE, DOMAIN_ALREADY_EXISTS, DOMAIN_BUSY and
        FILE_CREATION_FAILED.
        """
        return await folder_import.import_folder(self._core, self._domain(name), folder, progress)

    async def import_memory(
        self,
        source: Path | str | Neo4jSource,
        *,
        format: MemoryFormat | None = None,  # noqa: A002
        skip_invalid: bool = False,
        dry_run: bool = False,
        progress: Progress = log_progress,
        domain: str | None = None,
    ) -> MemoryImportResult:
        """Import another program's memory: entities, relations and observations, with their times and sources.

        `source` is a file or folder of the official memory server, mnemograph or mem0, a folder of Markdown notes, or a
        Neo4j server with the graph of mcp-neo4j-memory or neo4j-agent-memory; or a `memories.json` of Claude.ai, a
        folder of Anthropic's memory tool, or a file of instructions such as CLAUDE.md. Each section of instructions
        becomes a block, which a later import of the file updates. By default, `format` is detected from the content.
        All data is read and checked before the first write. Entities with equal names are merged. The import adds
        observations to existing entities, but changes no other data in the domain, so you can repeat the call to resume
        an interrupted import. If the domain does not exist, it is created with an open ontology.

        `skip_invalid` skips invalid data and reports it. With `dry_run`, nothing is written, and the report lists all
        invalid data. Raises INVALID_SOURCE if data is invalid, with file and line in `details["report"]`,
        INVALID_ARGUMENT if the source contains no memory, STORE_UNAVAILABLE, and the errors of `memory.entities`.
        """
        origin = Neo4jSource(source) if isinstance(source, str) and is_server(source) else source
        import_source = Path(origin) if isinstance(origin, str) else origin
        options = memory_importing.Options(form=format, skip_invalid=skip_invalid, dry_run=dry_run)
        return await memory_importing.import_memory(self._core, self._domain(domain), import_source, options, progress)

    async def import_once(
        self, file: Path | str, *, progress: Progress = log_progress, domain: str | None = None
    ) -> MemoryImportResult | None:
        """Import a file of the official memory server once, into an empty domain. The file is never changed.

        The call resumes an interrupted import. Returns None if the file does not exist, or if the domain was changed
        after the import. If the domain contains other data instead, returns the result of a dry run. Raises the errors
        of `import_memory`.
        """
        return await entities_importing.import_once(self._core, self._domain(domain), Path(file), progress)

    async def sync_folder(
        self,
        folder: Path | str,
        *,
        prefer: Literal["folder", "memory"] | None = None,
        delete: bool = False,
        dry_run: bool = False,
        progress: Progress = log_progress,
        domain: str | None = None,
    ) -> FolderSyncResult:
        """Synchronise a folder of Markdown notes and a domain's entities in both directions.

        Changes on one side are applied to the other side. If both sides changed a note, the changes are merged. A field
        that both sides changed differently is a conflict: the note then stays unchanged on both sides, unless you
        `prefer` one side. The log keeps replaced states of the memory, and the folder `.graph-memory/replaced` keeps
        copies of replaced files. The common state is recorded in `.graph-memory/sync.json`. The log records the changes
        of the memory in one session, as one batch or several. The actor is `sync` if the caller has no actor.

        With `dry_run`, nothing is written. The first changes of the memory, up to 8,000, are checked while the domain
        is locked, so a dry run also raises DOMAIN_BUSY. Repeat the call to resume an interrupted synchronisation.

        Raises INVALID_ARGUMENT if the folder cannot be used or belongs to another domain, if the recorded common state
        is damaged, or if most notes are missing on one side and you do not pass `delete`. Raises DOMAIN_BUSY while
        another process synchronises the folder. Also raises FILE_CREATION_FAILED, PROTECTED and the errors of
        `memory.entities`.
        """
        options = sync.SyncOptions(prefer=prefer, delete=delete, dry_run=dry_run)
        return await sync.sync_folder(self._core, self._domain(domain), Path(folder), options, progress)

    async def load(
        self,
        source: Sources,
        *,
        ontology: Ontology | Literal["infer"] | None = None,
        on_conflict: OnConflict = "fail",
        skip_invalid: bool = False,
        dry_run: bool = False,
        options: SourceOptions | None = None,
        progress: Progress = log_progress,
        domain: str | None = None,
    ) -> LoadResult:
        """Load an existing graph from CSV for neo4j-admin, JSON Lines or GraphML, or from a Neo4j server.

        `source` is a file, a folder of files, a `Neo4jSource`, which may be the memory's own server, or a list of
        these. The memory's own data on that server is not read. `ontology` is applied first; `"infer"` derives types
        from the data. All rows are checked, individually and together, before they are written in pages. Each page is a
        batch in the log. Repeat the call to resume an interrupted load. For a server, repeat it with
        `on_conflict="skip"`, because the order of its data may have changed.

        `on_conflict` applies to ids that exist in the domain: `fail` rejects the load, `skip` keeps the existing data,
        and `update` updates it. `skip_invalid` skips invalid data and reports it. With `dry_run`, nothing is written,
        and the report lists all invalid data. Raises INVALID_SOURCE if data is invalid (`details["report"]` contains
        file, line and column, or element and property), INVALID_ARGUMENT if the source cannot be used,
        ONTOLOGY_NOT_FOUND, STORE_UNAVAILABLE, and the errors of `apply_ontology`.
        """
        load_options = load.LoadOptions(
            source=options or SourceOptions(),
            ontology=ontology,
            on_conflict=on_conflict,
            skip_invalid=skip_invalid,
            dry_run=dry_run,
        )
        return await load.load(self._core, self._domain(domain), source, load_options, progress)
