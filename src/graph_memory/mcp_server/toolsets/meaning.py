"""The toolset `meaning`: what follows from connections, and what contradicts what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired

from pydantic import Field

from graph_memory.mcp_server.arguments import Call, Cursor, Limit, ValidAt
from graph_memory.mcp_server.tools import AnyTool, Effect, Tool
from graph_memory.memory.meaning.results import Contradictions, Inferred

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory


class InferConnections(Call):
    """Arguments of `infer_connections`."""

    connection_type: NotRequired[Annotated[str, Field(description="A transitive type; without it, all of them")]]
    max_depth: NotRequired[Annotated[int, Field(ge=1, le=100, description="Most in a row to infer from")]]
    limit: NotRequired[Annotated[int, Field(ge=1, le=10_000, description="Most to write; 1,000 without it")]]
    dry_run: NotRequired[Annotated[bool, Field(description="Default true: only tell what would be written")]]


class FindContradictions(Call):
    """Arguments of `find_contradictions`."""

    valid_at: NotRequired[ValidAt]
    limit: NotRequired[Limit]
    cursor: NotRequired[Cursor]


async def infer_connections(memory: Memory, given: InferConnections) -> Inferred:
    """Write the connections that follow from transitive types and are missing, with their evidence, as one batch."""
    return await memory.infer_connections(**given)


async def find_contradictions(memory: Memory, given: FindContradictions) -> Contradictions:
    """List the pairs of nodes joined by contradicts, with titles and ages, so that you can settle them."""
    return await memory.find_contradictions(**given)


MEANING: tuple[AnyTool, ...] = (
    Tool(infer_connections, InferConnections, Inferred, Effect.MIXED),
    Tool(find_contradictions, FindContradictions, Contradictions, Effect.READS),
)
