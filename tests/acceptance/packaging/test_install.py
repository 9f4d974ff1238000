"""The wheel on a machine with Python and no checkout: installed, and run straight from the file."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters, stdio_client

from acceptance.agents import OFFERED, Agent

ROOT = Path(__file__).parents[3]
FOLDER = "Scripts" if sys.platform == "win32" else "bin"
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
LOOK = """
import pathlib, sys
import graph_memory
from graph_memory import load_ontology
from graph_memory.storage.log.writing import LOCK
here = pathlib.Path(graph_memory.__file__).parent
assert here.is_relative_to(sys.prefix), here
assert (here / "py.typed").is_file()
assert "class SyncMemory" in (here / "sync.pyi").read_text()
assert "MERGE" in LOCK.text or "MATCH" in LOCK.text
print(*sorted(type.name for type in load_ontology("gtd").node_types))
"""


def without_checkout() -> dict[str, str]:
    """Return the environment without what leads Python to the checkout."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """Return the output of a command that cannot see the checkout."""
    known = {**without_checkout(), **environment}
    done = subprocess.run(command, cwd=cwd, env=known, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a wheel of the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    run(*PIP, "wheel", "--quiet", "--no-index", "--no-build-isolation", "--no-deps", "-w", ".", ROOT, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def commands_folder(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the commands of an environment with the wheel, its dependencies borrowed."""
    folder = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", "--without-pip", "env", cwd=folder)
    commands = folder / "env" / FOLDER
    python = commands / Path(sys.executable).name
    run(*PIP, "--python", python, "install", "--quiet", "--no-index", "--no-deps", wheel, cwd=folder)
    packages = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip()
    # A folder that is only on the path has its own .pth files ignored, so the checkout stays out of sight.
    (Path(packages) / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return commands


def test_the_command_is_there(commands_folder: Path, tmp_path: Path):
    assert version("graph-memory") in run(commands_folder / "graph-memory", "version", cwd=tmp_path)


def test_statements_and_ontologies_come_with_it(commands_folder: Path, tmp_path: Path):
    printed = run(commands_folder / Path(sys.executable).name, "-c", LOOK, cwd=tmp_path)
    assert "Project" in printed.split()


@pytest.mark.anyio
async def test_an_agent_works_with_it(
    commands_folder: Path, environment: Mapping[str, str], domain: str, tmp_path: Path
):
    await remember([str(commands_folder / "graph-memory"), "mcp"], environment, domain, tmp_path)


@pytest.mark.anyio
@pytest.mark.timeout(600)  # the runner fetches everything that the wheel depends on
@pytest.mark.parametrize("runner", [["uv", "tool", "run", "--from"], ["pipx", "run", "--spec"]], ids=["uvx", "pipx"])
async def test_an_agent_works_with_it_through_a_runner_that_installs_it_on_the_way(
    runner: Sequence[str], wheel: Path, environment: Mapping[str, str], domain: str, tmp_path: Path
):
    tool, *options = runner
    command = [str(Path(sys.executable).with_name(tool)), *options, str(wheel), "graph-memory"]
    places = {"UV_TOOL_DIR": str(tmp_path / "uv"), "PIPX_HOME": str(tmp_path / "pipx")}
    environment = {**without_checkout(), **environment, **places, "UV_PYTHON": sys.executable}
    assert version("graph-memory") in run(*command, "version", cwd=tmp_path, **places, UV_PYTHON=sys.executable)
    await remember([*command, "mcp"], environment, domain, tmp_path)


async def remember(command: Sequence[str], environment: Mapping[str, str], domain: str, cwd: Path) -> None:
    """Let an agent start the server with a command, and write and read a node."""
    server = StdioServerParameters(command=command[0], args=list(command[1:]), env=dict(environment), cwd=cwd)
    async with Client(stdio_client(server), read_timeout_seconds=120) as client:
        agent = Agent(client, domain)
        assert await agent.tools() == OFFERED
        await agent.call("create_ontology", node_types=["Project"], connection_types=[])
        node = await agent.node("Project", "# From a wheel")
        assert await agent.content(node) == "# From a wheel"
