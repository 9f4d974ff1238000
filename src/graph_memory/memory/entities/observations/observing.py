"""Reads observations in the state after their last events, and drafts changes to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graph_memory.memory.changes.context import read_in_parts
from graph_memory.model.events import Draft, Event, Op
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import ObservationState
from graph_memory.storage.log.reads import LAST_EVENTS
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class ObservationRow:
    """An observation, and whether it has ended."""

    id: str
    text: str
    has_ended: bool


@dataclass(frozen=True, slots=True)
class Observation:
    """An observation of a node as of its last event."""

    id: str
    node: str
    version: int
    state: ObservationState
    has_ended: bool

    def draft_update(self, state: ObservationState) -> Draft:
        """Return the draft that updates the observation to `state`."""
        return Draft(
            op=Op.UPDATE,
            kind=Kind.OBSERVATION,
            subject=self.id,
            from_id=self.node,
            previous=self.version,
            state=state.state(),
        )


OBSERVATIONS = query("entities/observations", ObservationRow)


async def observations_of(
    reader: Reader, domain: str, node: str | None, references: Sequence[str]
) -> Mapping[str, Observation]:
    """Return an entity's observations that have one of these ids or texts, keyed by id, oldest first."""
    if node is None or not references:
        return {}
    rows = await reader.read(OBSERVATIONS, domain=domain, node=node, wanted=list(references))
    events = await read_in_parts(reader, LAST_EVENTS, domain, subjects=[row.id for row in rows])
    states = {event.draft.subject: event for event in map(Event.from_row, events)}
    return {
        row.id: Observation(
            row.id,
            node,
            states[row.id].seq,
            ObservationState.from_state(states[row.id].draft.state or {}),
            row.has_ended,
        )
        for row in rows
        if row.id in states
    }


def draft_end(observation: Observation, at: datetime) -> Draft:
    """Return the draft that ends an observation at the time `at`."""
    return observation.draft_update(
        replace(observation.state, validity=replace(observation.state.validity, valid_to=at))
    )
