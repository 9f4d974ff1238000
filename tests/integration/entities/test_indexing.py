"""Texts are found at once on every way of writing, and are indexed behind the searches once many wait."""

from __future__ import annotations

import unicodedata

import anyio
import pytest
from neo4j import Driver

from graph_memory import Memory
from graph_memory.memory.entities import indexing, reads
from graph_memory.memory.entities.names.find_entities import entity_of_name
from graph_memory.storage.log import project
from support import last

pytestmark = pytest.mark.anyio

WAITING = """
    RETURN COUNT { MATCH (n:_Node {_domain: $domain, _is_long: false}) RETURN n }
      + COUNT { MATCH (o:_Observation {_domain: $domain, _is_long: false}) RETURN o } AS n
"""
WORDS = ("blue", "sailor", "tea", "coffee", "nickname", "anna", "again")


def waiting(driver: Driver, domain: str) -> int:
    return int(driver.execute_query(WAITING, domain=domain).records[0]["n"])


async def index(memory: Memory, domain: str) -> None:
    await indexing.index_texts(memory._core, domain)


async def find_texts(memory: Memory) -> dict[str, list[str]]:
    return {word: [entity.name for entity in (await memory.entities.search_nodes(word)).entities] for word in WORDS}


async def expected_texts(memory: Memory) -> dict[str, list[str]]:
    names = [entity.name for entity in (await memory.entities.read_graph()).entities]
    entities = (await memory.entities.open_nodes(names, detail=True)).entities
    texts = {
        entity.name: "\n".join((entity.name, entity.entity_type, *(entity.aliases or ()), *entity.observations)).lower()
        for entity in entities
    }
    return {word: [name for name, text in texts.items() if word in text] for word in WORDS}


async def check(memory: Memory, domain: str) -> None:
    """Searches cover all stored texts, before and after they are indexed."""
    for _ in range(2):
        assert await find_texts(memory) == await expected_texts(memory)
        assert (await memory.upkeep.verify()).clean
        await index(memory, domain)


async def test_what_waits_is_found_on_every_way_of_writing(memory: Memory, driver: Driver, domain: str) -> None:
    entities = memory.entities
    await entities.create_entities([{"name": "Ann", "type": "Sailor", "observations": ["likes TEA", "is blue"]}])
    await check(memory, domain)
    assert waiting(driver, domain) == 0
    await entities.add_observations([{"entityName": "Ann", "contents": ["drinks coffee"]}])
    await entities.create_entities([{"name": "Blue", "type": "t", "observations": ["tea again"]}])
    assert waiting(driver, domain) == 3
    before = await last(memory)
    await check(memory, domain)
    await entities.update_entity("Ann", new_name="Anna", aliases=["Nickname", "Straße"])
    await entities.update_observation("Anna", "is blue", text="is blue again")
    assert waiting(driver, domain) == 2
    await check(memory, domain)
    for name in ("Anna", "ANNA", "nickname", "STRASSE"):
        assert (await entity_of_name(memory._core.store, domain, name)).name == "Anna"
    assert (await entities.find_similar("STRASSE")).similar == ()
    await entities.update_entity("Anna", properties={"city": "Leeds"})
    await entities.update_observation("Anna", "is blue again", confidence=0.5)
    assert waiting(driver, domain) == 0
    await check(memory, domain)
    branch = memory.in_domain((await memory.history.branch(f"{domain}-b", at=await last(memory))).domain)
    assert (await entity_of_name(branch._core.store, f"{domain}-b", "STRASSE")).name == "Anna"
    await check(branch, f"{domain}-b")
    await memory.history.revert(since=before + 1)
    await check(memory, domain)
    await memory.upkeep.rebuild()
    await check(memory, domain)


async def test_names_are_found_with_a_dotted_capital_i_and_in_either_encoding_of_accents(
    memory: Memory, domain: str
) -> None:
    entities, nfd = memory.entities, unicodedata.normalize("NFD", "Köln")
    values = [{"name": "İstanbul"}, {"name": "Office", "observations": ["İZMİR is near"]}, {"name": "München"}]
    await entities.create_entities([*values, {"name": nfd}])
    for _ in range(2):
        for text, name in (("istanbul", "İstanbul"), ("İstanbul", "İstanbul"), ("izmir", "Office")):
            assert [entity.name for entity in (await entities.search_nodes(text)).entities] == [name]
        assert [entity.name for entity in (await entities.search_nodes("izmir near")).entities] == ["Office"]
        await index(memory, domain)
    for text, name in ((unicodedata.normalize("NFD", "München is nice"), "München"), ("Köln is nice", nfd)):
        result = await entities.remember(text, dry_run=True)
        assert (result.entity, result.found_by) == (name, "text")


