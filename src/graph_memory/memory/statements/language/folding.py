"""Normalises texts for comparison: lower case, no accents, plain spaces, hyphens and apostrophes."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from graph_memory.memory.search.text.stemming import fold

_PLAIN_CHARACTERS = str.maketrans(
    dict.fromkeys("’ʼ‘", "'") | dict.fromkeys("`\u00a0\u202f", " ") | {"–": "-", "‑": "-", "—": " - "}
)
_CONTRACTED = (
    (re.compile(r"\bcan't\b|\bcannot\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\be-mail"), "email"),
    (re.compile(r"≥|>="), " at least "),
    (re.compile(r"≤|<="), " at most "),
    (re.compile(r"(?<=\w)'(?:s|re|ve|ll|d|m)\b"), " "),
)
_PUNCTUATION = re.compile(r"[^\w ]+")
_SPACES = re.compile(r"\s+")


@lru_cache(maxsize=65_536)
def fold_text(text: str) -> str:
    """Return a text in lower case without accents. Punctuation is kept."""
    clean = unicodedata.normalize("NFKC", text).translate(_PLAIN_CHARACTERS).casefold()
    for pattern, replacement in _CONTRACTED:
        clean = pattern.sub(replacement, clean)
    return " ".join(fold(word) for word in clean.replace("ё", "е").split())


def words_only(text: str) -> str:
    """Return a folded text without punctuation, with single spaces between words."""
    return _SPACES.sub(" ", _PUNCTUATION.sub(" ", text)).strip()
