"""Reduces words to their stems, depending on the language."""

from __future__ import annotations

from functools import lru_cache

from graph_memory.memory.search.text.analysers import ANALYSERS
from graph_memory.memory.statements.language.lexicon.lexicon import Lexicon
from graph_memory.memory.statements.language.phrases import compile_phrases

_VOWELS, _MIN_LENGTH = frozenset("aeiouy"), 3
_ENDINGS = (("ied", "y"), ("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"))
"""English endings of plurals and verbs, with their replacements."""


@lru_cache(maxsize=65_536)
def stem_of(word: str, language: Lexicon) -> str:
    """Return the stem of a plain word. In English, only plurals and verb forms are stemmed."""
    regular_form = language.irregular_forms.get(word, word)
    if language.analyser == "english":
        return _strip_endings(regular_form)
    return ANALYSERS[language.analyser].stem_of(regular_form) or word


def _strip_endings(word: str) -> str:
    """Remove plural and verb endings from an English word, as in the first step of Porter's stemmer (1980)."""
    for ending, replacement in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word.removesuffix(ending) + replacement
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ed", "ing"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= _MIN_LENGTH and not _VOWELS.isdisjoint(stem):
            is_doubled = stem[-1] == stem[-2] and stem[-1] not in "lsz"
            word = stem[:-1] if is_doubled else stem
            break
    return word[:-1] if word.endswith("e") and len(word) > _MIN_LENGTH else word


def stems_of(words: str, language: Lexicon) -> tuple[str, ...]:
    """Return the stems of the words in order, without function words.

    In languages with spaces between words, negations are omitted too.
    """
    if not language.has_spaces_between_words:
        results = ANALYSERS["cjk"].terms(words)
        return tuple(term for term in results if term and term not in language.common_words)
    negations = compile_phrases(language.negations)
    return tuple(
        stem_of(word, language)
        for word in words.split()
        if word not in language.common_words and not negations.fullmatch(word)
    )
