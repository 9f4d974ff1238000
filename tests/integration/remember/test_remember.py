"""Facts remembered: what is added, what was known, what ends, what is asked, and that nothing is lost."""

from __future__ import annotations

import re
import threading
import unicodedata
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import anyio
import pytest

from graph_memory import GraphError, Memory, load_ontology, ontology_from
from graph_memory.memory.entities.indexing import index_texts
from graph_memory.memory.entities.observations import current
from graph_memory.memory.search.results import Statement, Superseded
from graph_memory.memory.statements import statement_verdict
from graph_memory.model.errors import Code


async def observations_of(memory: Memory, name: str) -> tuple[str, ...]:
    return (await memory.entities.open_nodes([name])).entities[0].observations


async def test_facts_are_added_once_each_with_its_receipt_and_all_is_one_batch_that_can_be_reverted(
    memory: Memory,
) -> None:
    first = await memory.entities.remember(
        "Works at Merrow Insurance in Leeds. Runs 10 km every Sunday morning.", name="Ben Aldous", type="person"
    )
    again = await memory.entities.remember(name="ben  aldous", observations=["Runs 10 km  every Sunday morning"])

    assert (first.created, first.type, first.found_by) == (True, "person", "new")
    assert [(fact.decision, fact.rule) for fact in first.facts] == [("ADD", "new")] * 2
    assert (again.entity, again.found_by, again.created) == ("Ben Aldous", "normalised name", False)
    assert [(fact.decision, fact.rule, fact.id) for fact in again.facts] == [("NOOP", "equal text", first.facts[1].id)]
    assert len(await observations_of(memory, "Ben Aldous")) == 2
    events = (await memory.history.log(subject=str(first.id))).entries
    await memory.history.revert(since=events[-1].seq)
    assert not (await memory.entities.read_graph()).entities


async def test_a_change_is_added_and_asked_about_and_each_answer_does_what_it_says(memory: Memory) -> None:
    entities = memory.entities
    await entities.remember(name="Ben", observations=["works as a data analyst at Merrow", "likes tea"])
    result = await entities.remember(name="Ben", observations=["left Merrow; since 1 February at Tarn Energy"])
    assert result.questions is not None
    [question] = result.questions

    assert question.known_text == "works as a data analyst at Merrow"
    assert len(await observations_of(memory, "Ben")) == 3
    kept = await entities.answer(question.id, "keep")
    closed = await entities.answer(question.id, "close")
    twice = await entities.answer(question.id, "close")
    assert (kept.changed, closed.changed, twice.changed, twice.ended) == (True, True, False, closed.ended)
    assert await observations_of(memory, "Ben") == ("likes tea", "left Merrow; since 1 February at Tarn Energy")
    same = await entities.remember(name="Ben", observations=["really adores green tea"])
    known = (await entities.remember(name="Ben", observations=["likes tea"])).facts[0].id
    await entities.decide(str(same.facts[0].id), str(known), "same")
    assert "really adores green tea" not in await observations_of(memory, "Ben")
    assert (await memory.upkeep.verify()).differences == ()


async def test_an_answer_after_which_nothing_would_hold_is_refused(memory: Memory) -> None:
    entities = memory.entities
    await entities.remember(name="Door", observations=["the door in hall A is open"])
    result = await entities.remember(name="Door", observations=["the door in hall A is closed now"])
    assert result.questions is not None
    new, known = str(result.facts[0].id), str(result.questions[0].id).partition(":")[2]
    await entities.decide(new, known, "close")

    for refused in ((new, known, "same"), (known, new, "close")):
        with pytest.raises(GraphError) as raised:
            await entities.decide(*refused)
        assert raised.value.code is Code.INVALID_ARGUMENT
    assert await observations_of(memory, "Door") == ("the door in hall A is closed now",)
    again = await entities.remember(name="Door", observations=["nobody gets through the hall A door"])
    await entities.decide(str(again.facts[0].id), new, "close")
    last = await entities.remember(name="Door", observations=["one can not go through the door in hall A"])
    await entities.decide(str(again.facts[0].id), str(last.facts[0].id), "same")
    memories = await memory.recall.search_memories("closed now", search_mode="lexical", valid_at="2020-01-01")
    [closed] = [hit for hit in memories.hits if "closed now" in str(hit.passage)]
    assert closed.over is not None
    assert [statement.id for statement in closed.over.replaced_by or ()] == [last.facts[0].id]
    assert (await memory.upkeep.verify()).differences == ()


