"""Reads the memory graphs that mcp-neo4j-memory and neo4j-agent-memory store in Neo4j."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import cast

from graph_memory.memory.transfer.formats.memories.json_lines import rows_or_invalid_record
from graph_memory.memory.transfer.formats.memories.official import entity_rows
from graph_memory.memory.transfer.formats.memories.rows import (
    EntityRow,
    ObservationRow,
    RelationRow,
    Rows,
    fraction_in,
    scalars_of,
    text_in,
    text_of,
)
from graph_memory.memory.transfer.formats.neo4j_reading import (
    NODES,
    RELATIONSHIPS,
    Neo4jSource,
    NodeRow,
    RelationshipRow,
)
from graph_memory.memory.transfer.formats.records import InvalidSourceValue, Note, SourcePosition
from graph_memory.model.text.wording import printable
from graph_memory.model.values.properties import PropertyValue
from graph_memory.storage.connecting import Address
from graph_memory.storage.foreign import Graph, TextValue, open_graph
from graph_memory.storage.queries import query

LABELS = query("transfer/foreign_labels", str)
MEMORY, AGENT_ENTITY, FACT, PREFERENCE = "Memory", "Entity", "Fact", "Preference"
_RELATED = "RELATED_TO"
_ENTITY_FIELDS = {"id", "name", "type", "description", "embedding", "canonical_name", "metadata"}
_INTERNAL_WORDS = ("_key", "embedding", "normalized", "phonetic", "token")
_EDGE_KEYS = {"id", "type", "relation_type"}
Values = Mapping[str, object]


def read_mcp_neo4j_memory(source: Neo4jSource) -> Rows:
    """Yield the nodes of mcp-neo4j-memory, which have the label Memory, and their relationships."""
    with _open_graph(source) as graph:
        source_name, names = printable(source), dict[str, str]()
        for place, node, values in _nodes(graph, source_name, MEMORY):
            names[node.key] = text_in(values, "name") or ""
            entity: Values = {
                **values,
                "observations": values.get("observations") or [],
                "type": values.get("type") or "entity",
            }
            yield from rows_or_invalid_record(place, partial(entity_rows, entity, place, "type"))
        for place, row, values in _relationships(graph, source_name, MEMORY):
            yield from rows_or_invalid_record(
                place, partial(_relation, row, place, names, row.type, scalars_of(values, set()))
            )


def read_neo4j_agent_memory(source: Neo4jSource) -> Rows:
    """Yield the entities, facts and preferences of neo4j-agent-memory. Its messages and traces are skipped."""
    with _open_graph(source) as graph:
        source_name, names = printable(source), dict[str, str]()
        for place, node, values in _nodes(graph, source_name, AGENT_ENTITY):
            if values.get("merged_into") is not None:
                yield Note(SourcePosition(source_name), "entities that were merged into others are left out")
                continue
            names[node.key] = text_in(values, "name") or ""
            yield from rows_or_invalid_record(place, partial(_agent_entity, values, place))
        for place, row, values in _relationships(graph, source_name, AGENT_ENTITY):
            if row.source in names and row.target in names:
                kind = (text_in(values, "type", "relation_type") if row.type == _RELATED else None) or row.type
                yield from rows_or_invalid_record(
                    place, partial(_relation, row, place, names, kind, scalars_of(values, _EDGE_KEYS))
                )
        entity_names = set(names.values())
        for place, _, values in _nodes(graph, source_name, FACT):
            yield from rows_or_invalid_record(place, partial(_fact_rows, values, place, entity_names))
        for place, _, values in _nodes(graph, source_name, PREFERENCE):
            yield from rows_or_invalid_record(place, partial(_preference, values, place))
    yield Note(SourcePosition(printable(source)), "messages, reasoning traces and embeddings are left out")


def _agent_entity(values: Values, place: SourcePosition) -> Rows:
    properties = {
        key: value
        for key, value in scalars_of(values, _ENTITY_FIELDS).items()
        if not any(word in key for word in _INTERNAL_WORDS)
    }
    if isinstance(aliases := values.get("aliases"), list) and aliases:
        properties["aliases"] = ", ".join(str(alias) for alias in cast("list[object]", aliases))
    yield EntityRow(
        place=place,
        name=text_of(values, "name"),
        type=text_in(values, "type"),
        description=text_in(values, "description") or "",
        properties=properties,
    )


def _fact_rows(values: Values, place: SourcePosition, entity_names: set[str]) -> Rows:
    """Yield a fact as an observation of its subject, and as a relation if it joins two entities."""
    subject, predicate, text = (text_of(values, name) for name in ("subject", "predicate", "object"))
    if subject not in entity_names:
        yield EntityRow(place=place, name=subject)
    yield ObservationRow(
        place=place,
        entity=subject,
        text=f"{subject} {predicate} {text}",
        time=text_in(values, "created_at"),
        source=_source(values),
        confidence=fraction_in(values, "confidence"),
        valid_from=text_in(values, "valid_from"),
        valid_to=text_in(values, "valid_until"),
    )
    if text in entity_names:
        yield RelationRow(place=place, start=subject, end=text, type=predicate)


def _preference(values: Values, place: SourcePosition) -> Rows:
    category, context = text_in(values, "category") or "preference", text_in(values, "context")
    text = text_of(values, "preference")
    yield EntityRow(place=place, name=category, type="preference")
    yield ObservationRow(
        place=place,
        entity=category,
        text=f"{text} ({context})" if context else text,
        time=text_in(values, "created_at"),
        source=_source(values),
        confidence=fraction_in(values, "confidence"),
    )


def _source(values: Values) -> str:
    return " ".join(["neo4j-agent-memory", *filter(None, [text_in(values, "id")])])


def _relation(
    row: RelationshipRow,
    place: SourcePosition,
    names: Mapping[str, str],
    kind: str,
    properties: Mapping[str, PropertyValue],
) -> Rows:
    start, end = names.get(row.source), names.get(row.target)
    if not start or not end:
        raise InvalidSourceValue("An end of the relationship has no name", "Add a name, or remove the relationship.")
    yield RelationRow(place=place, start=start, end=end, type=kind, properties=properties)


def labels_in(source: Neo4jSource) -> set[str]:
    """Return the labels in a database that identify the memory of a supported program."""
    with _open_graph(source) as graph:
        return set(graph.rows(LABELS, labels=[MEMORY, AGENT_ENTITY, FACT, PREFERENCE]))


def _open_graph(source: Neo4jSource) -> AbstractContextManager[Graph]:
    return open_graph(Address(source.uri, source.username, source.password, source.database, guard=source.guard))


def _nodes(graph: Graph, name: str, label: str) -> Iterator[tuple[SourcePosition, NodeRow, Values]]:
    for row in graph.rows(NODES, labels=[label], id_property=None):
        yield SourcePosition(name, element=f"node {row.element}"), row, _plain(row.properties)


def _relationships(graph: Graph, name: str, label: str) -> Iterator[tuple[SourcePosition, RelationshipRow, Values]]:
    """Yield the relationships between nodes that have the label."""
    for row in graph.rows(RELATIONSHIPS, labels=[label], id_property=None, types=[]):
        yield SourcePosition(name, element=f"relationship {row.element}"), row, _plain(row.properties)


def _plain(values: Values) -> dict[str, object]:
    """Return the values with temporal and spatial values as text."""
    return {name: value.text if isinstance(value, TextValue) else value for name, value in values.items()}
