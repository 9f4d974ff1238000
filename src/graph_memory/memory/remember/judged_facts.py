"""Judges the facts of one call: each is compared with the known observations and with the facts before it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graph_memory.memory.entities.observations.observing import Observation
from graph_memory.memory.entities.observations.resolve_observations import resolve_references
from graph_memory.memory.entities.remember_results import (
    OBSERVATION_CHOICES,
    PROPERTY_CHOICES,
    Outcome,
    Question,
    Receipt,
    question_id,
)
from graph_memory.memory.entity_graph.values.request import NewObservation
from graph_memory.memory.remember.advice.settling import PairDecision, Settlings, StatementPair
from graph_memory.memory.remember.facts import Fact
from graph_memory.memory.remember.outdated import find_possibly_outdated
from graph_memory.memory.statements.statement_verdict import (
    MAX_QUESTIONS,
    CurrentObservation,
    PossibleReplacement,
    Rule,
    Verdict,
    judge_statement,
)
from graph_memory.model.events import Draft
from graph_memory.model.text.wording import printable
from graph_memory.model.values.properties import PropertyValue

REPLACES = "named as replaced"


@dataclass(frozen=True, slots=True)
class JudgedFact:
    """A fact with its verdict."""

    fact: Fact
    verdict: Verdict
    replaced: Sequence[Observation] = ()
    """The observations that the fact ends."""
    open_replacements: Sequence[PossibleReplacement] = ()
    """The possible replacements that become questions."""
    decided_replacements: Sequence[tuple[PossibleReplacement, PairDecision]] = ()
    """The possible replacements on which a language model has decided."""

    @property
    def is_new(self) -> bool:
        """Whether the fact becomes an observation."""
        return self.verdict.known is None

    @property
    def known(self) -> str | None:
        """The id of the stored observation that makes the same statement as this fact, or None."""
        return self.verdict.known.id if self.verdict.known else None

    def observation(self, at: datetime) -> NewObservation:
        """Return the new observation. The observations that it replaces end when it begins."""
        own = self.fact.observation
        begins = replace(own.validity, valid_from=at) if self.replaced else own.validity
        ids = tuple(observation.id for observation in self.replaced)
        return replace(own, validity=begins, supersedes=ids, asks=tuple(ask.known.id for ask in self.open_replacements))

    def ended_before(self, observations_by_id: Mapping[str, Observation]) -> list[Observation]:
        """Return the ended observations that the fact should replace, and the last ended observation with its text."""
        if self.replaced:
            return []
        ended = [observation for observation in observations_by_id.values() if observation.has_ended]
        same = [other for other in ended if self.is_new and other.state.text == self.fact.observation.text][-1:]
        replaced = resolve_references(self.fact.replaces, observations_by_id)
        return [*same, *(other for other in replaced if other in ended and other not in same)]

    def draft_replacement(self, observations_by_id: Mapping[str, Observation]) -> Draft | None:
        """Return the draft that records the known observation as the replacement of ended observations, or None."""
        observation = observations_by_id.get(self.known or "")
        if observation is None:
            return None
        ids = dict.fromkeys((*observation.state.supersedes, *(observation.id for observation in self.replaced)))
        return observation.draft_update(replace(observation.state, supersedes=tuple(ids)))


def judge_facts(
    facts: Sequence[Fact],
    known: Sequence[CurrentObservation],
    observations_by_id: Mapping[str, Observation],
    entity: str,
    settlings: Settlings,
) -> list[JudgedFact]:
    """Return the facts with their verdicts. Only the most probable replacements of all facts are kept.

    Raises INVALID_ARGUMENT under the same conditions as `resolve_references`.
    """
    ending = {observation.id for fact in facts for observation in resolve_references(fact.replaces, observations_by_id)}
    current, judged_facts, created_ids = [*known], list[JudgedFact](), set[str]()
    for fact in facts:
        text = fact.observation.text
        replaced = [
            observation
            for observation in resolve_references(fact.replaces, observations_by_id)
            if not observation.has_ended and observation.state.text != text
        ]
        compared = [other for other in current if other.id not in ending or other.text == text]
        if replaced:
            equal = next((other for other in compared if other.text == text), None)
            verdict = Verdict(rule=Rule.EQUAL_TEXT if equal else Rule.NEW, known=equal)
        else:
            verdict = judge_statement(text, compared, entity)
        judged = JudgedFact(fact, _drop_compatible_replacements(verdict, created_ids), replaced)
        judged = _apply_decisions(judged, observations_by_id, settlings)
        ended_ids = {observation.id for observation in judged.replaced}
        current = [other for other in current if other.id not in ended_ids]
        if judged.is_new:
            created_ids.add(fact.observation.id)
            current.append(CurrentObservation(fact.observation.id, text))
        judged_facts.append(judged)
    return _limit_questions(judged_facts)


def _drop_compatible_replacements(verdict: Verdict, created_ids: Collection[str]) -> Verdict:
    """Return the verdict without possible replacements of statements of the same call that can also be true."""
    return replace(
        verdict,
        possible_replacements=[
            replacement
            for replacement in verdict.possible_replacements
            if replacement.known.id not in created_ids or replacement.excludes
        ],
    )


def with_changed_properties(
    judged: Sequence[JudgedFact],
    before: Mapping[str, PropertyValue],
    after: Mapping[str, PropertyValue],
    known: Sequence[CurrentObservation],
    ends: Sequence[Observation],
) -> list[JudgedFact]:
    """Return the facts, followed by changed properties whose old value occurs in known observations.

    Only the most probable replacements are kept. Observations that end or already have a question are omitted.
    """
    excluded = {end.id for end in (*ends, *(observation for fact in judged for observation in fact.replaced))}
    excluded |= {replacement.known.id for fact in judged for replacement in fact.open_replacements}
    replacements = find_possibly_outdated(before, after, [fact for fact in known if fact.id not in excluded])
    changes = [
        JudgedFact(
            Fact(observation=NewObservation(text=text_of_property(key, after[key]))),
            Verdict(rule=Rule.NEW, possible_replacements=results),
        )
        for key, results in replacements.items()
    ]
    return _limit_questions([*judged, *changes]) if changes else [*judged]


def text_of_property(key: str, value: PropertyValue) -> str:
    """Return a property as the text of a fact: its key and its value."""
    return f"{key}: {printable(value)}"


def _apply_decisions(
    judged: JudgedFact, observations_by_id: Mapping[str, Observation], settlings: Settlings
) -> JudgedFact:
    """Apply the model's decisions to a fact. Ignores decisions on observations that have changed."""
    verdict, text = judged.verdict, judged.fact.observation.text
    pairs = [
        (replacement, settlings.get(StatementPair(replacement.known.id, replacement.known.text, text)))
        for replacement in verdict.possible_replacements
    ]
    decided = [(replacement, settling) for replacement, settling in pairs if settling is not None]
    if not decided:
        return judged
    if same := [pair for pair in decided if pair[1].decision == "same"]:
        verdict = Verdict(rule=verdict.rule, known=same[0][0].known)
        return replace(judged, verdict=verdict, decided_replacements=same[:1])
    closed = [
        observations_by_id[replacement.known.id]
        for replacement, settling in decided
        if settling.decision == "close" and replacement.known.id in observations_by_id
    ]
    undecided = [replacement for replacement, settling in pairs if settling is None]
    verdict = replace(verdict, possible_replacements=undecided)
    return replace(judged, verdict=verdict, replaced=closed, decided_replacements=decided)


