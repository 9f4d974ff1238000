"""Blocks and sessions: what an agent reads at the start of a conversation, and what is kept of one."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import partial

import pytest

from graph_memory import GraphError, Memory, NodeType, PropertyRule, Settings, ontology_from, open_memory
from graph_memory.memory.search.access_store import accesses_of, flush
from graph_memory.memory.search.index.coverage import count_unindexed
from graph_memory.memory.search.index.index import catch_up
from graph_memory.memory.search.token_budget import tokens_of
from graph_memory.model.errors import Code
from graph_memory.model.text.wording import format_day
from graph_memory.storage.log.writing import utc_now
from integration.search.test_use_counts import counting

pytestmark = pytest.mark.anyio


async def text_of(memory: Memory, label: str) -> str:
    return (await memory.entities.get_block(label)).blocks[0].text


async def test_a_block_is_appended_to_and_replaced_within_its_limit_and_is_no_entity(
    memory: Memory, domain: str
) -> None:
    entities = memory.entities
    assert [(block.label, block.limit, block.id) for block in (await entities.get_block()).blocks] == [
        (label, 2_000, None) for label in ("persona", "human", "project")
    ]
    first = await entities.edit_block("human", "Ada, a pilot.")
    second = await entities.edit_block("human", "Likes tea.", limit=30)
    assert (second.id, second.text) == (first.id, "Ada, a pilot.\nLikes tea.")
    changed = await entities.edit_block("human", "coffee", mode="replace", old="tea")
    assert (changed.text, changed.limit, changed.characters) == ("Ada, a pilot.\nLikes coffee.", 30, 27)
    assert not (await entities.edit_block("human", "Ada", mode="replace", old="Ada")).changed
    wrong = [
        (Code.CONTENT_TOO_LARGE, {"text": "And so on and on."}),
        (Code.INVALID_ARGUMENT, {"text": "x", "mode": "replace", "old": "milk"}),
        (Code.INVALID_ARGUMENT, {"text": "x", "mode": "replace", "old": "i"}),
        (Code.INVALID_ARGUMENT, {"text": "x", "old": "tea"}),
        (Code.INVALID_ARGUMENT, {"text": "x", "limit": 0}),
        (Code.VERSION_CONFLICT, {"text": "", "mode": "replace", "expected_version": first.version}),
    ]
    for code, arguments in wrong:
        with pytest.raises(GraphError) as caught:
            await entities.edit_block("human", **arguments)  # pyright: ignore[reportArgumentType]
        assert caught.value.code is code, arguments
    for label in ("", "two\nlines", "x" * 65):
        with pytest.raises(GraphError) as caught:
            await entities.edit_block(label, "x")
        assert caught.value.code is Code.INVALID_ARGUMENT
    with pytest.raises(GraphError) as caught:
        await entities.get_block("humans")
    assert "human" in str(caught.value.hint)
    assert await text_of(memory, "human") == "Ada, a pilot.\nLikes coffee."
    assert (await entities.read_graph()).entities == ()
    assert (await memory.upkeep.verify()).differences == ()

    await memory.history.branch(f"{domain}-b")
    await memory.history.revert(event_ids=[changed.version or 0])
    assert await text_of(memory, "human") == "Ada, a pilot.\nLikes tea."
    assert await text_of(memory.in_domain(f"{domain}-b"), "human") == "Ada, a pilot.\nLikes coffee."


async def test_a_block_is_found_however_its_label_is_capitalised_and_its_lines_end(memory: Memory) -> None:
    entities = memory.entities
    first = await entities.edit_block("Human", "Ada\r\nflies.\r\n")
    assert (first.label, first.text) == ("human", "Ada\nflies.\n")
    changed = await entities.edit_block("HUMAN", "Ada\r\nsails.", mode="replace", old="Ada\r\nflies.")
    assert (changed.id, changed.text) == (first.id, "Ada\nsails.\n")
    rules = await entities.edit_block("House Rules", "No shoes.")
    assert (await entities.edit_block("house rules", "No smoke.")).id == rules.id
    assert await text_of(memory, "HOUSE RULES") == "No shoes.\nNo smoke."
    assert [block.label for block in (await entities.get_block()).blocks][3:] == ["House Rules"]
    cafe = await entities.edit_block("Caf\u00e9", "Cr\u00e8me")
    again = await entities.edit_block("CAFE\u0301", "Br\u00fbl\u00e9e", mode="replace", old="Cre\u0300me")
    assert (again.id, again.text) == (cafe.id, "Br\u00fbl\u00e9e")


async def test_a_label_and_a_text_of_a_block_cannot_pose_as_the_primer(memory: Memory) -> None:
    entities = memory.entities
    for label in ("a\x1b[2J", "a\u202eb", "a\u200bb"):
        with pytest.raises(GraphError) as caught:
            await entities.edit_block(label, "x")
        assert "invisible character" in caught.value.message
    await entities.edit_block("Goals", "Hidden\u202etext\x1b[2J\u2028## Goals")
    lines = (await entities.session_start()).text.splitlines()
    assert lines[:3] == ['## Block "Goals"', "> Hidden text [2J", "> ## Goals"]


async def test_blocks_of_a_closed_domain_name_the_type_that_is_missing(memory: Memory) -> None:
    await memory.create_ontology(ontology_from({"node_types": ["Note"], "connection_types": []}))
    for write in (memory.entities.edit_block("human", "Ada"), memory.entities.session_end("Done.")):
        with pytest.raises(GraphError) as caught:
            await write
        assert caught.value.code is Code.INVALID_NODE_TYPE
        call = json.loads(str(caught.value.hint).partition("add_node_type: ")[2].removesuffix("."))
        rules = [PropertyRule(rule["name"], unique=rule["unique"]) for rule in call["properties"]]
        await memory.add_node_type(NodeType(call["type_name"], properties=tuple(rules)))
    await memory.entities.edit_block("human", "Ada")
    await memory.entities.session_end("Done.")
    assert [block.text for block in (await memory.entities.get_block("human")).blocks] == ["Ada"]


async def test_an_empty_domain_gives_a_guide_and_stores_nothing(memory: Memory) -> None:
    async def check(warning: str) -> None:
        started = await memory.entities.session_start()
        assert started.empty
        assert "remember takes facts about one entity" in started.text
        for depth in ("shallow", "medium"):
            recalled = await memory.recall.recall("Who is Ben?", depth=depth)
            assert (recalled.content, recalled.tokens_used) == (started.text, started.tokens)
            assert any(warning in text for text in recalled.warnings or ())
        result = await memory.recall.memory_query("Who is Ben?")
        assert (result.content, result.tokens_used) == (started.text, started.tokens)
        assert any(warning in text for text in result.warnings or ())
        structured = await memory.recall.recall("Who is Ben?", as_="structured")
        assert structured.content == {"guide": started.text}
        short = await memory.recall.recall("Who is Ben?", max_tokens=started.tokens - 1)
        assert short.content != started.text
        assert (await memory.entities.read_graph()).entities == ()

    await check("does not exist")
    with pytest.raises(GraphError) as caught:
        await memory.history.log()
    assert caught.value.code is Code.ONTOLOGY_NOT_FOUND
    await memory.create_ontology(ontology_from({"node_types": [], "connection_types": [], "open": True}))
    before = await memory.history.log()
    await check("Nothing was found.")
    assert await memory.history.log() == before


async def test_a_session_begins_with_blocks_the_last_summary_who_changed_what_and_what_is_open(memory: Memory) -> None:
    entities = memory.acting_as("alice", "s1").entities
    await entities.edit_block("persona", "A careful colleague.")
    await entities.edit_block("apollo", "Ships in May.")
    await entities.remember(name="Ben", type="person", observations=["works as a data analyst at Merrow"])
    await entities.remember(name="Ben", observations=["left Merrow; since 1 February at Tarn Energy"])
    await entities.create_entities(
        [
            {"name": "Rest", "type": "goal"},
            {"name": "Ship it", "type": "goal", "properties": {"assignee": "Ben", "due": "2026-12-04"}},
            {"name": "Learn Go", "type": "goal", "properties": {"status": "done"}},
        ]
    )
    await entities.create_relations([{"from": "Ben", "to": "Ship it", "relationType": "contradicts"}])
    ended = await entities.session_end("Hired Ben.\nOpen: where he works.", project="apollo")
    assert (ended.session_id, ended.open_questions) == ("s1", 1)
    assert not (await entities.session_end("Hired Ben.\nOpen: where he works.", project="apollo")).changed

    started = await memory.acting_as("bob", "s2").entities.session_start(project="apollo")
    text = started.text
    heads = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert heads == [
        *(
            "persona",
            'Block "apollo"',
            "Last time",
            "About apollo",
            "What this memory holds",
            "Changed since last time",
        ),
        "Goals",
    ]
    assert "> A careful colleague." in text
    assert "> Open: where he works." in text
    assert '- "Ben" (person, today)' in text.partition("## About apollo")[2]  # the summary names him
    assert [line.rpartition(" (alice, ")[0] for line in text.splitlines() if "Learn Go" in line] == [
        "- Learn Go (new goal): status done"
    ]
    goals = text.partition("## Goals\n")[2].splitlines()[:2]
    assert goals == ['- "Ship it" (new, due "2026-12-04", assignee "Ben")', '- "Rest" (new)']
    assert not [line for line in text.splitlines() if line.startswith(("- Ship it", "- Rest"))]  # as changes
    assert f"## Last time\nSummary as of {format_day(utc_now())}:\n> Hired Ben." in text
    assert "## Facts" not in text  # all of them were told above
    assert tokens_of([started]) <= 1_500
    for most in (300, 1_000):
        assert tokens_of([await memory.recall.recall("Where does Ben work?", max_tokens=most)]) <= most + 2
    assert (await memory.recall.recall(max_tokens=50)).over
    question, contradiction = started.questions or ()
    await entities.answer(question.call.arguments["id"], "close")
    await entities.delete_relations(**contradiction.call.arguments)
    assert (await entities.session_start()).questions is None

    short = await entities.session_start(max_tokens=400)
    assert tokens_of([short]) <= 400
    await entities.edit_block("human", "words and words\n" * 120)
    short = await entities.session_start(max_tokens=400)
    assert tokens_of([short]) <= 400
    assert (short.left_out or 0) > 0


async def test_nothing_is_told_twice_and_of_a_project_what_is_known_of_it(memory: Memory) -> None:
    entities = memory.acting_as("alice").entities
    await entities.edit_block("human", "Ada, a pilot.")
    await entities.edit_block("project", "", mode="replace")
    first = await entities.session_start(project="Apollo")
    assert "Changed last" not in first.text
    assert first.warnings == ('Nothing is known about "Apollo" yet.',)
    await entities.remember(name="Apollo", type="project", observations=["Ships in May.", "Uses larch."])
    await entities.remember(name="Ben", type="person", observations=["Plays the oboe."])
    await entities.create_relations([{"from": "Ben", "to": "Nobody yet", "relationType": "knows"}])
    await entities.session_end("Began with Apollo.", project="Apollo")
    started = await entities.session_start(project="Apollo")
    known, _, rest = started.text.partition("## About Apollo\n")[2].partition("## Who changed what last\n")
    changed, _, facts = rest.partition("\n\n## Facts about the most used entities\n")
    assert [started.text.count(text) for text in ('"Ships in May."', '"Plays the oboe."')] == [1, 1]
    assert "Plays the oboe" in changed
    assert '- "Ben"' not in facts
    assert "Session" not in started.text
    assert '"Ships in May."' in known
    assert "Began with Apollo" not in known
    assert '"Block' not in known
    assert [line.partition(" (alice")[0] for line in changed.partition("\n\n")[0].splitlines()] == [
        '- Ben (new person): + knows "Nobody yet"; + "Plays the oboe."',
        "- Apollo (new project)",
    ]
    assert started.warnings is None
    node = await memory.create_node(await _add_type(memory), "# Buy tiles")
    text = (await entities.session_start()).text
    assert "## About" not in text
    assert '- "Buy tiles" (new Chore) (user, ' in text.partition("## Who changed what last\n")[2]
    assert node.node_id not in text


async def test_what_is_not_indexed_yet_is_named_and_nothing_is_told_that_it_ends(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    entities = memory.entities
    await entities.remember(name="Apollo", type="project", observations=["Uses larch.", "Ships in May."])
    note = await memory.create_node(await _add_type(memory), "# Apollo plan\nIt begins on Monday.")
    await entities.remember(name="Nut", observations=[f"Weighs {number} grams." for number in range(9)])
    await catch_up(memory._core, memory._domain(None), within=60)
    await memory.update_node(note.node_id, content="# Apollo plan\nIt begins on Friday.", encoding="utf-8")
    await entities.remember(name="Apollo", observations=["Ships in June."], replaces="Ships in May.")

    monkeypatch.setattr("graph_memory.memory.sessions.sessions._INDEXING_SECONDS", 0.0)
    monkeypatch.setattr("graph_memory.memory.search.index.index.PAGE", 1)
    started = await entities.session_start(project="Apollo")
    known = started.text.partition("## About Apollo\n")[2].partition("## Who changed what last\n")[0]
    assert "Uses larch." in known
    assert "Apollo plan" in known
    assert not [text for text in ("May", "June", "Monday") if text in known]
    [warning] = started.warnings or ()
    assert "not indexed yet" in warning

    missing = await count_unindexed(memory._core, memory._domain(None))
    assert missing > 0
    overview = await memory.recall.recall(depth="shallow")
    assert (await count_unindexed(memory._core, memory._domain(None)), overview.not_covered) == (missing, None)
    await catch_up(memory._core, memory._domain(None), within=60)
    started = await entities.session_start(project="Apollo")
    assert started.warnings is None
    assert not [text for text in ("Ships in June", "Friday") if text not in started.text]


@pytest.mark.long
async def test_a_session_begins_with_what_was_learned_last_however_far_the_index_lags(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graph_memory.memory.sessions.sessions._INDEXING_SECONDS", 0.0)
    first = memory.acting_as("agent 1.0", "s1").entities
    await first.remember(name="Shop", type="project", observations=["sells tea"], properties={"launch": "20 Nov"})
    await first.remember(name="Tomas Lind", type="person", observations=["builds the site"])
    assert "sells tea" in (await first.session_start()).text
    second = memory.acting_as("agent 1.1", "s2").entities
    await second.remember(name="Tomas Lind", observations=["head of platform"], replaces="builds the site")
    await second.remember(name="Shop", properties={"launch": "4 Dec"})
    await second.create_relations([{"from": "Tomas Lind", "to": "Shop", "relationType": "leads"}])
    third = memory.acting_as("agent 2.0", "s3")
    for arguments in ({}, {"project": "Nothing of that name"}):
        started = await third.entities.session_start(**arguments)
        changed, _, before = started.text.partition("## Changed since last time\n")[2].partition("## Changed before\n")
        assert [line.partition(" (agent")[0] for line in changed.splitlines() if line] == [
            '- Tomas Lind: + leads Shop; + "head of platform"; − "builds the site"',
            "- Shop: launch 20 Nov → 4 Dec",
        ]
        assert [line.partition(" (agent")[0] for line in before.partition("\n\n")[0].splitlines()] == [
            "- Tomas Lind (new person)",
            '- Shop (new project): + "sells tea"; launch 20 Nov',
        ]
        assert started.text.count("head of platform") == 1
    result = await third.recall.recall("What changed since last time?")
    assert str(result.content).splitlines()[1:3] == ["Changed:", changed.splitlines()[0]]
    assert result.tokens_used < 150
    about = await third.recall.recall("What is new with the Shop?", since="last session", as_="structured")
    assert [line.partition(" (agent")[0] for line in dict(about.content)["changes"]] == ["Shop: launch 20 Nov → 4 Dec"]

    history = third.history
    log = await history.log(since="last session")
    assert {entry.session for entry in log.entries} == {"s2"}
    diff = await history.diff(since="last session")
    assert diff.lines.changes == (
        'Tomas Lind: + leads Shop; − "builds the site"; + "head of platform"',
        "Connection type leads defined",
        "Shop: launch 20 Nov → 4 Dec",
    )
    whole = await history.diff(since="last session of s1")
    assert (whole.since, whole.until) == (0, diff.until)
    await second.session_end("Moved the launch.", project="Web Shop")
    await memory.acting_as("other", "s4").entities.remember(name="Ada", observations=["is new"])
    for actor, point, session in [
        ("agent 2.0", "last session", "s2"),
        ("nobody", "the last session", "s4"),
        ("nobody", "last session of web shop", "s2"),
        ("nobody", "last session of agent", "s2"),
        ("nobody", "last session of s1", "s1"),
    ]:
        page = await memory.acting_as(actor, "s3").history.log(since=point)
        assert page.entries[-1].session == session, point
    with pytest.raises(GraphError) as caught:
        await third.history.log(since="last session of Apollo")
    assert caught.value.code is Code.INVALID_ARGUMENT


async def _add_type(memory: Memory) -> str:
    await memory.add_node_type(NodeType("Chore"))
    return "Chore"


async def test_a_summary_for_which_there_is_no_room_is_told_in_part(memory: Memory) -> None:
    entities = memory.entities
    ended = await entities.session_end(" ".join(f"Number {number} of what was done." for number in range(300)))
    await entities.create_entities([{"name": "Ann"}])
    text = (await entities.session_start(max_tokens=400)).text
    assert "- Ann (new entity) (user, " in text
    lines = text.partition("## Last time\n")[2].splitlines()
    assert lines[1].startswith("> Number 0 of what was done. Number 1 of what was done.")
    assert lines[2] == f"> … (cut: recall with focus {ended.summary_id} shows the whole text)"


@pytest.mark.long
async def test_the_tokens_that_are_left_go_to_facts_about_what_is_used_most(memory: Memory) -> None:
    memory = counting(memory)
    entities = memory.acting_as("alice").entities
    await entities.edit_block("human", "Ada, a pilot.")
    facts = [f"Ada has plan {number}." for number in range(20)]
    await entities.remember(name="Ada", type="person", observations=facts)
    await entities.remember(name="Ada", observations=["Ada dropped plan 3."], replaces=facts[3])
    for number in range(12):
        await entities.remember(name=f"Trip {number}", type="trip", observations=[f"Trip {number} is in May."])
        await memory.acting_as("alice", f"s{number}").entities.session_end(f"Planned trip {number} with Ada.")
    await memory.upkeep.reindex(anew=False)
    ada = await entities.find_by_name("Ada")
    assert ada is not None
    for _ in range(3):
        await memory.recall.recall(focus=["Ada"], max_tokens=60)
    await flush(memory._core)
    before = await accesses_of(memory._core, memory._domain(None), [ada.id])

    for arguments in ({}, {"project": "Trip 4"}):
        started = await entities.session_start(**arguments)
        lines = started.text.splitlines()
        assert started.tokens <= 1_500
        assert all(started.text.count(f'"{fact}"') == 1 for fact in facts if fact != facts[3])
        assert '"Ada dropped plan 3."' in started.text
        assert facts[3] not in started.text
        assert started.text.count("Session") == 0
        assert started.text.count("Planned trip") == 1
        assert "This memory holds: 12 trip, 1 MemoryBlock, 1 person." in lines
        known = [line for line in lines if line.startswith("  ")]
        assert len(known) == len(set(known)) > 10
        heads = [line.partition(" (")[0] for line in lines if line.startswith('- "') and ": alice" not in line]
        assert len(heads) == len(set(heads))
    first = (await entities.session_start()).text.partition("## Facts about the most used entities\n")[2]
    assert first.startswith('- "Ada" (person')
    await flush(memory._core)
    assert await accesses_of(memory._core, memory._domain(None), [ada.id]) == before  # a primer is no use


async def test_a_summary_is_called_by_a_session_that_somebody_named_or_by_its_time(memory: Memory) -> None:
    for session, title in (("s1", "Session s1"), (f"session_{'a' * 32}", "Session of 20")):
        ended = await memory.acting_as("alice", session).entities.session_end("Done.")
        assert (await memory.get_node(ended.summary_id)).title.startswith(title)
        content = str((await memory.recall.recall(focus=[ended.summary_id])).content)
        assert "aaaa" not in content
        assert content.count("s1") == (session == "s1")


async def test_a_session_begins_with_the_summary_of_the_session_that_ended_last(memory: Memory) -> None:
    for session, ended in (("s2", None), ("s1", datetime(2026, 11, 20, tzinfo=UTC)), ("s0", datetime(2026, 11, 1))):
        await memory.entities.session_end(f"Work of {session}.", session_id=session, ended=ended)
        text = (await memory.entities.session_start()).text
        assert "Work of s2." in text
        assert "Work of s1." not in text
    await memory.delete_node((await memory.entities.session_end("Gone.", session_id="s2")).summary_id)
    assert "20 November 2026:\n> Work of s1." in (await memory.entities.session_start()).text
    await memory.entities.session_end("More work of s0.", session_id="s0")
    assert "> More work of s0." in (await memory.entities.session_start()).text


async def test_a_block_or_summary_that_cannot_be_read_is_left_out(settings: Settings, domain: str) -> None:
    uncached = settings.model_copy(update={"domain": domain, "content_cache_bytes": 0})
    async with open_memory(uncached) as memory:
        long = "It lasts. " * 1_900
        entities = memory.acting_as("alice", "s1").entities
        await entities.edit_block("human", "Ada, a pilot.")
        await entities.edit_block("rules", long, limit=20_000)
        for session in ("s0", "s1"):
            await memory.acting_as("alice", session).entities.session_end(f"Planned the launch. {long}")
        [listed] = (await memory.history.sessions(limit=1)).sessions
        assert listed.summary is not None
        assert (len(listed.summary), listed.summary[-1]) == (300, "…")
        for path in (settings.home / "blobs" / domain).iterdir():
            path.unlink()
        assert [session.summary for session in (await memory.history.sessions(limit=1)).sessions] == [None]
        started = await memory.entities.session_start()
        assert "> Ada, a pilot." in started.text
        assert [
            warning for warning in started.warnings or () if warning.startswith('MemoryBlock "rules" cannot be read')
        ]
        lost = [warning for warning in started.warnings or () if warning.startswith("SessionSummary")]
        assert [warning.rpartition(". It ")[2] for warning in lost] == ["and 1 other summary are omitted."]
        await memory.acting_as("alice", "s2").entities.session_end("Chose the crew.")
        started = await memory.entities.session_start()
        assert "> Chose the crew." in started.text
        assert [warning for warning in started.warnings or () if warning.startswith("SessionSummary")] == []
        assert "human" in [block.label for block in (await memory.entities.get_block()).blocks]
        assert (await memory.entities.get_block("human")).blocks[0].text == "Ada, a pilot."
        for call in (partial(memory.entities.get_block, "rules"), partial(memory.entities.edit_block, "rules", "more")):
            with pytest.raises(GraphError) as caught:
                await call()
            assert caught.value.code is Code.CONTENT_READ_FAILED
