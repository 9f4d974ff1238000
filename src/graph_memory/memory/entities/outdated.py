"""Known statements that name the earlier value of a property, and not the one that it has now. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graph_memory.memory.entities.statements.folding import plain, words_only
from graph_memory.memory.entities.statements.languages import language_of
from graph_memory.memory.entities.statements.phrases import finder
from graph_memory.memory.entities.weighing import LONGEST, Doubt, Known
from graph_memory.model.properties import PropertyValue
from graph_memory.model.wording import shown

_SCORE = 1.0
"""That of such a doubt: surer than most that two statements raise."""
_SHORTEST, _FEWEST = 4, 2
"""A value is looked for if it has so many characters, or so many words: a shorter one stands in too much."""


def outdated(
    before: Mapping[str, PropertyValue], after: Mapping[str, PropertyValue], known: Sequence[Known]
) -> dict[str, list[Doubt]]:
    """Return for each property that changes the statements that its earlier value makes doubtful, by its name."""
    there = [one for one in known if len(one.text) <= LONGEST]
    found: dict[str, list[Doubt]] = {}
    for key, value in after.items():
        was, now = before.get(key), value
        if isinstance(was, str) and isinstance(now, str) and _is_telling(was):
            told = f"{shown(key)} was {shown(was)}"
            found[key] = [
                Doubt(one, _SCORE, told) for one in there if names(one.text, was) and not names(one.text, now)
            ]
    return {key: doubts for key, doubts in found.items() if doubts}


def names(text: str, value: str) -> bool:
    """Say whether a value stands in a text in whole words, whatever their capitals and accents."""
    apart = language_of(text).is_written_apart
    return finder(words_only(plain(value)), is_written_apart=apart).search(words_only(plain(text))) is not None


def _is_telling(value: str) -> bool:
    words = words_only(plain(value))
    return len(words) >= _SHORTEST or len(words.split()) >= _FEWEST
