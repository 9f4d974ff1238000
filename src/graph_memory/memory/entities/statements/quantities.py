"""Numbers in digits or words, with their scales and units, in base units. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from graph_memory.memory.entities.statements.lexicon.lexicon import Lexicon
from graph_memory.memory.entities.statements.number_words import names_of, number_words, scale_words
from graph_memory.memory.entities.statements.units import UNITS

_DIGITS = r"\d+(?:[ .,']\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?"
_ORDINAL = r"(?:st|nd|rd|th|er|ere|eme|\.(?= [a-z]{3,}))?"
_COUNTED = re.compile(rf"(?<![\w.,#])([$€£]?) ?(-?(?:{_DIGITS})){_ORDINAL}(?![\w]*\.\d+\.)")
_WORD = re.compile(r"[^\W\d_]+")
_AFTER = re.compile(r"[ -]*([^\W\d_]+\b|%|€|\$|£|°c?)")

_NAME = re.compile(r"0\d+|\d+\.\d*0")
"""Digits that name a thing, as a postal code or a version, so that a nought counts."""

Quantity = tuple[int, int, str, str]
"""Where it begins and ends, what it counts, and how much."""


def quantities(text: str, language: Lexicon) -> Iterator[Quantity]:
    """Give the numbers of a plain text in order. A lone word for one is none: it is an article or a pronoun too."""
    at = 0
    while (found := _next(text, at, language)) is not None:
        start, end, amount, sign, is_word = found
        if _is_rank(text[start:end], language):
            yield start, end, "rank", f"{amount:f}"
            at = end
            continue
        amount, end = _scaled(text, amount, end, language)
        kind, factor, after = _unit(text, sign, end)
        if not (is_word and amount == 1 and not kind):
            is_name = not kind and _NAME.fullmatch(text[start:end])
            yield start, after, kind or "number", text[start:end] if is_name else f"{(amount * factor).normalize():f}"
        at = after


def _is_rank(said: str, language: Lexicon) -> bool:
    """Say whether a number is an ordinal: `3rd`, `third`."""
    return (said[0].isdigit() and not said[-1].isdigit()) or said.split()[-1] in names_of(language.ordinals)


def _next(text: str, at: int, language: Lexicon) -> tuple[int, int, Decimal, str, bool] | None:
    """Return the next number: where it begins and ends, its amount, the sign before it, and whether it is a word."""
    words = number_words(language)
    digits = next((one for one in _COUNTED.finditer(text, at) if _amount(one[2], language) is not None), None)
    before = len(text) if digits is None else digits.start()
    word = next((one for one in _WORD.finditer(text, at) if one.start() < before and one[0] in words), None)
    if word is not None:
        amount, end = _with_ones(text, word.end(), Decimal(words[word[0]]), words)
        return word.start(), end, amount, "", True
    if digits is None:
        return None
    return digits.start(), digits.end(), _amount(digits[2], language) or Decimal(0), digits[1], False


def _with_ones(text: str, end: int, amount: Decimal, words: Mapping[str, int]) -> tuple[Decimal, int]:
    """Return a number of tens with the ones that follow it."""
    after = _AFTER.match(text, end)
    if amount >= 20 and amount % 10 == 0 and after and 0 < words.get(after[1], 0) < 10:
        return amount + words[after[1]], after.end()
    return amount, end


def _scaled(text: str, amount: Decimal, end: int, language: Lexicon) -> tuple[Decimal, int]:
    """Return a number with the word for a thousand or more that follows it."""
    after, scales = _AFTER.match(text, end), scale_words(language)
    return (amount * scales[after[1]], after.end()) if after and after[1] in scales else (amount, end)


def _unit(text: str, sign: str, end: int) -> tuple[str, Decimal, int]:
    """Return what a number counts, the factor to the base unit, and where the unit ends."""
    after = _AFTER.match(text, end)
    if after and after[1] in UNITS:
        return *UNITS[after[1]], after.end()
    return UNITS[sign][0] if sign else "", Decimal(1), end


@lru_cache(maxsize=4_096)
def _amount(digits: str, language: Lexicon) -> Decimal | None:
    """Return what digits say, whose commas and points are as a language has them; None for what is no number."""
    clean = digits.replace(" ", "").replace("'", "")
    decimal, other = (",", ".") if language.comma_is_decimal else (".", ",")
    is_thousands = re.fullmatch(rf"\d{{1,3}}(?:{re.escape(other)}\d{{3}})+(?:{re.escape(decimal)}\d+)?", clean)
    clean = clean.replace(other, "") if is_thousands else clean.replace(other, decimal)
    try:
        return Decimal(clean.replace(decimal, "."))
    except InvalidOperation:
        return None
