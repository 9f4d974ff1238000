"""The parts of a text that may be names, as they stand in it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

_WORD = re.compile(r"[^\s“”„«»‹›…—。、，；：！？（）「」『』]+")
_OPENING, _CLOSING = "([{\"'‘", ".,;:!?)]}\"'’"
_OF_NAME = re.compile(r"['’]s$")


def spans_of(text: str, longest: int) -> dict[str, None]:
    """Return the parts of a text of up to so many words, in order.

    A name ends at a space or beside a punctuation mark. So `C` does not stand in `C++`, nor `Node` in `Node.js`.
    """
    words = list(_WORD.finditer(text))
    found: dict[str, None] = {}
    for first in range(len(words)):
        for last in range(first, min(first + longest, len(words))):
            found |= dict.fromkeys(_forms(text[words[first].start() : words[last].end()]))
    return found


def _forms(span: str) -> Iterator[str]:
    """Give a part of a text, and what is left of it without the marks that may not belong to a name."""
    starts = range(len(span) - len(span.lstrip(_OPENING)) + 1)
    ends = range(len(span.rstrip(_CLOSING)), len(span) + 1)
    for part in (span[start:end] for start in starts for end in ends):
        yield from filter(None, (part, _OF_NAME.sub("", part)))


def without_punctuation(span: str) -> str:
    """Return a part of a text without the marks at its ends that may not belong to a name."""
    return span.lstrip(_OPENING).rstrip(_CLOSING)
