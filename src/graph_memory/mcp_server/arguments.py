"""What each tool takes. The classes are read twice: as types of the tools' functions and as schemas for the agent.

Every class names its optional arguments `NotRequired`; one that is left out, or null, is absent from the call, so
that the memory's own default holds.
"""

from __future__ import annotations

from typing import Annotated, NotRequired

from pydantic import Field, WithJsonSchema
from typing_extensions import TypedDict  # pydantic reads the one of `typing` from Python 3.12 on

from graph_memory.model.results import Direction, Encoding

MOST = 2**53 - 1
"""The largest whole number that every JSON reader keeps exact."""

Names = list[str]
Properties = dict[str, object]
Limit = Annotated[int, Field(ge=1, le=MOST, description="Max ids to return (default: all)")]
ValidAt = Annotated[str, Field(description='Only what holds in the world at this time, date, or "2 hours ago"')]
Cursor = Annotated[str, Field(description="next_cursor of the previous page")]
ExpectedVersion = Annotated[int, Field(ge=0, le=MOST, description="Refuse if the version has changed")]
Rule = Annotated[object, WithJsonSchema({"type": "object"})]
Rules = Annotated[
    list[Rule],
    Field(
        description="[{name, type?: string|integer|number|boolean|date|datetime, "
        "enum?, required?, indexed?, unique?, description?}]"
    ),
]
NodeType = Annotated[object, WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "object"}]})]
ConnectionType = Annotated[
    object,
    WithJsonSchema(
        {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "from_types": {"type": "array", "items": {"type": "string"}},
                "to_types": {"type": "array", "items": {"type": "string"}},
                "required_properties": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["name", "from_types", "to_types"],
        }
    ),
]


class Call(TypedDict):
    """What every tool takes."""

    domain: NotRequired[Annotated[str, Field(description="Domain, if not the default")]]


class CreateNode(Call):
    """Arguments of `create_node`."""

    type: Annotated[str, Field(description="Node type of the ontology")]
    content: Annotated[str, Field(description="Text, or base64 for binary")]
    format: Annotated[str, Field(description="What the content is: markdown, json, pdf, ...")]
    encoding: NotRequired[Annotated[Encoding, Field(description="Default utf-8")]]
    properties: NotRequired[Annotated[Properties, Field(description="Key to string, number or boolean; for queries")]]
    tags: NotRequired[Annotated[Names, Field(description="Your own labels; shown by get_node")]]
    path: NotRequired[Annotated[str, Field(description="Where it belongs, e.g. work/kitchen")]]


class GetNode(Call):
    """Arguments of `get_node` and `get_node_content`."""

    node_id: str


class UpdateNode(Call):
    """Arguments of `update_node`."""

    node_id: str
    properties: NotRequired[Annotated[Properties, Field(description="Merged; keys cannot be removed")]]
    content: NotRequired[Annotated[str, Field(description="Replaces the content; needs encoding")]]
    encoding: NotRequired[Encoding]
    format: NotRequired[str]
    tags: NotRequired[Annotated[Names, Field(description="Replace all tags")]]
    path: NotRequired[str]
    expected_version: NotRequired[ExpectedVersion]


class DeleteNode(Call):
    """Arguments of `delete_node`."""

    node_id: str
    expected_version: NotRequired[ExpectedVersion]


class CreateConnection(Call):
    """Arguments of `create_connection`."""

    type: Annotated[str, Field(description="Connection type of the ontology")]
    from_node_id: str
    to_node_id: str
    properties: NotRequired[Properties]
    content: NotRequired[Annotated[str, Field(description="Notes about the relationship")]]


class GetConnection(Call):
    """Arguments of `get_connection`."""

    connection_id: str
    include_content: NotRequired[bool]


class UpdateConnection(Call):
    """Arguments of `update_connection`."""

    connection_id: str
    properties: NotRequired[Annotated[Properties, Field(description="Merged; keys cannot be removed")]]
    content: NotRequired[str]
    expected_version: NotRequired[ExpectedVersion]


class DeleteConnection(Call):
    """Arguments of `delete_connection`."""

    connection_id: str
    expected_version: NotRequired[ExpectedVersion]


class QueryNodes(Call):
    """Arguments of `query_nodes`."""

    type: NotRequired[str]
    properties: NotRequired[Properties]
    valid_at: NotRequired[ValidAt]
    limit: NotRequired[Limit]
    cursor: NotRequired[Cursor]


class QueryConnections(Call):
    """Arguments of `query_connections`."""

    from_node_id: NotRequired[str]
    to_node_id: NotRequired[str]
    type: NotRequired[str]
    properties: NotRequired[Properties]
    valid_at: NotRequired[ValidAt]
    limit: NotRequired[Limit]
    cursor: NotRequired[Cursor]


class GetConnectedNodes(Call):
    """Arguments of `get_connected_nodes`."""

    node_id: str
    direction: Annotated[Direction, Field(description="out: from this node; in: to it")]
    connection_type: NotRequired[str]
    valid_at: NotRequired[ValidAt]
    limit: NotRequired[Limit]
    cursor: NotRequired[Cursor]


class SearchContent(Call):
    """Arguments of `search_content`."""

    query: Annotated[str, Field(min_length=1, description="Exact substring, case-insensitive")]
    node_type: NotRequired[str]
    limit: NotRequired[Limit]
    cursor: NotRequired[Cursor]


class ValidateConnection(Call):
    """Arguments of `validate_connection`."""

    connection_type: str
    from_node_type: str
    to_node_type: str


class CreateOntology(Call):
    """Arguments of `create_ontology`."""

    node_types: Annotated[list[NodeType], Field(description="Names, or objects: name and what add_node_type takes")]
    connection_types: Annotated[list[ConnectionType], Field(description="May have all add_connection_type takes")]
    open: NotRequired[Annotated[bool, Field(description="Unknown types in writes are added instead of refused")]]


class AddNodeType(Call):
    """Arguments of `add_node_type`."""

    type_name: str
    description: NotRequired[str]
    required_properties: NotRequired[Names]
    properties: NotRequired[Rules]


class AddConnectionType(Call):
    """Arguments of `add_connection_type`."""

    type_name: str
    from_types: Names
    to_types: Names
    required_properties: NotRequired[Names]
    description: NotRequired[str]
    properties: NotRequired[Annotated[list[Rule], Field(description="As in add_node_type")]]
    unique_source: NotRequired[Annotated[bool, Field(description="At most one from each node")]]
    unique_target: NotRequired[Annotated[bool, Field(description="At most one to each node")]]
    acyclic: NotRequired[bool]


class GetOntology(Call):
    """Arguments of `get_ontology`."""

    detail: NotRequired[Annotated[bool, Field(description="Include descriptions and property rules")]]
