"""How much content one call may carry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from graph_memory.model.errors import Code, GraphError

_IN = "Split it into several nodes, or store it as a file in Python."
_OUT = "Read it in Python instead."


def check_given(given: Mapping[str, object], limit: int) -> None:
    """Raise CONTENT_TOO_LARGE when a call's content is over the limit."""
    _check(given, limit, _IN)


def check_taken(result: Mapping[str, object], limit: int) -> None:
    """Raise CONTENT_TOO_LARGE when the content that a call would return is over the limit."""
    _check(result, limit, _OUT)


def _check(fields: Mapping[str, object], limit: int, way_out: str) -> None:
    size = _content(fields)
    if size > limit:
        message = f"Content of {size:,} bytes is too large for a call; the limit is {limit:,}"
        hint = f"{way_out} The setting GRAPH_MEMORY_MCP_CONTENT_BYTES raises the limit."
        raise GraphError(Code.CONTENT_TOO_LARGE, message, {"size": size, "limit": limit, "hint": hint})


def _content(given: object) -> int:
    """Return the bytes of content in a call or a result, and in the operations of a batch."""
    if not isinstance(given, Mapping):
        return 0
    fields = cast("Mapping[str, object]", given)
    content, operations = fields.get("content"), fields.get("operations")
    own = _size(content, fields.get("encoding")) if isinstance(content, str) else 0
    data = _content(fields.get("node_data", fields.get("nodeData")))
    return own + data + (sum(map(_content, cast("list[object]", operations))) if isinstance(operations, list) else 0)


def _size(content: str, encoding: object) -> int:
    """Return the bytes of content: of the text, or of what the base64 stands for."""
    if encoding == "base64":
        return len(content) * 3 // 4 - content[-2:].count("=")
    return len(content.encode(errors="surrogatepass"))
