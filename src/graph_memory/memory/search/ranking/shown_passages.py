"""Chooses the passage to show for a hit: the best passage, unless it is only a name or a tag.

The choice does not change any score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

from graph_memory.memory.search.ranking.scoring import Passage, ScoredPassage, TermScores
from graph_memory.memory.search.text.bm25 import Query, QueryTermMap, analyse

_CONTENT = "content/"
NAME = "title"
"""The place of passages that are names."""


def choose_passage(question: Query, best: ScoredPassage, scored_passages: Sequence[ScoredPassage]) -> Passage:
    """Return the passage to show: the best passage, or the best content passage if the best has no word of the query.

    A passage without such a word, for example a tag, matched because of its unit's title.
    """
    passage = best.passage
    if passage.place.startswith(_CONTENT) or _query_words_in(question, passage.text):
        return passage
    content = [scored for scored in scored_passages if scored.passage.place.startswith(_CONTENT)]
    return max(content, key=lambda scored: (scored.points.lexical, scored.passage.cosine or 0.0), default=best).passage


def sort_by_relevance(
    question: Query, title: str, passages: Sequence[Passage], points: Mapping[str, TermScores]
) -> list[Passage]:
    """Return a unit's passages, sorted by words and vectors, best first.

    Words of the title are ignored, because they led to the unit. If the query has no other words, the order is
    unchanged. A passage that has no score in `points` is scored by the number of words that it contains.
    """
    title_words = _query_words_in(question, title)
    if question.terms and title_words.issuperset(question.terms):
        return [*passages]
    query_words = frozenset(question.terms) - title_words
    lexical = {
        passage.key: _score_beyond_name(title_words, points[passage.key])
        if passage.key in points
        else float(len(query_words & _query_words_in(question, passage.text)))
        for passage in passages
    }
    best = max(lexical.values(), default=0.0) or 1.0
    nearest = max((passage.cosine or 0.0 for passage in passages), default=0.0) or 1.0

    def fit_of(passage: Passage) -> float:
        return lexical[passage.key] / best + (passage.cosine or 0.0) / nearest

    return sorted(passages, key=fit_of, reverse=True)


def _score_beyond_name(name_words: frozenset[str], points: TermScores) -> float:
    """Return the score of the words and word pairs that are not part of a name."""
    pairs = (*points.own.items(), *points.window.items())
    return fsum(value for words, value in pairs if name_words.isdisjoint(words.split(" ")))


def is_name_only(question: Query, passage: Passage) -> bool:
    """Return whether a passage is only a name, which the title shows anyway, while the query has more words."""
    return passage.place == NAME and bool(frozenset(question.terms) - _query_words_in(question, passage.text))


def _query_words_in(question: Query, text: str) -> frozenset[str]:
    return frozenset(analyse(text, QueryTermMap(question.terms, question.analyser)).positions)
