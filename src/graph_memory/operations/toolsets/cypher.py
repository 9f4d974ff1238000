"""The toolset `cypher`: read-only Cypher statements over all domains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic accepts the one in `typing` only from Python 3.12 on

from graph_memory.memory.cypher.results import CypherRows, CypherSchema
from graph_memory.operations.arguments import Call, Properties
from graph_memory.operations.operation import AnyOperation, Effect, Operation

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory


class QueryCypher(TypedDict):
    """Arguments of `query_cypher`."""

    statement: Annotated[str, Field(description="One read-only Cypher statement, with values as $parameters")]
    parameters: NotRequired[Annotated[Properties, Field(description="Values of the $parameters, by name")]]
    limit: NotRequired[Annotated[int, Field(ge=1, le=1000, description="Max rows (default 100)")]]
    max_tokens: NotRequired[Annotated[int, Field(ge=100, le=50_000, description="Default 4000")]]


async def get_schema(memory: Memory, arguments: Call) -> CypherSchema:
    """Get the labels, relationship types and properties of a domain, for use in query_cypher. Call it first."""
    return await memory.graph_schema(**arguments)


async def query_cypher(memory: Memory, arguments: QueryCypher) -> CypherRows:
    """Read the graph with a Cypher statement.

    WHEN TO USE: for counts, aggregates and patterns that no other tool returns. For facts about a topic or an entity,
    use recall. It cannot write, call procedures, or read files. It times out after 10 seconds.
    """
    return await memory.query_cypher(**arguments)


CYPHER: tuple[AnyOperation, ...] = (
    Operation(get_schema, Call, CypherSchema, Effect.READS),
    Operation(query_cypher, QueryCypher, CypherRows, Effect.READS, needs_admin=True),
)
