"""How alike two entities are, by their names and by what is observed of them. Pure.

Nothing here says that two are the same: it finds pairs for somebody who can tell.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache

from graph_memory.memory.knowledge.spelling import WORD

_PART = re.compile(r"[^\W\d_]+|\d+")
_CASES = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ALIKE = 0.8
"""The likeness of names below which they say nothing."""
_SHORT = 4
"""Letters of a name, below which a difference of one says that it is another."""
_MOST_IN_BLOCK = 60
"""Entities that share part of a name, above which the part says nothing."""
_COSINE = 0.75
"""The likeness in meaning below which it says nothing."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What is compared of an entity."""

    name: str
    type: str
    aliases: Sequence[str] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All its names."""
        return (self.name, *self.aliases)


@dataclass(slots=True)
class Evidence:
    """What speaks for two entities being the same: reasons, each with how much it says, 0 to 1."""

    reasons: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def score(self) -> float:
        """How much all of it says together."""
        against = 1.0
        for each in self.reasons.values():
            against *= 1 - each
        return round(1 - against, 2)

    @property
    def told(self) -> tuple[str, ...]:
        """The reasons, the strongest first."""
        return tuple(sorted(self.reasons, key=lambda one: -self.reasons[one]))


def normalised(name: str) -> str:
    """Return a name without what people spell one way or another: capitals, accents' encoding, spaces, punctuation."""
    words = WORD.findall(unicodedata.normalize("NFKC", name).casefold())
    return " ".join(words) or name


def folded(text: str) -> str:
    """Return a text without capitals, and as compatible characters, in a way that Cypher can do as well."""
    return unicodedata.normalize("NFKC", text).upper().lower().replace("ς", "σ")


@lru_cache(maxsize=65_536)
def parts(name: str) -> tuple[str, ...]:
    """Return the words and numbers of a name, without capitals and accents."""
    spaced = _CASES.sub(" ", unicodedata.normalize("NFKC", name))
    plain = "".join(one for one in unicodedata.normalize("NFD", spaced) if not unicodedata.combining(one))
    return tuple(_PART.findall(plain.casefold()))


def likeness_of_names(one: str, other: str) -> float:
    """Return how alike two names are, 0 to 1. Those with other numbers in them are not alike at all."""
    if normalised(one) == normalised(other):
        return 1.0
    first, second = parts(one), parts(other)
    if sorted(each for each in first if each.isdigit()) != sorted(each for each in second if each.isdigit()):
        return 0.0
    if first and sorted(first) == sorted(second):
        return 0.97
    left, right = "".join(first), "".join(second)
    if not left or not right:
        return 0.0
    if left == right:
        return 0.97
    if min(len(left), len(right)) <= _SHORT:
        return 0.0
    return min(SequenceMatcher(None, left, right, autojunk=False).ratio(), 0.96)


def is_part(name: str, other: str) -> bool:
    """Say whether a name is a part of another: `Nora` and `Nora Brandt`."""
    words = frozenset(parts(name))
    return words < frozenset(parts(other)) and len("".join(words)) >= _SHORT


def evidence(one: Compared, other: Compared, shared: int, cosine: float | None) -> Evidence:
    """Return what speaks for two entities being the same, given how many observations they share."""
    found = Evidence()
    likeness = likeness_of_names(one.name, other.name)
    if likeness == 1.0:
        found.reasons["the same name but for its spelling"] = 0.95
    elif alias := _alias(one, other):
        found.reasons[f"both are called {alias}"] = 0.9
    elif likeness >= _ALIKE:
        found.reasons[f"names alike ({likeness:.2f})"] = round(0.9 * likeness, 2)
    if shared:
        text = "1 observation" if shared == 1 else f"{shared} observations"
        found.reasons[f"{text} in common"] = round(1 - 0.5 ** min(shared, 4), 2)
    if cosine is not None and cosine >= _COSINE and likeness > 0:
        found.reasons[f"alike in meaning ({cosine:.2f})"] = round(0.8 * cosine**2, 2)
    if found.reasons and one.type != other.type:
        found.reasons = {reason: round(0.85 * says, 2) for reason, says in found.reasons.items()}
    return found


def _alias(one: Compared, other: Compared) -> str | None:
    """Return a name by which both are called, where one of them has it as an alias."""
    known = {normalised(name) for name in other.names}
    return next((name for name in one.names if normalised(name) in known), None)


def pairs(every: Mapping[str, Compared]) -> Iterator[tuple[str, str]]:
    """Give the ids of entities whose names may be alike, each pair once: those that share the beginning of a word."""
    blocks: dict[str, set[str]] = {}
    for subject, one in every.items():
        for key in {key for name in one.names for key in _keys(name)}:
            blocks.setdefault(key, set()).add(subject)
    seen: set[tuple[str, str]] = set()
    for key, block in blocks.items():
        if len(block) > _MOST_IN_BLOCK and not key.startswith("="):
            continue
        ordered = sorted(block)[:_MOST_IN_BLOCK]
        for place, first in enumerate(ordered):
            for second in ordered[place + 1 :]:
                if (first, second) not in seen:
                    seen.add((first, second))
                    yield first, second


def _keys(name: str) -> Iterator[str]:
    """Give what two names that are alike have in common: the name without spelling, beginnings and ends of words."""
    found = parts(name)
    yield "=" + normalised(name)
    yield "=" + "".join(sorted(found))
    for word in found:
        if not word.isdigit():
            yield "<" + word[:3]
            yield ">" + word[-3:]
