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


class SimilarEntity(Result):
    """An entity that is similar to the requested entity, with the reasons."""

    name: str
    type: str
    score: float = Field(description="0 to 1")
    reasons: tuple[str, ...]
    call: ReadyCall = Field(
        description="merge_entities if they share a name; otherwise open_nodes, to check whether they are the same"
    )


class SimilarEntities(Result):
    """The entities that are similar to an entity, most similar first."""

    entity: str
    similar: tuple[SimilarEntity, ...]
    without_vectors: bool = Field(description="Whether only words were compared, not meaning")


class Duplicate(Result):
    """Two entities that may be duplicates, with the reasons."""

    names: tuple[str, str] = Field(description="The entity to keep comes first: it has more observations and relations")
    score: float = Field(description="0 to 1")
    reasons: tuple[str, ...]
    call: ReadyCall = Field(
        description="merge_entities if they share a name; otherwise open_nodes, to check whether they are the same"
    )
    question: str = Field(description="Id to pass to decide: same merges them, new records that they are different")


class Duplicates(Result):
    """Pairs of entities that may be duplicates, most similar first."""

    duplicates: tuple[Duplicate, ...]
    found: int
    compared: int = Field(description="Number of entities that were compared")
    left_out: int = Field(description="Number of entities that were not compared, because there are too many")


class MergeConflict(Result):
    """A value of a merged entity that was discarded, because the target has another value."""

    what: str = Field(description="type, description, a property, or a relation")
    kept: str
    not_taken: str
    of: str = Field(description="The name of the entity whose value was discarded")


class EntityMergeResult(Result):
    """The result of merging entities into one."""

    into: str
    id: str
    merged: tuple[str, ...]
    observations_moved: int
    observations_known: int = Field(description="Number of observations whose text the entity already had")
    relations_moved: int
    relations_known: int = Field(description="Number of relations that it already had, or that would lead to itself")
    aliases: tuple[str, ...] = Field(description="All aliases that the entity has now")
    conflicts: tuple[MergeConflict, ...] = ()
    questions: tuple[Question, ...] | None = Field(
        default=None, description="Questions about statements of the merged entity that may exclude each other"
    )
    since: int | None = Field(default=None, description="Log number of the first event, for memory_revert")
    until: int | None = None
    dry_run: bool | None = None


class DecisionResult(Result):
    """The decision on two observations, relations or entities."""

    decision: str
    new: str
    known: str
    changed: bool = Field(description="False if nothing had to be changed")
    ended: datetime | None = Field(default=None, description="Time at which the known fact ended, if it has ended")
    since: int | None = Field(default=None, description="Log number of the first event, for memory_revert")
    until: int | None = Field(default=None, description="Log number of the last event")
    merged: EntityMergeResult | None = Field(default=None, description="The result of merging the two entities")


class DecisionResults(Result):
    """The decisions on a list of pairs, in the order of the call."""

    decisions: tuple[DecisionResult, ...]


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
    question: str | None = Field(
        default=None,
        description="For a duplicate: id to pass to decide, where same merges them and new records that they differ",
    )
    choices: dict[str, str] | None = Field(
        default=None, description="For an open question: the possible values of decision, each with its consequence"
    )


class GraphHealth(Result):
    """Suggested improvements to a domain's graph, with the numbers of its entities, observations and relations."""

    entities: int
    observations: int
    relations: int
    healthy: bool = Field(description="Whether nothing was found")
    counts: dict[str, int] = Field(description="Number of findings of each kind")
    findings: tuple[Finding, ...] = Field(description="The first findings of each kind")
    left_out: int = Field(description="Number of entities that were not checked, because there are too many")
