"""Finds the entity that a name or a text refers to. It never guesses: similar names are returned as candidates."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_memory.memory.changes.context import read_in_parts
from graph_memory.memory.entities.aliases import ALIASES, aliases_of
from graph_memory.memory.entities.names.candidates import find_candidates, suggest_entities, with_question_ids
from graph_memory.memory.entities.names.ids import name_of_id
from graph_memory.memory.entities.names.similar_names import SAME_ALIAS
from graph_memory.memory.entities.names.spans import find_encoded_spans
from graph_memory.memory.entities.remember_results import Candidate
from graph_memory.memory.entity_graph.entity_queries import NODES_BY_NAME
from graph_memory.memory.entity_graph.names import entity_not_found_error
from graph_memory.memory.entity_graph.other_names import names_by_alias, only_name, unescaped_part
from graph_memory.memory.entity_graph.values.spelling import ENTITY
from graph_memory.model.errors import Hint
from graph_memory.model.text.name_key import SEPARATORS, first_characters, is_same_name, without_separators
from graph_memory.model.text.wording import did_you_mean, join_parts, quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

NEW = "new"
"""The value of `found_by` for an entity that does not exist yet."""
_MAX_WORDS = 6
"""Maximum number of words in a name that is looked up in a text."""
_MAX_NEW_NAMES = 10
"""Maximum number of an entity's new names that are compared with other entities' names."""
_MAX_CHARACTERS = 2_000
"""Number of characters at the start of a text that are searched for names."""
_NAME_HINT = Hint("Pass the name of the entity: {remember:name}.", name="NAME")


@dataclass(frozen=True, slots=True)
class AliasesRow:
    """An entity with its aliases."""

    name: str
    aliases: str


ENTITIES_BY_ALIAS = query("entities/called", AliasesRow)
NAMES_BY_KEY = query("entities/spelt", str)


@dataclass(frozen=True, slots=True)
class EntityMatch:
    """The name of an entity, how the entity was found, and similar names if it is new."""

    name: str
    by: str
    candidates: Sequence[Candidate] = ()


async def entity_of_name(reader: Reader, domain: str, name: str, kind: str | None = None) -> EntityMatch:
    """Return the entity that has this text as its name, id, name key or alias, in this order of precedence.

    If there is none, the match is a new entity, with similar entities as candidates. Raises INVALID_ARGUMENT if
    several entities have the name key or the alias.
    """
    known = await find_by_name_or_alias(reader, domain, name)
    return known or EntityMatch(name, NEW, await find_candidates(reader, domain, name, kind or ENTITY))


async def find_by_name_or_alias(reader: Reader, domain: str, name: str) -> EntityMatch | None:
    """Return the stored entity with this name, id, name key or alias, or None. Raises errors like `entity_of_name`."""
    rows = await reader.read(NODES_BY_NAME, domain=domain, names=[name])
    if any(not row.is_mentioned for row in rows):
        return EntityMatch(name, "name")
    if (entity_name := await name_of_id(reader, domain, name)) is not None:
        return EntityMatch(entity_name, "id")
    same, by = await names_with_key(reader, domain, name), "normalised name"
    if not same:
        same, by = await names_with_alias(reader, domain, name), "alias"
    if len(same) > 1:
        hint = f"Use one of these names exactly: {join_parts([quote(match_name) for match_name in same])}."
        raise invalid_argument("name", f"{quote(name)} may mean any of {len(same)} entities", hint)
    return EntityMatch(same[0], by) if same else None


async def names_with_key(reader: Reader, domain: str, name: str) -> list[str]:
    """Return the entity names with the same name key as `name`, such as other spellings of it."""
    arguments = {"firsts": first_characters(name), "text": without_separators(name), "separators": list(SEPARATORS)}
    names = await reader.read(NAMES_BY_KEY, domain=domain, **arguments)
    return [match_name for match_name in names if is_same_name(match_name, name)]


async def entities_with_same_name(reader: Reader, domain: str, node: str, names: Sequence[str]) -> list[Candidate]:
    """Return the other entities that already have one of the entity's new names or aliases, as questions."""
    new = names[:_MAX_NEW_NAMES]
    names_by_new_alias = await names_by_alias(reader, domain, new)
    new_name_by_name = {name: new_name for new_name, others in names_by_new_alias.items() for name in others}
    for new_name in new:
        new_name_by_name |= dict.fromkeys(await names_with_key(reader, domain, new_name), new_name)
    rows = await read_in_parts(reader, NODES_BY_NAME, domain, names=list(new_name_by_name))
    candidates = [
        Candidate(
            id=row.id,
            name=row.name,
            likeness=SAME_ALIAS,
            reason=f"both are named {quote(new_name_by_name[row.name])}",
        )
        for row in rows
        if row.id != node and not row.is_mentioned
    ]
    return with_question_ids(node, candidates)


