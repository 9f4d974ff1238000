"""The toolset `protection`: making a node, connection or domain read-only, and removing the protection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic accepts the one in `typing` only from Python 3.12 on

from graph_memory.model.results import ProtectionChangeResult
from graph_memory.operations.arguments import Names
from graph_memory.operations.operation import AnyOperation, Effect, Operation

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory


class Unprotect(TypedDict):
    """Arguments of `unprotect`."""

    node_id: NotRequired[Annotated[str, Field(description="Id of the node")]]
    connection_id: NotRequired[Annotated[str, Field(description="Id of the connection")]]
    domain: NotRequired[
        Annotated[str, Field(description="Domain of the node or connection. If no id is given, the whole domain")]
    ]


class Protect(Unprotect):
    """Arguments of `protect`."""

    is_read_only: NotRequired[Annotated[bool, Field(description="Default true; false removes the protection")]]
    reason: NotRequired[Annotated[str, Field(description="Shown in the error of a rejected write")]]
    expires_at: NotRequired[Annotated[str, Field(description='Time (UTC), or "in 2 hours" (default never)')]]
    can_be_unprotected_by: NotRequired[
        Annotated[Names, Field(description="Actors who may still write and unprotect (default: only the command line)")]
    ]


async def protect(memory: Memory, arguments: Protect) -> ProtectionChangeResult:
    """Make a node, connection or domain read-only for everyone, including you, except the actors you name."""
    return await memory.protect(**arguments)


async def unprotect(memory: Memory, arguments: Unprotect) -> ProtectionChangeResult:
    """Remove a protection, if you are allowed to."""
    return await memory.unprotect(**arguments)


PROTECTION: tuple[AnyOperation, ...] = (
    Operation(protect, Protect, ProtectionChangeResult, Effect.DECLARES, needs_admin=True),
    Operation(unprotect, Unprotect, ProtectionChangeResult, Effect.DESTROYS),
)
