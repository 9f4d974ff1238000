"""The calls of `GraphPropertyStore`, as functions of a memory.

A LlamaIndex node is stored as a node. The label is stored as the type, and the id as the path. The metadata contains
all properties. A property with a valid key and value is also stored as a property of the node. The name of an entity is
stored as the property `name`, so that the tools for entities find it. The text of a chunk is stored as the content. A
relation is stored as a connection, with its label as the type.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from llama_index.core.graph_stores.types import ChunkNode, EntityNode, LabelledNode, Relation, Triplet
from llama_index.core.vector_stores.types import VectorStoreQuery

from graph_memory.adapters.running import path_of, title_of
from graph_memory.layers import add_missing_types
from graph_memory.memory.api.memory import Memory
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import ConnectionSummary, NodeDescription
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.properties import check_properties

_ROOT = "llama-index"
_NAME = "name"
_DETAILS = "llama_index"
"""The metadata field of a node, and the property of a connection, for fields that cannot be stored as properties."""
_DEFAULT_LABEL = "entity"
"""The label that LlamaIndex gives to an entity without a label."""
_MAX_HITS = 100
_BATCH_SIZE = 200
"""Maximum number of nodes or relations per transaction, so that it ends within its limit of 60 seconds."""
_MAX_CYPHER_ROWS, _MAX_CYPHER_TOKENS = 1_000, 50_000


@dataclass(frozen=True, slots=True)
class TripletFilter:
    """Conditions on triplets or nodes. A condition that is None or empty matches everything."""

    entity_names: Sequence[str] | None = None
    relation_names: Sequence[str] | None = None
    properties: Mapping[str, Any] | None = None
    ids: Sequence[str] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether all conditions are None or empty."""
        return not (self.entity_names or self.relation_names or self.properties or self.ids)

    def matches(self, triplet: Triplet) -> bool:
        """Return whether a triplet meets all conditions."""
        start, relation, end = triplet
        node_ids = {start.id, end.id}
        if self.properties and not any(_has_any_value(part.properties, self.properties) for part in triplet):
            return False
        return (
            (not self.entity_names or not node_ids.isdisjoint(self.entity_names))
            and (not self.relation_names or relation.id in self.relation_names)
            and (not self.ids or not node_ids.isdisjoint(self.ids))
        )


async def get(memory: Memory, properties: Mapping[str, Any] | None, ids: Sequence[str] | None) -> list[LabelledNode]:
    """Return the nodes with one of the ids and at least one of the property values. None means no condition."""
    nodes = await _find_nodes(memory, properties, ids)
    return [_node_of(node, text) for node, text in await _read_texts(memory, nodes)]


async def _find_nodes(
    memory: Memory, properties: Mapping[str, Any] | None = None, ids: Sequence[str] | None = None
) -> Sequence[NodeDescription]:
    prefixes = [_path_of_id(node_id) for node_id in dict.fromkeys(ids)] if ids else [path_of((_ROOT,))]
    nodes: dict[str, NodeDescription] = {}
    try:
        for prefix in prefixes:
            page = await memory.query_nodes(path_prefix=prefix)
            page_nodes = await memory.describe_nodes(page.node_ids) if page.node_ids else ()
            nodes |= {node.id: node for node in page_nodes if _is_from_llama_index(node)}
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
    ordered = sorted(nodes.values(), key=lambda node: node.id)
    return [node for node in ordered if not properties or _has_any_value(_properties_of(node), properties)]


async def _read_texts(memory: Memory, nodes: Sequence[NodeDescription]) -> list[tuple[NodeDescription, str]]:
    return [(node, (await memory.get_node_content(node.id)).content if node.content_size else "") for node in nodes]


async def get_triplets(memory: Memory, conditions: TripletFilter) -> list[Triplet]:
    """Return the triplets that meet all conditions. If no condition is given, return an empty list."""
    if conditions.is_empty:
        return []
    ids = [*(conditions.ids or ()), *(conditions.entity_names or ())]
    connections = await _find_connections(memory, ids, conditions.relation_names)
    node_ids = {node_id for connection in connections for node_id in (connection.from_id, connection.to_id)}
    endpoints = await memory.describe_nodes(list(node_ids)) if node_ids else ()
    nodes_with_texts = await _read_texts(memory, [node for node in endpoints if _is_from_llama_index(node)])
    nodes = {node.id: _node_of(node, text) for node, text in nodes_with_texts}
    triplets = [
        (nodes[connection.from_id], _relation_of(connection, nodes), nodes[connection.to_id])
        for connection in connections
        if connection.from_id in nodes and connection.to_id in nodes
    ]
    return [triplet for triplet in triplets if conditions.matches(triplet)]


