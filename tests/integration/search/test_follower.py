"""The follower of the log: rows of what is and of what was, made outside of the writes, each page once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import anyio
import pytest
from neo4j import Driver

from graph_memory import Memory, ontology_from
from graph_memory.embedding import Embedder
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END
from graph_memory.memory.search.index import coverage, following, index, reindexing
from graph_memory.memory.search.index.coverage import Coverage
from graph_memory.memory.search.index.index import index_words
from integration.search.rows import Rows

pytestmark = pytest.mark.anyio


@pytest.fixture
async def rows(memory: Memory, driver: Driver, domain: str) -> Rows:
    await memory.create_ontology(ontology_from({"node_types": ["Note"]}))
    return Rows(driver, memory, domain)


async def test_what_is_written_is_indexed_once_and_gets_a_vector(memory: Memory, rows: Rows) -> None:
    await memory.create_node("Note", "The cat sat on the mat.", id="a", tags=["pets"], properties={"by": "Ann Lee"})
    covered = await rows.catch_up()
    assert (covered.behind, covered.without_vectors, covered.open) == (0, 0, 3)
    assert await rows.catch_up() == covered
    assert sorted(rows.texts()) == ["The cat sat on the mat.", "by: Ann Lee", "pets"]
    assert rows.run("MATCH (p:_Passage {_domain: $domain}) RETURN DISTINCT size(p._embedding), p._model") == [
        [384, "local/all-minilm-l6-v2-q"]
    ]


async def test_a_passage_that_stays_equal_is_not_touched_and_one_that_changes_is_ended(
    memory: Memory, rows: Rows
) -> None:
    sentences = [f"Sentence number {number} tells of {'word ' * 90}{number}." for number in range(3)]
    await memory.create_node("Note", "\n\n".join(sentences), id="a")
    await rows.catch_up()
    before = rows.run("MATCH (p:_Passage {_domain: $domain}) RETURN elementId(p), p._place, p._order ORDER BY p._place")
    await memory.update_node("a", content="\n\n".join(["New on top.", *sentences]), encoding="utf-8")
    seq = (await rows.catch_up()).seq
    kept = rows.run(
        "MATCH (p:_Passage {_domain: $domain, _until: $end}) WHERE p._since < $seq "
        "RETURN elementId(p), p._place, p._order ORDER BY p._place",
        end=END,
        seq=seq,
    )
    assert len(kept) >= 2
    assert [item for item in before if item in kept] == kept
    assert "".join(rows.texts()).startswith("New on top.")
    assert " ".join(rows.texts(seq - 1)) == " ".join(sentences)


async def test_versions_that_were_overwritten_before_they_were_indexed_are_there_without_vectors(
    memory: Memory, rows: Rows
) -> None:
    await memory.create_node("Note", "First words.", id="a")
    await memory.update_node("a", content="Second words.", encoding="utf-8")
    await memory.delete_node("a")
    covered = await rows.catch_up()
    assert (covered.open, covered.without_vectors) == (0, 0)
    assert [rows.texts(covered.seq - back) for back in (2, 1, 0)] == [["First words."], ["Second words."], []]
    assert rows.run("MATCH (p:_Passage {_domain: $domain}) WHERE p._embedding IS NOT NULL RETURN p") == []


async def test_what_waits_for_its_vector_and_is_overwritten_at_once_gets_none(memory: Memory, rows: Rows) -> None:
    await memory.create_node("Note", "First.", id="a")
    await index_words(rows.core, rows.domain)
    await memory.update_node("a", content="Second.", encoding="utf-8")
    await index_words(rows.core, rows.domain)
    waiting = "MATCH (p:_NewPassage {_domain: $domain}) RETURN p._text"
    assert rows.run(waiting) == [["Second."]]


async def test_a_search_by_words_alone_waits_for_no_vectors(memory: Memory, rows: Rows) -> None:
    await memory.create_node("Note", "Larch for the terrace.", id="a")
    await rows.catch_up()
    await memory.create_node("Note", "Oak for the stairs.", id="b")
    waiting = "MATCH (p:_NewPassage {_domain: $domain}) RETURN p._text"
    for mode, without in (("lexical", [["Oak for the stairs."]]), ("hybrid", [])):
        result = await memory.recall.search_memories("oak stairs", search_mode=mode)
        assert (result.hits[0].id, result.not_covered, result.without_vectors) == ("b", None, None)
        assert rows.run(waiting) == without


async def test_equal_words_are_embedded_once(memory: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = rows.core.embedder
    assert embedder is not None
    seen: list[str] = []
    passages = embedder.passages

    async def note_call(texts: Sequence[str]) -> list[list[float]]:
        seen.extend(texts)
        return await passages(texts)

    monkeypatch.setattr(type(embedder), "passages", lambda _, texts: note_call(texts))
    for name in "ab":
        await memory.create_node("Note", "The same words.", id=name)
    await rows.catch_up()
    await memory.update_node("a", content="Others.", encoding="utf-8")
    await rows.catch_up()
    await memory.update_node("a", content="The same words.", encoding="utf-8")
    assert (await rows.catch_up()).without_vectors == 0
    assert sorted(seen) == ["Others.", "The same words."]


async def test_several_who_follow_index_each_page_once(
    memory: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "PAGE", 3)
    for number in range(20):
        await memory.create_node("Note", f"Note {number}.", id=f"n{number:02}")
    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(rows.catch_up)
    assert rows.texts() == [f"Note {number}." for number in range(20)]
    assert (await rows.catch_up()).open == 20


async def test_names_are_rows_and_end_with_what_bears_them(memory: Memory, rows: Rows) -> None:
    await memory.create_node("Note", "# Mercury (planet)\n\nIt is hot.", id="a", format="markdown")
    await rows.catch_up()
    assert rows.run("MATCH (n:_Name {_domain: $domain}) RETURN n._key, n._words ORDER BY n._words") == [
        ["mercury", " mercury "],
        ["mercury", " mercury planet "],
    ]
    await memory.delete_node("a")
    covered = await rows.catch_up()
    assert rows.run("MATCH (n:_Name {_domain: $domain}) RETURN DISTINCT n._until") == [[covered.seq]]


async def test_a_name_is_looked_up_by_its_longest_word(memory: Memory, rows: Rows) -> None:
    await memory.create_node("Note", "A tale.", id="a", title="The Hobbit")
    await rows.catch_up()
    assert rows.run("MATCH (n:_Name {_domain: $domain}) RETURN n._key, n._words") == [["hobbit", " the hobbit "]]


async def test_what_stands_in_a_session_or_a_path_is_in_order(memory: Memory, rows: Rows) -> None:
    session = memory.acting_as(None, "talk")
    for number in range(3):
        await session.create_node("Note", f"Turn {number}.", id=f"z{9 - number}")
    await memory.create_node("Note", "Elsewhere.", id="e", path="/x")
    await rows.catch_up()
    results = rows.run(
        "MATCH (p:_Passage {_domain: $domain}) RETURN p._sequence, p._text ORDER BY p._sequence, p._position"
    )
    assert results == [["path//x", "Elsewhere."], *(["session/talk", f"Turn {number}."] for number in range(3))]


async def test_events_stand_in_order_in_the_session_that_they_name(memory: Memory, rows: Rows) -> None:
    events = [{"type": "message", "content": f"Turn {n}.", "session": f"day {n % 2}"} for n in range(4)]
    await memory.in_session("import").agent.record_events(events)
    await rows.catch_up()
    results = rows.run(
        "MATCH (p:_Passage {_domain: $domain}) WHERE p._place STARTS WITH 'content' "
        "RETURN p._sequence, p._text ORDER BY p._sequence, p._position"
    )
    assert results == [[f"session/day {number % 2}", f"Turn {number}."] for number in (0, 2, 1, 3)]


ALL = "MATCH (p:_Passage {_domain: $domain}) RETURN p {.*, _embedding: null} AS p ORDER BY p._filter, p._place"


async def test_an_index_is_made_anew_and_what_was_cut_off_goes_on(
    memory: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "PAGE", 2)
    for number in range(5):
        await memory.create_node("Note", f"Note {number}.", id=f"n{number}", title=f"Named {number}")
    before = await rows.catch_up()
    kept = rows.run(ALL)
    complete = reindexing.complete

    async def cut(*_: object) -> Coverage:
        raise KeyboardInterrupt

    monkeypatch.setattr(reindexing, "complete", cut)
    with pytest.raises(KeyboardInterrupt):
        await memory.upkeep.reindex()
    monkeypatch.setattr(reindexing, "complete", complete)
    assert (await memory.upkeep.index_status()).behind > 0
    lines: list[str] = []
    after = await memory.upkeep.reindex(progress=lambda text, _: lines.append(text))
    assert (after.behind, after.without_vectors, after.open) == (0, 0, before.open)
    assert rows.run(ALL) == kept
    assert set(lines) == {"Indexing the log", "Computing vectors"}


async def test_another_model_makes_the_vectors_anew_and_only_these(
    memory: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    await memory.create_node("Note", "Words.", id="a")
    await rows.catch_up()
    embedder = rows.core.embedder
    assert embedder is not None
    monkeypatch.setattr(type(embedder), "model", property(lambda _: "local/other"))
    await memory.create_node("Note", "More.", id="b")
    covered = await rows.catch_up()
    assert covered.without_vectors == 1
    assert "local/other" in str(covered.reason)
    assert (await memory.upkeep.reindex(model=True)).without_vectors == 0
    results = rows.run("MATCH (p:_Passage {_domain: $domain}) RETURN p._text, p._model, size(p._embedding)")
    assert sorted(results) == [["More.", "local/other", 384], ["Words.", "local/other", 384]]


async def test_a_process_that_stays_indexes_what_is_new(
    memory: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "INTERVAL", 0.05)
    empty, log = await rows.catch_up(), rows.core.log
    monkeypatch.setattr(log, "_marks", {rows.domain: log.mark(rows.domain)})  # those of other tests are far behind
    done = replace(empty, seq=empty.seq + 1, open=1, model="local/all-minilm-l6-v2-q", reason=None)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(following.follow_logs, rows.core)
        await memory.create_node("Note", "Words.", id="a")
        with anyio.fail_after(120):
            while await memory.upkeep.index_status() != done:  # noqa: ASYNC110 - another task makes it so
                await anyio.sleep(0.1)
        tasks.cancel_scope.cancel()
    assert rows.texts() == ["Words."]


@pytest.mark.long
async def test_a_search_that_waits_has_few_texts_embedded_at_once(
    memory: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    embed_some = index._embed_rows

    async def note_call(core: Core, domain: str, embedder: Embedder, waiting: Sequence[index.WaitingRow]) -> str | None:
        sizes.append(len(waiting))
        return await embed_some(core, domain, embedder, waiting)

    monkeypatch.setattr(index, "_embed_rows", note_call)
    for number in range(10):
        await memory.create_node("Note", f"Note {number}.", id=f"n{number}")
    await rows.catch_up(within=2.0)
    assert sizes[0] == index.FEW_AT_ONCE_WAITING
    for number in range(10, 20):
        await memory.create_node("Note", f"Note {number}.", id=f"n{number}")
    await rows.catch_up(within=60.0)
    assert max(sizes) >= 10


async def test_a_search_waits_for_a_handful_of_changes_and_not_for_many(
    memory: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        await memory.create_node("Note", f"Note {number}.", id=f"n{number}")
    with monkeypatch.context() as patched:
        patched.setattr(coverage, "HANDFUL", 1)
        assert (await rows.catch_up(within=0.0, handful_within=120.0)).behind > 0
    covered = await rows.catch_up(within=0.0, handful_within=120.0)
    assert (covered.behind, covered.without_vectors) == (0, 0)
