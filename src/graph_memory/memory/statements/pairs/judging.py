"""Two logistic models: whether two statements have the same topic, and whether they contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log1p
from operator import mul

from graph_memory.memory.statements.pairs.comparing import EXCLAIMED, Comparison
from graph_memory.memory.statements.pairs.pair_features import feature_vector
from graph_memory.memory.statements.pairs.weights import ABOUT_ONE_THING, CONTRADICTS, THRESHOLD

_NEVER = float("-inf")


def contradiction_score(pair: Comparison) -> float:
    """Return the log probability of a contradiction, minus the threshold.

    `remember` asks a question if the result is at least 0. The result is negative if one of the statements is a
    question. It is at least 0 if the statements differ only in punctuation, case or accents, unless one of them is
    an exclamation.
    """
    known, new = pair.known, pair.new
    if known.is_question or new.is_question:
        return _NEVER
    score = log_probability(feature_vector(pair)) - THRESHOLD
    is_equal_but_for_signs = known.whole == new.whole and EXCLAIMED not in pair.features
    return max(score, 0.0) if is_equal_but_for_signs else score


def outdated_probability(pair: Comparison) -> float:
    """Return the probability, from 0 to 1, that the known statement is out of date."""
    return exp(log_probability(feature_vector(pair)))


def log_probability(features: Sequence[float]) -> float:
    """Return the log probability that two statements have the same topic and contradict each other."""
    heads = (sum(map(mul, head, features)) for head in (ABOUT_ONE_THING, CONTRADICTS))
    return sum(-log1p(exp(-logit)) for logit in heads)
