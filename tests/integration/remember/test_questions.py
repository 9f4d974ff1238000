"""Further questions: relations that an entity has once, contradictions within a call, and merges."""

from __future__ import annotations

import pytest

from graph_memory import GraphError, Memory
from graph_memory.memory.entities.remember_results import OBSERVATION_CHOICES, RELATION_CHOICES

pytestmark = pytest.mark.anyio


async def test_a_second_relation_of_a_kind_that_a_thing_has_once_is_a_question(memory: Memory) -> None:
    entities = memory.entities
    for name in ("Shop", "Lena", "Tomas", "Oslo", "Bergen"):
        await entities.remember(name=name, observations=[f"{name} is known."])
    relations = [{"type": "LIVES_IN", "to": "Oslo"}, {"type": "manages", "to": "Shop"}, {"type": "knows", "to": "Lena"}]
    first = await entities.remember(name="Tomas", relations=relations)
    assert first.questions is None
    result = await entities.remember(name="Lena", relations=[{"type": "manages", "to": "Shop"}])
    [question] = result.questions or ()
    assert question.known_text.startswith("Tomas manages Shop (since 20")
    assert question.choices == RELATION_CHOICES
    moved = await entities.create_relations([{"from": "Tomas", "to": "Bergen", "relationType": "lives in"}])
    [second] = moved.questions or ()
    assert (second.known_text.split(" (")[0], second.new_text) == ("Tomas LIVES_IN Oslo", "Tomas lives in Bergen")
    assert [str(second.id) in note for note in moved.notes or ()] == [True]
    closed = await entities.answer(second.id, "close")
    kept = await entities.answer(question.id, "keep")
    assert (closed.changed, closed.ended is not None, kept.changed) == (True, True, False)
    assert (await entities.answer(question.id, "same")).changed
    [tomas] = (await entities.open_nodes(["Tomas"], detail=True)).entities
    assert tomas.name == "Tomas"
    shown = {
        (relation.from_name, relation.relation_type, relation.to_name)
        for relation in (await entities.read_graph()).relations
    }
    assert shown == {("Tomas", "lives in", "Bergen"), ("Tomas", "manages", "Shop"), ("Tomas", "knows", "Lena")}
    relations = [{"type": "works at", "to": "Shop"}, {"type": "works_at", "to": "Oslo"}]
    [twice] = (await entities.remember(name="Lena", relations=relations)).questions or ()
    assert twice.known_text == "Lena works at Shop"
    for wrong in (None, "obs_1", f"{second.id}:obs_1"):
        with pytest.raises(GraphError, match="INVALID_ARGUMENT"):
            await entities.answer(wrong, "keep")
    assert (await memory.upkeep.verify()).differences == ()


async def test_statements_of_one_call_and_of_merged_entities_that_exclude_each_other_are_questions(
    memory: Memory,
) -> None:
    entities = memory.entities
    result = await entities.remember(name="Lena", observations=["Lives in Oslo.", "Likes tea.", "Lives in Bergen."])
    [question] = result.questions or ()
    assert (question.known_text, question.new_text) == ("Lives in Oslo.", "Lives in Bergen.")
    assert question.id == f"{result.facts[2].id}:{result.facts[0].id}"
    assert (await entities.answer(question.id, "close")).ended is not None
    await entities.remember(name="L. Vogt", observations=["Lives in Malmö.", "Plays chess."])
    tried = await entities.merge_entities(["L. Vogt"], "Lena", dry_run=True)
    assert [question.id for question in tried.questions or ()] == [None]
    merged = await entities.merge_entities(["L. Vogt"], "Lena")
    [beside] = merged.questions or ()
    assert (beside.known_text, beside.new_text) == ("Lives in Bergen.", "Lives in Malmö.")
    assert beside.choices == OBSERVATION_CHOICES
    [finding] = [finding for finding in (await entities.graph_health()).findings if finding.kind == "open_question"]
    assert (finding.call.arguments, finding.choices) == ({"id": beside.id}, OBSERVATION_CHOICES)
    await entities.answer(beside.id, "close")
    [lena] = (await entities.open_nodes(["Lena"])).entities
    assert lena.observations == ("Likes tea.", "Lives in Malmö.", "Plays chess.")
    assert (await memory.upkeep.verify()).differences == ()
