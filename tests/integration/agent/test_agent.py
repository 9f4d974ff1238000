"""The memory types of an agent on a real domain: what they keep, and that all else of a memory works with it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import anyio
import pytest

from graph_memory import Code, GraphError, Memory, Ontology, Settings, ontology_from, open_memory
from graph_memory.agent.layer import Agent
from graph_memory.ontologies import load_ontology
from support import agrees

pytestmark = pytest.mark.anyio


@pytest.fixture
async def agent(memory: Memory) -> AsyncIterator[Agent]:
    """The agent of a domain; whatever a test does in it, graph and log agree afterwards."""
    yield memory.agent
    await agrees(memory)


async def code_of(call: Awaitable[object]) -> Code:
    with pytest.raises(GraphError) as caught:
        await call
    return caught.value.code


async def test_an_event_is_recorded_with_what_it_is_about_and_found_by_session_type_outcome_and_words(
    memory: Memory, agent: Agent
) -> None:
    failed = await agent.episodic.record(
        "tool_call",
        "pytest: 3 failed in test_x.py",
        session="s1",
        outcome="failure",
        keywords=["pytest", "red"],
        entities=[{"name": "test_x.py", "entityType": "file", "observations": ["fails"]}, {"name": "pytest"}],
        relations=[{"from": "pytest", "to": "test_x.py", "relationType": "runs"}],
    )
    fixed = await agent.episodic.record(
        "fix",
        "imported anyio",
        session="s1",
        outcome="success",
        caused_by=[failed.event_id],
        entities=[{"name": "test_x.py", "entityType": "other", "observations": ["passes"]}],
    )
    early = datetime.now(UTC) - timedelta(days=1)
    before = await agent.episodic.record("fix", session="s2", timestamp=early.isoformat())
    assert [event.id for event in (await agent.episodic.get_recent("s1")).events] == [fixed.event_id, failed.event_id]
    assert [event.id for event in (await agent.episodic.get_by_type("fix")).events] == [fixed.event_id, before.event_id]
    [result] = (await agent.episodic.get_by_outcome("failure")).events
    assert (result.title, result.keywords) == ("pytest: 3 failed in test_x.py", ("pytest", "red"))
    assert (await agent.episodic.search("anyio")).events[0].id == fixed.event_id
    page = await agent.episodic.get_recent("s1", limit=1)
    assert [event.id for event in (await agent.episodic.get_recent("s1", cursor=page.next_cursor)).events] == [
        result.id
    ]
    [entity] = (await memory.entities.open_nodes(["test_x.py"])).entities
    assert (entity.entity_type, entity.observations) == ("file", ("fails", "passes"))
    [relation] = (await memory.query_connections(type="runs")).connection_ids
    assert (await memory.get_connection(relation)).properties == {"evidence": failed.event_id}
    assert len((await memory.get_connected_nodes(failed.event_id, direction="out")).node_ids) == 2


async def test_a_chain_is_followed_both_ways_to_a_depth_and_through_a_circle(memory: Memory, agent: Agent) -> None:
    first = await agent.episodic.record("a")
    ids = [first.event_id]
    for _ in range(4):
        ids.append((await agent.episodic.record("a", caused_by=[ids[-1]])).event_id)
    await memory.create_connection("CausedBy", ids[0], ids[4])
    whole = await agent.episodic.get_chain(ids[2])
    assert ({event.id for event in whole.events}, whole.left_out) == (set(ids), None)
    near = await agent.episodic.get_chain(ids[2], depth=1)
    assert [(event.id, event.distance) for event in near.events] == [(ids[1], -1), (ids[2], 0), (ids[3], 1)]
    assert near.left_out
    assert (await agent.episodic.get_chain(ids[2], limit=1)).left_out


async def test_bad_input_is_refused_and_nothing_is_written(memory: Memory, agent: Agent) -> None:
    await agent.episodic.record("a")
    before = (await memory.history.log(limit=1)).entries[0].seq
    goal = (await agent.prospective.create("Ship", steps=["tag"])).goal
    known = (await memory.history.log(limit=1)).entries[0].seq
    episodic, procedural, prospective = agent.episodic, agent.procedural, agent.prospective
    calls: list[tuple[Awaitable[object], Code]] = [
        (episodic.record("a", actor="bob"), Code.INVALID_PROPERTY),  # type: ignore[arg-type]
        (episodic.record("a", timestamp="soon"), Code.INVALID_ARGUMENT),
        (episodic.record("a", caused_by=["mem_none"]), Code.NODE_NOT_FOUND),
        (episodic.record("a", "x" * 9_000_000), Code.CONTENT_TOO_LARGE),
        (episodic.get_recent(limit=0), Code.INVALID_ARGUMENT),
        (episodic.get_chain(goal.id), Code.INVALID_ARGUMENT),
        (procedural.record("p", conditions=[]), Code.INVALID_ARGUMENT),
        (procedural.record("p", conditions=[{"value": "x"}], confidence=2), Code.INVALID_ARGUMENT),
        (procedural.apply_result(goal.id, True), Code.INVALID_ARGUMENT),
        (prospective.create("g", deadline="some day"), Code.INVALID_ARGUMENT),
        (prospective.create("g", blocked_by=["mem_none"]), Code.NODE_NOT_FOUND),
        (prospective.update(goal.id, status="done"), Code.INVALID_PROPERTY),  # type: ignore[arg-type]
        (prospective.update(goal.id), Code.INVALID_ARGUMENT),
        (prospective.block(goal.id, by=goal.id), Code.INVALID_TOPOLOGY),
        (prospective.complete_step(goal.id, 2), Code.INVALID_ARGUMENT),
    ]
    assert [await code_of(call) for call, _ in calls] == [code for _, code in calls]
    assert (await memory.history.log(limit=1)).entries[0].seq == known > before


async def test_a_goal_that_waits_goes_on_once_all_that_blocked_it_is_completed(memory: Memory, agent: Agent) -> None:
    goals = agent.prospective
    ship = (await goals.create("Ship 1.0", priority=1, deadline="2026-12-04", steps=["docs", "tag"])).goal
    bug, test = [(await goals.create(text, parent=ship.id)).goal.id for text in ("Fix the bug", "Write the test")]
    notes = (await goals.create("Write the notes", parent=ship.id, blocked_by=[bug, test])).goal
    assert (notes.status, notes.blocked_by) == ("blocked", (bug, test))
    assert (await goals.update(bug, status="completed")).unblocked is None
    done = await goals.update(test, status="completed")
    assert (done.unblocked, done.goal.progress) == ((notes.id,), 1)
    assert ((await goals.get(notes.id)).status, (await goals.get(notes.id)).blocked_by) == ("pending", None)
    listed = (await goals.list()).goals
    assert [(goal.id, goal.progress) for goal in listed] == [(ship.id, 0.6667), (notes.id, 0)]
    assert [goal.id for goal in (await goals.list(due_before="2026-12-05")).goals] == [ship.id]
    assert (await goals.list(due_before="2026-12-04")).goals == ()
    blocked = (await goals.block(notes.id, reason="no access")).goal
    assert (blocked.status, blocked.blocked_reason) == ("blocked", "no access")
    assert (await goals.unblock(notes.id)).goal.status == "pending"
    assert await code_of(goals.block(notes.id, by=bug)) is Code.INVALID_ARGUMENT
    held = (await goals.create("Blog", blocked_by=[ship.id])).goal.id
    await goals.block(held, reason="budget")
    waiting = (await goals.create("Announce", blocked_by=[notes.id])).goal.id
    assert waiting in ((await goals.abandon(notes.id)).warnings or ("",))[0]
    assert (await goals.complete_step(ship.id)).goal.current_step == 2
    last = await goals.complete_step(ship.id)
    assert (last.goal.status, last.unblocked, (await goals.get(held)).blocked_reason) == ("completed", None, "budget")
    renamed = (await goals.update(held, description="Write\nthe blog", status="pending")).goal
    assert (renamed.blocked_by, renamed.blocked_reason) == (None, None)
    assert (await memory.get_node(held)).title == "Write the blog"


async def test_counts_of_a_pattern_lose_none_of_two_processes(memory: Memory, agent: Agent, settings: Settings) -> None:
    pattern = await agent.procedural.record(
        "Retry", "Retry with backoff", conditions=[{"value": "timeout"}], steps=["wait", "retry"]
    )
    event = await agent.episodic.record("tool_call", outcome="success")
    domain = (await memory.upkeep.verify()).domain
    async with open_memory(settings) as other, anyio.create_task_group() as tasks:
        for item in (agent, other.in_domain(domain).agent):
            for number in range(3):
                tasks.start_soon(item.procedural.apply_result, pattern.id, number % 3 > 0)
    counted = await agent.procedural.apply_result(pattern.id, True, event=event.event_id)
    assert (counted.successes, counted.failures, counted.applications) == (5, 2, 7)
    assert (await agent.procedural.get_best()).patterns[0].success_bound == counted.success_bound > 0.3
    await agent.episodic.record("note")
    [match] = (await agent.procedural.match("it ran into a timeout")).matches
    assert match.pattern == counted
    assert (match.pattern.steps[1].action, match.score) == ("retry", 0.5)


@pytest.mark.parametrize(("name", "goal"), [("gtd", "Goal"), ("fitness", "AgentGoal")])
async def test_types_that_a_domain_has_stay_as_they_are(memory: Memory, name: str, goal: str) -> None:
    ontology = load_ontology(name)
    await memory.create_ontology(ontology)
    made = (await memory.agent.prospective.create("Run 10 km", steps=["train"])).goal
    await memory.agent.episodic.record("training", outcome="success")
    assert (await memory.get_node(made.id)).type == goal
    assert [goal.id for goal in (await memory.agent.prospective.list()).goals] == [made.id]
    now = await memory.get_ontology()
    assert now.node_types[: len(ontology.node_types)] == ontology.node_types
    await agrees(memory)


async def test_the_past_revert_branches_and_search_have_what_an_agent_keeps(memory: Memory, agent: Agent) -> None:
    goal = (await agent.prospective.create("Ship 1.0")).goal
    pattern = await agent.procedural.record("Retry", conditions=[{"value": "timeout"}])
    at = (await memory.history.log(limit=1)).entries[0].seq
    domain = (await memory.upkeep.verify()).domain
    branch = f"{domain}-b"
    await memory.history.branch(branch)
    await memory.in_domain(branch).agent.prospective.update(goal.id, status="completed")
    assert (await agent.prospective.get(goal.id)).status == "pending"
    await memory.history.merge(branch)
    assert (await agent.prospective.get(goal.id)).status == "completed"
    past = await memory.history.as_of(at)
    assert (await past.get_node(goal.id)).properties["status"] == "pending"
    hits = (await memory.recall.search_memories("Retry")).hits
    assert pattern.id in [hit.id for hit in hits]
    await memory.history.revert(since=at + 1, dry_run=False)
    assert (await agent.prospective.get(goal.id)).status == "pending"


async def test_what_tools_print_is_recorded_and_odd_values_hide_nothing(memory: Memory, agent: Agent) -> None:
    event = await agent.episodic.record("tool_call", "\x1b[31mFAILED\x1b[0m a\tb\nrest", summary=None)
    [result] = (await agent.episodic.get_recent()).events
    assert (result.id, result.title) == (event.event_id, "[31mFAILED [0m a b")
    pattern = await agent.procedural.record("two\nlines", conditions=[{"value": "x"}], learned_from=[event.event_id])
    counted = await agent.procedural.apply_result(pattern.id, True, event=event.event_id)
    assert counted.successes == 1
    goal = (await agent.prospective.create("Ship", steps=["a"], priority=0)).goal
    await agent.prospective.create("Later", priority=1)
    await memory.update_node(pattern.id, properties={"trigger": '{"conditions": "oops"}', "procedure": '{"name": "x"}'})
    await memory.update_node(goal.id, properties={"completed_steps": "[[1]]"})
    [odd] = (await agent.procedural.get_best()).patterns
    assert (odd.name, odd.conditions) == ("two\nlines", ())
    assert [goal.description for goal in (await agent.prospective.list()).goals] == ["Ship", "Later"]


async def test_types_that_a_person_changes_stay_those_of_the_agent_and_inverses_keep_their_names(
    memory: Memory,
) -> None:
    await memory.create_ontology(
        ontology_from({"connection_types": [{"name": "Blocks", "from": ["*"], "to": ["*"], "inverse": "BlockedBy"}]})
    )
    first = (await memory.agent.prospective.create("First")).goal.id
    second = (await memory.agent.prospective.create("Second", blocked_by=[first])).goal
    assert (second.status, second.blocked_by) == ("blocked", (first,))
    await memory.agent.procedural.record("Retry", conditions=[{"value": "x"}])
    pattern = (await memory.get_ontology()).node_type("Pattern")
    rules = [replace(rule, enum=(*rule.enum, "team")) if rule.name == "scope" else rule for rule in pattern.properties]
    await memory.apply_ontology(Ontology(node_types=(replace(pattern, properties=tuple(rules)),)))
    assert len((await memory.agent.procedural.get_best()).patterns) == 1
    await agrees(memory)


async def test_events_belong_to_the_session_of_the_caller_and_their_relations_keep_their_properties(
    memory: Memory,
) -> None:
    agent = memory.acting_as("Ann", "morning").agent
    relation = {"from": "CI", "to": "Runner", "type": "uses", "properties": {"weight": 0.2}}
    event = await agent.episodic.record("note", entities=[{"name": "CI"}, {"name": "Runner"}], relations=[relation])
    assert event.session == "morning"
    assert (await agent.record_event({"event_type": "note"})).session == "morning"
    assert len((await agent.episodic.get_recent()).events) == 2
    assert not (await memory.agent.episodic.get_recent()).events
    [uses] = (await memory.query_connections(type="uses")).connection_ids
    assert (await memory.get_connection(uses)).properties == {"weight": 0.2, "evidence": event.event_id}
    with pytest.raises(GraphError):
        await agent.episodic.record("note", relations=[{**relation, "properties": "x"}])
    with pytest.raises(GraphError):
        await agent.episodic.record("note", keywords=["a, b"])
