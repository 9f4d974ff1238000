"""Exact substring search: case-folded windows of text, and the trigrams that select windows.

A window has `WINDOW` characters of case-folded text, and repeats the last `OVERLAP` characters of the previous window.
Any search text of up to `PROBE_CHARACTERS` is therefore completely in at least one window. A trigram is a sequence of
three characters. A window with the search text contains all of its trigrams, so a search for these trigrams has no
false negatives. Every candidate is then checked for the search text itself.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass

WINDOW = 2_000
OVERLAP = 255
PROBE_CHARACTERS = OVERLAP + 1
GRAM = 3
MAX_QUERY_GRAMS = 64

_WHITE = re.compile(r"\s")
_SPACE = "\ue000"
_DOMAIN_MARK = "\ue001"


def fold(text: str) -> str:
    """Return the case-folded text. It is not normalised, so two encodings of a letter still differ."""
    return text.casefold()


def windows(text: str) -> Iterator[str]:
    """Yield the case-folded windows of a text. An empty text has no windows."""
    folded = fold(text)
    step = WINDOW - OVERLAP
    for start in range(0, max(len(folded) - OVERLAP, 1), step):
        if window := folded[start : start + WINDOW]:
            yield window


def max_windows(characters: int) -> int:
    """Return the maximum number of windows of a text with this many characters. Folding may triple its length."""
    return 3 * characters // (WINDOW - OVERLAP) + 1


def split_trigrams(folded: str) -> list[str]:
    """Return a case-folded text's distinct trigrams as tokens, with a placeholder for white space."""
    return _join_trigrams(folded).split(" ") if len(folded) >= GRAM else []


def trigram_text(domain: str, folded: str) -> str:
    """Return the text that the full-text index stores for a window: the domain's mark and all trigrams."""
    mark = _DOMAIN_MARK + domain
    return f"{mark} {_join_trigrams(folded)}" if len(folded) >= GRAM else mark


def _join_trigrams(folded: str) -> str:
    """Return a case-folded text's distinct trigrams, separated by spaces.

    Three 16-bit characters and a space fit into a 64-bit number. Processing such numbers takes half as long as
    processing strings. Text with characters of more than 16 bits is processed as strings.
    """
    normalized = _WHITE.sub(_SPACE, folded.replace(" ", _SPACE))
    count = len(normalized) - GRAM + 1
    encoded = normalized.encode("utf-16-le", "surrogatepass")
    if len(encoded) > 2 * len(normalized):
        return " ".join(dict.fromkeys(normalized[i : i + GRAM] for i in range(count)))
    lanes = bytearray(" ".encode("utf-16-le") * (4 * count))
    for byte_offset in range(2 * GRAM):
        lanes[byte_offset::8] = encoded[byte_offset : byte_offset + 2 * count : 2]
    distinct = array("Q", dict.fromkeys(memoryview(lanes).cast("Q")))
    return distinct.tobytes().decode("utf-16-le", "surrogatepass")[:-1]


@dataclass(frozen=True, slots=True)
class Needle:
    """A case-folded text to search for.

    Windows are compared with its `probe`: its first `PROBE_CHARACTERS` characters.
    """

    folded: str

    @classmethod
    def of(cls, query: str) -> Needle:
        """Return the needle for a query's text. The text is case-folded first."""
        return cls(fold(query))

    @property
    def probe(self) -> str:
        """The longest prefix of the needle that is always completely in one window."""
        return self.folded[:PROBE_CHARACTERS]

    @property
    def fits_window(self) -> bool:
        """Whether the probe is the whole needle. Matches in windows then need no further check of the content."""
        return len(self.folded) <= PROBE_CHARACTERS

    @property
    def is_short(self) -> bool:
        """Whether the needle is too short for a trigram. All windows must then be scanned."""
        return len(self.folded) < GRAM

    def lucene(self, domain: str) -> str:
        """Return the Lucene query for the domain's windows that contain the first trigrams of the probe."""
        tokens = [_DOMAIN_MARK + domain, *split_trigrams(self.probe[: MAX_QUERY_GRAMS + GRAM - 1])]
        escaped_tokens = (token.replace("\\", "\\\\").replace('"', '\\"') for token in tokens)
        return " ".join(f'+"{token}"' for token in escaped_tokens)

    def is_in(self, text: str) -> bool:
        """Return whether the needle occurs in a text."""
        return self.folded in fold(text)
