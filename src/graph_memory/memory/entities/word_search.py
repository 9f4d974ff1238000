"""Search terms and ranking of entities for queries of several words that need not be adjacent."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graph_memory.memory.search.text.analysers import ANALYSERS
from graph_memory.memory.statements.language.languages import language_of
from graph_memory.model.subjects.subjects import fold_entity_text

_MIN_STEM_LENGTH = 3
_DOTTED_I = "i\u0307"
_FIRST_I = re.compile(r"\bi")


def search_terms_of(query: str) -> list[str]:
    """Return the search terms that each matching entity must contain, the longest first.

    Question words and stop words are omitted, and words are shortened to their stems if possible. The list is empty if
    the query is a single word.
    """
    analyser = ANALYSERS[language_of(query).analyser]
    words = dict.fromkeys(analyser.words(fold_entity_text(query)))
    if len(words) < 2:
        return []
    terms: dict[str, None] = {}
    for word in words:
        if word in analyser.asking or not (stem := analyser.stem(word)):
            continue
        terms[stem if len(stem) >= _MIN_STEM_LENGTH and word.startswith(stem) else word] = None
    return sorted(terms, key=len, reverse=True)


def dotted_forms(text: str) -> list[str]:
    """Return the forms in which a case-folded text may be stored, because a capital İ folds to an i with a dot."""
    dotless = remove_dots(text)
    return list(dict.fromkeys((text, dotless, _FIRST_I.sub(_DOTTED_I, dotless), dotless.replace("i", _DOTTED_I))))


def remove_dots(text: str) -> str:
    """Return a case-folded text without the combining dots that folding the capital İ leaves after an i."""
    return text.replace(_DOTTED_I, "i")


def relevance_of(terms: Sequence[str], name: str, texts: Sequence[str]) -> tuple[int, int]:
    """Return an entity's relevance: the number of terms in its name, and the highest number of terms in one text."""
    return _count_terms(terms, name), max(_count_terms(terms, text) for text in texts)


def _count_terms(terms: Sequence[str], text: str) -> int:
    folded = fold_entity_text(text)
    return sum(term in folded for term in terms)
