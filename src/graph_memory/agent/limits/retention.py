"""The limits of a domain, and the selection of the nodes and connections that `prune` archives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from itertools import chain

from graph_memory.agent.records.goals import FINISHED
from graph_memory.agent.records.patterns import wilson_lower_bound
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.properties import PropertyValue

FINISHED_AFTER = timedelta(days=7)
"""A session counts as finished when this time has passed since its last event."""
_MIN_APPLICATIONS = 5
"""Minimum number of applications of a pattern for its success rate to count."""
_LOW_SUCCESS_BOUND = 0.3
"""A pattern can be pruned if the Wilson lower bound of its success rate is below this value."""
_MAX_LIMIT = 10_000_000
MOST_ITEMS = 5_000
"""Maximum number of nodes and connections that one call archives, so that one batch can delete them."""
MOST_ATTACHED = 8_000
"""Maximum number of connections and observations that are deleted along with these items, because a batch can delete
up to 10,000 records.
"""
DEFAULT_SESSION = "default"
"""The session of events that were recorded without a session."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Maximum numbers of nodes and connections in a domain, by memory type."""

    events: int = 100_000
    entities: int = 10_000
    relations: int = 50_000
    patterns: int = 1_000
    documents: int = 100_000


@dataclass(frozen=True, slots=True)
class StoredNode:
    """A node with the values that the selection needs. `type` is the type's name in `ontologies/agent.yaml`."""

    id: str
    type: str
    modified: str
    properties: Mapping[str, PropertyValue]


@dataclass(frozen=True, slots=True)
class StoredConnection:
    """A connection with the values that the selection needs. `type` is the type's name in `ontologies/agent.yaml`."""

    id: str
    type: str
    from_id: str
    to_id: str
    properties: Mapping[str, PropertyValue]


@dataclass(frozen=True, slots=True)
class Selection:
    """The ids of the nodes and connections to archive, by memory type, in the order of deletion."""

    events: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    left_out: int = 0
    """Number of items beyond the limits that do not fit into the batch."""


@dataclass(slots=True)
class _BatchCapacity:
    """The numbers of items, and of connections and observations attached to them, that a batch can still delete."""

    attached_counts: Mapping[str, int]
    undeletable: Collection[str]
    items_left: int
    attached_left: int
    left_out: int = 0

    def take(self, candidates: Iterable[str]) -> tuple[str, ...]:
        """Return the candidates that can be deleted and fit into the batch. Reduces the remaining capacity."""
        accepted: list[str] = []
        for item in candidates:
            if item in self.undeletable:
                continue
            cost = self.attached_counts.get(item, 0)
            if self.items_left < 1 or cost > self.attached_left:
                self.left_out += 1
                continue
            self.items_left -= 1
            self.attached_left -= cost
            accepted.append(item)
        return tuple(accepted)


def limits_of(replacements: Mapping[str, object] | None, defaults: Limits) -> Limits:
    """Return the default limits with replacements. Raises INVALID_ARGUMENT for an unknown name or invalid number."""
    names = [limit.name for limit in fields(Limits)]
    values = {name: getattr(defaults, name) for name in names}
    for name, value in (replacements or {}).items():
        if name not in values:
            raise invalid_argument(
                "limits", f"{quote(name)} is not a memory type with a limit", f"Use {', '.join(names)}."
            )
        if type(value) is not int or not 0 <= value <= _MAX_LIMIT:
            message = f"The limit of {name} cannot be {quote(value)}"
            raise invalid_argument("limits", message, f"Pass a whole number up to {_MAX_LIMIT:,}.")
        values[name] = value
    return Limits(**values)


def select(
    nodes: Sequence[StoredNode],
    connections: Sequence[StoredConnection],
    entities: Mapping[str, int],
    limits: Limits,
    now: datetime,
    *,
    undeletable: Collection[str] = (),
) -> Selection:
    """Return the nodes and connections beyond the limits, as many as fit into one batch.

    `entities` maps the id of each entity to its number of observations, most salient entity first. `undeletable` lists
    the ids of nodes and connections that cannot be deleted.

    Selects patterns with a low success rate and enough applications, the relations with the lowest weight, the events
    of the oldest finished sessions, the least salient entities and the oldest documents. Keeps events that are evidence
    or causes of remaining items, sessions with unfinished goals, and entities of remaining events.
    """
    nodes_by_type: dict[str, list[StoredNode]] = {}
    for node in nodes:
        nodes_by_type.setdefault(node.type, []).append(node)
    connection_counts = Counter(chain.from_iterable({link.from_id, link.to_id} for link in connections))
    attached_counts = connection_counts + Counter(entities)
    batch_capacity = _BatchCapacity(attached_counts, undeletable, MOST_ITEMS, MOST_ATTACHED)
    patterns = batch_capacity.take(_excess_patterns(nodes_by_type.get("Pattern", []), limits.patterns))
    relations = batch_capacity.take(_excess_relations(connections, entities.keys(), limits.relations))
    deleted = {*patterns, *relations}
    remaining = [link for link in connections if not {link.id, link.from_id} & deleted]
    events = _unreferenced_events(batch_capacity.take(_excess_events(nodes_by_type, limits.events, now)), remaining)
    deleted |= {*events}
    involved = {link.to_id for link in connections if link.type == "Involves" and link.from_id not in deleted}
    least_salient = [entity for entity in reversed([*entities][limits.entities :]) if entity not in involved]
    documents = sorted(nodes_by_type.get("Document", []), key=lambda node: (node.modified, node.id))
    return Selection(
        events=events,
        entities=batch_capacity.take(least_salient),
        relations=relations,
        patterns=patterns,
        documents=batch_capacity.take(node.id for node in documents[: max(0, len(documents) - limits.documents)]),
        left_out=batch_capacity.left_out,
    )


