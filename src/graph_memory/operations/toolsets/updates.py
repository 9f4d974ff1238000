"""Tools of the toolset `remember` that correct what is known: entities and observations changed where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NotRequired

from pydantic import Field

from graph_memory.memory.entities.results import EntityUpdated, Forgotten, ObservationUpdated
from graph_memory.operations.arguments import Call, Fraction, Properties
from graph_memory.operations.operation import AnyOperation, Effect, Operation

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory


class UpdateEntity(Call):
    """Arguments of `update_entity`."""

    name: str
    new_name: NotRequired[str]
    type: NotRequired[str]
    aliases: NotRequired[Annotated[list[str], Field(description="All its other names")]]
    properties: NotRequired[Annotated[Properties, Field(description="Merged into its existing properties")]]
    description: NotRequired[str]


class UpdateObservation(Call):
    """Arguments of `update_observation`."""

    entityName: str  # noqa: N815 - the word of the official memory server
    observation: Annotated[str, Field(description="Its id, or its text exactly")]
    text: NotRequired[Annotated[str, Field(description="What it says from now on")]]
    confidence: NotRequired[Fraction]


class Forget(Call):
    """Arguments of `forget`."""

    names: NotRequired[Annotated[list[str], Field(description="Entities, with all that is known of them")]]
    ids: NotRequired[Annotated[list[str], Field(description="Of entities, observations or relations")]]
    text: NotRequired[
        Annotated[
            str,
            Field(
                description="One observation, goal, pattern or preference, exactly; with names an observation of theirs"
            ),
        ]
    ]
    erase: NotRequired[Annotated[bool, Field(description="For good, with its past: only if the user asked")]]
    dry_run: NotRequired[bool]


async def update_entity(memory: Memory, given: UpdateEntity) -> EntityUpdated:
    """Rename an entity, or change what it is. Its observations and relations stay."""
    return await memory.entities.update_entity(**given)


async def update_observation(memory: Memory, given: UpdateObservation) -> ObservationUpdated:
    """Correct an observation of an entity. For what is no longer true, use remember with replaces."""
    more: dict[str, Any] = {**given}
    return await memory.entities.update_observation(more.pop("entityName"), more.pop("observation"), **more)


async def forget(memory: Memory, given: Forget) -> Forgotten:
    """End facts that are no longer true or wanted. They are kept as the past, unless erase is true. Try dry_run."""
    more: dict[str, Any] = {**given}
    where = memory.in_domain(more.pop("domain")) if "domain" in given else memory
    return await where.agent.forget(**more)


UPDATES: tuple[AnyOperation, ...] = (
    Operation(update_entity, UpdateEntity, EntityUpdated, Effect.DESTROYS),
    Operation(update_observation, UpdateObservation, ObservationUpdated, Effect.DESTROYS),
    Operation(forget, Forget, Forgotten, Effect.DESTROYS),
)
