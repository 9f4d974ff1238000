"""Results about similar entities, merges and graph health."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from graph_memory.memory.entities.remember_results import Question
from graph_memory.model.results import ReadyCall, Result, Timestamp


class EntityBrief(Result):
    """A summary of an entity."""

    name: str
    type: str
    observations: int
    relations: int
    changed: Timestamp = Field(description="Time of the last change of the entity or its observations")
    by: str | None = Field(default=None, description="Actor of the last change, if requested and known")
    looked_at: int | None = Field(default=None, description="How often calls returned the entity")


class EntityList(Result):
    """Summaries of entities."""

    entities: tuple[EntityBrief, ...]
    more: bool = Field(description="Whether there are more entities; pass a higher limit to get them")


class Similar(Result):
    """An entity that is similar to another."""

    name: str
    type: str
    score: float = Field(description="0 to 1")
    reasons: tuple[str, ...]
    call: ReadyCall = Field(
        description="merge_entities if they have a name in common; else open_nodes: are they the same, or two things?"
    )


class SimilarFound(Result):
    """The entities that are similar to an entity, most similar first."""

    entity: str
    similar: tuple[Similar, ...]
    without_vectors: bool = Field(description="Whether only words were compared, not meaning")


class Duplicate(Result):
    """Two entities that may be the same."""

    names: tuple[str, str] = Field(description="First the entity to keep, which has more observations and relations")
    score: float = Field(description="0 to 1")
    reasons: tuple[str, ...]
    call: ReadyCall = Field(
        description="merge_entities if they have a name in common; else open_nodes: are they the same, or two things?"
    )


class Duplicates(Result):
    """Pairs of entities that may be the same, most similar first."""

    duplicates: tuple[Duplicate, ...]
    found: int
    compared: int = Field(description="Number of entities that were compared")
    left_out: int = Field(description="Number of entities that were not compared, because there are too many")


class MergeConflict(Result):
    """A value in which a merged entity differs from the target, which keeps its own value."""

    what: str = Field(description="type, description, a property, or a relation")
    kept: str
    not_taken: str
    of: str = Field(description="The name of the entity whose value was discarded")


class EntitiesMerged(Result):
    """The result of merging entities into one."""

    into: str
    id: str
    merged: tuple[str, ...]
    observations_moved: int
    observations_known: int = Field(description="Number of observations whose text the entity already had")
    relations_moved: int
    relations_known: int = Field(description="Number of relations that it already had, or that would lead to itself")
    aliases: tuple[str, ...] = Field(description="All other names of the entity now")
    conflicts: tuple[MergeConflict, ...] = ()
    questions: tuple[Question, ...] | None = Field(
        default=None, description="Questions about statements of the merged entity that may exclude each other"
    )
    since: int | None = Field(default=None, description="Log number of the first event, for memory_revert")
    until: int | None = None
    dry_run: bool | None = None


class Settled(Result):
    """The decision on two observations, relations or entities."""

    decision: str
    new: str
    known: str
    changed: bool = Field(description="False if nothing had to be changed")
    ended: datetime | None = Field(default=None, description="Time at which the known fact ended, if it has ended")
    since: int | None = Field(default=None, description="Log number of the first event, for memory_revert")
    until: int | None = Field(default=None, description="Log number of the last event")
    merged: EntitiesMerged | None = Field(default=None, description="The result of merging the two entities")


class AllSettled(Result):
    """The decisions on a list of pairs."""

    decisions: tuple[Settled, ...]


class Orphan(Result):
    """An entity without relations."""

    name: str
    type: str
    observations: int
    call: ReadyCall


class Orphans(Result):
    """Entities without relations, fewest observations first."""

    orphans: tuple[Orphan, ...]
    found: int


class Finding(Result):
    """A suggested improvement, with the call that makes it."""

    kind: str = Field(
        description=(
            "duplicate, orphan, stale, contradiction, hub, lost_premise, unused_type, open_question or misplaced_fact"
        )
    )
    about: tuple[str, ...]
    reason: str
    call: ReadyCall
    choices: dict[str, str] | None = Field(
        default=None, description="For an open question: the possible values of decision, each with its consequence"
    )


class GraphHealth(Result):
    """Suggested improvements to a graph."""

    entities: int
    observations: int
    relations: int
    healthy: bool = Field(description="Whether nothing was found")
    counts: dict[str, int] = Field(description="Number of findings of each kind")
    findings: tuple[Finding, ...] = Field(description="The first findings of each kind")
    left_out: int = Field(description="Number of entities that were not checked, because there are too many")
