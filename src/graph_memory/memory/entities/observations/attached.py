"""Reads the records attached to nodes together with those of the node that takes them over, for merges and renames."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from graph_memory.memory.changes.context import living_of, owners_of, read_attachments, read_in_parts
from graph_memory.memory.changes.paging import AT_ONCE
from graph_memory.memory.changes.values import UniqueValue, link_value
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
"""Maximum number of records that are moved at once: each is deleted and created."""
JOINED = query("entities/joined", str)
_PREFIXES = {Kind.OBSERVATION: "obs", Kind.CONNECTION: "conn"}


@dataclass(frozen=True, slots=True)
class Attached:
    """The records attached to nodes that are deleted, and the equal records of the target."""

    target: str
    sources: Sequence[str]
    deletions: Mapping[str, Sequence[Draft]]
    """For each deleted node, the deletions of its attached records."""
    events: Sequence[Event]
    own: Sequence[Event]
    """Relations of the target with the same other ends as the moved relations."""
    texts: Mapping[str, str]
    """Ids of the current observations of the target, by their texts."""
    living: Mapping[str, str]
    """Other ends of the moved relations, with their types."""
    taken: Collection[UniqueValue]
    """Destinations of the target's links that moved links have too."""
    made: Mapping[str, str]
    """The ids of new records, by the ids of the records that they replace."""

    @property
    def relations(self) -> list[tuple[str, Mapping[str, PropertyValue]]]:
        """The types and properties of the moved relations."""
        drafts = (event.draft for event in self.events if event.draft.kind is Kind.CONNECTION)
        return [(draft.type or "", user_properties(draft.state or {})) for draft in drafts]

    def moved(self, at: datetime) -> Moving:
        """Return the move of all attached records at the time of the write."""
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
    """Return the records attached to nodes that are deleted and the equal records of the target.

    `made` has the ids of earlier attempts and gets the missing ones. Raises TooMany if one write cannot hold all
    records.
    """
    deletions = await read_attachments(reader, domain, sources, MOST)
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
    """Return the links among events by their destination from the target, the first of equal ones."""
    links = [event for event in reversed(events) if event.draft.kind is Kind.LINK]
    return {way: link for link in links for way in link_value(target, link.draft.state or {})}


async def _events(reader: Reader, domain: str, subjects: Sequence[str]) -> list[Event]:
    """Return the last events of subjects in order of creation."""
    events = map(Event.from_row, await read_in_parts(reader, LAST_EVENTS, domain, subjects=subjects))
    return sorted(events, key=_order)


def _order(event: Event) -> tuple[str, int, str]:
    state = event.draft.state or {}
    place = state.get("_place")
    return str(state.get("_created") or ""), place if isinstance(place, int) else 0, event.draft.subject
