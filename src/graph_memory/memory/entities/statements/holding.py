"""Names of which a thing has one at a time: where it lives, who its manager is. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from graph_memory.memory.entities.statements.folding import plain, words_only
from graph_memory.memory.entities.statements.lexicon.lexicon import Lexicon
from graph_memory.memory.entities.statements.rewording import reworded
from graph_memory.memory.entities.statements.stems import stems_of

_CAPITAL = re.compile(r"\b[A-ZÀ-ÞА-ЯЁ][\w.-]*")
_BEFORE = r"(?:(?:the|le|la|el|il|o|a|der|die|dem|dr|mr|mrs|ms|herr|frau)\.? )*"
_LONGEST = 40
"""Characters of what stands before `is`."""


@dataclass(frozen=True, slots=True)
class Held:
    """A name, and what it is to the thing."""

    what: frozenset[str]
    """The stems of what is said of it: `manager is`, `lives in`."""
    said: str
    name: str


def held_in(text: str, clean: str, language: Lexicon) -> tuple[Held, ...]:
    """Return the names of a text of which there is one at a time, given the text in other words."""
    capitals = {word for each in _CAPITAL.findall(text) for word in words_only(plain(each)).split()}
    if not capitals:
        return ()
    verbs, attribute = _finders(language)
    found = [*verbs.finditer(words_only(clean)), *attribute.finditer(clean)]
    return tuple(
        Held(what, said, name)
        for said, name in (match.groups() for match in found)
        if name in capitals and (what := frozenset(stems_of(words_only(said), language)))
    )


@lru_cache(maxsize=32)
def _finders(language: Lexicon) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds a name after a verb, and one that is said to be something."""
    verbs = "|".join(re.escape(reworded(each.strip(), language)) for each in language.holds_one.split(","))
    is_so = "|".join(language.copulas.split()) or "(?!)"
    return (
        re.compile(rf"\b({verbs}) {_BEFORE}(\w+)" if language.holds_one else "(?!)"),
        re.compile(rf"^([^:,;.!?]{{1,{_LONGEST}}}?)(?: (?:{is_so})|:) {_BEFORE}(\w+)"),
    )
