"""`graph-memory log`, `sessions`, `revert` and the history of a node, as a person uses them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from graph_memory import Memory, ontology_from

from .agents import run

pytestmark = pytest.mark.anyio


@pytest.fixture
async def kitchen(memory: Memory) -> Memory:
    await memory.create_ontology(ontology_from({"node_types": ["Action"], "connection_types": []}))
    await memory.create_node("Action", "# Call", properties={"status": "next"}, id="call")
    await memory.update_node("call", properties={"status": "done"})
    return memory


@pytest.fixture
def variables(environment: dict[str, str], domain: str) -> dict[str, str]:
    return {**environment, "GRAPH_MEMORY_DOMAIN": domain, "GRAPH_MEMORY_ACTOR": "ann", "GRAPH_MEMORY_SESSION": "desk"}


async def test_the_log_is_a_line_a_change_and_json_what_python_gives(
    kitchen: Memory, variables: dict[str, str]
) -> None:
    done = run(variables, "log", "--limit", "2")
    assert done.stdout.splitlines()[0].split() == ["seq", "time", "by", "change"]
    assert [line.split(maxsplit=4)[4] for line in done.stdout.splitlines()[1:]] == [
        'Action "Call": status "next" → "done"',
        'Action "Call" created',
    ]
    assert done.stderr.startswith("2 changes. There are more")
    told = json.loads(run(variables, "log", "--full", "--json").stdout)
    assert told == (await kitchen.history.log(full=True)).to_dict()
    told = json.loads(run(variables, "node", "history", "call", "--json").stdout)
    assert told == (await kitchen.history.log(subject="call")).to_dict()


async def test_a_session_is_named_listed_and_taken_back(kitchen: Memory, variables: dict[str, str]) -> None:
    assert run(variables, "node", "update", "call", "-p", "by=ann").returncode == 0
    [own, _] = json.loads(run(variables, "sessions", "--json").stdout)["sessions"]
    assert (own["session"], own["actor"], own["source"], own["changes"]) == ("desk", "ann", "user", 1)
    assert "desk" in run(variables, "sessions").stdout
    done = run(variables, "revert", "--session", "current")
    assert (done.returncode, done.stdout) == (0, "set back  node call\n"), done.stderr
    assert (await kitchen.get_node("call")).properties == {"status": "done"}


async def test_what_a_change_would_undo_is_told_before(kitchen: Memory, variables: dict[str, str]) -> None:
    made = (await kitchen.history.log(subject="call", operations=["create"])).entries[0].seq
    tried = run(variables, "revert", "--since", str(made), "--dry-run")
    assert tried.stdout == "deleted  node call\n"
    assert "would be undone" in tried.stderr
    assert (await kitchen.get_node("call")).properties == {"status": "done"}


async def test_a_conflict_ends_with_its_status_and_says_what_can_be_chosen(
    kitchen: Memory, variables: dict[str, str]
) -> None:
    changed = (await kitchen.get_node("call")).version
    await kitchen.update_node("call", properties={"status": "later"})
    done: Any = run(variables, "revert", "--since", str(changed), "--until", str(changed))
    assert (done.returncode, done.stdout) == (73, "")
    assert done.stderr.startswith("REVERT_CONFLICT: call cannot be reverted: it was changed since")
    done = run(variables, "revert", "--since", str(changed), "--until", str(changed), "--on-conflict", "skip")
    assert done.stdout.startswith("left      call: it was changed since")
