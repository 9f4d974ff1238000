"""The toolset `batch`: many changes in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired

from pydantic import Field, WithJsonSchema

from graph_memory.mcp_server.arguments import Call
from graph_memory.mcp_server.tools import AnyTool, Effect, Tool
from graph_memory.memory.batch.results import BatchResult

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

Operation = Annotated[dict[str, object], WithJsonSchema({"type": "object"})]
Options = Annotated[
    dict[str, object],
    WithJsonSchema(
        {
            "type": "object",
            "properties": {
                "atomic": {"type": "boolean", "description": "All or none (default true); else without what is faulty"},
                "validate_before_commit": {"type": "boolean", "description": "Report all faults (default true)"},
                "rollback_on_error": {"type": "boolean", "description": "true means atomic"},
                "dry_run": {"type": "boolean", "description": "Only report what would be done"},
            },
        }
    ),
]


class ExecuteBatch(Call):
    """Arguments of `execute_batch`."""

    operations: Annotated[
        list[Operation],
        Field(
            description="In order: {op: create_node|update_node|delete_node|create_connection|update_connection|"
            "delete_connection|set_validity, and its arguments}, or {type: create|update|delete, node_id?, "
            'node_data?, edges?}. A create with ref: x is "$x" as an id in later ones'
        ),
    ]
    options: NotRequired[Options]
    idempotency_key: NotRequired[
        Annotated[str, Field(description="Any text: the same call again changes nothing and returns the first result")]
    ]


async def execute_batch(memory: Memory, given: ExecuteBatch) -> BatchResult:
    """Make up to 10,000 changes in one transaction: all, or none. Reports every fault with its index."""
    return await memory.execute_batch(**given)


BATCH: tuple[AnyTool, ...] = (Tool(execute_batch, ExecuteBatch, BatchResult, Effect.DESTROYS),)