def _excess_events(nodes_by_type: Mapping[str, Sequence[StoredNode]], limit: int, now: datetime) -> list[str]:
    """Return the events of the oldest finished sessions beyond the limit. Sessions are never split.

    The session `default` contains all events without a session. So each of its days counts as a session.
    """
    events = nodes_by_type.get("Event", ())
    excess = len(events) - limit
    if excess <= 0:
        return []
    sessions: dict[str, list[StoredNode]] = {}
    for event in sorted(events, key=lambda event: (_timestamp(event), event.id)):
        session = str(event.properties.get("session"))
        day = f" {_timestamp(event)[:10]}" if session == DEFAULT_SESSION else ""
        sessions.setdefault(f"{session}{day}", []).append(event)
    goals = nodes_by_type.get("Goal", ())
    unfinished = {goal.properties.get("session") for goal in goals if goal.properties.get("status") not in FINISHED}
    finished_before = (now - FINISHED_AFTER).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    selected: list[str] = []
    for session_events in sorted(sessions.values(), key=lambda session_events: _timestamp(session_events[-1])):
        if len(selected) >= excess or _timestamp(session_events[-1]) >= finished_before:
            break
        session = session_events[0].properties.get("session")
        if session is None or session not in unfinished:
            selected += [event.id for event in session_events]
    return selected


def _timestamp(event: StoredNode) -> str:
    return str(event.properties.get("timestamp"))


def _unreferenced_events(selected: Sequence[str], connections: Iterable[StoredConnection]) -> tuple[str, ...]:
    """Return the selected events, except events that a remaining pattern, event or relation refers to."""
    causes_by_event: dict[str, set[str]] = {}
    referenced_ids: set[str] = set()
    for connection in connections:
        if connection.type == "LearnedFrom":
            referenced_ids.add(connection.to_id)
        elif connection.type == "CausedBy":
            causes_by_event.setdefault(connection.from_id, set()).add(connection.to_id)
        referenced_ids |= {*str(connection.properties.get("evidence") or "").split(", ")}
    deletable = set(selected)
    pending = [*(referenced_ids & deletable), *(event for event in causes_by_event if event not in deletable)]
    while pending:
        causes = causes_by_event.get(pending.pop(), set()) & deletable
        pending += causes
        deletable -= causes
    deletable -= referenced_ids
    return tuple(event for event in selected if event in deletable)


def _excess_patterns(patterns: Sequence[StoredNode], limit: int) -> list[str]:
    """Return the patterns beyond the limit that have the lowest success rates and were applied often enough."""
    ratings = [
        (wilson_lower_bound(_count(node, "successes"), _applications(node)), node.id)
        for node in patterns
        if _applications(node) >= _MIN_APPLICATIONS
    ]
    low_rated = sorted(rating for rating in ratings if rating[0] < _LOW_SUCCESS_BOUND)
    return [node_id for _, node_id in low_rated[: max(0, len(patterns) - limit)]]


def _excess_relations(connections: Iterable[StoredConnection], entities: Collection[str], limit: int) -> list[str]:
    """Return the relations between entities beyond the limit, lowest weight first."""
    relations = [link for link in connections if link.from_id in entities and link.to_id in entities]
    relations.sort(key=lambda relation: (_weight(relation), relation.id))
    return [relation.id for relation in relations[: max(0, len(relations) - limit)]]


def _applications(node: StoredNode) -> int:
    return _count(node, "successes") + _count(node, "failures")


def _weight(relation: StoredConnection) -> float:
    weight = relation.properties.get("weight")
    return float(weight) if isinstance(weight, int | float) else 1.0


def _count(node: StoredNode, name: str) -> int:
    value = node.properties.get(name)
    return value if isinstance(value, int) else 0
