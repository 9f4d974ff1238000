"""Which passages are shown of what was found: the best ones, unless these say nothing by themselves.

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
    return passage.place == _NAME and bool(_asked_beyond(question, passage.text))


def is_bare(passages: Iterable[Passage]) -> bool:
    """Say whether nothing but a name was found of something."""
    return all(each.place == _NAME for each in passages)


def beyond_name(question: Query, name: str, passages: Iterable[Passage]) -> list[Passage]:
    """Return what is no name, by how many words of a question it has that are not in the name, then by its meaning."""
    asked = _asked_beyond(question, name)

    def fits(passage: Passage) -> tuple[int, float]:
        return len(asked & _words(question, passage.text)), passage.cosine or 0.0

    return sorted((each for each in passages if each.place != _NAME), key=fits, reverse=True)


def _asked_beyond(question: Query, name: str) -> frozenset[str]:
    return frozenset(question.terms) - _words(question, name)


def _words(question: Query, text: str) -> frozenset[str]:
    """Return the words of a question that are in a text."""
    return frozenset(analysed(text, Terms(question.terms, question.analyser)).positions)