async def _find_connections(
    memory: Memory, ids: Sequence[str], labels: Collection[str] | None
) -> Sequence[ConnectionSummary]:
    """Return the connections of the nodes that have one of the labels. Empty ids or labels are not a condition."""
    nodes = {node.id: node for node in await _find_nodes(memory, ids=ids)}
    if not nodes:
        return ()
    queries: list[dict[str, Any]] = [{argument: id_} for id_ in nodes for argument in ("from_node_id", "to_node_id")]
    if not ids:  # a query for each label, or for all, is enough
        ontology = await memory.get_ontology()
        queries = [{"type": label} for label in labels if ontology.find_connection_type(label)] if labels else [{}]
    connection_ids: dict[str, None] = {}
    for query in queries:
        connection_ids |= dict.fromkeys((await memory.query_connections(**query)).connection_ids)
    connections = await memory.describe_connections(list(connection_ids)) if connection_ids else ()
    return [
        connection
        for connection in connections
        if (not labels or connection.type in labels) and (connection.from_id in nodes or connection.to_id in nodes)
    ]


async def get_rel_map(
    memory: Memory, ids: Sequence[str], depth: int, limit: int, ignored_labels: Collection[str]
) -> list[Triplet]:
    """Return up to `limit` triplets within `depth` steps of the nodes, nearest first, without ignored labels."""
    seen_keys: set[tuple[str, ...]] = set()
    results: list[Triplet] = []
    for _ in range(depth):
        if not ids or len(results) >= limit:
            break
        neighbours = await get_triplets(memory, TripletFilter(ids=ids))
        by_key = {tuple(part.id for part in triplet): triplet for triplet in neighbours}
        new_triplets = {key: triplet for key, triplet in by_key.items() if key not in seen_keys}
        ids = [triplet[2].id for triplet in new_triplets.values()]
        seen_keys |= new_triplets.keys()
        results += [triplet for triplet in new_triplets.values() if triplet[1].id not in ignored_labels]
    return results[:limit]


async def upsert_nodes(memory: Memory, nodes: Sequence[LabelledNode]) -> None:
    """Create or replace nodes, up to 200 per transaction. An entity that another tool has created is extended."""
    if not nodes:
        return
    nodes_with_details = list({node.id: (node, _details_of(node)) for node in nodes}.values())
    await add_missing_types(memory)
    for start in range(0, len(nodes_with_details), _BATCH_SIZE):
        async with memory.transaction() as transaction:
            await _upsert(transaction, nodes_with_details[start : start + _BATCH_SIZE])


async def _upsert(memory: Memory, nodes: Sequence[tuple[LabelledNode, Mapping[str, Any]]]) -> Mapping[str, str]:
    """Create or replace nodes in a transaction. Return their ids in the memory, keyed by LlamaIndex id."""
    stored = {_id_of(node): node for node in await _find_nodes(memory, ids=[node.id for node, _ in nodes])}
    ids: dict[str, str] = {}
    for node, details in nodes:
        stored_node = stored.get(node.id)
        if stored_node is None and isinstance(node, EntityNode):
            stored_node = await _find_or_create_entity(memory, node)
        elif stored_node is not None and stored_node.type != node.label:
            await memory.entities.update_entity(stored_node.id, type=node.label)
        ids[node.id] = await _write(memory, node, stored_node, details)
    return ids


async def _find_or_create_entity(memory: Memory, node: EntityNode) -> NodeDescription:
    """Return the entity with the node's name. If there is none, create it with the node's label.

    The type of an existing entity is set to the node's label, unless the label is LlamaIndex's default.
    """
    properties = _properties_to_store(node)
    entity = {"name": node.name, "entityType": node.label, "properties": properties}
    await memory.entities.create_entities([entity])
    label = node.label if node.label != _DEFAULT_LABEL else None
    updated = await memory.entities.update_entity(node.name, type=label, properties=properties)
    return (await memory.describe_nodes([updated.id]))[0]


