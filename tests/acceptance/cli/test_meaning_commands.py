"""Commands about the meaning of connections, for people and for scripts."""

from __future__ import annotations

import json
import shlex

import pytest

from acceptance.agents import run
from graph_memory import Memory, load_ontology

pytestmark = pytest.mark.anyio


async def test_an_inverse_is_told_and_what_follows_is_shown_written_and_undone(
    kitchen: Memory, variables: dict[str, str]
) -> None:
    await kitchen.apply_ontology(load_ontology("standard"))
    ids = [(await kitchen.create_node("Action", f"# {title}")).node_id for title in ("House", "Room", "Sink")]
    first = run(variables, "connection", "create", "contains", ids[0], ids[1]).stdout.strip()
    again = run(variables, "connection", "create", "part_of", ids[1], ids[0])
    assert (again.stdout.strip(), again.stderr) == (
        first,
        "The connection already exists in the inverse direction. Nothing was written.\n",
    )
    run(variables, "connection", "create", "part_of", ids[2], ids[1])
    result = json.loads(run(variables, "call", "get_connection", f"connection_id={first}").stdout)
    assert result["inverse"] == "part_of"
    shown = run(variables, "infer")
    assert (len(shown.stdout.splitlines()), shown.stderr) == (2, "1 connection would be written; use --write.\n")
    [done, undo] = run(variables, "infer", "--write").stderr.splitlines()
    assert done == "1 connection written."
    run(variables, *shlex.split(undo.removeprefix("To undo: graph-memory ")))
    left = json.loads(run(variables, "connection", "list", "--type", "contains", "--json").stdout)
    assert len(left["connection_ids"]) == 2
    run(variables, "connection", "create", "contradicts", ids[0], ids[2])
    assert "House" in run(variables, "call", "find_contradictions").stdout


async def test_a_type_is_declared_to_keep_its_inverse_in_neo4j_too(kitchen: Memory, variables: dict[str, str]) -> None:
    declared = ("type_name=holds", "from_types=*", "to_types=*", "inverse=held_by", "materialize_inverse=true")
    assert run(variables, "call", "add_connection_type", *declared).returncode == 0
    assert "materialize_inverse: true" in run(variables, "ontology", "show", "--yaml").stdout
    two = [(await kitchen.create_node("Action", f"# {title}")).node_id for title in ("Hall", "Room")]
    run(variables, "connection", "create", "held_by", *two)
    assert len((await kitchen.query_connections(type="held_by")).connection_ids) == 1
