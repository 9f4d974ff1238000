"""Names of entities: aliases stand for them everywhere, and a part of a name is a question."""

from __future__ import annotations

import pytest

from graph_memory import GraphError, Memory
from graph_memory.memory.entities.remember_results import CANDIDATE_CHOICES
from graph_memory.model.subjects.subjects import DIFFERENT
from graph_memory.model.text.name_list import name_list

pytestmark = pytest.mark.anyio


async def _shop(memory: Memory) -> tuple[Memory, str]:
    entities = memory.entities
    await entities.create_entities(
        [
            {"name": "Lena Vogt", "entityType": "person", "observations": ["Leads checkout."]},
            {"name": "Shop", "entityType": "project", "observations": ["Sells tea."]},
        ]
    )
    changed = await entities.update_entity("Lena Vogt", aliases=["LV-7", "Frau Vogt"])
    return memory, changed.id


async def test_an_alias_stands_for_its_entity_in_reads_and_writes_and_creates_no_second_one(memory: Memory) -> None:
    entities = (await _shop(memory))[0].entities
    assert [entity.name for entity in (await entities.open_nodes(["lv-7", "Shop"])).entities] == ["Lena Vogt", "Shop"]
    assert [entity.name for entity in (await entities.search_nodes("frau vogt")).entities] == ["Lena Vogt"]
    assert [entity.name for entity in (await entities.search_nodes("v-")).entities] == ["Lena Vogt"]
    added = await entities.add_observations([{"entityName": "Frau Vogt", "contents": ["Likes tea."]}])
    assert added.results[0].entity_name == "Lena Vogt"
    made = await entities.create_entities(
        [{"name": "LV-7", "entityType": "person", "observations": []}, {"name": "Oslo", "entityType": "city"}]
    )
    assert [entity.name for entity in made.entities] == ["Oslo"]
    assert made.notes is not None
    assert made.notes[0].startswith('"LV-7" is a name of "Lena Vogt"')
    await entities.create_relations([{"from": "LV-7", "to": "Shop", "relationType": "leads"}])
    assert [relation.from_name for relation in (await entities.open_nodes(["Shop"])).relations] == ["Lena Vogt"]
    relation = {"from": "Frau Vogt", "to": "Shop", "relationType": "leads"}
    assert (await entities.delete_relations([relation])).deleted == 1
    removal = {"entityName": "LV-7", "observations": ["Likes tea."]}
    assert (await entities.delete_observations([removal])).deleted == 1
    batch = [
        {"op": "create_entities", "entities": [{"name": "LV-7", "entityType": "person"}]},
        {"op": "add_observations", "observations": [{"entityName": "Frau Vogt", "contents": ["Speaks Danish."]}]},
    ]
    await memory.execute_batch(batch)
    [lena] = (await entities.open_nodes(["Lena Vogt"])).entities
    assert lena.observations == ("Leads checkout.", "Speaks Danish.")
    await entities.update_entity("Shop", aliases=["LV-7"])
    assert len((await entities.open_nodes(["LV-7"])).entities) == 2
    with pytest.raises(GraphError, match="2 entities have the alias"):
        await entities.delete_entities(["LV-7"])
    assert (await entities.delete_entities(["Frau Vogt"])).deleted == 1


async def test_a_part_of_a_name_is_a_question_of_every_tool_that_compares_names(memory: Memory) -> None:
    memory, lena = await _shop(memory)
    entities = memory.entities
    with pytest.raises(GraphError, match=r'No known entity is mentioned in the text "Lena moved to Malmö\."') as caught:
        await entities.remember("Lena moved to Malmö.")
    assert caught.value.hint is not None
    assert f'Did you mean "Lena Vogt" ({lena})?' in caught.value.hint
    with pytest.raises(GraphError, match="Entity with name Lena not found") as caught:
        await entities.add_observations([{"entityName": "Lena", "contents": ["x"]}])
    assert 'Did you mean "Lena Vogt"?' in (caught.value.hint or "")
    result = await entities.remember(name="Lena", type="person", observations=["Moved to Malmö."])
    [candidate] = result.candidates or ()
    assert (candidate.id, candidate.name, candidate.choices) == (lena, "Lena Vogt", CANDIDATE_CHOICES)
    assert candidate.reason == 'only this name contains "Lena"'
    assert candidate.question == f"{result.id}:{lena}"
    [similar] = (await entities.find_similar("Lena")).similar
    assert (similar.name, similar.score) == ("Lena Vogt", candidate.likeness)
    [pair] = (await entities.find_duplicates()).duplicates
    assert {*pair.names} == {"Lena", "Lena Vogt"}
    assert (await entities.graph_health()).counts["duplicate"] == 1
    made = await entities.create_entities([{"name": "Shop Berlin", "entityType": "project", "observations": []}])
    assert 'Is "Shop Berlin" the same as "Shop"' in (made.notes or ("",))[0]
    assert (await entities.create_entities([{"name": "Lena Holm", "entityType": "person"}])).notes is None
    assert "duplicate" in (health := await entities.graph_health()).counts
    assert [finding.about for finding in health.findings if finding.kind == "duplicate"] == [("Shop", "Shop Berlin")]