async def _write(
    memory: Memory, node: LabelledNode, stored_node: NodeDescription | None, details: Mapping[str, Any]
) -> str:
    """Write the fields of a node, and return its id. An entity keeps its content and its other metadata fields."""
    fields: dict[str, Any] = {"properties": _properties_to_store(node), "path": _path_of_id(node.id)}
    if isinstance(node, ChunkNode):
        fields |= {"content": node.text, "format": "text", "title": title_of(node.text[:80]) or node.label}
    metadata = {_DETAILS: details}
    if stored_node is None:
        return (await memory.create_node(node.label, metadata=metadata, **fields)).node_id
    await memory.update_node(stored_node.id, metadata={**(stored_node.metadata or {}), **metadata}, **fields)
    return stored_node.id


async def upsert_relations(memory: Memory, relations: Sequence[Relation]) -> None:
    """Create relations, or update the properties of stored relations, up to 200 per transaction.

    Missing start and end nodes are created as entities.
    """
    if not relations:
        return
    await add_missing_types(memory)
    for start in range(0, len(relations), _BATCH_SIZE):
        async with memory.transaction() as transaction:
            await _upsert_relations(transaction, relations[start : start + _BATCH_SIZE])


async def _upsert_relations(memory: Memory, relations: Sequence[Relation]) -> None:
    names = list(dict.fromkeys(name for relation in relations for name in (relation.source_id, relation.target_id)))
    ids = {_id_of(node): node.id for node in await _find_nodes(memory, ids=names)}
    for name in names:
        if name not in ids:
            node = EntityNode(name=name)
            ids[name] = (await _upsert(memory, [(node, _details_of(node))]))[node.id]
    for relation in relations:
        await _upsert_relation(memory, relation, ids[relation.source_id], ids[relation.target_id])


async def _upsert_relation(memory: Memory, relation: Relation, start: str, end: str) -> None:
    page = await memory.query_connections(from_node_id=start, to_node_id=end)
    connections = await memory.describe_connections(page.connection_ids) if page.connection_ids else ()
    stored = next((connection for connection in connections if connection.type == relation.label), None)
    properties = _valid_properties(relation.properties, _DETAILS)
    stored_details = stored.properties.get(_DETAILS) if stored else None
    merged: dict[str, Any] = {**(json.loads(str(stored_details)) if stored_details else {}), **relation.properties}
    details = {key: value for key, value in merged.items() if key not in properties}
    if details or stored_details:
        properties[_DETAILS] = json.dumps(details)
    if stored:
        await memory.update_connection(stored.id, properties=properties)
    else:
        await memory.create_connection(relation.label, start, end, properties=properties)


async def delete(memory: Memory, conditions: TripletFilter) -> None:
    """Delete the nodes with these names, property values or ids, and the relations with these names."""
    nodes: dict[str, None] = {}
    if names := [*(conditions.entity_names or ()), *(conditions.ids or ())]:
        nodes |= dict.fromkeys(node.id for node in await _find_nodes(memory, ids=names))
    if conditions.properties:
        nodes |= dict.fromkeys(node.id for node in await _find_nodes(memory, conditions.properties))
    operations: list[dict[str, Any]] = []
    if conditions.relation_names:
        connections = await _find_connections(memory, (), conditions.relation_names)
        operations += [{"op": "delete_connection", "connection_id": connection.id} for connection in connections]
    operations += [{"op": "delete_node", "node_id": node_id} for node_id in nodes]
    if operations:
        await memory.execute_batch(operations)


