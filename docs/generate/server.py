"""`server.json`: the entry of this server in the MCP registry."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import get_args

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from graph_memory.mcp_server.presets import Preset
from graph_memory.settings import Settings

from .settings import kind, variable

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
NAME = "io.github.graph-memory/graph-memory"
"""The README must contain `mcp-name:` and this name, which proves to the registry that both have the same owner."""
PRESETS = {
    "type": "named",
    "name": "--for",
    "description": "Which tools to serve. agent: for an assistant or a coding agent that remembers.",
    "default": "agent",
    "choices": list(get_args(Preset)),
}
OFFERED = (
    *("neo4j_uri", "neo4j_username", "neo4j_password", "neo4j_database", "home", "domain", "blob_url"),
    *("embeddings", "embedding_model", "embedding_url", "embedding_api_key"),
)
"""The settings that a client may ask its user for. All have defaults."""


def server_entry() -> dict[str, object]:
    """Return the content of `server.json`."""
    pyproject = Path(__file__).parents[2] / "pyproject.toml"
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    package = {
        "registryType": "pypi",
        "identifier": project["name"],
        "version": project["version"],
        "runtimeHint": "uvx",
        "transport": {"type": "stdio"},
        "packageArguments": [{"type": "positional", "value": "mcp"}, PRESETS],
        "environmentVariables": [environment(name, Settings.model_fields[name]) for name in OFFERED],
    }
    about = {"name": NAME, "description": project["description"], "version": project["version"]}
    return {"$schema": SCHEMA, **about, "packages": [package]}


def environment(name: str, field: FieldInfo) -> dict[str, object]:
    """Return a setting as an environment variable of the registry."""
    entry: dict[str, object] = {"name": variable(name, field), "description": field.description, "isRequired": False}
    if field.annotation is SecretStr:
        return {**entry, "isSecret": True}
    if kind(field.annotation) == "path":
        entry["format"] = "filepath"
    match field.default:
        case str():
            entry["default"] = field.default
        case tuple():
            entry["default"] = ",".join(field.default)
    return entry
