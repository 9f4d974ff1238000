"""Results of exports, imports and loads."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from graph_memory.model.results import Result, ResultWithWarnings, Text

GraphFormat = Literal["csv", "jsonl", "graphml", "cypher", "official", "markdown"]
"""Formats of other programs."""
MemoryFormat = Literal[
    "official",
    "mnemograph",
    "mcp-neo4j-memory",
    "neo4j-agent-memory",
    "markdown",
    "mem0",
    "claude-memories",
    "memory-tool",
    "instructions",
]
"""The programs whose memories can be imported.

`markdown` stands for Obsidian, basic-memory and Claude Code's auto-memory, `claude-memories` for the `memories.json` of
Claude.ai, `memory-tool` for the folder of Anthropic's memory tool, and `instructions` for CLAUDE.md and AGENTS.md.
"""
MEMORIES: tuple[MemoryFormat, ...] = get_args(MemoryFormat)
OnConflict = Literal["fail", "skip", "update"]
"""How to treat a record whose id already exists: reject it, keep the existing subject, or update the subject."""


class ExportResult(Result):
    """The result of an export of a domain's log."""

    domain: str = Field(description="Name of the domain")
    seq: int = Field(description="Log number of its last event")
    events: int = Field(description="Number of events written")
    contents: int = Field(description="Number of contents written")
    sha256: str = Field(
        description="SHA-256 hash of all lines except the last, before compression; the last line contains it too"
    )


class ImportResult(ResultWithWarnings):
    """The domain that an import created."""

    domain: str = Field(description="Name of the new domain")
    seq: int = Field(description="Log number of its last event")
    events: int = Field(description="Number of events in its log")
    subjects: int = Field(description="Number of nodes, connections, observations and links")
    resumed: bool = Field(description="Whether an interrupted import was resumed")
    forked_from: str | None = Field(
        default=None, description="For a branch: the domain that contains its history before the fork"
    )
    warnings: tuple[Text, ...] | None = Field(default=None, description="Why its parent or source domain is missing")


class FolderExportResult(Result):
    """The result of an export to a folder."""

    domain: str = Field(description="Name of the domain")
    seq: int = Field(description="Log number of the exported state")
    nodes: int = Field(description="Number of nodes written")
    connections: int = Field(description="Number of connections written")
    observations: int = Field(description="Number of observations written")
    links: int | None = Field(default=None, description="Number of links to other domains; absent if there are none")


class FolderImportResult(ResultWithWarnings):
    """The domain that an import of a folder created."""

    domain: str = Field(description="Name of the new domain")
    nodes: int = Field(description="Number of nodes created")
    connections: int = Field(description="Number of connections created")
    observations: int = Field(description="Number of observations created")
    links: int | None = Field(
        default=None, description="Number of links to other domains created; absent if there are none"
    )
    warnings: tuple[Text, ...] | None = Field(default=None, description="Why the domain is not under its former parent")


class GraphExportResult(Result):
    """The result of an export to another program's format."""

    domain: str = Field(description="Name of the domain")
    seq: int = Field(description="Log number of the exported state")
    format: str = Field(description="The format that was written")
    nodes: int = Field(description="Number of nodes written")
    connections: int = Field(description="Number of connections written")


class RejectedRecord(Result):
    """A record of a source that cannot be loaded, with its position."""

    file: str = Field(description="Name of the file, or address of the server")
    line: int | None = Field(default=None, description="Line number in the file")
    column: str | None = Field(default=None, description="Name of the column or property")
    element: str | None = Field(default=None, description="Element id of the node or relationship on the server")
    code: str = Field(description="Error code")
    message: str
    hint: str | None = Field(default=None, description="What to do about the error")


class SourceNote(Result):
    """A note on data in a source that is stored differently."""

    file: str = Field(description="Name of the file, or address of the server")
    line: int | None = Field(default=None, description="Line number in the file")
    column: str | None = Field(default=None, description="Name of the column or property")
    text: str


class RejectedRecords(Result):
    """The number of records that cannot be loaded, in total and by error code, and the first of these records."""

    count: int = Field(description="Number of records that cannot be loaded")
    codes: dict[str, int] = Field(description="Number of these records by error code")
    first: tuple[RejectedRecord, ...] = Field(description="The first of these records")


class LoadCounts(Result):
    """Numbers of loaded nodes or connections by outcome."""

    created: int = Field(default=0, description="Number of created records")
    updated: int = Field(default=0, description="Number of updated records")
    unchanged: int = Field(default=0, description="Number of existing records that already had the new values")
    skipped: int = Field(default=0, description="Number of existing records that were not changed")
    loaded_before: int = Field(
        default=0, description="Number of records that an interrupted run of the same load had already written"
    )


class LoadResult(Result):
    """The result of a load or its dry run."""

    domain: str = Field(description="Name of the domain")
    dry_run: bool = Field(description="Whether this was only a preview, so nothing was written")
    nodes: LoadCounts = Field(description="Numbers of nodes")
    connections: LoadCounts = Field(description="Numbers of connections")
    node_types: dict[str, int] = Field(description="Number of nodes by type, without rejected nodes")
    connection_types: dict[str, int] = Field(description="Number of connections by type, without rejected connections")
    refused: RejectedRecords = Field(description="The records that cannot be loaded")
    notes: tuple[SourceNote, ...] = Field(description="Data in the source that a memory cannot store")
    from_seq: int | None = Field(default=None, description="Log number of the first event written")
    to_seq: int | None = Field(default=None, description="Log number of the last event written")


class ImportCounts(Result):
    """Numbers of imported entities, relations or observations by outcome."""

    new: int = Field(description="Number of created records")
    already_there: int = Field(description="Number of existing records that were not changed")


class BlockCounts(ImportCounts):
    """Numbers of imported memory blocks by outcome."""

    changed: int = Field(description="Number of existing blocks whose text differs from the file")


class MemoryImportResult(Result):
    """The result of an import of another program's memory or its dry run."""

    domain: str = Field(description="Name of the domain")
    format: str = Field(description="The program from which the memory comes")
    dry_run: bool = Field(description="Whether this was only a preview, so nothing was written")
    session: str | None = Field(description="Session of the changes in the log, by which you can revert them")
    entities: ImportCounts = Field(description="Numbers of entities")
    relations: ImportCounts = Field(description="Numbers of relations")
    observations: ImportCounts = Field(description="Numbers of observations")
    blocks: BlockCounts | None = Field(
        default=None, description="Numbers of blocks of instructions; absent for other formats"
    )
    secrets: int = Field(description="Number of secrets that were replaced")
    refused: RejectedRecords = Field(description="The records that cannot be imported")
    notes: tuple[SourceNote, ...] = Field(description="Data from the other program that was not imported")
