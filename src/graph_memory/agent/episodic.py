"""`Episodic`: what happened, in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import chain

from graph_memory.agent.results import Actor, Event, EventRecorded, Events, Outcome
from graph_memory.agent.roles import Roles, prepared, roles_of
from graph_memory.agent.times import rfc3339
from graph_memory.agent.writing import (
    Operation,
    check_range,
    lenient,
    new_connection,
    new_node,
    one_line,
    tie_to,
    write,
)
from graph_memory.memory.api.memory import Memory
from graph_memory.model.arguments import fault
from graph_memory.model.events import new_id
from graph_memory.model.results import Direction, NodeSummary
from graph_memory.model.wording import quoted

MOST_LINKS = 1_000
"""Maximum number of events of a chain."""
_DEEPEST = 100
_TITLE_FROM = 10_000
_FIND = "get_events returns the ids of events."


class Episodic:
    """Events of a domain. `memory.agent.episodic` is one.

    An event is a node: the log, the past, revert, branches, search and export have it like any other. A domain without
    the types of `ontologies/agent.yaml` gets them with the first event.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    async def record(
        self,
        event_type: str,
        content: str = "",
        *,
        session: str = "default",
        actor: Actor = "agent",
        outcome: Outcome | None = None,
        timestamp: datetime | str | None = None,
        duration_ms: float | None = None,
        summary: str | None = None,
        keywords: Sequence[str] | None = None,
        caused_by: Sequence[str] = (),
        entities: Sequence[Mapping[str, object]] = (),
        relations: Sequence[Mapping[str, object]] = (),
    ) -> EventRecorded:
        """Record an event with what it is about, all of it in one transaction.

        `timestamp` is now unless given. `caused_by` are ids of events. `entities` are given as to `create_entities`,
        with `name`, `entityType` and `observations`: those that exist keep their type and gain what is new; the event
        involves each. `relations` (`from`, `to`, `relationType`) join entities, with the event as evidence. Raises
        INVALID_ARGUMENT, INVALID_PROPERTY for an unknown actor or outcome, NODE_NOT_FOUND for a cause that does not
        exist, and CONTENT_TOO_LARGE.
        """
        event_id, at = new_id("mem"), rfc3339("timestamp", timestamp)
        properties = {
            "session": session,
            "event_type": event_type,
            "actor": actor,
            "timestamp": at,
            "outcome": outcome,
            "duration_ms": duration_ms,
            "summary": summary,
            "keywords": ", ".join(keywords) if keywords else None,
        }
        lines = [one_line(line) for line in content[:_TITLE_FROM].splitlines()]
        title = summary or next(filter(None, lines), event_type)

        def changes(roles: Roles) -> list[Operation]:
            event = new_node(roles["Event"], event_id, title.lstrip("# "), content, properties)
            causes = [new_connection(roles["CausedBy"], event_id, cause) for cause in caused_by]
            return [event, *causes, *_things(roles, event_id, entities), *_ties(event_id, relations)]

        done = await write(self._memory, changes(await prepared(self._memory, changes)))
        named = tuple(str(one.get("name")) for one in entities) or None
        numbers = {"since": done.since or 0, "until": done.until or 0}
        return EventRecorded(event_id=event_id, session=session, timestamp=at, entities=named, **numbers)

    async def get_recent(self, session: str = "default", *, limit: int = 20, cursor: str | None = None) -> Events:
        """Return the events of a session, the latest first. Raises INVALID_ARGUMENT."""
        return await self._latest({"session": session}, limit, cursor)

    async def get_by_type(self, event_type: str, *, limit: int = 20, cursor: str | None = None) -> Events:
        """Return the events of a type in all sessions, the latest first. Raises INVALID_ARGUMENT."""
        return await self._latest({"event_type": event_type}, limit, cursor)

    async def get_by_outcome(self, outcome: Outcome, *, limit: int = 20, cursor: str | None = None) -> Events:
        """Return the events with an outcome in all sessions, the latest first. Raises INVALID_ARGUMENT."""
        return await self._latest({"outcome": outcome}, limit, cursor)

    async def get_chain(self, event_id: str, *, depth: int = 20, limit: int = 100) -> Events:
        """Return what led to an event and what followed from it, each event once, also in a circle.

        `depth` steps both ways (at most 100), and `limit` events (at most 1,000); `left_out` says that there is more.
        Raises NODE_NOT_FOUND, and INVALID_ARGUMENT for a node that is no event.
        """
        check_range("depth", depth, 1, _DEEPEST)
        check_range("limit", limit, 1, MOST_LINKS)
        roles = await roles_of(self._memory)
        found = await self._memory.get_node(event_id)
        if roles is None or found.type != roles["Event"]:
            raise fault("event_id", f"{quoted(event_id)} is a node of type {found.type}, not an event", _FIND)
        causes, has_more = await self._walk(roles, event_id, "out", depth, limit)
        left = max(limit - len(causes), 0)
        effects, goes_on = await self._walk(roles, event_id, "in", depth, left)
        distances = {event_id: 0}
        for sign, steps in ((-1, causes), (1, effects)):
            for one, step in steps.items():
                distances.setdefault(one, sign * step)
        nodes = await self._memory.describe_nodes(list(distances))
        links = [event_of(node).model_copy(update={"distance": distances[node.id]}) for node in nodes]
        ordered = sorted(links, key=lambda one: (one.timestamp, distances[one.id], one.id))
        return Events(events=tuple(ordered), left_out=has_more or goes_on or None)

    async def search(self, query: str, *, limit: int = 10) -> Events:
        """Return the events that answer a question best, the best first. Raises INVALID_ARGUMENT."""
        roles = await roles_of(self._memory)
        if roles is None:
            return Events(events=())
        filters = {"node_types": [roles["Event"]]}
        found = await self._memory.recall.search_memories(query, filters=filters, max_results=limit)
        nodes = await self._memory.describe_nodes([hit.id for hit in found.hits])
        return Events(events=tuple(map(event_of, nodes)), warnings=found.warnings)

    async def _latest(self, wanted: Mapping[str, object], limit: int, cursor: str | None) -> Events:
        roles = await roles_of(self._memory)
        if roles is None:
            return Events(events=())
        page = await self._memory.query_nodes(
            type=roles["Event"],
            properties=wanted,
            order_by="timestamp",
            descending=True,
            limit=limit,
            cursor=cursor,
        )
        nodes = await self._memory.describe_nodes(page.node_ids)
        return Events(events=tuple(map(event_of, nodes)), next_cursor=page.next_cursor)

    async def _walk(
        self, roles: Roles, start: str, direction: Direction, depth: int, limit: int
    ) -> tuple[Mapping[str, int], bool]:
        """Return the events that lead to an event or follow from it, with distances; and whether there are more."""
        found: dict[str, int] = {}
        edge = [start]
        for step in range(1, depth + 1):
            links = await self._memory.get_neighbours(edge, direction=direction, connection_type=roles["CausedBy"])
            edge = [one for one in dict.fromkeys(chain(*links.values())) if one != start and one not in found]
            found |= dict.fromkeys(edge[: limit - len(found)], step)
            if len(edge) > limit - len(found) and any(one not in found for one in edge):
                return found, True
            if not edge:
                return found, False
        beyond = await self._memory.get_neighbours(edge, direction=direction, connection_type=roles["CausedBy"])
        return found, any(one not in found for one in chain(*beyond.values()))