async def test_what_is_named_as_replaced_ends_is_kept_and_is_found_only_at_its_time(memory: Memory) -> None:
    entities = memory.entities
    first = await entities.remember(name="Ben", observations=["lives in Leeds", "plays the oboe"])
    result = await entities.remember(name="Ben", observations=["lives in York"], replaces="lives in Leeds")
    again = await entities.remember(name="Ben", observations=["lives in York"], replaces="lives in Leeds")
    over = await entities.remember(name="Ben", replaces=[str(first.facts[1].id)])

    assert [(fact.decision, fact.rule) for fact in result.facts] == [("UPDATE", "named as replaced")]
    assert result.facts[0].replaced == (first.facts[0].id,)
    assert [fact.decision for fact in (*again.facts, *over.facts)] == ["NOOP", "DELETE"]
    assert await observations_of(memory, "Ben") == ("lives in York",)
    now = await memory.recall.search_memories("lives in Leeds", search_mode="lexical")
    then = await memory.recall.search_memories("lives in Leeds", search_mode="lexical", valid_at="2020-01-01")
    assert ["Leeds" in result.model_dump_json().replace('"query":"lives in Leeds"', "") for result in (now, then)] == [
        False,
        True,
    ]
    changes = await memory.history.log(subject=str(result.facts[0].id))
    assert changes.entries
    with pytest.raises(GraphError) as wrong:
        await entities.remember(name="Ben", observations=["lives in Hull"], replaces="lives in Yorkk")
    assert wrong.value.code is Code.INVALID_ARGUMENT
    assert "lives in York" in str(wrong.value.details["hint"])
    assert (await memory.upkeep.verify()).differences == ()


async def test_a_property_holds_one_value_and_a_dry_run_changes_nothing(memory: Memory) -> None:
    entities = memory.entities
    dry = await entities.remember(name="api", properties={"port": 80}, observations=["written in Go"], dry_run=True)
    assert dry.dry_run
    assert [fact.decision for fact in dry.facts] == ["ADD", "ADD"]
    assert not (await entities.read_graph()).entities
    await entities.remember(name="api", properties={"port": 80, "open": True})
    tried = await entities.remember(name="api", properties={"port": 81}, observations=["written in Go"], dry_run=True)
    result = await entities.remember(name="api", properties={"port": 81, "open": True})

    assert [fact.id for fact in tried.facts] == [None, None]
    assert [(fact.decision, fact.evidence) for fact in result.facts] == [("UPDATE", "it was 80"), ("NOOP", None)]
    assert await observations_of(memory, "api") == ()


async def test_one_name_in_several_spellings_at_once_makes_one_entity(memory: Memory) -> None:
    await memory.entities.create_entities([{"name": "Ann"}])
    names = ["Zoe Quinn", "zoe quinn", "Zoe  Quinn", "ZOE QUINN"]
    results: list[Any] = []

    async def remember(name: str, place: int) -> None:
        results.append(await memory.entities.remember(name=name, observations=[f"said thing number {place}"]))

    async with anyio.create_task_group() as tasks:
        for place, name in enumerate(names):
            tasks.start_soon(remember, name, place)
    assert sorted(item.found_by for item in results) == ["new", *["normalised name"] * 3]
    assert len({item.id for item in results}) == 1
    assert len((await memory.entities.read_graph()).entities) == 2


