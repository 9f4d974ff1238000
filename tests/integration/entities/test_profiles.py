"""Profiles of entities derived from their observations, and entities created or updated in one call."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from graph_memory import Code, GraphError, Memory
from graph_memory.memory.access_counter import AccessCounter
from graph_memory.memory.search.access_store import flush

pytestmark = pytest.mark.anyio

OLD = {"text": "was born", "time": "2001-02-03T00:00:00Z", "confidence": 0.8}


async def test_an_entity_is_made_and_then_brought_up_to_date(memory: Memory) -> None:
    began = datetime.now(UTC)
    made = await memory.entities.upsert("Ann", type="person", properties={"age": 3}, observations=[OLD, "is kind"])
    assert (made.type, made.description, made.properties) == ("person", None, {"age": 3})
    assert (made.mention_count, made.confidence) == (3, 0.8)
    assert made.first_seen == datetime(2001, 2, 3, tzinfo=UTC)
    assert began <= made.last_seen <= datetime.now(UTC)
    again: dict[str, Any] = {
        "description": "A *person*.",
        "properties": {"town": "Oslo"},
        "observations": ["is kind", "is tall"],
    }
    profile = await memory.entities.upsert("Ann", type="dog", confidence=0.25, **again)
    assert (profile.id, profile.type, profile.description) == (made.id, "person", "A *person*.")
    assert (profile.properties, profile.confidence) == ({"age": 3, "town": "Oslo"}, 0.25)
    assert profile.observations == ("was born", "is kind", "is tall")
    assert profile.last_seen > made.last_seen
    before = (await memory.domain_info()).events
    assert await memory.entities.upsert("Ann", properties={"age": 3}, observations=["is tall"]) == profile
    assert (await memory.domain_info()).events == before
    assert (await memory.search_content("*person*")).node_ids
    assert not (await memory.upkeep.verify()).differences


async def test_a_name_that_was_only_mentioned_becomes_the_entity(memory: Memory) -> None:
    await memory.entities.create_relations([{"from": "Ann", "to": "Bob", "relationType": "knows"}])
    assert await memory.entities.find_by_name("Bob") is None
    profile = await memory.entities.upsert("Bob", observations=["is tall"])
    assert (profile.type, profile.mention_count, profile.confidence) == ("entity", 3, 0.5)
    assert [entity.name for entity in (await memory.entities.read_graph()).entities] == ["Bob"]
    assert not (await memory.upkeep.verify()).differences


async def test_an_entity_is_found_by_its_name_id_or_alias(memory: Memory) -> None:
    assert await memory.entities.find_by_name("Ann") is None
    for name, kind in (("Ann Lee", "person"), ("Rex", "a dog"), ("Bo", "person"), ("REX", "person"), ("Tim", "a dog")):
        await memory.entities.upsert(name, type=kind)
    near, exact = await memory.entities.find_by_name("ann  lee"), await memory.entities.find_by_name("Rex")
    assert near is not None
    assert await memory.entities.find_by_name(near.id) == near
    assert exact is not None
    assert (near.name, exact.type) == ("Ann Lee", "a dog")
    with pytest.raises(GraphError, match="2 entities"):
        await memory.entities.find_by_name("rex")
    await memory.entities.update_entity("Tim", aliases=["Timmy T."])
    tim = await memory.entities.find_by_name("timmy-t.")
    assert tim is not None
    assert (tim.name, tim.aliases, tim.properties) == ("Tim", ("Timmy T.",), {})


async def test_what_matters_most_is_mentioned_often_seen_lately_and_used(memory: Memory) -> None:
    assert (await memory.entities.get_salient()).entities == ()
    for name in ("plain", "used", "full"):
        await memory.entities.upsert(name)
    await memory.entities.add_observations(
        [{"entityName": "full", "contents": [f"is {number}" for number in range(9)]}]
    )
    *_, plain = (await memory.entities.get_salient()).entities
    assert plain.salience == pytest.approx(0.4 / 11 + 0.4, abs=0.001)
    counted = Memory(replace(memory._core, accesses=AccessCounter(9)), default_domain=memory._default_domain)
    for _ in range(10):
        await counted.entities.open_nodes(["used"])
    await flush(counted._core)
    best = (await memory.entities.get_salient()).entities
    assert [profile.name for profile in best] == ["full", "used", "plain"]
    assert best[0].salience == pytest.approx(0.6, abs=0.001)
    assert best[1].salience == pytest.approx(0.4 / 11 + 0.4 + 0.1, abs=0.001)
    assert [entity.name for entity in (await memory.entities.get_salient(1)).entities] == ["full"]
    assert all(timedelta(0) <= profile.last_seen - profile.first_seen < timedelta(minutes=5) for profile in best)


async def test_what_cannot_be_kept_changes_nothing(memory: Memory) -> None:
    await memory.entities.upsert("Ann")
    wrong: list[dict[str, Any]] = [{"confidence": 2}, {"confidence": "high"}]
    for arguments in (*wrong, {"properties": {"name": "Bob"}}, {"properties": {"_x": 1}}):
        with pytest.raises(GraphError) as refused:
            await memory.entities.upsert("Ann", observations=["is tall"], **arguments)
        assert refused.value.code in (Code.INVALID_ARGUMENT, Code.INVALID_PROPERTY)
    for limit in (0, -1):
        with pytest.raises(GraphError):
            await memory.entities.get_salient(limit)
    ann = await memory.entities.find_by_name("Ann")
    assert ann is not None
    assert ann.observations == ()