async def name_of_entity(reader: Reader, domain: str, name: str, *, also_mentioned: bool = False) -> str:
    """Return the name of the entity for a name, id or alias.

    Raises NODE_NOT_FOUND if there is no such entity, and INVALID_ARGUMENT if an alias is ambiguous.
    """
    rows = await reader.read(NODES_BY_NAME, domain=domain, names=[name])
    if any(also_mentioned or not row.is_mentioned for row in rows):
        return name
    if (named := await name_of_id(reader, domain, name)) is not None:
        return named
    names = await names_with_alias(reader, domain, name)
    if not names:
        raise await entity_not_found_error(reader, domain, name)
    return only_name(name, names)


async def names_with_alias(reader: Reader, domain: str, name: str) -> list[str]:
    """Return the names of the entities with the given alias. Returns an empty list if the alias is itself a name."""
    return (await names_by_alias(reader, domain, [name])).get(name, [])


async def entity_of_text(reader: Reader, domain: str, text: str) -> EntityMatch:
    """Return the entity whose name or alias occurs in a text. Accents may be in any Unicode normal form.

    Raises INVALID_ARGUMENT if the text names no entity, or several.
    """
    if not text.strip():
        raise invalid_argument("name", "No entity name was given", _NAME_HINT)
    spans = find_encoded_spans(text[:_MAX_CHARACTERS], _MAX_WORDS)
    rows = await read_in_parts(reader, NODES_BY_NAME, domain, names=list(spans))
    spellings = [(row.name, row.name) for row in rows if not row.is_mentioned]
    spellings += await _aliases_in(reader, domain, spans)
    pairs = [(unicodedata.normalize("NFC", span), name) for span, name in spellings]
    contained_spans = {span for span, _ in pairs for other, _ in pairs if span != other and span in other}
    names = list(dict.fromkeys(name for span, name in pairs if span not in contained_spans))
    if len(names) == 1:
        return EntityMatch(names[0], "text")
    if not names:
        suggestion = did_you_mean(await suggest_entities(reader, domain, text[:_MAX_CHARACTERS]))
        hint = Hint("{suggestion}{hint}", suggestion=suggestion, hint=_NAME_HINT)
        raise invalid_argument("name", f"No known entity is mentioned in the text {quote(text)}", hint)
    hint = Hint(
        "{hint} NAME is one of {names}.", hint=_NAME_HINT, names=join_parts([quote(name) for name in sorted(names)])
    )
    raise invalid_argument("name", f"The text {quote(text)} mentions {len(names)} entities", hint)


async def _aliases_in(reader: Reader, domain: str, spans: Mapping[str, None]) -> list[tuple[str, str]]:
    """Return the spans that are aliases of an entity, each with the name of the entity."""
    texts = sorted({text for span in spans if " " not in span and (text := unescaped_part(without_separators(span)))})
    arguments = {"texts": texts, "separators": list(SEPARATORS), "limit": _MAX_CHARACTERS}
    rows = await reader.read(ENTITIES_BY_ALIAS, domain=domain, **arguments) if texts else []
    return [(alias, row.name) for row in rows for alias in aliases_of({ALIASES: row.aliases}) if alias in spans]
