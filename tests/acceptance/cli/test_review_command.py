"""`graph-memory review`, as a person uses it at a terminal after an agent's session."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from acceptance.agents import run
from acceptance.terminal import terminal
from graph_memory import Memory, ontology_from
from graph_memory.model.events import Origin
from graph_memory.model.ontology.ontology import NodeType

pytestmark = [pytest.mark.long, pytest.mark.anyio]

ASKS = "[a]ccept, [r]eject, [e]dit, [q]uit? "
ASKS_NOTHING = "[a]ccept, [q]uit? "
ASKS_OF_A_DELETE = "[a]ccept, [r]eject, [q]uit? "


@pytest.fixture
async def kitchen(memory: Memory, domain: str) -> Memory:
    """A memory in which the session `bot` set a status, made a node, connected it, and deleted another."""
    types = {
        "node_types": ["Action"],
        "connection_types": [{"name": "DependsOn", "from_types": ["*"], "to_types": ["*"]}],
    }
    await memory.create_ontology(ontology_from(types))
    await memory.create_node("Action", "# Call\nBert", properties={"status": "next"}, id="call")
    await memory.create_node("Action", "# Plan", id="plan")
    origin = Origin(session="bot", source="agent", actor="robot")
    bot = Memory(replace(memory._core, origin=origin), default_domain=domain)
    await bot.update_node("call", properties={"status": "done"}, content="# Call\nAnna", encoding="utf-8")
    await bot.create_node("Action", "# Paint", properties={"size": 3}, id="paint")
    await bot.create_connection("DependsOn", "paint", "call", id="first")
    await bot.delete_node("plan")
    return memory


@pytest.mark.parametrize("term", ["dumb", "xterm-256color"])
async def test_a_session_is_gone_through_and_what_is_rejected_is_undone_together(
    kitchen: Memory, variables: dict[str, str], term: str
) -> None:
    before = (await kitchen.history.log(limit=1)).entries[0].seq
    with terminal(variables, "review", "--session", "bot", term=term) as person:
        shown = person.answer(ASKS, "r")
        assert 'robot  Action "Call": status "next" → "done"' in shown
        assert 'status: "next" → "done"' in shown
        assert "    -Bert\n    +Anna" in shown
        assert "[1/4]" in shown
        assert "size: none → 3" in person.answer(ASKS, "accept")
        assert '"Paint" DependsOn "Call" created' in person.answer(ASKS, "a")
        assert 'Action "Plan" deleted' in person.answer(ASKS_OF_A_DELETE, "r")
        shown = person.answer("Undo this? [y/N]: ", "y")
        assert "4 changes of 4 reviewed: 2 accepted, 2 rejected, 0 edited." in shown
        assert "set back  Action “Call” call" in shown
        assert "restored  Action “Plan” plan" in shown
        assert person.end()[0] == 0
    assert (await kitchen.get_node("call")).properties == {"status": "next"}
    assert (await kitchen.get_node_content("call")).content == "# Call\nBert"
    assert (await kitchen.get_node_content("plan")).content == "# Plan"
    assert (await kitchen.get_node("paint")).properties == {"size": 3}
    undone = (await kitchen.history.log(since=before + 1)).entries
    assert len({entry.batch for entry in undone}) == 1
    assert {(entry.subject, entry.actor) for entry in undone} == {("call", "ann"), ("plan", "ann")}


async def test_without_options_it_goes_through_what_nobody_has_reviewed_yet(
    kitchen: Memory, variables: dict[str, str]
) -> None:
    first = (await kitchen.history.log(session="bot")).entries[-1].seq
    await kitchen.history.mark_reviewed(dict.fromkeys(range(1, first), "accept"))
    with terminal(variables, "review") as person:
        assert "[1/4]" in person.answer(ASKS, "a")
        person.answer(ASKS, "e")
        person.answer("[v]alues, [c]ontent, [n]othing? ", "v")
        person.answer("empty to end", "size:=4")
        person.answer("empty to end", "")
        person.answer(ASKS, "q")
        assert person.end()[0] == 0
    with terminal(variables, "review") as person:
        shown = person.answer(ASKS, "r")
        assert "[1/2]" in shown
        assert '"Paint" DependsOn "Call" created' in shown
        person.answer(ASKS_OF_A_DELETE, "a")
        assert "Rejected:" in person.answer("Undo this? [y/N]: ", "n")
        assert person.end()[0] == 1
    with terminal(variables, "review") as person:
        assert "[1/1]" in person.answer(ASKS, "r")
        person.answer("Undo this? [y/N]: ", "y")
        assert person.end()[0] == 0
    with terminal(variables, "review") as person:
        status, shown = person.end()
        assert (status, shown.strip()) == (0, "All changes were reviewed; --all shows them again.")
    last = (await kitchen.history.log(limit=1)).entries[0].seq
    assert (await kitchen.history.reviewed()).settled == last
    with terminal(variables, "review", "--session", "bot", "--all") as person:
        for text in ("accept", "edit", "reject"):
            assert f"It was reviewed before: {text} by ann." in person.answer(ASKS, "a")
        person.answer(ASKS_OF_A_DELETE, "q")
        assert person.end()[0] == 0


async def test_nothing_is_undone_without_a_yes_nor_after_ctrl_c(kitchen: Memory, variables: dict[str, str]) -> None:
    log = await kitchen.history.log()
    with terminal(variables, "review", "--session", "bot") as person:
        person.answer(ASKS, "r")
        person.answer(ASKS, "q")
        assert "1 change of 4 reviewed: 0 accepted, 1 rejected" in person.answer("Undo this? [y/N]: ", "n")
        assert person.end()[0] == 1
    with terminal(variables, "review", "--session", "bot") as person:
        person.answer(ASKS, "r")
        person.until(ASKS)
        assert person.interrupt() == 130
    with terminal(variables, "review", "--session", "bot") as person:
        person.answer(ASKS, "q")
        assert person.end()[0] == 0
    assert await kitchen.history.log() == log


async def test_values_are_edited_where_the_ontology_allows(kitchen: Memory, variables: dict[str, str]) -> None:
    with terminal(variables, "review", "--session", "bot") as person:
        person.answer(ASKS, "e")
        person.answer("[v]alues, [c]ontent, [n]othing? ", "v")
        person.answer("empty to end", "status=waiting for Anna")
        person.answer("empty to end", "urgent:=true")
        person.answer("empty to end", "")
        assert "call is at version" in person.answer(ASKS, "e")
        person.answer("[v]alues, [c]ontent, [n]othing? ", "v")
        person.answer("empty to end", "_size=4")
        person.answer("empty to end", "")
        assert "INVALID_PROPERTY" in person.answer(ASKS, "e")
        person.answer("[v]alues, [c]ontent, [n]othing? ", "n")
        person.answer(ASKS, "q")
        status, shown = person.end()
    assert status == 0
    assert "1 change of 4 reviewed: 0 accepted, 0 rejected, 1 edited." in shown
    assert (await kitchen.get_node("call")).properties == {"status": "waiting for Anna", "urgent": True}
    assert (await kitchen.get_node("paint")).properties == {"size": 3}


async def test_text_is_edited_in_the_editor_also_that_of_a_connection(
    kitchen: Memory, variables: dict[str, str], tmp_path: Path
) -> None:
    program = tmp_path / "editor.py"
    program.write_text("import sys\nwith open(sys.argv[1], 'a') as file: file.write('!')\n")
    with terminal({**variables, "VISUAL": f"{sys.executable} {program}"}, "review", "--session", "bot") as person:
        for asks in (ASKS, ASKS, ASKS):
            person.answer(asks, "e")
            person.answer("[v]alues, [c]ontent, [n]othing? ", "c")
        person.answer(ASKS_OF_A_DELETE, "a")
        status, shown = person.end()
    assert status == 0
    assert "1 accepted, 0 rejected, 3 edited" in shown
    assert (await kitchen.get_node_content("call")).content == "# Call\nAnna!"
    assert (await kitchen.get_node_content("paint")).content == "# Paint!"
    assert (await kitchen.get_connection("first", include_content=True)).content == "!"


async def test_conflicts_are_told_by_subject_and_can_be_skipped_or_forced(
    kitchen: Memory, variables: dict[str, str]
) -> None:
    await kitchen.update_node("call", properties={"status": "later"})
    for choice, status in (("q", "later"), ("s", "later"), ("f", "next")):
        with terminal(variables, "review", "--session", "bot") as person:
            person.answer(ASKS, "r")
            person.answer(ASKS, "q")
            assert "conflict  call: it was changed again" in person.answer("[s]kip, [f]orce, [q]uit? ", choice)
            if choice == "f":
                person.answer("Undo this? [y/N]: ", "y")
            ended, shown = person.end()
        assert ended == 0
        assert {"q": "Nothing was undone.", "s": "left      “Call”", "f": "1 change undone"}[choice] in shown
        assert (await kitchen.get_node("call")).properties["status"] == status


async def test_the_choice_at_conflicts_can_be_given_at_once(kitchen: Memory, variables: dict[str, str]) -> None:
    await kitchen.update_node("call", properties={"status": "later"})
    with terminal(variables, "review", "--session", "bot", "--on-conflict", "skip") as person:
        person.answer(ASKS, "r")
        person.answer(ASKS, "r")
        person.answer(ASKS, "r")
        person.answer(ASKS_OF_A_DELETE, "a")
        shown = person.answer("Undo this? [y/N]: ", "y")
        assert "left      “Call”: it was changed again" in shown
        assert person.end()[0] == 0
    assert (await kitchen.query_nodes()).node_ids == ("call",)
    assert (await kitchen.get_node("call")).properties["status"] == "later"


async def test_the_beginning_of_a_domain_is_only_shown(kitchen: Memory, variables: dict[str, str]) -> None:
    with terminal(variables, "review", "--since", "1") as person:
        assert "The creation of a domain cannot be undone." in person.answer(ASKS_NOTHING, "a")
        assert "The creation of an ontology cannot be undone." in person.answer(ASKS_NOTHING, "a")
        person.answer(ASKS_OF_A_DELETE, "q")
        assert person.end()[0] == 0
    with terminal(variables, "review", "--since", "1", "--session", "nobody") as person:
        status, shown = person.end()
    assert (status, shown.strip()) == (0, "Nothing to review.")


async def test_a_type_is_rejected_like_any_change_and_what_needs_it_is_told(
    kitchen: Memory, variables: dict[str, str]
) -> None:
    since = str((await kitchen.add_node_type(NodeType("Task"))).version)
    await kitchen.add_node_type(NodeType("Idea"))
    await kitchen.create_node("Task", "", id="one")
    with terminal(variables, "review", "--since", since) as person:
        assert "Node type Task defined" in person.answer(ASKS_OF_A_DELETE, "r")
        assert "Node type Idea defined" in person.answer(ASKS_OF_A_DELETE, "r")
        person.answer(ASKS, "a")
        shown = person.answer("[s]kip, [q]uit? ", "s")
        assert "conflict  node_type/Task: node one has this type" in shown
        shown = person.answer("Undo this? [y/N]: ", "y")
        assert "removed  node type Idea" in shown
        assert person.end()[0] == 0
    assert [kind.name for kind in (await kitchen.get_ontology()).node_types] == ["Action", "Task"]
    with terminal(variables, "review", "--since", since, "--all") as person:
        for _ in range(2):
            person.answer(ASKS_OF_A_DELETE, "a")
        person.answer(ASKS, "a")
        assert "Node type Idea removed" in person.answer(ASKS_OF_A_DELETE, "r")
        shown = person.answer(ASKS_NOTHING, "a")
        assert "Types removed" in shown
        assert "It is undone together with the removed types." in shown
        assert "restored  node type Idea" in person.answer("Undo this? [y/N]: ", "y")
        assert person.end()[0] == 0
    assert [kind.name for kind in (await kitchen.get_ontology()).node_types] == ["Action", "Task", "Idea"]


@pytest.mark.usefixtures("kitchen")
async def test_without_a_terminal_it_says_what_to_do(variables: dict[str, str]) -> None:
    done = run(variables, "review", "--session", "bot")
    assert done.returncode == 2
    assert "is interactive and needs a terminal" in done.stderr
    assert "`graph-memory log`" in done.stderr
