"""Batch operations for an agent's memory. Each call is one batch, so it is atomic."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from graph_memory.memory.api.memory import Memory
from graph_memory.memory.batch.references import escape_id
from graph_memory.memory.batch.results import BatchResult
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.values.arguments import is_encodable

Operation = Mapping[str, object]
_MAX_TITLE_CHARACTERS = 120
_MAX_DEPTH = 200
"""Maximum number of nested lists and objects in a stored value, because replies are JSON of at most 255 levels."""


async def write(memory: Memory, operations: Sequence[Operation], *, dry_run: bool = False) -> BatchResult:
    """Execute the operations as a batch. If it fails, raise the error of the first invalid operation."""
    try:
        return await memory.execute_batch(operations, options={"dry_run": dry_run})
    except GraphError as error:
        faults = cast("Sequence[Mapping[str, Any]]", error.details.get("faults", ()))
        if error.code is not Code.BATCH_REFUSED or not faults:
            raise
        first = faults[0]
        details = {"hint": first["hint"]} if first.get("hint") else {}
        raise GraphError(Code(first["code"]), first["message"], details) from error


def new_connection(connection_type: str, from_id: str, to_id: str) -> Operation:
    """Return the operation that connects two existing nodes."""
    end_fields = {"from_node_id": escape_id(from_id), "to_node_id": escape_id(to_id)}
    return {"op": "create_connection", "type": connection_type, **end_fields}


def new_connection_to_ref(connection_type: str, from_id: str, ref: str) -> Operation:
    """Return the operation that connects a node with the node that an earlier operation creates as `ref`."""
    return {"op": "create_connection", "type": connection_type, "from_node_id": from_id, "to_node_id": f"${ref}"}


def is_reference(end: str) -> bool:
    """Return whether the endpoint of a connection refers to an earlier operation of the batch."""
    return end.startswith("$") and not end.startswith("$$")


def title_from_text(text: str) -> str:
    """Convert the start of a text to a title: one line without control characters."""
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())[
        :_MAX_TITLE_CHARACTERS
    ]


def parsed_json(text: object) -> object:
    """Parse a stored JSON text. Returns None if it is invalid, or if no reply can contain the value."""
    try:
        value: object = json.loads(text) if isinstance(text, str) else None
        return value if fits_reply(value) else None
    except (ValueError, RecursionError):
        return None


def fits_reply(value: object, levels: int = _MAX_DEPTH) -> bool:
    """Return whether a reply can contain the JSON value. Lone surrogates and deep nesting are not allowed."""
    match value:
        case str():
            return is_encodable(value)
        case list():
            return levels > 0 and all(fits_reply(item, levels - 1) for item in cast("list[object]", value))
        case dict():
            items = cast("dict[str, object]", value).items()
            return levels > 0 and all(is_encodable(key) and fits_reply(item, levels - 1) for key, item in items)
        case _:
            return True


M = TypeVar("M", bound=BaseModel)


def build_with_defaults(model: type[M], fields: Mapping[str, object], defaults: Mapping[str, object]) -> M:
    """Build a result from stored fields. Fields that manual edits made invalid get their defaults."""
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        invalid = {str(problem["loc"][0]) for problem in error.errors()}
        valid = {name: value for name, value in fields.items() if name not in invalid}
        return model.model_validate({**defaults, **valid})


def new_node(
    node_type: str, node_id: str, title: str | None, content: str, properties: Mapping[str, object]
) -> Operation:
    """Return the operation that creates a node. Properties that are None are omitted.

    If `title` is None, the graph derives a title from the content.
    """
    title_field = {} if title is None else {"title": title_from_text(title) or node_type}
    return {
        "op": "create_node",
        "id": node_id,
        "type": node_type,
        "content": content,
        "format": "markdown",
        **title_field,
        "properties": {name: value for name, value in properties.items() if value is not None},
    }
