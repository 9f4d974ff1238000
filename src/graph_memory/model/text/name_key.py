"""Names and their comparison keys.

Two names are equal if they differ only in the encoding of accents, in capitals, or in separators between two letters:
`my-service`, `My Service`, `MyService`. Every other character is significant: `C`, `C++` and `C#` are three names.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache

_HYPHENS = "-\u058a\u05be\u1400\u1806\u2010\u2011\u2012\u2013\u2e17\u2e40\ufe63\uff0d"
"""Hyphens, and the two dashes that people use instead. Minus signs and longer dashes are not hyphens."""
_UNDERSCORES = "_\ufe33\ufe34\ufe4d\ufe4e\ufe4f\uff3f"
_APOSTROPHES = "'`\u00b4\u02bb\u02bc\u055a\u2018\u2019\u201b\uff07"
_SPACES = " \t\n\v\f\r\x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
SEPARATORS = _HYPHENS + _UNDERSCORES + _APOSTROPHES + _SPACES
_TO_FIRST_OF_KIND = str.maketrans(
    {sign: kind[0] for kind in (_HYPHENS, _UNDERSCORES, _APOSTROPHES, _SPACES) for sign in kind}
)
_SEPARATOR_RUN = re.compile(f"[{re.escape(SEPARATORS)}]+")
_MANY_SPACES = re.compile(" {2,}")
_LAST_WITH_FOLDING = 0x2FA1F
"""The last code point that case folding or NFC changes: a CJK compatibility ideograph."""


@lru_cache(maxsize=65_536)
def name_key(name: str) -> str:
    """Return the key of a name. Two names have the same key if they differ only as this module describes."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
    return _SEPARATOR_RUN.sub(lambda match: _significant_separators(match, folded), folded)


def is_same_name(name: str, other: str) -> bool:
    """Return whether two names have the same key."""
    return name_key(name) == name_key(other)


def _significant_separators(match: re.Match[str], name: str) -> str:
    """Return the separators in a run that are part of the name's key.

    Between two letters, there are none. Elsewhere, all separators count, but consecutive spaces become one space.
    """
    if _ends_in_letter(name, match.start()) and name[match.end() : match.end() + 1].isalpha():
        return ""
    return _MANY_SPACES.sub(" ", match[0].translate(_TO_FIRST_OF_KIND))


def _ends_in_letter(name: str, end: int) -> bool:
    """Return whether the name up to position `end` ends with a letter, with or without combining marks."""
    while end > 0 and unicodedata.category(name[end - 1]).startswith("M"):
        end -= 1
    return end > 0 and name[end - 1].isalpha()


def without_separators(name: str) -> str:
    """Return the name in lower case without separators. Cypher can compute this form too.

    Names with the same key have the same form.
    """
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).lower().upper().lower()).replace("ς", "σ")
    return "".join(character for character in folded if character not in SEPARATORS)


def first_characters(name: str) -> list[str]:
    """Return the possible first characters of names with the same key as `name`, sorted."""
    first = name_key(name)[:1]
    bases = [sign for sign in SEPARATORS if sign.translate(_TO_FIRST_OF_KIND) == first] or [_first_folded(first)]
    return sorted({*bases, *"".join(_characters_by_first().get(base, "") for base in bases)})


def _first_folded(character: str) -> str:
    return unicodedata.normalize("NFD", character.casefold())[:1]


@cache
def _characters_by_first() -> Mapping[str, str]:
    """Return all characters that folding changes, by the first character of their folded form."""
    groups: dict[str, list[str]] = {}
    for character in map(chr, range(_LAST_WITH_FOLDING + 1)):
        if (first := _first_folded(character)) != character:
            groups.setdefault(first, []).append(character)
    return {first: "".join(characters) for first, characters in groups.items()}
