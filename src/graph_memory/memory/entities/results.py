"""Results of entities and relations, with the names and field order of the official memory server."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from graph_memory.memory.entities.remember_results import Candidate, Question
from graph_memory.memory.search.results import Superseded
from graph_memory.model.results import Result, Text, Timestamp
from graph_memory.model.values.properties import PropertyValue


class _OfficialNames(Result):
    """A result whose JSON uses the field names of the official memory server."""

    model_config = ConfigDict(frozen=True, extra="forbid", serialize_by_alias=True, populate_by_name=True)


class ObservationDetail(Result):
    """An observation with its time, source and confidence."""

    id: str
    text: str
    ts: Timestamp
    source: str | None = None
    confidence: float | None = None


class Entity(_OfficialNames):
    """An entity with its name, type and observations. Further fields are only set on request."""

    name: str
    entity_type: str = Field(alias="entityType")
    observations: tuple[str, ...]
    id: str | None = None
    created_at: Timestamp | None = None
    updated_at: Timestamp | None = Field(
        default=None, description="Time of the last change to the entity or its observations"
    )
    created_by: str | None = Field(default=None, description="The actor; if unknown, agent or user")
    access_count: int | None = Field(
        default=None, description="Number of times that the entity was found or opened before"
    )
    last_accessed: Timestamp | None = None
    aliases: tuple[str, ...] | None = None
    properties: dict[str, PropertyValue] | None = None
    observation_details: tuple[ObservationDetail, ...] | None = None


class Relation(_OfficialNames):
    """A relation from one entity to another, by their names."""

    from_name: str = Field(alias="from")
    to_name: str = Field(alias="to")
    relation_type: str = Field(alias="relationType")
    since: Timestamp | None = Field(
        default=None, description="With detail: time at which it began or, if unknown, was created"
    )


def relation(start: str, end: str, kind: str) -> Relation:
    """Return a relation of type `kind` from the entity named `start` to the entity named `end`."""
    return Relation.model_validate({"from": start, "to": end, "relationType": kind})


class EntityCreationResult(Result):
    """The entities that the call created, without existing entities."""

    entities: tuple[Entity, ...]
    notes: tuple[str, ...] | None = None
    """Notes on requested names that are aliases of an existing entity, or similar to its name."""


class RelationCreationResult(Result):
    """The relations that the call created, without existing relations."""

    relations: tuple[Relation, ...] = Field(description="The relations that were created")
    questions: tuple[Question, ...] | None = Field(
        default=None, description="Questions about known relations of a type that an entity usually has only once"
    )
    notes: tuple[str, ...] | None = Field(default=None, description="The same questions as text")


class AddedObservations(_OfficialNames):
    """The observations that were added to one entity."""

    entity_name: str = Field(alias="entityName")
    added_observations: tuple[str, ...] = Field(alias="addedObservations")


class ObservationAdditionResult(Result):
    """The added observations, in the order of the request."""

    results: tuple[AddedObservations, ...]


class EntityUpdateResult(Result):
    """The current state of an entity, and whether it changed."""

    id: str
    name: str
    type: str = Field(description="The type as the caller wrote it")
    version: int = Field(description="Current version of the entity")
    changed: bool = Field(description="Whether the call changed the entity")
    since: int | None = Field(default=None, description="Log number of the first change, for memory_revert")
    until: int | None = Field(default=None, description="Log number of the last change")
    relations_moved: int | None = Field(
        default=None, description="Number of relations to the new name that existed before this entity had it"
    )
    candidates: tuple[Candidate, ...] | None = Field(
        default=None, description="Other entities that have one of its new names. Ask whether it is one of them"
    )


class ObservationUpdateResult(Result):
    """The current state of an observation, and whether it changed."""

    id: str
    entity: str = Field(description="Name of the entity")
    text: str
    confidence: float | None = None
    version: int = Field(description="Current version of the observation")
    changed: bool = Field(description="Whether the call changed the observation")
    over: Superseded | None = Field(default=None, description="Present if the observation is no longer valid")


class KnowledgeGraph(Result):
    """Entities and relations in order of creation."""

    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    next_cursor: str | None = None
    """The cursor of the next part of the graph, or None if this is the last part."""
    notes: tuple[str, ...] | None = None
    """Sentences that state the properties of the opened entities."""


class Profile(Result):
    """The stored fields of an entity, and features computed from its history."""

    id: str
    name: str
    type: str
    aliases: tuple[str, ...] = ()
    description: str | None = None
    properties: dict[str, PropertyValue]
    observations: tuple[str, ...]
    first_seen: Timestamp = Field(description="Time of creation, or of the first observation if that was earlier")
    last_seen: Timestamp = Field(description="Time of the last change, observation or relation")
    mention_count: int = Field(description="Number of observations and relations, plus 1")
    salience: float = Field(description="How important the entity is, from 0 to 1")
    confidence: float = Field(
        description="From 0 to 1: the property confidence, otherwise the mean of the observations, otherwise 0.5"
    )


class Profiles(Result):
    """Entities with features computed from their history."""

    entities: tuple[Profile, ...]


class ForgottenRecord(Result):
    """An entity, observation or relation that was ended or erased."""

    id: str
    kind: Literal["entity", "observation", "relation"]
    text: str | None = Field(default=None, description="Text of the record; absent if it was erased")


class ForgetResult(Result):
    """A receipt of forgotten records. With `dry_run`, of records that would be forgotten."""

    forgotten: tuple[ForgottenRecord, ...] = Field(
        description="The first 100 records; empty if all facts had already ended"
    )
    entities: int = Field(description="Number of forgotten entities")
    observations: int = Field(description="Number of forgotten observations")
    relations: int = Field(description="Number of forgotten relations")
    erased: bool = Field(
        default=False,
        description="Whether the history was also erased; if not, the facts ended and are kept",
    )
    domains: tuple[str, ...] | None = Field(default=None, description="Domains from which the facts were erased")
    since: int | None = Field(default=None, description="Log number of the first change, for memory_revert")
    until: int | None = Field(default=None, description="Log number of the last change")
    domain: str | None = Field(default=None, description="Domain of the facts, if it is not the call's domain")
    stays: tuple[str, ...] | None = Field(
        default=None,
        description="Texts in other nodes that mention the entities and are kept, each preceded by the node's title",
    )
    more_stays: int | None = Field(default=None, description="Number of kept texts that are not listed")
    warnings: tuple[Text, ...] | None = Field(default=None, description="Data that could not be read")
    waiting: int | None = Field(
        default=None, description="Number of captured events that were removed before they were stored"
    )
    dry_run: bool | None = Field(default=None, description="Whether nothing was changed")


class Confirmation(Result):
    """The confirmation that the requested state has been reached, whether or not a change was needed."""

    success: Literal[True] = True
    message: str
    """The message of the official memory server."""
    deleted: int = Field(description="Number of the given records that existed")
