"""Which entity is meant by a name, or by a text that names one. Nothing is guessed: what is only near is told."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from graph_memory.memory.changes.context import in_parts
from graph_memory.memory.entities.aliases import ALIASES, aliases_of
from graph_memory.memory.entities.alike import folded, is_part, normalised
from graph_memory.memory.entities.ids import name_of_id
from graph_memory.memory.entities.remembered import Candidate
from graph_memory.memory.knowledge.names import entity_not_found, near_names
from graph_memory.memory.knowledge.reading import NAMED
from graph_memory.memory.knowledge.spelling import WORD
from graph_memory.model.arguments import fault
from graph_memory.model.wording import listed_parts, quoted
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

NEW = "new"
"""How an entity was found that there is not yet."""
_NEAR = 0.8
"""The likeness of names from which on one is told as a candidate."""
_MOST = 3
_LONGEST = 5
"""Words of a name that is looked for in a text."""
_READ = 2_000
"""Characters of a text in which a name is looked for."""


@dataclass(frozen=True, slots=True)
class CalledRow:
    """An entity with other names."""

    name: str
    aliases: str


CALLED = query("entities/called", CalledRow)


@dataclass(frozen=True, slots=True)
class Found:
    """The name of an entity, how it was found, and near names if it is a new one."""

    name: str
    by: str
    candidates: Sequence[Candidate] = ()


async def entity_of_name(reader: Reader, domain: str, name: str) -> Found:
    """Return the entity of a name, else of an id, else the only one with the same letters in its name, or in an alias.

    Without any it is a new one. Raises INVALID_ARGUMENT where several have the same letters.
    """
    rows = await reader.read(NAMED, domain=domain, names=[name])
    if any(not row.is_mentioned for row in rows):
        return Found(name, "name")
    if (named := await name_of_id(reader, domain, name)) is not None:
        return Found(named, "id")
    near = await near_names(reader, domain, name)
    same, by = [one for one in near if normalised(one) == normalised(name)], "normalised name"
    if not same:
        same, by = await names_called(reader, domain, name), "alias"
    if len(same) > 1:
        hint = f"Give one of them exactly: {listed_parts([quoted(one) for one in same])}."
        raise fault("name", f"{quoted(name)} may be any of {len(same)} entities", hint)
    if same:
        return Found(same[0], by)
    likely = [(_likeness(name, one), one) for one in near]
    best = sorted((each for each in likely if each[0] >= _NEAR), reverse=True)[:_MOST]
    return Found(name, NEW, [Candidate(name=one, likeness=likeness) for likeness, one in best])


def _likeness(name: str, known: str) -> float:
    """Return how likely a known name is meant: by its letters, and where it has all words of the new one and more."""
    ratio = round(SequenceMatcher(None, normalised(known), normalised(name)).ratio(), 2)
    return max(ratio, _NEAR) if is_part(name, known) else ratio


async def name_of_entity(reader: Reader, domain: str, name: str, *, also_mentioned: bool = False) -> str:
    """Return the name of the entity that a name, id or alias stands for. Raises NODE_NOT_FOUND, INVALID_ARGUMENT."""
    rows = await reader.read(NAMED, domain=domain, names=[name])
    if any(also_mentioned or not row.is_mentioned for row in rows):
        return name
    if (named := await name_of_id(reader, domain, name)) is not None:
        return named
    called = await names_called(reader, domain, name)
    if len(called) > 1:
        hint = f"Give one of them: {listed_parts([quoted(one) for one in called])}."
        raise fault("name", f"{len(called)} entities are called {quoted(name)}", hint)
    if not called:
        raise await entity_not_found(reader, domain, name)
    return called[0]


async def names_called(reader: Reader, domain: str, name: str) -> list[str]:
    """Return the names of the entities that have a name as an alias, whatever its spelling."""
    words = sorted(map(folded, normalised(name).split()), key=len, reverse=True)
    rows = await reader.read(CALLED, domain=domain, texts=words[:1], limit=_READ) if words else []
    same = normalised(name)
    return [row.name for row in rows if any(normalised(one) == same for one in aliases_of({ALIASES: row.aliases}))]


async def entity_of_text(reader: Reader, domain: str, text: str) -> Found:
    """Return the entity that a text names, or calls by an alias as it is written.

    Raises INVALID_ARGUMENT where it names none, or several.
    """
    spans = _spans(text[:_READ])
    rows = await in_parts(reader, NAMED, domain, names=list(spans))
    there = [(row.name, row.name) for row in rows if not row.is_mentioned]
    there += await _aliases_in(reader, domain, spans)
    said = {span for span, _ in there}
    names = list(dict.fromkeys(name for span, name in there if not any(span != one and span in one for one in said)))
    if len(names) == 1:
        return Found(names[0], "text")
    if not names:
        raise fault("name", "The text names no entity that is known", "Give the name of what it is about, as name.")
    hint = f"Give the one that it is about, as name: {listed_parts([quoted(name) for name in sorted(names)])}."
    raise fault("name", f"The text names {len(names)} entities", hint)


async def _aliases_in(reader: Reader, domain: str, spans: Mapping[str, None]) -> list[tuple[str, str]]:
    """Return the parts of a text that are aliases, each with the name of its entity."""
    words = sorted({folded(word) for span in spans for word in WORD.findall(span)})
    rows = await reader.read(CALLED, domain=domain, texts=words, limit=_READ) if words else []
    return [(one, row.name) for row in rows for one in aliases_of({ALIASES: row.aliases}) if one in spans]


def _spans(text: str) -> dict[str, None]:
    """Return the parts of a text that may be names, as they stand in it."""
    words = list(WORD.finditer(text))
    found: dict[str, None] = {}
    for first in range(len(words)):
        for last in range(first, min(first + _LONGEST, len(words))):
            span = text[words[first].start() : words[last].end()]
            found[span] = None
            found[re.sub(r"['’]s$", "", span)] = None
    return found
