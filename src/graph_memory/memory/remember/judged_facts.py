"""Judges the facts of one call: each is compared with the known observations and with the facts before it. Pure."""

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
from graph_memory.memory.remember.advice.settling import Pair, Settling, Settlings
from graph_memory.memory.remember.facts import Fact
from graph_memory.memory.remember.outdated import find_doubtful
from graph_memory.memory.remember.properties import text_of_property
from graph_memory.memory.statements.statement_verdict import (
    MAX_QUESTIONS,
    CurrentObservation,
    Doubt,
    Rule,
    Verdict,
    verdict,
)
from graph_memory.model.events import Draft
from graph_memory.model.values.properties import PropertyValue

REPLACES = "named as replaced"


@dataclass(frozen=True, slots=True)
class JudgedFact:
    """A fact with its verdict."""

    fact: Fact
    verdict: Verdict
    replaced: Sequence[Observation] = ()
    """The observations that it ends."""
    doubts: Sequence[Doubt] = ()
    """The doubts that become questions."""
    decided: Sequence[tuple[Doubt, Settling]] = ()
    """The doubts that a language model has decided."""

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
        return replace(own, validity=begins, supersedes=ids, asks=tuple(ask.known.id for ask in self.doubts))

    def ended_before(self, observations_by_id: Mapping[str, Observation]) -> list[Observation]:
        """Return the ended observations that the fact should replace, and the last ended one with the same text."""
        if self.replaced:
            return []
        ended = [observation for observation in observations_by_id.values() if observation.is_over]
        observations = [
            observation for observation in ended if self.is_new and observation.state.text == self.fact.observation.text
        ][-1:]
        return [
            *observations,
            *(
                observation
                for observation in resolve_references(self.fact.replaces, observations_by_id)
                if observation in ended and observation not in observations
            ),
        ]

    def draft_takeover(self, observations_by_id: Mapping[str, Observation]) -> Draft | None:
        """Return the draft that records the known observation as replacing the observations that end, or None."""
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
    """Return the facts with their verdicts and only the strongest doubts of all facts. Raises INVALID_ARGUMENT."""
    ending = {observation.id for fact in facts for observation in resolve_references(fact.replaces, observations_by_id)}
    current, judged_facts, created_ids = [*known], list[JudgedFact](), set[str]()
    for fact in facts:
        text = fact.observation.text
        replaced = [
            observation
            for observation in resolve_references(fact.replaces, observations_by_id)
            if not observation.is_over and observation.state.text != text
        ]
        compared = [
            known_observation
            for known_observation in current
            if known_observation.id not in ending or known_observation.text == text
        ]
        if replaced:
            equal = next((known_observation for known_observation in compared if known_observation.text == text), None)
            verdict_of_fact = Verdict(rule=_rule_of(equal), known=equal)
        else:
            verdict_of_fact = verdict(text, compared, entity)
        judged = _apply_decisions(
            JudgedFact(fact, _drop_weak_doubts(verdict_of_fact, created_ids), replaced), observations_by_id, settlings
        )
        ended_ids = {observation.id for observation in judged.replaced}
        current = [known_observation for known_observation in current if known_observation.id not in ended_ids]
        if judged.is_new:
            created_ids.add(fact.observation.id)
            current.append(CurrentObservation(fact.observation.id, text))
        judged_facts.append(judged)
    return _keep_strongest_doubts(judged_facts)


def _drop_weak_doubts(judgement: Verdict, created_ids: Collection[str]) -> Verdict:
    """Drop doubts between statements of the same call that can both be true. Returns the remaining verdict."""
    return replace(
        judgement, doubts=[doubt for doubt in judgement.doubts if doubt.known.id not in created_ids or doubt.excludes]
    )


def with_changed_properties(
    judged: Sequence[JudgedFact],
    before: Mapping[str, PropertyValue],
    after: Mapping[str, PropertyValue],
    known: Sequence[CurrentObservation],
    ends: Sequence[Observation],
) -> list[JudgedFact]:
    """Return the facts, followed by changed properties whose old value makes known observations doubtful.

    Only the strongest doubts are kept. Observations that end or already have a question raise no further doubts.
    """
    excluded = {end.id for end in (*ends, *(observation for fact in judged for observation in fact.replaced))}
    excluded |= {doubt.known.id for fact in judged for doubt in fact.doubts}
    doubts = find_doubtful(before, after, [fact for fact in known if fact.id not in excluded])
    changes = [
        JudgedFact(
            Fact(observation=NewObservation(text=text_of_property(key, after[key]))),
            Verdict(rule=Rule.NEW, doubts=results),
        )
        for key, results in doubts.items()
    ]
    return _keep_strongest_doubts([*judged, *changes]) if changes else [*judged]


