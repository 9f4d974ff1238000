"""Entities and observations changed where they are: names, aliases, texts; what is attached to them stays."""

from __future__ import annotations

from typing import Any

import pytest

from graph_memory import Code, ConnectionType, GraphError, Memory, NodeType, Ontology

pytestmark = pytest.mark.anyio

ANN: dict[str, object] = {"name": "Ann", "entityType": "person", "observations": ["likes tea", "is kind"]}
BOB: dict[str, object] = {"name": "Bob", "entityType": "person", "observations": []}
KNOWS = {"from": "Ann", "to": "Bob", "relationType": "knows"}


async def fill(memory: Memory) -> None:
    await memory.entities.create_entities([ANN, BOB])
    await memory.entities.create_relations([KNOWS, {"from": "Ann", "to": "Cy", "relationType": "knows"}])


async def graph(memory: Memory) -> dict[str, Any]:
    return (await memory.entities.read_graph()).to_dict()


async def test_a_renamed_entity_keeps_what_is_attached_and_names_stay_unique(memory: Memory) -> None:
    await fill(memory)
    before = await graph(memory)
    made = await memory.entities.update_entity("Ann", new_name="Anna", properties={"city": "Leeds"}, description="# A")
    assert (await memory.search_content("# A")).node_ids
    again = await memory.entities.update_entity("Anna", new_name="Anna", properties={"city": "Leeds"})
    renamed = await graph(memory)
    assert (made.name, made.changed, again.changed, again.version) == ("Anna", True, False, made.version)
    assert renamed["entities"] == [{**ANN, "name": "Anna"}, BOB]
    assert [connection["from"] for connection in renamed["relations"]] == ["Anna", "Anna"]
    assert (await memory.get_node(made.id)).properties == {"name": "Anna", "city": "Leeds"}
    refusals: tuple[tuple[dict[str, Any], Code], ...] = (
        ({"name": "Bob", "new_name": "Anna"}, Code.UNIQUE_PROPERTY_TAKEN),
        ({"name": "Ann", "new_name": "Al"}, Code.NODE_NOT_FOUND),
        ({"name": "Cy", "new_name": "Al"}, Code.NODE_NOT_FOUND),
        ({"name": "Bob"}, Code.INVALID_ARGUMENT),
        ({"name": "Bob", "aliases": ["B"], "properties": {"aliases": "B"}}, Code.INVALID_ARGUMENT),
        ({"name": "Bob", "properties": {"name": "B"}}, Code.INVALID_ARGUMENT),
    )
    for wrong, code in refusals:
        with pytest.raises(GraphError) as refused:
            await memory.entities.update_entity(**wrong)
        assert refused.value.code is code, wrong
    assert await graph(memory) == renamed
    await memory.history.revert(since=made.version)
    assert await graph(memory) == before
    assert (await memory.upkeep.verify()).differences == ()


async def test_relations_to_a_name_that_is_no_entity_yet_become_those_of_the_entity_that_gets_it(
    memory: Memory,
) -> None:
    await fill(memory)
    lenient = [("Dee", "Cy"), ("Cy", "Dee"), ("Cy", "Cy"), ("Bob", "Cy"), ("Dee", "Bob")]
    await memory.entities.create_relations([{**KNOWS, "from": start, "to": end} for start, end in lenient])
    before = await graph(memory)
    made = await memory.entities.update_entity("Bob", new_name="Cy", aliases=["Bob"])
    assert (made.name, made.changed, made.relations_moved) == ("Cy", True, 2)
    after = await graph(memory)
    assert [entity["name"] for entity in after["entities"]] == ["Ann", "Cy"]
    assert sorted((connection["from"], connection["to"]) for connection in after["relations"]) == [
        ("Ann", "Cy"),
        ("Cy", "Cy"),
        ("Cy", "Dee"),
        ("Dee", "Cy"),
    ]
    assert (await memory.upkeep.verify()).differences == ()
    assert made.since is not None
    await memory.history.revert(since=made.since, until=made.until)
    reverted = await graph(memory)
    assert reverted["entities"] == before["entities"]
    assert sorted(map(str, reverted["relations"])) == sorted(map(str, before["relations"]))
    assert (await memory.upkeep.verify()).differences == ()


