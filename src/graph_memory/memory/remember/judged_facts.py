"""Judges the facts of one call together: each against known observations, and against the facts before it. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from graph_memory.memory.entities.observations.observing import Observation
from graph_memory.memory.entities.observations.resolve_observations import resolved
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
from graph_memory.memory.remember.outdated import outdated
from graph_memory.memory.remember.properties import told
from graph_memory.memory.statements.statement_verdict import MOST_ASKED, Doubt, Known, Rule, Verdict, verdict
from graph_memory.model.events import Draft
from graph_memory.model.values.properties import PropertyValue

REPLACES = "named as replaced"


@dataclass(frozen=True, slots=True)
class Judged:
    """A fact with its verdict."""

    fact: Fact
    verdict: Verdict
    replaced: Sequence[Observation] = ()
    """The observations that it ends."""
    asks: Sequence[Doubt] = ()
    """The doubts that become questions."""
    settled: Sequence[tuple[Doubt, Settling]] = ()
    """The doubts that a language model has decided."""

    @property
    def is_new(self) -> bool:
        """Whether the fact becomes an observation."""
        return self.verdict.known is None

    @property
    def known(self) -> str | None:
        """The id of the known observation with the same statement."""
        return self.verdict.known.id if self.verdict.known else None

    def observation(self, at: datetime) -> NewObservation:
        """Return the new observation. The observations that it replaces end when it begins."""
        own = self.fact.observation
        begins = replace(own.validity, valid_from=at) if self.replaced else own.validity
        ids = tuple(observation.id for observation in self.replaced)
        return replace(own, validity=begins, supersedes=ids, asks=tuple(ask.known.id for ask in self.asks))

    def late(self, named: Mapping[str, Observation]) -> list[Observation]:
        """Return the ended observations that the fact should replace, and the last ended one with the same text."""
        if self.replaced:
            return []
        over = [observation for observation in named.values() if observation.is_over]
        observations = [
            observation for observation in over if self.is_new and observation.state.text == self.fact.observation.text
        ][-1:]
        return [
            *observations,
            *(
                observation
                for observation in resolved(self.fact.replaces, named)
                if observation in over and observation not in observations
            ),
        ]

    def taking_over(self, named: Mapping[str, Observation]) -> Draft | None:
        """Return the draft by which the known observation supersedes the observations that end."""
        observation = named.get(self.known or "")
        if observation is None:
            return None
        ids = dict.fromkeys((*observation.state.supersedes, *(observation.id for observation in self.replaced)))
        return observation.changed(replace(observation.state, supersedes=tuple(ids)))


def judged_facts(
    facts: Sequence[Fact],
    known: Sequence[Known],
    named: Mapping[str, Observation],
    entity: str,
    settlings: Settlings,
) -> list[Judged]:
    """Return the facts with their verdicts and the strongest doubts of all facts. Raises INVALID_ARGUMENT."""
    ending = {observation.id for fact in facts for observation in resolved(fact.replaces, named)}
    there, results, made = [*known], list[Judged](), set[str]()
    for fact in facts:
        text = fact.observation.text
        replaced = [
            observation
            for observation in resolved(fact.replaces, named)
            if not observation.is_over and observation.state.text != text
        ]
        beside = [one for one in there if one.id not in ending or one.text == text]
        if replaced:
            equal = next((one for one in beside if one.text == text), None)
            own = Verdict(rule=_rule_of(equal), known=equal)
        else:
            own = verdict(text, beside, entity)
        judged = _settled(Judged(fact, _of_one_call(own, made), replaced), named, settlings)
        gone = {observation.id for observation in judged.replaced}
        there = [each for each in there if each.id not in gone]
        if judged.is_new:
            made.add(fact.observation.id)
            there.append(Known(fact.observation.id, text))
        results.append(judged)
    return _asking(results)


def _of_one_call(own: Verdict, made: Collection[str]) -> Verdict:
    """Return the verdict with only excluding doubts about statements of the same call."""
    return replace(own, doubts=[doubt for doubt in own.doubts if doubt.known.id not in made or doubt.excludes])


def with_changes(
    judged: Sequence[Judged],
    before: Mapping[str, PropertyValue],
    after: Mapping[str, PropertyValue],
    known: Sequence[Known],
    ends: Sequence[Observation],
) -> list[Judged]:
    """Return the facts, followed by changed properties whose old value makes known observations doubtful.

    The strongest doubts of all are kept. Observations that end or already have a question are not doubted again.
    """
    apart = {end.id for end in (*ends, *(observation for one in judged for observation in one.replaced))}
    apart |= {doubt.known.id for one in judged for doubt in one.asks}
    doubts = outdated(before, after, [one for one in known if one.id not in apart])
    changes = [
        Judged(Fact(observation=NewObservation(text=told(key, after[key]))), Verdict(rule=Rule.NEW, doubts=results))
        for key, results in doubts.items()
    ]
    return _asking([*judged, *changes]) if changes else [*judged]


def _settled(judged: Judged, named: Mapping[str, Observation], settlings: Settlings) -> Judged:
    """Return the fact with the model's decisions on its doubts, as far as the doubts are unchanged."""
    own, text = judged.verdict, judged.fact.observation.text
    pairs = [(doubt, settlings.get(Pair(doubt.known.id, doubt.known.text, text))) for doubt in own.doubts]
    said = [(doubt, settling) for doubt, settling in pairs if settling is not None]
    if not said:
        return judged
    if same := [pair for pair in said if pair[1].decision == "same"]:
        return replace(judged, verdict=Verdict(rule=own.rule, known=same[0][0].known), settled=same[:1])
    closed = [
        named[doubt.known.id] for doubt, settling in said if settling.decision == "close" and doubt.known.id in named
    ]
    rest = replace(own, doubts=[doubt for doubt, settling in pairs if settling is None])
    return replace(judged, verdict=rest, replaced=closed, settled=said)


