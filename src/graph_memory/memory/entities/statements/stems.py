"""The stems of words, as a language has them. Pure."""

from __future__ import annotations

from graph_memory.memory.entities.statements.lexicon.lexicon import Lexicon
from graph_memory.memory.entities.statements.phrases import finder
from graph_memory.memory.recall.analysers import ANALYSERS


def regular(word: str, language: Lexicon) -> str:
    """Return a form of an irregular verb as if it were regular: `written` as `writed`; any other word as it is."""
    return language.irregular_forms.get(word, word)


def stem_of(word: str, language: Lexicon) -> str:
    """Return the stem of a word that is plain."""
    return ANALYSERS[language.analyser].stem_of(regular(word, language)) or word


def stems_of(words: str, language: Lexicon) -> tuple[str, ...]:
    """Return the stems of those words that say something of their own, in order."""
    if not language.is_written_apart:
        found = ANALYSERS["cjk"].terms(words)
        return tuple(term for term in found if term and term not in language.common_words)
    negations = finder(language.negations)
    return tuple(
        stem_of(word, language)
        for word in words.split()
        if word not in language.common_words and not negations.fullmatch(word)
    )
