"""Finds the spans of a text that may be names. Their spelling is not changed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_WORD = re.compile(r"[^\s“”„«»‹›…—。、，；：！？（）「」『』]+")
_OPENING, _CLOSING = "([{\"'‘", ".,;:!?)]}\"'’"
_POSSESSIVE = re.compile(r"['’]s$")


def find_encoded_spans(text: str, max_words: int) -> dict[str, None]:
    """Return the spans of a text that may be names, each as written, in NFC and in NFD."""
    if text.isascii():
        return find_spans(text, max_words)
    encoded = (text, unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text))
    return {span: None for form in dict.fromkeys(encoded) for span in find_spans(form, max_words)}


def find_spans(text: str, max_words: int) -> dict[str, None]:
    """Return the spans of a text that may be names, in order, with at most `max_words` words each.

    A name ends at a space or beside a punctuation mark. So `C++` does not contain `C`, and `Node.js` does not contain
    `Node`.
    """
    words = list(_WORD.finditer(text))
    spans: dict[str, None] = {}
    for first in range(len(words)):
        for last in range(first, min(first + max_words, len(words))):
            spans |= dict.fromkeys(_span_variants(text[words[first].start() : words[last].end()]))
    return spans


def _span_variants(span: str) -> Iterator[str]:
    """Yield the span with and without leading and trailing punctuation, which may not belong to the name."""
    starts = range(len(span) - len(span.lstrip(_OPENING)) + 1)
    ends = range(len(span.rstrip(_CLOSING)), len(span) + 1)
    for part in (span[start:end] for start in starts for end in ends):
        yield from filter(None, (part, _POSSESSIVE.sub("", part)))


def strip_punctuation(span: str) -> str:
    """Return a span without leading and trailing punctuation that cannot be part of a name."""
    return span.lstrip(_OPENING).rstrip(_CLOSING)
