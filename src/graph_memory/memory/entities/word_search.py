"""Searches for several words that need not be adjacent: prepares the needles and ranks the entities."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graph_memory.memory.search.text.analysers import ANALYSERS
from graph_memory.memory.statements.language.languages import language_of
from graph_memory.model.subjects.subjects import fold_entity_text

_MIN_STEM_LENGTH = 3
_DOTTED_I = "i\u0307"
_FIRST_I = re.compile(r"\bi")


def needles_of(query: str) -> list[str]:
    """Return the needles that each matching entity must contain, longest first. Empty if the query is a single word.

    Question words and stop words are omitted, and words are shortened to their stems where possible.
    """
    analyser = ANALYSERS[language_of(query).analyser]
    words = dict.fromkeys(analyser.words(fold_entity_text(query)))
    if len(words) < 2:
        return []
    needles: dict[str, None] = {}
    for word in words:
        if word in analyser.asking or not (stem := analyser.stem(word)):
            continue
        needles[stem if len(stem) >= _MIN_STEM_LENGTH and word.startswith(stem) else word] = None
    return sorted(needles, key=len, reverse=True)


def dotted_forms(text: str) -> list[str]:
    """Return the spellings under which a folded text may be stored if some i was the capital İ."""
    plain = remove_dots(text)
    return list(dict.fromkeys((text, plain, _FIRST_I.sub(_DOTTED_I, plain), plain.replace("i", _DOTTED_I))))


def remove_dots(text: str) -> str:
    """Return a folded text without the dots that the capital İ leaves beside a lower-case i."""
    return text.replace(_DOTTED_I, "i")


def relevance_of(needles: Sequence[str], name: str, texts: Sequence[str]) -> tuple[int, int]:
    """Return an entity's relevance: how many needles its name contains, and the most that one text contains."""
    return _count(needles, name), max(_count(needles, text) for text in texts)


def _count(needles: Sequence[str], text: str) -> int:
    small = fold_entity_text(text)
    return sum(needle in small for needle in needles)
