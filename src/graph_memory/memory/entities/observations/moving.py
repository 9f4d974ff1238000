"""Drafts the move of attached records to the target of a merge. Drops duplicates. Does no I/O.

Moved records get new ids, since no event changes the entity of a record.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from graph_memory.memory.changes.values import UniqueValue
from graph_memory.memory.graph.premises import evidence_of, evidence_text
from graph_memory.model.events import Draft, Event, Op
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import ObservationState, State, user_properties

RelationKey = tuple[str, str, str]
"""A relation: the ids of its endpoints, and its stored type."""
_EVIDENCE = "_evidence"


@dataclass(frozen=True, slots=True)
class Difference:
    """A property whose value is discarded, because the target has an equal relation with another value."""

    relation: Event
    property: str
    kept: object
    not_taken: object


@dataclass(slots=True)
class Move:
    """The move of records from merged entities to the target. `texts` and `relations` are the target's records."""

    target: str
    sources: Collection[str]
    texts: dict[str, str]
    """The ids of the target's current observations, keyed by text."""
    relations: dict[RelationKey, Mapping[str, object]]
    """The states of the target's current relations, keyed by endpoints and type."""
    holds: Callable[[Mapping[str, object]], bool]
    new_ids: Mapping[str, str]
    """The ids of new records, keyed by the id of the replaced record. All attempts of a write use the same ids."""
    drafts: list[Draft] = field(default_factory=list[Draft])
    known_observations: int = 0
    known_relations: int = 0
    differences: list[Difference] = field(default_factory=list[Difference])

    def count(self, kind: Kind) -> int:
        """Return the number of records of a kind that the target receives."""
        return sum(draft.kind is kind for draft in self.drafts)

    def move_observations(self, events: Sequence[Event]) -> None:
        """Move observations in order, except duplicates. Updates references to the moved observations."""
        ids: dict[str, str] = {}
        moved: list[Event] = []
        for event in events:
            state = event.draft.state or {}
            text, holds = str(state.get("_text")), self.holds(state)
            if holds and text in self.texts:
                ids[event.draft.subject] = self.texts[text]
                self.known_observations += 1
                continue
            ids[event.draft.subject] = subject_id = self.new_ids[event.draft.subject]
            self.texts |= {text: subject_id} if holds else {}
            moved.append(event)
        for event in moved:
            subject_id = ids[event.draft.subject]
            state = _update_references(ObservationState.from_state(event.draft.state or {}), subject_id, ids)
            draft = Draft(
                op=Op.CREATE, kind=Kind.OBSERVATION, subject=subject_id, from_id=self.target, state=state.state()
            )
            self.drafts.append(draft)

    def move_relations(self, events: Sequence[Event]) -> None:
        """Move relations in order, except duplicates and relations that would lead from the target to itself."""
        moved: list[tuple[Draft, State]] = []
        ids: dict[str, str] = {}
        for event in events:
            state = dict(event.draft.state or {})
            ends = self._end(event.draft.from_id), self._end(event.draft.to_id)
            is_loop = ends[0] == ends[1] and event.draft.from_id != event.draft.to_id
            key = (*ends, event.draft.type or "")
            if is_loop or (self.holds(state) and key in self.relations):
                self.known_relations += 1
                self.differences += [] if is_loop else _differences(event, self.relations[key])
                continue
            if self.holds(state):
                self.relations[key] = state
            ids[event.draft.subject] = subject_id = self.new_ids[event.draft.subject]
            draft = replace(
                event.draft, op=Op.CREATE, subject=subject_id, from_id=ends[0], to_id=ends[1], previous=None
            )
            moved.append((draft, state))
        self.drafts += [replace(draft, state=_update_premises(state, ids)) for draft, state in moved]

    def move_links(self, links: Mapping[UniqueValue, Event], taken_links: Collection[UniqueValue]) -> None:
        """Move cross-domain links to the target. Skips links whose destination the target already links to."""
        for destination, event in links.items():
            if destination not in taken_links:
                subject_id = self.new_ids[event.draft.subject]
                draft = replace(event.draft, op=Op.CREATE, subject=subject_id, from_id=self.target, previous=None)
                self.drafts.append(draft)

    def _end(self, node: str | None) -> str:
        return self.target if node in self.sources else node or ""


def _update_references(state: ObservationState, own_id: str, ids: Mapping[str, str]) -> ObservationState:
    """Replace the ids of moved observations in the references of an observation. Drops its references to itself."""

    def new_ids_of(others: Sequence[str]) -> tuple[str, ...]:
        return tuple(
            subject_id
            for subject_id in dict.fromkeys(ids.get(other, other) for other in others)
            if subject_id != own_id
        )

    return replace(state, supersedes=new_ids_of(state.supersedes), asks=new_ids_of(state.asks))


def _update_premises(state: State, ids: Mapping[str, str]) -> State:
    evidence = evidence_of(state)
    return (
        {**state, _EVIDENCE: evidence_text([ids.get(premise, premise) for premise in evidence])} if evidence else state
    )


def _differences(event: Event, kept: Mapping[str, object]) -> list[Difference]:
    kept_properties = user_properties(kept)
    return [
        Difference(event, key, kept_properties.get(key), value)
        for key, value in user_properties(event.draft.state or {}).items()
        if value != kept_properties.get(key)
    ]