def _limit_questions(judged: Sequence[JudgedFact]) -> list[JudgedFact]:
    """Keep the most probable replacements of all facts, at most `MAX_QUESTIONS`."""
    replacements = [
        (place, replacement) for place, fact in enumerate(judged) for replacement in fact.verdict.possible_replacements
    ]
    pairs = sorted(replacements, key=lambda pair: -pair[1].score)[:MAX_QUESTIONS]
    return [
        replace(fact, open_replacements=[replacement for place, replacement in pairs if place == number])
        for number, fact in enumerate(judged)
    ]


def receipt_of(judged: JudgedFact, subject_id: str | None) -> Receipt:
    """Return the receipt of a fact, with the id of the observation that states it now."""
    text, verdict = judged.fact.observation.text, judged.verdict
    if judged.decided_replacements:
        return _receipt_of_decision(judged, subject_id)
    if judged.replaced:
        texts = " | ".join(observation.state.text for observation in judged.replaced)
        ids = tuple(observation.id for observation in judged.replaced)
        return Receipt(decision=Outcome.UPDATE, fact=text, rule=REPLACES, evidence=texts, id=subject_id, replaced=ids)
    decision = Outcome.ADD if judged.is_new else Outcome.NOOP
    return Receipt(decision=decision, fact=text, rule=verdict.rule, score=verdict.score, id=subject_id)


def _receipt_of_decision(judged: JudgedFact, subject_id: str | None) -> Receipt:
    outcome_if_new = Outcome.UPDATE if judged.replaced else Outcome.ADD
    return Receipt(
        decision=outcome_if_new if judged.is_new else Outcome.NOOP,
        fact=judged.fact.observation.text,
        rule=f"model: {', '.join(dict.fromkeys(settling.decision for _, settling in judged.decided_replacements))}",
        evidence=" | ".join(
            f"{replacement.known.text}: {settling.reason}" for replacement, settling in judged.decided_replacements
        ),
        id=subject_id,
        replaced=tuple(observation.id for observation in judged.replaced) or None,
        model=judged.decided_replacements[0][1].model,
    )


def questions_of(judged: Sequence[JudgedFact], ids: Sequence[str | None], node: str) -> list[Question]:
    """Return at most `MAX_QUESTIONS` questions about facts. The most probable replacements come first.

    `ids` are the ids of the records that now state the facts. If an id is the entity's, the fact is a property.
    """
    questions = [
        Question(
            id=question_id(new, replacement.known.id),
            known_text=replacement.known.text,
            new_text=fact.fact.observation.text,
            reason=replacement.reason,
            score=replacement.score,
            choices=dict(PROPERTY_CHOICES if new == node else OBSERVATION_CHOICES),
        )
        for fact, new in zip(judged, ids, strict=True)
        if new is not None
        for replacement in fact.open_replacements
    ]
    return sorted(questions, key=lambda question: -question.score)[:MAX_QUESTIONS]
