"""`remember` of sentences that are preferences, goals and patterns, through the layer and as a tool."""

from __future__ import annotations

import re

import anyio
import pytest

from graph_memory import Code, GraphError, Memory, Settings, ontology_from, open_memory
from graph_memory.agent.layer import Agent
from graph_memory.memory.entities.remember_results import EntityRememberResult, Outcome
from integration.agent.own_domains import memory, own

__all__ = ["memory", "own"]
pytestmark = pytest.mark.anyio


def parts_of(about: EntityRememberResult) -> tuple[str, Outcome, str]:
    return about.type, about.facts[0].decision, about.facts[0].rule


async def test_each_sentence_of_a_text_goes_to_its_place(memory: Memory, own: Settings):
    agent = memory.agent
    await memory.entities.remember(name="Apollo", type="Project")
    text = (
        "Apollo is written in Rust. The user prefers short answers. Goal: ship Apollo by 2026-12-12. "
        "Never deploy on Friday. Next time the tests fail, run make clean."
    )
    result = await agent.remember(text)
    assert (result.entity, [fact.fact for fact in result.facts]) == ("Apollo", ["Apollo is written in Rust."])
    assert list(map(parts_of, result.others or ())) == [
        ("UserProfile", Outcome.ADD, "preference"),
        ("Goal", Outcome.ADD, "goal"),
        ("Pattern", Outcome.ADD, "anti_pattern"),
        ("Pattern", Outcome.ADD, "workflow"),
    ]
    assert [other.domain for other in result.others or ()] == [own.users_domain, None, None, None]
    [goal] = (await agent.prospective.list()).goals
    assert (goal.description, (goal.deadline or "")[:10]) == ("ship Apollo", "2026-12-12")
    [preference] = (await agent.user.get()).preferences or ()
    assert preference.text == "The user prefers short answers."
    warned = await agent.query_memory("May I deploy now, on a Friday? The answers of the failing test are short")
    assert {pattern.name for pattern in warned.patterns or ()} == {
        "Never deploy on Friday.",
        "Next time the tests fail, run make clean.",
    }
    assert [pattern.warning for pattern in warned.patterns or ()].count("Avoid this: deploy on Friday") == 1
    recalled = await memory.recall.recall("short answers")
    assert str(recalled.content).startswith('"The user prefers short answers." (')
    started = (await memory.entities.session_start()).text
    assert "The user prefers short answers." in started
    assert "Next time the tests fail, run make clean." in started
    assert "conditions" not in started  # how a pattern is stored
    assert "## Goals" in started
    assert '- "ship Apollo" (' in started
    assert "Never deploy on Friday." in str((await memory.recall.recall("May I deploy on Friday?")).content)

    again = await agent.remember(text)
    decisions = [fact.decision for about in (again, *(again.others or ())) for fact in about.facts]
    assert decisions == [Outcome.NOOP] * 5
    assert (await memory.upkeep.verify()).differences == ()


async def test_this_fixed_it_is_learned_from_the_last_failure_of_the_session(memory: Memory):
    agent = memory.agent
    await agent.episodic.record("error", "The migration hit a deadlock", outcome="failure", session="other")
    failed = await agent.episodic.record("error", "The import hit a timeout", outcome="failure")
    await agent.episodic.record("command", "uv sync", outcome="success")
    result = await agent.remember("This fixed it: clearing the cache.")
    pattern = await agent.procedural.get(result.id or "")
    assert [step.action for step in pattern.steps] == ["clearing the cache"]
    assert {"import", "timeout"} < {condition.value for condition in pattern.conditions}
    assert await memory.get_connected_nodes_of([pattern.id], direction="out") == {pattern.id: (failed.event_id,)}
    assert (result.facts[0].evidence or "").endswith('It is learned from "The import hit a timeout".')
    assert result.warnings is None
    other = await agent.remember("This fixed it: a new coffee machine.")
    assert (other.warnings or ("",))[0].startswith("The solution is not linked to a failure.")
    [match] = (await agent.procedural.match("another timeout of an import")).matches
    assert match.pattern.id == pattern.id


async def test_each_sentence_is_undone_by_the_range_of_its_receipt(memory: Memory, own: Settings):
    agent = memory.agent
    await agent.record_event({"event_type": "error", "content": "The import hit a timeout", "outcome": "failure"})
    result = await agent.remember("The user prefers tabs. Goal: ship it. This fixed the import: raise the timeout.")
    for about in (result, *(result.others or ())):
        where = memory if about.domain is None else memory.in_domain(about.domain)
        assert about.since is not None
        await where.history.revert(since=about.since, until=about.until)
    assert (await agent.prospective.list()).goals == ()
    assert (await agent.procedural.get_best()).patterns == ()
    assert (await agent.user.get()).preferences is None


