"""Undoing changes: each subject as it was before, in one write that is logged and can be undone itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import cast

import pytest

from graph_memory import Code, GraphError, Memory, Settings, ontology_from, open_memory
from graph_memory.model.events import Origin

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from(
    {
        "node_types": [{"name": "Project", "properties": {"code": {"unique": True}, "status": {"indexed": True}}}],
        "connection_types": [
            {"name": "PartOf", "from": ["Project"], "to": ["Project"], "acyclic": True},
            {"name": "Leads", "from": ["Project"], "to": ["Project"], "unique_source": True},
            {"name": "Beside", "from": ["Project"], "to": ["Project"]},
        ],
    }
)


@pytest.fixture
async def work(memory: Memory) -> AsyncIterator[Memory]:
    """A domain with types; whatever a test does in it, graph and log agree afterwards."""
    await memory.create_ontology(ONTOLOGY)
    yield memory
    assert (await memory.upkeep.verify()).differences == ()


async def project(memory: Memory, content: str = "", **properties: object) -> str:
    return (await memory.create_node("Project", content, properties=properties)).node_id


async def last_events(memory: Memory, number: int = 1) -> list[str]:
    return [entry.id for entry in (await memory.history.log(limit=number)).entries]


async def refusal(memory: Memory, **arguments: object) -> list[dict[str, object]]:
    """The conflicts with which a revert is refused; nothing is written then."""
    before = (await memory.domain_info()).events
    with pytest.raises(GraphError) as caught:
        await memory.history.revert(**arguments)  # type: ignore[arg-type]
    assert caught.value.code is Code.REVERT_CONFLICT
    assert (await memory.domain_info()).events == before
    return caught.value.details["conflicts"]  # type: ignore[return-value]


async def test_an_update_is_undone_with_its_content_and_what_is_found_by_it(work: Memory) -> None:
    node = await project(work, "# Garden\nold words", status="next")
    await work.update_node(node, properties={"status": "done", "n": 1}, content="new words", encoding="utf-8")
    undone = await work.history.revert(event_ids=await last_events(work))
    assert [(change.subject, change.operation) for change in undone.changes] == [(node, "update")]
    assert (await work.get_node(node)).properties == {"status": "next"}
    assert (await work.get_node_content(node)).content == "# Garden\nold words"
    assert (await work.search_content("old words")).node_ids == (node,)
    assert (await work.search_content("new words")).node_ids == ()
    assert (await work.query_nodes(type="Project", properties={"status": "next"})).node_ids == (node,)
    assert (await work.get_node(node)).version == undone.changes[0].seq


async def test_several_changes_of_a_node_are_undone_to_before_the_first(work: Memory) -> None:
    node = await project(work, status="next")
    for status in ("waiting", "done"):
        await work.update_node(node, properties={"status": status})
    await work.history.revert(event_ids=await last_events(work, 2))
    assert (await work.get_node(node)).properties == {"status": "next"}


async def test_content_that_is_kept_as_a_blob_comes_back(work: Memory) -> None:
    long = "long " * 10_000
    node = await project(work, long)
    await work.update_node(node, content="short", encoding="utf-8")
    await work.history.revert(event_ids=await last_events(work))
    assert (await work.get_node_content(node)).content == long
    assert (await work.search_content("long long")).node_ids == (node,)


async def test_a_creation_is_undone(work: Memory) -> None:
    node = await project(work, "words")
    undone = await work.history.revert(event_ids=await last_events(work))
    assert undone.changes[0].operation == "delete"
    with pytest.raises(GraphError, match="does not exist"):
        await work.get_node(node)
    assert (await work.search_content("words")).node_ids == ()


async def test_a_deleted_node_comes_back_with_its_connections(work: Memory) -> None:
    text, two = await project(work, "one", code=1), await project(work, "two")
    link = (await work.create_connection("PartOf", text, two, content="why", properties={"n": 1})).connection_id
    made = (await work.get_node(text)).created
    await work.delete_node(text)
    [event] = [e.id for e in (await work.history.log(limit=2)).entries if e.subject == text]
    undone = await work.history.revert(event_ids=[event])
    assert {change.subject for change in undone.changes} == {text, link}
    assert (await work.get_node(text)).created == made
    assert (await work.get_connection(link, include_content=True)).content == "why"
    assert (await work.get_connected_nodes(two, direction="in")).node_ids == (text,)


async def test_a_connection_whose_other_end_is_gone_stays_away_and_is_told(work: Memory) -> None:
    text, two = await project(work), await project(work)
    link = (await work.create_connection("PartOf", text, two)).connection_id
    await work.delete_node(text)
    event = next(e.id for e in (await work.history.log(limit=2)).entries if e.subject == text)
    await work.delete_node(two)
    undone = await work.history.revert(event_ids=[event])
    assert [change.subject for change in undone.changes] == [text]
    assert [(skip.subject, two in skip.reason) for skip in undone.skipped] == [(link, True)]


async def test_both_ends_of_a_connection_come_back_together(work: Memory) -> None:
    text, two = await project(work), await project(work)
    link = (await work.create_connection("PartOf", text, two)).connection_id
    begun = (await work.domain_info()).events
    await work.delete_node(text)
    await work.delete_node(two)
    await work.history.revert(since=begun + 1)
    assert (await work.get_connection(link)).to_node_id == two


async def test_undoing_an_undo_brings_the_changes_back(work: Memory) -> None:
    node = await project(work, "first", status="next")
    await work.update_node(node, properties={"status": "done"}, content="second", encoding="utf-8")
    await work.history.revert(event_ids=await last_events(work))
    await work.history.revert(event_ids=await last_events(work))
    assert (await work.get_node(node)).properties == {"status": "done"}
    assert (await work.get_node_content(node)).content == "second"
    await work.delete_node(node)
    for is_there in (True, False, True):
        await work.history.revert(event_ids=await last_events(work))
        assert bool((await work.search_content("second")).node_ids) == is_there


async def test_what_was_changed_since_is_a_conflict_with_choices(work: Memory) -> None:
    node = await project(work, status="next")
    await work.update_node(node, properties={"status": "done"})
    [event] = await last_events(work)
    changed = await work.update_node(node, properties={"by": "somebody"})
    [conflict] = await refusal(work, event_ids=[event])
    reason = f"it was changed again in event {changed.version}"
    assert (conflict["subject"], conflict["reason"], conflict["forcible"]) == (node, reason, True)
    skipped = await work.history.revert(event_ids=[event], on_conflict="skip")
    assert (skipped.changes, [skip.subject for skip in skipped.skipped]) == ((), [node])
    assert skipped.batch is None
    await work.history.revert(event_ids=[event], on_conflict="force")
    assert (await work.get_node(node)).properties == {"status": "next"}


async def test_a_node_with_later_connections_is_not_taken_away_unless_forced(work: Memory) -> None:
    text = await project(work)
    [event] = await last_events(work)
    two = await project(work)
    link = (await work.create_connection("Beside", text, two)).connection_id
    [conflict] = await refusal(work, event_ids=[event])
    assert "1 connection" in str(conflict["reason"])
    forced = await work.history.revert(event_ids=[event], on_conflict="force")
    assert [change.subject for change in forced.changes] == [link, text]


async def test_nothing_is_half_done_when_one_of_many_stands_against_it(work: Memory) -> None:
    begun = (await work.domain_info()).events
    text, two = await project(work), await project(work)
    await work.update_node(text, properties={"by": "somebody"})
    await refusal(work, since=begun + 1, until=begun + 2)
    done = await work.history.revert(since=begun + 1, until=begun + 2, on_conflict="skip")
    assert [change.subject for change in done.changes] == [two]
    assert [skip.subject for skip in done.skipped] == [text]


async def test_a_unique_value_that_somebody_has_now_cannot_be_forced(work: Memory) -> None:
    node = await project(work, code=7)
    await work.delete_node(node)
    [event] = await last_events(work)
    other = await project(work, code=7)
    for choice in ("stop", "force"):
        if choice == "stop":
            [conflict] = await refusal(work, event_ids=[event])
            assert other in str(conflict["reason"])
        else:
            done = await work.history.revert(event_ids=[event], on_conflict="force")
            assert [skip.subject for skip in done.skipped] == [node]


async def test_a_value_that_is_given_up_by_the_same_undo_is_free(work: Memory) -> None:
    node = await project(work, code=7)
    begun = (await work.domain_info()).events
    await work.delete_node(node)
    other = await project(work, code=7)
    done = await work.history.revert(since=begun + 1)
    assert {change.subject for change in done.changes} == {node, other}
    assert (await work.get_node(node)).properties == {"code": 7}


async def test_of_two_that_would_get_the_same_unique_value_back_one_stays_away(work: Memory) -> None:
    deletions = []
    for _ in range(2):
        node = await project(work, code=7)
        await work.delete_node(node)
        deletions += await last_events(work)
    [conflict] = await refusal(work, event_ids=deletions)
    assert "unique" in str(conflict["reason"])
    done = await work.history.revert(event_ids=deletions, on_conflict="force")
    assert (len(done.changes), len(done.skipped)) == (1, 1)
    assert len((await work.query_nodes(type="Project", properties={"code": 7})).node_ids) == 1


async def test_values_that_were_passed_on_go_back_to_where_they_were(work: Memory) -> None:
    text, two = await project(work, code=7), await project(work, code=8)
    begun = (await work.domain_info()).events
    await work.update_node(text, properties={"code": 9})
    await work.update_node(two, properties={"code": 7})
    await work.history.revert(since=begun + 1)
    assert [(await work.get_node(node)).properties for node in (text, two)] == [{"code": 7}, {"code": 8}]


async def test_connections_that_would_break_a_rule_now_stay_away(work: Memory) -> None:
    text, two, three = [await project(work) for _ in range(3)]
    begun = (await work.domain_info()).events
    led = (await work.create_connection("Leads", text, two)).connection_id
    part = (await work.create_connection("PartOf", text, two)).connection_id
    await work.delete_connection(led)
    await work.delete_connection(part)
    deletions = [e.id for e in (await work.history.log(since=begun + 3)).entries]
    await work.create_connection("Leads", text, three)
    await work.create_connection("PartOf", two, text)
    conflicts = await refusal(work, event_ids=deletions)
    assert {conflict["subject"] for conflict in conflicts} == {led, part}
    done = await work.history.revert(event_ids=deletions, on_conflict="force")
    assert done.changes == ()
    assert {skip.subject: "cycle" in skip.reason for skip in done.skipped} == {led: False, part: True}


async def test_a_dry_run_tells_what_would_be_and_changes_nothing(work: Memory) -> None:
    node = await project(work, status="next")
    await work.update_node(node, properties={"status": "done"})
    before = (await work.domain_info()).events
    tried = await work.history.revert(since=before, dry_run=True)
    assert (tried.dry_run, tried.batch) == (True, None)
    assert [(change.subject, change.operation) for change in tried.changes] == [(node, "update")]
    assert (await work.domain_info()).events == before
    assert (await work.get_node(node)).properties == {"status": "done"}
    await work.update_node(node, properties={"status": "later"})
    assert (await work.get_node(node)).version == before + 1


@pytest.mark.parametrize("dry_run", [True, False])
async def test_what_is_undone_or_would_be_is_told_with_titles(work: Memory, dry_run: bool) -> None:
    kitchen = await project(work, "# Kitchen")
    text = await project(work, "# Gone")
    begun = (await work.domain_info()).events
    new = await project(work, "# New")
    link = (await work.create_connection("PartOf", new, kitchen)).connection_id
    await work.update_node(kitchen, properties={"title": "Bathroom"})
    await work.delete_node(text)
    reverted = await work.history.revert(since=begun + 1, dry_run=dry_run)
    assert {change.subject: (change.type, change.title) for change in reverted.changes} == {
        new: ("Project", "New"),
        text: ("Project", "Gone"),
        kitchen: ("Project", "Kitchen"),
        link: ("PartOf", "New → Kitchen"),
    }


async def test_a_whole_session_is_undone_and_others_are_not(work: Memory, settings: Settings, domain: str) -> None:
    async with open_memory(settings, origin=Origin(session="s1", source="agent", actor="tester")) as opened:
        agent = opened.in_domain(domain)
        mine = await project(work, "mine")
        theirs = await project(agent, "theirs")
        await agent.update_node(mine, properties={"by": "agent"})
        [mark] = (await work.history.sessions(limit=1)).sessions
        assert (mark.session, mark.source, mark.actor, mark.changes) == ("s1", "agent", "tester", 2)
        assert {entry.subject for entry in (await work.history.log(session="s1")).entries} == {mine, theirs}
    await work.history.revert_session("s1")
    assert (await work.get_node(mine)).properties == {}
    assert (await work.search_content("theirs")).node_ids == ()
    with pytest.raises(GraphError) as caught:
        await work.history.revert_session("s2")
    assert caught.value.code is Code.INVALID_ARGUMENT


async def test_a_start_beyond_the_end_of_the_log_is_refused(work: Memory) -> None:
    last = (await work.create_node("Project", "# Garden", properties={"status": "next"})).version
    for value in (last + 1, str(last + 9_000)):
        with pytest.raises(GraphError) as caught:
            await work.history.revert(since=value)
        assert (caught.value.code, f"its last event is {last}" in caught.value.message) == (Code.EVENT_NOT_FOUND, True)
    assert (await work.history.revert(since="now")).changes == ()


async def test_an_event_is_named_by_its_number_as_well_as_by_its_id(work: Memory) -> None:
    node = await project(work, "Garden", status="next")
    version = (await work.update_node(node, properties={"status": "done"})).version
    [event] = await last_events(work)
    await work.history.revert(event_ids=[version, str(version), event])
    assert (await work.get_node(node)).properties == {"status": "next"}
    for numbers in ([version + 5], [event, "99"], [-1], [0], ["9" * 30]):
        with pytest.raises(GraphError) as caught:
            await work.history.revert(event_ids=numbers)  # type: ignore[arg-type]
        assert caught.value.code is Code.EVENT_NOT_FOUND
        assert "Use memory_log with full to find the number" in (caught.value.hint or "")


async def test_what_is_reverted_must_be_clear(work: Memory) -> None:
    for arguments in ({}, {"event_ids": ["evt_x"], "since": 1}, {"event_ids": ["evt_x"], "until": 1}):
        with pytest.raises(GraphError) as caught:
            await work.history.revert(**arguments)  # type: ignore[arg-type]
        assert caught.value.code is Code.INVALID_ARGUMENT
    with pytest.raises(GraphError) as caught:
        await work.history.revert(event_ids=["evt_x"])
    assert caught.value.code is Code.EVENT_NOT_FOUND
    with pytest.raises(GraphError) as caught:
        await work.history.revert(since=1, on_conflict="maybe")  # type: ignore[arg-type]
    assert caught.value.code is Code.INVALID_ARGUMENT


async def test_reverting_the_first_session_empties_the_domain(memory: Memory, domain: str) -> None:
    first = memory.acting_as("ann", "first")
    await first.entities.remember(name="Ada", type="Person", observations=["Ada flies.", "Ada lives in Rome."])
    await first.entities.remember(name="Ben", relations=[{"type": "knows", "to": "Ada"}])
    await first.create_node("Note", "# A note")
    await first.update_domain(domain, description="Of Ann")
    preview = await first.history.revert_session("first", dry_run=True)
    undone = await first.history.revert_session("first")
    assert len(preview.changes) == len(undone.changes) > 6
    assert undone.skipped == ()
    assert (await memory.query_nodes()).node_ids == ()
    ontology = await memory.get_ontology()
    assert (ontology.node_types, ontology.connection_types) == ((), ())
    assert (await memory.upkeep.verify()).differences == ()
    await first.entities.remember(name="Ada", type="Person", observations=["Ada flies."])
    assert (await memory.entities.open_nodes(["Ada"])).entities[0].observations == ("Ada flies.",)


async def test_what_others_built_on_the_first_session_keeps_what_they_need(memory: Memory) -> None:
    await memory.acting_as("ann", "first").entities.remember(name="Ada", type="Person", observations=["Ada flies."])
    other = memory.acting_as("bob", "second")
    await other.entities.remember(name="Ben", type="Person", observations=["Ben sails."])
    undone = await other.history.revert_session("first", on_conflict="skip")
    assert [node.name for node in (await memory.entities.read_graph()).entities] == ["Ben"]
    assert [type_.name for type_ in (await memory.get_ontology()).node_types] == ["Person"]
    assert undone.skipped
    assert (await memory.upkeep.verify()).differences == ()


async def test_a_conflict_names_titles_and_texts_and_has_the_call_that_resolves_it(
    work: Memory, settings: Settings, domain: str
) -> None:
    node = await project(work, "# Ship it")
    link = (await work.create_connection("Beside", node, await project(work, "# Plan"))).connection_id
    await work.delete_connection(link)
    removed = (await work.history.log(limit=1)).entries[0].seq
    await work.delete_node(node)
    [conflict] = await refusal(work, event_ids=[removed])
    deletion = str((await work.history.log(limit=1)).entries[0].seq)
    assert conflict == {
        "subject": link,
        "title": "Ship it → Plan",
        "reason": f'it needs node "Ship it" ({node}), which does not exist',
        "forcible": False,
        "call": {"tool": "memory_revert", "arguments": {"event_ids": [deletion], "domain": domain}},
    }
    await work.entities.create_entities([{"name": "Ann", "entityType": "Project", "observations": ["Likes tea."]}])
    made = (await work.history.log(limit=1)).entries[0].seq
    await work.entities.update_observation("Ann", "Likes tea.", text="Likes coffee.")
    [conflict] = await refusal(work, event_ids=[made])
    assert (conflict["title"], "call" in conflict) == ("Likes coffee.", False)
    with pytest.raises(GraphError) as caught:
        await work.history.revert(event_ids=[made], dry_run=True)
    calls = cast("dict[str, dict[str, dict[str, object]]]", caught.value.details["calls"])
    arguments = {choice: call["arguments"] for choice, call in calls.items()}
    assert {choice: argument["on_conflict"] for choice, argument in arguments.items()} == {
        "skip": "skip",
        "force": "force",
    }
    assert all(argument["dry_run"] for argument in arguments.values())
    left = await work.history.revert(event_ids=[made], on_conflict="skip", dry_run=True)
    assert [skipped.forcible for skipped in left.skipped] == [True]
    assert left.force is not None
    assert left.force.arguments == arguments["force"]


async def test_an_earlier_session_is_reverted_after_a_later_one_was(memory: Memory) -> None:
    first, second = memory.acting_as("ann", "first"), memory.acting_as("bob", "second")
    flies = ["Ada flies.", "Ada lives in Rome."]
    await first.entities.remember(name="Ada", type="Person", observations=flies, properties={"role": "pilot"})
    await second.entities.remember(name="Ada", observations=["Ada sails."], properties={"role": "sailor"})
    await second.entities.remember(name="Ben", type="Robot", relations=[{"type": "knows", "to": "Ada"}])
    await second.entities.delete_observations([{"entityName": "Ada", "observations": ["Ada flies."]}])
    with pytest.raises(GraphError) as caught:
        await memory.history.revert_session("first")
    assert "it was changed again" in caught.value.message
    await memory.history.revert_session("second")
    assert (await memory.history.revert_session("first", dry_run=True)).skipped == ()
    for role in ("sailor", "pilot"):  # set back without a revert: a statement of its own
        await second.entities.update_entity("Ada", properties={"role": role})
    with pytest.raises(GraphError, match="it was changed again"):
        await memory.history.revert_session("first")
    assert (await memory.history.revert_session("first", on_conflict="force")).skipped == ()
    assert (await memory.query_nodes()).node_ids == ()
    assert (await memory.upkeep.verify()).differences == ()
