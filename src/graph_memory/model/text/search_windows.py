"""Exact substring search: case-folded windows of text, and the trigrams that find them.

A window has `WINDOW` characters of folded text and repeats the last `OVERLAP` characters of the previous window. So any
needle of up to `NEEDLE` characters is completely in at least one window. A window's grams are its distinct runs of
three characters. A window with the needle has all of the needle's grams, so a search for these grams has no false
negatives. Every candidate is then checked for the needle itself.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass

WINDOW = 2_000
OVERLAP = 255
NEEDLE = OVERLAP + 1
GRAM = 3
MAX_QUERY_GRAMS = 64

_WHITE = re.compile(r"\s")
_SPACE = "\ue000"
_DOMAIN_MARK = "\ue001"


def fold(text: str) -> str:
    """Return the text as search compares it: with Unicode case folding, but without normalisation."""
    return text.casefold()


def windows(text: str) -> Iterator[str]:
    """Yield the windows of a text, folded. An empty text has none."""
    folded = fold(text)
    step = WINDOW - OVERLAP
    for start in range(0, max(len(folded) - OVERLAP, 1), step):
        if window := folded[start : start + WINDOW]:
            yield window


def max_windows(characters: int) -> int:
    """Return the maximum number of windows that a text can have. Folding turns a character into up to three."""
    return 3 * characters // (WINDOW - OVERLAP) + 1


def grams(folded: str) -> list[str]:
    """Return the distinct trigrams of a folded text as tokens, with a placeholder for white space."""
    return _joined_grams(folded).split(" ") if len(folded) >= GRAM else []


def gram_text(domain: str, folded: str) -> str:
    """Return the text of a window in the full-text index: the domain's mark and every trigram."""
    mark = _DOMAIN_MARK + domain
    return f"{mark} {_joined_grams(folded)}" if len(folded) >= GRAM else mark


def _joined_grams(folded: str) -> str:
    """Return the distinct trigrams of a folded text, separated by spaces.

    Three characters of 16 bits and a space make a number of 64 bits. Such numbers take half the time of a string for
    each trigram. Text with wider characters is split the slow way.
    """
    plain = _WHITE.sub(_SPACE, folded.replace(" ", _SPACE))
    count = len(plain) - GRAM + 1
    encoded = plain.encode("utf-16-le", "surrogatepass")
    if len(encoded) > 2 * len(plain):
        return " ".join(dict.fromkeys(plain[i : i + GRAM] for i in range(count)))
    lanes = bytearray(" ".encode("utf-16-le") * (4 * count))
    for place in range(2 * GRAM):
        lanes[place::8] = encoded[place : place + 2 * count : 2]
    distinct = array("Q", dict.fromkeys(memoryview(lanes).cast("Q")))
    return distinct.tobytes().decode("utf-16-le", "surrogatepass")[:-1]


@dataclass(frozen=True, slots=True)
class Needle:
    """The text to find. Windows are compared with its `probe`, which is its first `NEEDLE` characters."""

    folded: str

    @classmethod
    def of(cls, query: str) -> Needle:
        """Return the needle of a query."""
        return cls(fold(query))

    @property
    def probe(self) -> str:
        """The part of the searched text that fits in one window."""
        return self.folded[:NEEDLE]

    @property
    def fits_window(self) -> bool:
        """Whether the probe is the whole needle, so that a match in a window needs no further check."""
        return len(self.folded) <= NEEDLE

    @property
    def is_short(self) -> bool:
        """Whether the needle is too short for a trigram, so that all windows must be scanned."""
        return len(self.folded) < GRAM

    def lucene(self, domain: str) -> str:
        """Return the index query: the domain's mark and the first trigrams, all required, each quoted."""
        tokens = [_DOMAIN_MARK + domain, *grams(self.probe[: MAX_QUERY_GRAMS + GRAM - 1])]
        return " ".join(f"+{_quote(token)}" for token in tokens)

    def is_in(self, text: str) -> bool:
        """Return whether the needle occurs in a text."""
        return self.folded in fold(text)


def _quote(token: str) -> str:
    escaped = token.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
