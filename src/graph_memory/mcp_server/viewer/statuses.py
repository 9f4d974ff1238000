"""The API's responses: the HTTP status of each error code, and JSON that must not be cached."""

from __future__ import annotations

import json
from collections.abc import Mapping

from starlette.responses import Response

from graph_memory.mcp_server.tools import error_fields
from graph_memory.model.errors import Code, GraphError

API = "/api/v1/"
"""Prefix of the URL paths of the API."""
SAFE_HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
RETRY_SECONDS = 1
"""Time in seconds after which a client should repeat a request, unless the error specifies another time."""

_INVALID = (Code.INVALID_ARGUMENT, Code.INVALID_ENCODING, Code.INVALID_ARCHIVE, Code.INVALID_SOURCE)
_MISSING = (
    *(Code.ONTOLOGY_NOT_FOUND, Code.NODE_NOT_FOUND, Code.CONNECTION_NOT_FOUND, Code.LINK_NOT_FOUND),
    *(Code.EVENT_NOT_FOUND, Code.SUBJECT_ERASED, Code.HISTORY_COMPACTED),
)
_CONFLICTS = (
    *(Code.ONTOLOGY_ALREADY_EXISTS, Code.TYPE_ALREADY_EXISTS, Code.DOMAIN_ALREADY_EXISTS, Code.NODE_ALREADY_EXISTS),
    *(Code.CONNECTION_ALREADY_EXISTS, Code.LINK_ALREADY_EXISTS, Code.DOMAIN_HAS_BRANCHES, Code.DOMAIN_HAS_CHILDREN),
    *(Code.DANGLING_REFERENCE, Code.INVALID_ONTOLOGY, Code.INVALID_NODE_TYPE, Code.INVALID_CONNECTION_TYPE),
    *(Code.INVALID_TOPOLOGY, Code.REQUIRED_PROPERTY_MISSING, Code.INVALID_PROPERTY, Code.UNIQUE_PROPERTY_TAKEN),
    *(Code.TYPE_LIMIT_REACHED, Code.MEMORY_LIMIT_REACHED, Code.VERSION_CONFLICT, Code.PROTECTED, Code.REVERT_CONFLICT),
    *(Code.MERGE_CONFLICT, Code.BATCH_REFUSED, Code.IDEMPOTENCY_CONFLICT, Code.STORE_CONFLICT, Code.NO_MODEL),
    Code.DIFFERENT_DATABASES,
)
_UNAVAILABLE = (
    *(Code.STARTING, Code.STORE_UNAVAILABLE, Code.STORE_INCOMPATIBLE, Code.FILE_CREATION_FAILED),
    *(Code.CONTENT_READ_FAILED, Code.TRANSACTION_LOST, Code.DOMAIN_BUSY, Code.OVERLOADED, Code.TIMEOUT),
)
STATUS: Mapping[Code, int] = {
    **dict.fromkeys(_INVALID, 400),
    Code.INSUFFICIENT_RIGHTS: 403,
    **dict.fromkeys(_MISSING, 404),
    **dict.fromkeys(_CONFLICTS, 409),
    Code.CONTENT_TOO_LARGE: 413,
    Code.RATE_LIMITED: 429,
    Code.INTERNAL: 500,
    **dict.fromkeys(_UNAVAILABLE, 503),
}
"""The HTTP status of each error code."""


def json_response(content: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response with the content as JSON. Raises ValueError if JSON cannot represent a value, such as NaN."""
    body = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    fixed_headers = {**SAFE_HEADERS, "Cache-Control": "no-store"}
    return Response(
        body.encode(errors="replace"), status, {**fixed_headers, **(headers or {})}, media_type="application/json"
    )


def error_response(error: GraphError, status: int | None = None, headers: Mapping[str, str] | None = None) -> Response:
    """Return the response for an error: `{code, message, details}`, by default with the status of its code."""
    status = STATUS[error.code] if status is None else status
    retry = {"Retry-After": str(error.details.get("retry_after", RETRY_SECONDS))} if status in (429, 503) else {}
    return json_response(error_fields(error), status, {**retry, **(headers or {})})
