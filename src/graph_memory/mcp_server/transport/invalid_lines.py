"""Lines that are no message: each is answered, as JSON-RPC asks, so that nobody waits in vain."""

from __future__ import annotations

import json
import re

from mcp import types
from pydantic import ValidationError

_ID = r'"id"\s*:\s*(?P<id>-?\d{1,18}|"(?:[^"\\]|\\.){0,200}")\s*'
_VERSION = r'"jsonrpc"\s*:\s*"2\.0"\s*'
_FIRST = re.compile(rf"\s*\{{\s*(?:{_VERSION},\s*)?{_ID},")
_LAST = re.compile(rf",\s*{_ID}(?:,\s*{_VERSION})?\}}\s*\Z")
_END = 400


def refusal(line: str) -> types.JSONRPCError | None:
    """Return the error that answers a line, None for one that is a message or empty."""
    if not line.strip():
        return None
    try:
        types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        return types.JSONRPCError(jsonrpc="2.0", id=_id_of(line), error=_told(error))
    return None


def _told(error: ValidationError) -> types.ErrorData:
    fault = error.errors(include_url=False, include_input=False)[0]
    if fault["type"] != "json_invalid":
        return types.ErrorData(code=types.INVALID_REQUEST, message="This is JSON, but not a JSON-RPC 2.0 message")
    reason = fault.get("ctx", {}).get("error", "")
    return types.ErrorData(code=types.PARSE_ERROR, message=f"The message cannot be read as JSON: {reason}")


def _id_of(line: str) -> str | int | None:
    """Return the id of a request that cannot be read whole, if it stands first or last, as clients write it."""
    found = _FIRST.match(line) or _LAST.search(line, max(0, len(line) - _END))
    try:
        return None if found is None else json.loads(found["id"])
    except ValueError:
        return None
