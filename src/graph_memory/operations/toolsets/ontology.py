"""The tools of the toolset `graph` for the types of a domain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired

from pydantic import Field, WithJsonSchema

from graph_memory.model.ontology.declarations import connection_type_from, node_type_from
from graph_memory.model.ontology.ontology import ontology_from
from graph_memory.model.ontology.view import OntologyView, brief_view, detailed_view
from graph_memory.model.results import OntologyChangeResult, Validity
from graph_memory.model.values.properties import PropertyType
from graph_memory.operations.arguments import BOOLEAN, NUMBER, STRING, STRINGS, Call, Names, object_schema
from graph_memory.operations.operation import AnyOperation, Effect, Operation

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

_RULE = object_schema(
    {
        "name": STRING,
        "type": {"type": "string", "enum": [str(kind) for kind in PropertyType]},
        "enum": {"type": "array", "items": {"anyOf": [STRING, NUMBER, BOOLEAN]}},
        "required": BOOLEAN,
        "indexed": BOOLEAN,
        "unique": BOOLEAN,
        "description": STRING,
    },
    "name",
)
_CONNECTION_TYPE = object_schema(
    {"name": STRING, "from_types": STRINGS, "to_types": STRINGS, "required_properties": STRINGS},
    *("name", "from_types", "to_types"),
)
_DECLARATION = {**object_schema({"name": STRING}, "name"), "additionalProperties": True}
Rule = Annotated[object, WithJsonSchema(_DECLARATION)]
Rules = list[Annotated[object, WithJsonSchema(_RULE)]]
NodeType = Annotated[object, WithJsonSchema({"anyOf": [STRING, _DECLARATION]})]
ConnectionType = Annotated[object, WithJsonSchema({**_CONNECTION_TYPE, "additionalProperties": True})]


class ValidateConnection(Call):
    """Arguments of `validate_connection`."""

    connection_type: str
    from_node_type: str
    to_node_type: str


class CreateOntology(Call):
    """Arguments of `create_ontology`."""

    node_types: Annotated[list[NodeType], Field(description="Names, or objects with the arguments of add_node_type")]
    connection_types: Annotated[
        list[ConnectionType], Field(description="Objects with the arguments of add_connection_type")
    ]
    open: NotRequired[Annotated[bool, Field(description="Let writes add unknown types")]]


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
    properties: NotRequired[Annotated[list[Rule], Field(description="Same format as in add_node_type")]]
    unique_source: NotRequired[Annotated[bool, Field(description="At most one outgoing connection per node")]]
    unique_target: NotRequired[Annotated[bool, Field(description="At most one incoming connection per node")]]
    unique_pair: NotRequired[Annotated[bool, Field(description="At most one connection per pair of nodes")]]
    acyclic: NotRequired[bool]
    half_life: NotRequired[
        Annotated[float, Field(ge=0.01, le=36500, description="Days until a connection's weight halves")]
    ]
    inverse: NotRequired[Annotated[str, Field(description="Name of the type in the other direction")]]
    symmetric: NotRequired[bool]
    transitive: NotRequired[bool]
    materialize_inverse: NotRequired[bool]


class GetOntology(Call):
    """Arguments of `get_ontology`."""

    detail: NotRequired[Annotated[bool, Field(description="Include descriptions and property rules")]]


async def validate_connection(memory: Memory, arguments: ValidateConnection) -> Validity:
    """Check whether the ontology lets a connection type join two node types, and if not, why."""
    return await memory.validate_connection(**arguments)


async def create_ontology(memory: Memory, arguments: CreateOntology) -> OntologyChangeResult:
    """Define the types of a domain that has none. Types can be added later."""
    ontology = ontology_from({key: value for key, value in arguments.items() if key != "domain"})
    return await memory.create_ontology(ontology, domain=arguments.get("domain"))


async def add_node_type(memory: Memory, arguments: AddNodeType) -> OntologyChangeResult:
    """Add a node type to the ontology. It cannot be removed."""
    new_type = node_type_from(_declaration(arguments))
    return await memory.add_node_type(new_type, domain=arguments.get("domain"))


async def add_connection_type(memory: Memory, arguments: AddConnectionType) -> OntologyChangeResult:
    """Add a connection type to the ontology. It cannot be removed. ["*"] means all node types."""
    new_type = connection_type_from(_declaration(arguments))
    return await memory.add_connection_type(new_type, domain=arguments.get("domain"))


async def get_ontology(memory: Memory, arguments: GetOntology) -> OntologyView:
    """Get the node and connection types of a domain; detail adds property rules. Call it before writing."""
    ontology = await memory.get_ontology(**_domain_of(arguments))
    return detailed_view(ontology) if arguments.get("detail") else brief_view(ontology)


def _domain_of(arguments: Call) -> Call:
    """Return the `domain` argument, if there is one. The memory of a past state does not accept it."""
    return {"domain": arguments["domain"]} if "domain" in arguments else {}


def _declaration(arguments: AddNodeType | AddConnectionType) -> dict[str, object]:
    fields = {key: value for key, value in arguments.items() if key not in {"type_name", "domain"}}
    return {"name": arguments["type_name"], **fields}


ONTOLOGY: tuple[AnyOperation, ...] = (
    Operation(validate_connection, ValidateConnection, Validity, Effect.READS),
    Operation(create_ontology, CreateOntology, OntologyChangeResult, Effect.DECLARES),
    Operation(add_node_type, AddNodeType, OntologyChangeResult, Effect.DECLARES),
    Operation(add_connection_type, AddConnectionType, OntologyChangeResult, Effect.DECLARES),
    Operation(get_ontology, GetOntology, OntologyView, Effect.READS),
)
