"""`Transfer`: exports and imports of domains."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Literal

from graph_memory.memory.api.facade import Facade
from graph_memory.memory.entities import exporting
from graph_memory.memory.entities import importing as entities_importing
from graph_memory.memory.sessions import importing as memory_importing
from graph_memory.memory.transfer import graph_export
from graph_memory.memory.transfer.archive import export, importing
from graph_memory.memory.transfer.folder import folder_import, folders
from graph_memory.memory.transfer.formats.neo4j_reading import Neo4jSource
from graph_memory.memory.transfer.formats.records import SourceOptions
from graph_memory.memory.transfer.load import load
from graph_memory.memory.transfer.load.sources import Sources
from graph_memory.memory.transfer.results import (
    Exported,
    FolderExported,
    FolderImported,
    GraphExported,
    GraphFormat,
    Imported,
    Loaded,
    MemoryFormat,
    MemoryImported,
    OnConflict,
)
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.progress import Progress, silent
from graph_memory.storage.foreign import is_server


class Transfer(Facade):
    """Exports and imports of domains. Use it as `Memory.transfer`.

    `tell` is called with a description of the current step, and with the fraction that is done, or None if it is
    unknown.
    """

    async def export_file(
        self, target: Path | str | IO[bytes], *, tell: Progress = silent, domain: str | None = None
    ) -> Exported:
        """Write a domain's whole log and all content to a file. `import_file` creates the same domain from it.

        The file appears under its name when it is complete, and replaces an existing file. It is compressed if its name
        ends in `.gz`. A stream is written to directly. Changes by others after the start are not included. Raises
        ONTOLOGY_NOT_FOUND, DOMAIN_BUSY, CONTENT_READ_FAILED and FILE_CREATION_FAILED.
        """
        return await export.export_file(self._core, self._domain(domain), target, tell)

    async def import_file(self, source: Path | str, *, name: str | None = None, tell: Progress = silent) -> Imported:
        """Create a domain from a file that `export_file` wrote, with exactly the same log.

        Without `name`, the domain keeps its name. The file is read twice: it is checked as a whole before anything is
        written. Repeat the call to resume an interrupted import; until then, the domain is busy and can only be
        deleted. A branch has its history before the fork only if the domain that it was branched from exists. Raises
        INVALID_ARCHIVE, CONTENT_TOO_LARGE, DOMAIN_ALREADY_EXISTS, DOMAIN_BUSY and FILE_CREATION_FAILED.
        """
        return await importing.import_file(self._core, source, name, tell)

    async def export_folder(
        self, folder: Path | str, *, at: int | str | None = None, tell: Progress = silent, domain: str | None = None
    ) -> FolderExported:
        """Write the state of a domain at a point (default now) to a new folder.

        The folder has a registry, the ontology and a file for each content, but neither log nor earlier states: for
        those, use `export_file`. Raises ONTOLOGY_NOT_FOUND, DOMAIN_BUSY, HISTORY_COMPACTED, CONTENT_READ_FAILED,
        FILE_CREATION_FAILED, and INVALID_ARGUMENT for a folder that is not empty.
        """
        return await folders.export_folder(self._core, self._domain(domain), at, folder, tell)

    async def export_graph(
        self,
        target: Path | str | IO[bytes],
        format: GraphFormat,  # noqa: A002
        *,
        at: int | str | None = None,
        tell: Progress = silent,
        domain: str | None = None,
    ) -> GraphExported:
        """Write the state of a domain at a point (default now) in a format of other programs, without the log.

        `csv` is a new folder of files for neo4j-admin, `jsonl` a file with one node or connection per line, `graphml` a
        file for NetworkX, Gephi and others, `cypher` a script that creates the graph in a plain Neo4j. `official` is
        the file format of the official memory server: it has only the current entities, and `import_memory` reads it. A
        file is compressed if its name ends in `.gz`. `load` reads the first three formats. Raises ONTOLOGY_NOT_FOUND,
        DOMAIN_BUSY, HISTORY_COMPACTED, CONTENT_READ_FAILED, FILE_CREATION_FAILED, and INVALID_ARGUMENT with the node or
        connection that the format cannot represent.
        """
        if format == "official":
            if at is not None:
                raise invalid_argument("at", "The official format has only the current state", "Omit the point.")
            return await exporting.export_official(self._core, self._domain(domain), target, tell)
        return await graph_export.export_graph(self._core, self._domain(domain), format, at, target, tell)

    async def import_folder(
        self, folder: Path | str, *, name: str | None = None, tell: Progress = silent
    ) -> FolderImported:
        """Create a domain from a folder: its types, nodes and connections, with the same ids and a new log.

        Everything is checked before anything is written. The log starts at the time of the import; the nodes and
        connections keep `created` and `modified` of the registry. Content without an encoding is text if it is valid
        UTF-8, otherwise binary. An interrupted import leaves a busy domain, which you should delete. Raises
        INVALID_ARCHIVE, INVALID_ONTOLOGY, INVALID_ENCODING, CONTENT_TOO_LARGE, DOMAIN_ALREADY_EXISTS, DOMAIN_BUSY and
        FILE_CREATION_FAILED.
        """
        return await folder_import.import_folder(self._core, self._domain(name), folder, tell)

    async def import_memory(
        self,
        source: Path | str | Neo4jSource,
        *,
        format: MemoryFormat | None = None,  # noqa: A002
        skip_invalid: bool = False,
        dry_run: bool = False,
        tell: Progress = silent,
        domain: str | None = None,
    ) -> MemoryImported:
        """Import the memory of another program: entities, relations and observations, with their times and sources.

        `source` is a file or folder of the official memory server, mnemograph or mem0, a folder of Markdown notes, or a
        Neo4j server with the graph of mcp-neo4j-memory or neo4j-agent-memory; or a `memories.json` of Claude.ai, a
        folder of Anthropic's memory tool, or a file of instructions such as CLAUDE.md. Each section of instructions
        becomes a block, which a later import of the file updates. Without `format`, it is detected from the content.
        All data is read and checked before the first write. Entities with equal names are merged. Existing data of the
        domain is not changed, except that observations are added; so you can repeat the call to resume an interrupted
        import. A domain that does not exist is created with an open ontology.

        `skip_invalid` leaves out invalid data and reports it. With `dry_run`, nothing is written, and the report lists
        all invalid data. Raises INVALID_SOURCE, with file and line, in `details["report"]`, INVALID_ARGUMENT if the
        source has no memory, STORE_UNAVAILABLE, and the errors of `memory.entities`.
        """
        origin = Neo4jSource(source) if isinstance(source, str) and is_server(source) else source
        place = Path(origin) if isinstance(origin, str) else origin
        options = memory_importing.Options(form=format, skip_invalid=skip_invalid, dry_run=dry_run)
        return await memory_importing.import_memory(self._core, self._domain(domain), place, options, tell)

    async def import_once(
        self, file: Path | str, *, tell: Progress = silent, domain: str | None = None
    ) -> MemoryImported | None:
        """Import a file of the official memory server once, into an empty domain, and never change the file.

        An interrupted import is continued. The result is None if the file does not exist, or if the domain has other
        data. Raises the errors of `import_memory`.
        """
        return await entities_importing.import_once(self._core, self._domain(domain), Path(file), tell)

    async def load(
        self,
        source: Sources,
        *,
        ontology: Ontology | Literal["infer"] | None = None,
        on_conflict: OnConflict = "fail",
        skip_invalid: bool = False,
        dry_run: bool = False,
        options: SourceOptions | None = None,
        tell: Progress = silent,
        domain: str | None = None,
    ) -> Loaded:
        """Load an existing graph from CSV for neo4j-admin, JSON Lines or GraphML, or from a Neo4j server.

        `source` is a file, a folder of files, a `Neo4jSource`, which may be the memory's own server, or a list of
        these. The memory's own data on that server is not read. `ontology` is applied first; `infer` derives types from
        the data. All data is checked, also against the other rows, before it is written in pages. Each page is a batch
        of the log. Repeat the call to resume an interrupted load; for a server, whose order may have changed, with
        `on_conflict` `skip`.

        `on_conflict` applies to ids that exist in the domain: `fail` rejects the load, `skip` keeps the existing data,
        `update` updates it. `skip_invalid` leaves out invalid data and reports it. With `dry_run`, nothing is written,
        and the report lists all invalid data. Raises INVALID_SOURCE, with file, line and column or element and
        property, in `details["report"]`, INVALID_ARGUMENT for an invalid source, ONTOLOGY_NOT_FOUND, STORE_UNAVAILABLE,
        and the errors of `apply_ontology`.
        """
        load_options = load.LoadOptions(
            source=options or SourceOptions(),
            ontology=ontology,
            on_conflict=on_conflict,
            skip_invalid=skip_invalid,
            dry_run=dry_run,
        )
        return await load.load(self._core, self._domain(domain), source, load_options, tell)
