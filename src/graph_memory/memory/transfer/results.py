"""What moving a domain from one place to another gives."""

from __future__ import annotations

from pydantic import Field

from graph_memory.model.results import Result


class Exported(Result):
    """What was written of a domain."""

    domain: str = Field(description="Name of the domain")
    seq: int = Field(description="Number of the last event that is in it")
    events: int = Field(description="Events written")
    contents: int = Field(description="Contents written")
    sha256: str = Field(description="SHA-256 of all lines but the last, before any compression, as the last says")


class Imported(Result):
    """What a domain was made of."""

    domain: str = Field(description="Name of the new domain")
    seq: int = Field(description="Number of its last event")
    events: int = Field(description="Events in its log")
    subjects: int = Field(description="Nodes, connections and observations that live in it")
    resumed: bool = Field(description="Whether it went on with an import that was cut off")
    forked_from: str | None = Field(default=None, description="Domain that holds its past, for a branch that has it")


class FolderExported(Result):
    """What was written of a domain into a folder."""

    domain: str = Field(description="Name of the domain")
    seq: int = Field(description="Number of the log after which the domain was so")
    nodes: int = Field(description="Nodes written")
    connections: int = Field(description="Connections written")


class FolderImported(Result):
    """What a domain was made of from a folder."""

    domain: str = Field(description="Name of the new domain")
    nodes: int = Field(description="Nodes created")
    connections: int = Field(description="Connections created")
