"""Measures how much of a text occurs in other texts, in any language, by comparing letters, digits and symbols."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_SIGNED_NUMBER = re.compile(r"(?:(?<![^\W_])[-−–])?\d+")
"""A number with its sign. A hyphen after a letter or a digit is not a sign."""
_SYMBOL_CATEGORIES = frozenset({"Sc", "Sk", "Sm", "So", "No"})
_FRAGMENT_LENGTH = 3
"""Number of letters in each of the fragments that are compared."""


def share_contained(text: str, others: Iterable[str]) -> float:
    """Return the share of a text's three-letter fragments that the other texts contain.

    Returns 0 if the other texts lack a number or a symbol of the text.
    """
    folded, folded_others = _fold(text), _fold(" ".join(others))
    if not _numbers_and_signs(folded) <= _numbers_and_signs(folded_others):
        return 0.0
    fragments = _fragments(folded)
    return len(fragments & _fragments(folded_others)) / len(fragments) if fragments else 1.0


def remove_texts(text: str, others: Iterable[str]) -> str:
    """Return the case-folded text without the other texts that occur in it."""
    remaining = _fold(text)
    for other in sorted(map(_fold, others), key=len, reverse=True):
        remaining = remaining.replace(other, " ") if other else remaining
    return " ".join(remaining.split())


def occurs_in(text: str, other: str) -> bool:
    """Return whether a text occurs in another text as whole words, ignoring case and repeated spaces."""
    pattern = re.escape(_fold(text))
    if _has_spaces(text):
        pattern = rf"(?<![^\W_]){pattern}(?![^\W_])"
    return re.search(pattern, _fold(other)) is not None


def _has_spaces(text: str) -> bool:
    """Return whether the script of a text separates words with spaces."""
    return not any("\u3040" <= character <= "\u9fff" or "\u0e00" <= character <= "\u0eff" for character in text)


def _numbers_and_signs(text: str) -> set[str]:
    signs = (character for character in text if unicodedata.category(character) in _SYMBOL_CATEGORIES)
    return {*_SIGNED_NUMBER.findall(text), *signs}


def _fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _fragments(text: str) -> set[str]:
    letters = "".join(character for character in text if character.isalnum())
    return (
        {letters[at : at + _FRAGMENT_LENGTH] for at in range(max(len(letters) - _FRAGMENT_LENGTH + 1, 1))}
        if letters
        else set()
    )