def event_of(node: NodeSummary) -> Event:
    """Return a node as the event that it is."""
    given = {name: value for name, value in node.properties.items() if name in Event.model_fields}
    keywords = tuple(filter(None, str(given.pop("keywords", "")).split(", "))) or None
    instead = {"event_type": "?", "actor": "system", "session": "?", "timestamp": "?"}
    return lenient(Event, {**given, "id": node.id, "title": node.title, "keywords": keywords}, instead)


def _things(roles: Roles, event_id: str, entities: Sequence[Mapping[str, object]]) -> list[Operation]:
    """Return the operations for the entities that an event involves: made, or added to."""
    operations: list[Operation] = []
    for number, one in enumerate(entities):
        new = {key: value for key, value in one.items() if key != "observations"}
        operations.append({"op": "create_entities", "entities": [{**new, "ref": f"entity{number}"}]})
        if observations := one.get("observations"):
            said = [{"entityName": one.get("name"), "contents": observations}]
            operations.append({"op": "add_observations", "observations": said})
        operations.append(tie_to(roles["Involves"], event_id, f"entity{number}"))
    return operations


def _ties(event_id: str, relations: Sequence[Mapping[str, object]]) -> list[Operation]:
    """Return the operation for the relations that an event is the evidence of, if there are any."""
    joined = [{**one, "properties": {"evidence": event_id}} for one in relations]
    return [{"op": "create_relations", "relations": joined}] if joined else []
