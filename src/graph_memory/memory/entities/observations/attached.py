"""What is attached to entities, read with what the one has that gets it: it moves when they are merged, or renamed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from graph_memory.memory.changes.context import attached_to, in_parts, living_of, owners_of
from graph_memory.memory.changes.paging import AT_ONCE
from graph_memory.memory.changes.values import UniqueValue, way_of
from graph_memory.memory.entities.observations.current import CURRENT
from graph_memory.memory.entities.observations.moving import Joined, Moving
from graph_memory.model.events import Draft, Event, new_id
from graph_memory.model.matching import holds_at
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import user_properties
from graph_memory.model.values.properties import PropertyValue
from graph_memory.storage.log.reads import LAST_EVENTS
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

MOST = AT_ONCE // 2
"""What is moved at once: it goes there, and comes here."""
JOINED = query("entities/joined", str)
_PREFIXES = {Kind.OBSERVATION: "obs", Kind.CONNECTION: "conn"}


@dataclass(frozen=True, slots=True)
class Attached:
    """What is attached to nodes that go, and what the node that gets it has of the same."""

    target: str
    sources: Sequence[str]
    deletions: Mapping[str, Sequence[Draft]]
    """For each node that goes, the deletions of what is attached to it."""
    events: Sequence[Event]
    own: Sequence[Event]
    """The relations of the target that lead where one that moves leads."""
    texts: Mapping[str, str]
    """Ids of the observations of the target that hold, by their texts."""
    living: Mapping[str, str]
    """Other ends of the relations that move, with their types."""
    taken: Collection[UniqueValue]
    """Where links of the target lead, of where one that moves leads."""
    made: Mapping[str, str]
    """The ids of what is made, by those of what it stands for."""

    @property
    def relations(self) -> list[tuple[str, Mapping[str, PropertyValue]]]:
        """The types and properties of the relations that move."""
        drafts = (event.draft for event in self.events if event.draft.kind is Kind.CONNECTION)
        return [(draft.type or "", user_properties(draft.state or {})) for draft in drafts]

    def moved(self, at: datetime) -> Moving:
        """Return what becomes of all that, at the time of the write."""
        there: dict[Joined, Mapping[str, object]] = {
            (event.draft.from_id or "", event.draft.to_id or "", event.draft.type or ""): event.draft.state or {}
            for event in self.own
            if holds_at(event.draft.state or {}, at)
        }
        holds = partial(_holds, at)
        moving = Moving(self.target, self.sources, dict(self.texts), there, holds, self.made)
        moving.observe([event for event in self.events if event.draft.kind is Kind.OBSERVATION])
        moving.relate([event for event in self.events if event.draft.kind is Kind.CONNECTION])
        moving.link(_ways(self.target, self.events), self.taken)
        return moving


async def read_attached(
    reader: Reader, domain: str, target: str, sources: Sequence[str], made: dict[str, str]
) -> Attached:
    """Return what is attached to nodes that go, and that the target gets.

    `made` has the ids that it got in earlier attempts, and gets those that it lacks. Raises TooMany for more than one
    write takes.
    """
    deletions = await attached_to(reader, domain, sources, MOST)
    subjects = dict.fromkeys(draft.subject for drafts in deletions.values() for draft in drafts)
    events = await _events(reader, domain, list(subjects))
    ends = {end for event in events for end in (event.draft.from_id, event.draft.to_id) if end is not None}
    others = sorted(ends - {*sources})
    own = await reader.read(JOINED, domain=domain, node=target, others=others, limit=AT_ONCE)
    texts = {one.text: one.id for one in await reader.read(CURRENT, domain=domain, node=target)}
    for one in events:
        made.setdefault(one.draft.subject, new_id(_PREFIXES.get(one.draft.kind, "link")))
    return Attached(
        target=target,
        sources=sources,
        deletions=deletions,
        events=events,
        own=await _events(reader, domain, [each for each in own if each not in subjects]),
        texts=texts,
        living=await living_of(reader, domain, [other for other in others if other != target]),
        taken=await owners_of(reader, domain, _ways(target, events)),
        made=made,
    )


def _holds(at: datetime, state: Mapping[str, object]) -> bool:
    return holds_at(state, at)


def _ways(target: str, events: Sequence[Event]) -> Mapping[UniqueValue, Event]:
    """Return the links among events by where they would lead from the target; of equal ones the first stays."""
    links = [event for event in reversed(events) if event.draft.kind is Kind.LINK]
    return {way: link for link in links for way in way_of(target, link.draft.state or {})}


async def _events(reader: Reader, domain: str, subjects: Sequence[str]) -> list[Event]:
    """Return the last events of subjects, in the order in which these came to be."""
    events = map(Event.from_row, await in_parts(reader, LAST_EVENTS, domain, subjects=subjects))
    return sorted(events, key=_order)


def _order(event: Event) -> tuple[str, int, str]:
    state = event.draft.state or {}
    place = state.get("_place")
    return str(state.get("_created") or ""), place if isinstance(place, int) else 0, event.draft.subject