async def test_a_goal_and_a_failure_of_a_session_are_those_of_the_session_that_is_named(memory: Memory):
    agent = memory.agent
    failed = {"event_type": "error", "content": "A deadlock", "outcome": "failure", "session": "s1"}
    event = await agent.record_event(failed)
    result = await agent.remember("Goal: ship it. This fixed it: retry the write.", session="s1")
    [goal] = (await agent.prospective.list()).goals
    assert goal.session == "s1"
    [other] = result.others or ()
    assert await memory.get_connected_nodes_of([other.id or ""], direction="out") == {other.id: (event.event_id,)}
    again = await agent.remember("Goal: ship it.", session="s2")
    assert again.facts[0].decision is Outcome.ADD


@pytest.mark.long
async def test_what_differs_in_its_situation_its_end_or_its_deadline_is_not_known(memory: Memory):
    agent, long = memory.agent, "x" * 150
    for text in ("Next time the tests fail, run make clean.", f"Never deploy {long} on staging."):
        await agent.remember(text)
    for text in ("Next time the build hangs, run make clean.", f"Never deploy {long} on production."):
        assert (await agent.remember(text)).facts[0].decision is Outcome.ADD
    await agent.remember("Goal: ship version 1.0.")
    moved = await agent.remember("Goal: ship version 1.0 by 2027-01-01.")
    assert moved.facts[0].decision is Outcome.UPDATE
    [goal] = (await agent.prospective.list()).goals
    assert (goal.deadline or "")[:10] == "2027-01-01"


async def test_a_preference_is_told_on_its_topic_and_with_the_name_of_another_user(memory: Memory):
    await memory.agent.user.remember("Prefers dark red wine", user="ann")
    await memory.agent.remember("The user prefers tabs.")
    assert "prefers" not in str((await memory.recall.recall("user table")).content)
    assert str((await memory.recall.recall("Which wine?")).content).startswith('ann: "Prefers dark red wine"')


async def test_a_question_about_the_user_is_answered_by_preferences_also_in_a_profile(memory: Memory):
    await memory.entities.remember("Atlas runs on port 8080.", name="Atlas")
    await memory.agent.remember("The user prefers tabs.")
    await memory.agent.user.update(custom_instructions=["Use metres"])
    for content in (
        (await memory.recall.recall("What does the user prefer?")).content,
        (await memory.recall.memory_query("How should I indent this?")).content,
    ):
        assert {"tabs", "metres"} <= {*re.findall(r"\w+", str(content))}
        assert "Nothing stored fits" not in str(content)
    results = await memory.agent.query_memory("What does the user prefer?")
    assert [preference.text for preference in results.preferences or ()] == [
        "Instructions: Use metres.",
        "The user prefers tabs.",
    ]


async def test_a_rule_in_a_code_block_stays_text(memory: Memory):
    await memory.entities.remember(name="Apollo", type="Project")
    result = await memory.agent.remember("Apollo logs:\n```\nNever use npm\n```")
    assert result.others is None
    assert (await memory.agent.procedural.get_best()).patterns == ()


@pytest.mark.long
async def test_a_session_begins_with_an_open_goal_beside_many_that_are_completed(memory: Memory):
    await memory.agent.prospective.create("be the first")
    done = {"description": "done", "status": "completed"}
    node = {"op": "create_node", "type": "Goal", "content": "done", "format": "text", "properties": done}
    await memory.execute_batch([node] * 101)
    await memory.agent.prospective.create("be the last")
    started = (await memory.entities.session_start()).text
    assert '- "be the first"' in started
    assert '- "be the last"' in started


@pytest.mark.long
async def test_what_is_forgotten_is_no_goal_and_no_pattern_any_more(memory: Memory):
    agent = memory.agent
    goal, pattern = [await agent.remember(text) for text in ("Goal: ship version 1.0.", "Never deploy on Friday.")]
    await memory.entities.forget(ids=[goal.id or "", pattern.id or ""])
    assert (await agent.prospective.list()).goals == ()
    assert (await agent.procedural.match("deploy")).matches == ()
    assert (await agent.query_memory("ship version 1.0")).goals is None
    assert "## Goals" not in (await memory.entities.session_start()).text


