"""Measures the similarity of two entities by their names and observations. Does no I/O.

Similar entities are candidates: a caller decides whether they are the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import groupby

from graph_memory.memory.entity_graph.values.spelling import ENTITY
from graph_memory.model.text.name_key import SEPARATORS, is_same_name, name_key
from graph_memory.model.text.wording import quote

_CASE_CHANGE = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ACCENTS = re.compile("[\u0300-\u036f]")
"""Accents of Latin, Greek and Cyrillic letters. In other scripts, combining marks are part of the letter."""
_WORD_JOINTS = re.compile(rf"(?<=\w)[{re.escape(SEPARATORS)}.,]+(?=\w)|\.$")
_MIN_SIMILARITY, _SAME_LETTERS, _OTHER_SIGNS = 0.8, 0.97, 0.9
"""Minimum similarity of names; similarity of names with the same letters, and of names that differ in symbols."""
_SIGNS_WEIGHT = 0.5
"""The weight of names that differ only in symbols. About half of these pairs are the same entity."""
SAME_ALIAS = 0.9
"""The weight of a name that two entities have in common, if it is an alias of at least one of them."""
_SHORT_LENGTH = 4
"""Maximum number of letters in a short name. Short names that differ in one letter are different names."""
_PART_WEIGHT, _PART_OF_SEVERAL_WEIGHT, _MIN_PART_LENGTH = 0.75, 0.5, 3
"""Weights of a name that is part of one other name and of several names, and minimum number of letters in the part."""
LIKE, SAME = 0.5, 0.75
"""Minimum scores of similar entities, and of entities that may be the same."""
_MAX_IN_BLOCK = 60
"""Maximum number of entities that share a part of a name. A part that more entities share is no evidence."""
_COSINE = 0.75
"""Minimum cosine similarity of two vectors that counts as evidence that the entities are the same."""


@dataclass(frozen=True, slots=True)
class ComparedEntity:
    """The fields of an entity that are compared with another entity."""

    name: str
    type: str
    aliases: Sequence[str] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The name and the aliases of the entity."""
        return (self.name, *self.aliases)


@dataclass(slots=True)
class Evidence:
    """The evidence for two entities being the same: reasons with their weights, from 0 to 1."""

    reasons: dict[str, float] = field(default_factory=dict[str, float])
    has_one_name: bool = False
    """Whether the two entities have a name in common. If their names are only similar, the caller is asked."""

    @property
    def score(self) -> float:
        """The combined weight of all reasons, from 0 to 1."""
        remaining = 1.0
        for reason in self.reasons.values():
            remaining *= 1 - reason
        return round(1 - remaining, 2)

    @property
    def sorted_reasons(self) -> tuple[str, ...]:
        """The reasons without their weights, strongest first."""
        return tuple(sorted(self.reasons, key=lambda reason: -self.reasons[reason]))


def _kinds(text: str) -> Iterator[tuple[str, str]]:
    """Yield each character and its kind: letter, digit, or "" for other characters.

    A combining mark has the kind of its base character.
    """
    kind = ""
    for character in text:
        category = unicodedata.category(character)[0]
        kind = kind if category == "M" else category if category in "LN" else ""
        yield kind, character


def split_letters(words: Iterable[str]) -> list[str]:
    """Return the letters of words in order, each with its combining marks."""
    results: list[str] = []
    for character in "".join(words):
        if results and unicodedata.category(character).startswith("M"):
            results[-1] += character
        else:
            results.append(character)
    return results


def differ_in_signs(name: str, other: str) -> bool:
    """Return whether names differ in symbols, as `C` and `C++` do. Ignores separators in words and a final period."""
    return _signs(name) != _signs(other)


def _signs(name: str) -> list[str]:
    return sorted(sign for kind, sign in _kinds(_WORD_JOINTS.sub("", unicodedata.normalize("NFC", name))) if not kind)


@lru_cache(maxsize=65_536)
def parts(name: str) -> tuple[str, ...]:
    """Return the case-folded words and numbers of a name, without accents. Vowel signs stay with their letters."""
    plain = unicodedata.normalize("NFD", _CASE_CHANGE.sub(" ", unicodedata.normalize("NFKC", name)).casefold())
    plain = unicodedata.normalize("NFC", _ACCENTS.sub("", plain))
    runs = groupby(_kinds(plain), key=lambda pair: pair[0])
    return tuple("".join(character for _, character in run) for kind, run in runs if kind)


