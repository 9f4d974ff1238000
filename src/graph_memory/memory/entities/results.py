"""Results of entities and relations, with the names and field order of the official memory server."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from graph_memory.memory.entities.remember_results import Candidate, Question
from graph_memory.memory.search.results import Superseded
from graph_memory.model.results import Result, Text, Timestamp
from graph_memory.model.values.properties import PropertyValue


class _Spelled(Result):
    """A result whose JSON has the names of the official memory server."""

    model_config = ConfigDict(frozen=True, extra="forbid", serialize_by_alias=True, populate_by_name=True)


class ObservationDetail(Result):
    """An observation with its time, source and confidence."""

    id: str
    text: str
    ts: Timestamp
    source: str | None = None
    confidence: float | None = None


class Entity(_Spelled):
    """An entity with its name, type and observations. Further fields are only set on request."""

    name: str
    entity_type: str = Field(alias="entityType")
    observations: tuple[str, ...]
    id: str | None = None
    created_at: Timestamp | None = None
    updated_at: Timestamp | None = Field(default=None, description="Time of its last change, including observations")
    created_by: str | None = Field(default=None, description="The actor, or else agent or user")
    access_count: int | None = Field(default=None, description="How often it was found or opened before")
    last_accessed: Timestamp | None = None
    aliases: tuple[str, ...] | None = None
    properties: dict[str, PropertyValue] | None = None
    observation_details: tuple[ObservationDetail, ...] | None = None


class Relation(_Spelled):
    """A relation from one entity to another, by their names."""

    from_name: str = Field(alias="from")
    to_name: str = Field(alias="to")
    relation_type: str = Field(alias="relationType")
    since: Timestamp | None = Field(default=None, description="With detail: when it began, else when it was created")


def relation(start: str, end: str, kind: str) -> Relation:
    """Return a relation by the names of its ends."""
    return Relation.model_validate({"from": start, "to": end, "relationType": kind})


class EntitiesCreated(Result):
    """The newly created entities."""

    entities: tuple[Entity, ...]
    notes: tuple[str, ...] | None = None
    """Notes about names that are aliases of entities or may mean an entity."""


class RelationsCreated(Result):
    """The newly created relations."""

    relations: tuple[Relation, ...]
    questions: tuple[Question, ...] | None = Field(
        default=None, description="Known relations of a type that usually occurs once"
    )
    notes: tuple[str, ...] | None = Field(default=None, description="The same questions in words")


class Added(_Spelled):
    """The observations that were added to one entity."""

    entity_name: str = Field(alias="entityName")
    added_observations: tuple[str, ...] = Field(alias="addedObservations")


class ObservationsAdded(Result):
    """The added observations, in the order of the request."""

    results: tuple[Added, ...]


class EntityUpdated(Result):
    """The current state of an entity, and whether it was changed."""

    id: str
    name: str
    type: str = Field(description="As it was written")
    version: int
    changed: bool
    since: int | None = Field(default=None, description="Number in the log of the first of its changes, for a revert")
    until: int | None = Field(default=None, description="Number of the last of them")
    relations_moved: int | None = Field(
        default=None, description="Relations that led to the new name before an entity had it, and lead to this one now"
    )
    candidates: tuple[Candidate, ...] | None = Field(
        default=None, description="Other entities with a name or alias that it got. Ask whether it is one of them."
    )


class ObservationUpdated(Result):
    """The current state of an observation, and whether it was changed."""

    id: str
    entity: str = Field(description="Its name")
    text: str
    confidence: float | None = None
    version: int
    changed: bool
    over: Superseded | None = Field(default=None, description="It holds no more")


class KnowledgeGraph(Result):
    """Entities and relations in order of creation."""

    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    next_cursor: str | None = None
    """The cursor of the next part; None if the graph is complete."""
    notes: tuple[str, ...] | None = None
    """The properties of opened entities as text."""


class Profile(Result):
    """The stored fields of an entity, and features computed from its history."""

    id: str
    name: str
    type: str
    aliases: tuple[str, ...] = ()
    description: str | None = None
    properties: dict[str, PropertyValue]
    observations: tuple[str, ...]
    first_seen: Timestamp = Field(description="When it was created, or first observed if that was earlier")
    last_seen: Timestamp = Field(description="When it was changed, observed or related last")
    mention_count: int = Field(description="1, and 1 for each observation and each relation of it")
    salience: float = Field(description="0 to 1: how much it matters")
    confidence: float = Field(
        description="0 to 1: its property of that name, else the mean of its observations, or 0.5"
    )


class Profiles(Result):
    """Entities with features computed from their history."""

    entities: tuple[Profile, ...]


class Forgot(Result):
    """A forgotten entity, observation or relation."""

    id: str
    kind: Literal["entity", "observation", "relation"]
    text: str | None = Field(default=None, description="Absent once it is erased")


class Forgotten(Result):
    """A receipt of forgotten records. With `dry_run`, of records that would be forgotten."""

    forgotten: tuple[Forgot, ...] = Field(description="The first 100; empty if all facts had already ended")
    entities: int
    observations: int
    relations: int
    erased: bool = Field(default=False, description="Whether it was erased with its past; else it ended, and is kept")
    domains: tuple[str, ...] | None = Field(default=None, description="Domains that it was erased from")
    since: int | None = Field(default=None, description="First event: memory_revert with since and until undoes it")
    until: int | None = None
    domain: str | None = Field(default=None, description="The domain that had it, if it is not that of the call")
    stays: tuple[str, ...] | None = Field(
        default=None,
        description="What other nodes say of the entities, which stays: title and text",
    )
    more_stays: int | None = Field(default=None, description="Number of further texts that name the entities")
    warnings: tuple[Text, ...] | None = Field(default=None, description="Why texts may be missing in stays")
    dry_run: bool | None = None


class Done(Result):
    """The requested state is reached, whether or not a change was needed."""

    success: Literal[True] = True
    message: str
    """The message of the official memory server."""
    deleted: int = Field(description="Number of the named ones that existed")