async def test_a_name_is_not_taken_over_where_the_types_of_its_relations_do_not_allow_that(memory: Memory) -> None:
    likes = ConnectionType("likes", ("person",), ("entity",))
    leads = ConnectionType("leads", ("*",), ("*",), unique_target=True)
    types = (NodeType("person"), NodeType("entity"))
    await memory.create_ontology(Ontology(node_types=types, connection_types=(likes, leads)))
    await memory.entities.create_entities([ANN, BOB])
    for item in (("Ann", "likes", "Tea"), ("Ann", "leads", "Bob"), ("Dee", "leads", "Rob")):
        relation = dict(zip(("from", "relationType", "to"), item, strict=True))
        await memory.entities.create_relations([relation])
    before = await graph(memory)
    for name, code in (("Tea", Code.INVALID_TOPOLOGY), ("Rob", Code.INVALID_TOPOLOGY)):
        with pytest.raises(GraphError) as refused:
            await memory.entities.update_entity("Bob", new_name=name)
        assert refused.value.code is code
    assert await graph(memory) == before


async def test_an_alias_is_a_name_for_remember_and_recall_and_for_the_nine_tools(memory: Memory) -> None:
    await fill(memory)
    await memory.entities.update_entity("Ann", aliases=["Annie Oak", "the boss"])
    result = await memory.entities.remember(name="annie  OAK", observations=["plays chess"])
    assert (result.entity, result.found_by, result.created) == ("Ann", "alias", False)
    for graph in (await memory.entities.search_nodes("annie"), await memory.entities.open_nodes(["Annie Oak"])):
        assert [entity.name for entity in graph.entities] == ["Ann"]
    graph = await memory.recall.search_memories("what does Annie Oak do?", search_mode="lexical")
    assert "Ann" in graph.model_dump_json()
    await memory.entities.update_entity("Ann", aliases=[])
    assert (await memory.entities.remember(name="the boss", observations=["sings"])).created
    assert (await memory.upkeep.verify()).differences == ()


async def test_an_observation_is_corrected_where_it_is(memory: Memory) -> None:
    await fill(memory)
    entities = memory.entities
    made = await entities.update_observation("Ann", "likes tea", text="likes green tea", confidence=0.25)
    again = await entities.update_observation("Ann", made.id, confidence=0.25)
    assert (made.changed, again.changed, again.version, again.text) == (True, False, made.version, "likes green tea")
    assert (await graph(memory))["entities"][0]["observations"] == ["likes green tea", "is kind"]
    assert [entity.name for entity in (await entities.search_nodes("green")).entities] == ["Ann"]
    for wrong, code in (
        (("Ann", "likes tee", "x", None), Code.INVALID_ARGUMENT),
        (("Bob", made.id, "x", None), Code.INVALID_ARGUMENT),
        (("Ann", made.id, "is kind", None), Code.INVALID_ARGUMENT),
        (("Ann", made.id, None, None), Code.INVALID_ARGUMENT),
        (("Ann", made.id, None, 1.5), Code.INVALID_ARGUMENT),
        (("Annn", made.id, "x", None), Code.NODE_NOT_FOUND),
    ):
        with pytest.raises(GraphError) as refused:
            await entities.update_observation(*wrong[:2], text=wrong[2], confidence=wrong[3])
        assert refused.value.code is code, wrong
    assert (await graph(memory))["entities"][0]["observations"] == ["likes green tea", "is kind"]
    assert (await memory.upkeep.verify()).differences == ()


async def test_an_id_stands_for_a_name_unless_it_is_one(memory: Memory) -> None:
    await fill(memory)
    entities = memory.entities
    ann, bob = [str(entity.id) for entity in (await entities.open_nodes(["Ann", "Bob"], detail=True)).entities]
    assert [entity.name for entity in (await entities.open_nodes([bob, "Ann", ann])).entities] == ["Ann", "Bob"]
    added = await entities.add_observations([{"entityName": bob, "contents": ["sings"]}])
    assert added.results[0].entity_name == "Bob"
    made = await entities.create_relations([{"from": bob, "to": ann, "type": "likes"}, {**KNOWS, "from": ann}])
    assert [relation.to_dict() for relation in made.relations] == [
        {"from": "Bob", "to": "Ann", "relationType": "likes"}
    ]
    assert (await entities.remember(name=bob, observations=["dances"])).entity == "Bob"
    assert (await entities.update_entity(bob, new_name="Rob")).name == "Rob"
    assert [similar.name for similar in (await entities.find_similar(bob)).similar] == []
    await entities.update_observation(bob, "sings", text="sang")
    await entities.delete_relations([{"from": bob, "to": ann, "type": "likes"}])
    await entities.delete_observations([{"entityName": bob, "observations": ["sang"]}])
    assert (await entities.open_nodes(["Rob"])).entities[0].observations == ("dances",)
    await entities.create_entities([{"name": bob, "type": "code", "observations": ["is a code"]}])
    assert [entity.name for entity in (await entities.open_nodes([bob])).entities] == [bob]
    await entities.delete_entities([bob, ann])
    assert [entity.name for entity in (await entities.read_graph()).entities] == ["Rob"]


