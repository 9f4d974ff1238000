"""`decide`: applies the decision whether a new observation, relation or entity supersedes a known one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import get_args

from graph_memory.memory.changes.plan import Context
from graph_memory.memory.core import Core, within
from graph_memory.memory.entities.cleaning.different import mark_different
from graph_memory.memory.entities.cleaning.merging import merge_entities
from graph_memory.memory.entities.cleaning.results import DecisionResult, DecisionResults
from graph_memory.memory.entities.observations.current import CURRENT
from graph_memory.memory.entities.observations.observing import Observation, draft_end
from graph_memory.memory.entities.remember_results import CANDIDATE_CHOICES, Answer, ids_of_question
from graph_memory.memory.entities.writes import validate
from graph_memory.memory.entity_graph.entity_queries import names_of
from graph_memory.memory.statements.statement_verdict import CurrentObservation
from graph_memory.model.errors import GraphError, Hint
from graph_memory.model.events import Draft, Event, Head, Op
from graph_memory.model.projection import live_state
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import ConnectionState, ObservationState
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.plain import LocatedValue
from graph_memory.storage.log.reads import last_event, last_events
from graph_memory.storage.log.work import Decision
from graph_memory.storage.store import Reader

ANSWERS: Sequence[str] = get_args(Answer)
_TWO_IDS = Hint("Pass the two different ids of one question", " that {remember} returned", ".")


def ids_in_question(question: str | None) -> tuple[str, str]:
    """Parse a question id into the ids of the new and the existing record.

    Raises INVALID_ARGUMENT if the text is not a question id.
    """
    pair = ids_of_question(question or "")
    if pair is None:
        hint = Hint("Pass the id of a question", " that {remember|merge_entities|graph_health} returned", ".")
        raise invalid_argument("id", f"{quote(question)} is not a question id", hint)
    return pair


async def decide(core: Core, domain: str, new: str, known: str, answer: str) -> DecisionResult:
    """Apply a decision on two observations, relations or entities. See `Entities.decide`."""
    if answer not in ANSWERS:
        hint = "Use close (the known fact has ended), keep (both are true), same (no difference) or new (two entities)."
        raise invalid_argument("decision", f"{quote(answer)} is not a decision", hint)
    if new == known:
        raise invalid_argument("known", f"new and known both have the id {quote(new)}", _TWO_IDS)
    if await is_entity(core.store, domain, known):
        return await decide_entities(core, domain, new, known, answer)
    if answer == "new":
        hint = "Use close, keep or same."
        raise invalid_argument("decision", "The decision new applies only to two entities", hint)
    return await _decide(core, domain, new, known, answer)


async def _decide(core: Core, domain: str, new: str, known: str, answer: str) -> DecisionResult:
    async def read(reader: Reader, head: Head) -> _Relations | _Observations:
        if (relations := await relations_of(reader, domain, new, known)) is not None:
            return _Relations(*relations)
        later, earlier = await _read_both(reader, domain, new, known, head.at)
        may_reopen = answer == "keep" and _is_superseded_by(later, earlier)
        rows = await reader.read(CURRENT, domain=domain, node=earlier.node) if may_reopen else ()
        return _Observations(later, earlier, rows)

    def settle(head: Head, pair: _Relations | _Observations) -> Decision[tuple[bool, datetime | None]]:
        if isinstance(pair, _Relations):
            drafts, ended = decide_relations(pair.later, pair.earlier, answer, head)
        else:
            drafts, ended = decide_observations(pair, answer, head)
        return Decision(validate(head, drafts, Context(ontology=head.ontology)), (bool(drafts), ended))

    written = await core.log.write("decide", domain, core.origin, read, settle)
    changed, ended = written.report
    seqs = [change.seq for change in written.receipt.changes]
    since, until = min(seqs, default=None), max(seqs, default=None)
    return DecisionResult(decision=answer, new=new, known=known, changed=changed, ended=ended, since=since, until=until)


@dataclass(frozen=True, slots=True)
class _Relations:
    """The new and the known relation of a decision."""

    later: ConnectionState
    earlier: ConnectionState


@dataclass(frozen=True, slots=True)
class _Observations:
    """The new and the known observation of a decision.

    `later` is None if the new fact is a property. If the known observation may be reopened, the current observations
    are included.
    """

    later: Observation | None
    earlier: Observation
    known: Sequence[CurrentObservation]


def decide_observations(
    observations: _Observations, answer: str, head: Head
) -> tuple[Sequence[Draft], datetime | None]:
    """Return the drafts of a decision, and the end of the known observation, or None if it has no end.

    Raises INVALID_ARGUMENT if the decision does not fit the observations.
    """
    later, earlier = observations.later, observations.earlier
    _check_decision(later, earlier, answer)
    drafts = _draft_decision(later, earlier, answer, head)
    if answer == "keep" and _is_superseded_by(later, earlier):
        _check_not_restated(earlier, observations.known)
        return drafts, None
    return drafts, head.at if answer == "close" and not earlier.has_ended else earlier.state.validity.valid_to


async def decide_all(core: Core, domain: str, decisions: Sequence[object]) -> DecisionResults:
    """Apply several decisions in order, either all or none. See `Entities.decide_all`."""
    entries = LocatedValue(decisions, "decisions").items()
    if not entries:
        raise invalid_argument("decisions", "decisions is empty", "Pass at least one, with new, known and decision.")
    parsed_decisions = [(entry, *_parse_decision(entry)) for entry in entries]
    async with within(core, domain) as (inside, _):
        results = [await _decide_at(inside, domain, *decision) for decision in parsed_decisions]
    return DecisionResults(decisions=tuple(results))


def _parse_decision(entry: LocatedValue) -> tuple[str, str, str]:
    fields = entry.fields(("id", "new", "known", "decision"))
    if (question := fields.get("id")) is not None and fields.get("new") is None and fields.get("known") is None:
        return *ids_in_question(question.text()), fields.need("decision").text()
    return fields.need("new").text(), fields.need("known").text(), fields.need("decision").text()


async def _decide_at(core: Core, domain: str, entry: LocatedValue, new: str, known: str, answer: str) -> DecisionResult:
    """Apply one decision of a list. Errors contain the position of the decision in the list."""
    try:
        return await decide(core, domain, new, known, answer)
    except GraphError as error:
        details = dict(error.details)
        if "argument" in details:
            details["argument"] = f"{entry.at}.{details['argument']}"
        raise GraphError(error.code, f"{entry.at}: {error.message}", details) from error


def _check_decision(later: Observation | None, earlier: Observation, answer: str) -> None:
    """Raise INVALID_ARGUMENT if the decision would leave no current observation."""
    if answer == "same" and later is None:
        raise invalid_argument(
            "decision", "new is a property, which cannot be deleted", "Use close, or keep if both are true."
        )
    if answer == "same" and earlier.has_ended:
        hint = "First use keep to make the known observation current again, then use same."
        raise invalid_argument(
            "known", "The known observation has ended, so deleting the new observation would lose the fact", hint
        )
    if answer == "close" and later is not None and later.has_ended and not earlier.has_ended:
        hint = "Use keep, or pass a current observation as new."
        raise invalid_argument("new", "The new observation has ended, so it cannot supersede another", hint)


def _is_superseded_by(later: Observation | None, earlier: Observation) -> bool:
    """Return whether the new observation is valid and ended the known observation."""
    if later is None:
        return earlier.has_ended
    return earlier.has_ended and not later.has_ended and earlier.id in later.state.supersedes


def _check_not_restated(observation: Observation, known: Sequence[CurrentObservation]) -> None:
    """Raise INVALID_ARGUMENT if a current observation makes the same statement as the observation to reopen."""
    duplicate_id = next((other.id for other in known if other.text == observation.state.text), None)
    if duplicate_id is not None:
        hint = f"No decision is needed: observation {duplicate_id} has the same text and is current."
        raise invalid_argument("known", "The known observation was stored again after it had ended", hint)


def _draft_decision(later: Observation | None, earlier: Observation, answer: str, head: Head) -> list[Draft]:
    """Return the drafts of a decision, or none if it is already in effect."""
    if later is None:
        return _draft_known(later, earlier, answer, head)
    if answer == "same":
        draft = Draft(op=Op.DELETE, kind=Kind.OBSERVATION, subject=later.id, from_id=later.node, previous=later.version)
        superseded = dict.fromkeys((*earlier.state.supersedes, *later.state.supersedes))
        superseded.pop(earlier.id, None)
        after = replace(earlier.state, supersedes=tuple(superseded))
        return [draft] if after == earlier.state else [earlier.draft_update(after), draft]
    asks = tuple(ask for ask in later.state.asks if ask != earlier.id)
    supersedes = later.state.supersedes
    if answer == "close":
        supersedes = tuple(dict.fromkeys((*supersedes, earlier.id)))
    elif _is_superseded_by(later, earlier):
        supersedes = tuple(subject_id for subject_id in supersedes if subject_id != earlier.id)
    after = replace(later.state, asks=asks, supersedes=supersedes)
    drafts = _draft_known(later, earlier, answer, head)
    return drafts if after == later.state else [*drafts, later.draft_update(after)]


def _draft_known(later: Observation | None, earlier: Observation, answer: str, head: Head) -> list[Draft]:
    """Return the change of the known observation: `close` ends it, and `keep` reopens it."""
    if answer == "close":
        return [] if earlier.has_ended else [draft_end(earlier, head.at)]
    if not _is_superseded_by(later, earlier):
        return []
    return [earlier.draft_update(replace(earlier.state, validity=replace(earlier.state.validity, valid_to=None)))]


async def _read_both(
    reader: Reader, domain: str, new: str, known: str, at: datetime
) -> tuple[Observation | None, Observation]:
    """Return the new and the known observation, which must belong to the same entity.

    The new observation is None if `new` is the id of the entity. Raises INVALID_ARGUMENT if an observation does not
    exist, or their entities differ.
    """
    events = {event.draft.subject: event for event in await last_events(reader, domain, [new, known])}
    earlier = _current_observation(events.get(known), "known", known, at)
    if new == earlier.node:
        return None, earlier
    later = _current_observation(events.get(new), "new", new, at)
    if later.node != earlier.node:
        message = f"The observations {quote(new)} and {quote(known)} belong to different entities"
        raise invalid_argument("known", message, _TWO_IDS)
    return later, earlier


def _current_observation(event: Event | None, argument: str, subject: str, at: datetime) -> Observation:
    if event is None or event.draft.kind is not Kind.OBSERVATION:
        raise invalid_argument(argument, f"No observation has the id {quote(subject)}", _TWO_IDS)
    if event.draft.state is None:
        settled = "It was settled with same, deleted or merged, so no decision is needed."
        hint = Hint(settled, " To see the open questions, call {graph_health}.")
        message = f"The observation {quote(subject)} was deleted, so its question is settled"
        raise invalid_argument(argument, message, hint)
    state = ObservationState.from_state(event.draft.state)
    has_ended = state.validity.valid_to is not None and state.validity.valid_to <= at
    return Observation(subject, event.draft.from_id or "", event.seq, state, has_ended)


async def is_entity(reader: Reader, domain: str, subject: str) -> bool:
    """Return whether an id belongs to a node, including deleted nodes."""
    event = await last_event(reader, domain, subject)
    return event is not None and event.draft.kind is Kind.NODE


async def decide_entities(core: Core, domain: str, new: str, known: str, answer: str) -> DecisionResult:
    """Merge a new entity into a known entity if they are the same, or record that they are different.

    Raises INVALID_ARGUMENT if an entity does not exist, or the decision is not `same` or `new`.
    """
    if answer not in CANDIDATE_CHOICES:
        raise invalid_argument("decision", f"{quote(answer)} is not a decision on two entities", "Use same or new.")
    names = await names_of(core.store, domain, [new, known])
    for argument, subject in (("new", new), ("known", known)):
        if subject not in names:
            hint = "Pass the id from the question. If the entity was merged or deleted, no decision is needed."
            raise invalid_argument(argument, f"No entity has the id {quote(subject)}", hint)
    if answer == "new":
        seq = await mark_different(core, domain, new, known)
        return DecisionResult(decision=answer, new=new, known=known, changed=seq is not None, since=seq, until=seq)
    merged = await merge_entities(core, domain, [names[new]], names[known], dry_run=False)
    return DecisionResult(
        decision=answer,
        new=new,
        known=known,
        changed=True,
        merged=merged,
        since=merged.since,
        until=merged.until,
    )


async def relations_of(
    reader: Reader, domain: str, new: str, known: str
) -> tuple[ConnectionState, ConnectionState] | None:
    """Return the new and the known relation, or None if `known` is not a relation.

    Raises INVALID_ARGUMENT if `known` is a relation that is deleted, or `new` is not a current relation.
    """
    events = {event.draft.subject: event for event in await last_events(reader, domain, [new, known])}
    if known not in events or events[known].draft.kind is not Kind.CONNECTION:
        return None
    return _current_relation(events.get(new), "new", new), _current_relation(events[known], "known", known)


def _current_relation(event: Event | None, argument: str, subject: str) -> ConnectionState:
    if event is None or event.draft.kind is not Kind.CONNECTION or event.draft.state is None:
        hint = "Pass the id from the question. If the relation was deleted, no decision is needed."
        raise invalid_argument(argument, f"No relation has the id {subject}", hint)
    return ConnectionState.from_live(live_state(event), event.draft.from_id or "", event.draft.to_id or "")


def decide_relations(
    later: ConnectionState, earlier: ConnectionState, answer: str, head: Head
) -> tuple[Sequence[Draft], datetime | None]:
    """Return the drafts of a decision, and the end of the known relation, or None if it has no end."""
    ended = earlier.validity.end_if_past(head.at)
    if answer == "same":
        return [replace(_update_of(later), op=Op.DELETE, state=None)], ended
    if answer == "keep" or ended is not None:
        return [], ended
    state = replace(earlier, validity=replace(earlier.validity, valid_to=head.at), modified=head.at)
    return [replace(_update_of(earlier), state=state.state())], head.at


def _update_of(relation: ConnectionState) -> Draft:
    return Draft(
        op=Op.UPDATE,
        kind=Kind.CONNECTION,
        subject=relation.id,
        type=relation.type,
        from_id=relation.from_node_id,
        to_id=relation.to_node_id,
        previous=relation.version,
    )