async def test_statements_are_compared_beside_the_work_of_others_and_equal_ones_not_at_all(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    entities, compared, threads = memory.entities, statement_verdict.compare, list[bool]()

    def note_thread(known: str, new: str, entity: str) -> Any:
        threads.append(threading.current_thread() is threading.main_thread())
        return compared(known, new, entity)

    monkeypatch.setattr(statement_verdict, "compare", note_thread)
    results, other = ([f"{text} number {number} of {uuid4()}" for number in range(4)] for text in ("thing", "box"))
    await entities.remember(name="Ben", observations=results)
    await entities.remember(name="Ben", observations=other)
    assert threads
    assert not any(threads)
    threads.clear()
    result = await entities.remember(name="Ben", observations=results)
    assert [fact.decision for fact in result.facts] == ["NOOP"] * 4
    assert not threads


async def test_an_entity_keeps_its_type_and_says_so(memory: Memory) -> None:
    entities = memory.entities
    assert (await entities.remember(name="Ben", type="person")).warnings is None
    assert (await entities.remember(name="Ben", type="person")).warnings is None
    result = await entities.remember(name="Ben", type="robot", observations=["likes tea"])
    assert (result.type, result.facts[0].decision) == ("person", "ADD")
    assert result.warnings == ('"Ben" keeps the type "person" instead of "robot": use update_entity to change it.',)


@pytest.mark.parametrize("arguments", [{"name": " "}, {"name": "Ben", "observations": ["likes tea", " \n"]}])
async def test_what_is_blank_is_refused(memory: Memory, arguments: dict[str, Any]) -> None:
    with pytest.raises(GraphError) as raised:
        await memory.entities.remember(**arguments)
    assert raised.value.code is Code.INVALID_ARGUMENT


async def test_a_name_that_is_only_near_makes_a_new_entity_and_is_told(memory: Memory) -> None:
    entities = memory.entities
    await entities.remember(name="Anna Berg", observations=["likes tea"])
    near = await entities.remember(name="Anna Burg", observations=["likes coffee"])
    assert near.created
    assert near.candidates is not None
    assert [candidate.name for candidate in near.candidates] == ["Anna Berg"]
    part = await entities.remember(name="Anna", observations=["likes cocoa"], dry_run=True)
    assert {candidate.name for candidate in part.candidates or ()} == {"Anna Berg", "Anna Burg"}
    assert (await entities.remember(name="Cole", observations=["likes milk"], dry_run=True)).candidates is None
    named = await entities.remember("Yesterday Anna Berg's sister came to York.")
    assert (named.entity, named.found_by) == ("Anna Berg", "text")
    for text in ("Nobody is named here.", "Anna Berg met Anna Burg."):
        with pytest.raises(GraphError) as wrong:
            await entities.remember(text)
        assert wrong.value.code is Code.INVALID_ARGUMENT


async def test_a_relation_to_an_unknown_name_is_refused_and_the_rest_is_stored(memory: Memory) -> None:
    entities = memory.entities
    unknown = {"type": "lives in", "to": "Yorkk"}
    arguments: dict[str, object] = {"name": "Ben", "type": "person", "observations": ["plays the oboe"]}
    arguments["relations"] = [unknown, {"type": "knows", "from": "York"}]
    tried = await entities.remember(**arguments, dry_run=True)  # pyright: ignore[reportArgumentType]
    assert [fact.decision for fact in tried.facts] == ["ADD", "REFUSED", "REFUSED"]
    await entities.remember(name="York", type="city", observations=["has a minster"])
    result = await entities.remember(**arguments)  # pyright: ignore[reportArgumentType]
    assert [fact.decision for fact in result.facts] == ["ADD", "REFUSED", "ADD"]
    evidence = str(result.facts[1].evidence)
    assert evidence.startswith('No entity is named "Yorkk". Did you mean "York"? To create it, call remember')
    graph = await entities.open_nodes(["Ben"])
    assert [entity.observations for entity in graph.entities] == [("plays the oboe",)]
    assert [(relation.from_name, relation.to_name) for relation in graph.relations] == [("York", "Ben")]
    with pytest.raises(GraphError) as caught:
        await entities.remember(name="Ben", relations=[unknown])
    assert (caught.value.code, 'Did you mean "York"?' in str(caught.value.hint)) == (Code.NODE_NOT_FOUND, True)
    assert (await memory.upkeep.verify()).differences == ()


async def test_relations_and_aliases_are_part_of_the_same_write_and_go_with_it(memory: Memory) -> None:
    entities = memory.entities
    await entities.remember(name="York", type="city", observations=["has a minster"])
    arguments = {
        "name": "Ben Aldous",
        "observations": ["plays the oboe"],
        "aliases": ["Benny", " the oboist "],
        "relations": [{"type": "lives in", "to": "York"}, {"relationType": "employs", "from": "Merrow"}],
    }
    wrong = [
        (Code.INVALID_ARGUMENT, {"relations": [{"type": "lives in", "to": "York", "from": "York"}]}),
        (Code.INVALID_ARGUMENT, {"relations": [{"to": "York"}]}),
        (Code.INVALID_ARGUMENT, {"aliases": [""]}),
    ]
    for code, change in wrong:
        with pytest.raises(GraphError) as caught:
            await entities.remember(**{**arguments, **change})  # pyright: ignore[reportArgumentType]
        assert caught.value.code is code, change
    tried = await entities.remember(**arguments, dry_run=True)  # pyright: ignore[reportArgumentType]
    assert [entity.name for entity in (await entities.read_graph()).entities] == ["York"]
    result = await entities.remember(**arguments)  # pyright: ignore[reportArgumentType]
    again = await entities.remember(**arguments)  # pyright: ignore[reportArgumentType]

    facts = [
        "plays the oboe",
        "alias: Benny",
        "alias: the oboist",
        "Ben Aldous lives in York",
        "Merrow employs Ben Aldous",
    ]
    assert [fact.fact for fact in result.facts] == [fact.fact for fact in tried.facts] == facts
    assert {fact.decision for fact in result.facts} == {"ADD"}
    assert {fact.decision for fact in again.facts} == {"NOOP"}
    assert (tried.since, again.since, again.until) == (None, None, None)
    graph = await entities.open_nodes(["Ben Aldous"])
    assert sorted((relation.from_name, relation.relation_type, relation.to_name) for relation in graph.relations) == [
        ("Ben Aldous", "lives in", "York"),
        ("Merrow", "employs", "Ben Aldous"),
    ]
    by_alias = await entities.remember("Yesterday Benny's sister came.")
    assert (by_alias.entity, by_alias.found_by) == ("Ben Aldous", "text")
    with pytest.raises(GraphError) as caught:
        await entities.remember("Benny moved to York.")
    assert "Ben Aldous" in str(caught.value.hint)
    await memory.history.revert(since=by_alias.since, until=by_alias.until)
    await memory.history.revert(since=result.since, until=result.until)
    assert [entity.name for entity in (await entities.read_graph()).entities] == ["York"]
    assert (await entities.read_graph()).relations == ()
    assert (await memory.upkeep.verify()).differences == ()


async def test_what_the_rules_of_a_relation_forbid_leaves_nothing_of_a_call(memory: Memory) -> None:
    entities = memory.entities
    rules = {"name": "Over", "from_types": ["*"], "to_types": ["*"], "acyclic": True}
    await memory.create_ontology(ontology_from({"node_types": [], "connection_types": [rules], "open": True}))
    await entities.remember(name="a", relations=[{"relationType": "Over", "to": "b"}])
    await entities.remember(name="c", relations=[{"relationType": "Over", "from": "b"}])
    before = await entities.read_graph()
    for write in (
        entities.remember(name="b", observations=["is low"], relations=[{"relationType": "Over", "to": "a"}]),
        entities.create_relations([{"relationType": "Over", "from": "b", "to": "a"}]),
        entities.merge_entities(["c"], "a"),
    ):
        with pytest.raises(GraphError) as caught:
            await write
        assert caught.value.code is Code.INVALID_TOPOLOGY
    assert await entities.read_graph() == before


@pytest.mark.long
async def test_what_is_superseded_is_shown_as_of_the_time_at_which_it_held_and_not_on_a_later_page(
    memory: Memory,
) -> None:
    entities = memory.entities
    first = await entities.remember(name="Ben", observations=["lives in Leeds with his family"])
    second = await entities.remember(name="Ben", observations=["lives in York"], replaces=str(first.facts[0].id))
    third = await entities.remember(name="Ben", observations=["lives in Hull"], replaces="lives in York")
    for name in ("Ann", "Cleo"):
        await entities.remember(name=name, observations=["lives in Hull with her family"])

    held = {first.until: "Leeds", second.until: "York", third.until: "Hull", None: "Hull"}
    for point, town in held.items():
        result = await memory.recall.search_memories("lives", search_mode="lexical", as_of=point)
        text = str((await memory.recall.recall("Where does Ben live?", as_of=point)).content)
        passages = [hit.passage for hit in result.hits if hit.title == "Ben"]
        assert [town in str(passage) for passage in passages] == [True], (point, passages)
        assert [name for name in ("Leeds", "York") if name in text and name != town] == [], (point, text)
        assert town in text
    page, seen = None, list[str]()
    while True:
        part = await memory.recall.search_memories("family", search_mode="lexical", max_results=1, cursor=page)
        seen += [str(hit.passage) for hit in part.hits]
        if (page := part.next_cursor) is None:
            break
    assert seen[:2] == ["lives in Hull with her family"] * 2
    assert "Leeds" not in "".join(seen)


async def test_what_is_superseded_says_since_when_not_and_what_holds_instead_wherever_it_is_asked_for(
    memory: Memory, domain: str
) -> None:
    entities = memory.entities
    first = await entities.remember(name="Ben", observations=["lives in Leeds", "plays the oboe"])
    branch = memory.in_domain((await memory.history.branch(f"{domain}-before")).domain)
    second = await entities.remember(name="Ben", observations=["lives in York"], replaces="lives in Leeds")
    third = await entities.remember(name="Ben", observations=["lives in Hull"], replaces="lives in York")
    ended = await entities.remember(name="Ben", replaces="plays the oboe")

    async def over(words: str, where: Memory = memory, **arguments: object) -> Superseded | None:
        [hit] = (await where.recall.search_memories(words, search_mode="lexical", **arguments)).hits  # pyright: ignore[reportArgumentType]
        assert words in str(hit.passage)
        return hit.over

    times: dict[int | None, datetime] = {entry.seq: entry.at for entry in (await memory.history.log(limit=50)).entries}
    hull = (Statement(id=third.facts[0].id or "", text="lives in Hull"),)
    leeds = Superseded(since=times[second.since], replaced_by=hull)
    assert await over("lives in Leeds", as_of=first.until) == leeds
    assert await over("lives in Leeds", valid_at="2020-01-01") == leeds
    assert await over("lives in York", as_of=second.until) == Superseded(since=times[third.since], replaced_by=hull)
    assert await over("plays the oboe", as_of=first.until) == Superseded(since=times[ended.since])
    assert await over("lives in Hull") is None
    assert await over("lives in Leeds", branch, as_of=first.until) is None

    answer = str((await memory.recall.recall("Where does Ben live?", as_of=first.until)).content)
    assert '"lives in Leeds"' in answer
    assert "Hull" not in answer
    answer = await memory.recall.recall("Where does Ben live?", valid_at="2020-01-01", as_="structured")
    assert "lives in Hull" in str(answer.content)
    again = await entities.remember(name="Ben", replaces="lives in Leeds")
    assert [(fact.decision, fact.rule) for fact in again.facts] == [("NOOP", "already ended")]
    assert str(again.facts[0].evidence).endswith('then "lives in Hull"')
    late = await entities.remember(name="Ben", observations=["lives in Ely"], replaces="lives in Leeds")
    assert [(fact.decision, fact.rule) for fact in late.facts] == [("ADD", "new")]
    assert re.search(r'^"lives in Leeds" \(until \d+ \w+ \d+, then "lives in Hull"\)$', str(late.facts[0].evidence))
    corrected = await entities.update_observation("Ben", str(first.facts[0].id), text="lives in Leeds, Yorkshire")
    assert corrected.over == leeds


async def test_a_node_that_holds_no_more_says_so_where_it_is_found_and_recalled(memory: Memory) -> None:
    await memory.create_ontology(load_ontology("gtd"))
    shed = await memory.create_node("Project", "# Shed", properties={"status": "active"})
    await memory.set_validity(shed.node_id, valid_from="2020-05-01", valid_to="2024-01-31")
    [hit] = (await memory.recall.search_memories("shed", search_mode="lexical")).hits
    assert hit.over == Superseded(since=datetime(2024, 2, 1, tzinfo=UTC))
    assert "1 May 2020 until 31 January 2024" in str((await memory.recall.recall("shed")).content)


async def test_a_name_with_another_sign_is_another_entity_and_a_question(memory: Memory) -> None:
    entities = memory.entities
    ids: dict[str, str | None] = {}
    for name in ("C", "C++", "C#", "O-", "O+", "10", "10%", "$5", "€5", "राम", "रोम", "ไก่", "ไก"):
        result = await entities.remember(name=name, observations=["is on the list"])
        assert (result.entity, result.found_by, result.created) == (name, "new", True)
        ids[name] = result.id
    result = await entities.remember(name="c++", observations=["is compiled"])
    assert (result.entity, result.id, result.found_by) == ("C++", ids["C++"], "normalised name")
    new = await entities.remember(name="C--", observations=["is portable"], dry_run=True)
    assert {(candidate.id, candidate.question) for candidate in new.candidates or ()} >= {(ids["C"], None)}
    assert await observations_of(memory, "C") == ("is on the list",)
    for text in ("She writes C++ daily.", "Is he O+?"):
        assert (await entities.remember(text)).found_by == "text"
    assert await observations_of(memory, "C++") == ("is on the list", "is compiled", "She writes C++ daily.")
    health = await entities.graph_health()
    assert not [finding for finding in health.findings if finding.call.tool == "merge_entities"]
    assert {similar.call.tool for similar in (await entities.find_similar("C")).similar} <= {"open_nodes"}


@pytest.mark.parametrize(
    ("known", "names"),
    [
        ("MyService", ["my-service", "My Service", "my_service", "MY\u2011SERVICE"]),
        ("O'Brien", ["OBrien", "o’brien", "O Brien"]),
        ("École", ["E\u0301COLE", "e\u0301cole"]),
        ("Straße", ["STRASSE"]),
    ],
)
async def test_one_name_in_another_spelling_is_the_entity_also_among_many(
    memory: Memory, known: str, names: list[str]
) -> None:
    entities = memory.entities
    await entities.create_entities([{"name": f"{known[:2]} {number}"} for number in range(1_100)])
    await entities.create_entities([{"name": known}, {"name": "Other"}])
    await entities.update_entity("Other", aliases=[f"{known} Two"])
    for name in names:
        assert (await entities.remember(name=name, dry_run=True)).entity == known
        called = await entities.remember(name=f"{name} two", dry_run=True)
        assert (called.entity, called.found_by) == ("Other", "alias")


@pytest.mark.parametrize("is_indexed", [False, True])
async def test_where_much_is_known_a_statement_is_compared_with_what_is_most_like_it(
    memory: Memory, domain: str, monkeypatch: pytest.MonkeyPatch, is_indexed: bool
) -> None:
    monkeypatch.setattr(current, "MAX_COMPARED", 3)
    monkeypatch.setattr(current, "MAX_SIMILAR", 2)
    entities = memory.entities
    crowd = [f"the printer in room {room} hums" for room in range(20)]
    known = ["lives in a flat in Turin", "Works 40 hours a week", "is ok", "住在上海", "राम आया"]
    known += ["It was −5 °C", "She is on it.", "ID: 7", "12:30", "উঠল তারা\t.", unicodedata.normalize("NFD", "Él es")]
    await entities.create_entities([{"name": "Ugo", "observations": [*crowd, *known]}, {"name": "Eva"}])
    await entities.add_observations([{"entityName": "Eva", "contents": ["lives in a flat in Turin, too", *crowd]}])
    await entities.remember(
        name="Ugo", properties={"employer": "Kestrel Health"}, observations=["likes Kestrel Health"]
    )
    if is_indexed:
        await index_texts(memory._core, domain)
    again = await entities.remember(name="Ugo", observations=[*known, *crowd[-2:]])
    assert {fact.decision for fact in again.facts} == {"NOOP"}
    assert again.since is None
    equal = [unicodedata.normalize("NFC", f"{text.replace(' ', '  ')}.") for text in known if not text.endswith(".")]
    again = await entities.remember(name="Ugo", observations=[*equal, "She is  on it", "উঠল তারা"])
    assert {fact.rule for fact in again.facts} == {"equal text"}
    result = await entities.remember(name="Ugo", observations=["It was 5 °C", "ID: 8"], dry_run=True)
    assert {fact.decision for fact in result.facts} == {"ADD"}
    result = await entities.remember(name="Ugo", observations=["sold the flat in Turin"], replaces=crowd[0])
    assert result.facts[0].replaced is not None
    result = await entities.remember(name="Ugo", observations=["sold the flat in Turin at last"])
    assert "lives in a flat in Turin" in [question.known_text for question in result.questions or ()]
    result = await entities.remember(name="Ugo", properties={"employer": "Tarn Energy"})
    assert [question.known_text for question in result.questions or ()] == ["likes Kestrel Health"]
    assert len(await observations_of(memory, "Ugo")) == len(crowd) - 1 + len(known) + 3
