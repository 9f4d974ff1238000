"""The toolset `meaning`: how much connections count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired

from pydantic import Field

from graph_memory.mcp_server.arguments import Call, Cursor, ExpectedVersion, Fraction
from graph_memory.mcp_server.tools import AnyTool, Effect, Tool
from graph_memory.model.results import Changed, Direction, WeighedConnections

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory


class GetStrongestConnections(Call):
    """Arguments of `get_strongest_connections`."""

    node_id: str
    direction: NotRequired[Annotated[Direction, Field(description="Default both")]]
    connection_type: NotRequired[str]
    limit: NotRequired[Annotated[int, Field(ge=1, le=1000, description="Default 10")]]


class GetWeakRelations(Call):
    """Arguments of `get_weak_relations`."""

    below: NotRequired[Annotated[Fraction, Field(description="Weight; default 0.3")]]
    connection_type: NotRequired[str]
    limit: NotRequired[Annotated[int, Field(ge=1, le=1000, description="Default 50")]]
    cursor: NotRequired[Cursor]


class SetRelationImportance(Call):
    """Arguments of `set_relation_importance`."""

    connection_id: str
    importance: Fraction
    expected_version: NotRequired[ExpectedVersion]


async def get_strongest_connections(memory: Memory, given: GetStrongestConnections) -> WeighedConnections:
    """Find the connections of a node that count most now, by strength, importance and age."""
    return await memory.get_strongest_connections(**given)


async def get_weak_relations(memory: Memory, given: GetWeakRelations) -> WeighedConnections:
    """Find connections that count little, to review or remove. A page can be short; next_cursor leads on."""
    return await memory.get_weak_relations(**given)


async def set_relation_importance(memory: Memory, given: SetRelationImportance) -> Changed:
    """Say how important a connection is, 0 to 1. It then makes half of the connection's weight."""
    return await memory.set_relation_importance(**given)


MEANING: tuple[AnyTool, ...] = (
    Tool(get_strongest_connections, GetStrongestConnections, WeighedConnections, Effect.READS),
    Tool(get_weak_relations, GetWeakRelations, WeighedConnections, Effect.READS),
    Tool(set_relation_importance, SetRelationImportance, Changed, Effect.DESTROYS),
)
