"""Measures how many words of one statement occur in another: equal stems, word families, and typing errors."""

from __future__ import annotations

from collections.abc import Collection
from difflib import SequenceMatcher
from functools import lru_cache

_MIN_LENGTH = 5
"""Minimum number of letters in words that may differ by a typing error."""
_MIN_RATIO = 0.8
_PREFIX = 6
"""Number of initial letters shared by words of the same family."""


@lru_cache(maxsize=65_536)
def is_similar(stem: str, other: str) -> bool:
    """Return whether two stems differ only by a typing error, or belong to the same word family."""
    if min(len(stem), len(other)) < _MIN_LENGTH:
        return False
    if stem[:_PREFIX] == other[:_PREFIX] and min(len(stem), len(other)) >= _PREFIX:
        return True
    return stem[0] == other[0] and SequenceMatcher(None, stem, other).ratio() >= _MIN_RATIO


def known_stems(stems: Collection[str], known: Collection[str]) -> set[str]:
    """Return the stems that equal or resemble one of the stems in `known`."""
    others = frozenset(known)
    return {stem for stem in stems if stem in others or any(is_similar(stem, other) for other in others)}


def overlap_share(part: Collection[str], stems: Collection[str]) -> float:
    """Return the share of the stems that are in `part`, from 0 to 1. If there are no stems, it is 0."""
    return len(part) / len(stems) if stems else 0.0
