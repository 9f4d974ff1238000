"""Characters that a reader cannot see or that change how others are read: found, escaped or removed. Pure."""

from __future__ import annotations

import re
import unicodedata

from graph_memory.model.errors import Code, GraphError

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp", "Zs"})
"""Categories of characters that break lines, turn the direction, or cannot be seen."""
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0e\U000e0100-\U000e01ef]"
)
"""Other invisible characters: fillers, blanks and variation selectors, in which a text could hide."""
_JOINERS = frozenset("\u200c\u200d\ufe0f")
"""Joiners of letters and of pictures. One stays between two characters that it joins."""
_JOINED = re.compile(r"(?s)(.?)([\u200c\u200d\ufe0f]+)(?=(.?))")
_MARKS = '"\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u2036\u275d\u275e\u301d\u301e\u301f\uff02'
QUOTES = str.maketrans(dict.fromkeys(_MARKS, "'"))
"""Replaces every kind of double quotation mark, so that a quoted text cannot end its own quotation."""


def visible(text: str) -> str:
    """Return a text with a space for each character that cannot be seen or that turns the direction."""
    if text.isascii() and text.isprintable():
        return text
    return _JOINED.sub(_kept, "".join(character if _shows(character) else " " for character in text))


def escaped(text: str) -> str:
    r"""Return a text with an escape, such as `\u202e`, for each character that cannot be seen; spaces stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(one if _shows(one) or unicodedata.category(one) == "Zs" else _escape(one) for one in text)


def check_visible(kind: str, name: str) -> str:
    """Return a new name, in which every character can be seen; spaces of every script count as visible.

    `kind` says what is named, such as `Node type`. Raises INVALID_ARGUMENT.
    """
    spaced = "".join(" " if unicodedata.category(one) == "Zs" else one for one in name)
    if (seen := visible(spaced)) == spaced:
        return name
    hidden = next(one for one in spaced if not _shows(one) or (one in _JOINERS and seen.count(one) < name.count(one)))
    message = f'{kind} "{escaped(name).translate(QUOTES)}" contains the invisible character U+{ord(hidden):04X}'
    raise GraphError(Code.INVALID_ARGUMENT, message, {"name": escaped(name), "hint": "Remove that character."})


def _shows(character: str) -> bool:
    """Return whether a character can be seen, or joins characters that can."""
    if character == " " or character in _JOINERS:
        return True
    return unicodedata.category(character) not in _HIDDEN and not _UNSEEN.match(character)


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _kept(found: re.Match[str]) -> str:
    """Return the joiners that stay between two characters: those of a script that needs them, or of a picture."""
    before, joiners, after = found.groups()
    if joiners in ("\ufe0f", "\ufe0f\u200d") and (not before.isascii() or after == "\u20e3"):
        return f"{before}{joiners}"
    is_between = bool(before and after) and not before.isascii() and not after.isascii()
    return f"{before}{joiners}" if joiners in ("\u200c", "\u200d") and is_between else f"{before} "
