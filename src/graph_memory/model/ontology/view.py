"""The ontology as `get_ontology` and the command line show it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, WithJsonSchema

from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.ontology.types import ConnectionType, definition
from graph_memory.model.results import Result

Declared = dict[str, object]
_Texts = {"type": "array", "items": {"type": "string"}}
_NODE_TYPE = {"anyOf": [{"type": "string"}, {"type": "object", "required": ["name"]}]}
_CONNECTION_TYPE = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "from_types": _Texts, "to_types": _Texts},
    "required": ["name", "from_types", "to_types"],
}


class OntologyView(Result):
    """The ontology of a domain, in the order of declaration."""

    node_types: Annotated[list[str | Declared], WithJsonSchema({"type": "array", "items": _NODE_TYPE})] = Field(
        description="Names; with detail, objects"
    )
    connection_types: Annotated[list[Declared], WithJsonSchema({"type": "array", "items": _CONNECTION_TYPE})]
    open: bool | None = None
    description: str | None = None


def brief_view(ontology: Ontology) -> OntologyView:
    """Return the names of the types, and the ends, inverses and required properties of connection types."""
    return OntologyView(
        node_types=[declared.name for declared in ontology.node_types],
        connection_types=[_brief_connection(declared) for declared in ontology.connection_types],
    )


def detailed_view(ontology: Ontology) -> OntologyView:
    """Return the whole ontology with all declarations."""
    return OntologyView(
        node_types=[definition(declared) for declared in ontology.node_types],
        connection_types=[definition(declared) for declared in ontology.connection_types],
        open=ontology.open,
        description=ontology.description or None,
    )


def _brief_connection(declared: ConnectionType) -> Declared:
    ends: Declared = {
        "name": declared.name,
        "from_types": list(declared.from_types),
        "to_types": list(declared.to_types),
    }
    meaning: Declared = {"inverse": declared.inverse} if declared.inverse else {}
    meaning |= {"symmetric": True} if declared.symmetric else {}
    required: Declared = {"required_properties": list(declared.required)} if declared.required else {}
    return {**ends, **meaning, **required}
