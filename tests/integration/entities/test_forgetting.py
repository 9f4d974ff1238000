"""Facts that are forgotten: ended and kept, or erased with their past; and questions that are answered together."""

from __future__ import annotations

import pytest

from graph_memory import Code, GraphError, Memory

pytestmark = pytest.mark.anyio

ANN: dict[str, object] = {"name": "Ann", "entityType": "person", "observations": ["likes tea", "is kind"]}
BOB: dict[str, object] = {"name": "Bob", "entityType": "person", "observations": ["likes tea"]}
KNOWS = {"from": "Ann", "to": "Bob", "relationType": "knows"}


async def fill(memory: Memory) -> None:
    await memory.entities.create_entities([ANN, BOB])
    await memory.entities.create_relations([KNOWS])
    await memory.entities.update_entity("Ann", aliases=["Annie"], properties={"city": "Leeds"})


async def texts_of(memory: Memory, name: str) -> list[str]:
    return [text for entity in (await memory.entities.open_nodes([name])).entities for text in entity.observations]


async def test_what_is_forgotten_ends_is_no_longer_told_and_comes_back_with_a_revert(memory: Memory) -> None:
    await fill(memory)
    before = await memory.history.log(limit=1)
    tried = await memory.entities.forget(["Annie"], dry_run=True)
    assert (tried.entities, tried.observations, tried.relations, tried.dry_run, tried.since) == (1, 2, 1, True, None)
    assert [forgot.text for forgot in tried.forgotten][:1] == ["Ann"]
    assert {forgot.text for forgot in tried.forgotten} >= {"Ann: likes tea", "Ann: is kind"}
    assert (await memory.history.log(limit=1)).entries[0].seq == before.entries[0].seq
    forgotten = await memory.entities.forget(["Ann"], text="likes tea")
    assert [(forgot.kind, forgot.text) for forgot in forgotten.forgotten] == [("observation", "Ann: likes tea")]
    assert await texts_of(memory, "Ann") == ["is kind"]
    assert await texts_of(memory, "Bob") == ["likes tea"]
    done = await memory.entities.forget(["Ann"])
    assert (done.entities, done.observations, done.relations, done.erased) == (1, 1, 1, False)
    text = str((await memory.recall.recall(focus=["Ann"])).content)
    assert "ended" in text.split("knows")[0]
    assert "is kind" not in text
    assert (await memory.entities.open_nodes(["Bob"])).relations == ()
    assert (await memory.entities.forget(["Ann"])).forgotten == ()
    await memory.history.revert(since=forgotten.since, until=done.until)
    assert await texts_of(memory, "Ann") == ["likes tea", "is kind"]
    assert (await memory.upkeep.verify()).differences == ()


async def test_a_text_or_an_id_names_what_to_forget_and_what_names_nothing_changes_nothing(memory: Memory) -> None:
    await fill(memory)
    [bob] = (await memory.entities.open_nodes(["Bob"], detail=True)).entities
    assert bob.observation_details
    [detail] = bob.observation_details
    for wrong in (
        {"text": "likes teas"},
        {"names": ["Bob"], "text": "is kind"},
        {"names": ["Bobb"]},
        {"ids": ["obs_01M847W9ZH5SXYZ0123456789A"]},
        {},
    ):
        with pytest.raises(GraphError) as refused:
            await memory.entities.forget(**wrong)  # pyright: ignore[reportArgumentType]
        assert refused.value.code in {Code.INVALID_ARGUMENT, Code.NODE_NOT_FOUND}, wrong
        assert refused.value.hint
    assert await texts_of(memory, "Bob") == ["likes tea"]
    assert [forgot.id for forgot in (await memory.entities.forget(ids=[detail.id])).forgotten] == [detail.id]
    assert [forgot.text for forgot in (await memory.entities.forget(text="likes tea")).forgotten] == ["Ann: likes tea"]
    assert [*await texts_of(memory, "Ann"), *await texts_of(memory, "Bob")] == ["is kind"]


async def test_what_is_erased_is_gone_with_its_past_and_a_scan_says_whose_a_text_is(
    memory: Memory, domain: str
) -> None:
    await fill(memory)
    await memory.entities.add_observations([{"entityName": "Bob", "contents": ["married Ann Quillfeather"]}])
    await memory.entities.add_observations([{"entityName": "Ann", "contents": ["is a Quillfeather"]}])

    owners = {
        finding.of for finding in (await memory.history.scan("Quillfeather")).findings if finding.domain == domain
    }
    assert {"Ann", "Bob"} <= owners
    await memory.entities.update_entity("Bob", properties={"notes": "ask ANN first", "city": "Annecy"})
    await memory.entities.update_entity("Ann", aliases=["田中", "Zo\u00eb"])
    await memory.entities.add_observations(
        [{"entityName": "Bob", "contents": ["田中さんは社長です。", "met Zoe\u0308"]}]
    )
    stays = {"Bob: married Ann Quillfeather", "Bob: notes: ask ANN first"}
    stays |= {"Bob: 田中さんは社長です。", "Bob: met Zo\u00eb"}
    tried = await memory.entities.forget(["Ann"], erase=True, dry_run=True)
    assert (tried.entities, tried.observations, tried.relations, tried.erased) == (1, 3, 1, True)
    assert {*(tried.stays or ())} == stays
    assert await texts_of(memory, "Ann")
    done = await memory.entities.forget(["Ann"], erase=True)
    assert done.domains == (domain,)
    assert {*(done.stays or ())} == stays
    assert {forgot.text for forgot in done.forgotten} == {None}
    left = [finding for finding in (await memory.history.scan("Quillfeather")).findings if finding.domain == domain]
    assert {finding.of for finding in left} == {"Bob"}
    assert (await memory.entities.forget(text="married Ann Quillfeather", erase=True)).observations == 1
    assert not [finding for finding in (await memory.history.scan("Quillfeather")).findings if finding.domain == domain]


async def test_several_questions_are_answered_in_one_call_or_none_is(memory: Memory) -> None:
    await memory.entities.create_entities([{**ANN, "observations": ["a", "b", "c", "d"]}])
    [ann] = (await memory.entities.open_nodes(["Ann"], detail=True)).entities
    a, b, c, d = (detail.id for detail in ann.observation_details or ())
    wanted = [{"new": b, "known": a, "decision": "close"}, {"new": d, "known": c, "decision": "same"}]
    for wrong in ([*wanted, {"new": d, "known": d, "decision": "keep"}], [*wanted, {"new": d}], []):
        with pytest.raises(GraphError) as refused:
            await memory.entities.decide_all(wrong)
        assert refused.value.code is Code.INVALID_ARGUMENT
        assert not wrong or "decisions[2]" in refused.value.message
    assert await texts_of(memory, "Ann") == ["a", "b", "c", "d"]
    done = await memory.entities.decide_all(wanted)
    assert [decision.changed for decision in done.decisions] == [True, True]
    assert await texts_of(memory, "Ann") == ["b", "c"]