@pytest.mark.long
async def test_a_goal_a_pattern_and_a_preference_are_forgotten_by_their_sentences(memory: Memory, own: Settings):
    agent = memory.agent
    sentences = ("Goal: ship it by Friday.", "Never deploy Boreas on Friday.", "The user prefers tabs.")
    done = None
    for sentence in sentences:
        stored = await agent.remember(sentence)
        assert (await agent.forget([sentence], dry_run=True)).forgotten
        done = await agent.forget(text=f" {sentence.upper().removesuffix('.')}")
        assert [forgotten.id for forgotten in done.forgotten] == [stored.facts[0].id]
    assert done is not None
    assert done.domain == own.users_domain
    await memory.in_domain(own.users_domain).history.revert(since=done.since, until=done.until)
    [preference] = (await agent.user.get()).preferences or ()
    assert (await agent.forget(ids=[preference.id or ""])).observations == 1
    assert ((await agent.prospective.list()).goals, (await agent.procedural.get_best()).patterns) == ((), ())


@pytest.mark.long
async def test_a_text_that_names_several_things_is_refused_with_their_ids(memory: Memory):
    first = await memory.agent.prospective.create("ship it", session="s1")
    await memory.entities.remember("Boreas is a service.", name="Boreas")
    await memory.agent.remember("Never deploy Boreas on Friday.")
    second = await memory.agent.prospective.create("Ship it.", session="s2")
    with pytest.raises(GraphError) as caught:
        await memory.agent.forget(["ship it"])
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert all(goal.goal.id in (caught.value.hint or "") for goal in (first, second))
    stays = (await memory.agent.forget(["Boreas"], dry_run=True)).stays or ()
    assert stays
    assert "conditions" not in str(stays)


@pytest.mark.long
async def test_two_processes_that_store_a_sentence_at_once_store_it_once(memory: Memory, own: Settings, domain: str):
    sentences = ("Goal: ship it.", "Never deploy on Friday.")
    await memory.agent.remember("Goal: add the types first.")
    async with open_memory(own) as other:
        agents = (memory.agent, other.in_domain(domain).agent)
        for sentence in sentences:
            decisions: list[Outcome] = []

            async def store(agent: Agent, sentence: str = sentence, into: list[Outcome] = decisions) -> None:
                into.append((await agent.remember(sentence)).facts[0].decision)

            async with anyio.create_task_group() as tasks:
                for agent in agents * 4:
                    tasks.start_soon(store, agent)
            assert sorted(decisions) == [Outcome.ADD] + [Outcome.NOOP] * 7
    assert len((await memory.agent.prospective.list()).goals) == 2
    assert len((await memory.agent.procedural.get_best()).patterns) == 1


async def test_a_dry_run_stores_nothing(memory: Memory, own: Settings):
    result = await memory.agent.remember("Goal: take a rest. Never run here. The user prefers tea.", dry_run=True)
    assert (result.dry_run, result.id) == (True, None)
    assert [parts_of(about)[1] for about in (result, *(result.others or ()))] == [Outcome.ADD] * 3
    for domain in (memory, memory.in_domain(own.users_domain)):
        with pytest.raises(GraphError) as caught:
            await domain.get_ontology()
        assert caught.value.code is Code.ONTOLOGY_NOT_FOUND


async def test_a_closed_ontology_gets_no_types_by_a_rule(memory: Memory):
    await memory.create_ontology(ontology_from({"node_types": ["Project"], "connection_types": []}))
    await memory.entities.remember(name="Goal", type="Project")
    result = await memory.agent.remember("Goal: ship it.")
    assert (result.entity, result.facts[0].fact) == ("Goal", "Goal: ship it.")
    assert [kind.name for kind in (await memory.get_ontology()).node_types] == ["Project"]


async def test_a_refused_sentence_beside_others_has_a_receipt_and_alone_it_is_an_error(memory: Memory, own: Settings):
    users = memory.in_domain(own.users_domain)
    await users.entities.remember("Plays the lute.", name="user", type="Person")
    result = await memory.agent.remember("Goal: take a rest. The user prefers tea.")
    [refused] = result.others or ()
    assert refused.facts[0].decision is Outcome.REFUSED
    assert "not a user" in (refused.facts[0].evidence or "")
    with pytest.raises(GraphError) as caught:
        await memory.agent.remember("The user prefers tea.")
    assert caught.value.code is Code.INVALID_ARGUMENT
    result = await memory.agent.remember("Goal: sing songs. Nobody knows of whom this is.")
    assert (result.facts[0].fact, result.facts[0].decision) == ("Nobody knows of whom this is.", Outcome.REFUSED)
    assert "name" in (result.facts[0].evidence or "")
    goals = (await memory.agent.prospective.list()).goals
    assert {goal.description for goal in goals} == {"take a rest", "sing songs"}
