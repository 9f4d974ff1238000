"""The wheel on a machine with Python and no checkout. What it depends on is borrowed, so no network is needed."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters, stdio_client

from .agents import Agent

ROOT = Path(__file__).parents[2]
FOLDER = "Scripts" if sys.platform == "win32" else "bin"
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
LOOK = """
import pathlib, sys
import graph_memory
from graph_memory.app import bundled_ontology
from graph_memory.storage.log import LOCK
here = pathlib.Path(graph_memory.__file__).parent
assert here.is_relative_to(sys.prefix), here
assert (here / "py.typed").is_file()
assert "MERGE" in LOCK.text or "MATCH" in LOCK.text
print(*sorted(type.name for type in bundled_ontology("gtd").node_types))
"""


def run(*command: str | Path, cwd: Path) -> str:
    """Return what a command prints; it knows nothing of the checkout."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the commands of an environment in which the wheel is installed."""
    folder = tmp_path_factory.mktemp("installed")
    run(*PIP, "wheel", "--quiet", "--no-index", "--no-build-isolation", "--no-deps", "-w", ".", ROOT, cwd=folder)
    run(sys.executable, "-m", "venv", "--without-pip", "env", cwd=folder)
    commands = folder / "env" / FOLDER
    (wheel,) = folder.glob("*.whl")
    python = commands / Path(sys.executable).name
    run(*PIP, "--python", python, "install", "--quiet", "--no-index", "--no-deps", wheel, cwd=folder)
    packages = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip()
    # A folder that is only on the path has its own .pth files ignored, so the checkout stays out of sight.
    (Path(packages) / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return commands


def test_the_command_is_there(installed: Path, tmp_path: Path):
    assert version("graph-memory") in run(installed / "graph-memory", "version", cwd=tmp_path)


def test_statements_and_ontologies_come_with_it(installed: Path, tmp_path: Path):
    printed = run(installed / Path(sys.executable).name, "-c", LOOK, cwd=tmp_path)
    assert "Project" in printed.split()


@pytest.mark.anyio
async def test_an_agent_works_with_it(installed: Path, environment: Mapping[str, str], domain: str, tmp_path: Path):
    server = StdioServerParameters(
        command=str(installed / "graph-memory"), args=["mcp"], env=dict(environment), cwd=tmp_path
    )
    async with Client(stdio_client(server)) as client:
        assert len((await client.list_tools()).tools) == 18
        agent = Agent(client, domain)
        await agent.call("create_ontology", node_types=["Project"], connection_types=[])
        node = await agent.node("Project", "# From a wheel")
        assert await agent.content(node) == "# From a wheel"
