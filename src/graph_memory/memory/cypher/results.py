"""The results of Cypher statements, and the schema that they can use."""

from __future__ import annotations

from pydantic import Field

from graph_memory.model.results import Result, ResultWithWarnings


class CypherRows(ResultWithWarnings):
    """The rows of a Cypher statement."""

    columns: tuple[str, ...] = Field(description="Names of the columns")
    rows: tuple[tuple[object, ...], ...] = Field(
        description="The rows. A node is returned as an object with its labels and properties"
    )


class LabelInfo(Result):
    """A label. It is a node type of the domain."""

    label: str
    properties: dict[str, str] = Field(description="Type of each property, by its name")


class RelationshipInfo(Result):
    """A relationship type. It is a connection type of the domain."""

    type: str
    start: tuple[str, ...] = Field(description="Labels of the nodes at the start")
    end: tuple[str, ...] = Field(description="Labels of the nodes at the end")
    properties: dict[str, str] = Field(description="Type of each property, by its name")


class CypherSchema(Result):
    """The labels and relationship types of a domain that a Cypher statement can match."""

    labels: tuple[LabelInfo, ...] = Field(description="The labels of nodes")
    relationships: tuple[RelationshipInfo, ...] = Field(description="The types of relationships")
    conventions: tuple[str, ...] = Field(description="Rules for writing statements")
