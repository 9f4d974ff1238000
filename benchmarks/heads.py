"""Train the two heads by which `remember` judges pairs of statements, and measure them on unseen tables.

python -m benchmarks.heads            measure
python -m benchmarks.heads --write    also write the weights into the package
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from benchmarks.remembering import PAIRS, UNSEEN, read_pairs
from graph_memory.memory.statements.pairs import weights
from graph_memory.memory.statements.pairs.comparing import compare
from graph_memory.memory.statements.pairs.pair_features import feature_vector, measure_features

SEEN = UNSEEN / "seen"
TABLES = (UNSEEN / "unseen.jsonl", UNSEEN / "unseen2.jsonl", UNSEEN / "unseen3.jsonl", SEEN / "learning.jsonl", PAIRS)
"""Tables that are folds: of each, thresholds are taken from heads that were trained without it."""
ONLY_TRAINING = (SEEN / "building.jsonl",)
"""A table of contrived pairs, half of them repeats: it says nothing of how often a threshold asks."""
TALK = UNSEEN.parent / "talk.json"
"""Sentences of two people in a conversation: no two sentences of the same person contradict each other."""
QUESTION_SHARE = 0.23
"""Share of the pairs that do not contradict each other and may be asked about."""
_CROSSED, _TALKED, _PENALTY = 0.05, 0.1, 10.0
"""Weight of a pair that was put together from two others, weight of one of a conversation, and the penalty (L2)."""
_APART = (1, 5, 11)
"""How far apart the rows of a table are that are put together to an easy pair."""
_STEPS = 50

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Sample:
    """Pairs to learn from."""

    features: Array
    tables: Array
    """By pair, the place of its table in `TABLES`, and -1 for what is only for training."""
    is_about: Array
    is_contradiction: Array
    weights: Array

    def of(self, chosen: Array) -> Sample:
        """Return some of the pairs."""
        return Sample(*(getattr(self, name)[chosen] for name in Sample.__slots__))


@dataclass(frozen=True, slots=True)
class Heads:
    """Weights of both heads, the intercept first, for features as they are measured."""

    about: Array
    contradicts: Array

    def scores(self, features: Array) -> Array:
        """Return the logarithms of the probabilities of a contradiction."""
        return -sum(np.logaddexp(0, -features @ head) for head in (self.about, self.contradicts))


def read_sample() -> Sample:
    """Return all pairs of all tables, easy pairs put together from two of them, and pairs of a conversation."""
    rows: list[tuple[Sequence[float], int, bool, bool, float]] = []
    for place, path in [*enumerate(TABLES), *((-1, path) for path in ONLY_TRAINING)]:
        for known, new, entity, label, weight in _pairs_of(path):
            about, contradicts = label in _ABOUT, label == "contradicted"
            rows.append((feature_vector(compare(known, new, entity)), place, about, contradicts, weight))
    rows += [(feature_vector(compare(*pair)), -1, False, False, _TALKED) for pair in _conversation_pairs()]
    return Sample(*(np.array(column, dtype=float) for column in zip(*rows, strict=True)))


_ABOUT = frozenset({"contradicted", "same", "refined", "refines"})


def _pairs_of(path: Path) -> Iterator[tuple[str, str, str, str, float]]:
    """Give the pairs of a table, and easy pairs: a known statement beside a new one of another row and thing."""
    own = read_pairs(path)
    for pair in own:
        yield pair.known, pair.new, pair.entity, pair.label, 1.0
    by_language = defaultdict[str, list[int]](list)
    for at, pair in enumerate(own):
        by_language[pair.lang].append(at)
    for places in by_language.values():
        for at, apart in ((at, apart) for at in range(len(places)) for apart in _APART):
            result, other = own[places[at]], own[places[(at + apart) % len(places)]]
            if result.entity != other.entity:
                yield result.known, other.new.replace(other.entity, result.entity), result.entity, "crossed", _CROSSED


def _conversation_pairs() -> Iterator[tuple[str, str, str]]:
    statements = json.loads(TALK.read_text("utf-8"))
    for speaker in dict.fromkeys(statement["entity"] for statement in statements):
        texts = [statement["text"] for statement in statements if statement["entity"] == speaker]
        yield from ((known, new, speaker) for known, new in combinations(texts, 2))


def train(sample: Sample) -> Heads:
    """Return the heads of a sample; that of contradictions learns from pairs about one thing alone."""
    about = sample.of(sample.is_about == 1)
    return Heads(
        _regress(sample.features, sample.is_about, sample.weights),
        _regress(about.features, about.is_contradiction, about.weights),
    )


def _regress(features: Array, wanted: Array, weighted: Array) -> Array:
    """Return the weights of a logistic regression with an L2 penalty on standardised features."""
    mean, spread = features.mean(0), features.std(0)
    mean[0], spread[spread == 0] = 0.0, 1.0
    inputs, penalty = (features - mean) / spread, np.diag([0.0, *[_PENALTY] * (features.shape[1] - 1)])
    head = np.zeros(features.shape[1])
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-inputs @ head))
        slope = inputs.T @ (weighted * (likely - wanted)) + penalty @ head
        curve = (inputs * (weighted * likely * (1 - likely))[:, None]).T @ inputs + penalty
        head = head - np.linalg.solve(curve, slope)
    head = head / spread
    head[0] -= head[1:] @ mean[1:]
    return head


def score_unseen(sample: Sample) -> tuple[Array, Array]:
    """Return the scores of the labelled pairs by heads that have not seen their table, and which pairs these are."""
    scores = np.full(len(sample.tables), np.nan)
    for place in range(len(TABLES)):
        own = sample.tables == place
        scores[own] = train(sample.of(~own)).scores(sample.features[own])
    is_labelled = (sample.tables >= 0) & (sample.weights == 1)
    return scores, is_labelled


def find_threshold(scores: Array, is_contradiction: Array) -> float:
    """Return the score above which `QUESTION_SHARE` of the pairs without a contradiction are asked about."""
    others = np.sort(scores[is_contradiction == 0])[::-1]
    return float(others[int(QUESTION_SHARE * len(others))])


def cross_validate(sample: Sample) -> str:
    """Return a table of the contradictions that heads and a threshold recognise in tables that they have not seen."""
    scores, is_labelled = score_unseen(sample)
    lines = ["| table | contradictions asked about | others asked about |", "|---|--:|--:|"]
    total = np.zeros(4, dtype=int)
    for place, path in enumerate(TABLES):
        own, rest = is_labelled & (sample.tables == place), is_labelled & (sample.tables != place)
        is_asked = scores > find_threshold(scores[rest], sample.is_contradiction[rest])
        wrong = sample.is_contradiction == 1
        cells = [is_asked & own & wrong, own & wrong, is_asked & own & ~wrong, own & ~wrong]
        total += (counts := np.array([int(cell.sum()) for cell in cells]))
        lines.append(f"| {path.stem} | {counts[0]} of {counts[1]} | {counts[2]} of {counts[3]} |")
    return "\n".join([*lines, f"| all | {total[0] / total[1]:.3f} | {total[2] / total[3]:.3f} |"])


def train_with_threshold(sample: Sample) -> tuple[Heads, float]:
    """Return the heads of all pairs, and the threshold."""
    scores, is_labelled = score_unseen(sample)
    return train(sample), find_threshold(scores[is_labelled], sample.is_contradiction[is_labelled])


def write(heads: Heads, threshold: float) -> None:
    """Write the weights into the package."""
    names = ["intercept", *measure_features(compare("a", "b"))]
    parts = {"ABOUT_ONE_THING": heads.about, "CONTRADICTS": heads.contradicts}
    lines = ['"""The weights of the two heads, written by `python -m benchmarks.heads --write`. Data."""', ""]
    for name, head in parts.items():
        lines += [f"{name} = (", *_render_head(dict(zip(names, head, strict=True))), ")"]
    lines.append(f"THRESHOLD = {threshold:.4f}")
    Path(weights.__file__).write_text("\n".join(lines) + "\n", "utf-8")


def _render_head(head: Mapping[str, float]) -> Iterator[str]:
    return (f"    {weight:.4f},  # {name}" for name, weight in head.items())


def main(arguments: Sequence[str]) -> None:
    """Measure, and write if that is asked for."""
    sample = read_sample()
    sys.stdout.write(f"{cross_validate(sample)}\n")
    if "--write" in arguments:
        write(*train_with_threshold(sample))


if __name__ == "__main__":
    main(sys.argv[1:])