def similarity_of_names(name: str, other: str) -> float:
    """Return the similarity of two names, from 0 to 1. It is 0 if the names contain different numbers."""
    if is_same_name(name, other):
        return 1.0
    first, second = parts(name), parts(other)
    if sorted(word for word in first if word.isdigit()) != sorted(word for word in second if word.isdigit()):
        return 0.0
    if not first or not second:
        return 0.0
    left, right = split_letters(first), split_letters(second)
    if sorted(first) == sorted(second) or left == right:
        return _OTHER_SIGNS if differ_in_signs(name, other) else _SAME_LETTERS
    if min(len(left), len(right)) <= _SHORT_LENGTH:
        return 0.0
    return min(SequenceMatcher(None, left, right, autojunk=False).ratio(), 0.96)


def is_part(name: str, other: str) -> bool:
    """Return whether a name is part of another, as `Nora` is of `Nora Brandt`, and both have the same numbers."""
    words, others = frozenset(parts(name)), frozenset(parts(other))
    added = others - words
    return words < others and not any(map(str.isdigit, added)) and len(split_letters(words)) >= _MIN_PART_LENGTH


def part_of_two(name: str, other: str) -> str | None:
    """Return the name that is a part of the other name, or None."""
    return name if is_part(name, other) else other if is_part(other, name) else None


def evidence(
    entity: ComparedEntity, other: ComparedEntity, shared: int, cosine: float | None, fits: int = 0
) -> Evidence:
    """Return the evidence for two entities being the same. `shared` is the number of observations in common.

    If the name of one entity is part of the other's name, `fits` is the number of names that contain the shorter name.
    """
    result = Evidence()
    likeness, alias = similarity_of_names(entity.name, other.name), _common_name(entity, other)
    if likeness == 1.0:
        result.reasons["the same name in another spelling"] = 0.95
    elif alias:
        result.reasons[f"both are named {alias}"] = SAME_ALIAS
    elif likeness == _OTHER_SIGNS and differ_in_signs(entity.name, other.name):
        result.reasons["the same name except for symbols"] = _SIGNS_WEIGHT
        cosine = None
    elif (part := part_of_two(entity.name, other.name)) and fits == 1:
        result.reasons[f"only this name contains {quote(part)}"] = _PART_WEIGHT
    elif likeness >= _MIN_SIMILARITY:
        result.reasons[f"similar names ({likeness:.2f})"] = round(0.9 * likeness, 2)
    elif part:
        result.reasons[f"{fits} names contain {quote(part)}"] = _PART_OF_SEVERAL_WEIGHT
    result.has_one_name = likeness == 1.0 or bool(alias)
    if shared:
        text = "1 observation" if shared == 1 else f"{shared} observations"
        result.reasons[f"{text} in common"] = round(1 - 0.5 ** min(shared, 4), 2)
    if cosine is not None and cosine >= _COSINE and likeness > 0:
        result.reasons[f"similar meaning ({cosine:.2f})"] = round(0.8 * cosine**2, 2)
    if result.reasons and entity.type != other.type and ENTITY not in (entity.type, other.type):
        result.reasons = {reason: round(0.85 * weight, 2) for reason, weight in result.reasons.items()}
    return result


def _common_name(entity: ComparedEntity, other: ComparedEntity) -> str | None:
    """Return a name that both entities have, or None. It is an alias of at least one of them."""
    other_keys = {name_key(name) for name in other.names}
    return next((name for name in entity.names if name_key(name) in other_keys), None)


def pairs(entities: Mapping[str, ComparedEntity]) -> Iterator[tuple[str, str]]:
    """Yield the ids of each pair of entities whose names share the first or last letters of a word, each pair once."""
    blocks: dict[str, set[str]] = {}
    for subject, compared in entities.items():
        for key in {key for name in compared.names for key in _keys(name)}:
            blocks.setdefault(key, set()).add(subject)
    seen: set[tuple[str, str]] = set()
    for key, block in blocks.items():
        if len(block) > _MAX_IN_BLOCK and not key.startswith("="):
            continue
        ordered = sorted(block)[:_MAX_IN_BLOCK]
        for place, first in enumerate(ordered):
            for second in ordered[place + 1 :]:
                if (first, second) not in seen:
                    seen.add((first, second))
                    yield first, second


def _keys(name: str) -> Iterator[str]:
    """Yield keys that similar names share: the name key, the sorted words, and three letters at each end of a word."""
    results = parts(name)
    yield "=" + name_key(name)
    yield "=" + "".join(sorted(results))
    for word in results:
        if not word.isdigit():
            yield "<" + word[:3]
            yield ">" + word[-3:]
