"""While the vectors of another model are computed, searches use the vectors of the previous model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import anyio
import pytest
from neo4j import Driver

from graph_memory import Memory, ontology_from
from graph_memory.embedding import EARLIER, Embedder
from graph_memory.memory.search.index import following, reindexing
from integration.search.fakes import Fake, with_embedder
from integration.search.rows import Rows

pytestmark = pytest.mark.anyio

OLD, NEW = Fake("fake/old"), Fake("fake/new")
MODELS = "MATCH (p:_Passage {_domain: $domain}) RETURN p._text, p._model, p._next_model, p:_NewPassage ORDER BY p._text"


@pytest.fixture
async def old(memory: Memory) -> Memory:
    """A process whose settings name the old model."""
    await memory.create_ontology(ontology_from({"node_types": ["Note"]}))
    return with_embedder(memory, OLD)


@pytest.fixture
def new(old: Memory) -> Memory:
    """One whose settings name the new model, and lead to the old one too."""
    return having(old, {OLD.model: OLD})


def having(memory: Memory, others: dict[str, Embedder]) -> Memory:
    return Memory(replace(memory._core, embedder=NEW, embedder_of=others.get), default_domain=memory._domain(None))


async def cut_before_the_exchange(new: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    async def cut(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(reindexing, "_take_model", cut)
        with pytest.raises(KeyboardInterrupt):
            await new.upkeep.reindex(model=True)


@pytest.mark.long
async def test_until_all_vectors_are_there_the_old_ones_answer_in_both_processes(
    old: Memory, new: Memory, driver: Driver, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = Rows(driver, old, domain)
    for name in "abc":
        await old.create_node("Note", f"Words of {name}.", id=name)
    await rows.catch_up()
    await old.update_node("c", content="Others.", encoding="utf-8")
    await rows.catch_up()
    await cut_before_the_exchange(new, monkeypatch)
    assert {(model, other) for _, model, other, _ in rows.run(MODELS)} == {("fake/old", "fake/new")}
    await old.create_node("Note", "Words of d.", id="d")
    for memory in (old, new):
        answer = await memory.recall.search_semantic("Words of d.", limit=1)
        assert (answer.hits[0].id, answer.hits[0].distance) == ("d", 0.0)
    assert "compared with that model" in str((await new.recall.search_memories("Words of d.")).warnings)
    assert (await old.recall.search_memories("Words of d.")).warnings is None
    alone = await having(old, {}).recall.search_memories("Words of d.")
    assert (alone.mode, alone.hits[0].id) == ("lexical", "d")
    assert not (await old.upkeep.verify()).differences
    name = f"{domain}-branch"
    await old.history.branch(name)
    assert (await old.in_domain(name).recall.search_semantic("Words of a.", limit=1)).hits[0].id == "a"

    covered = await new.upkeep.reindex(model=True)
    assert (covered.model, covered.without_vectors) == ("fake/new", 0)
    answer = rows.run(MODELS)
    assert {(model, other, waits) for _, model, other, waits in answer} == {("fake/new", None, False)}
    assert len(answer) == 5
    assert (await new.recall.search_semantic("Words of d.", limit=1)).hits[0].distance == 0.0
    assert (await old.recall.search_memories("Words of d.")).mode == "lexical"


async def test_what_is_written_just_before_the_exchange_gets_its_vector_after_it(
    old: Memory, new: Memory, driver: Driver, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = Rows(driver, old, domain)
    await old.create_node("Note", "Words.", id="a")
    await rows.catch_up()
    take = reindexing._take_model

    async def late(*values: Any, **named: Any) -> None:
        await old.create_node("Note", "Late words.", id="b")
        await rows.catch_up()
        await take(*values, **named)

    monkeypatch.setattr(reindexing, "_take_model", late)
    monkeypatch.setattr(reindexing, "MAX_EXCHANGED", 1)
    assert (await new.upkeep.reindex(model=True)).without_vectors == 0
    assert rows.run(MODELS) == [["Late words.", "fake/new", None, False], ["Words.", "fake/new", None, False]]


async def test_what_is_erased_while_the_model_changes_does_not_come_back(
    old: Memory, new: Memory, driver: Driver, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = Rows(driver, old, domain)
    for name in "ab":
        await old.create_node("Note", f"Words of {name}.", id=name)
    await rows.catch_up()
    await cut_before_the_exchange(new, monkeypatch)
    await old.history.erase("a")
    await new.upkeep.reindex(model=True)
    assert rows.run(MODELS) == [["Words of b.", "fake/new", None, False]]


async def test_a_home_with_vectors_of_the_earlier_model_is_searched_at_once_and_gets_new_ones_behind_the_calls(
    old: Memory, driver: Driver, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(EARLIER, NEW.model, OLD.model)
    monkeypatch.setattr(following, "INTERVAL", 0.05)
    rows, new = Rows(driver, old, domain), having(old, {})
    await old.create_node("Note", "Words of a.", id="a")
    await rows.catch_up()
    await new.create_node("Note", "Words of b.", id="b")
    for name in "ab":
        result = await new.recall.search_semantic(f"Words of {name}.", limit=1)
        assert (result.hits[0].id, result.hits[0].distance, result.warnings) == (name, 0.0, None)
    assert {model for _, model, _, _ in rows.run(MODELS)} == {OLD.model}
    log = new._core.log
    monkeypatch.setattr(log, "_marks", {domain: log.mark(domain)})  # those of other tests are far behind
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(following.follow_logs, new._core)
        with anyio.fail_after(60):
            while {model for _, model, _, _ in rows.run(MODELS)} != {NEW.model}:  # noqa: ASYNC110
                await anyio.sleep(0.1)
        tasks.cancel_scope.cancel()
    assert (await new.upkeep.index_status()).model == NEW.model
