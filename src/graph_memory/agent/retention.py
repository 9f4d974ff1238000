"""Which nodes and connections `prune` archives: the limits of a domain, and the selection. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta

from graph_memory.agent.goals import OVER
from graph_memory.agent.patterns import wilson_lower_bound
from graph_memory.model.arguments import fault
from graph_memory.model.properties import PropertyValue
from graph_memory.model.wording import quoted

FINISHED_AFTER = timedelta(days=7)
"""A session is finished if its last event is older."""
_LEAST_APPLICATIONS = 5
"""Minimum number of applications before the success rate of a pattern counts."""
_LOW_BOUND = 0.3
"""Wilson lower bound below which a pattern is pruned."""
_MOST = 10_000_000


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
    """A node as the selection needs it. `type` is the name of the type in the layer."""

    id: str
    type: str
    modified: str
    properties: Mapping[str, PropertyValue]


@dataclass(frozen=True, slots=True)
class StoredConnection:
    """A connection as the selection needs it. `type` is the name of the type in the layer."""

    id: str
    type: str
    from_id: str
    to_id: str
    properties: Mapping[str, PropertyValue]


@dataclass(frozen=True, slots=True)
class Selection:
    """What exceeds the limits, by memory type: ids, the first to go first."""

    events: Sequence[str] = ()
    entities: Sequence[str] = ()
    relations: Sequence[str] = ()
    patterns: Sequence[str] = ()
    documents: Sequence[str] = ()


def limits_of(given: Mapping[str, object] | None, defaults: Limits) -> Limits:
    """Return limits with some replaced. Raises INVALID_ARGUMENT for an unknown name and a number that is not whole."""
    names = [limit.name for limit in fields(Limits)]
    values = {name: getattr(defaults, name) for name in names}
    for name, value in (given or {}).items():
        if name not in values:
            raise fault("limits", f"{quoted(name)} is not a memory type with a limit", f"Use {', '.join(names)}.")
        if type(value) is not int or not 0 <= value <= _MOST:
            raise fault("limits", f"The limit of {name} is {quoted(value)}", f"Give a whole number up to {_MOST:,}.")
        values[name] = value
    return Limits(**values)


def selected(
    nodes: Sequence[StoredNode],
    connections: Sequence[StoredConnection],
    entities: Sequence[str],
    limits: Limits,
    now: datetime,
) -> Selection:
    """Return what exceeds the limits. `entities` are ids, the most salient first.

    Selected are the events of the oldest finished sessions, the least salient entities, the relations with the lowest
    weight, the patterns with a low success rate and enough applications, and the oldest documents. Never selected are
    events that are evidence or causes for something that stays, the sessions of unfinished goals, and entities that an
    event or goal that stays is about.
    """
    of_type: dict[str, list[StoredNode]] = {}
    for node in nodes:
        of_type.setdefault(node.type, []).append(node)
    patterns = _patterns(of_type.get("Pattern", []), limits.patterns)
    relations = _relations(connections, set(entities), limits.relations)
    gone = {*patterns, *relations}
    events = _events(of_type, [link for link in connections if not {link.id, link.from_id} & gone], limits.events, now)
    gone |= {*events}
    needed = {link.to_id for link in connections if link.type == "Involves" and link.from_id not in gone}
    least_salient = reversed(entities[limits.entities :])
    documents = sorted(of_type.get("Document", []), key=lambda node: (node.modified, node.id))
    return Selection(
        events=tuple(events),
        entities=tuple(entity for entity in least_salient if entity not in needed),
        relations=tuple(relations),
        patterns=tuple(patterns),
        documents=tuple(node.id for node in documents[: max(0, len(documents) - limits.documents)]),
    )


def _events(
    of_type: Mapping[str, Sequence[StoredNode]],
    connections: Iterable[StoredConnection],
    limit: int,
    now: datetime,
) -> list[str]:
    """Return the events of the oldest finished sessions beyond the limit, whole sessions first."""
    events = of_type.get("Event", ())
    excess = len(events) - limit
    if excess <= 0:
        return []
    sessions: dict[str, list[StoredNode]] = {}
    for event in sorted(events, key=lambda event: (str(event.properties.get("timestamp")), event.id)):
        sessions.setdefault(str(event.properties.get("session")), []).append(event)
    unfinished = _unfinished_sessions(of_type.get("Goal", ()))
    finished_before = (now - FINISHED_AFTER).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    chosen: list[str] = []
    for session, members in sorted(sessions.items(), key=lambda item: str(item[1][-1].properties.get("timestamp"))):
        if len(chosen) >= excess or str(members[-1].properties.get("timestamp")) >= finished_before:
            break
        chosen += [] if session in unfinished else [event.id for event in members]
    return _not_cited(chosen, connections)


def _unfinished_sessions(goals: Iterable[StoredNode]) -> Collection[PropertyValue | None]:
    """Return the sessions of unfinished goals."""
    return {goal.properties.get("session") for goal in goals if goal.properties.get("status") not in OVER} - {None}


def _not_cited(chosen: Sequence[str], connections: Iterable[StoredConnection]) -> list[str]:
    """Return the events that nothing that stays cites: no pattern, no later event and no relation as evidence."""
    cites: dict[str, set[str]] = {}
    cited: set[str] = set()
    for connection in connections:
        if connection.type == "LearnedFrom":
            cited.add(connection.to_id)
        elif connection.type == "CausedBy":
            cites.setdefault(connection.from_id, set()).add(connection.to_id)
        cited |= {*str(connection.properties.get("evidence") or "").split(", ")}
    going = set(chosen)
    kept = [*(cited & going), *(event for event in cites if event not in going)]
    while kept:
        causes = cites.get(kept.pop(), set()) & going
        kept += causes
        going -= causes
    going -= cited
    return [event for event in chosen if event in going]


def _patterns(patterns: Sequence[StoredNode], limit: int) -> list[str]:
    """Return the patterns beyond the limit with the lowest success rates, if they were applied often enough."""

    def bound(node: StoredNode) -> float:
        return wilson_lower_bound(_count(node, "successes"), _applications(node))

    applied = [node for node in patterns if _applications(node) >= _LEAST_APPLICATIONS]
    low = sorted((node for node in applied if bound(node) < _LOW_BOUND), key=lambda node: (bound(node), node.id))
    return [node.id for node in low[: max(0, len(patterns) - limit)]]


def _relations(connections: Iterable[StoredConnection], entities: Collection[str], limit: int) -> list[str]:
    """Return the relations between entities beyond the limit, the lowest weight first."""
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
