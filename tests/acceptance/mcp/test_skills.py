"""A client that reads the skills and makes the calls that they name. The calls do what the user of a skill wants."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from acceptance.agents import Agent, serve_agent
from acceptance.skills import CALL, Calls, calls_in
from graph_memory.skills import bundled_skills

pytestmark = pytest.mark.anyio


@pytest.fixture
async def agent(environment: dict[str, str], domain: str) -> AsyncIterator[Agent]:
    """An agent with the tools that `install` serves, in a domain that an earlier session has used."""
    own = {**environment, "GRAPH_MEMORY_USERS_DOMAIN": f"{domain}-users"}
    async with serve_agent(own, "--for", "agent") as earlier:
        await earlier.within(domain).call("remember", name="Hall", observations=["The hall has 80 seats."])
    async with serve_agent(own, "--for", "agent") as agent:
        yield agent.within(domain)


def calls_of(skill: str, values: Mapping[str, str]) -> Calls:
    """Return the calls that a bundled skill names. See `calls_in`."""
    return calls_in(bundled_skills()[skill].body, values)


async def follow(agent: Agent, skill: str, **values: str) -> list[dict[str, Any]]:
    """Make the calls that a skill names, one after the other, and return their results."""
    names = {name.replace("_", " "): value for name, value in values.items()}
    return [await agent.call(tool, **arguments) for tool, arguments in calls_of(skill, names)]


async def recalled_text(agent: Agent, query: str) -> str:
    """Return the text that the memory recalls."""
    return str((await agent.call("recall", query=query))["content"])


async def test_remember_stores_facts_and_asks_about_outdated_ones(agent: Agent) -> None:
    known, stored, preference = await follow(
        agent, "remember", subject="Hall", fact="The hall opens at nine.", sentence="The user prefers short answers."
    )
    assert "80 seats" in str(known["content"])
    assert [fact["decision"] for fact in stored["facts"]] == ["ADD"]
    assert preference["facts"]
    text = await recalled_text(agent, "When does the hall open?")
    assert "opens at nine" in text
    assert "80 seats" in text


async def test_remember_answers_a_question_with_decide(agent: Agent) -> None:
    await agent.call("remember", name="Ben", type="person", text="Works as a data analyst at Merrow.")
    _, stored = await follow(agent, "remember", subject="Ben", fact="Left Merrow; since 1 February at Tarn Energy.")
    [question] = stored["questions"]
    *_, (tool, arguments) = calls_of("remember", {"question": question["id"]})
    assert (tool, arguments) == ("decide", {"id": question["id"], "decision": "close"})
    await agent.call(tool, **arguments)
    [ben] = (await agent.call("open_nodes", names=["Ben"]))["entities"]
    assert ben["observations"] == ["Left Merrow; since 1 February at Tarn Energy."]


async def test_recall_returns_what_is_stored(agent: Agent) -> None:
    result, results = await follow(agent, "recall", question="How many seats has the hall?")
    assert "80 seats" in str(result["content"])
    assert "80 seats" in json.dumps(results["hits"])


async def test_forget_shows_the_fact_first_and_then_ends_it(agent: Agent) -> None:
    _, tried, ended = await follow(agent, "forget", topic="hall", entity="Hall", fact="The hall has 80 seats.")
    assert tried["dry_run"]
    assert not ended.get("dry_run")
    assert "80 seats" not in await recalled_text(agent, "How many seats has the hall?")


async def test_forget_erases_a_fact_with_its_past(agent: Agent) -> None:
    await follow(agent, "forget", entity="Hall", fact_to_erase="The hall has 80 seats.")
    assert "80 seats" not in json.dumps(await agent.call("memory_log", limit=50))
    assert "80 seats" not in await recalled_text(agent, "How many seats has the hall?")


async def test_correct_replaces_facts_values_and_names(agent: Agent) -> None:
    changed: Mapping[str, str] = {
        "right_fact": "The hall has 90 seats.",
        "wrong_fact": "The hall has 80 seats.",
        "property": "status",
        "value": "closed",
        "right_name": "Great Hall",
    }
    await follow(agent, "correct", topic="hall", entity="Hall", **changed)
    text = await recalled_text(agent, "How many seats has the Great Hall?")
    assert "90 seats" in text
    assert "80 seats" not in text
    assert "closed" in text


async def test_the_log_shows_changes_of_the_session(agent: Agent) -> None:
    await agent.call("remember", name="Hall", observations=["The hall opens at nine."])
    last, since, own = await follow(agent, "memory-log", time="1 hour ago")
    assert "opens at nine" in json.dumps(own["entries"])
    assert "80 seats" not in json.dumps(own["entries"])
    assert "80 seats" in json.dumps(last["entries"])
    assert "80 seats" in json.dumps(since["entries"])


async def test_undo_reverts_the_writes_of_the_session(agent: Agent) -> None:
    await agent.call("remember", name="Hall", observations=["The hall opens at nine."])
    log, tried, undone = await follow(agent, "memory-undo", session="current")
    assert len(log["entries"]) >= 1
    assert (tried["dry_run"], undone["dry_run"]) == (True, False)
    text = await recalled_text(agent, "When does the hall open?")
    assert "opens at nine" not in text
    assert "80 seats" in text


def test_each_call_in_a_skill_is_made_by_a_test() -> None:
    """A call of another form would not be read by the client of this test."""
    for skill in bundled_skills().values():
        named = re.findall(r"[Cc]all\s+`(\w+)`", skill.body)
        assert named == [tool for tool, _ in CALL.findall(skill.body)], skill.name
        assert skill.tools == {*named}
