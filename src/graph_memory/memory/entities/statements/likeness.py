"""How far the words of one statement are in another: equal stems, words that say the same, typing errors. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import SequenceMatcher
from functools import lru_cache

from graph_memory.memory.entities.statements.folding import plain, words_only
from graph_memory.memory.entities.statements.lexicon.lexicon import Lexicon
from graph_memory.memory.entities.statements.stems import stem_of

_LONG = 5
"""Letters from which on a word may be another with a typing error."""
_ALIKE = 0.8
_PREFIX = 6
"""Letters that two words have in common at the beginning, so that they are of one family."""


@lru_cache(maxsize=32)
def meanings(language: Lexicon) -> Mapping[str, frozenset[int]]:
    """Return for each stem the groups of words that say the same in which it is."""
    found: dict[str, set[int]] = {}
    for place, line in enumerate(language.synonyms.strip().splitlines()):
        for phrase in line.split(","):
            words = words_only(plain(phrase)).split()
            if len(words) == 1:
                found.setdefault(stem_of(words[0], language), set()).add(place)
    return {stem: frozenset(groups) for stem, groups in found.items()}


@lru_cache(maxsize=32)
def state_stems(language: Lexicon) -> frozenset[str]:
    """Return the stems of the words for what is so."""
    words = (word for state, _ in language.groups_of_states for word in words_only(plain(state)).split())
    return frozenset(stem_of(word, language) for word in words)


@lru_cache(maxsize=32)
def light_stems(language: Lexicon) -> frozenset[str]:
    """Return the stems of the words that add nothing."""
    return frozenset(stem_of(word, language) for word in language.light.split())


@lru_cache(maxsize=65_536)
def looks_the_same(one: str, other: str) -> bool:
    """Say whether two stems differ by a typing error, or are of one family."""
    if min(len(one), len(other)) < _LONG:
        return False
    if one[:_PREFIX] == other[:_PREFIX] and min(len(one), len(other)) >= _PREFIX:
        return True
    return one[0] == other[0] and SequenceMatcher(None, one, other).ratio() >= _ALIKE


def known_stems(stems: Collection[str], among: Collection[str], language: Lexicon, *, soft: bool) -> set[str]:
    """Return those of the stems that are among others, also those that look the same when it is `soft`."""
    known, others = meanings(language), frozenset(among)
    meant = frozenset[int]().union(*(known[other] for other in others if other in known))
    return {
        stem
        for stem in stems
        if stem in others
        or not meant.isdisjoint(known.get(stem, ()))
        or (soft and any(looks_the_same(stem, other) for other in others))
    }


def share(some: Collection[str], stems: Collection[str]) -> float:
    """Return the share of stems that some are, 0 to 1; nothing of none."""
    return len(some) / len(stems) if stems else 0.0
