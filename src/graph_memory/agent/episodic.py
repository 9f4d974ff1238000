"""`Episodic`: events in chronological order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import chain

from graph_memory.agent.archetypes import Archetype
from graph_memory.agent.kinds import Actor, Outcome
from graph_memory.agent.limits.retention import DEFAULT_SESSION
from graph_memory.agent.limits.usage import Usage
from graph_memory.agent.pipeline import NewEvent, record_events
from graph_memory.agent.records.roles import Roles, roles_of
from graph_memory.agent.records.times import rfc3339
from graph_memory.agent.records.writing import build_with_defaults, title_from_text
from graph_memory.agent.results import Event, EventResult, Events
from graph_memory.memory.api.memory import Memory
from graph_memory.memory.search.request import check_integer
from graph_memory.model.errors import Hint
from graph_memory.model.results import Direction, NodeSummary
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument

MAX_CHAIN_EVENTS = 1_000
"""Maximum number of events in a chain."""
_MAX_DEPTH = 100
_ID_HINT = Hint("Find the ids of events with {get_events}.")


class Episodic:
    """The events of a domain. Access it as `memory.agent.episodic`.

    Events are nodes, so the log, past states, reverts, branches, search and exports include them. The first event adds
    the types of `ontologies/agent.yaml` to the domain if they are missing.
    """

    def __init__(self, memory: Memory, usage: Usage, archetype: str = "", session: str = DEFAULT_SESSION) -> None:
        self._memory = memory
        self._usage = usage
        self._archetype = archetype
        self._session = session

    async def record(
        self,
        event_type: str,
        content: str = "",
        *,
        session: str | None = None,
        actor: Actor = "agent",
        outcome: Outcome | None = None,
        timestamp: datetime | str | None = None,
        duration_ms: float | None = None,
        summary: str | None = None,
        keywords: Sequence[str] | None = None,
        tool: str | None = None,
        caused_by: Sequence[str] = (),
        entities: Sequence[Mapping[str, object]] = (),
        relations: Sequence[Mapping[str, object]] = (),
        archetype: str | Archetype | None = None,
    ) -> EventResult:
        """Record an event, its causes, and the entities and relations that it involves, in one transaction.

        `session` defaults to the caller's session, and to `default` if there is none. `timestamp` defaults to now,
        `duration_ms` is in milliseconds, and `caused_by` lists ids of events. `tool` is the name of the tool of a
        `tool_call`, for the statistics of `memory.agent.meta`. `entities` have the form of `create_entities` (`name`,
        `entityType`, `observations`). Existing entities keep their type and get the new observations. `relations`
        (`from`, `to`, `relationType`) connect entities, with the event as evidence. An existing relation keeps its
        first evidence. `archetype` is a function or the name of a plug-in, such as `coding_agent`, that extracts more
        entities and relations from the content. It defaults to the setting GRAPH_MEMORY_ARCHETYPE; an empty name means
        no archetype. Raises INVALID_ARGUMENT if an argument is invalid, INVALID_PROPERTY for an unknown actor or
        outcome, NODE_NOT_FOUND for an unknown cause, CONTENT_TOO_LARGE if a text is too long, and MEMORY_LIMIT_REACHED
        if the domain has as many events as its limits allow.
        """
        event = NewEvent(
            event_type=event_type,
            content=content,
            session=session or self._session,
            actor=actor,
            outcome=outcome,
            timestamp=rfc3339("timestamp", timestamp),
            is_dated=timestamp is not None,
            duration_ms=duration_ms,
            summary=summary,
            keywords=keywords or (),
            tool=tool,
            caused_by=caused_by,
            entities=entities,
            relations=relations,
        )
        archetype_or_name = self._archetype if archetype is None else archetype
        [recorded] = await record_events(self._memory, self._usage, [event], archetype_or_name)
        return recorded

    async def get_recent(self, session: str | None = None, *, limit: int = 20, cursor: str | None = None) -> Events:
        """Return the events of a session (default: the caller's), newest first.

        Raises INVALID_ARGUMENT if `limit` or `cursor` is invalid.
        """
        return await self._newest_events({"session": session or self._session}, limit, cursor)

    async def get_by_type(self, event_type: str, *, limit: int = 20, cursor: str | None = None) -> Events:
        """Return the events of a type in all sessions, newest first.

        Raises INVALID_ARGUMENT if `limit` or `cursor` is invalid.
        """
        return await self._newest_events({"event_type": event_type}, limit, cursor)

    async def get_by_outcome(self, outcome: Outcome, *, limit: int = 20, cursor: str | None = None) -> Events:
        """Return the events with an outcome in all sessions, newest first.

        Raises INVALID_ARGUMENT if `limit` or `cursor` is invalid.
        """
        return await self._newest_events({"outcome": outcome}, limit, cursor)

    async def get_chain(self, event_id: str, *, depth: int = 20, limit: int = 100) -> Events:
        """Return the causes and consequences of an event. Each event occurs once, even in a cycle.

        `depth` is the maximum number of steps in either direction (up to 100), and `limit` is the maximum number of
        events (up to 1,000). `left_out` is true if the chain continues. Raises NODE_NOT_FOUND for an unknown id, and
        INVALID_ARGUMENT if the node is not an event.
        """
        check_integer("depth", depth, 1, _MAX_DEPTH)
        check_integer("limit", limit, 1, MAX_CHAIN_EVENTS)
        roles = await roles_of(self._memory)
        node = await self._memory.get_node(event_id)
        if roles is None or node.type != roles["Event"]:
            raise invalid_argument(
                "event_id", f"{quote(event_id)} is a node of type {node.type}, not an event", _ID_HINT
            )
        causes, has_more_causes = await self._walk(roles, event_id, "out", depth, limit)
        effects, has_more_effects = await self._walk(roles, event_id, "in", depth, limit + 1 - len(causes))
        distances = {event_id: 0}
        for sign, steps in ((-1, causes), (1, effects)):
            for node_id, step in steps.items():
                distances.setdefault(node_id, sign * step)
        nodes = await self._memory.describe_nodes(list(distances))
        events = [event_of(node).model_copy(update={"distance": distances[node.id]}) for node in nodes]
        events.sort(key=lambda event: (event.timestamp, distances[event.id], event.id))
        return Events(events=tuple(events), left_out=has_more_causes or has_more_effects or None)

    async def search(self, query: str, *, limit: int = 10) -> Events:
        """Return the events that match a query by words and meaning, best first.

        Raises INVALID_ARGUMENT if the query has no words, or `limit` is out of range.
        """
        roles = await roles_of(self._memory)
        if roles is None:
            return Events(events=())
        filters = {"node_types": [roles["Event"]]}
        results = await self._memory.recall.search_memories(query, filters=filters, max_results=limit)
        nodes = await self._memory.describe_nodes([hit.id for hit in results.hits])
        return Events(events=tuple(map(event_of, nodes)), warnings=results.warnings)

    async def _newest_events(self, properties: Mapping[str, object], limit: int, cursor: str | None) -> Events:
        roles = await roles_of(self._memory)
        if roles is None:
            return Events(events=())
        page = await self._memory.query_nodes(
            type=roles["Event"],
            properties=properties,
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
        """Return the distances of the start and of the events that it leads to, and whether the chain continues.

        Distances are numbers of steps. The walk ends after `depth` steps, or if there are more than `limit` events.
        """
        distances = {start: 0}
        level = [start]
        for step in range(1, depth + 1):
            neighbours = await self._memory.get_connected_nodes_of(
                level, direction=direction, connection_type=roles["CausedBy"]
            )
            level = [event for event in dict.fromkeys(chain(*neighbours.values())) if event not in distances]
            remaining = limit + 1 - len(distances)
            distances |= dict.fromkeys(level[:remaining], step)
            if len(level) > remaining:
                return distances, True
            if not level:
                return distances, False
        next_neighbours = await self._memory.get_connected_nodes_of(
            level, direction=direction, connection_type=roles["CausedBy"]
        )
        return distances, any(event not in distances for event in chain(*next_neighbours.values()))


def event_of(node: NodeSummary) -> Event:
    """Convert the node of an event to an `Event`. Invalid properties get default values."""
    fields = {name: value for name, value in node.properties.items() if name in Event.model_fields}
    keywords = tuple(filter(None, str(fields.pop("keywords", "")).split(", "))) or None
    defaults = {"event_type": "?", "actor": "system", "session": "?", "timestamp": "?"}
    return build_with_defaults(
        Event, {**fields, "id": node.id, "title": title_from_text(node.title), "keywords": keywords}, defaults
    )
