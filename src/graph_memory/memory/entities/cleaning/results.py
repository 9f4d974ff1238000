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
    observations: int = Field(description="Number of observations")
    relations: int = Field(description="Number of relations")
    changed: Timestamp = Field(description="Time of the last change to the entity or its observations")
    by: str | None = Field(default=None, description="Actor of the last change, if requested and known")
    looked_at: int | None = Field(default=None, description="Number of calls that returned the entity")


class EntityList(Result):
    """Summaries of entities."""

    entities: tuple[EntityBrief, ...]
    more: bool = Field(description="Whether there are more entities. Pass a higher limit to get them")


class SimilarEntity(Result):
    """An entity that is similar to the requested entity, with the reasons."""

    name: str
    type: str
    score: float = Field(description="Similarity from 0 to 1")
    reasons: tuple[str, ...] = Field(description="Why they may be the same")
    call: ReadyCall = Field(
        description="merge_entities if they share a name; otherwise open_nodes, to check if they are the same"
    )


class SimilarEntities(Result):
    """The entities that are similar to an entity, most similar first."""

    entity: str = Field(description="Name of the entity")
    similar: tuple[SimilarEntity, ...] = Field(description="The similar entities")
    without_vectors: bool = Field(description="Whether only words were compared, not meaning")


class Duplicate(Result):
    """Two entities that may be duplicates, with the reasons."""

    names: tuple[str, str] = Field(
        description="Names of the two entities. The one to keep comes first: it has more observations and relations"
    )
    score: float = Field(description="Similarity from 0 to 1")
    reasons: tuple[str, ...] = Field(description="Why they may be the same")
    call: ReadyCall = Field(
        description="merge_entities if they share a name; otherwise open_nodes, to check if they are the same"
    )
    question: str = Field(description="Id to pass to decide, where same merges them and new keeps both")


class Duplicates(Result):
    """Pairs of entities that may be duplicates, most similar first."""

    duplicates: tuple[Duplicate, ...] = Field(description="The pairs, most similar first")
    found: int = Field(description="Total number of pairs, including pairs beyond the limit")
    compared: int = Field(description="Number of entities that were compared")
    left_out: int = Field(description="Number of entities that were not compared because there are too many")


class MergeConflict(Result):
    """A value of a merged entity that was discarded, because the target has another value."""

    what: str = Field(description="The value in conflict: type, description, a property or a relation")
    kept: str = Field(description="The value that was kept")
    not_taken: str = Field(description="The value that was discarded")
    of: str = Field(description="The name of the entity whose value was discarded")


class EntityMergeResult(Result):
    """The result of merging entities into one."""

    into: str = Field(description="Name of the entity that was kept")
    id: str = Field(description="Id of the entity that was kept")
    merged: tuple[str, ...] = Field(description="Names of the entities that were merged into it")
    observations_moved: int = Field(description="Number of observations that were moved")
    observations_known: int = Field(description="Number of observations whose text the entity already had")
    relations_moved: int = Field(description="Number of relations that were moved")
    relations_known: int = Field(
        description="Number of relations that the entity already had, or that would lead from it to itself"
    )
    aliases: tuple[str, ...] = Field(description="All aliases of the entity after the merge")
    conflicts: tuple[MergeConflict, ...] = Field(
        default=(), description="Values that were discarded because the entity has other values"
    )
    questions: tuple[Question, ...] | None = Field(
        default=None, description="Questions about statements of the merged entity that may contradict each other"
    )
    since: int | None = Field(default=None, description="Log number of the first change, for memory_revert")
    until: int | None = Field(default=None, description="Log number of the last change")
    dry_run: bool | None = Field(default=None, description="Whether this was only a preview, so nothing was written")


class DecisionResult(Result):
    """The decision on two observations, relations or entities."""

    decision: str = Field(description="The decision")
    new: str = Field(description="Id of the new record")
    known: str = Field(description="Id of the known record")
    changed: bool = Field(description="Whether the decision changed the stored data")
    ended: datetime | None = Field(default=None, description="Time at which the known fact ended, if it has ended")
    since: int | None = Field(default=None, description="Log number of the first change, for memory_revert")
    until: int | None = Field(default=None, description="Log number of the last change")
    merged: EntityMergeResult | None = Field(default=None, description="The result of merging the two entities")


class DecisionResults(Result):
    """The decisions on a list of pairs, in the order of the call."""

    decisions: tuple[DecisionResult, ...]


class Orphan(Result):
    """An entity without relations."""

    name: str
    type: str
    observations: int = Field(description="Number of observations")
    call: ReadyCall = Field(description="A call that settles the finding")


class Orphans(Result):
    """Entities without relations, fewest observations first."""

    orphans: tuple[Orphan, ...] = Field(description="The entities without relations")
    found: int = Field(description="Total number of entities without relations")


class Finding(Result):
    """A suggested improvement, with the call that makes it."""

    kind: str = Field(
        description=(
            "The kind of finding: duplicate, orphan, stale, contradiction, hub, lost_premise, unused_type, "
            "open_question or misplaced_fact"
        )
    )
    about: tuple[str, ...] = Field(description="The names of the entities, or other subjects, that it concerns")
    reason: str = Field(description="What was found")
    call: ReadyCall = Field(description="The call that settles the finding")
    question: str | None = Field(
        default=None, description="For a duplicate: id to pass to decide, where same merges them and new keeps both"
    )
    choices: dict[str, str] | None = Field(
        default=None, description="For an open question: the possible values of decision, each with its consequence"
    )


class GraphHealth(Result):
    """Suggested improvements to a domain's graph, with the numbers of its entities, observations and relations."""

    entities: int = Field(description="Number of entities")
    observations: int = Field(description="Number of observations")
    relations: int = Field(description="Number of relations")
    healthy: bool = Field(description="Whether there are no findings")
    counts: dict[str, int] = Field(description="Number of findings by kind")
    findings: tuple[Finding, ...] = Field(description="The first findings of each kind")
    left_out: int = Field(description="Number of entities that were not checked because there are too many")
