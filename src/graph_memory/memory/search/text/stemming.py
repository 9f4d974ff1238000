"""Reduces words to stems, so that inflected forms are equal, for each language as in Lucene's analyser.

Most languages use a Snowball stemmer. German and the Romance languages use light stemmers, which remove less. Their
rules are by J. Savoy, Light Stemming Approaches for the French, Portuguese, German and Hungarian Languages (2006). The
results were compared with Lucene's for the 30,000 most frequent words of each language: see decision 30.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache
from threading import Lock
from typing import Any, cast

import snowballstemmer

Stem = Callable[[str], str]

_WHOLE = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ħ": "h", "ı": "i", "ŋ": "n"}
)
"""Latin letters that Unicode does not decompose."""
_TWICE = re.compile(r"([^\W\d_])\1+")


def snowball(language: str) -> Stem:
    """Return a language's Snowball stemmer. It caches stems."""
    lock = Lock()  # a stemmer stores its current word

    @lru_cache(maxsize=65_536)
    def stem(word: str) -> str:
        with lock:
            return _snowball(language)(word)

    return stem


@cache
def _snowball(language: str) -> Stem:
    stem: Stem = cast("Any", snowballstemmer).stemmer(language).stemWord  # the package has no types
    return stem


def fold(word: str) -> str:
    """Return a word in lower case, without accents on Latin letters. Other letters keep their diacritics."""
    if word.isascii():
        return word
    return "".join(_plain(letter) for letter in word.translate(_WHOLE))


def _plain(letter: str) -> str:
    base = "".join(
        character for character in unicodedata.normalize("NFKD", letter) if not unicodedata.combining(character)
    )
    return base if base and base.isascii() else letter


def _apply_all(*rules: tuple[str, str]) -> Stem:
    """Return a function that applies all rules to a word's ending, in order."""
    compiled = [(re.compile(f"(?:{ending})$"), put) for ending, put in rules]

    def stem(word: str) -> str:
        for ending, put in compiled:
            word = ending.sub(put, word, count=1)
        return word

    return stem


def _apply_first(*rules: tuple[str, str]) -> Stem:
    """Return a function that applies the first rule that matches a word's ending."""
    compiled = [(re.compile(f"(?:{ending})$"), put) for ending, put in rules]

    def stem(word: str) -> str:
        return next((ending.sub(put, word, count=1) for ending, put in compiled if ending.search(word)), word)

    return stem


_german = _apply_all(
    (r"(?<=...)(?:ern|e[mnrs]?|(?<=[bdfghklmnt])s)", ""), (r"(?<=...)(?:est|e[nr]|(?<=[bdfghklmnt])st)", "")
)
_spanish = _apply_all(("ces", "z"), ("[oae]s|[oae]", ""))
_italian = _apply_all(("[ih]e|[ih]i|i[ao]|[aeio]", ""))
_portuguese = _apply_all(
    ("(?<=..)(?:[oa]es|aos)", "ao"),
    ("(?<=..)ais", "al"),
    ("(?<=..)eis", "el"),
    ("(?<=..)ois", "ol"),
    ("(?<=...)is", "il"),
    ("(?<=..)ns", "m"),
    ("(?<=..)s", ""),
    ("(?<=...)mente", ""),
    ("(?<=...)(?:ao|[aoe])", ""),
    ("(?<=...)[aoe]", ""),
)
_french_plural = _apply_all(("(?<!e)aux", "al"), ("(?<=...)x", ""), ("(?<=...)s", ""))
_french_suffix = _apply_first(
    ("(?<=...)iss(?:ement|ant)", "ir"),
    ("(?<=..)ivement", "if"),
    ("(?<=..)ement", "e"),
    ("(?<=...)ficat(?:rice|eur)", "fier"),
    ("(?<=...)cat(?:rice|eur)", "quer"),
    ("(?<=...)(?:atrice|ateur)", "er"),
    ("(?<=..)(?:trice|teuse|teur)", "ter"),
    ("(?<=..)euse", "eu"),
    ("(?<=......)ère", "er"),
    ("(?<=.....)ive", "if"),
    ("(?<=....)nnel(?:le)?", "n"),
    ("(?<=..)ième", ""),
    ("(?<=[fm]o)lle", "u"),
    ("(?<=...)inage", "in"),
    ("(?<=.....)ique", ""),
    ("(?<=...)(?:isat(?:ion|eur)|[ai]tion)", ""),
    ("(?<=.....)esse", "e"),
)
_french_ending = _apply_all(("e?e?r?", ""))


def german(word: str) -> str:
    """Return the stem of a German word. `ae`, `oe` and `ue` count as umlauts."""
    folded = re.sub("(?<![aeiouq])ue", "u", re.sub("([ao])e", r"\1", fold(word)))
    return _german(folded)


def spanish(word: str) -> str:
    """Return the stem of a Spanish word."""
    folded = fold(word)
    return _spanish(folded) if len(folded) > 4 else folded


def italian(word: str) -> str:
    """Return the stem of an Italian word."""
    folded = fold(word)
    return _italian(folded) if len(folded) > 5 else folded


def portuguese(word: str) -> str:
    """Return the stem of a Portuguese word."""
    folded = fold(word)
    return _portuguese(folded) if len(folded) > 3 else folded


def french(word: str) -> str:
    """Return the stem of a French word, with double letters reduced to one."""
    folded = fold(_french_suffix(_french_plural(word)))
    if len(folded) > 4:
        folded = _TWICE.sub(r"\1", folded)
    if len(folded) > 4:
        folded = folded.removesuffix("ie")
    return _french_ending(folded) if len(folded) > 4 else folded
