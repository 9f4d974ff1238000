"""Splits the text of a call with a language model into facts about its entity and about other known entities."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from graph_memory.memory.core import Core
from graph_memory.memory.entities.names.find_entities import Found, entity_of_name, entity_of_text, known_by_name
from graph_memory.memory.remember.advice.splitting import Said
from graph_memory.memory.remember.adviser import Adviser
from graph_memory.memory.remember.facts import Facts, facts_from
from graph_memory.memory.statements.language.languages import language_of
from graph_memory.memory.statements.statement import statement
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.name_key import name_key

Part = tuple[Facts, Found]


async def found_of(core: Core, domain: str, given: Facts) -> Found:
    """Return the entity of a call, by its name or by its text. Raises INVALID_ARGUMENT."""
    if given.name is not None:
        return await entity_of_name(core.store, domain, given.name, given.type)
    return await entity_of_text(core.store, domain, given.text)


async def advised(core: Core, domain: str, given: Facts, adviser: Adviser, now: datetime) -> list[Part]:
    """Return the facts of a call as a model splits its text, those of its own entity first. Empty without a model."""
    if adviser.model is None or not given.said:
        return []
    main = await _found_or_none(core, domain, given)
    said = await adviser.split([fact.observation.text for fact in given.facts[: given.said]], main and main.name)
    if main is None and (name := _named_first(said)) is not None:
        main = await entity_of_name(core.store, domain, name)
    if not said or main is None:
        return []
    meant = await _meant(core, domain, said, main)
    if given.ties:  # a write of several entities cannot check the rules of relations
        meant = {name: hit for name, hit in meant.items() if hit is main}
    own_said = [_own(one, meant) for one in said if meant.get(one.entity, main) is main]
    own = _facts_of(main.name, own_said, now, given.properties)
    own = replace(
        given,
        name=main.name,
        type=given.type or own.type,
        facts=[*own.facts, *given.facts[given.said :]],
        properties={**own.properties, **given.properties},
    )
    others = {hit.name: hit for hit in meant.values() if hit is not main}
    about = {name: [one for one in said if one.entity in meant and meant[one.entity].name == name] for name in others}
    return [(own, main), *((_facts_of(name, some, now), others[name]) for name, some in about.items())]


async def _found_or_none(core: Core, domain: str, facts: Facts) -> Found | None:
    """Return the entity of a call; None if only its text names it, and ambiguously. Raises INVALID_ARGUMENT."""
    try:
        return await found_of(core, domain, facts)
    except GraphError as error:
        if error.code is not Code.INVALID_ARGUMENT or facts.name is not None:
            raise
        return None


def _named_first(said: Sequence[Said]) -> str | None:
    """Return the first entity that a model names, without pronouns and the like."""
    names = (one.entity for one in said if one.entity is not None)
    return next((name for name in names if statement(name, language_of(said[0].source)).stems), None)


async def _meant(core: Core, domain: str, said: Sequence[Said], main: Found) -> dict[str | None, Found]:
    """Return the known entities by the names that a model uses. Unknown names are omitted."""
    hits: dict[str | None, Found] = {None: main}
    own = _words_of(main.name)
    for name in dict.fromkeys(one.entity for one in said if one.entity is not None):
        if _words_of(name) <= own:
            hits[name] = main
            continue
        with suppress(GraphError):  # an ambiguous name counts as unknown
            hit = await known_by_name(core.store, domain, name)
            if hit is not None:
                hits[name] = main if hit.name == main.name else hit
    return hits


def _words_of(name: str) -> frozenset[str]:
    """Return the words of a name, each with its signs."""
    return frozenset(name_key(word.rstrip(",")) for word in name.split())


def _own(one: Said, meant: Mapping[str | None, Found]) -> Said:
    """Return a fact about the entity of a call. For a fact about an unknown entity, its sentences replace it."""
    return one if one.entity in meant else Said(one.source, one.source)


def _facts_of(name: str, given: Sequence[Said], now: datetime, taken: Collection[str] = ()) -> Facts:
    """Return validated facts from the facts of a model. Raises INVALID_ARGUMENT and INVALID_PROPERTY.

    Properties that would have several values, or are taken, stay sentences.
    """
    values: dict[str, set[object]] = {}
    for one in given:
        if one.key is not None:
            values.setdefault(one.key, set()).add(one.value)
    single = {key for key, results in values.items() if len(results) == 1 and key not in taken}
    said = [one if one.key is None or one.key in single else Said(one.source, one.source) for one in given]
    texts = list(dict.fromkeys(one.text for one in said if one.key is None))
    properties = {one.key: one.value for one in said if one.key is not None}
    kind = next((one.type for one in said if one.type is not None), None)
    return facts_from({"name": name, "type": kind, "observations": texts, "properties": properties}, now)
