"""Describes the API in OpenAPI 3.1, from the table of operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graph_memory.mcp_server.viewer.statuses import API, STATUS
from graph_memory.model.errors import Code
from graph_memory.operations.arguments import ANY_KEYS, STRING, object_schema
from graph_memory.operations.operation import AnyOperation
from graph_memory.operations.schemas import output_schema
from graph_memory.operations.table import TOOLSETS

_ERROR = {"$ref": "#/components/responses/Error"}


def describe_api(operations: Sequence[AnyOperation], version: str, cookie: str) -> dict[str, Any]:
    """Return the OpenAPI description of the API. `cookie` is the name of the login cookie."""
    toolset_of = {operation.name: name for name, members in TOOLSETS.items() for operation in members}
    paths = {f"{API}{operation.name}": {"post": _path(operation, toolset_of)} for operation in operations}
    return {
        "openapi": "3.1.0",
        "info": {"title": "graph-memory", "version": version, "description": _DESCRIPTION},
        "paths": {**paths, **_OTHER_PATHS},
        "tags": [{"name": name} for name in TOOLSETS],
        "security": [{"key": []}, {"login": []}],
        "components": {
            "securitySchemes": {
                "key": {"type": "http", "scheme": "bearer"},
                "login": {"type": "apiKey", "in": "cookie", "name": cookie},
            },
            "schemas": {"Error": _ERROR_SCHEMA},
            "responses": {"Error": _response("An error.", {"$ref": "#/components/schemas/Error"})},
        },
    }


_DESCRIPTION = (
    "Each operation is a POST request with its arguments as a JSON object. Requests with a cookie also need the header "
    "`X-Graph-Memory: viewer`."
)
_ERROR_SCHEMA = {
    **object_schema({"code": {"type": "string", "enum": [*map(str, Code)]}, "message": STRING, "details": ANY_KEYS}),
    "required": ["code", "message", "details"],
    "description": "`details.hint`, if there is one, says what to do next.",
}


def _path(operation: AnyOperation, toolset_of: dict[str, str]) -> dict[str, Any]:
    reads, destroys, _ = operation.effect.value
    return {
        "operationId": operation.name,
        "summary": operation.name.replace("_", " ").capitalize(),
        "description": operation.description,
        "tags": [toolset_of[operation.name]],
        "x-right": str(operation.right),
        "x-read-only": reads,
        "x-destructive": not reads and destroys,
        "requestBody": {"required": True, "content": {"application/json": {"schema": operation.input_schema}}},
        "responses": {
            "200": _response("The result.", output_schema(operation.result)),
            **{str(status): _ERROR for status in sorted({401, *STATUS.values()})},
        },
    }


def _response(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


_OTHER_PATHS: dict[str, Any] = {
    f"{API}login": {
        "post": {
            "summary": "Log a browser in",
            "security": [],
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": object_schema({"token": STRING}, "token")}},
            },
            "responses": {"204": {"description": "The response sets a cookie."}, "401": _ERROR},
        }
    },
    f"{API}logout": {
        "post": {"summary": "Log a browser out", "responses": {"204": {"description": "The login has ended."}}}
    },
    f"{API}session": {
        "get": {
            "summary": "What the sender may do",
            "security": [],
            "responses": {"200": _response("The session.", {"type": "object"})},
        }
    },
    f"{API}events": {
        "get": {
            "summary": "Changes of a domain, as server-sent events",
            "parameters": [{"name": "domain", "in": "query", "schema": STRING}],
            "responses": {
                "200": {
                    "description": "A message `change` with the domain and the position of its log, after each change.",
                    "content": {"text/event-stream": {"schema": STRING}},
                },
                "401": _ERROR,
                "403": _ERROR,
                "404": _ERROR,
            },
        }
    },
}
