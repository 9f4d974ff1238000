"""Limits the size of the content in calls and results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from graph_memory.model.errors import Code, GraphError

_WRITE_REMEDY = "Split it into several nodes, or store it as a file in Python."
_READ_REMEDY = "Read it in Python instead."


def check_arguments(arguments: Mapping[str, object], limit: int) -> None:
    """Raise CONTENT_TOO_LARGE if the content of the call is larger than `limit` bytes."""
    _check(arguments, limit, _WRITE_REMEDY)


def check_result(result: Mapping[str, object], limit: int) -> None:
    """Raise CONTENT_TOO_LARGE if the content of the result is larger than `limit` bytes."""
    _check(result, limit, _READ_REMEDY)


def _check(fields: Mapping[str, object], limit: int, remedy: str) -> None:
    size = _content_size(fields)
    if size > limit:
        message = f"Content of {size:,} bytes is too large for a call; the limit is {limit:,}"
        hint = f"{remedy} The setting GRAPH_MEMORY_MCP_CONTENT_BYTES raises the limit."
        raise GraphError(Code.CONTENT_TOO_LARGE, message, {"size": size, "limit": limit, "hint": hint})


def _content_size(value: object) -> int:
    """Return the size in bytes of all content in a call or result. Includes the operations of a batch."""
    if not isinstance(value, Mapping):
        return 0
    fields = cast("Mapping[str, object]", value)
    content, operations = fields.get("content"), fields.get("operations")
    size = _size(content, fields.get("encoding")) if isinstance(content, str) else 0
    data = _content_size(fields.get("node_data", fields.get("nodeData")))
    return (
        size + data + (sum(map(_content_size, cast("list[object]", operations))) if isinstance(operations, list) else 0)
    )


def _size(content: str, encoding: object) -> int:
    """Return the size of the content in bytes, after decoding from base64 if needed."""
    if encoding == "base64":
        return len(content) * 3 // 4 - content[-2:].count("=")
    return len(content.encode(errors="surrogatepass"))
