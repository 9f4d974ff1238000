"""Characters that are invisible or change the text direction: detect, escape or remove them. Pure."""

from __future__ import annotations

import re
import unicodedata

from graph_memory.model.errors import Code, GraphError

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp", "Zs"})
"""Categories of characters that break lines, change the direction, or are invisible."""
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0e\U000e0100-\U000e01ef]"
)
"""Other invisible characters, which could hide text: fillers, blanks and variation selectors."""
_JOINERS = frozenset("\u200c\u200d\ufe0f")
"""Joiners of letters and of emoji, which are kept between two characters that they join."""
_JOINED = re.compile(r"(?s)(.?)([\u200c\u200d\ufe0f]+)(?=(.?))")
_MARKS = '"\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u2036\u275d\u275e\u301d\u301e\u301f\uff02'
QUOTES = str.maketrans(dict.fromkeys(_MARKS, "'"))
"""Replaces every kind of double quotation mark, so that a quoted text cannot end its quotation."""


def to_visible(text: str) -> str:
    """Return a text with a space for each character that is invisible or changes the direction."""
    if text.isascii() and text.isprintable():
        return text
    return _JOINED.sub(_keep_joiners, "".join(character if _is_visible(character) else " " for character in text))


def escape_invisible(text: str) -> str:
    r"""Return a text with an escape, such as `\u202e`, for each invisible character except spaces."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character if _is_visible(character) or unicodedata.category(character) == "Zs" else _escape(character)
        for character in text
    )


def check_visible(kind: str, name: str) -> str:
    """Return a new name without invisible characters; spaces of every script count as visible.

    `kind` is the kind of name for the message, such as `Node type`. Raises INVALID_ARGUMENT.
    """
    spaced = "".join(" " if unicodedata.category(character) == "Zs" else character for character in name)
    if (seen := to_visible(spaced)) == spaced:
        return name
    hidden = next(
        character
        for character in spaced
        if not _is_visible(character) or (character in _JOINERS and seen.count(character) < name.count(character))
    )
    message = (
        f'{kind} "{escape_invisible(name).translate(QUOTES)}" contains the invisible character U+{ord(hidden):04X}'
    )
    raise GraphError(Code.INVALID_ARGUMENT, message, {"name": escape_invisible(name), "hint": "Remove that character."})


def _is_visible(character: str) -> bool:
    """Return whether a character is visible or a joiner."""
    if character == " " or character in _JOINERS:
        return True
    return unicodedata.category(character) not in _HIDDEN and not _UNSEEN.match(character)


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _keep_joiners(match: re.Match[str]) -> str:
    """Return the joiners to keep between two characters: only in an emoji, or in scripts that need them."""
    before, joiners, after = match.groups()
    if joiners in ("\ufe0f", "\ufe0f\u200d") and (not before.isascii() or after == "\u20e3"):
        return f"{before}{joiners}"
    is_between = bool(before and after) and not before.isascii() and not after.isascii()
    return f"{before}{joiners}" if joiners in ("\u200c", "\u200d") and is_between else f"{before} "
