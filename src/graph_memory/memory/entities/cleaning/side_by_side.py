"""Asks which statement is outdated if a merge brings contradictory statements together, as `remember` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.entities.observations.current import CURRENT, words_of
from graph_memory.memory.entities.observations.moving import Move
from graph_memory.memory.entities.remember_results import OBSERVATION_CHOICES, Question, question_id
from graph_memory.memory.entity_graph.entity_queries import NODES_BY_NAME
from graph_memory.memory.statements.statement_verdict import (
    MAX_QUESTIONS,
    CurrentObservation,
    PossibleReplacement,
    judge_statement,
)
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import ObservationState

_MAX_STATEMENTS = 200
"""Maximum number of statements per entity that are compared."""
_MAX_COMPARED = 8
"""Maximum number of comparisons per statement. The statements that share the most words with it are compared."""


@dataclass(frozen=True, slots=True)
class MovedStatement:
    """A statement that a merge moves, and the statement of the target that it may supersede."""

    text: str
    doubt: PossibleReplacement


async def find_doubtful_statements(core: Core, domain: str, into: str, names: Sequence[str]) -> list[MovedStatement]:
    """Return statements of merged entities that may contradict a statement of the target, most probable first.

    The comparison runs in a thread before the write, because it takes too long to run under the lock.
    """
    rows = await core.store.read(NODES_BY_NAME, domain=domain, names=[into, *names])
    ids = {row.name: row.id for row in rows}
    texts = [
        await core.store.read(CURRENT, domain=domain, node=ids[name]) if name in ids else [] for name in (into, *names)
    ]
    return await anyio.to_thread.run_sync(_find_doubtful, into, texts)


def _find_doubtful(entity: str, statements_by_entity: Sequence[Sequence[CurrentObservation]]) -> list[MovedStatement]:
    known, pairs = [*statements_by_entity[0][:_MAX_STATEMENTS]], list[MovedStatement]()
    for texts in statements_by_entity[1:]:
        statements = texts[:_MAX_STATEMENTS]
        pairs += [
            MovedStatement(observation.text, doubt)
            for observation in statements
            for doubt in judge_statement(
                observation.text, _statements_with_shared_words(observation, known), entity
            ).possible_replacements
        ]
        known += statements
    return sorted(pairs, key=lambda pair: -pair.doubt.score)


def _statements_with_shared_words(
    observation: CurrentObservation, known: Sequence[CurrentObservation]
) -> list[CurrentObservation]:
    """Return the statements that share the most words with an observation, and at least one word."""
    words = frozenset(words_of(observation.text))
    shared = [(len(words.intersection(words_of(other.text))), other) for other in known]
    return [other for count, other in sorted(shared, key=lambda pair: -pair[0])[:_MAX_COMPARED] if count]


def add_questions(move: Move, pairs: Sequence[MovedStatement]) -> list[Question]:
    """Add a question for each pair to the draft of the moved statement. Returns up to `MAX_QUESTIONS` questions."""
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
        questions.append(
            Question(
                id=question_id(draft.subject, known),
                known_text=pair.doubt.known.text,
                new_text=pair.text,
                reason=pair.doubt.reason,
                score=pair.doubt.score,
                choices=dict(OBSERVATION_CHOICES),
            )
        )
    return questions
