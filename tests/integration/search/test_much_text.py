"""Long texts, and a Neo4j without memory: indexing goes on in smaller parts, and no read fails for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from neo4j import Driver

from graph_memory import Code, GraphError, Memory
from graph_memory.memory.search.index import index
from graph_memory.memory.search.index.backlog import read_backlogs
from graph_memory.memory.search.index.batch_size import BatchSize
from graph_memory.memory.search.index.index import index_page
from graph_memory.storage.queries import Query
from graph_memory.storage.store import Store, Transaction
from integration.search.rows import Rows
from profiles import some

pytestmark = pytest.mark.anyio

FULL = GraphError(Code.STORE_UNAVAILABLE, "Neo4j has too little memory for this change; nothing was changed")
SENTENCES = [f"Sentence {number} tells of word{number} and {'other ' * 90}things." for number in range(12)]


@pytest.fixture
async def rows(memory: Memory, driver: Driver, domain: str) -> Rows:
    await memory.entities.create_entities([{"name": "First", "entityType": "t", "observations": ["begins"]}])
    return Rows(driver, memory, domain)


def fail_for(monkeypatch: pytest.MonkeyPatch, fails: Callable[[dict[str, Any]], bool]) -> list[int]:
    """Have Neo4j run out of memory for some pages of passages; return a list that takes how many each try has."""
    run, tries = Transaction.run, list[int]()

    async def limit_rows(transaction: Transaction, query: Query[Any], **arguments: Any) -> list[Any]:
        if query is index.CREATE_PASSAGES:
            tries.append(len(arguments["rows"]))
            if fails(arguments):
                raise FULL
        return await run(transaction, query, **arguments)

    monkeypatch.setattr(Transaction, "run", limit_rows)
    return tries


def says(word: str) -> Callable[[dict[str, Any]], bool]:
    return lambda arguments: any(word in row["passage"]["_text"] for row in arguments["rows"])


async def test_an_observation_of_many_passages_is_written_in_parts_and_covered_once_all_are_there(
    memory: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    await rows.catch_up()
    monkeypatch.setattr(index, "choose_batch_size", lambda failures, events: BatchSize(events, 3))
    await memory.entities.add_observations([{"entityName": "First", "contents": ["\n\n".join(SENTENCES)]}])
    seen: list[tuple[int, int]] = []
    advance = index._write_part

    async def note_progress(*values: Any) -> bool:
        done = await advance(*values)
        result = await memory.recall.search_memories("word3", search_mode="lexical")
        seen.append((result.not_covered or 0, len(rows.texts())))
        return done

    async def write_index(core: Any, domain: str) -> bool:
        monkeypatch.setattr(index, "index_page", lambda *_: no())  # a reader that may not index itself
        return await index_page(core, domain)

    async def no() -> bool:
        return False

    monkeypatch.setattr(index, "_write_part", note_progress)
    await write_index(rows.core, rows.domain)
    assert [behind for behind, _ in seen] == [1] * (len(seen) - 1) + [0]
    assert [texts for _, texts in seen] == sorted({texts for _, texts in seen})
    assert len(seen) > 3
    assert (await memory.upkeep.verify()).clean


@pytest.mark.long
async def test_a_page_that_was_cut_off_is_completed_with_no_passage_twice(
    memory: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    await rows.catch_up()
    monkeypatch.setattr(index, "choose_batch_size", lambda failures, events: BatchSize(events, 3))
    await memory.entities.add_observations([{"entityName": "First", "contents": ["\n\n".join(SENTENCES)]}])
    write, parts = index._write_part, 0

    async def cut_off(*values: Any) -> bool:
        nonlocal parts
        parts += 1
        if parts == 3:
            raise GraphError(Code.TRANSACTION_LOST, "The process was killed")
        return await write(*values)

    monkeypatch.setattr(index, "_write_part", cut_off)
    assert (await rows.catch_up()).behind == 1
    monkeypatch.setattr(index, "_write_part", write)
    covered = await rows.catch_up()
    assert (covered.behind, covered.open) == (0, len(rows.texts()))
    assert (await memory.upkeep.verify()).clean


@pytest.mark.long
async def test_two_who_write_parts_of_one_event_write_each_passage_once(
    memory: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    await rows.catch_up()
    monkeypatch.setattr(index, "choose_batch_size", lambda failures, events: BatchSize(events, 3))
    await memory.entities.add_observations([{"entityName": "First", "contents": ["\n\n".join(SENTENCES)]}])
    write, parts = index._write_part, 0

    async def interrupt(*values: Any) -> bool:
        nonlocal parts
        parts += 1
        if parts == 2:
            assert await index_page(rows.core, rows.domain)
        return await write(*values)

    monkeypatch.setattr(index, "_write_part", interrupt)
    covered = await rows.catch_up()
    assert (covered.behind, covered.open) == (0, len(rows.texts()))
    assert (await memory.upkeep.verify()).clean


async def test_a_page_is_halved_when_memory_runs_out_and_an_event_that_fails_alone_is_skipped_and_named(
    memory: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "PAGE", 4)
    await rows.catch_up()
    for number in range(6):
        text = "a poisonous fact" if number == 2 else f"a harmless fact {number}"
        await memory.entities.create_entities([{"name": f"E{number}", "entityType": "t", "observations": [text]}])
    fail_for(monkeypatch, says("poisonous"))
    covered = await rows.catch_up()
    assert (covered.behind, len(covered.skipped)) == (0, 1)
    result = await memory.recall.search_memories("harmless fact", search_mode="lexical")
    assert result.found == 5
    assert result.not_covered == 1
    [event] = covered.skipped
    assert [f"event {event}. Run `graph-memory reindex`" in warning for warning in result.warnings or ()] == [True]
    recalled = await memory.recall.recall("harmless fact")
    assert (recalled.not_covered, str(event) in str(recalled.warnings)) == (1, True)
    assert [item.failed_events for item in await read_backlogs(rows.core.store) if item.domain == rows.domain] == [
        f"event {event}"
    ]
    monkeypatch.undo()
    assert (await memory.upkeep.reindex()).not_covered is None
    assert (await memory.recall.search_memories("poisonous", search_mode="lexical")).found == 1
    assert (await memory.upkeep.verify()).clean


@pytest.mark.long
async def test_a_page_that_is_too_much_is_written_with_fewer_events(
    memory: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    await rows.catch_up()
    entities = [{"name": f"E{number}", "entityType": "t", "observations": [f"fact {number}"]} for number in range(40)]
    await memory.entities.create_entities(entities)
    tries = fail_for(monkeypatch, lambda arguments: len(arguments["rows"]) > 10)
    covered = await rows.catch_up()
    assert (covered.behind, covered.skipped) == (0, ())
    assert max(tries) > 10
    assert (await memory.upkeep.verify()).clean


@pytest.mark.parametrize("code", some([Code.STORE_UNAVAILABLE, Code.INTERNAL, Code.STORE_CONFLICT]))
async def test_an_index_that_fails_fails_no_read(
    memory: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch, code: Code
) -> None:
    await rows.catch_up()
    await memory.entities.add_observations([{"entityName": "First", "contents": ["and goes on"]}])
    write = Store.write

    async def refuse(store: Store, name: str, work: Callable[[Transaction], Awaitable[Any]], **arguments: Any) -> Any:
        if name in ("index_page", "put_vectors"):
            raise GraphError(code, "Neo4j has no disk left")
        return await write(store, name, work, **arguments)

    monkeypatch.setattr(Store, "write", refuse)
    for read in (
        memory.recall.search_memories("begins"),
        memory.recall.search_semantic("begins"),
        memory.recall.recall("begins"),
        memory.recall.recall("First", depth="deep"),
    ):
        result = await read
        assert result.not_covered == 1
        assert "Neo4j has no disk left" in str(result.warnings)
    assert (await memory.entities.search_nodes("goes on")).entities
    assert await memory.entities.session_start(project="First")


async def test_a_text_that_cannot_be_split_is_skipped_and_named(
    memory: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "PAGE", 1)
    await rows.catch_up()
    await memory.entities.add_observations([{"entityName": "First", "contents": ["one"]}])

    def fail_deeply(*_: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr(index.SubjectRows, "add_changes", fail_deeply)
    assert len((await rows.catch_up()).skipped) == 1
    assert (await memory.recall.search_memories("begins", search_mode="lexical")).found == 1
