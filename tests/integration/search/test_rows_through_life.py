"""The rows of search through branches, erasing, compacting and deleting."""

from __future__ import annotations

from pathlib import Path
from typing import LiteralString

import pytest
from neo4j import Driver

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.memory.search.index import index
from graph_memory.memory.search.index.coverage import POSITION
from graph_memory.memory.search.index.index import LOCK
from graph_memory.memory.verify.passage_checks import find_passage_differences
from graph_memory.storage.log.jobs import READY
from graph_memory.storage.store import Transaction
from integration.search.rows import Rows
from profiles import some

pytestmark = pytest.mark.anyio


@pytest.fixture
async def rows(memory: Memory, driver: Driver, domain: str) -> Rows:
    await memory.create_ontology(
        ontology_from(
            {"node_types": ["Note"], "connection_types": [{"name": "About", "from_types": ["*"], "to_types": ["*"]}]}
        )
    )
    return Rows(driver, memory, domain)


async def test_a_branch_has_the_passages_and_vectors_of_its_point_without_embedding(
    memory: Memory, rows: Rows, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    await memory.create_node("Note", "First words.", id="a")
    await memory.create_node("Note", "Others.", id="b", title="Bee")
    at = (await rows.catch_up()).seq
    await memory.update_node("a", content="Second words.", encoding="utf-8")
    await rows.catch_up()
    monkeypatch.setattr(index, "_embed_rows", None)
    name = f"{rows.domain}-branch"
    await memory.history.branch(name, at=at)
    branch = Rows(driver, memory, name)
    covered = await branch.catch_up()
    assert (covered.behind, covered.without_vectors, covered.open) == (0, 0, 3)
    assert branch.texts() == ["First words.", "Others.", "Bee"]
    assert branch.run("MATCH (n:_Name {_domain: $domain}) RETURN n._words") == [[" bee "]]
    assert branch.filters() == {text: rows.filters(branch=name, at=at)[text] for text in branch.texts()}


async def test_a_branch_whose_source_was_not_indexed_is_indexed_by_its_own_log(
    memory: Memory, rows: Rows, driver: Driver
) -> None:
    await memory.create_node("Note", "First words.", id="a")
    name = f"{rows.domain}-branch"
    await memory.history.branch(name)
    branch = Rows(driver, memory, name)
    assert (await branch.catch_up()).behind == 0
    assert branch.texts() == ["First words."]


async def test_what_is_erased_leaves_no_row_and_no_late_page_brings_it_back(memory: Memory, rows: Rows) -> None:
    await memory.create_node("Note", "A secret.", id="a", title="Secret name")
    await memory.create_node("Note", "Harmless.", id="b")
    tie = await memory.create_connection("About", "a", "b", content="A secret tie.")
    await memory.update_node("a", content="Another secret.", encoding="utf-8")
    position = await rows.core.store.first_row(POSITION, domain=rows.domain)
    assert position is not None
    assert (await rows.catch_up()).open == 4, tie
    [[epoch]] = rows.run("MATCH (i:_Index {_domain: $domain}) RETURN i._epoch")
    [[seq]] = rows.run("MATCH (i:_Index {_domain: $domain}) RETURN i._seq")
    await memory.history.erase("a")
    assert rows.texts() == ["Harmless."]
    assert rows.run("MATCH (p:_Passage|_Name {_domain: $domain}) WHERE p._until < $end RETURN p", end=2**53) == []

    async def late(transaction: Transaction) -> bool | None:
        return await transaction.first_row(
            LOCK, domain=rows.domain, seq=seq, part=0, epoch=epoch, state=READY, is_emptied=False
        )

    assert await rows.core.store.write("late", late) is False
    covered = await rows.catch_up()
    assert (covered.open, covered.behind, rows.texts()) == (1, 0, ["Harmless."])


async def test_compacting_takes_what_ended_before_and_leaves_what_can_be_asked(
    memory: Memory, rows: Rows, tmp_path: Path
) -> None:
    await memory.create_node("Note", "One.", id="a")
    await memory.update_node("a", content="Two.", encoding="utf-8")
    await memory.create_node("Note", "Gone.", id="b")
    await memory.delete_node("b")
    await rows.catch_up()
    await memory.update_node("a", content="Three.", encoding="utf-8")
    await memory.update_node("a", content="Four.", encoding="utf-8")
    last = (await memory.history.log(limit=1)).entries[0].seq
    to = (await memory.history.compact(last - 1, archive=tmp_path / "old.gz")).compacted_to
    assert last - 3 < to < last
    covered = await rows.catch_up()
    assert covered.behind == 0
    assert rows.texts() == ["Four."]
    assert rows.texts(last - 1) == ["Three."]
    assert rows.texts(to) == [{last - 2: "Two.", last - 1: "Three."}[to]]
    assert rows.run("MATCH (p:_Passage {_domain: $domain}) WHERE p._until <= $to RETURN count(*)", to=to) == [[0]]


async def test_deleting_a_domain_leaves_no_row(memory: Memory, rows: Rows) -> None:
    await memory.create_node("Note", "Words.", id="a", title="Named")
    await rows.catch_up()
    await memory.delete_domain(rows.domain)
    assert rows.run("MATCH (p:_Passage|_Name|_Index {_domain: $domain}) RETURN p") == []


DAMAGES: dict[str, LiteralString] = {
    "has no passage": "MATCH (p:_Passage {_domain: $domain, _owner: 'a', _place: 'tags'}) DELETE p",
    "twice": "MATCH (p:_Passage {_domain: $domain, _owner: 'a', _place: 'tags'}) CREATE (q:_Passage) SET q = p",
    "unexpected passage": "CREATE (:_Passage {_domain: $domain, _owner: 'a', _place: 'x', _since: 1, _until: 2 ^ 53})",
    "does not exist": "CREATE (:_Passage {_domain: $domain, _owner: 'none', _place: 'x', _since: 1, _until: 2 ^ 53})",
    "differs from the log": "MATCH (p:_Passage {_domain: $domain, _owner: 'a', _place: 'tags'}) SET p._filter = 'x'",
    "other names": "MATCH (n:_Name {_domain: $domain}) SET n._name = 'x'",
}


@pytest.mark.parametrize("problem", some(tuple(DAMAGES)))
async def test_verify_names_what_is_wrong_with_the_rows_and_rebuild_mends_it(
    memory: Memory, rows: Rows, problem: str
) -> None:
    await memory.create_node("Note", "Words.", id="a", title="Named", tags=["x", "y"])
    await rows.catch_up()
    assert not (await memory.upkeep.verify()).differences
    rows.run(DAMAGES[problem])
    (difference,) = (await memory.upkeep.verify()).differences
    assert (difference.kind, problem in difference.problem) == ("search", True), difference
    assert not (await memory.upkeep.rebuild()).unmended
    await rows.catch_up()
    assert rows.texts() == ["Words.", "x, y", "Named"]
    assert not (await memory.upkeep.verify()).differences


async def test_content_that_cannot_be_read_just_now_takes_no_other_rows_for_loose(
    memory: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abc":
        await memory.create_node("Note", f"Words of {name}.", id=name)
    await rows.catch_up()

    async def unreadable(*_: object) -> None:
        raise GraphError(Code.CONTENT_READ_FAILED, "It is on its way")

    monkeypatch.setattr(index, "_read_text", unreadable)
    assert await find_passage_differences(rows.core, rows.domain) == []
