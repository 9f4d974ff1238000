"""Validates entities, relations and observations from callers. Does no I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast

from graph_memory.memory.entity_graph.values.spelling import ENTITY
from graph_memory.model.events import new_id
from graph_memory.model.subjects.subjects import Validity
from graph_memory.model.time.points import parse_instant
from graph_memory.model.values.arguments import invalid_argument, is_encodable
from graph_memory.model.values.content import Content, content_from
from graph_memory.model.values.plain import Fields, LocatedValue
from graph_memory.model.values.properties import PropertyValue, check_properties
from graph_memory.model.values.strength import check_fraction

_NAME = "name"
_TEXT, _TIME, _SOURCE = "text", "time", "source"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewObservation:
    """A requested observation. By default, its time is the time of the write."""

    text: str
    time: datetime | None = None
    source: str | None = None
    confidence: float | None = None
    validity: Validity = field(default_factory=Validity)
    supersedes: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    id: str = field(default_factory=lambda: new_id("obs"), compare=False)
    """The id of the new record, the same in each attempt at the write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEntity:
    """A requested new entity."""

    name: str
    type: str = ENTITY
    observations: Sequence[NewObservation] = ()
    content: Content
    properties: Mapping[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])
    id: str = field(default_factory=lambda: new_id("mem"), compare=False)
    """The id of the new record, the same in each attempt at the write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewObservations:
    """Requested observations of one entity."""

    name: str
    observations: Sequence[NewObservation]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRelation:
    """A requested relation. The endpoints of a `lenient` relation need not be entities."""

    from_name: str
    to_name: str
    type: str
    lenient: bool = False
    properties: Mapping[str, PropertyValue] = field(default_factory=dict[str, PropertyValue])
    id: str = field(default_factory=lambda: new_id("conn"), compare=False)
    """The id of the new record. It is the same in each attempt at the write, so that errors about broken rules can
    refer to it."""

    @property
    def key(self) -> tuple[str, str, str]:
        """The start, end and type. Relations with equal keys are duplicates."""
        return (self.from_name, self.to_name, self.type)


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """The texts of one entity's observations to delete."""

    name: str
    texts: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityRemoval:
    """The name of an entity to delete."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationRemoval:
    """A relation to delete."""

    relation: NewRelation


def new_entities(values: object, now: datetime) -> list[NewEntity]:
    """Return the requested entities. For a repeated name, only the first entity is returned.

    Raises INVALID_ARGUMENT if an argument is invalid, and INVALID_PROPERTY if a property is invalid.
    """
    entities: dict[str, NewEntity] = {}
    for item in LocatedValue(values, "entities").items():
        entity = new_entity(item, now)
        entities.setdefault(entity.name, entity)
    return list(entities.values())


def new_entity(item: LocatedValue, now: datetime) -> NewEntity:
    """Return a requested entity. Raises the errors of `new_entities`."""
    fields = item.fields(("name", "entityType", "type", "observations", "description", "properties"))
    entity_type = fields.get("entityType", "type")
    return NewEntity(
        name=text_of(fields.need(_NAME)),
        type=ENTITY if entity_type is None else text_of(entity_type),
        observations=observations_from(fields.get("observations"), now),
        content=content_from(fields.text("description"), "utf-8", "markdown"),
        properties=properties_from(fields),
    )


def properties_from(fields: Fields) -> Mapping[str, PropertyValue]:
    """Return the requested properties, or an empty mapping if there are none.

    Raises INVALID_ARGUMENT if they include a name, and INVALID_PROPERTY if a property is invalid.
    """
    located = fields.get("properties")
    properties = check_properties({key: entry.value for key, entry in located.entries().items()}) if located else {}
    if _NAME in properties and located is not None:
        raise located.error("contains a name", "Pass the name as an argument, not as a property.")
    return properties


def observations_from(located: LocatedValue | None, now: datetime) -> list[NewObservation]:
    """Return the requested observations. For a repeated text, only the first observation is returned."""
    observations: dict[str, NewObservation] = {}
    for item in located.items() if located else ():
        observation = observation_from(item, now)
        observations.setdefault(observation.text, observation)
    return list(observations.values())


def observation_from(item: LocatedValue, now: datetime, also: Sequence[str] = ()) -> NewObservation:
    """Return an observation from a string or an object. The object can also have the keys in `also`.

    Raises INVALID_ARGUMENT if a field is unknown or invalid.
    """
    if isinstance(item.value, str):
        return NewObservation(text=text_of(item))
    fields = item.fields((_TEXT, _TIME, _SOURCE, "confidence", "valid_from", "valid_to", *also))
    confidence, source = fields.number("confidence"), fields.get(_SOURCE)
    validity = Validity(valid_from=_time_of(fields, "valid_from", now), valid_to=_time_of(fields, "valid_to", now))
    if validity.valid_from and validity.valid_to and validity.valid_to <= validity.valid_from:
        raise item.error("would end before it starts", "Use a later valid_to.")
    return NewObservation(
        text=text_of(fields.need(_TEXT)),
        time=_time_of(fields, _TIME, now),
        source=None if source is None else text_of(source),
        confidence=None if confidence is None else check_fraction(f"{item.at}.confidence", confidence),
        validity=validity,
    )


def _time_of(fields: Fields, name: str, now: datetime) -> datetime | None:
    located = fields.get(name)
    return None if located is None else parse_instant(located.at, cast("datetime | str", located.value), now)


def new_observations(values: object, now: datetime) -> list[NewObservations]:
    """Return the requested observations. Raises INVALID_ARGUMENT if an item is invalid."""
    return [observations_of(item, now) for item in LocatedValue(values, "observations").items()]


def observations_of(item: LocatedValue, now: datetime) -> NewObservations:
    """Return the requested observations of one entity.

    Raises INVALID_ARGUMENT if a field is unknown, missing or invalid.
    """
    fields = item.fields(("entityName", "contents", "observations"))
    texts = fields.need("contents", "observations")
    return NewObservations(name=text_of(fields.need("entityName")), observations=observations_from(texts, now))


def new_relations(values: object, *, lenient: bool | None) -> list[NewRelation]:
    """Return the requested relations without duplicates.

    Relations with the official server's field names are lenient by default, as in that server. Raises INVALID_ARGUMENT
    if an argument is invalid, and INVALID_PROPERTY if a property is invalid.
    """
    relations: dict[tuple[str, str, str], NewRelation] = {}
    for item in LocatedValue(values, "relations").items():
        relation = new_relation(item, lenient=lenient)
        relations.setdefault(relation.key, relation)
    return list(relations.values())


def new_relation(item: LocatedValue, *, lenient: bool | None) -> NewRelation:
    """Return a requested relation. Raises the errors of `new_relations`."""
    fields = item.fields(("from", "to", "relationType", "type", "properties"))
    return NewRelation(
        from_name=text_of(fields.need("from")),
        to_name=text_of(fields.need("to")),
        type=text_of(fields.need("relationType", "type")),
        lenient=fields.get("relationType") is not None if lenient is None else lenient,
        properties=properties_from(fields),
    )


def relations_to_delete(values: object) -> list[NewRelation]:
    """Return the relations to delete. Raises INVALID_ARGUMENT if an item is invalid."""
    return new_relations(values, lenient=True)


def removals(values: object) -> list[Removal]:
    """Return the observations to delete. Raises INVALID_ARGUMENT if an item is invalid."""
    return [removal(item) for item in LocatedValue(values, "deletions").items()]


def removal(item: LocatedValue) -> Removal:
    """Return the texts of the observations to delete from one entity.

    Raises INVALID_ARGUMENT if a field is unknown, missing or invalid.
    """
    fields = item.fields(("entityName", "observations"))
    return Removal(name=text_of(fields.need("entityName")), texts=[*_texts(fields.need("observations"))])


def text_from(value: object, argument: str) -> str:
    """Return the value of an argument as text. Raises INVALID_ARGUMENT if it is not text, or cannot be stored."""
    return text_of(LocatedValue(value, argument))


def names_from(values: object) -> list[str]:
    """Return the argument `names` without duplicates. Raises INVALID_ARGUMENT if it is not a list of strings."""
    return list(dict.fromkeys(_texts(LocatedValue(values, "names"))))


def _texts(located: LocatedValue) -> Iterator[str]:
    return (text_of(item) for item in located.items())


def text_of(item: LocatedValue) -> str:
    """Return the text of an item. It may be empty. Raises INVALID_ARGUMENT if it is not text, or cannot be stored."""
    text = item.text()
    if not is_encodable(text):
        raise invalid_argument(item.at, f"{item.at} contains half of a UTF-16 surrogate pair", "Remove it.")
    return text