async def test_details_say_when_by_whom_and_how_often(memory: Memory) -> None:
    await fill(memory)
    plain = (await memory.entities.open_nodes(["Ann"])).to_dict()
    begun = (await memory.entities.open_nodes(["Ann"], detail=True)).entities[0]
    arguments = {"text": "sings", "time": "2020-01-02T03:04:05Z", "source": "a letter", "confidence": 0.75}
    await memory.entities.add_observations([{"entityName": "Ann", "contents": [arguments]}])
    branch = f"{begun.id}-b"
    await memory.history.branch(branch)
    for domain_memory in (memory, memory.in_domain(branch)):
        [entity] = (await domain_memory.entities.open_nodes(["Ann"], detail=True)).entities
        assert entity.observations == ("likes tea", "is kind", "sings")
        assert (entity.created_by, entity.created_at) == (begun.created_by, begun.created_at)
        assert entity.updated_at
        assert entity.updated_at > (entity.created_at or entity.updated_at)
        assert entity.observation_details
        tea, kind, song = entity.observation_details
        assert (tea.text, kind.text, tea.ts, tea.confidence) == ("likes tea", "is kind", entity.created_at, None)
        answer = {key: value for key, value in song.to_dict().items() if key != "id"}
        assert answer == {"text": "sings", "ts": "2020-01-02T03:04:05Z", "source": "a letter", "confidence": 0.75}
    assert begun.created_at == begun.updated_at
    assert (begun.properties, begun.aliases) == ({}, ())
    await memory.entities.remember(name="Ann", properties={"city": "York", "age": 41}, aliases=["Annie"])
    [answer] = (await memory.entities.open_nodes(["Ann"], detail=True)).entities
    assert (answer.properties, answer.aliases) == ({"city": "York", "age": 41}, ("Annie",))
    assert (await memory.entities.open_nodes(["Ann"])).entities[0].to_dict().keys() == ANN.keys()
    assert plain["entities"] == [ANN]
    assert not (await memory.entities.open_nodes(["Nobody"], detail=True)).entities


async def test_an_alias_is_another_name_and_there_are_not_too_many(memory: Memory) -> None:
    entities = memory.entities
    await entities.create_entities([{"name": "Ann"}])
    for wrong in (["Ann"], ["ANN"], [" "], [f"A{number}" for number in range(20_000)]):
        with pytest.raises(GraphError) as caught:
            await entities.update_entity("Ann", aliases=wrong)
        assert caught.value.code is Code.INVALID_ARGUMENT
        assert (await entities.find_by_name("Ann")).aliases == ()  # pyright: ignore[reportOptionalMemberAccess]
    many = [f"A{number}" for number in range(1_000)]
    await entities.update_entity("Ann", aliases=many)
    with pytest.raises(GraphError):
        await entities.remember(name="Ann", aliases=["one more"])
    await entities.update_entity("Ann", new_name="A7")
    assert (await entities.find_by_name("A7")).aliases == (*many[:7], *many[8:])  # pyright: ignore[reportOptionalMemberAccess]


async def test_ended_entries_are_hidden_reject_additions_and_can_restart(memory: Memory) -> None:
    entities = memory.entities
    await entities.create_entities([{"name": "Ann", "observations": ["is tall"]}, {"name": "Bob"}])
    relation = {"from": "Ann", "to": "Bob", "relationType": "knows"}
    await entities.create_relations([relation])
    bob = await entities.find_by_name("Bob")
    assert bob is not None
    [over] = (await memory.query_connections()).connection_ids
    await memory.invalidate(over)
    shown = (
        await entities.read_graph(),
        await entities.read_graph(limit=10),
        await entities.open_nodes(["Ann"]),
        await entities.search_nodes("ann"),
    )
    assert [graph.relations for graph in shown] == [()] * 4
    assert len((await entities.create_relations([relation])).relations) == 1
    assert (await entities.create_relations([relation])).relations == ()
    assert [relation.from_name for relation in (await entities.read_graph()).relations] == ["Ann"]
    await entities.delete_relations([relation])
    assert (await entities.read_graph()).relations == ()
    assert (await memory.upkeep.verify()).differences == ()

    await memory.invalidate(bob.id)
    for write in (
        entities.add_observations([{"entityName": "Bob", "contents": ["is old"]}]),
        entities.remember(name="Bob", observations=["is old"]),
        entities.upsert("Bob", observations=["is old"]),
    ):
        with pytest.raises(GraphError) as caught:
            await write
        assert caught.value.code is Code.INVALID_ARGUMENT
        assert "set_validity" in str(caught.value.hint)
    await memory.set_validity(bob.id, valid_to="open")
    assert (await entities.remember(name="Bob", observations=["is old"])).facts[0].decision == "ADD"
