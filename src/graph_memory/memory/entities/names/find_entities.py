"""Finds the entity that a name or a text refers to. Nothing is guessed: similar names are returned as candidates."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_memory.memory.changes.context import read_in_parts
from graph_memory.memory.entities.aliases import ALIASES, aliases_of
from graph_memory.memory.entities.names.candidates import as_questions, candidates, meant_in_text
from graph_memory.memory.entities.names.ids import name_of_id
from graph_memory.memory.entities.names.similar_names import CALLED_SAME
from graph_memory.memory.entities.names.spans import find_encoded_spans
from graph_memory.memory.entities.remember_results import Candidate
from graph_memory.memory.entity_graph.entity_queries import NAMED
from graph_memory.memory.entity_graph.names import entity_not_found
from graph_memory.memory.entity_graph.other_names import named_otherwise, only_one, unescaped_part
from graph_memory.memory.entity_graph.values.spelling import ENTITY
from graph_memory.model.text.name_key import SEPARATORS, first_characters, is_same_name, without_separators
from graph_memory.model.text.wording import did_you_mean, listed_parts, quoted
from graph_memory.model.values.arguments import fault
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

NEW = "new"
"""The value of `found_by` for a new entity."""
_LONGEST = 6
"""Maximum number of words of a name that is searched for in a text."""
_COMPARED = 10
"""Maximum number of new names of an entity that are compared with the names of others."""
_READ = 2_000
"""Number of characters of a text in which a name is searched for."""


@dataclass(frozen=True, slots=True)
class CalledRow:
    """An entity with its aliases."""

    name: str
    aliases: str


CALLED = query("entities/called", CalledRow)
SPELT = query("entities/spelt", str)


@dataclass(frozen=True, slots=True)
class Found:
    """The name of an entity, how it was found, and similar names if it is new."""

    name: str
    by: str
    candidates: Sequence[Candidate] = ()


async def entity_of_name(reader: Reader, domain: str, name: str, kind: str | None = None) -> Found:
    """Return the entity with a name, else an id, else the only entity with the same name key or alias.

    Without any, the entity is new, and entities with similar names are candidates. Raises INVALID_ARGUMENT if several
    match.
    """
    known = await known_by_name(reader, domain, name)
    return known or Found(name, NEW, await candidates(reader, domain, name, kind or ENTITY))


async def known_by_name(reader: Reader, domain: str, name: str) -> Found | None:
    """Return the known entity as in `entity_of_name`, or None."""
    rows = await reader.read(NAMED, domain=domain, names=[name])
    if any(not row.is_mentioned for row in rows):
        return Found(name, "name")
    if (named := await name_of_id(reader, domain, name)) is not None:
        return Found(named, "id")
    same, by = await names_spelt(reader, domain, name), "normalised name"
    if not same:
        same, by = await names_called(reader, domain, name), "alias"
    if len(same) > 1:
        hint = f"Use one of these names exactly: {listed_parts([quoted(one) for one in same])}."
        raise fault("name", f"{quoted(name)} may be any of {len(same)} entities", hint)
    return Found(same[0], by) if same else None


async def names_spelt(reader: Reader, domain: str, name: str) -> list[str]:
    """Return the names of entities that equal a name in another spelling."""
    arguments = {"firsts": first_characters(name), "text": without_separators(name), "separators": list(SEPARATORS)}
    return [one for one in await reader.read(SPELT, domain=domain, **arguments) if is_same_name(one, name)]


async def called_the_same(reader: Reader, domain: str, node: str, names: Sequence[str]) -> list[Candidate]:
    """Return the other entities with one of the new names of an entity as a name or alias, as questions."""
    new = names[:_COMPARED]
    found = {name: one for one, others in (await named_otherwise(reader, domain, new)).items() for name in others}
    for one in new:
        found |= dict.fromkeys(await names_spelt(reader, domain, one), one)
    rows = [row for row in await read_in_parts(reader, NAMED, domain, names=list(found)) if row.id != node]
    known = [
        Candidate(id=row.id, name=row.name, likeness=CALLED_SAME, reason=f"both are named {quoted(found[row.name])}")
        for row in rows
        if not row.is_mentioned
    ]
    return as_questions(node, known)


async def name_of_entity(reader: Reader, domain: str, name: str, *, also_mentioned: bool = False) -> str:
    """Return the name of the entity for a name, id or alias. Raises NODE_NOT_FOUND, INVALID_ARGUMENT."""
    rows = await reader.read(NAMED, domain=domain, names=[name])
    if any(also_mentioned or not row.is_mentioned for row in rows):
        return name
    if (named := await name_of_id(reader, domain, name)) is not None:
        return named
    called = await names_called(reader, domain, name)
    if not called:
        raise await entity_not_found(reader, domain, name)
    return only_one(name, called)


async def names_called(reader: Reader, domain: str, name: str) -> list[str]:
    """Return the names of the entities with a text as an alias, if it is not itself the name of an entity."""
    return (await named_otherwise(reader, domain, [name])).get(name, [])


async def entity_of_text(reader: Reader, domain: str, text: str) -> Found:
    """Return the entity that a text names by its name or an alias, in any encoding of accents.

    Raises INVALID_ARGUMENT if it names none or several.
    """
    if not text.strip():
        raise fault("name", "No entity is named", "Set name to the entity that the facts are about.")
    spans = find_encoded_spans(text[:_READ], _LONGEST)
    rows = await read_in_parts(reader, NAMED, domain, names=list(spans))
    there = [(row.name, row.name) for row in rows if not row.is_mentioned]
    there += await _aliases_in(reader, domain, spans)
    pairs = [(unicodedata.normalize("NFC", span), name) for span, name in there]
    within = {span for span, _ in pairs for other, _ in pairs if span != other and span in other}
    names = list(dict.fromkeys(name for span, name in pairs if span not in within))
    if len(names) == 1:
        return Found(names[0], "text")
    if not names:
        near = did_you_mean(await meant_in_text(reader, domain, text[:_READ]))
        hint = f"{near}Set name to the entity that the text is about."
        raise fault("name", f"The text {quoted(text)} names no known entity", hint)
    hint = f"Set name to one of them: {listed_parts([quoted(name) for name in sorted(names)])}."
    raise fault("name", f"The text {quoted(text)} names {len(names)} entities", hint)


async def _aliases_in(reader: Reader, domain: str, spans: Mapping[str, None]) -> list[tuple[str, str]]:
    """Return the parts of a text that are aliases, each with the name of its entity."""
    texts = sorted({text for span in spans if " " not in span and (text := unescaped_part(without_separators(span)))})
    arguments = {"texts": texts, "separators": list(SEPARATORS), "limit": _READ}
    rows = await reader.read(CALLED, domain=domain, **arguments) if texts else []
    return [(alias, row.name) for row in rows for alias in aliases_of({ALIASES: row.aliases}) if alias in spans]
