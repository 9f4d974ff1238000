"""Limits the size of calls and results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from pydantic_core import to_json

from graph_memory.model.errors import Code, GraphError


def check_arguments(arguments: Mapping[str, object], limit: int) -> None:
    """Raise CONTENT_TOO_LARGE if the call's content is larger than `limit` bytes."""
    _check_content(arguments, limit, "Split it into several nodes, or store it as a file in Python.")


def check_result_content(result: Mapping[str, object], limit: int) -> None:
    """Raise CONTENT_TOO_LARGE if the result's content is larger than `limit` bytes."""
    _check_content(result, limit, "Read it in Python instead.")


def check_result_size(result: Mapping[str, object], limit: int) -> None:
    """Raise CONTENT_TOO_LARGE if the result is larger than `limit` bytes as JSON."""
    if (size := len(to_json(result))) > limit:
        message = f"The result of {size:,} bytes is too large; the limit is {limit:,} bytes"
        hint = (
            "Ask for less, for example with limit, max_tokens, names or a type. "
            "Or raise the limit with the setting GRAPH_MEMORY_MCP_RESULT_BYTES."
        )
        raise GraphError(Code.CONTENT_TOO_LARGE, message, {"size": size, "limit": limit, "hint": hint})


def _check_content(fields: Mapping[str, object], limit: int, remedy: str) -> None:
    size = _content_size(fields)
    if size > limit:
        message = f"Content of {size:,} bytes is too large for a call; the limit is {limit:,} bytes"
        hint = f"{remedy} Or raise the limit with the setting GRAPH_MEMORY_MCP_CONTENT_BYTES."
        raise GraphError(Code.CONTENT_TOO_LARGE, message, {"size": size, "limit": limit, "hint": hint})


def _content_size(value: object) -> int:
    """Return the total size of the content in a call or result, in bytes. Includes the operations of a batch."""
    if not isinstance(value, Mapping):
        return 0
    fields = cast("Mapping[str, object]", value)
    content, operations = fields.get("content"), fields.get("operations")
    size = _decoded_size(content, fields.get("encoding")) if isinstance(content, str) else 0
    size += _content_size(fields.get("node_data", fields.get("nodeData")))
    if isinstance(operations, list):
        size += sum(map(_content_size, cast("list[object]", operations)))
    return size


def _decoded_size(content: str, encoding: object) -> int:
    """Return the size of the content in bytes. For base64, this is the decoded size."""
    if encoding == "base64":
        return len(content) * 3 // 4 - content[-2:].count("=")
    return len(content.encode(errors="surrogatepass"))
