"""Which passage of a hit is shown: the best one, unless that says nothing by itself.

It is pure: a score stays what it was, whichever passage is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from graph_memory.memory.recall.bm25 import Query, Terms, analysed
from graph_memory.memory.recall.scoring import Passage, Scored

_CONTENT = "content/"
_NAME = "title"


def telling(question: Query, best: Scored, found: Sequence[Scored]) -> Passage:
    """Return the passage to show: the best, or of the content where that is a tag or the like without the words.

    Such a one was found by the title that heads it.
    """
    passage = best.passage
    if passage.place.startswith(_CONTENT) or _words(question, passage.text):
        return passage
    content = [each for each in found if each.passage.place.startswith(_CONTENT)]
    return max(content, key=lambda each: (each.points.lexical, each.passage.cosine or 0.0), default=best).passage


def is_name_only(question: Query, passage: Passage) -> bool:
    """Say whether a passage is a name, which the title of the hit tells too, and more is asked than the name."""
    return passage.place == _NAME and bool(_asked_beyond(question, passage))


def beyond_name(question: Query, name: Passage, passages: Iterable[Passage]) -> Passage:
    """Return the passage that has the most words of a question that are not in the name, and of these the nearest."""
    asked = _asked_beyond(question, name)

    def fits(passage: Passage) -> tuple[int, float]:
        return len(asked & _words(question, passage.text)), passage.cosine or 0.0

    return max((each for each in passages if each.place != _NAME), key=fits, default=name)


def _asked_beyond(question: Query, name: Passage) -> frozenset[str]:
    return frozenset(question.terms) - _words(question, name.text)


def _words(question: Query, text: str) -> frozenset[str]:
    """Return the words of a question that are in a text."""
    return frozenset(analysed(text, Terms(question.terms, question.analyser)).positions)
