"""Examples on the pages run, or are at least valid in their language."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any, LiteralString, cast

import pytest
import yaml
from neo4j import Driver

from graph_memory import Settings
from graph_memory.mcp_server.transport.http import HOST, PORT
from graph_memory.mcp_server.transport.sessions import PATH
from graph_memory.operations.table import OPERATIONS
from pages import ROOT, Block, blocks
from tables import for_rows

pytestmark = pytest.mark.long

CONFIGURATIONS = blocks("json", "toml", "yaml")
PROGRAMS = blocks("python")
README = ROOT / "README.md"


def read(block: Block) -> Any:
    """Return the data of a block."""
    if block.text.lstrip().startswith("{"):
        return json.loads(block.text)
    return tomllib.loads(block.text) if block.text.startswith("[") else yaml.safe_load(block.text)


def has_packages_of(program: str) -> bool:
    """Return whether the packages that a program imports are installed. `google` alone may be of another package."""
    nodes = list(ast.walk(ast.parse(program)))
    plain = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    modules = plain | {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return all(is_installed(".".join(name.split(".")[:2])) for name in modules)


def is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def environment(settings: Settings, domain: str) -> dict[str, str]:
    """Return the variables that lead a program to the run's Neo4j and to a domain of its own."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "GRAPH_MEMORY_HOME": str(settings.home), "GRAPH_MEMORY_DOMAIN": domain}


@for_rows("block", CONFIGURATIONS)
def test_data_can_be_read(block: Block):
    assert read(block)


@for_rows("block", PROGRAMS)
def test_a_program_compiles(block: Block):
    compile(block.text, str(block), "exec")


def test_programs_are_formatted(tmp_path: Path):
    for number, block in enumerate(PROGRAMS):
        name = f"{block.page.stem}-{block.line}-{number}.py"
        (tmp_path / name).write_text(block.text, encoding="utf-8")
    ruff = [sys.executable, "-m", "ruff", "format", "--config", ROOT / "pyproject.toml", "--check", "--diff", tmp_path]
    done = subprocess.run(ruff, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


RUN = [block for block in PROGRAMS if has_packages_of(block.text) and block.page != README]


@pytest.mark.parametrize("block", RUN, ids=str)
def test_a_program_runs(block: Block, settings: Settings, domain: str):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", block.text],
        cwd=ROOT,
        env=environment(settings, domain),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@for_rows("block", blocks("cypher"))
def test_the_server_understands_the_cypher(block: Block, driver: Driver):
    with driver.session() as session:
        assert session.run(cast("LiteralString", f"EXPLAIN {block.text}")).consume().plan


def servers(data: Any) -> list[dict[str, Any]]:
    """Return the servers that a client's configuration names."""
    for key in ("mcpServers", "servers", "context_servers", "extensions", "mcp_servers"):
        if isinstance(data, dict) and key in data:
            named = data[key]
            return named if isinstance(named, list) else list(named.values())
    return []


def test_every_configuration_of_a_client_starts_the_server():
    results = [server for block in CONFIGURATIONS for server in servers(read(block))]
    assert {server["url"] for server in results if "url" in server} == {f"http://{HOST}:{PORT}{PATH}"}
    commands = [server for server in results if "url" not in server]
    assert len(commands) > 8
    for server in commands:
        command, arguments = server.get("command") or server["cmd"], server["args"]
        if command == "uvx":  # which runs the command that is named like the package
            command, *arguments = arguments
        assert command.rpartition("/")[2] == "graph-memory"
        assert arguments[0] == "mcp"


def test_every_call_of_a_tool_has_arguments_that_the_tool_takes():
    calls = [data for block in blocks("json") for data in [read(block)] if "arguments" in data]
    assert calls
    for call in calls:
        OPERATIONS[call["name"]].bind(call["arguments"])
