"""A text's words by Unicode's rules (UAX 29) in one normal form (NFC), for texts, names and queries.

Lucene's tokenizer follows the same rules with two exceptions. It compares accents as they are encoded, and it treats a
run of Thai, Lao, Khmer or Burmese as one word, because these scripts have no spaces between words. A passage therefore
has an additional field for words that Lucene would tokenize differently: words in normal form, and such runs split into
graphemes. A query is split in the same way, and its graphemes are searched for as a sequence.

Boundaries and properties of characters come from the package `regex`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import regex

ALONE = "\u3005\u3007\u3041-\u309f\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Ideographs and hiragana. Each is a word for Lucene."""
SYLLABLES = "\u30a0-\u30ff\uac00-\ud7af"
"""Katakana and Hangul, which have no spaces between words, or before endings."""
_SIMPLE = re.compile(
    r"[\0-\xa7\xa9-\xac\xae\xb0\xb1\xb5-\xb7\xba\xbb\xbf-\u02c1\u0370-\u0373\u0376\u0377\u037b-\u037d\u037f\u0386"
    r"\u0388-\u0481\u048a-\u0530\u1e00-\u1eff\u2010-\u2023\u2025-\u2027]*+"
)
"""Text without combining marks, in scripts with spaces between words. `_RUN` matches the same words in it, but is
slower."""
_SIMPLE_RUN = re.compile(r"\w+(?:(?:(?<=[^\W\d])['’‘.:·‧](?=[^\W\d])|(?<=\d)['’‘.,;](?=\d))\w+)*")
_LETTER, _DIGIT = r"[[\w\p{WB=ALetter}]--\d]", r"\d"
_RUN = regex.compile(
    rf"""(?![\p{{M}}\u200c\u200d])[\w\p{{WB=ALetter}}]++(?:(?:
        (?<={_LETTER})[\p{{WB=MidLetter}}\p{{WB=MidNumLet}}\p{{WB=Single_Quote}}:](?={_LETTER})
      | (?<={_DIGIT})[\p{{WB=MidNum}}\p{{WB=MidNumLet}}\p{{WB=Single_Quote}}](?={_DIGIT})
      | (?<=\p{{WB=Hebrew_Letter}})\"(?=\p{{WB=Hebrew_Letter}})
    )[\w\p{{WB=ALetter}}]++)*+""",
    regex.VERSION1 | regex.VERBOSE,
)
"""Sequences of letters and digits without spaces or symbols between them."""
_BOUNDARY = regex.compile(r"\b", regex.VERSION1 | regex.WORD)
_UNSPACED = regex.compile(r"\p{LB=SA}")
_NEEDS_SPLITTING = regex.compile(rf"[\p{{LB=SA}}{ALONE}{SYLLABLES}]")
_IGNORED = re.compile("[\xad\u061c\u180e\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]+")
"""Invisible characters inside or next to a word: soft hyphens and marks for the writing direction."""
_SUFFIXED = re.compile(r"([^\W\d_]{3,})(?<!n(?=['’‘]t\b))['’‘][^\W\d_]")
"""A word of at least three letters with a suffix, but not `don't`."""
_CHARACTERWISE = str.maketrans({"İ": "i", "Σ": "σ"})
"""Capitals whose lower-case form depends on adjacent characters in Python, but not in Lucene."""


def normalise_text(text: str) -> str:
    """Return a text in NFC, without invisible characters, and with one form of letters that have two forms."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _IGNORED.sub("", text)).replace("ς", "σ").replace("i\u0307", "i")


def lower_case(word: str) -> str:
    """Return a word in lower case, converted character by character as in Lucene."""
    return word.lower() if word.isascii() else word.translate(_CHARACTERWISE).lower()


def split_words_and_runs(text: str) -> list[str]:
    """Return the words of a text in NFC. Adjacent words of a script without spaces are returned as one run."""
    return (_SIMPLE_RUN if text.isascii() or _SIMPLE.fullmatch(text) else _RUN).findall(text)


def needs_splitting(run: str) -> bool:
    """Return whether a run contains words without spaces between them."""
    return not run.isascii() and _NEEDS_SPLITTING.search(run) is not None


def split_run(run: str) -> list[str]:
    """Split a run into index words: whole words, single ideographs, or graphemes (Thai, Lao, Khmer, Burmese)."""
    return [unit for unit in _BOUNDARY.split(run) if unit] if needs_splitting(run) else [run]


def has_apostrophe(text: str) -> bool:
    """Return whether a text contains an apostrophe or a similar character that may join a suffix to a word."""
    return "'" in text or "’" in text or "‘" in text


def before_apostrophe(run: str) -> str:
    """Return the name or word before a suffix joined by an apostrophe, as in `İstanbul'da`, or an empty string."""
    match = _SUFFIXED.match(run)
    return match[1] if match else ""


def is_unspaced(text: str) -> bool:
    """Return whether a text contains scripts that are split into graphemes."""
    return _UNSPACED.search(text) is not None


def extra_words(text: str) -> str | None:
    """Return the words of a text that Lucene would tokenize differently, or None."""
    if text.isascii() and "'" not in text:
        return None
    composed = normalise_text(text)
    if composed == text and not is_unspaced(text) and not has_apostrophe(text):
        return None
    return " ".join(_find_extra_words(text, composed)) or None


def _find_extra_words(text: str, composed: str) -> Iterator[str]:
    plain_runs = frozenset(split_words_and_runs(_IGNORED.sub("x", text))) if composed != text else frozenset[str]()
    for run in split_words_and_runs(composed):
        if is_unspaced(run):
            yield from (unit for unit in split_run(run) if is_unspaced(unit))
        elif composed != text and run not in plain_runs:
            yield run
        if stem := before_apostrophe(run):
            yield stem