async def test_a_search_that_looks_through_many_has_them_indexed(
    memory: Memory, driver: Driver, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reads, "MIN_WAITING", 5)
    monkeypatch.setattr(indexing, "_MAX_PER_TRANSACTION", 2)
    for number in range(5):
        await memory.entities.create_entities([{"name": f"needle {number}", "type": "t", "observations": []}])
        assert len((await memory.entities.search_nodes("needle")).entities) == number + 1
    with anyio.fail_after(20):
        while waiting(driver, domain):  # noqa: ASYNC110 - Neo4j is what is waited for
            await anyio.sleep(0.05)
    assert len((await memory.entities.search_nodes("needle")).entities) == 5


async def test_a_write_of_many_indexes_their_texts_itself(
    memory: Memory, driver: Driver, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project, "INDEXED_AT_ONCE", 3)
    values = [
        {"name": f"Blue {number}", "type": "Sailor", "observations": [text], "properties": {"aliases": "NICKNAME"}}
        for number, text in enumerate(("likes TEA", "tea again", "coffee" * 1_300))
    ]
    await memory.entities.create_entities(values)
    assert waiting(driver, domain) == 0
    assert await find_texts(memory) == await expected_texts(memory)
    assert (await memory.upkeep.verify()).clean
    relations = [{"from": "Blue 0", "to": f"Tea {number}", "relationType": "drinks"} for number in range(3)]
    await memory.entities.create_relations(relations)
    await memory.entities.add_observations([{"entityName": "Blue 1", "contents": ["is anna"]}])
    assert waiting(driver, domain) == 1
    assert (await find_texts(memory))["tea"] == ["Blue 0", "Blue 1"]
    await memory.entities.create_entities([{"name": f"Tea {number}"} for number in range(3)])
    assert (await find_texts(memory))["tea"] == ["Blue 0", "Blue 1", "Tea 0", "Tea 1", "Tea 2"]
    assert (await memory.upkeep.verify()).clean


@pytest.mark.long
async def test_an_index_changed_by_hand_is_named_and_mended(memory: Memory, driver: Driver, domain: str) -> None:
    await memory.entities.create_entities([{"name": "Ann", "type": "t", "observations": ["needle"]}])
    await index(memory, domain)
    for change in ("SET x._folded = 'other'", "REMOVE x._folded", "SET x._is_long = true", "SET x._called = 'x'"):
        driver.execute_query(f"MATCH (x:_Node|_Observation {{_domain: $domain}}) {change}", domain=domain)
        assert len({difference.subject for difference in (await memory.upkeep.rebuild()).differences}) == 2, change
        assert (await memory.upkeep.verify()).clean
        assert len((await memory.entities.search_nodes("needle")).entities) == 1
        await index(memory, domain)


@pytest.mark.long
async def test_texts_that_change_while_they_are_indexed_are_left_to_the_next_look(
    memory: Memory, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "_MAX_PER_TRANSACTION", 2)
    names = [f"Name {number}" for number in range(4)]
    await memory.entities.create_entities([{"name": name, "type": "t", "observations": ["needle"]} for name in names])
    done = anyio.Event()

    async def rewrite(name: str) -> None:
        text = "needle"
        for turn in range(12):
            await memory.entities.update_observation(name, text, text=f"needle again {turn}")
            await memory.entities.update_entity(name, aliases=[f"alias {turn}"])
            text = f"needle again {turn}"

    async def go_on_indexing() -> None:
        while not done.is_set():
            await index(memory, domain)

    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(go_on_indexing)
        async with anyio.create_task_group() as writers:
            for name in names:
                writers.start_soon(rewrite, name)
        done.set()
    for text, count in (("needle again 11", 4), ("needle again 10", 0)):
        assert len((await memory.entities.search_nodes(text)).entities) == count
    assert (await memory.upkeep.verify()).clean
