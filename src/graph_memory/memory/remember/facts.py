"""Validates the arguments of `remember`: facts about one entity, as text or as separate fields."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from graph_memory.memory.entities.aliases import ALIASES, check_aliases
from graph_memory.memory.entity_graph.values.request import (
    NewObservation,
    NewRelation,
    observation_from,
    observations_from,
    properties_from,
    text_of,
)
from graph_memory.memory.search.passages.units import sentence_ranges
from graph_memory.memory.statements.language.folding import fold_text
from graph_memory.memory.statements.language.languages import LANGUAGES
from graph_memory.memory.statements.values.number_words import numbers_by_name
from graph_memory.model.events import new_id
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.plain import LocatedValue
from graph_memory.model.values.properties import PropertyValue, check_text_size

_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_ABBREVIATIONS = "dr|mrs?|ms|prof|hrn?|st|sra?|dott|mme|mlle|nr|tel|ca|approx|bzw|vs|etc|usw|inc|ltd|al|[^\\W\\d_]"
_ABBREVIATIONS_BEFORE_NUMBERS = (
    "no|str|abt|art|ch|fig|pp|sec|vol|kap|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|okt|nov|dec|dez"
)
_ORDINAL = r"(?:am|vom|zum|im|der|die|das|den|dem|des|jeden?|bis|seit)\s\d{1,3}"
_ABBREVIATED = re.compile(rf"(?<![^\W_])(?:{_ABBREVIATIONS}|{_ORDINAL})\.$", re.IGNORECASE)
_ABBREVIATED_BEFORE_NUMBER = re.compile(rf"(?<![^\W_])(?:{_ABBREVIATIONS_BEFORE_NUMBERS})\.$", re.IGNORECASE)
_DAY = re.compile(r"(?<!\d)\d{1,2}\.$")
_MONTHS = frozenset(name for language in LANGUAGES for name in numbers_by_name(language.months))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A statement, and references (ids or texts) to the observations that it replaces."""

    observation: NewObservation
    replaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberRequest:
    """A validated call of `remember`. If it has no name, its text determines the entity."""

    name: str | None
    type: str | None
    facts: Sequence[Fact]
    text: str = ""
    sentence_count: int = 0
    """Number of facts at the start of `facts` that are sentences of the text. They do not replace observations."""
    properties: Mapping[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])
    ends: tuple[str, ...] = ()
    """Ids or texts of observations that end without a replacement."""
    aliases: tuple[str, ...] = ()
    relations: Sequence[RequestedRelation] = ()

    @property
    def has_more_than_relations(self) -> bool:
        """Whether the call contains facts, properties, ended observations, aliases or a type."""
        return bool(self.facts or self.properties or self.ends or self.aliases or self.type)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedRelation:
    """A relation of the entity to or from another entity."""

    other: str
    type: str
    is_incoming: bool
    lenient: bool
    properties: Mapping[str, PropertyValue]
    id: str = field(default_factory=lambda: new_id("conn"), compare=False)
    """The id of the relation, the same in each attempt at the write."""

    def relation(self, name: str) -> NewRelation:
        """Return the relation between the entity with this name and the other entity."""
        return NewRelation(
            from_name=self.other if self.is_incoming else name,
            to_name=name if self.is_incoming else self.other,
            type=self.type,
            lenient=self.lenient,
            properties=self.properties,
            id=self.id,
        )