async def test_the_question_whether_two_entities_are_one_is_answered_with_decide(memory: Memory) -> None:
    memory, lena = await _shop(memory)
    entities = memory.entities
    result = await entities.remember(name="Lena", type="person", observations=["Moved to Malmö."])
    [candidate] = result.candidates or ()
    for wrong in ("close", "keep"):
        with pytest.raises(GraphError, match="is not a decision on two entities"):
            await entities.decide(result.id or "", lena, "close" if wrong == "close" else "keep")
    [pair] = (await entities.find_duplicates()).duplicates
    kept = await entities.answer(pair.question, "new")
    assert (kept.changed, (await entities.answer(candidate.question, "new")).changed) == (True, False)
    assert not (await entities.find_duplicates()).duplicates
    assert not (await entities.find_similar("Lena")).similar
    await memory.history.revert(since=kept.since, until=kept.until)
    health = await entities.graph_health()
    assert [(f.kind, f.question) for f in health.findings if f.kind in ("duplicate", "unused_type")] == [
        ("duplicate", pair.question)
    ]
    [settled] = (await entities.decide_all([{"id": candidate.question, "decision": "same"}])).decisions
    assert settled.merged is not None
    assert (settled.changed, settled.merged.into, settled.merged.merged) == (True, "Lena Vogt", ("Lena",))
    [entity] = (await entities.open_nodes(["Lena"])).entities
    assert (entity.name, entity.observations) == ("Lena Vogt", ("Leads checkout.", "Moved to Malmö."))
    with pytest.raises(GraphError, match="No entity has the id"):
        await entities.answer(candidate.question, "same")
    seen = await entities.remember(name="Lena Vogt", observations=["Reads."])
    with pytest.raises(GraphError, match="The decision new applies only to two entities"):
        await entities.decide(lena, str(seen.facts[0].id), "new")


async def test_entities_settled_as_different_stay_so_after_a_rename_and_a_merge(memory: Memory) -> None:
    memory, lena = await _shop(memory)
    entities = memory.entities
    result = await entities.remember(name="Lena", type="person", observations=["Moved to Malmö."])
    [candidate] = result.candidates or ()
    await entities.answer(candidate.question, "new")
    await memory.update_node(lena, properties={"name": "Lena Vogts"})
    assert not (await entities.find_duplicates()).duplicates
    await entities.create_entities([{"name": "Helena", "entityType": "person"}])
    merged = await entities.merge_entities(["Lena"], "Helena")
    assert not merged.conflicts
    assert (await memory.get_node(merged.id)).properties[DIFFERENT] == name_list([lena])
    assert not (await memory.recall.search_memories("different", search_mode="lexical")).hits


async def test_an_alias_that_another_entity_has_is_a_question(memory: Memory) -> None:
    memory, lena = await _shop(memory)
    entities = memory.entities
    result = await entities.remember(name="Lena Holm", aliases=["lv-7", "Shop", "LH"])
    candidates = {candidate.name: candidate for candidate in result.candidates or ()}
    assert {name: candidate.reason for name, candidate in candidates.items()} == {
        "Lena Vogt": 'both are named "lv-7"',
        "Shop": 'both are named "Shop"',
    }
    assert candidates["Lena Vogt"].question == f"{result.id}:{lena}"
    assert (await entities.remember(name="Lena Holm", aliases=["lv-7"])).candidates is None
    changed = await entities.update_entity("Shop", aliases=["LH", "Tea shop"])
    assert [(candidate.id, candidate.question) for candidate in changed.candidates or ()] == [
        (result.id, f"{changed.id}:{result.id}")
    ]
    assert (await entities.update_entity("Shop", aliases=["LH"])).candidates is None
    assert (await entities.answer(f"{changed.id}:{result.id}", "same")).merged is not None


async def test_capitals_of_several_characters_make_no_other_name(memory: Memory) -> None:
    """The store and Python fold them to the same form."""
    entities = memory.entities
    for number, (lower, capitals) in enumerate((("\u1fe2", "\u03ab\u0300"), ("\u0149gom", "\u02bcNGOM"))):
        name, alias = f"{lower} {number}", f"{lower} alias"
        created = await entities.remember(name=name, type="place", aliases=[alias], observations=["Is by the sea."])
        again = await entities.remember(name=f"{capitals} {number}", observations=["Is in the north."])
        assert again.id == created.id
        assert [entity.name for entity in (await entities.open_nodes([f"{capitals} ALIAS"])).entities] == [name]
