"""Records events: each call writes events, causes, entities and relations in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

from anyio import to_thread

from graph_memory.agent.archetypes.extraction import MAX_CHARACTERS, Archetype, Extraction
from graph_memory.agent.archetypes.plugins import load_archetype
from graph_memory.agent.limits.usage import Usage
from graph_memory.agent.records.roles import Roles, add_types
from graph_memory.agent.records.times import rfc3339
from graph_memory.agent.records.writing import (
    Operation,
    new_connection,
    new_connection_to_ref,
    new_node,
    title_from_text,
    write,
)
from graph_memory.agent.results import EventResult
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.batch.results import BatchResult
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.events import new_id
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import check_new_id, invalid_argument
from graph_memory.model.values.plain import LocatedValue

MAX_EVENTS = 1_000
"""Maximum number of events that one call records."""
_MAX_EXTRACTED_OPERATIONS = 5_000
"""Maximum number of operations of a call for extracted entities and relations."""
_MAX_ATTEMPTS = 4
_MAX_CHARACTERS_IN_LOOP = 10_000
"""Maximum number of characters for which an archetype runs in the event loop, not in a thread."""
_TITLE_CHARACTERS = 10_000
"""Number of characters at the start of the content that are searched for a title."""
_NOTHING_WRITTEN_CODES = frozenset(
    {Code.BATCH_REFUSED, Code.INVALID_ARGUMENT, Code.TYPE_LIMIT_REACHED, Code.PROTECTED, Code.CONTENT_TOO_LARGE}
)
"""Codes of errors after which the write can be retried with fewer extracted items, because nothing was written."""
_FIELDS = (
    *("id", "event_type", "type", "content", "session", "actor", "outcome", "timestamp", "duration_ms", "summary"),
    *("keywords", "tool", "source", "caused_by", "entities", "relations"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEvent:
    """An event to record. See `Episodic.record`."""

    event_type: str
    content: str = ""
    id: str = field(default_factory=lambda: new_id("mem"))
    session: str
    actor: str = "agent"
    outcome: str | None = None
    timestamp: str
    is_dated: bool = False
    """Whether the caller passed the timestamp. If so, the validity of the event also starts then, for time queries."""
    duration_ms: float | None = None
    summary: str | None = None
    keywords: Sequence[str] = ()
    tool: str | None = None
    source: str | None = None
    caused_by: Sequence[str] = ()
    entities: Sequence[Mapping[str, object]] = ()
    relations: Sequence[Mapping[str, object]] = ()

    def operations(self, roles: Roles, refs: str) -> list[Operation]:
        """Return the operations that record the event. `refs` is the prefix of the references to its entities."""
        properties = {
            "session": self.session,
            "event_type": self.event_type,
            "actor": self.actor,
            "timestamp": self.timestamp,
            "outcome": self.outcome,
            "duration_ms": self.duration_ms,
            "summary": self.summary,
            "keywords": _join_keywords(self.keywords),
            "tool": self.tool,
            "source": self.source,
        }
        operations = [new_node(roles["Event"], self.id, self._title(), self.content, properties)]
        if self.is_dated:
            operations.append({"op": "set_validity", "id": self.id, "valid_from": self.timestamp})
        operations += [new_connection(roles["CausedBy"], self.id, cause) for cause in self.caused_by]
        for number, entity in enumerate(self.entities):
            operations += _entity_operations(roles, self.id, entity, f"{refs}entity{number}")
        if relations := [_with_evidence(relation, self.id) for relation in self.relations]:
            operations.append({"op": "create_relations", "relations": relations})
        return operations

    def _title(self) -> str | None:
        """Return the title, or None if the content begins with it.

        Search indexes a title as a separate passage, and would return that passage instead of the content.
        """
        beginning = self.content[:_TITLE_CHARACTERS]
        lines = (title_from_text(line) for line in beginning.splitlines())
        title = title_from_text((self.summary or next(filter(None, lines), self.event_type)).lstrip("# "))
        repeats = " ".join(beginning.split()).lstrip("# ").startswith(title)
        return None if title and repeats else title


def _join_keywords(keywords: Sequence[str]) -> str | None:
    """Return the keywords, joined by commas as they are stored. Raises INVALID_ARGUMENT if one contains a comma."""
    if invalid := next((word for word in keywords if "," in word), None):
        raise invalid_argument(
            "keywords", f"The keyword {quote(invalid)} contains a comma", "Pass each keyword as a separate string."
        )
    return ", ".join(keywords) or None


def _with_evidence(relation: Mapping[str, object], event_id: str) -> Mapping[str, object]:
    properties: object = relation.get("properties") or {}
    if not isinstance(properties, Mapping):
        return relation  # the batch rejects it
    return {**relation, "properties": {**cast("Mapping[str, object]", properties), "evidence": event_id}}


def _entity_operations(roles: Roles, event_id: str, entity: Mapping[str, object], ref: str) -> list[Operation]:
    """Return the operations that create or extend the entity, and connect the event with it."""
    fields = {key: value for key, value in entity.items() if key != "observations"}
    operations: list[Operation] = [{"op": "create_entities", "entities": [{**fields, "ref": ref}]}]
    if observations := entity.get("observations"):
        added = [{"entityName": entity.get("name"), "contents": observations}]
        operations.append({"op": "add_observations", "observations": added})
    return [*operations, new_connection_to_ref(roles["Involves"], event_id, ref)]


@dataclass(frozen=True, slots=True)
class _ExtractedItem:
    """An entity or relation that was extracted from an event, with the operations that store it."""

    event_id: str
    names: tuple[str, ...]
    operations: Sequence[Operation]

    @property
    def is_entity(self) -> bool:
        return len(self.names) == 1


def events_from(arguments: object, session: str) -> list[NewEvent]:
    """Parse the events of a call. `session` is the default session.

    Raises INVALID_ARGUMENT if an event is invalid, or if there are no events or too many.
    """
    events = [_event_from(item, session) for item in LocatedValue(arguments, "events").items()]
    if not 1 <= len(events) <= MAX_EVENTS:
        message = f"The call contains {len(events):,} events"
        raise invalid_argument("events", message, f"Pass 1 to {MAX_EVENTS:,} events.")
    return events


def _event_from(item: LocatedValue, session: str) -> NewEvent:
    arguments = item.fields(_FIELDS)
    fields: dict[str, Any] = {"session": session, "event_type": arguments.need("event_type", "type").text()}
    for name in ("content", "session", "actor", "outcome", "summary", "tool", "source"):
        fields |= {name: entry.text()} if (entry := arguments.get(name)) else {}
    for name in ("keywords", "caused_by"):
        fields |= {name: [element.text() for element in entry.items()]} if (entry := arguments.get(name)) else {}
    for name in ("entities", "relations"):
        objects = [item.entries() for item in entry.items()] if (entry := arguments.get(name)) else []
        fields[name] = [{key: value.value for key, value in item.items()} for item in objects]
    fields |= {"id": check_new_id("id", entry.text())} if (entry := arguments.get("id")) else {}
    timestamp = arguments.get("timestamp")
    fields["timestamp"] = rfc3339("timestamp", cast("datetime | str", timestamp.value) if timestamp else None)
    return NewEvent(**fields, is_dated=timestamp is not None, duration_ms=arguments.number("duration_ms"))


async def record_events(
    memory: Memory, usage: Usage, events: Sequence[NewEvent], archetype: str | Archetype
) -> tuple[EventResult, ...]:
    """Record events, with the entities and relations that an archetype extracts from them, in one transaction.

    Omits extracted entities and relations that cannot be stored, and adds a warning. Raises INVALID_ARGUMENT for an
    unknown archetype, MEMORY_LIMIT_REACHED, and the errors of `Episodic.record`.
    """
    extract = load_archetype(archetype) if archetype and isinstance(archetype, str) else archetype

    def operations(roles: Roles) -> list[Operation]:
        return [step for number, event in enumerate(events) for step in event.operations(roles, f"event{number}_")]

    roles = await add_types(memory, operations)
    extracted_items, warnings = await _extract(events, extract, roles) if callable(extract) else ([], ())
    async with usage.count_added("events", roles["Event"], len(events)) as warning:
        batch, stored_items = await _write(memory, operations(roles), extracted_items)
    if len(stored_items) < len(extracted_items):
        warnings += (
            f"{len(extracted_items) - len(stored_items)} extracted entities and relations could not be stored",
        )
    warnings += (warning,) if warning else ()
    return tuple(_receipt_of(event, stored_items, batch, warnings) for event in events)


def _receipt_of(
    event: NewEvent, extracted_items: Sequence[_ExtractedItem], batch: BatchResult, warnings: tuple[str, ...]
) -> EventResult:
    extracted_names = [item.names[0] for item in extracted_items if item.event_id == event.id and item.is_entity]
    names = tuple(dict.fromkeys([*(str(entity.get("name")) for entity in event.entities), *extracted_names]))
    return EventResult(
        event_id=event.id,
        session=event.session,
        timestamp=event.timestamp,
        since=batch.since or 0,
        until=batch.until or 0,
        entities=names or None,
        warnings=warnings or None,
    )


async def _extract(
    events: Sequence[NewEvent], archetype: Archetype, roles: Roles
) -> tuple[list[_ExtractedItem], tuple[str, ...]]:
    """Return the items that the archetype extracts, and a warning if it failed or if it was not run on all events."""
    extracted_items: list[_ExtractedItem] = []
    for number, event in enumerate(events):
        try:
            text = event.content[:MAX_CHARACTERS]
            if len(text) <= _MAX_CHARACTERS_IN_LOOP:
                extraction = archetype(event.event_type, text).truncate()
            else:
                extraction = (await to_thread.run_sync(archetype, event.event_type, text)).truncate()
        except Exception as error:  # noqa: BLE001 - a plug-in can raise anything, and the event is recorded without it
            return [], (f"The archetype failed, so nothing was extracted: {type(error).__name__}: {error}",)
        extracted_items += _items_of(roles, event, extraction, f"event{number}_found")
        if sum(len(item.operations) for item in extracted_items) > _MAX_EXTRACTED_OPERATIONS:
            return extracted_items, (
                f"Only the first {number + 1:,} of {len(events):,} events were passed to the archetype",
            )
    return extracted_items, ()


def _items_of(roles: Roles, event: NewEvent, extraction: Extraction, refs: str) -> list[_ExtractedItem]:
    """Return the extracted entities and relations with their operations. Omits entities of the event itself."""
    event_names = {name for entity in event.entities if isinstance(name := entity.get("name"), str)}
    items: list[_ExtractedItem] = []
    for number, (name, entity_type) in enumerate(extraction.types.items()):
        if name not in event_names:
            entity = {"name": name, "type": entity_type, "observations": [*extraction.observations.get(name, ())]}
            operations = _entity_operations(roles, event.id, entity, f"{refs}{number}")
            items.append(_ExtractedItem(event.id, (name,), operations))
    for start, relation_type, end in extraction.relations:
        relation = {"from": start, "to": end, "type": relation_type, "properties": {"evidence": event.id}}
        items.append(_ExtractedItem(event.id, (start, end), [{"op": "create_relations", "relations": [relation]}]))
    return items


async def _write(
    memory: Memory, operations: Sequence[Operation], extracted_items: Sequence[_ExtractedItem]
) -> tuple[BatchResult, Sequence[_ExtractedItem]]:
    """Write the events and all extracted items that can be stored. Returns the batch's result and these items."""
    storable_items = extracted_items
    for _ in range(_MAX_ATTEMPTS):
        if not storable_items:
            break
        batch = [*operations, *(operation for item in storable_items for operation in item.operations)]
        try:
            return await memory.execute_batch(batch), storable_items
        except GraphError as error:
            if error.code not in _NOTHING_WRITTEN_CODES:
                raise
            storable_items = _without_faulty_item(storable_items, error, len(operations))
    return await write(memory, operations), ()


def _without_faulty_item(
    extracted_items: Sequence[_ExtractedItem], error: GraphError, start: int
) -> list[_ExtractedItem]:
    """Return the items without the item that caused the error, or an empty list if another operation caused it."""
    faults = cast("Sequence[Mapping[str, Any]]", error.details.get("faults", ()))
    faulty_indexes = {int(entry["index"]) for entry in faults}
    remaining: list[_ExtractedItem] = []
    omitted_entities: set[tuple[str, str]] = set()
    for item in extracted_items:
        indexes = range(start, start + len(item.operations))
        start = indexes.stop
        is_named = not faulty_indexes and any(quote(name) in error.message for name in item.names)
        if is_named or not faulty_indexes.isdisjoint(indexes):
            omitted_entities |= {(item.event_id, item.names[0])} if item.is_entity else set()
        elif item.is_entity or not {(item.event_id, name) for name in item.names} & omitted_entities:
            remaining.append(item)
    return remaining if len(remaining) < len(extracted_items) else []
