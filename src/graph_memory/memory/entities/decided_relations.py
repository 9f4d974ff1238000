"""`decide` for two relations of a kind that a thing has once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from graph_memory.memory.changes.context import in_parts
from graph_memory.model.arguments import fault
from graph_memory.model.events import Draft, Event, Head, Op
from graph_memory.model.kinds import Kind
from graph_memory.model.projection import live_state
from graph_memory.model.subjects import ConnectionState
from graph_memory.storage.log.reads import LAST_EVENTS
from graph_memory.storage.store import Reader


async def relations_of(
    reader: Reader, domain: str, new: str, known: str
) -> tuple[ConnectionState, ConnectionState] | None:
    """Return two relations by their ids, None where the known one is none. Raises INVALID_ARGUMENT."""
    rows = await in_parts(reader, LAST_EVENTS, domain, subjects=[new, known])
    events = {event.draft.subject: event for event in map(Event.from_row, rows)}
    if known not in events or events[known].draft.kind is not Kind.CONNECTION:
        return None
    return _living(events.get(new), "new", new), _living(events[known], "known", known)


def _living(event: Event | None, argument: str, subject: str) -> ConnectionState:
    if event is None or event.draft.kind is not Kind.CONNECTION or event.draft.state is None:
        hint = "Give the id of a question as it was asked. What is deleted needs no answer."
        raise fault(argument, f"There is no relation {subject}", hint)
    return ConnectionState.from_live(live_state(event), event.draft.from_id or "", event.draft.to_id or "")


def decide_relations(
    later: ConnectionState, earlier: ConnectionState, answer: str, head: Head
) -> tuple[Sequence[Draft], datetime | None]:
    """Return what an answer changes, and since when the known relation is over."""
    over = earlier.validity.ended_by(head.at)
    if answer == "same":
        return [replace(_changed(later), op=Op.DELETE, state=None)], over
    if answer == "keep" or over is not None:
        return [], over
    state = replace(earlier, validity=replace(earlier.validity, valid_to=head.at), modified=head.at)
    return [replace(_changed(earlier), state=state.state())], head.at


def _changed(relation: ConnectionState) -> Draft:
    return Draft(
        op=Op.UPDATE,
        kind=Kind.CONNECTION,
        subject=relation.id,
        type=relation.type,
        from_id=relation.from_node_id,
        to_id=relation.to_node_id,
        previous=relation.version,
    )
