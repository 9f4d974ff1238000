"""The toolset `batch`: many changes in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired

from pydantic import Field, WithJsonSchema

from graph_memory.memory.batch.results import BatchResult
from graph_memory.operations.arguments import BOOLEAN, STRING, Call, object_schema
from graph_memory.operations.operation import AnyOperation, Effect, Operation

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

BatchOperation = Annotated[
    dict[str, object],
    WithJsonSchema({**object_schema({"op": STRING}, "op"), "additionalProperties": True}),
]
Options = Annotated[
    dict[str, object],
    WithJsonSchema(
        object_schema(
            {
                "atomic": {**BOOLEAN, "description": "Default true; false skips invalid operations"},
                "dry_run": BOOLEAN,
                "validate_before_commit": BOOLEAN,
                "rollback_on_error": BOOLEAN,
            }
        )
    ),
]


class ExecuteBatch(Call):
    """Arguments of `execute_batch`."""

    operations: Annotated[
        list[BatchOperation],
        Field(
            description="Run in order. Each has op (a tool that writes nodes, connections, entities, observations or "
            'relations) and its arguments. After a create with ref: x, "$x" is its id'
        ),
    ]
    options: NotRequired[Options]
    idempotency_key: NotRequired[Annotated[str, Field(description="Repeated calls with this key have no effect")]]


async def execute_batch(memory: Memory, arguments: ExecuteBatch) -> BatchResult:
    """Make up to 10,000 changes in one transaction: all or none. Returns every error with its index."""
    return await memory.execute_batch(**arguments)


BATCH: tuple[AnyOperation, ...] = (Operation(execute_batch, ExecuteBatch, BatchResult, Effect.MIXED),)
