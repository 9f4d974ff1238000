"""Reads the records attached to merged or renamed nodes and to the node that takes them over."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graph_memory.memory.changes.context import owners_of, read_attachments, read_in_parts, types_of_existing
from graph_memory.memory.changes.paging import AT_ONCE
from graph_memory.memory.changes.values import UniqueValue, link_value
from graph_memory.memory.entities.observations.current import CURRENT
from graph_memory.memory.entities.observations.moving import Move, RelationKey
from graph_memory.model.events import Draft, Event, new_id
from graph_memory.model.matching import is_valid_at
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import user_properties
from graph_memory.model.values.properties import PropertyValue
from graph_memory.storage.log.reads import LAST_EVENTS
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

MAX_MOVED = AT_ONCE // 2
"""Maximum number of records that one write moves. Each move is a deletion and a creation."""
CONNECTION_IDS = query("entities/joined", str)
_PREFIXES = {Kind.OBSERVATION: "obs", Kind.CONNECTION: "conn"}


@dataclass(frozen=True, slots=True)
class AttachedRecords:
    """The records attached to nodes that are deleted, and the equal records of the target."""

    target: str
    sources: Sequence[str]
    deletions: Mapping[str, Sequence[Draft]]
    """For each deleted node, the deletions of its attached records."""
    events: Sequence[Event]
    relations_of_target: Sequence[Event]
    """The target's relations with the nodes that the moved relations connect to."""
    texts: Mapping[str, str]
    """The ids of the target's current observations, keyed by text."""
    node_types: Mapping[str, str]
    """The types of the nodes at the other endpoints of the moved relations, keyed by node id."""
    taken_links: Collection[UniqueValue]
    """Destinations that both the target and a moved link already link to."""
    new_ids: Mapping[str, str]
    """The ids of new records, keyed by the id of the replaced record."""

    @property
    def relations(self) -> list[tuple[str, Mapping[str, PropertyValue]]]:
        """The types and properties of the moved relations."""
        drafts = (event.draft for event in self.events if event.draft.kind is Kind.CONNECTION)
        return [(draft.type or "", user_properties(draft.state or {})) for draft in drafts]

    def move(self, at: datetime) -> Move:
        """Return the move of all attached records, which takes place at time `at`."""
        relations: dict[RelationKey, Mapping[str, object]] = {
            (event.draft.from_id or "", event.draft.to_id or "", event.draft.type or ""): event.draft.state or {}
            for event in self.relations_of_target
            if is_valid_at(event.draft.state or {}, at)
        }
        move = Move(
            self.target, self.sources, dict(self.texts), relations, lambda state: is_valid_at(state, at), self.new_ids
        )
        move.move_observations([event for event in self.events if event.draft.kind is Kind.OBSERVATION])
        move.move_relations([event for event in self.events if event.draft.kind is Kind.CONNECTION])
        move.move_links(_links_by_destination(self.target, self.events), self.taken_links)
        return move


async def read_attached(
    reader: Reader, domain: str, target: str, sources: Sequence[str], new_ids: dict[str, str]
) -> AttachedRecords:
    """Return the records attached to nodes that are deleted and the equal records of the target.

    `new_ids` contains the ids from earlier attempts. Missing ids are added to it. Raises TooManyEvents if there are too
    many records for one write.
    """
    deletions = await read_attachments(reader, domain, sources, MAX_MOVED)
    subjects = dict.fromkeys(draft.subject for drafts in deletions.values() for draft in drafts)
    events = await _read_events(reader, domain, list(subjects))
    ends = {end for event in events for end in (event.draft.from_id, event.draft.to_id) if end is not None}
    other_ends = sorted(ends - {*sources})
    relation_ids = await reader.read(CONNECTION_IDS, domain=domain, node=target, others=other_ends, limit=AT_ONCE)
    texts = {observation.text: observation.id for observation in await reader.read(CURRENT, domain=domain, node=target)}
    for event in events:
        new_ids.setdefault(event.draft.subject, new_id(_PREFIXES.get(event.draft.kind, "link")))
    return AttachedRecords(
        target=target,
        sources=sources,
        deletions=deletions,
        events=events,
        relations_of_target=await _read_events(
            reader, domain, [subject_id for subject_id in relation_ids if subject_id not in subjects]
        ),
        texts=texts,
        node_types=await types_of_existing(reader, domain, [other for other in other_ends if other != target]),
        taken_links=await owners_of(reader, domain, _links_by_destination(target, events)),
        new_ids=new_ids,
    )


def _links_by_destination(target: str, events: Sequence[Event]) -> Mapping[UniqueValue, Event]:
    """Return the links, keyed by destination. Of several links to the same destination, only the first is returned."""
    links = [event for event in reversed(events) if event.draft.kind is Kind.LINK]
    return {way: link for link in links for way in link_value(target, link.draft.state or {})}


async def _read_events(reader: Reader, domain: str, subjects: Sequence[str]) -> list[Event]:
    events = map(Event.from_row, await read_in_parts(reader, LAST_EVENTS, domain, subjects=subjects))
    return sorted(events, key=_creation_order)


def _creation_order(event: Event) -> tuple[str, int, str]:
    state = event.draft.state or {}
    place = state.get("_place")
    return str(state.get("_created") or ""), place if isinstance(place, int) else 0, event.draft.subject
