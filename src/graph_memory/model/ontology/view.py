"""The form in which `get_ontology` and the command line return an ontology."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, WithJsonSchema

from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.ontology.types import ConnectionType, definition
from graph_memory.model.results import Result

Declaration = dict[str, object]
_STRINGS = {"type": "array", "items": {"type": "string"}}
_NODE_TYPE = {"anyOf": [{"type": "string"}, {"type": "object", "required": ["name"]}]}
_CONNECTION_TYPE = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "from_types": _STRINGS, "to_types": _STRINGS},
    "required": ["name", "from_types", "to_types"],
}


class OntologyView(Result):
    """A domain's node types and connection types, in declaration order."""

    node_types: Annotated[list[str | Declaration], WithJsonSchema({"type": "array", "items": _NODE_TYPE})] = Field(
        description="Names of the node types, or objects with all fields if detail is set"
    )
    connection_types: Annotated[list[Declaration], WithJsonSchema({"type": "array", "items": _CONNECTION_TYPE})] = (
        Field(description="The connection types")
    )
    open: bool | None = Field(default=None, description="Whether writes may add new types")
    description: str | None = Field(default=None, description="Description of the ontology")


def brief_view(ontology: Ontology) -> OntologyView:
    """Return the names of all types and, for connection types, endpoints, inverse, symmetry and required properties."""
    return OntologyView(
        node_types=[declared_type.name for declared_type in ontology.node_types],
        connection_types=[_brief_connection(declared_type) for declared_type in ontology.connection_types],
    )


def detailed_view(ontology: Ontology) -> OntologyView:
    """Return the ontology with the complete declarations of all types."""
    return OntologyView(
        node_types=[definition(declared_type) for declared_type in ontology.node_types],
        connection_types=[definition(declared_type) for declared_type in ontology.connection_types],
        open=ontology.open,
        description=ontology.description or None,
    )


def _brief_connection(connection_type: ConnectionType) -> Declaration:
    ends: Declaration = {
        "name": connection_type.name,
        "from_types": list(connection_type.from_types),
        "to_types": list(connection_type.to_types),
    }
    meaning: Declaration = {"inverse": connection_type.inverse} if connection_type.inverse else {}
    meaning |= {"symmetric": True} if connection_type.symmetric else {}
    required: Declaration = {"required_properties": list(connection_type.required)} if connection_type.required else {}
    return {**ends, **meaning, **required}
