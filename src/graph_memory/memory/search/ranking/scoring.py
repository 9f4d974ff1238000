"""Scores passages by the words in them and their context, with the domain's statistics.

The module has no side effects: it scores passages from the indexes, and returns candidates for `ranking`. Decision 29
has the measurements.
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
from graph_memory.memory.search.text.bm25 import Query, QueryTermMap, Statistics, Text, analyse, join_texts, score

WINDOW_WEIGHT = 2.0
"""The weight of words in a passage with its context, relative to words in the passage."""
CANDIDATES = 100
"""Maximum number of passages from the word search in the ranking. The vector search has the same limit."""
WHOLE_TEXT_SHARE = 0.5
"""The weight of the whole text's score in a passage's word score, from 0 to 1 (decision 41)."""


@dataclass(frozen=True)
class PassageText:
    """The text of a passage."""

    id: str
    head: str
    text: str
    date: str

    @cached_property
    def own_text(self) -> str:
        """The text that counts as the passage's own words: its date, head and text."""
        head = f"{self.head}: " if self.head else ""
        return f"{self.date} {head}{self.text}".strip()


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
    """The number of passages of the passage's owner, or 1 if it was not read."""
    is_tool_output: bool = False
    """Whether the text of the passage's node is a tool's output. False if it was not read."""
    cosine: float | None = None
    """The cosine similarity of the passage's vector and the query vector, or None if it was not computed."""

    @property
    def key(self) -> str:
        """A key that identifies the passage in every database."""
        return f"{self.unit}\n{self.owner}\n{self.place}"


@dataclass(frozen=True, slots=True)
class QuerySample:
    """A query, the number of passages in a sample, and how many of them contain each term."""

    query: Query
    texts: int
    frequencies: Mapping[str, int]


@dataclass(frozen=True)
class TermScores:
    """The scores that a query's words and word pairs add to a passage, in its own text and in its context."""

    own: Mapping[str, float]
    window: Mapping[str, float]
    index_score: float | None = None
    """The full-text index's score for a query in Lucene's syntax, otherwise None."""

    @cached_property
    def lexical(self) -> float:
        """The word score: the index's score, or else the sum of the scores of words and pairs."""
        return fsum((*self.own.values(), *self.window.values())) if self.index_score is None else self.index_score


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """A passage with its word scores. `whole` is the word score of the whole text to which it belongs."""

    passage: Passage
    points: TermScores
    whole: float | None = None

    @property
    def candidate(self) -> Candidate:
        """The passage as a candidate for the ranking."""
        passage, lexical = self.passage, self.points.lexical
        if self.whole is not None:
            lexical += WHOLE_TEXT_SHARE * (self.whole - lexical)
        return Candidate(passage.unit, passage.place, passage.key, lexical, passage.cosine)


class PassageContext:
    """Passages with their neighbours in reading order."""

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
        """Return the passages before and after a passage, up to `CONTEXT_WORDS` words on each side."""
        return self._walk(passage, self._before)[::-1], self._walk(passage, self._after)

    def pool(self, hits: Iterable[str]) -> list[str]:
        """Return the hits and the passages around them, because the answer is often next to the matching word."""
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


class TermFinder:
    """Locates a query's terms in texts. Each text is analysed once."""

    def __init__(self, question: Query) -> None:
        self.terms = QueryTermMap(question.terms, question.analyser)
        self._analysed: dict[str, Text] = {"": Text({}, 0, 0)}

    def analyse(self, text: str) -> Text:
        """Return the positions of the query's terms in a text."""
        if (analysed_text := self._analysed.get(text)) is None:
            analysed_text = self._analysed[text] = analyse(text, self.terms)
        return analysed_text

    def analyse_own_text(self, passage: PassageText) -> Text:
        """Return the positions of the query's terms in a passage's own words."""
        return join_texts([self.analyse(passage.date), self.analyse(passage.head), self.analyse(passage.text)])

    def analyse_window(self, passage: PassageText, before: Sequence[PassageText], after: Sequence[PassageText]) -> Text:
        """Return the positions of the query's terms in a passage with its context."""
        parts = [self.analyse(passage.head), self.analyse(passage.text)]
        return join_texts(
            [
                *(self.analyse(passage_text.text) for passage_text in before),
                *parts,
                *(self.analyse(passage_text.text) for passage_text in after),
            ]
        )


def score_passages(
    sample: QuerySample, context: PassageContext, ids: Sequence[str], words: TermFinder | None = None
) -> dict[str, TermScores]:
    """Return each passage's word scores in its own text and its context, by passage id.

    Texts that `words` already contains are not analysed again.
    """
    if not ids:
        return {}
    words = words or TermFinder(sample.query)
    passages = [context.passages[passage_id] for passage_id in ids]
    own_texts = [words.analyse_own_text(passage) for passage in passages]
    window_texts = [words.analyse_window(passage, *context.passages_around(passage.id)) for passage in passages]
    frequencies = count_with_dates(sample, passages, words)
    own_statistics = Statistics(sample.texts, mean(text.length for text in own_texts), frequencies)
    window_statistics = estimate_windows(own_statistics, mean(text.length for text in window_texts))
    points: dict[str, TermScores] = {}
    for passage_id, own_text, window_text in zip(ids, own_texts, window_texts, strict=True):
        window_points = {
            term: WINDOW_WEIGHT * value for term, value in score(window_text, sample.query, window_statistics).items()
        }
        points[passage_id] = TermScores(score(own_text, sample.query, own_statistics), window_points)
    return points


