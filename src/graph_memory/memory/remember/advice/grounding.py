"""Measures how much of a text other texts contain, by letters, figures and signs, in any language. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_FIGURES = re.compile(r"(?:(?<![^\W_])[-−–])?\d+")
"""A number with its sign. A hyphen after a letter or a digit is not a sign."""
_SIGNS = frozenset({"Sc", "Sk", "Sm", "So", "No"})
_LENGTH = 3
"""Number of letters of a fragment."""


def share_held(text: str, others: Iterable[str]) -> float:
    """Return the share of a text's three-letter fragments that others contain; 0 if a figure or sign is missing."""
    one, all_of_it = _folded(text), _folded(" ".join(others))
    if not _figures(one) <= _figures(all_of_it):
        return 0.0
    wanted = _pieces(one)
    return len(wanted & _pieces(all_of_it)) / len(wanted) if wanted else 1.0


def without(text: str, others: Iterable[str]) -> str:
    """Return the text without other texts that occur in it."""
    left = _folded(text)
    for other in sorted(map(_folded, others), key=len, reverse=True):
        left = left.replace(other, " ") if other else left
    return " ".join(left.split())


def stands_in(text: str, other: str) -> bool:
    """Return whether a text occurs in another in whole words, ignoring case and spaces."""
    pattern = rf"(?<![^\W_]){re.escape(_folded(text))}(?![^\W_])"
    if not _has_spaces(text):
        pattern = re.escape(_folded(text))
    return re.search(pattern, _folded(other)) is not None


def _has_spaces(text: str) -> bool:
    """Return whether the script of a text separates words by spaces."""
    return not any("\u3040" <= each <= "\u9fff" or "\u0e00" <= each <= "\u0eff" for each in text)


def _figures(text: str) -> set[str]:
    signs = (each for each in text if unicodedata.category(each) in _SIGNS)
    return {*_FIGURES.findall(text), *signs}


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _pieces(text: str) -> set[str]:
    letters = "".join(each for each in text if each.isalnum())
    return {letters[at : at + _LENGTH] for at in range(max(len(letters) - _LENGTH + 1, 1))} if letters else set()
