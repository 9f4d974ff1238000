"""What is returned of entities and relations, in the words and the order of the official memory server."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from graph_memory.memory.entities.remember_results import Candidate, Question
from graph_memory.memory.search.results import Over
from graph_memory.model.results import Result, Text, Timestamp
from graph_memory.model.values.properties import PropertyValue


class _Spelled(Result):
    """A result whose JSON has the names of the official memory server."""

    model_config = ConfigDict(frozen=True, extra="forbid", serialize_by_alias=True, populate_by_name=True)


class ObservationDetail(Result):
    """An observation with what is known of it: when it was made, where it is from, and how sure it is."""

    id: str
    text: str
    ts: Timestamp
    source: str | None = None
    confidence: float | None = None


class Entity(_Spelled):
    """Something that has a name, a type and what was observed of it. The rest is told only where it is asked for."""

    name: str
    entity_type: str = Field(alias="entityType")
    observations: tuple[str, ...]
    id: str | None = None
    created_at: Timestamp | None = None
    updated_at: Timestamp | None = Field(default=None, description="When it, or what was observed of it, changed last")
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
    """The entities that were not there before."""

    entities: tuple[Entity, ...]
    notes: tuple[str, ...] | None = None
    """Names that are aliases of entities, and names that may mean one."""


class RelationsCreated(Result):
    """The relations that were not there before."""

    relations: tuple[Relation, ...]
    questions: tuple[Question, ...] | None = Field(
        default=None, description="Known relations of a kind of which there is one at a time"
    )
    notes: tuple[str, ...] | None = Field(default=None, description="The same questions in words")


class Added(_Spelled):
    """What was added to one entity."""

    entity_name: str = Field(alias="entityName")
    added_observations: tuple[str, ...] = Field(alias="addedObservations")


class ObservationsAdded(Result):
    """What was added, in the order in which it was given."""

    results: tuple[Added, ...]


class EntityUpdated(Result):
    """An entity as it is now, and whether anything of it was changed."""

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
    """An observation as it is now, and whether anything of it was changed."""

    id: str
    entity: str = Field(description="Its name")
    text: str
    confidence: float | None = None
    version: int
    changed: bool
    over: Over | None = Field(default=None, description="It holds no more")


class KnowledgeGraph(Result):
    """Entities and relations, in the order in which they came to be."""

    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    next_cursor: str | None = None
    """Where a part of the graph ends and the next begins: nothing where all is told."""
    notes: tuple[str, ...] | None = None
    """The properties of opened entities that have some, in words."""


class Profile(Result):
    """What is known of an entity, and what follows from what was written of it."""

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
    """Entities, with what follows from what was written of them."""

    entities: tuple[Profile, ...]


class Forgot(Result):
    """What was forgotten: an entity, an observation or a relation."""

    id: str
    kind: Literal["entity", "observation", "relation"]
    text: str | None = Field(default=None, description="Absent once it is erased")


class Forgotten(Result):
    """A receipt of what was forgotten, or with `dry_run` would be."""

    forgotten: tuple[Forgot, ...] = Field(description="The first 100; none if all of it was over already")
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
    """What was asked for is so now, whether or not there was something to do."""

    success: Literal[True] = True
    message: str
    """That of the official memory server, whether or not there was something to do."""
    deleted: int = Field(description="How many of those that were named were there")