def request_from(values: Mapping[str, object], now: datetime) -> RememberRequest:
    """Validate the arguments of `remember`.

    Raises INVALID_ARGUMENT if an argument is invalid, and INVALID_PROPERTY if a property is invalid.
    """
    fields = LocatedValue({key: value for key, value in values.items() if value is not None}, "").fields(tuple(values))
    text, name, entity_type = fields.get("text"), fields.get("name"), fields.get("type")
    if name is not None:
        check_text_size("The name", len(text_of(name)))
    located_sentences = LocatedValue(sentences(text_of(text)) if text else [], "text")
    facts = [Fact(observation=observation) for observation in observations_from(located_sentences, now)]
    sentence_count = len(facts)
    observations = fields.get("observations")
    facts += [_fact_from(item, now) for item in observations.items()] if observations else []
    replaces = _texts(fields.get("replaces"))
    if replaces and len(facts) > 1:
        hint = "Pass observations as objects with text and replaces, or make one call per statement."
        raise invalid_argument("replaces", "There are several new statements, so replaces is ambiguous", hint)
    if replaces and facts:
        facts, replaces, sentence_count = [replace(facts[0], replaces=(*facts[0].replaces, *replaces))], (), 0
    properties = properties_from(fields)
    aliases = tuple(dict.fromkeys(text.strip() for text in _texts(fields.get(ALIASES))))
    check_aliases(aliases)
    if aliases and ALIASES in properties:
        raise invalid_argument(
            ALIASES, "properties contains the key aliases", "Pass aliases as an argument, not as a property."
        )
    if any(not fact.observation.text.strip() for fact in facts):
        message = "One of the statements is blank"
        raise invalid_argument("observations", message, "Add text to the statement, or omit it.")
    if name is not None and not text_of(name).strip():
        raise invalid_argument("name", "The name is blank", "Use the name of the entity, or omit name.")
    if not (facts or replaces or properties or name):
        raise invalid_argument(
            "text", "The call states no facts", "Pass text, or a name with observations or properties."
        )
    return RememberRequest(
        name=text_of(name) if name else None,
        type=text_of(entity_type) if entity_type else None,
        facts=facts,
        text=text_of(text) if text else "",
        sentence_count=sentence_count,
        properties=properties,
        ends=replaces,
        aliases=aliases,
        relations=_relations_from(fields.get("relations")),
    )


def _relations_from(located: LocatedValue | None) -> list[RequestedRelation]:
    """Return the requested relations without duplicates. Each request contains only the other entity."""
    relations: dict[tuple[str, str, bool], RequestedRelation] = {}
    for item in located.items() if located is not None and located.value is not None else ():
        fields = item.fields(("to", "from", "relationType", "type", "properties"))
        to, source = fields.get("to"), fields.get("from")
        if (end := to or source) is None or (to is not None and source is not None):
            hint = "Pass either to or from: the entity itself is the other end."
            raise item.error("does not name exactly one other end", hint)
        relation = RequestedRelation(
            other=text_of(end),
            type=text_of(fields.need("relationType", "type")),
            is_incoming=to is None,
            lenient=fields.get("relationType") is not None,
            properties=properties_from(fields),
        )
        relations.setdefault((relation.other, relation.type, relation.is_incoming), relation)
    return list(relations.values())


def _fact_from(item: LocatedValue, now: datetime) -> Fact:
    if isinstance(item.value, str):
        return Fact(observation=observation_from(item, now))
    entries = item.entries()
    fields = {key: entry.value for key, entry in entries.items() if key != "replaces"}
    observation = observation_from(LocatedValue(fields, item.at), now, also=("replaces",))
    return Fact(observation=observation, replaces=_texts(entries.get("replaces")))


def _texts(located: LocatedValue | None) -> tuple[str, ...]:
    """Return a string, or a list of strings, as a tuple without duplicates."""
    if located is None or located.value is None:
        return ()
    items = [located] if isinstance(located.value, str) else located.items()
    return tuple(dict.fromkeys(text_of(item) for item in items))


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of a text, without list marks."""
    results: list[str] = []
    for line in text.splitlines():
        clean = _BULLET.sub("", line)
        results += [clean[start:end].strip() for start, end in sentence_ranges(clean, 0, len(clean), _continues)]
    return [sentence for sentence in results if sentence]


def _continues(before: str, after: str) -> bool:
    """Return whether a full stop is part of an abbreviation or a number: `Dr. Hale`, `Str. 12`, `am 14. Mai`."""
    if _ABBREVIATED.search(before) or (after[:1].isdigit() and _ABBREVIATED_BEFORE_NUMBER.search(before)):
        return True
    return _DAY.search(before) is not None and fold_text(re.split(r"\W", after, maxsplit=1)[0]) in _MONTHS
