"""The toolset `entities`: the nine tools of the official memory server, which also accept a spelling of our own.

Arguments that the official server accepts have the same meaning here. Others use our spelling if they have a `type`,
`names`, or an `entityName` beside the observations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from graph_memory.memory.entities.results import (
    Confirmation,
    EntityCreationResult,
    KnowledgeGraph,
    ObservationAdditionResult,
    RelationCreationResult,
)
from graph_memory.model.values.plain import LocatedValue
from graph_memory.operations.official import CallArguments, OfficialOperation
from graph_memory.operations.operation import AnyOperation, Effect

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory
    from graph_memory.model.results import Result

_OBSERVATIONS_DESCRIPTION = "An array of observation contents associated with the entity"
_ENTITY = {
    "name": (str, "The name of the entity"),
    "entityType": (str, "The type of the entity"),
    "observations": ([str], _OBSERVATIONS_DESCRIPTION),
}
_RELATION = {
    "from": (str, "The name of the entity where the relation starts"),
    "to": (str, "The name of the entity where the relation ends"),
    "relationType": (str, "The type of the relation"),
}
_ADDITION = {
    "entityName": (str, "The name of the entity to add the observations to"),
    "contents": ([str], "An array of observation contents to add"),
}
_DELETION = {
    "entityName": (str, "The name of the entity containing the observations"),
    "observations": ([str], "An array of observations to delete"),
}
_GRAPH = {"entities": [_ENTITY], "relations": [_RELATION]}
_ADDITION_RESULT = {"entityName": str, "addedObservations": [str]}
_SUCCESS = {"success": bool, "message": str}


def _has_types(arguments: CallArguments, name: str) -> bool:
    """Return whether items of a list have `type` instead of the official `entityType` or `relationType`."""
    items: object = arguments.get(name)
    if not isinstance(items, list):
        return False
    objects = [cast("Mapping[str, Any]", item) for item in cast("list[object]", items) if isinstance(item, Mapping)]
    return any("type" in item and not {"entityType", "relationType"} & item.keys() for item in objects)


async def _create_relations(memory: Memory, arguments: CallArguments) -> Result:
    lenient = LocatedValue(arguments["lenient"], "lenient").flag() if "lenient" in arguments else None
    return await memory.entities.create_relations(arguments["relations"], lenient=lenient)


async def _add_observations(memory: Memory, arguments: CallArguments) -> Result:
    return await memory.entities.add_observations(
        [arguments] if "entityName" in arguments else arguments["observations"]
    )


async def _delete_entities(memory: Memory, arguments: CallArguments) -> Result:
    return await memory.entities.delete_entities(arguments["entityNames" if "entityNames" in arguments else "names"])


async def _delete_observations(memory: Memory, arguments: CallArguments) -> Result:
    return await memory.entities.delete_observations(
        [arguments] if "entityName" in arguments else arguments["deletions"]
    )


async def _read_graph(memory: Memory, arguments: CallArguments) -> Result:
    options: dict[str, Any] = {**arguments}
    if options.get("max_tokens") is None:
        options["max_tokens"] = memory.entities.read_graph_tokens
    return await memory.entities.read_graph(**options)


async def _open_nodes(memory: Memory, arguments: CallArguments) -> Result:
    return await memory.entities.open_nodes(
        arguments["names"], detail=LocatedValue(arguments.get("detail", False), "detail").flag()
    )


ENTITIES: tuple[AnyOperation, ...] = (
    OfficialOperation(
        "create_entities",
        "Create multiple new entities in the knowledge graph",
        {"entities": [_ENTITY]},
        {"entities": [_ENTITY]},
        EntityCreationResult,
        Effect.CREATES,
        lambda memory, arguments: memory.entities.create_entities(arguments["entities"]),
        lambda arguments: _has_types(arguments, "entities"),
        own_item_arguments=("description", "properties"),
    ),
    OfficialOperation(
        "create_relations",
        "Create multiple new relations between entities in the knowledge graph. Relations should be in active voice",
        {"relations": [_RELATION]},
        {"relations": [_RELATION]},
        RelationCreationResult,
        Effect.CREATES,
        _create_relations,
        lambda arguments: _has_types(arguments, "relations"),
        own_arguments=("lenient",),
        own_item_arguments=("properties",),
        has_extra_fields=True,
    ),
    OfficialOperation(
        "add_observations",
        "Add new observations to existing entities in the knowledge graph",
        {"observations": [_ADDITION]},
        {"results": [_ADDITION_RESULT]},
        ObservationAdditionResult,
        Effect.CREATES,
        _add_observations,
        lambda arguments: "entityName" in arguments,
    ),
    OfficialOperation(
        "delete_entities",
        "Delete multiple entities and their associated relations from the knowledge graph",
        {"entityNames": ([str], "An array of entity names to delete")},
        _SUCCESS,
        Confirmation,
        Effect.DESTROYS,
        _delete_entities,
        lambda arguments: "names" in arguments,
    ),
    OfficialOperation(
        "delete_observations",
        "Delete specific observations from entities in the knowledge graph",
        {"deletions": [_DELETION]},
        _SUCCESS,
        Confirmation,
        Effect.DESTROYS,
        _delete_observations,
        lambda arguments: "entityName" in arguments,
    ),
    OfficialOperation(
        "delete_relations",
        "Delete multiple relations from the knowledge graph",
        {"relations": ([_RELATION], "An array of relations to delete")},
        _SUCCESS,
        Confirmation,
        Effect.DESTROYS,
        lambda memory, arguments: memory.entities.delete_relations(arguments["relations"]),
        lambda arguments: _has_types(arguments, "relations"),
    ),
    OfficialOperation(
        "read_graph",
        "Read the entire knowledge graph",
        {},
        _GRAPH,
        KnowledgeGraph,
        Effect.READS,
        _read_graph,
        own_arguments=("max_tokens", "limit", "cursor"),
    ),
    OfficialOperation(
        "search_nodes",
        "Search for nodes in the knowledge graph based on a query",
        {"query": (str, "The search query to match against entity names, types, and observation content")},
        _GRAPH,
        KnowledgeGraph,
        Effect.READS,
        lambda memory, arguments: memory.entities.search_nodes(arguments["query"]),
    ),
    OfficialOperation(
        "open_nodes",
        "Open specific nodes in the knowledge graph by their names",
        {"names": ([str], "An array of entity names to retrieve")},
        _GRAPH,
        KnowledgeGraph,
        Effect.READS,
        _open_nodes,
        own_arguments=("detail",),
        has_extra_fields=True,
    ),
)
