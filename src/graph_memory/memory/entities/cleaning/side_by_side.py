"""Asks about statements that a merge brings together although they may exclude each other, as `remember` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.entities.observations.current import CURRENT, words_of
from graph_memory.memory.entities.observations.moving import Move
from graph_memory.memory.entities.remember_results import OBSERVATION_CHOICES, Question, question_id
from graph_memory.memory.entity_graph.entity_queries import NODES_BY_NAME
from graph_memory.memory.statements.statement_verdict import MAX_QUESTIONS, CurrentObservation, Doubt, verdict
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import ObservationState

_MAX_STATEMENTS = 200
"""Maximum number of statements of an entity that are compared."""
_MAX_COMPARED = 8
"""Maximum number of statements that each statement is compared with: the statements that share most words with it."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A statement that a merge moves, and the doubt it raises about a statement of the target."""

    text: str
    doubt: Doubt


async def pairs_in_doubt(core: Core, domain: str, into: str, names: Sequence[str]) -> list[Pair]:
    """Return statements of entities that may exclude a statement of the target entity, the strongest doubts first.

    They are compared in a thread before the write, since the comparison takes too long to hold the lock.
    """
    rows = await core.store.read(NODES_BY_NAME, domain=domain, names=[into, *names])
    ids = {row.name: row.id for row in rows}
    texts = [
        await core.store.read(CURRENT, domain=domain, node=ids[name]) if name in ids else [] for name in (into, *names)
    ]
    return await anyio.to_thread.run_sync(_compare, into, texts)


def _compare(entity: str, statements_by_entity: Sequence[Sequence[CurrentObservation]]) -> list[Pair]:
    known, pairs = [*statements_by_entity[0][:_MAX_STATEMENTS]], list[Pair]()
    for texts in statements_by_entity[1:]:
        statements = texts[:_MAX_STATEMENTS]
        pairs += [
            Pair(observation.text, doubt)
            for observation in statements
            for doubt in verdict(observation.text, _sharing_words(observation, known), entity).doubts
        ]
        known += statements
    return sorted(pairs, key=lambda pair: -pair.doubt.score)


def _sharing_words(observation: CurrentObservation, known: Sequence[CurrentObservation]) -> list[CurrentObservation]:
    """Return the statements that share the most words with an observation, and at least one word."""
    words = frozenset(words_of(observation.text))
    shared = [(len(words.intersection(words_of(other.text))), other) for other in known]
    return [other for count, other in sorted(shared, key=lambda pair: -pair[0])[:_MAX_COMPARED] if count]


def add_questions(move: Move, pairs: Sequence[Pair]) -> list[Question]:
    """Add a question for each pair to the statement that moves, and return the questions."""
    drafts = enumerate(move.drafts)
    places = {str((draft.state or {}).get("_text")): place for place, draft in drafts if draft.kind is Kind.OBSERVATION}
    questions: list[Question] = []
    for pair in pairs:
        place, known = places.get(pair.text), move.texts.get(pair.doubt.known.text)
        if place is None or known is None or len(questions) == MAX_QUESTIONS:
            continue
        draft = move.drafts[place]
        state = ObservationState.from_state(draft.state or {})
        asks = tuple(dict.fromkeys((*state.asks, known)))
        move.drafts[place] = replace(draft, state=replace(state, asks=asks).state())
        questions.append(_question(draft.subject, known, pair))
    return questions


def _question(new: str, known: str, pair: Pair) -> Question:
    return Question(
        id=question_id(new, known),
        known_text=pair.doubt.known.text,
        new_text=pair.text,
        reason=pair.doubt.reason,
        score=pair.doubt.score,
        choices=dict(OBSERVATION_CHOICES),
    )
