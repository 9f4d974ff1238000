"""Memories that are graphs in a Neo4j: those of mcp-neo4j-memory and of neo4j-agent-memory, read where they are."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import cast

from graph_memory.memory.transfer.formats.memories.json_lines import fitting
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
from graph_memory.memory.transfer.formats.records import Note, Place, Unfit
from graph_memory.model.text.wording import shown
from graph_memory.model.values.properties import PropertyValue
from graph_memory.storage.connecting import Address
from graph_memory.storage.foreign import AsText, Graph, open_graph
from graph_memory.storage.queries import query

LABELS = query("transfer/foreign_labels", str)
MEMORY, AGENT_ENTITY, FACT, PREFERENCE = "Memory", "Entity", "Fact", "Preference"
_RELATED = "RELATED_TO"
_KEPT_ELSEWHERE = {"id", "name", "type", "description", "embedding", "canonical_name", "metadata"}
_INTERNAL = ("_key", "embedding", "normalized", "phonetic", "token")
_EDGE = {"id", "type", "relation_type"}
Values = Mapping[str, object]


def of_mcp_neo4j_memory(source: Neo4jSource) -> Rows:
    """Yield the nodes with the label Memory, as mcp-neo4j-memory keeps them, and what joins them."""
    with _opened(source) as graph:
        names: dict[str, str] = {}
        for place, node, values in graph.nodes(MEMORY):
            names[node.key] = text_in(values, "name") or ""
            yield from fitting(place, partial(_memory_rows, values, place))
        for place, found, values in graph.relationships(MEMORY):
            yield from fitting(place, partial(_joined, found, place, names, found.type, scalars_of(values, set())))


def _memory_rows(values: Values, place: Place) -> Rows:
    given: Values = {**values, "observations": values.get("observations") or [], "type": values.get("type") or "entity"}
    yield from entity_rows(given, place, "type")


def of_neo4j_agent_memory(source: Neo4jSource) -> Rows:
    """Yield the entities, facts and preferences that neo4j-agent-memory keeps. Its messages and traces are left out."""
    with _opened(source) as graph:
        names: dict[str, str] = {}
        for place, node, values in graph.nodes(AGENT_ENTITY):
            if values.get("merged_into") is not None:
                yield Note(Place(shown(source)), "entities that were merged into others are left out")
                continue
            names[node.key] = text_in(values, "name") or ""
            yield from fitting(place, partial(_agent_entity, values, place))
        for place, found, values in graph.relationships(AGENT_ENTITY):
            if found.source in names and found.target in names:
                kind = (text_in(values, "type", "relation_type") if found.type == _RELATED else None) or found.type
                yield from fitting(place, partial(_joined, found, place, names, kind, scalars_of(values, _EDGE)))
        known = set(names.values())
        for place, _, values in graph.nodes(FACT):
            yield from fitting(place, partial(_fact, values, place, known))
        for place, _, values in graph.nodes(PREFERENCE):
            yield from fitting(place, partial(_preference, values, place))
    yield Note(Place(shown(source)), "messages, reasoning traces and embeddings are left out")


def _agent_entity(values: Values, place: Place) -> Rows:
    properties = {
        key: value
        for key, value in scalars_of(values, _KEPT_ELSEWHERE).items()
        if not any(word in key for word in _INTERNAL)
    }
    if isinstance(aliases := values.get("aliases"), list) and aliases:
        properties["aliases"] = ", ".join(str(each) for each in cast("list[object]", aliases))
    yield EntityRow(
        place=place,
        name=text_of(values, "name"),
        type=text_in(values, "type"),
        description=text_in(values, "description") or "",
        properties=properties,
    )


def _fact(values: Values, place: Place, known: set[str]) -> Rows:
    """Yield a fact as an observation of what it is about; and as a relation too, where it joins two entities."""
    subject, predicate, told = (text_of(values, name) for name in ("subject", "predicate", "object"))
    if subject not in known:
        yield EntityRow(place=place, name=subject)
    yield ObservationRow(
        place=place,
        entity=subject,
        text=f"{subject} {predicate} {told}",
        time=text_in(values, "created_at"),
        source=_source(values),
        confidence=fraction_in(values, "confidence"),
        valid_from=text_in(values, "valid_from"),
        valid_to=text_in(values, "valid_until"),
    )
    if told in known:
        yield RelationRow(place=place, start=subject, end=told, type=predicate)


def _preference(values: Values, place: Place) -> Rows:
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


def _joined(
    found: RelationshipRow,
    place: Place,
    names: Mapping[str, str],
    kind: str,
    properties: Mapping[str, PropertyValue],
) -> Rows:
    start, end = names.get(found.source), names.get(found.target)
    if not start or not end:
        raise Unfit("An end of the relationship has no name", "Give it one, or remove it.")
    yield RelationRow(place=place, start=start, end=end, type=kind, properties=properties)


def labels_in(source: Neo4jSource) -> set[str]:
    """Return which labels of the memories that can be read a database has."""
    with _opened(source) as graph:
        return set(graph.graph.rows(LABELS, labels=[MEMORY, AGENT_ENTITY, FACT, PREFERENCE]))


@dataclass(frozen=True, slots=True)
class _Open:
    """An open graph, whose values of time and place are text."""

    graph: Graph
    name: str

    def nodes(self, label: str) -> Iterator[tuple[Place, NodeRow, Values]]:
        """Yield the nodes with a label."""
        for row in self.graph.rows(NODES, labels=[label], id_property=None):
            yield Place(self.name, element=f"node {row.element}"), row, _plain(row.properties)

    def relationships(self, label: str) -> Iterator[tuple[Place, RelationshipRow, Values]]:
        """Yield what joins nodes with a label."""
        for row in self.graph.rows(RELATIONSHIPS, labels=[label], id_property=None, types=[]):
            yield Place(self.name, element=f"relationship {row.element}"), row, _plain(row.properties)


def _plain(values: Values) -> dict[str, object]:
    return {name: value.text if isinstance(value, AsText) else value for name, value in values.items()}


@contextmanager
def _opened(source: Neo4jSource) -> Generator[_Open]:
    address = Address(source.uri, source.username, source.password, source.database, source.guard)
    with open_graph(address) as graph:
        yield _Open(graph, shown(source))
