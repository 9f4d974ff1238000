"""Results about similar, merged and conspicuous entities."""

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
    changed: Timestamp = Field(description="Its last change, or that of its observations")
    by: str | None = Field(default=None, description="Actor of the last change, if requested and known")
    looked_at: int | None = Field(default=None, description="How often it was returned")


class EntityList(Result):
    """Summaries of entities."""

    entities: tuple[EntityBrief, ...]
    more: bool = Field(description="Whether there are others; ask for more with limit")


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

    names: tuple[str, str] = Field(description="The one to keep first: it has more observations and relations")
    score: float = Field(description="0 to 1")
    reasons: tuple[str, ...]
    call: ReadyCall = Field(
        description="merge_entities if they have a name in common; else open_nodes: are they the same, or two things?"
    )


class Duplicates(Result):
    """Pairs of entities that may be the same, most similar first."""

    duplicates: tuple[Duplicate, ...]
    found: int
    compared: int = Field(description="Entities that were compared")
    left_out: int = Field(description="Entities that were not, since there are too many")


class MergeConflict(Result):
    """A value that differs between the merged entities. The value of the merged entity was not taken over."""

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
    observations_known: int = Field(description="Number whose text the entity already had")
    relations_moved: int
    relations_known: int = Field(description="Those that were there already, or would lead from the entity to itself")
    aliases: tuple[str, ...] = Field(description="All other names of the entity now")
    conflicts: tuple[MergeConflict, ...] = ()
    questions: tuple[Question, ...] | None = Field(
        default=None, description="Statements of the merged entity that may exclude each other"
    )
    since: int | None = Field(default=None, description="First event: memory_revert with since and until undoes it")
    until: int | None = None
    dry_run: bool | None = None


class Settled(Result):
    """The decision on two observations, relations or entities."""

    decision: str
    new: str
    known: str
    changed: bool = Field(description="False where it was so already")
    ended: datetime | None = Field(default=None, description="Time at which the known one ended, if it has")
    since: int | None = Field(default=None, description="First number of the log that was written, for an undo")
    until: int | None = Field(default=None, description="Last number of the log that was written")
    merged: EntitiesMerged | None = Field(default=None, description="What became of two entities that are the same")


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
    """Entities without relations, the ones with fewest observations first."""

    orphans: tuple[Orphan, ...]
    found: int


class Finding(Result):
    """A possible improvement, with the call for it."""

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
    """The possible improvements of a graph."""

    entities: int
    observations: int
    relations: int
    healthy: bool = Field(description="Whether nothing was found")
    counts: dict[str, int] = Field(description="How much was found of each kind")
    findings: tuple[Finding, ...] = Field(description="Some of each kind")
    left_out: int = Field(description="Entities that were not looked at, since there are too many")
