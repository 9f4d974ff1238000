"""The toolset `cleanup`: duplicates, orphans, outdated facts and open questions, with the calls that resolve them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired

from pydantic import Field

from graph_memory.memory.entities.cleaning.results import (
    Duplicates,
    EntityList,
    EntityMergeResult,
    GraphHealth,
    Orphans,
    SimilarEntities,
)
from graph_memory.memory.entities.results import Profiles
from graph_memory.operations.arguments import Call, Fraction
from graph_memory.operations.operation import AnyOperation, Effect, Operation

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

ResultLimit = Annotated[int, Field(ge=1, le=1000)]


class FindSimilar(Call):
    """Arguments of `find_similar`."""

    name: Annotated[str, Field(description="Name of the entity")]
    limit: NotRequired[ResultLimit]


class FindDuplicates(Call):
    """Arguments of `find_duplicates`."""

    limit: NotRequired[ResultLimit]
    min_score: NotRequired[
        Annotated[Fraction, Field(description="Default 0.75. Lower values find more pairs, but also more wrong ones")]
    ]


class MergeEntities(Call):
    """Arguments of `merge_entities`."""

    names: Annotated[list[str], Field(min_length=1, description="Entities to merge; their names become aliases")]
    into: Annotated[str, Field(description="The entity to keep")]
    dry_run: NotRequired[Annotated[bool, Field(description="Only report the moves and conflicts")]]


class Listing(Call):
    """Arguments of tools that list entities."""

    limit: NotRequired[ResultLimit]


class GetByType(Listing):
    """Arguments of `get_by_type`."""

    type: Annotated[str, Field(description="Type of the entities")]


async def find_similar(memory: Memory, arguments: FindSimilar) -> SimilarEntities:
    """Find possible duplicates of an entity by names, aliases, observations and meaning, each with the reason."""
    return await memory.entities.find_similar(**arguments)


async def find_duplicates(memory: Memory, arguments: FindDuplicates) -> Duplicates:
    """Find pairs of entities that may be the same, each with a suggested call. Check before you merge."""
    return await memory.entities.find_duplicates(**arguments)


async def merge_entities(memory: Memory, arguments: MergeEntities) -> EntityMergeResult:
    """Merge entities: moves their observations and relations, and turns their names into aliases.

    You can revert it as one write.
    conflicts lists values that were discarded because the target has other values. Correct the wrong ones.
    """
    return await memory.entities.merge_entities(**arguments)


async def find_orphans(memory: Memory, arguments: Listing) -> Orphans:
    """List entities without relations, to relate, merge or delete them."""
    return await memory.entities.find_orphans(**arguments)


async def graph_health(memory: Memory, arguments: Listing) -> GraphHealth:
    """List duplicates, orphans, outdated facts, contradictions, open questions and more, each with a call to settle it.

    USAGE TIPS: check an entry before you make its call. limit applies to each kind.
    """
    return await memory.entities.graph_health(**arguments)


async def get_recent(memory: Memory, arguments: Listing) -> EntityList:
    """List the most recently changed entities, with the actor of each change."""
    return await memory.entities.get_recent(**arguments)


async def get_hot(memory: Memory, arguments: Listing) -> EntityList:
    """List the entities that were read most often."""
    return await memory.entities.get_hot(**arguments)


async def get_salient(memory: Memory, arguments: Listing) -> Profiles:
    """List the most important entities. Their salience, from 0 to 1, grows with mentions, recency and use."""
    return await memory.entities.get_salient(**arguments)


async def get_by_type(memory: Memory, arguments: GetByType) -> EntityList:
    """List the entities of a type."""
    return await memory.entities.get_by_type(**arguments)


CLEANUP: tuple[AnyOperation, ...] = (
    Operation(find_similar, FindSimilar, SimilarEntities, Effect.READS),
    Operation(find_duplicates, FindDuplicates, Duplicates, Effect.READS),
    Operation(merge_entities, MergeEntities, EntityMergeResult, Effect.DESTROYS),
    Operation(find_orphans, Listing, Orphans, Effect.READS),
    Operation(graph_health, Listing, GraphHealth, Effect.READS),
    Operation(get_recent, Listing, EntityList, Effect.READS),
    Operation(get_hot, Listing, EntityList, Effect.READS),
    Operation(get_salient, Listing, Profiles, Effect.READS),
    Operation(get_by_type, GetByType, EntityList, Effect.READS),
)
