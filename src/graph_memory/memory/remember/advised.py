"""Lets a language model split the text of a call into facts about the call's entity and other known entities."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from graph_memory.memory.core import Core
from graph_memory.memory.entities.names.find_entities import (
    EntityMatch,
    entity_of_name,
    entity_of_text,
    find_by_name_or_alias,
)
from graph_memory.memory.remember.advice.splitting import SplitFact
from graph_memory.memory.remember.adviser import Adviser
from graph_memory.memory.remember.facts import RememberRequest, request_from
from graph_memory.memory.statements.language.languages import language_of
from graph_memory.memory.statements.statement import parse_statement
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.text.name_key import name_key

Part = tuple[RememberRequest, EntityMatch]


async def entity_of(core: Core, domain: str, request: RememberRequest) -> EntityMatch:
    """Return the entity of a call, found by its name or its text.

    Raises INVALID_ARGUMENT if the name is ambiguous, or the text does not name exactly one entity.
    """
    if request.name is not None:
        return await entity_of_name(core.store, domain, request.name, request.type)
    return await entity_of_text(core.store, domain, request.text)


async def split_by_model(
    core: Core, domain: str, request: RememberRequest, adviser: Adviser, now: datetime
) -> list[Part]:
    """Let a model split the text of a call. Returns a request for each entity, beginning with the call's own entity.

    Returns an empty list if there is no model, no entity, or no fact.
    """
    if adviser.model is None or not request.sentence_count:
        return []
    main = await _entity_or_none(core, domain, request)
    sentences = [fact.observation.text for fact in request.facts[: request.sentence_count]]
    facts = await adviser.split(sentences, main and main.name)
    if main is None and (name := _first_entity_name(facts)) is not None:
        main = await entity_of_name(core.store, domain, name)
    if not facts or main is None:
        return []
    entities = await _resolve_entities(core, domain, facts, main)
    if request.relations:  # a write of several entities cannot check the rules of relations
        entities = {name: hit for name, hit in entities.items() if hit is main}
    # a fact about an unknown entity is replaced by the sentences that state it
    own_facts = [
        fact if fact.entity in entities else SplitFact(fact.source, fact.source)
        for fact in facts
        if entities.get(fact.entity, main) is main
    ]
    own_request = _make_request(main.name, own_facts, now, request.properties)
    own_request = replace(
        request,
        name=main.name,
        type=request.type or own_request.type,
        facts=[*own_request.facts, *request.facts[request.sentence_count :]],
        properties={**own_request.properties, **request.properties},
    )
    parts = [(own_request, main)]
    for name, hit in {hit.name: hit for hit in entities.values() if hit is not main}.items():
        facts_of_other = [fact for fact in facts if fact.entity in entities and entities[fact.entity].name == name]
        parts.append((_make_request(name, facts_of_other, now), hit))
    return parts


async def _entity_or_none(core: Core, domain: str, request: RememberRequest) -> EntityMatch | None:
    """Return the entity of a call, or None if the call has no name and its text does not name exactly one entity.

    Raises INVALID_ARGUMENT if the given name is ambiguous.
    """
    try:
        return await entity_of(core, domain, request)
    except GraphError as error:
        if error.code is not Code.INVALID_ARGUMENT or request.name is not None:
            raise
        return None


def _first_entity_name(facts: Sequence[SplitFact]) -> str | None:
    """Return the first entity in a model's facts, or None. Pronouns and other function words do not count."""
    names = (fact.entity for fact in facts if fact.entity is not None)
    return next((name for name in names if parse_statement(name, language_of(facts[0].source)).stems), None)


async def _resolve_entities(
    core: Core, domain: str, facts: Sequence[SplitFact], main: EntityMatch
) -> dict[str | None, EntityMatch]:
    """Return the known entities, keyed by the names that the model uses. Omits unknown and ambiguous names."""
    entities: dict[str | None, EntityMatch] = {None: main}
    own_words = _words_of(main.name)
    for name in dict.fromkeys(fact.entity for fact in facts if fact.entity is not None):
        if _words_of(name) <= own_words:
            entities[name] = main
            continue
        with suppress(GraphError):  # an ambiguous name counts as unknown
            entity = await find_by_name_or_alias(core.store, domain, name)
            if entity is not None:
                entities[name] = main if entity.name == main.name else entity
    return entities


def _words_of(name: str) -> frozenset[str]:
    """Return the words of a name. Symbols belong to their words, as in `C++`."""
    return frozenset(name_key(word.rstrip(",")) for word in name.split())


def _make_request(
    name: str, facts: Sequence[SplitFact], now: datetime, taken_keys: Collection[str] = ()
) -> RememberRequest:
    """Return a request with a model's facts. Raises INVALID_ARGUMENT or INVALID_PROPERTY if a fact is invalid.

    If a property has several values, or its key is in `taken_keys`, its sentence is stored as an observation instead.
    """
    values: dict[str, set[object]] = {}
    for fact in facts:
        if fact.key is not None:
            values.setdefault(fact.key, set()).add(fact.value)
    single_valued_keys = {
        key for key, values_of_key in values.items() if len(values_of_key) == 1 and key not in taken_keys
    }
    usable_facts = [
        fact if fact.key is None or fact.key in single_valued_keys else SplitFact(fact.source, fact.source)
        for fact in facts
    ]
    texts = list(dict.fromkeys(fact.text for fact in usable_facts if fact.key is None))
    properties = {fact.key: fact.value for fact in usable_facts if fact.key is not None}
    entity_type = next((fact.type for fact in usable_facts if fact.type is not None), None)
    return request_from({"name": name, "type": entity_type, "observations": texts, "properties": properties}, now)
