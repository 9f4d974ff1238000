"""Runs callers' Cypher statements, and describes the graph that the statements can read."""

from __future__ import annotations

import json
from collections.abc import Mapping

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.cypher.results import CypherRows, CypherSchema, LabelInfo, RelationshipInfo
from graph_memory.memory.search.token_budget import RemainingTokens, load_counter
from graph_memory.model.ontology.ontology import AnyType
from graph_memory.model.text.wording import join_names
from graph_memory.model.values.arguments import check_integer
from graph_memory.storage.ad_hoc import AdHocRows, read_ad_hoc

MAX_ROWS = 1_000
MIN_TOKENS = 100
MAX_TOKENS = 50_000


async def query_cypher(
    core: Core, domain: str, statement: str, parameters: Mapping[str, object], limit: int, max_tokens: int
) -> CypherRows:
    """Run a read-only statement and return its rows. See `Memory.query_cypher`."""
    check_integer("limit", limit, 1, MAX_ROWS)
    check_integer("max_tokens", max_tokens, MIN_TOKENS, MAX_TOKENS)
    result = await read_ad_hoc(core.store.of(domain), statement, parameters, limit)
    rows = await anyio.to_thread.run_sync(_fit_to_budget, result, max_tokens)
    if not (names := core.store.other_databases(domain)):
        return rows
    warning = (
        f"Only the database of domain {domain} was read, so domains in databases {join_names(names)} are missing. "
        "To read another database, repeat the statement with one of its domains as the default domain."
    )
    return rows.model_copy(update={"warnings": (warning, *(rows.warnings or ()))})


def _fit_to_budget(result: AdHocRows, max_tokens: int) -> CypherRows:
    """Return as many rows as fit into the token budget. If rows are omitted, the result has a warning."""
    budget = RemainingTokens(load_counter(), max_tokens)
    rows: list[tuple[object, ...]] = []
    for row in result.rows:
        if not budget.deduct(budget.count(json.dumps(row, ensure_ascii=False))):
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
        labels=tuple(
            LabelInfo(label=node_type.name, properties=_properties_of(node_type)) for node_type in ontology.node_types
        ),
        relationships=tuple(
            RelationshipInfo(
                type=connection_type.name,
                start=tuple(connection_type.from_types),
                end=tuple(connection_type.to_types),
                properties=_properties_of(connection_type),
            )
            for connection_type in ontology.connection_types
        ),
        conventions=(
            f"Match the domain first: (n:_Node {{_domain: {json.dumps(domain)}}}). Other domains have the same labels.",
            "Every node has the label _Node, and _id, _title, _type, _created and _modified. _content is its text.",
            "(o:_Observation)-[:_OBSERVES]->(n) are facts about an entity, which is a node with _entity_name.",
            "Relationships have _id, _domain and _type. Names that begin with _ belong to graph-memory.",
        ),
    )


def _properties_of(type_definition: AnyType) -> dict[str, str]:
    return {property_rule.name: str(property_rule.type or "any") for property_rule in type_definition.properties}
