"""The results of Cypher statements, and the schema that they can use."""

from __future__ import annotations

from pydantic import Field

from graph_memory.model.results import Result, ResultWithWarnings


class CypherRows(ResultWithWarnings):
    """The rows of a Cypher statement."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...] = Field(description="Nodes have labels and properties")


class LabelInfo(Result):
    """A label. It is a node type of the domain."""

    label: str
    properties: dict[str, str] = Field(description="Type of each property")


class RelationshipInfo(Result):
    """A relationship type. It is a connection type of the domain."""

    type: str
    start: tuple[str, ...]
    end: tuple[str, ...]
    properties: dict[str, str]


class CypherSchema(Result):
    """The labels and relationship types of a domain that a Cypher statement can match."""

    labels: tuple[LabelInfo, ...]
    relationships: tuple[RelationshipInfo, ...]
    conventions: tuple[str, ...]
