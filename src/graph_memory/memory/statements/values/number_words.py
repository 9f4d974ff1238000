"""Numbers written as words, and CJK numerals."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

from graph_memory.memory.statements.language.lexicon.lexicon import Lexicon

_DIGITS = {digit: place for place, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_POWERS = {"十": 10, "百": 100, "千": 1_000}
_MYRIADS = {"万": 10_000, "萬": 10_000, "億": 10**8, "亿": 10**8}
_COUNTERS = "日月年時时点點分秒个個人回次杯本枚歳岁天周週间間名只匹台円元块度倍件章页頁階层層公キ%"
_NUMERAL = re.compile(rf"[零〇一二三四五六七八九十百千两兩]+(?=[{_COUNTERS}万萬億亿])")
_SCALED = re.compile(r"(\d+(?:\.\d+)?)([万萬億亿])")
_MIN_ORDINAL = 3
"""The smallest ordinal that counts as a number, because smaller ordinals also have other meanings."""


@lru_cache(maxsize=64)
def numbers_by_name(names: str) -> dict[str, int]:
    """Return numbers by name, counting from 1. A slash separates synonyms."""
    return {name: place for place, synonyms in enumerate(names.split(), 1) for name in synonyms.split("/")}


@lru_cache(maxsize=32)
def number_words(language: Lexicon) -> dict[str, int]:
    """Return a language's number words and ordinals with their numbers, without hyphenated words."""
    if not language.has_spaces_between_words:
        return {}
    cardinal = {name: place - 1 for name, place in numbers_by_name(language.numbers).items()}
    tens = {name: 10 + place * 10 for name, place in numbers_by_name(language.tens).items()}
    ordinal = {name: place for name, place in numbers_by_name(language.ordinals).items() if place >= _MIN_ORDINAL}
    return {name: value for name, value in (tens | ordinal | cardinal).items() if "-" not in name}


@lru_cache(maxsize=32)
def scale_words(language: Lexicon) -> dict[str, Decimal]:
    """Return the factors of a language's words for thousand, million and billion."""
    return {name: Decimal(1_000**place) for name, place in numbers_by_name(language.scales).items()}


def replace_cjk_numerals(text: str) -> str:
    """Return a text with CJK numerals before counters replaced by digits."""
    with_digits = _NUMERAL.sub(lambda match: str(_cjk_number(match[0])), text)
    return _SCALED.sub(lambda match: f"{Decimal(match[1]) * _MYRIADS[match[2]]:f}".rstrip(".") + " ", with_digits)


def _cjk_number(numeral: str) -> int:
    total, digit = 0, 0
    for character in numeral:
        if character in _POWERS:
            total, digit = total + (digit or 1) * _POWERS[character], 0
        else:
            digit = digit * 10 + _DIGITS[character]
    return total + digit
