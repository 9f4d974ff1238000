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
    seq: int = Field(description="Number of its last event")
    events: int = Field(description="Events written")
    contents: int = Field(description="Contents written")
    sha256: str = Field(description="SHA-256 of all lines except the last, uncompressed, as stated in the last line")


class ImportResult(ResultWithWarnings):
    """The domain that an import created."""

    domain: str = Field(description="Name of the new domain")
    seq: int = Field(description="Number of its last event")
    events: int = Field(description="Events in its log")
    subjects: int = Field(description="Number of its nodes, connections, observations and links")
    resumed: bool = Field(description="Whether it resumed an interrupted import")
    forked_from: str | None = Field(
        default=None, description="For a branch: the domain with its history before the fork"
    )
    warnings: tuple[Text, ...] | None = Field(default=None, description="Why its parent or source is lost")


class FolderExportResult(Result):
    """The result of an export to a folder."""

    domain: str = Field(description="Name of the domain")
    seq: int = Field(description="Log number of the exported state")
    nodes: int = Field(description="Nodes written")
    connections: int = Field(description="Connections written")
    observations: int = Field(description="Observations written")
    links: int | None = Field(default=None, description="Number of links to other domains; absent if none")


class FolderImportResult(ResultWithWarnings):
    """The domain that an import of a folder created."""

    domain: str = Field(description="Name of the new domain")
    nodes: int = Field(description="Nodes created")
    connections: int = Field(description="Connections created")
    observations: int = Field(description="Observations created")
    links: int | None = Field(default=None, description="Number of created links to other domains; absent if none")
    warnings: tuple[Text, ...] | None = Field(default=None, description="Why it is not under its former parent")


class GraphExportResult(Result):
    """The result of an export to another program's format."""

    domain: str = Field(description="Name of the domain")
    seq: int = Field(description="Log number of the exported state")
    format: str = Field(description="Format that was written")
    nodes: int = Field(description="Nodes written")
    connections: int = Field(description="Connections written")


class RejectedRecord(Result):
    """A record of a source that cannot be loaded, with its position."""

    file: str = Field(description="Name of the file, or address of the server")
    line: int | None = None
    column: str | None = Field(default=None, description="Column or property")
    element: str | None = Field(default=None, description="Element id of a node or relationship in a server")
    code: str
    message: str
    hint: str | None = None


class SourceNote(Result):
    """A note on data in a source that is stored differently."""

    file: str
    line: int | None = None
    column: str | None = None
    text: str


class RejectedRecords(Result):
    """The number of records that cannot be loaded, in total and by error code, and the first of these records."""

    count: int = Field(description="Number of rows that cannot be loaded")
    codes: dict[str, int] = Field(description="Number of these rows by error code")
    first: tuple[RejectedRecord, ...] = Field(description="The first of these rows")


class LoadCounts(Result):
    """Numbers of loaded nodes or connections by outcome."""

    created: int = 0
    updated: int = 0
    unchanged: int = Field(default=0, description="Number that an update would not change")
    skipped: int = Field(default=0, description="Number that existed and were not changed")
    loaded_before: int = Field(default=0, description="Number that an interrupted run of the same load wrote")


class LoadResult(Result):
    """The result of a load or its dry run."""

    domain: str = Field(description="Name of the domain")
    dry_run: bool = Field(description="Whether nothing was written")
    nodes: LoadCounts
    connections: LoadCounts
    node_types: dict[str, int] = Field(description="Number of nodes by type, without rejected ones")
    connection_types: dict[str, int] = Field(description="Number of connections by type, without rejected ones")
    refused: RejectedRecords
    notes: tuple[SourceNote, ...] = Field(description="Data in the source that a memory cannot store")
    from_seq: int | None = Field(default=None, description="Number of the first event written")
    to_seq: int | None = Field(default=None, description="Number of the last event written")


class ImportCounts(Result):
    """Numbers of imported entities, relations or observations by outcome."""

    new: int = Field(description="Number created")
    already_there: int = Field(description="Number that existed and were not changed")


class BlockCounts(ImportCounts):
    """Numbers of imported memory blocks by outcome."""

    changed: int = Field(description="Number of existing blocks whose text differs from the file")


class MemoryImportResult(Result):
    """The result of an import of another program's memory or its dry run."""

    domain: str = Field(description="Name of the domain")
    format: str = Field(description="The program whose memory it is")
    dry_run: bool = Field(description="Whether nothing was written")
    session: str | None = Field(description="Session of its changes in the log, by which they can be reverted")
    entities: ImportCounts
    relations: ImportCounts
    observations: ImportCounts
    blocks: BlockCounts | None = Field(default=None, description="Blocks of instructions; absent for other formats")
    secrets: int = Field(description="Number of secrets that were replaced")
    refused: RejectedRecords
    notes: tuple[SourceNote, ...] = Field(description="Data of the other program that is not imported")