def coverage(sample: QuerySample, scored: Sequence[ScoredPassage]) -> float:
    """Return the largest share of the query's words in one passage, weighted by rarity, from 0 to 1."""
    statistics = Statistics(sample.texts, 0.0, sample.frequencies)
    rarity = {term: statistics.idf(term) for term in sample.query.terms}
    shares = (fsum(rarity[term] for term in rarity.keys() & passage.points.own.keys()) for passage in scored)
    return max(shares, default=0.0) / (fsum(rarity.values()) or 1.0)


def estimate_windows(passages: Statistics, length: float) -> Statistics:
    """Estimate the statistics of windows, whose mean length is `length`, from the statistics of passages.

    Words are assumed to be independent: if a window is `k` passages long, a word that occurs in a share `r` of the
    passages occurs in a window with the probability 1 - (1 - r) ** k.
    """
    if not passages.texts or not passages.length:
        return passages
    passages_per_window = length / passages.length
    shares = {term: min(frequencies / passages.texts, 1.0) for term, frequencies in passages.frequencies.items()}
    frequencies = {
        term: round(passages.texts * (1 - (1 - share) ** passages_per_window)) for term, share in shares.items()
    }
    return Statistics(passages.texts, length, frequencies)


def count_with_dates(sample: QuerySample, passages: Sequence[PassageText], words: TermFinder) -> Mapping[str, int]:
    """Return the number of passages with each term, including terms that occur in dates.

    Dates are not indexed, so the terms of dates are counted in `passages`.
    """
    terms_of_dates = [words.analyse(passage.date).positions.keys() for passage in passages]
    counts = dict(sample.frequencies)
    for term in sample.query.terms:
        if passage_count := sum(term in terms for terms in terms_of_dates):
            counts[term] = max(counts.get(term, 0), round(sample.texts * passage_count / len(passages)))
    return counts


def best_by_own_words(sample: QuerySample, texts: Mapping[str, str]) -> list[str]:
    """Return the ids of the passages that contain a word of the query, highest word score first."""
    terms = QueryTermMap(sample.query.terms, sample.query.analyser)
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


def preselect(points_by_id: Mapping[str, TermScores], nearest: Collection[str], limit: int = CANDIDATES) -> list[str]:
    """Return the ids of the passages from which `select_candidates` chooses.

    These are the nearest passages and the passages with the best word scores. On a tie for the last place, all tied
    passages are included.
    """
    points = sorted((points.lexical for points in points_by_id.values() if points.lexical > 0), reverse=True)
    minimum = points[limit - 1] if len(points) > limit else 0.0
    return [
        passage_id
        for passage_id, points in points_by_id.items()
        if (points.lexical > 0 and points.lexical >= minimum) or passage_id in nearest
    ]


def select_candidates(
    scored: Sequence[ScoredPassage], nearest: Collection[str], limit: int = CANDIDATES
) -> list[ScoredPassage]:
    """Return the `limit` best passages by word score, and the passages from the vector index, without duplicates."""
    with_words = (passage for passage in scored if passage.points.lexical > 0)
    best = sorted(with_words, key=lambda passage: (-passage.points.lexical, passage.passage.key))
    selected = {passage.passage.id: passage for passage in best[:limit]}
    selected |= {passage.passage.id: passage for passage in scored if passage.passage.id in nearest}
    return list(selected.values())


def add_whole_scores(scored: Sequence[ScoredPassage]) -> list[ScoredPassage]:
    """Return the passages. If several are from the same text, they get the word score of the whole text.

    The words of a question may be in different passages of a text. For the whole text, each word therefore counts with
    its best score in any passage among the hits.
    """
    texts: dict[tuple[str, str], list[TermScores]] = {}
    for passage in scored:
        texts.setdefault(_text_of(passage), []).append(passage.points)
    whole = {text: _score_whole(points) for text, points in texts.items() if len(points) > 1}
    return [replace(passage, whole=whole.get(_text_of(passage))) for passage in scored]


def _text_of(scored: ScoredPassage) -> tuple[str, str]:
    """Return the subject and the field to which a passage belongs."""
    return scored.passage.owner, scored.passage.place.partition("/")[0]


def _score_whole(passages: Sequence[TermScores]) -> float | None:
    """Return the sum of each word's best score in the passages, or None if the index scored the passages."""
    if any(points.index_score is not None for points in passages):
        return None
    own = _best_score_by_word(points.own for points in passages)
    window = _best_score_by_word(points.window for points in passages)
    return fsum((*own.values(), *window.values()))


def _best_score_by_word(scores: Iterable[Mapping[str, float]]) -> dict[str, float]:
    best: dict[str, float] = {}
    for words in scores:
        for word, value in words.items():
            best[word] = max(best.get(word, 0.0), value)
    return best
