"""The toolset `meaning`: weights of connections, inferred connections and contradictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired

from pydantic import Field

from graph_memory.memory.inference.results import Contradictions, InferenceResult
from graph_memory.model.results import ChangeResult, Direction, WeighedConnections
from graph_memory.operations.arguments import Call, Cursor, ExpectedVersion, Fraction, Limit, ValidAt
from graph_memory.operations.operation import AnyOperation, Effect, Operation

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory


class GetStrongestConnections(Call):
    """Arguments of `get_strongest_connections`."""

    node_id: str
    direction: NotRequired[Annotated[Direction, Field(description="Default: both")]]
    connection_type: NotRequired[Annotated[str, Field(description="Only return connections of this type")]]
    limit: NotRequired[Annotated[int, Field(ge=1, le=1000, description="Default 10")]]


class GetWeakRelations(Call):
    """Arguments of `get_weak_relations`."""

    below: NotRequired[
        Annotated[Fraction, Field(description="Only return connections with a lower weight (default 0.3)")]
    ]
    connection_type: NotRequired[Annotated[str, Field(description="Only return connections of this type")]]
    limit: NotRequired[Annotated[int, Field(ge=1, le=1000, description="Default 50")]]
    cursor: NotRequired[Cursor]


class SetRelationImportance(Call):
    """Arguments of `set_relation_importance`."""

    connection_id: str
    importance: Annotated[Fraction, Field(description="0 for unimportant, 1 for most important")]
    expected_version: NotRequired[ExpectedVersion]


async def get_strongest_connections(memory: Memory, arguments: GetStrongestConnections) -> WeighedConnections:
    """Find a node's strongest connections, ranked by strength, importance and age."""
    return await memory.get_strongest_connections(**arguments)


async def get_weak_relations(memory: Memory, arguments: GetWeakRelations) -> WeighedConnections:
    """Find weak connections to review or remove. A page can be shorter than limit: continue with next_cursor."""
    return await memory.get_weak_relations(**arguments)


async def set_relation_importance(memory: Memory, arguments: SetRelationImportance) -> ChangeResult:
    """Set the importance of a connection, from 0 to 1. It then makes up half of the connection's weight."""
    return await memory.set_relation_importance(**arguments)


class InferConnections(Call):
    """Arguments of `infer_connections`."""

    connection_type: NotRequired[Annotated[str, Field(description="A transitive type (default: all)")]]
    max_depth: NotRequired[Annotated[int, Field(ge=1, le=100, description="Maximum path length")]]
    limit: NotRequired[Annotated[int, Field(ge=1, le=10_000, description="Max connections to write (default 1,000)")]]
    dry_run: NotRequired[Annotated[bool, Field(description="Only report what would be written (default true)")]]


class FindContradictions(Call):
    """Arguments of `find_contradictions`."""

    valid_at: NotRequired[ValidAt]
    limit: NotRequired[Limit]
    cursor: NotRequired[Cursor]


async def infer_connections(memory: Memory, arguments: InferConnections) -> InferenceResult:
    """Write the missing connections that follow from transitive types, with their evidence, as one batch."""
    return await memory.infer_connections(**arguments)


async def find_contradictions(memory: Memory, arguments: FindContradictions) -> Contradictions:
    """List the pairs of nodes that contradict each other, with titles and ages, so that you can settle them."""
    return await memory.find_contradictions(**arguments)


MEANING: tuple[AnyOperation, ...] = (
    Operation(get_strongest_connections, GetStrongestConnections, WeighedConnections, Effect.READS),
    Operation(get_weak_relations, GetWeakRelations, WeighedConnections, Effect.READS),
    Operation(set_relation_importance, SetRelationImportance, ChangeResult, Effect.DESTROYS),
    Operation(infer_connections, InferConnections, InferenceResult, Effect.MIXED),
    Operation(find_contradictions, FindContradictions, Contradictions, Effect.READS),
)
