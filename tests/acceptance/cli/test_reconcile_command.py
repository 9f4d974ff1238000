"""`graph-memory reconcile`, as a person uses it after a change by hand: at a terminal, and in a script."""

from __future__ import annotations

import json
from typing import Any

import pytest
from neo4j import Driver

from acceptance.agents import run, verify
from acceptance.terminal import Terminal, terminal
from graph_memory import Memory, ontology_from

pytestmark = [pytest.mark.long, pytest.mark.anyio]


@pytest.fixture
async def memory_after_manual_changes(memory: Memory, domain: str, driver: Driver) -> Memory:
    """A memory whose `call` and `paint` a hand changed, and whose `plan` it deleted."""
    types: dict[str, Any] = {"node_types": [{"name": "Action", "properties": {"size": "integer"}}]}
    await memory.create_ontology(ontology_from(types))
    for name in ("call", "paint", "plan"):
        await memory.create_node("Action", f"# {name}", properties={"size": 1}, id=name)
    hand = "MATCH (n:_Node {_domain: $domain, _id: $id}) "
    driver.execute_query(hand + "SET n.size = 2", domain=domain, id="call")
    driver.execute_query(hand + "SET n.size = 'large'", domain=domain, id="paint")
    driver.execute_query(hand + "DETACH DELETE n", domain=domain, id="plan")
    return memory


@pytest.mark.usefixtures("memory_after_manual_changes")
async def test_changes_by_hand_are_listed_in_words_and_left_alone(variables: dict[str, str]) -> None:
    done = run(variables, "reconcile")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[4].startswith("    Cannot be adopted: ")
    assert "size" in lines[4]
    assert [*lines[:4], *lines[5:]] == [
        "~ call  Action call",
        "    size: 1 → 2",
        "~ paint  Action paint",
        '    size: 1 → "large"',
        "- plan  Action plan  (deleted outside graph-memory)",
    ]
    assert done.stderr.startswith("3 changes outside graph-memory. Resolve them with --adopt ID")
    assert run(variables, "verify").returncode == 1


async def test_what_is_named_is_settled_and_json_is_what_python_gives(
    memory_after_manual_changes: Memory, variables: dict[str, str], domain: str
) -> None:
    done = run(variables, "reconcile", "--adopt", "call", "--restore", "plan", "--json")
    result = json.loads(done.stdout)
    assert done.returncode == 1
    assert {change["id"]: change.get("settled") for change in result["changes"]} == {
        "call": "adopted",
        "plan": "restored",
        "paint": None,
    }
    assert (
        json.loads(run(variables, "reconcile", "--json").stdout)
        == (await memory_after_manual_changes.upkeep.reconcile()).to_dict()
    )
    [entry] = (await memory_after_manual_changes.history.log(limit=1)).entries
    assert (entry.summary, entry.actor, entry.batch) == ('Action "call": size 1 → 2', "ann", result["batch"])
    done = run(variables, "reconcile", "--adopt-all", "--restore-all")
    assert (done.returncode, done.stderr) == (0, "1 change outside graph-memory, 1 restored.\n")
    verify(variables, domain)
    done = run(variables, "reconcile")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "0 changes outside graph-memory.\n")


@pytest.mark.parametrize("term", ["dumb", "xterm-256color"])
async def test_a_person_at_a_terminal_is_asked_about_each(
    memory_after_manual_changes: Memory, variables: dict[str, str], domain: str, term: str
) -> None:
    with terminal(variables, "reconcile", term=term) as person:
        assert "size: 1 → 2" in person.answer("[a]dopt, [r]estore, [s]kip, [q]uit? ", "x")
        assert "Type one of a, r, s, q." in person.answer("[q]uit? ", "a")
        assert "[a]dopt" not in person.answer("What now: [r]estore, [s]kip, [q]uit? ", "restore")
        assert "deleted outside graph-memory" in person.answer("[a]dopt, [r]estore, [s]kip, [q]uit? ", "s")
        status, shown = person.end()
    assert status == 1
    assert "adopted  call" in shown
    assert "restored  paint" in shown
    assert "3 changes outside graph-memory, 1 adopted, 1 restored." in shown
    assert (await memory_after_manual_changes.get_node("call")).properties == {"size": 2}
    assert [change.id for change in (await memory_after_manual_changes.upkeep.reconcile()).changes] == ["plan"]


async def test_what_is_settled_while_a_person_is_asked_does_not_lose_the_answers(
    memory_after_manual_changes: Memory, variables: dict[str, str], domain: str
) -> None:
    with terminal(variables, "reconcile") as person:
        person.answer("[a]dopt, [r]estore, [s]kip, [q]uit? ", "a")
        person.answer("What now: [r]estore, [s]kip, [q]uit? ", "restore")
        person.until("[q]uit? ")
        await memory_after_manual_changes.upkeep.reconcile(restore=["paint"])
        person.type("r\n")
        status, shown = person.end()
    assert status == 0
    assert "adopted  call" in shown
    assert "already resolved  paint" in shown
    assert "restored  plan" in shown
    assert "2 changes outside graph-memory, 1 adopted, 1 restored." in shown
    verify(variables, domain)


async def test_who_quits_or_leaves_changes_nothing(
    memory_after_manual_changes: Memory, variables: dict[str, str]
) -> None:
    before = await memory_after_manual_changes.upkeep.reconcile()
    for first, leave, status in (
        ("s", lambda person: person.type("q\n"), 1),
        ("a", lambda person: person.type("\x04"), 1),
        ("a", Terminal.interrupt, 130),
    ):
        with terminal(variables, "reconcile") as person:
            person.answer("[q]uit? ", first)
            person.until("? ")
            leave(person)
            assert person.end()[0] == status
        assert await memory_after_manual_changes.upkeep.reconcile() == before


async def test_a_person_is_asked_before_what_a_hand_did_is_lost(
    memory_after_manual_changes: Memory, variables: dict[str, str]
) -> None:
    with terminal(variables, "reconcile", "--restore-all") as person:
        person.answer("Continue? [y/N]: ", "n")
        assert person.end()[0] == 1
    assert len((await memory_after_manual_changes.upkeep.reconcile()).changes) == 3
    with terminal(variables, "reconcile", "--restore-all", "--yes") as person:
        assert person.end()[0] == 0
    assert (await memory_after_manual_changes.upkeep.verify()).clean
