"""Tools of the toolset `remember` that correct or forget entities and observations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NotRequired

from pydantic import Field

from graph_memory.memory.entities.results import EntityUpdateResult, ForgetResult, ObservationUpdateResult
from graph_memory.operations.arguments import Call, Fraction, Properties
from graph_memory.operations.operation import AnyOperation, Effect, Operation

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory


class UpdateEntity(Call):
    """Arguments of `update_entity`."""

    name: str
    new_name: NotRequired[str]
    type: NotRequired[str]
    aliases: NotRequired[Annotated[list[str], Field(description="All other names")]]
    properties: NotRequired[Annotated[Properties, Field(description="Merged with existing properties")]]
    description: NotRequired[str]


class UpdateObservation(Call):
    """Arguments of `update_observation`."""

    entityName: str  # noqa: N815 - the word of the official memory server
    observation: Annotated[str, Field(description="Id or exact text")]
    text: NotRequired[Annotated[str, Field(description="The new text")]]
    confidence: NotRequired[Fraction]


class Forget(Call):
    """Arguments of `forget`."""

    names: NotRequired[Annotated[list[str], Field(description="Entities to forget, with all their facts")]]
    ids: NotRequired[Annotated[list[str], Field(description="Ids of entities, observations or relations")]]
    text: NotRequired[
        Annotated[
            str,
            Field(
                description="Exact text of an observation, goal, pattern or preference; with names, one of "
                "their observations"
            ),
        ]
    ]
    session: NotRequired[
        Annotated[str, Field(description="Session whose captured events and summary are erased; requires erase")]
    ]
    path: NotRequired[Annotated[str, Field(description="File or folder mentioned in captured events; requires erase")]]
    phrase: NotRequired[Annotated[str, Field(description="Text in captured events; requires erase")]]
    erase: NotRequired[
        Annotated[bool, Field(description="Erase for good, with all earlier states. Only if the user asked")]
    ]
    dry_run: NotRequired[bool]


async def update_entity(memory: Memory, arguments: UpdateEntity) -> EntityUpdateResult:
    """Rename an entity, or change its fields. It keeps its observations and relations."""
    return await memory.entities.update_entity(**arguments)


async def update_observation(memory: Memory, arguments: UpdateObservation) -> ObservationUpdateResult:
    """Correct an observation of an entity. If it is no longer true, use remember with replaces."""
    changes: dict[str, Any] = {**arguments}
    return await memory.entities.update_observation(changes.pop("entityName"), changes.pop("observation"), **changes)


async def forget(memory: Memory, arguments: Forget) -> ForgetResult:
    """End facts that are outdated or unwanted. Earlier states keep them, unless erase is true. Try dry_run."""
    criteria: dict[str, Any] = {**arguments}
    target = memory.in_domain(criteria.pop("domain")) if "domain" in arguments else memory
    return await target.agent.forget(**criteria)


UPDATES: tuple[AnyOperation, ...] = (
    Operation(update_entity, UpdateEntity, EntityUpdateResult, Effect.DESTROYS),
    Operation(update_observation, UpdateObservation, ObservationUpdateResult, Effect.DESTROYS),
    Operation(forget, Forget, ForgetResult, Effect.DESTROYS),
)
