"""The toolset `cleanup`: what is doubled, alone, out of date or open, and how to put it right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired

from pydantic import Field

from graph_memory.memory.entities.cleaning.results import (
    Duplicates,
    EntitiesMerged,
    EntityList,
    GraphHealth,
    Orphans,
    SimilarFound,
)
from graph_memory.memory.entities.results import Profiles
from graph_memory.operations.arguments import Call, Fraction
from graph_memory.operations.operation import AnyOperation, Effect, Operation

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

Most = Annotated[int, Field(ge=1, le=1000)]


class FindSimilar(Call):
    """Arguments of `find_similar`."""

    name: str
    limit: NotRequired[Most]


class FindDuplicates(Call):
    """Arguments of `find_duplicates`."""

    limit: NotRequired[Most]
    min_score: NotRequired[
        Annotated[Fraction, Field(description="Default 0.75; lower finds more, and more wrong ones")]
    ]


class MergeEntities(Call):
    """Arguments of `merge_entities`."""

    names: Annotated[list[str], Field(min_length=1, description="Entities that go; their names become aliases")]
    into: Annotated[str, Field(description="The one that stays")]
    dry_run: NotRequired[Annotated[bool, Field(description="Only say what would be moved, and the conflicts")]]


class Listing(Call):
    """Arguments of tools that list."""

    limit: NotRequired[Most]


class GetByType(Listing):
    """Arguments of `get_by_type`."""

    type: str


async def find_similar(memory: Memory, given: FindSimilar) -> SimilarFound:
    """Find entities that may be the same as one: by names, aliases, common observations and meaning, with reasons."""
    return await memory.entities.find_similar(**given)


async def find_duplicates(memory: Memory, given: FindDuplicates) -> Duplicates:
    """Find pairs of entities that may be the same, each with the merge_entities call. Check before you merge."""
    return await memory.entities.find_duplicates(**given)


async def merge_entities(memory: Memory, given: MergeEntities) -> EntitiesMerged:
    """Make entities one: observations and relations move, names become aliases. One write, which can be reverted.

    conflicts lists what was not taken, since the one that stays has its own: put right what is wrong.
    """
    return await memory.entities.merge_entities(**given)


async def find_orphans(memory: Memory, given: Listing) -> Orphans:
    """List entities without relations: relate them, merge them, or delete what says nothing."""
    return await memory.entities.find_orphans(**given)


async def graph_health(memory: Memory, given: Listing) -> GraphHealth:
    """Say how clean the memory is: duplicates, orphans, stale, contradictions, open questions …, each with its call.

    USAGE TIPS: the calls are suggestions: look first, then make those that are right. limit is of each kind.
    """
    return await memory.entities.graph_health(**given)


async def get_recent(memory: Memory, given: Listing) -> EntityList:
    """List the entities that changed last, and who changed them."""
    return await memory.entities.get_recent(**given)


async def get_hot(memory: Memory, given: Listing) -> EntityList:
    """List the entities that are looked at most."""
    return await memory.entities.get_hot(**given)


async def get_salient(memory: Memory, given: Listing) -> Profiles:
    """List the entities that matter most: mentioned often, seen lately, much used. Each has its salience, 0 to 1."""
    return await memory.entities.get_salient(**given)


async def get_by_type(memory: Memory, given: GetByType) -> EntityList:
    """List the entities of a type."""
    return await memory.entities.get_by_type(**given)


CLEANUP: tuple[AnyOperation, ...] = (
    Operation(find_similar, FindSimilar, SimilarFound, Effect.READS),
    Operation(find_duplicates, FindDuplicates, Duplicates, Effect.READS),
    Operation(merge_entities, MergeEntities, EntitiesMerged, Effect.DESTROYS),
    Operation(find_orphans, Listing, Orphans, Effect.READS),
    Operation(graph_health, Listing, GraphHealth, Effect.READS),
    Operation(get_recent, Listing, EntityList, Effect.READS),
    Operation(get_hot, Listing, EntityList, Effect.READS),
    Operation(get_salient, Listing, Profiles, Effect.READS),
    Operation(get_by_type, GetByType, EntityList, Effect.READS),
)