def _apply_decisions(
    judged: JudgedFact, observations_by_id: Mapping[str, Observation], settlings: Settlings
) -> JudgedFact:
    """Return the fact with the model's decisions on its doubts. Decisions on doubts that have changed are ignored."""
    judgement, text = judged.verdict, judged.fact.observation.text
    pairs = [(doubt, settlings.get(Pair(doubt.known.id, doubt.known.text, text))) for doubt in judgement.doubts]
    decided = [(doubt, settling) for doubt, settling in pairs if settling is not None]
    if not decided:
        return judged
    if same := [pair for pair in decided if pair[1].decision == "same"]:
        return replace(judged, verdict=Verdict(rule=judgement.rule, known=same[0][0].known), decided=same[:1])
    closed = [
        observations_by_id[doubt.known.id]
        for doubt, settling in decided
        if settling.decision == "close" and doubt.known.id in observations_by_id
    ]
    rest = replace(judgement, doubts=[doubt for doubt, settling in pairs if settling is None])
    return replace(judged, verdict=rest, replaced=closed, decided=decided)


def _rule_of(equal: CurrentObservation | None) -> Rule:
    return Rule.EQUAL_TEXT if equal else Rule.NEW


def _keep_strongest_doubts(judged: Sequence[JudgedFact]) -> list[JudgedFact]:
    """Return the facts with the strongest doubts of all facts, at most `MOST_ASKED`."""
    doubts = [(place, doubt) for place, fact in enumerate(judged) for doubt in fact.verdict.doubts]
    pairs = sorted(doubts, key=lambda pair: -pair[1].score)[:MAX_QUESTIONS]
    return [
        replace(fact, doubts=[doubt for place, doubt in pairs if place == number]) for number, fact in enumerate(judged)
    ]


def receipt_of(judged: JudgedFact, subject_id: str | None) -> Receipt:
    """Return the receipt of a fact, with the id of the observation that states it now."""
    text, judgement = judged.fact.observation.text, judged.verdict
    if judged.decided:
        return _receipt_of_decision(judged, subject_id)
    if judged.replaced:
        texts = " | ".join(observation.state.text for observation in judged.replaced)
        ids = tuple(observation.id for observation in judged.replaced)
        return Receipt(decision=Outcome.UPDATE, fact=text, rule=REPLACES, evidence=texts, id=subject_id, replaced=ids)
    decision = Outcome.ADD if judged.is_new else Outcome.NOOP
    return Receipt(decision=decision, fact=text, rule=judgement.rule, score=judgement.score, id=subject_id)


def _receipt_of_decision(judged: JudgedFact, subject_id: str | None) -> Receipt:
    """Return the receipt of a fact on which a language model has decided."""
    fresh = Outcome.UPDATE if judged.replaced else Outcome.ADD
    return Receipt(
        decision=fresh if judged.is_new else Outcome.NOOP,
        fact=judged.fact.observation.text,
        rule=f"model: {', '.join(dict.fromkeys(settling.decision for _, settling in judged.decided))}",
        evidence=" | ".join(f"{doubt.known.text}: {settling.reason}" for doubt, settling in judged.decided),
        id=subject_id,
        replaced=tuple(observation.id for observation in judged.replaced) or None,
        model=judged.decided[0][1].model,
    )


def questions_of(judged: Sequence[JudgedFact], ids: Sequence[str | None], node: str) -> list[Question]:
    """Return the questions about facts, the most certain first.

    `ids` are the ids of the records that now state the facts. If an id is the entity's, the fact is a property.
    """
    questions = [
        Question(
            id=question_id(new, doubt.known.id),
            known_text=doubt.known.text,
            new_text=fact.fact.observation.text,
            reason=doubt.reason,
            score=doubt.score,
            choices=dict(PROPERTY_CHOICES if new == node else OBSERVATION_CHOICES),
        )
        for fact, new in zip(judged, ids, strict=True)
        if new is not None
        for doubt in fact.doubts
    ]
    return sorted(questions, key=lambda question: -question.score)[:MAX_QUESTIONS]
