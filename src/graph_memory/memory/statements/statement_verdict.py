"""Compares new statements with the known observations of an entity: equal, new, or new with doubts. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from math import log, prod

from graph_memory.memory.statements.pairs.comparing import EXCLUDING, Comparison, compare
from graph_memory.memory.statements.pairs.judging import probability, weigh
from graph_memory.memory.statements.values.literals import same_text

MAX_QUESTIONS = 3
"""Maximum number of known statements that one reply asks about."""
MAX_LENGTH = 2_000
"""Maximum number of characters of a statement. Longer texts are documents and only compared for equality."""
_THRESHOLD_INCREASE = 0.25
"""The increase of the threshold, in log units, for each factor of e in the number of known statements or chance
matches.

Chosen with the lives in `tests/data/lives.jsonl`.
"""


class Rule(StrEnum):
    """The relation of a statement to the known ones."""

    EQUAL_TEXT = "equal text"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class CurrentObservation:
    """An observation that is currently valid."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """A known statement that a new one may supersede."""

    known: CurrentObservation
    score: float
    reason: str
    excludes: bool = False
    """Whether the two cannot hold at the same time, whichever was stated first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The verdict on a new statement: the known statement that equals it, or the doubts that it raises."""

    rule: Rule
    known: CurrentObservation | None = None
    score: float | None = None
    doubts: Sequence[Doubt] = field(default_factory=list[Doubt])


@lru_cache(maxsize=32_768)
def _compare_and_weigh(known: str, new: str, entity: str) -> tuple[Comparison, float]:
    pair = compare(known, new, entity)
    return pair, weigh(pair)


def verdict(new: str, known: Sequence[CurrentObservation], entity: str) -> Verdict:
    """Return the verdict on a statement about an entity, with its doubts, strongest first."""
    equal = find_equal(new, known)
    if equal is not None:
        return Verdict(rule=Rule.EQUAL_TEXT, known=equal, score=1.0)
    pairs = [
        (observation, *_compare_and_weigh(observation.text, new, entity)) for observation in _comparable(new, known)
    ]
    ties = Counter(tie for _, pair, _ in pairs for tie in pair.ties)
    count = len(known)
    weighed = [
        (weight - _threshold_increase(pair, ties, count), observation, pair)
        for observation, pair, weight in pairs
        if weight >= 0
    ]
    results = sorted(
        (weighed_pair for weighed_pair in weighed if weighed_pair[0] >= 0), key=lambda weighed_pair: -weighed_pair[0]
    )
    doubts = [
        Doubt(observation, round(probability(pair), 2), reason(pair), excludes=not EXCLUDING.isdisjoint(pair.features))
        for _, observation, pair in results[:MAX_QUESTIONS]
    ]
    return Verdict(rule=Rule.NEW, doubts=doubts)


def find_equal(new: str, known: Sequence[CurrentObservation]) -> CurrentObservation | None:
    """Return the known statement that says the same, preferably in identical characters, or None."""
    exact = (observation for observation in known if observation.text == new)
    return next(exact, None) or next((observation for observation in known if same_text(observation.text, new)), None)


def _comparable(new: str, known: Sequence[CurrentObservation]) -> Sequence[CurrentObservation]:
    return (
        [observation for observation in known if len(observation.text) <= MAX_LENGTH] if len(new) <= MAX_LENGTH else ()
    )


def _threshold_increase(pair: Comparison, ties: Mapping[str, int], known: int) -> float:
    """Return the increase of the threshold for many known statements, in log units. It is 0 for a single one.

    With more known statements, each one is less likely to be meant, and a word in many of them identifies none. So the
    increase grows with the number of known statements, and with the expected number that share all words of the pair.
    """
    by_chance = known * prod(ties[tie] / known for tie in pair.ties)
    return _THRESHOLD_INCREASE * log(max(1.0, known * by_chance))


def reason(pair: Comparison) -> str:
    """Describe in words why the known statement may be out of date."""
    lines = [f"{feature} ({evidence})" for feature, evidence in pair.features.items()]
    return "; ".join(lines) if lines else "much alike"
