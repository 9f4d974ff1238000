"""Scores passages by the words in them and in their context, with the domain's statistics.

The module is pure: it scores passages that the indexes found and returns candidates for `ranking`. See decision 29
for the measurements.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import fsum
from statistics import mean

from graph_memory.memory.search.passages.passages import CONTEXT_WORDS
from graph_memory.memory.search.ranking.ranking import Candidate
from graph_memory.memory.search.text.bm25 import Query, Statistics, Terms, Text, analyse, join_texts, score

WINDOW_WEIGHT = 2.0
"""The weight of words in a passage with its context, relative to words in the passage."""
CANDIDATES = 100
"""Maximum number of passages that words contribute to the ranking, and that vectors contribute."""
WHOLE = 0.5
"""The share of a passage's word score that comes from all found passages of the same text (decision 41)."""


@dataclass(frozen=True)
class PassageText:
    """The text of a passage."""

    id: str
    head: str
    text: str
    date: str

    @cached_property
    def headed(self) -> str:
        """The head, followed by the text."""
        return f"{self.head}: {self.text}" if self.head else self.text

    @cached_property
    def own(self) -> str:
        """The text that counts as the passage's own words."""
        return f"{self.date} {self.headed}".strip()


@dataclass(frozen=True)
class Passage(PassageText):
    """A passage of the index."""

    owner: str
    owner_kind: str
    unit: str
    type: str
    place: str
    created: int
    valid_from: int
    valid_to: int
    of_owner: int = 1
    """The number of passages of its owner, if read."""
    cosine: float | None = None
    """The cosine of its vector and the query vector, if computed."""

    @property
    def key(self) -> str:
        """An identity that is the same in every database."""
        return f"{self.unit}\n{self.owner}\n{self.place}"


@dataclass(frozen=True, slots=True)
class QuerySample:
    """A query, the number of passages in the sample, and the number of them that contain each term."""

    query: Query
    texts: int
    frequencies: Mapping[str, int]


@dataclass(frozen=True)
class Points:
    """The score that each word and word pair of a query adds to a passage, in its own text and in its context."""

    own: Mapping[str, float]
    window: Mapping[str, float]
    index_score: float | None = None
    """The score of the index, for a query in Lucene's syntax."""

    @cached_property
    def lexical(self) -> float:
        """The word score."""
        return fsum((*self.own.values(), *self.window.values())) if self.index_score is None else self.index_score


@dataclass(frozen=True, slots=True)
class Scored:
    """A passage with its word scores. `whole` is the word score of the text that it is a part of."""

    passage: Passage
    points: Points
    whole: float | None = None

    @property
    def candidate(self) -> Candidate:
        """The passage as input of the ranking."""
        passage, lexical = self.passage, self.points.lexical
        if self.whole is not None:
            lexical += WHOLE * (self.whole - lexical)
        return Candidate(passage.unit, passage.place, passage.key, lexical, passage.cosine)


class PassageContext:
    """Passages with the known passages before and after them."""

    def __init__(self, passages: Iterable[PassageText], runs: Iterable[Sequence[str]]) -> None:
        self.passages = {passage.id: passage for passage in passages}
        self._before: dict[str, str] = {}
        self._after: dict[str, str] = {}
        for run in runs:
            for first, second in pairwise(run):
                self._after[first] = second
                self._before[second] = first
        self._lengths = {passage.id: len(passage.text.split()) for passage in self.passages.values()}

    def passages_around(self, passage: str) -> tuple[list[PassageText], list[PassageText]]:
        """Return the passages before and after a passage, up to 60 words on either side."""
        return self._walk(passage, self._before)[::-1], self._walk(passage, self._after)

    def pool(self, hits: Iterable[str]) -> list[str]:
        """Return the hits and the passages around them, since the answer is often next to the matching word."""
        pool: dict[str, None] = {}
        for hit in hits:
            before, after = self.passages_around(hit)
            pool |= dict.fromkeys([*(passage.id for passage in before), hit, *(passage.id for passage in after)])
        return list(pool)

    def _walk(self, passage: str, next_ids: Mapping[str, str]) -> list[PassageText]:
        results: list[PassageText] = []
        words = 0
        current = next_ids.get(passage)
        while current is not None and words < CONTEXT_WORDS:
            results.append(self.passages[current])
            words += self._lengths[current]
            current = next_ids.get(current)
        return results


class Words:
    """Finds the terms of a query in texts. Each text is analysed once."""

    def __init__(self, question: Query) -> None:
        self.terms = Terms(question.terms, question.analyser)
        self._analysed: dict[str, Text] = {"": Text({}, 0, 0)}

    def of(self, text: str) -> Text:
        """Return the positions of the terms in a text."""
        if (analysed_text := self._analysed.get(text)) is None:
            analysed_text = self._analysed[text] = analyse(text, self.terms)
        return analysed_text

    def own(self, passage: PassageText) -> Text:
        """Return the positions of the terms in a passage's own words."""
        return join_texts([self.of(passage.date), self.of(passage.head), self.of(passage.text)])

    def window(self, passage: PassageText, before: Sequence[PassageText], after: Sequence[PassageText]) -> Text:
        """Return the positions of the terms in a passage with its context."""
        parts = [self.of(passage.head), self.of(passage.text)]
        return join_texts(
            [
                *(self.of(passage_text.text) for passage_text in before),
                *parts,
                *(self.of(passage_text.text) for passage_text in after),
            ]
        )


