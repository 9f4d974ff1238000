"""New texts are found at once, and are indexed behind the searches once many wait."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from neo4j import Driver

from graph_memory import Memory, ontology_from
from graph_memory.memory.graph import substring
from graph_memory.model.text.search_windows import trigram_text
from support import index

pytestmark = pytest.mark.anyio

WAITING = "MATCH (w:_NewWindow {_domain: $domain}) RETURN count(*) AS n"


@pytest.fixture
async def notes(memory: Memory) -> Memory:
    await memory.create_ontology(ontology_from({"node_types": ["Note"]}))
    return memory


def waiting(driver: Driver, domain: str) -> int:
    return int(driver.execute_query(WAITING, domain=domain).records[0]["n"])


async def test_a_search_that_looks_through_many_new_windows_has_them_indexed(
    notes: Memory, driver: Driver, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(substring, "MAX_WAITING", 3)
    monkeypatch.setattr(substring, "_MAX_PER_TRANSACTION", 2)
    ids = [(await notes.create_node("Note", f"needle {number}")).node_id for number in range(3)]
    assert (await notes.search_content("needle")).node_ids == tuple(sorted(ids))
    assert waiting(driver, domain) == 3
    ids.append((await notes.create_node("Note", "needle 3")).node_id)
    assert (await notes.search_content("needle")).node_ids == tuple(sorted(ids))
    with anyio.fail_after(20):
        while waiting(driver, domain):  # noqa: ASYNC110 - Neo4j is what is waited for
            await anyio.sleep(0.05)
    assert (await notes.search_content("needle")).node_ids == tuple(sorted(ids))
    assert (await notes.search_content("needle 3")).node_ids == (ids[3],)
    assert (await notes.upkeep.verify()).clean


async def test_pages_are_whole_while_some_windows_wait(notes: Memory) -> None:
    ids: list[str] = []
    for number in range(6):
        ids.append((await notes.create_node("Note", f"needle {number}", id=f"n{number}")).node_id)
        if number == 2:
            await index(notes)
    await notes.update_node("n1", content="needle again", encoding="utf-8")
    first = await notes.search_content("needle", limit=4)
    assert first.node_ids == tuple(ids[:4])
    rest = await notes.search_content("needle", limit=4, cursor=first.next_cursor)
    assert (rest.node_ids, rest.next_cursor) == (tuple(ids[4:]), None)


async def test_a_window_broken_by_hand_ends_the_indexing_and_is_named(
    notes: Memory, driver: Driver, domain: str
) -> None:
    (answer, two) = [(await notes.create_node("Note", text)).node_id for text in ("first", "second")]
    driver.execute_query(
        "MATCH (w:_NewWindow {_domain: $domain, _owner: $one}) REMOVE w._place", domain=domain, one=answer
    )
    with anyio.fail_after(20):
        await index(notes)
    assert (await notes.search_content("second")).node_ids == (two,)
    assert {difference.subject for difference in (await notes.upkeep.rebuild()).differences} == {answer}
    assert (await notes.upkeep.verify()).clean


async def test_trigrams_changed_by_hand_are_named_and_mended(notes: Memory, driver: Driver, domain: str) -> None:
    text = (await notes.create_node("Note", "needle")).node_id
    await index(notes)
    driver.execute_query("MATCH (w:_Window {_domain: $domain}) SET w._grams = 'nothing'", domain=domain)
    assert (await notes.search_content("needle")).node_ids == ()
    assert {difference.subject for difference in (await notes.upkeep.rebuild()).differences} == {text}
    assert (await notes.search_content("needle")).node_ids == (text,)


@pytest.mark.long
async def test_windows_that_are_replaced_while_they_are_indexed_are_left_to_the_next_look(notes: Memory) -> None:
    ids = [(await notes.create_node("Note", f"needle {number}")).node_id for number in range(4)]
    done = anyio.Event()

    async def rewrite(node_id: str) -> None:
        for turn in range(12):
            await notes.update_node(node_id, content=f"needle again {turn}", encoding="utf-8")

    async def go_on_indexing() -> None:
        while not done.is_set():
            await index(notes)

    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(go_on_indexing)
        async with anyio.create_task_group() as writers:
            for node_id in ids:
                writers.start_soon(rewrite, node_id)
        done.set()
    assert (await notes.search_content("needle again 11")).node_ids == tuple(sorted(ids))
    assert (await notes.search_content("needle again 10")).node_ids == ()
    assert (await notes.upkeep.verify()).clean


async def test_a_word_that_thousands_of_texts_hold_is_found_in_all_of_them(
    notes: Memory, driver: Driver, domain: str
) -> None:
    grams = trigram_text(domain, "a common word")
    rows = [{"owner": f"mem_{number:05}", "grams": grams} for number in range(6_000)]
    statement = (
        "UNWIND $rows AS row CREATE (:_Window {_domain: $domain, _owner: row.owner, _type: 'Note', _place: 0, "
        "_text: 'a common word', _grams: row.grams})"
    )
    driver.execute_query(statement, rows=rows, domain=domain)
    content = await notes.search_content("common")
    assert content.node_ids == tuple(row["owner"] for row in rows)
    page = await notes.search_content("common", limit=2, cursor="after:mem_00010")
    assert page.node_ids == ("mem_00011", "mem_00012")


async def test_a_window_is_in_the_index_before_it_stops_waiting(
    notes: Memory, driver: Driver, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (await notes.create_node("Note", "needle")).node_id
    store = notes._core.store
    write, indexed = store.write, "MATCH (w:_NewWindow {_domain: $domain}) RETURN w._grams IS NOT NULL AS is_indexed"
    seen: list[list[bool]] = []

    async def watch_write(*arguments: Any, **settings: Any) -> Any:
        seen.append([record["is_indexed"] for record in driver.execute_query(indexed, domain=domain).records])
        return await write(*arguments, **settings)

    monkeypatch.setattr(store, "write", watch_write)
    await index(notes)
    assert seen == [[False], [True]]
    assert waiting(driver, domain) == 0
    assert (await notes.search_content("needle")).node_ids == (text,)


async def test_windows_and_keys_that_stay_equal_are_not_touched(memory: Memory, driver: Driver, domain: str) -> None:
    keyed = [{"name": name, "indexed": True} for name in ("status", "rank")]
    await memory.create_ontology(ontology_from({"node_types": [{"name": "Note", "properties": keyed}]}))
    pages = ["a" * 2_000, "b" * 2_000, "c" * 2_000]
    node = (await memory.create_node("Note", "".join(pages), properties={"status": "next", "rank": 1})).node_id
    await index(memory)
    rows = (
        "MATCH (n:_Key|_Window {_domain: $domain}) "
        "RETURN coalesce(n._property, n._place) AS name, elementId(n) AS row, n:_NewWindow AS waits ORDER BY name"
    )

    def derived_rows() -> dict[str, tuple[str, bool]]:
        records = driver.execute_query(rows, domain=domain).records
        return {str(record["name"]): (record["row"], record["waits"]) for record in records}

    before = derived_rows()
    await memory.update_node(node, properties={"status": "done", "rank": 1, "other": 2})
    after = derived_rows()
    assert {name for name in before if before[name] != after[name]} == {"status"}
    await memory.update_node(node, content=pages[0] + pages[1] + "d" * 2_000, encoding="utf-8")
    last = derived_rows()
    changed = {name for name in after if after[name] != last.get(name)}
    assert {"0", "1"}.isdisjoint(changed)
    assert changed
    assert all(last[name][1] for name in changed & last.keys())
    assert (await memory.upkeep.verify()).clean
