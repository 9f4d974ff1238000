"""A person's day at the command line: the installed command as a process, on the run's Neo4j."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio.to_thread
import pytest

from acceptance.agents import COMMAND, Agent, run
from graph_memory.cli.errors import CONFLICT, FAULTY_DATA, NOT_FOUND, USAGE
from graph_memory.cli.input import completion
from graph_memory.model.errors import Code

pytestmark = pytest.mark.anyio

README = (Path(__file__).parents[3] / "README.md").read_text()


class Shell:
    """Runs the command in one domain, with output that goes to a pipe."""

    def __init__(self, environment: dict[str, str], domain: str) -> None:
        self._environment = {**environment, "GRAPH_MEMORY_DOMAIN": domain}

    def output(self, *arguments: str, **options: Any) -> str:
        """Return the output of a command. Asserts that it succeeds and prints no control codes."""
        done = run(self._environment, *arguments, **options)
        assert done.returncode == 0, done.stderr
        assert "\x1b" not in done.stdout + done.stderr
        return done.stdout

    def json(self, *arguments: str) -> Any:
        """Return the JSON output of a command."""
        return json.loads(self.output(*arguments, "--json"))

    def failure(self, status: int, *arguments: str) -> str:
        """Return the error text of a command. Asserts its status, at most two lines, and no result."""
        done = run(self._environment, *arguments)
        assert done.returncode == status, done.stderr
        assert done.stdout == ""
        assert "Traceback" not in done.stderr
        return done.stderr


@pytest.fixture
def shell(environment: dict[str, str], domain: str) -> Shell:
    return Shell(environment, domain)


async def test_a_day_at_the_command_line(shell: Shell, agent: Agent, tmp_path: Path):
    assert shell.output("ontology", "apply", "gtd").startswith("Created the ontology: 6 node types")
    assert shell.output("ontology", "apply", "gtd").startswith("The domain already has all of these types")
    kitchen = shell.output(
        *("node", "create", "Project", "--content", "# Kitchen\n\nFarmhouse style", "-t", "home"),
        *("-p", "status=active", "-p", "priority:=1"),
    ).strip()
    call = shell.output("node", "create", "Action", "-f", "-", "-p", "status=next", input="# Call Anna").strip()
    link = shell.output("connection", "create", "NextAction", kitchen, call, "--content", "first of all").strip()

    assert [line.split() for line in shell.output("query").splitlines()] == [
        ["type", "title", "id"],
        ["Project", "Kitchen", kitchen],
        ["Action", "Call", "Anna", call],
    ]
    assert f"Kitchen  NextAction  Call Anna  {link}" in shell.output("connection", "list", "--from", "Kitchen")
    assert shell.output("node", "content", kitchen[:-4]) == "# Kitchen\n\nFarmhouse style"
    assert shell.output("node", "content", kitchen) == "# Kitchen\n\nFarmhouse style"
    assert await agent.call("search_content", query="FARMHOUSE", detail=True) == shell.json("find", "FARMHOUSE")
    results = await agent.call("query_nodes", properties={"priority": 1}, detail=True)
    assert results == shell.json("query", "-p", "priority:=1")
    assert results["nodes"] == [{"id": kitchen, "type": "Project", "title": "Kitchen"}]
    assert await agent.call("get_node", node_id=kitchen) == shell.json("node", "get", kitchen)
    assert await agent.call("get_ontology", detail=True) == shell.json("ontology", "show", "--detail")
    assert await agent.call("get_connection", connection_id=link, include_content=True) == json.loads(
        shell.output("call", "get_connection", f"connection_id={link}", "include_content=true")
    )

    seen = shell.json("node", "get", call)["version"]
    assert shell.json("node", "update", call, "-p", "status=waiting", "--expected-version", str(seen))["version"] > seen
    conflict = shell.failure(CONFLICT, "node", "update", call, "-p", "status=next", "--expected-version", str(seen))
    assert conflict.startswith("VERSION_CONFLICT: ")

    assert "connections       1\n" in shell.output("domain", "info")
    shell.output("node", "delete", kitchen)
    assert shell.json("connection", "list") == {"connection_ids": [], "connections": []}
    assert (await agent.error_of("get_node", node_id=kitchen)).code is Code.NODE_NOT_FOUND
    result = json.loads(shell.failure(NOT_FOUND, "node", "get", kitchen, "--json"))
    assert result["code"] == "NODE_NOT_FOUND"
    assert shell.json("verify")["differences"] == []


@pytest.mark.long
async def test_an_ontology_grows_by_files_and_a_conflict_changes_nothing(shell: Shell, agent: Agent, tmp_path: Path):
    file = tmp_path / "team.yaml"
    file.write_text("node_types: [Task, Person]\nconnection_types: {DoneBy: {from: [Task], to: [Person]}}\n")
    applied = shell.json("ontology", "apply", str(file))
    assert (applied["created"], applied["node_types"]) == (True, ["Task", "Person"])
    task, person = await agent.node("Task"), await agent.node("Person")
    joined = await agent.connection("DoneBy", task, person)
    before = await agent.call("get_ontology", detail=True)

    file.write_text("node_types: [Place, Task]\nconnection_types: {DoneBy: {from: [Task], to: [Task]}}\n")
    error = shell.failure(CONFLICT, "ontology", "apply", str(file))
    assert f"({joined}): it connects Task to Person" in error
    assert await agent.call("get_ontology", detail=True) == before

    file.write_text("node_types: [Place, Task]\nconnection_types: {At: {from: [Task], to: [Place]}}\n")
    result = shell.json("ontology", "apply", str(file))
    assert (result["created"], result["node_types"], result["connection_types"]) == (False, ["Place"], ["At"])
    assert result["version"] > applied["version"]
    assert shell.json("ontology", "apply", str(file))["version"] == result["version"]
    assert '-->|"At"|' in shell.output("ontology", "diagram")
    file.write_text(shell.output("ontology", "show", "--yaml"))
    assert shell.output("ontology", "apply", str(file)).startswith("The domain already has all of these types")
    assert (await agent.call("create_node", type="Place", content="x", format="text"))["version"] > result["version"]
    assert shell.json("verify")["differences"] == []


@pytest.mark.long
def test_the_lines_of_the_readme_run_as_they_are_written(environment: dict[str, str], domain: str):
    lines = README.split("On the command line:\n\n```sh\n")[1].split("```")[0]
    path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/sh", "-eu"],
        input=lines,
        env={**os.environ, **environment, "GRAPH_MEMORY_DOMAIN": domain, "PATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Call the contractor" in done.stdout
    assert 'Project "Kitchen" created' in done.stdout


def test_mistakes_are_told_with_a_status_of_their_own(shell: Shell):
    assert "create" in shell.failure(USAGE, "node", "creat")
    assert shell.failure(USAGE, "node", "create", "Note", "-p", "x:=y").startswith("INVALID_ARGUMENT: ")
    assert "`graph-memory ontology apply FILE --domain " in shell.failure(NOT_FOUND, "node", "create", "Note")
    assert shell.failure(FAULTY_DATA, "ontology", "validate", __file__).startswith("INVALID_ONTOLOGY: ")


async def test_values_are_read_as_the_ontology_declares_them(shell: Shell, agent: Agent, tmp_path: Path):
    file = tmp_path / "books.yaml"
    file.write_text("node_types: {Book: {properties: {year: integer, isbn: string}}}\nconnection_types: []\n")
    shell.output("ontology", "apply", str(file))
    book = shell.output(
        "node", "create", "Book", "-c", "# Dune", "-p", "year=1965", "-p", "isbn=0441", "-p", "n=1"
    ).strip()
    assert (await agent.call("get_node", node_id=book))["properties"] == {"year": 1965, "isbn": "0441", "n": "1"}
    assert shell.json("query", "-p", "year=1965", "-p", "isbn=0441")["node_ids"] == [book]
    shell.output("node", "update", "Dune", "-p", "year=1966")
    assert shell.json("query", "--type", "Book", "-p", "year=1966")["node_ids"] == [book]
    assert "must be an integer" in shell.failure(FAULTY_DATA, "node", "update", "Dune", "-p", "year=soon")
    shell.output("node", "create", "Book", "-c", "# Dune")
    error = shell.failure(USAGE, "node", "delete", "Dune", "--yes")
    assert f"  {book}  Book  Dune\n" in error


@pytest.mark.long
async def test_connections_are_shown_as_they_were(shell: Shell, agent: Agent):
    shell.output("ontology", "apply", "gtd")
    ends = [shell.output("node", "create", "Note", "-c", f"# {name}").strip() for name in ("Old", "Other")]
    link = shell.output("connection", "create", "RelatesTo", *ends, "-p", "why=before").strip()
    then = str(json.loads(shell.output("call", "get_connection", f"connection_id={link}"))["version"])
    shell.output("node", "update", "Old", "-c", "# New")
    shell.output("call", "update_connection", f"connection_id={link}", 'properties={"why": "after"}')
    assert f"Old   RelatesTo  Other  {link}" in shell.output("connection", "list", "--as-of", then)
    shell.output("call", "delete_connection", f"connection_id={link}")
    assert shell.json("connection", "list")["connections"] == []
    assert f"Old   RelatesTo  Other  {link}" in shell.output("connection", "list", "--from", "New", "--as-of", then)


async def test_a_shell_completes_domains_types_and_toolsets(
    shell: Shell, environment: dict[str, str], domain: str, monkeypatch: pytest.MonkeyPatch
):
    shell.output("ontology", "apply", "gtd")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    def work() -> None:
        context: Any = SimpleNamespace(params={"domain": domain})
        assert completion.node_types(context, "P") == ["Person", "Project"]
        assert completion.connection_types(context, "Next") == ["NextAction"]
        assert completion.all_types(context, "P") == ["PartOf", "Person", "Project"]
        assert completion.domains(domain[:-1]) == [domain]
        assert completion.toolsets("graph,hi") == ["graph,history"]
        assert completion.toolsets("memory_revert_") == ["memory_revert_session"]
        monkeypatch.setenv("GRAPH_MEMORY_HOME", "/nowhere")
        assert completion.node_types(context, "P") == []

    await anyio.to_thread.run_sync(work)


async def test_connections_have_a_strength(shell: Shell):
    shell.output("ontology", "apply", "gtd")
    ends = [shell.output("node", "create", "Note", "-c", f"# {name}").strip() for name in ("Kitchen", "Garden")]
    values = ("--strength", "semantic=0.9", "--strength", "structural=0.7")
    link = shell.output("connection", "create", "RelatesTo", *ends, *values).strip()
    result = json.loads(shell.output("call", "get_connection", f"connection_id={link}"))
    assert result["strength"] == {"semantic": 0.9, "structural": 0.7}
    assert shell.json("connection", "list", "--min-strength", "0.9")["connection_ids"] == []
    assert shell.json("connection", "list", "--min-strength", "0.7")["connection_ids"] == [link]
    for wrong in (("--strength", "2"), ("--strength", "much"), ("--strength", "semantik=1"), ("--strength", "=1")):
        assert "strength" in shell.failure(USAGE, "connection", "create", "RelatesTo", *ends, *wrong)


async def test_the_fields_of_a_node_are_set_shown_found_and_cleared(shell: Shell, agent: Agent):
    shell.output("ontology", "apply", "gtd")
    metadata = '{"b": [1, null], "a": "x"}'
    values = ("--path", "/house/kitchen", "--namespace", "home", "--title", "Mine", "--summary", "short")
    node = shell.output("node", "create", "Project", "--content", "# Kitchen", *values, "--metadata", metadata).strip()
    shown = shell.output("node", "get", "Mine")
    for line in ("path        /house/kitchen", "namespace   home", "summary     short", 'metadata    {"a": "x"'):
        assert line in shown
    results = ("query", "--path-prefix", "/house", "--namespace", "home", "--created-after", "yesterday")
    assert shell.json(*results)["node_ids"] == [node]
    assert shell.json(*results, "--modified-before", "yesterday")["node_ids"] == []
    assert shell.json(*results, "--as-of", "now")["node_ids"] == [node]
    rendered = await agent.call("get_node", node_id=node)
    assert (rendered["namespace"], rendered["metadata"]) == ("home", {"a": "x", "b": [1, None]})

    shell.output(
        "node", "update", "Mine", *(f"--{name}=" for name in ("path", "namespace", "title", "summary", "metadata"))
    )
    assert shell.output("node", "get", node).splitlines()[0].split() == ["title", "Kitchen"]
    assert "namespace" not in shell.json("node", "get", node)
    assert "not valid JSON" in shell.failure(USAGE, "node", "update", node, "--metadata", "{")
    assert "not a JSON object" in shell.failure(USAGE, "node", "update", node, "--metadata", "[1]")
    assert "1 to 255 characters" in shell.failure(USAGE, "node", "update", node, "--path", "p" * 256)
