"""Which passages are shown of what was found: the best ones, unless these say nothing by themselves.

It is pure: a score stays what it was, whichever passage is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum

from graph_memory.memory.search.ranking.scoring import Passage, Points, Scored
from graph_memory.memory.search.text.bm25 import Query, Terms, analysed

_CONTENT = "content/"
NAME = "title"
"""The place of a passage that is a name."""


def telling(question: Query, best: Scored, found: Sequence[Scored]) -> Passage:
    """Return the passage to show: the best, or of the content where that is a tag or the like without the words.

    Such a one was found by the title that heads it.
    """
    passage = best.passage
    if passage.place.startswith(_CONTENT) or _words(question, passage.text):
        return passage
    content = [scored for scored in found if scored.passage.place.startswith(_CONTENT)]
    return max(content, key=lambda scored: (scored.points.lexical, scored.passage.cosine or 0.0), default=best).passage


def by_fit(question: Query, title: str, passages: Sequence[Passage], points: Mapping[str, Points]) -> list[Passage]:
    """Return passages of a unit, the best for a question first, by words and by meaning alike.

    Words of the title say nothing here: they are what brought the unit in. Where nothing else is asked, the passages
    stay in their order. Of one that the search did not weigh, its words are counted.
    """
    named = _words(question, title)
    if question.terms and named.issuperset(question.terms):
        return [*passages]
    requests = frozenset(question.terms) - named
    lexical = {
        passage.key: _beyond(named, points[passage.key])
        if passage.key in points
        else float(len(requests & _words(question, passage.text)))
        for passage in passages
    }
    best = max(lexical.values(), default=0.0) or 1.0
    nearest = max((passage.cosine or 0.0 for passage in passages), default=0.0) or 1.0

    def fits(passage: Passage) -> float:
        return lexical[passage.key] / best + (passage.cosine or 0.0) / nearest

    return sorted(passages, key=fits, reverse=True)


def _beyond(named: frozenset[str], points: Points) -> float:
    """Return what words and pairs of words give to a passage that are not in a name."""
    pairs = (*points.own.items(), *points.window.items())
    return fsum(value for words, value in pairs if named.isdisjoint(words.split(" ")))


def is_name_only(question: Query, passage: Passage) -> bool:
    """Say whether a passage is a name, which the title of the hit tells too, and more is asked than the name."""
    return passage.place == NAME and bool(frozenset(question.terms) - _words(question, passage.text))


def is_bare(passages: Iterable[Passage]) -> bool:
    """Say whether nothing but a name was found of something."""
    return all(passage.place == NAME for passage in passages)


def _words(question: Query, text: str) -> frozenset[str]:
    """Return the words of a question that are in a text."""
    return frozenset(analysed(text, Terms(question.terms, question.analyser)).positions)
