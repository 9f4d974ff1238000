"""Chooses the passage to show for a hit: the best one, unless it is only a name or a tag.

The module is pure. The choice does not change a score.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum

from graph_memory.memory.search.ranking.scoring import Passage, Points, Scored
from graph_memory.memory.search.text.bm25 import Query, Terms, analyse

_CONTENT = "content/"
NAME = "title"
"""The place of a passage that is a name."""


def choose_passage(question: Query, best: Scored, scored_passages: Sequence[Scored]) -> Passage:
    """Return the passage to show: the best one, or a passage of content if the best one has no word of the query.

    A passage without such a word, for example a tag, was found by its title.
    """
    passage = best.passage
    if passage.place.startswith(_CONTENT) or _words_in(question, passage.text):
        return passage
    content = [scored for scored in scored_passages if scored.passage.place.startswith(_CONTENT)]
    return max(content, key=lambda scored: (scored.points.lexical, scored.passage.cosine or 0.0), default=best).passage


def sort_by_fit(
    question: Query, title: str, passages: Sequence[Passage], points: Mapping[str, Points]
) -> list[Passage]:
    """Return passages of a unit, best first, by words and vectors.

    Words of the title are ignored, since they led to the unit. If the query has no other words, the order is unchanged.
    Passages that the search did not score are scored by how many of the words they contain.
    """
    title_words = _words_in(question, title)
    if question.terms and title_words.issuperset(question.terms):
        return [*passages]
    query_words = frozenset(question.terms) - title_words
    lexical = {
        passage.key: _score_beyond_name(title_words, points[passage.key])
        if passage.key in points
        else float(len(query_words & _words_in(question, passage.text)))
        for passage in passages
    }
    best = max(lexical.values(), default=0.0) or 1.0
    nearest = max((passage.cosine or 0.0 for passage in passages), default=0.0) or 1.0

    def fit_of(passage: Passage) -> float:
        return lexical[passage.key] / best + (passage.cosine or 0.0) / nearest

    return sorted(passages, key=fit_of, reverse=True)


def _score_beyond_name(name_words: frozenset[str], points: Points) -> float:
    """Return the score of the words and word pairs outside a name."""
    pairs = (*points.own.items(), *points.window.items())
    return fsum(value for words, value in pairs if name_words.isdisjoint(words.split(" ")))


def is_name_only(question: Query, passage: Passage) -> bool:
    """Return whether a passage is only a name, which the title shows anyway, and the query has more words."""
    return passage.place == NAME and bool(frozenset(question.terms) - _words_in(question, passage.text))


def is_bare(passages: Iterable[Passage]) -> bool:
    """Return whether all passages found for a unit are names."""
    return all(passage.place == NAME for passage in passages)


def _words_in(question: Query, text: str) -> frozenset[str]:
    """Return the query's words that occur in a text."""
    return frozenset(analyse(text, Terms(question.terms, question.analyser)).positions)