def score_passages(
    sample: QuerySample, context: PassageContext, ids: Sequence[str], words: Words | None = None
) -> dict[str, Points]:
    """Return the word scores of passages, in their text and in their context.

    `words` may already contain analysed texts.
    """
    if not ids:
        return {}
    words = words or Words(sample.query)
    passages = [context.passages[passage_id] for passage_id in ids]
    own_texts = [words.own(passage) for passage in passages]
    window_texts = [words.window(passage, *context.passages_around(passage.id)) for passage in passages]
    frequencies = with_dates(sample, passages, words)
    own_statistics = Statistics(sample.texts, mean(text.length for text in own_texts), frequencies)
    window_statistics = estimate_windows(own_statistics, mean(text.length for text in window_texts))
    points: dict[str, Points] = {}
    for passage_id, own_text, window_text in zip(ids, own_texts, window_texts, strict=True):
        window_points = {
            term: WINDOW_WEIGHT * value for term, value in score(window_text, sample.query, window_statistics).items()
        }
        points[passage_id] = Points(score(own_text, sample.query, own_statistics), window_points)
    return points


def coverage(sample: QuerySample, scored: Sequence[Scored]) -> float:
    """Return the greatest share of the query's words that one passage contains, weighted by rarity: 0 to 1."""
    statistics = Statistics(sample.texts, 0.0, sample.frequencies)
    rarity = {term: statistics.idf(term) for term in sample.query.terms}
    shares = (fsum(rarity[term] for term in rarity.keys() & passage.points.own.keys()) for passage in scored)
    return max(shares, default=0.0) / (fsum(rarity.values()) or 1.0)


def estimate_windows(passages: Statistics, length: float) -> Statistics:
    """Estimate the statistics of windows of a mean length from the statistics of passages, assuming independent words.

    A window is `k` passages long. A word in a share `r` of passages occurs in a window with probability 1 - (1 - r) **
    k.
    """
    if not passages.texts or not passages.length:
        return passages
    times = length / passages.length
    shares = {term: min(having / passages.texts, 1.0) for term, having in passages.frequencies.items()}
    having = {term: round(passages.texts * (1 - (1 - share) ** times)) for term, share in shares.items()}
    return Statistics(passages.texts, length, having)


def with_dates(sample: QuerySample, passages: Sequence[PassageText], words: Words) -> Mapping[str, int]:
    """Return the number of passages per term, including terms that occur in dates.

    Dates are not indexed, so their terms are counted in the given passages.
    """
    terms_of_dates = [words.of(passage.date).positions.keys() for passage in passages]
    counts = dict(sample.frequencies)
    for term in sample.query.terms:
        if having := sum(term in terms for terms in terms_of_dates):
            counts[term] = max(counts.get(term, 0), round(sample.texts * having / len(passages)))
    return counts


def best_by_own_words(sample: QuerySample, texts: Mapping[str, str]) -> list[str]:
    """Return the ids of the passages that contain a word of the query. The best own words come first."""
    terms = Terms(sample.query.terms, sample.query.analyser)
    analysed_texts = {passage_id: analyse(text, terms) for passage_id, text in texts.items()}
    length = mean(text.length for text in analysed_texts.values()) if analysed_texts else 0.0
    statistics = Statistics(sample.texts, length, sample.frequencies)
    points = {
        passage_id: fsum(score(text, sample.query, statistics).values()) for passage_id, text in analysed_texts.items()
    }
    return sorted(
        (passage_id for passage_id, value in points.items() if value > 0),
        key=lambda passage_id: (-points[passage_id], passage_id),
    )


def preselect(points_by_id: Mapping[str, Points], nearest: Collection[str], limit: int = CANDIDATES) -> list[str]:
    """Return the ids to pass to `select_candidates`: the best passages, and all that tie with the last of these."""
    points = sorted((points.lexical for points in points_by_id.values() if points.lexical > 0), reverse=True)
    minimum = points[limit - 1] if len(points) > limit else 0.0
    return [
        passage_id
        for passage_id, points in points_by_id.items()
        if (points.lexical > 0 and points.lexical >= minimum) or passage_id in nearest
    ]


def select_candidates(scored: Sequence[Scored], nearest: Collection[str], limit: int = CANDIDATES) -> list[Scored]:
    """Return the passages with the best word scores and the passages that the vectors found, without duplicates."""
    with_words = (passage for passage in scored if passage.points.lexical > 0)
    best = sorted(with_words, key=lambda passage: (-passage.points.lexical, passage.passage.key))
    selected = {passage.passage.id: passage for passage in best[:limit]}
    selected |= {passage.passage.id: passage for passage in scored if passage.passage.id in nearest}
    return list(selected.values())


def add_whole_scores(scored: Sequence[Scored]) -> list[Scored]:
    """Return the passages of long texts with the word scores of the whole texts.

    The words of a question may be in different passages of a text. Therefore each word counts with its best score in
    any passage that was found.
    """
    texts: dict[tuple[str, str], list[Points]] = {}
    for passage in scored:
        texts.setdefault(_text_of(passage), []).append(passage.points)
    whole = {text: _score_whole(points) for text, points in texts.items() if len(points) > 1}
    return [replace(passage, whole=whole.get(_text_of(passage))) for passage in scored]


def _text_of(scored: Scored) -> tuple[str, str]:
    """Return the subject and the field that a passage is a part of."""
    return scored.passage.owner, scored.passage.place.partition("/")[0]


def _score_whole(passages: Sequence[Points]) -> float | None:
    """Return the sum of the best scores of each word, or None if the index scored the passages."""
    if any(points.index_score is not None for points in passages):
        return None
    own = _best_of_each(points.own for points in passages)
    window = _best_of_each(points.window for points in passages)
    return fsum((*own.values(), *window.values()))


def _best_of_each(scores: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return the best score of each word."""
    best: dict[str, float] = {}
    for words in scores:
        for word, value in words.items():
            best[word] = max(best.get(word, 0.0), value)
    return best