def _rule_of(equal: Known | None) -> Rule:
    return Rule.EQUAL_TEXT if equal else Rule.NEW


def _asking(judged: Sequence[Judged]) -> list[Judged]:
    """Return the facts with the strongest doubts of all facts, at most `MOST_ASKED`."""
    doubts = [(place, doubt) for place, one in enumerate(judged) for doubt in one.verdict.doubts]
    pairs = sorted(doubts, key=lambda pair: -pair[1].score)[:MOST_ASKED]
    return [replace(one, asks=[doubt for place, doubt in pairs if place == own]) for own, one in enumerate(judged)]


def receipt_of(one: Judged, made: str | None) -> Receipt:
    """Return the receipt of a fact, with the id of the observation that states it now."""
    text, own = one.fact.observation.text, one.verdict
    if one.settled:
        return _receipt_of_settled(one, made)
    if one.replaced:
        texts = " | ".join(observation.state.text for observation in one.replaced)
        ids = tuple(observation.id for observation in one.replaced)
        return Receipt(decision=Outcome.UPDATE, fact=text, rule=REPLACES, evidence=texts, id=made, replaced=ids)
    decision = Outcome.ADD if one.is_new else Outcome.NOOP
    return Receipt(decision=decision, fact=text, rule=own.rule, score=own.score, id=made)


def _receipt_of_settled(judged: Judged, made: str | None) -> Receipt:
    """Return the receipt of a fact on which a language model has decided."""
    fresh = Outcome.UPDATE if judged.replaced else Outcome.ADD
    return Receipt(
        decision=fresh if judged.is_new else Outcome.NOOP,
        fact=judged.fact.observation.text,
        rule=f"model: {', '.join(dict.fromkeys(settling.decision for _, settling in judged.settled))}",
        evidence=" | ".join(f"{doubt.known.text}: {settling.reason}" for doubt, settling in judged.settled),
        id=made,
        replaced=tuple(observation.id for observation in judged.replaced) or None,
        model=judged.settled[0][1].model,
    )


def questions_of(judged: Sequence[Judged], ids: Sequence[str | None], node: str) -> list[Question]:
    """Return the questions about facts, the most certain first.

    `ids` are the ids of the records that state the facts now. If the id is that of the entity, the fact is a property.
    """
    questions = [
        Question(
            id=question_id(new, doubt.known.id),
            known_text=doubt.known.text,
            new_text=one.fact.observation.text,
            reason=doubt.reason,
            score=doubt.score,
            choices=dict(PROPERTY_CHOICES if new == node else OBSERVATION_CHOICES),
        )
        for one, new in zip(judged, ids, strict=True)
        if new is not None
        for doubt in one.asks
    ]
    return sorted(questions, key=lambda question: -question.score)[:MOST_ASKED]
