"""Changes of an agent's memory: each call is one batch, so all of it is there or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from graph_memory.memory.api.memory import Memory
from graph_memory.memory.batch.references import escaped
from graph_memory.memory.batch.results import BatchResult
from graph_memory.model.arguments import fault
from graph_memory.model.errors import Code, GraphError

Operation = Mapping[str, object]
_TITLE = 120


async def write(memory: Memory, operations: Sequence[Operation], *, dry_run: bool = False) -> BatchResult:
    """Make the changes of one call. The first fault is raised as what it is, and nothing is changed then."""
    try:
        return await memory.execute_batch(operations, options={"dry_run": dry_run})
    except GraphError as error:
        faults = cast("Sequence[Mapping[str, Any]]", error.details.get("faults", ()))
        if error.code is not Code.BATCH_REFUSED or not faults:
            raise
        first = faults[0]
        raise GraphError(Code(first["code"]), first["message"], {"hint": first["hint"]}) from error


def new_connection(connection_type: str, from_id: str, to_id: str) -> Operation:
    """Return the operation that connects two nodes; what is no id is taken as one all the same."""
    ends = {"from_node_id": escaped(from_id), "to_node_id": escaped(to_id)}
    return {"op": "create_connection", "type": connection_type, **ends}


def tie_to(connection_type: str, from_id: str, ref: str) -> Operation:
    """Return the operation that connects a node with what an earlier operation of the batch makes."""
    return {"op": "create_connection", "type": connection_type, "from_node_id": from_id, "to_node_id": f"${ref}"}


def is_reference(given: str) -> bool:
    """Say whether text stands for what an earlier operation makes, and is not an id."""
    return given.startswith("$") and not given.startswith("$$")


def one_line(text: str) -> str:
    """Return the beginning of a text as a title: on one line, without control characters."""
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())[:_TITLE]


M = TypeVar("M", bound=BaseModel)


def lenient(model: type[M], given: Mapping[str, object], instead: Mapping[str, object]) -> M:
    """Return what is stored as a result, without what a person has changed into something that it cannot be."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        wrong = {str(one["loc"][0]) for one in error.errors()}
        kept = {name: value for name, value in given.items() if name not in wrong}
        return model.model_validate({**instead, **kept})


def check_range(argument: str, value: int, least: int, most: int) -> None:
    """Raise INVALID_ARGUMENT for a number out of its range."""
    if not least <= value <= most:
        raise fault(argument, f"{argument} must be {least} to {most:,}, not {value}", "Give another number.")


def new_node(node_type: str, node_id: str, title: str, content: str, properties: Mapping[str, object]) -> Operation:
    """Return the operation that makes a node; properties that are None are left out."""
    given = {name: value for name, value in properties.items() if value is not None}
    made = {"op": "create_node", "id": node_id, "type": node_type, "content": content, "format": "markdown"}
    return {**made, "title": one_line(title) or node_type, "properties": given}
