"""The entry for the MCP registry describes the server correctly."""

from __future__ import annotations

import json
import re
import tomllib

from typer.main import get_command

from graph_memory.cli.main import app
from graph_memory.settings import Settings
from pages import ROOT

ENTRY = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
(PACKAGE,) = ENTRY["packages"]


def test_the_entry_keeps_to_the_limits_of_the_registry():
    assert ENTRY["$schema"].startswith("https://static.modelcontextprotocol.io/schemas/20")
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", ENTRY["name"])
    assert 0 < len(ENTRY["description"]) <= 100
    assert ENTRY.keys() == {"$schema", "name", "description", "version", "packages"}


def test_the_readme_names_the_entry_if_any():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"mcp-name: (\S+)", readme)) <= {ENTRY["name"]}


def test_the_package_is_this_one_and_its_command_serves():
    assert (PACKAGE["registryType"], PACKAGE["identifier"]) == ("pypi", PROJECT["name"])
    assert ENTRY["version"] == PACKAGE["version"] == PROJECT["version"]
    assert PACKAGE["runtimeHint"] == "uvx"
    assert PACKAGE["identifier"] in PROJECT["scripts"], "uvx runs the command that is named like the package"
    assert PACKAGE["transport"] == {"type": "stdio"}
    command, preset = PACKAGE["packageArguments"]
    assert command["value"] in get_command(app).commands
    assert (preset["name"], preset["default"]) == ("--for", "agent")
    assert preset["default"] in preset["choices"]


def test_the_variables_are_settings_and_only_password_and_key_are_secret():
    variables = {entry["name"]: entry for entry in PACKAGE["environmentVariables"]}
    assert {name.lower().removeprefix("graph_memory_") for name in variables} <= Settings.model_fields.keys()
    assert [name for name, entry in variables.items() if entry.get("isSecret")] == [
        "NEO4J_PASSWORD",
        "GRAPH_MEMORY_EMBEDDING_API_KEY",
    ]
    assert not any(entry["isRequired"] for entry in variables.values())
