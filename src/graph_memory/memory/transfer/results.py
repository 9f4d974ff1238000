"""What moving a domain from one place to another gives."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from graph_memory.model.results import Result

GraphFormat = Literal["csv", "jsonl", "graphml", "cypher"]
"""Formats of other programs."""


class Exported(Result):
    """What an export wrote."""

    domain: str = Field(description="Name of the domain")
    seq: int = Field(description="Number of its last event")
    events: int = Field(description="Events written")
    contents: int = Field(description="Contents written")
    sha256: str = Field(description="SHA-256 of all lines but the last, before compression; the last line has it")


class Imported(Result):
    """The domain that an import created."""

    domain: str = Field(description="Name of the new domain")
    seq: int = Field(description="Number of its last event")
    events: int = Field(description="Events in its log")
    subjects: int = Field(description="Nodes, connections and observations that live in it")
    resumed: bool = Field(description="Whether it resumed an interrupted import")
    forked_from: str | None = Field(default=None, description="For a branch: the domain that holds its past")


class FolderExported(Result):
    """What an export to a folder wrote."""

    domain: str = Field(description="Name of the domain")
    seq: int = Field(description="Number in the log of the state that was written")
    nodes: int = Field(description="Nodes written")
    connections: int = Field(description="Connections written")


class FolderImported(Result):
    """The domain that an import of a folder created."""

    domain: str = Field(description="Name of the new domain")
    nodes: int = Field(description="Nodes created")
    connections: int = Field(description="Connections created")


class GraphExported(Result):
    """What an export in a format of other programs wrote."""

    domain: str = Field(description="Name of the domain")
    seq: int = Field(description="Number in the log of the state that was written")
    format: str = Field(description="Format that was written")
    nodes: int = Field(description="Nodes written")
    connections: int = Field(description="Connections written")


class Refusal(Result):
    """Something in a source that cannot be loaded, and where it stands."""

    file: str
    line: int | None = None
    column: str | None = None
    code: str
    message: str
    hint: str | None = None


class SourceNote(Result):
    """Something that a source has and a memory has not, and what becomes of it."""

    file: str
    column: str | None = None
    text: str


class Refusals(Result):
    """What of a source cannot be loaded."""

    count: int = Field(description="How many rows cannot be loaded")
    codes: dict[str, int] = Field(description="How many of them by error code")
    first: tuple[Refusal, ...] = Field(description="The first of them")
