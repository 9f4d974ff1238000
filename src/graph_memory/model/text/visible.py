"""Detects, escapes and replaces characters that are invisible or change the direction of text."""

from __future__ import annotations

import re
import unicodedata

from graph_memory.model.errors import Code, GraphError

_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp", "Zs"})
"""Unicode categories of characters that break lines, change the text direction, or are invisible."""
_INVISIBLE_CHARACTERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0e\U000e0100-\U000e01ef]"
)
"""Other invisible characters that could hide text: fillers, blanks and variation selectors."""
_JOINERS = frozenset("\u200c\u200d\ufe0f")
"""Joiners of letters and emoji. They are kept between two characters that they join."""
_JOINED = re.compile(r"(?s)(.?)([\u200c\u200d\ufe0f]+)(?=(.?))")
_DOUBLE_QUOTES = '"\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u2036\u275d\u275e\u301d\u301e\u301f\uff02'
QUOTES = str.maketrans(dict.fromkeys(_DOUBLE_QUOTES, "'"))
"""A translation table that replaces double quotation marks, so that quoted text cannot end its quotation."""


def to_visible(text: str) -> str:
    """Return the text with a space for each invisible or direction-changing character. Necessary joiners are kept."""
    if text.isascii() and text.isprintable():
        return text
    characters = set(text)
    text = text.translate({ord(character): " " for character in characters if not _is_visible(character)})
    return _JOINED.sub(_keep_joiners, text) if characters & _JOINERS else text


def escape_invisible(text: str) -> str:
    r"""Return the text with each invisible character, except spaces, escaped, such as `\u202e`."""
    if text.isascii() and text.isprintable():
        return text
    return text.translate(
        {
            ord(character): _escape(character)
            for character in set(text)
            if not _is_visible(character) and unicodedata.category(character) != "Zs"
        }
    )


def check_visible(kind: str, name: str) -> str:
    """Check that a new name has no invisible characters, and return it unchanged. All spaces count as visible.

    `kind` is the kind of name for the message, such as `Node type`. Raises INVALID_ARGUMENT if the name contains an
    invisible character.
    """
    spaced = "".join(" " if unicodedata.category(character) == "Zs" else character for character in name)
    if (visible_name := to_visible(spaced)) == spaced:
        return name
    hidden = next(
        character
        for character in spaced
        if not _is_visible(character)
        or (character in _JOINERS and visible_name.count(character) < name.count(character))
    )
    message = (
        f'{kind} "{escape_invisible(name).translate(QUOTES)}" contains the invisible character U+{ord(hidden):04X}'
    )
    raise GraphError(Code.INVALID_ARGUMENT, message, {"name": escape_invisible(name), "hint": "Remove that character."})


def _is_visible(character: str) -> bool:
    """Return whether the character is visible, an ASCII space, or a joiner."""
    if character == " " or character in _JOINERS:
        return True
    return unicodedata.category(character) not in _INVISIBLE_CATEGORIES and not _INVISIBLE_CHARACTERS.match(character)


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _keep_joiners(match: re.Match[str]) -> str:
    """Return the character before the joiners, with the joiners if an emoji or script needs them, else with a space."""
    before, joiners, after = match.groups()
    if joiners in ("\ufe0f", "\ufe0f\u200d") and (not before.isascii() or after == "\u20e3"):
        return f"{before}{joiners}"
    is_between = bool(before and after) and not before.isascii() and not after.isascii()
    return f"{before}{joiners}" if joiners in ("\u200c", "\u200d") and is_between else f"{before} "
