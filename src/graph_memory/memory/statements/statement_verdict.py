"""Compares new statements with an entity's observations: each is equal, new, or possibly supersedes an observation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from math import log, prod

from graph_memory.memory.statements.pairs.comparing import EXCLUDING, Comparison, compare
from graph_memory.memory.statements.pairs.judging import contradiction_score, outdated_probability
from graph_memory.memory.statements.values.literals import same_text

MAX_QUESTIONS = 3
"""Maximum number of known statements that a reply asks about."""
MAX_LENGTH = 2_000
"""Maximum number of characters of a statement. Longer texts are documents, and are only compared for equality."""
_THRESHOLD_INCREASE = 0.25
"""Increase of the threshold, in log units, for each factor of e in the number of known statements or chance matches.
Chosen with the data in `tests/data/lives.jsonl`."""


class Rule(StrEnum):
    """The relation of a new statement to the known statements."""

    EQUAL_TEXT = "equal text"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class CurrentObservation:
    """An observation that is currently valid."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class PossibleReplacement:
    """A known statement that a new statement may supersede, with the probability and the reason."""

    known: CurrentObservation
    score: float
    reason: str
    excludes: bool = False
    """Whether the statements contradict each other, regardless of their order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The verdict on a new statement: an equal known statement, or the known statements that it may replace."""

    rule: Rule
    known: CurrentObservation | None = None
    score: float | None = None
    possible_replacements: Sequence[PossibleReplacement] = field(default_factory=list[PossibleReplacement])


@lru_cache(maxsize=32_768)
def _compare_and_weigh(known: str, new: str, entity: str) -> tuple[Comparison, float]:
    pair = compare(known, new, entity)
    return pair, contradiction_score(pair)


def judge_statement(new: str, known: Sequence[CurrentObservation], entity: str) -> Verdict:
    """Compare a new statement with the known observations of an entity.

    Returns at most `MAX_QUESTIONS` possible replacements, most probable first.
    """
    equal_observation = find_equal(new, known)
    if equal_observation is not None:
        return Verdict(rule=Rule.EQUAL_TEXT, known=equal_observation, score=1.0)
    comparable = [other for other in known if max(len(other.text), len(new)) <= MAX_LENGTH]
    pairs = [(other, *_compare_and_weigh(other.text, new, entity)) for other in comparable]
    feature_counts = Counter(feature for _, pair, _ in pairs for feature in pair.shared_features)
    weighed_pairs = [
        (weight - _threshold_increase(pair, feature_counts, len(known)), observation, pair)
        for observation, pair, weight in pairs
        if weight >= 0
    ]
    likely_pairs = sorted((weighed for weighed in weighed_pairs if weighed[0] >= 0), key=lambda weighed: -weighed[0])
    replacements = [
        PossibleReplacement(
            observation,
            round(outdated_probability(pair), 2),
            "; ".join(f"{feature} ({evidence})" for feature, evidence in pair.features.items()) or "much alike",
            excludes=not EXCLUDING.isdisjoint(pair.features),
        )
        for _, observation, pair in likely_pairs[:MAX_QUESTIONS]
    ]
    return Verdict(rule=Rule.NEW, possible_replacements=replacements)


def find_equal(new: str, known: Sequence[CurrentObservation]) -> CurrentObservation | None:
    """Return the known statement with the same meaning, preferably with identical characters, or None."""
    exact = (observation for observation in known if observation.text == new)
    return next(exact, None) or next((observation for observation in known if same_text(observation.text, new)), None)


def _threshold_increase(pair: Comparison, feature_counts: Mapping[str, int], known_count: int) -> float:
    """Return the increase of the threshold for the number of known statements, in log units. For 1 statement, it is 0.

    The more statements are known, the less likely it is that a particular statement is meant. A word that occurs in
    many statements identifies none of them. The increase therefore depends on the number of known statements, and on
    how many of them are expected to share the pair's words.
    """
    expected_matches = known_count * prod(feature_counts[feature] / known_count for feature in pair.shared_features)
    return _THRESHOLD_INCREASE * log(max(1.0, known_count * expected_matches))
