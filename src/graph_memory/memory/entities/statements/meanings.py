"""Which words say the same, by their stems. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from graph_memory.memory.entities.statements.folding import plain, words_only
from graph_memory.memory.entities.statements.lexicon.lexicon import Lexicon
from graph_memory.memory.entities.statements.stems import stem_of


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
