"""Runs Cypher statements of callers, and describes the graph that they can read."""

from __future__ import annotations

import json
from collections.abc import Mapping

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.cypher.results import CypherRows, CypherSchema, LabelInfo, RelationshipInfo
from graph_memory.memory.search.token_budget import Room, load_counter
from graph_memory.model.ontology.ontology import AnyType
from graph_memory.model.values.arguments import check_integer
from graph_memory.storage.ad_hoc import AdHocRows, read_ad_hoc

MAX_ROWS = 1_000
MIN_TOKENS = 100
MAX_TOKENS = 50_000


async def query_cypher(
    core: Core, statement: str, parameters: Mapping[str, object], limit: int, max_tokens: int
) -> CypherRows:
    """Return the rows of a statement that only reads. See `Memory.query_cypher`."""
    check_integer("limit", limit, 1, MAX_ROWS)
    check_integer("max_tokens", max_tokens, MIN_TOKENS, MAX_TOKENS)
    result = await read_ad_hoc(core.store, statement, parameters, limit)
    return await anyio.to_thread.run_sync(_fit, result, max_tokens)


def _fit(result: AdHocRows, max_tokens: int) -> CypherRows:
    """Return as many of the rows as fit into the token budget."""
    room = Room(load_counter(), max_tokens)
    rows: list[tuple[object, ...]] = []
    for row in result.rows:
        if not room.take(room.count(json.dumps(row, ensure_ascii=False))):
            break
        rows.append(tuple(row))
    warnings: list[str] = []
    if len(rows) < len(result.rows):
        warnings.append(f"Only {len(rows)} rows fit into max_tokens. Return fewer or shorter columns, or add a WHERE.")
    elif result.has_more:
        warnings.append("There are more rows. Pass a higher limit, or use ORDER BY, SKIP and LIMIT.")
    return CypherRows(columns=tuple(result.columns), rows=tuple(rows), warnings=tuple(warnings) or None)


async def graph_schema(core: Core, domain: str) -> CypherSchema:
    """Return the labels, relationship types and properties of a domain. See `Memory.graph_schema`."""
    ontology = await core.log.require_ontology(domain)
    return CypherSchema(
        labels=tuple(LabelInfo(label=kind.name, properties=_properties_of(kind)) for kind in ontology.node_types),
        relationships=tuple(
            RelationshipInfo(
                type=kind.name,
                start=tuple(kind.from_types),
                end=tuple(kind.to_types),
                properties=_properties_of(kind),
            )
            for kind in ontology.connection_types
        ),
        conventions=(
            f"Match the domain first: (n:_Node {{_domain: {json.dumps(domain)}}}). Other domains have the same labels.",
            "Every node has the label _Node, and _id, _title, _type, _created and _modified. _content is its text.",
            "(o:_Observation)-[:_OBSERVES]->(n) are facts about an entity, which is a node with _entity_name.",
            "Relationships have _id, _domain and _type. Names that begin with _ belong to graph-memory.",
        ),
    )


def _properties_of(kind: AnyType) -> dict[str, str]:
    return {rule.name: str(rule.type or "any") for rule in kind.properties}