async def run_cypher(memory: Memory, statement: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return up to 1,000 rows of a read-only Cypher statement."""
    result = await memory.query_cypher(statement, parameters, limit=_MAX_CYPHER_ROWS, max_tokens=_MAX_CYPHER_TOKENS)
    return [dict(zip(result.columns, row, strict=True)) for row in result.rows]


async def read_schema(memory: Memory) -> str:
    """Return the labels, relationship types and properties for Cypher statements, as JSON."""
    return (await memory.graph_schema()).model_dump_json(exclude_none=True)


async def search(memory: Memory, query: VectorStoreQuery) -> tuple[list[LabelledNode], list[float]]:
    """Return the nodes that best match the text of the query, with their scores.

    Raises INVALID_ARGUMENT if the query has no text, or has filters.
    """
    if not query.query_str:
        hint = "Set query_str: the memory has its own vector index. Keep vectors from other models in a vector store."
        raise invalid_argument("query_embedding", "This store cannot search with a vector from another model", hint)
    for name in ("filters", "doc_ids", "node_ids"):
        if getattr(query, name):
            raise invalid_argument(
                name, f"This store does not support {name} in a search", f"Omit {name}, and filter the results."
            )
    limit = min(query.similarity_top_k, _MAX_HITS)
    if limit < 1:
        return [], []
    try:
        hits = await memory.recall.search_memories(
            query.query_str, filters={"path_prefix": path_of((_ROOT,))}, max_results=limit
        )
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        return [], []
    scores = {hit.id: hit.score or 0.0 for hit in hits.hits}
    hit_nodes = await memory.describe_nodes(list(scores)) if scores else ()
    nodes_with_texts = await _read_texts(memory, [node for node in hit_nodes if _is_from_llama_index(node)])
    nodes = [_node_of(node, text) for node, text in nodes_with_texts]
    return nodes, [scores[node.id] for node, _ in nodes_with_texts]


def _details_of(node: LabelledNode) -> Mapping[str, Any]:
    """Return the fields of a node for the metadata.

    Raises INVALID_ARGUMENT if the node is neither an EntityNode nor a ChunkNode.
    """
    match node:
        case EntityNode():
            return {"id": node.id, "name": node.name, "properties": node.properties}
        case ChunkNode():
            return {"id": node.id, "properties": node.properties}
        case _:
            hint = "Use EntityNode or ChunkNode."
            raise invalid_argument("nodes", f"Nodes of class {type(node).__name__} cannot be stored", hint)


def _properties_to_store(node: LabelledNode) -> dict[str, Any]:
    """Return the properties to store on the node, without `name`, which stores the name of an entity."""
    reserved = (_NAME,) if isinstance(node, EntityNode) else ()
    return _valid_properties(node.properties, *reserved)


def _node_of(node: NodeDescription, text: str) -> LabelledNode:
    details, properties = _stored_details(node), _properties_of(node)
    if "name" in details:
        return EntityNode(name=str(details["name"]), label=node.type, properties=properties)
    return ChunkNode(text=text, id_=_id_of(node), label=node.type, properties=properties)


def _relation_of(connection: ConnectionSummary, nodes: Mapping[str, LabelledNode]) -> Relation:
    properties: dict[str, Any] = {**connection.properties}
    details = properties.pop(_DETAILS, None)
    return Relation(
        label=connection.type,
        source_id=nodes[connection.from_id].id,
        target_id=nodes[connection.to_id].id,
        properties={**properties, **(json.loads(str(details)) if details else {})},
    )


def _properties_of(node: NodeDescription) -> dict[str, Any]:
    """Return the properties of a LlamaIndex node.

    Properties that were changed in the memory have their current values.
    """
    stored = cast("Mapping[str, Any]", _stored_details(node).get("properties") or {})
    return {key: node.properties.get(key, value) if key != _NAME else value for key, value in stored.items()}


def _valid_properties(properties: Mapping[str, Any], *reserved: str) -> dict[str, Any]:
    """Return the properties with valid names and values. Reserved names are omitted."""
    valid_properties: dict[str, Any] = {}
    for key, value in properties.items():
        if key in reserved:
            continue
        try:
            valid_properties |= check_properties({key: value})
        except GraphError:
            continue
    return valid_properties


def _has_any_value(properties: Mapping[str, Any], conditions: Mapping[str, Any]) -> bool:
    return any(properties.get(key) == value for key, value in conditions.items())


def _is_from_llama_index(node: NodeDescription) -> bool:
    return "id" in _stored_details(node) and node.path == _path_of_id(_id_of(node))


def _id_of(node: NodeDescription) -> str:
    return str(_stored_details(node)["id"])


def _stored_details(node: NodeDescription) -> Mapping[str, Any]:
    details = (node.metadata or {}).get(_DETAILS)
    return cast("Mapping[str, Any]", details) if isinstance(details, Mapping) else {}


def _path_of_id(node_id: str) -> str:
    return path_of((_ROOT, node_id))
