"""What is attached to entities, read with what the one has that gets it: it moves when they are merged, or renamed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graph_memory.memory.changes.context import attached_to, in_parts, owners_of
from graph_memory.memory.changes.paging import AT_ONCE
from graph_memory.memory.changes.values import way_of
from graph_memory.memory.entities.observations.current import CURRENT
from graph_memory.memory.entities.observations.moving import Joined, Moving
from graph_memory.model.events import Event, Head
from graph_memory.model.matching import holds_at
from graph_memory.model.subjects.kinds import Kind
from graph_memory.storage.log.reads import LAST_EVENTS
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

MOST = AT_ONCE // 2
"""What is moved at once: it goes there, and comes here."""
JOINED = query("entities/joined", str)


async def moved(reader: Reader, head: Head, target: str, sources: Sequence[str], made: dict[str, str]) -> Moving:
    """Return what becomes of what is attached to nodes that go, and that the target gets.

    `made` has the ids that it got in earlier attempts. Raises TooMany for more than one write takes.
    """
    domain = head.domain
    attached = await attached_to(reader, domain, sources, MOST)
    subjects = dict.fromkeys(one.subject for drafts in attached.values() for one in drafts)
    events = await _events(reader, domain, list(subjects))
    ends = {end for one in events for end in (one.draft.from_id, one.draft.to_id) if end is not None}
    own = await reader.read(JOINED, domain=domain, node=target, others=sorted(ends - {*sources}), limit=AT_ONCE)
    texts = {one.text: one.id for one in await reader.read(CURRENT, domain=domain, node=target)}
    there: dict[Joined, Mapping[str, object]] = {
        (one.draft.from_id or "", one.draft.to_id or "", one.draft.type or ""): one.draft.state or {}
        for one in await _events(reader, domain, [each for each in own if each not in subjects])
        if holds_at(one.draft.state or {}, head.at)
    }
    moving = Moving(target, sources, texts, there, lambda state: holds_at(state, head.at), made)
    moving.observe([one for one in events if one.draft.kind is Kind.OBSERVATION])
    moving.relate([one for one in events if one.draft.kind is Kind.CONNECTION])
    links = [one for one in reversed(events) if one.draft.kind is Kind.LINK]  # of equal ones the first stays
    ways = {way: one for one in links for way in way_of(target, one.draft.state or {})}
    moving.link(ways, await owners_of(reader, head.domain, ways))
    return moving


async def _events(reader: Reader, domain: str, subjects: Sequence[str]) -> list[Event]:
    """Return the last events of subjects, in the order in which these came to be."""
    events = map(Event.from_row, await in_parts(reader, LAST_EVENTS, domain, subjects=subjects))
    return sorted(events, key=_order)


def _order(event: Event) -> tuple[str, int, str]:
    state = event.draft.state or {}
    place = state.get("_place")
    return str(state.get("_created") or ""), place if isinstance(place, int) else 0, event.draft.subject
