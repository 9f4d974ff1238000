"""Changes during an indexed page, and damaged rows, leave the rows of search correct."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from neo4j import Driver

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.memory.branches import branch as branching
from graph_memory.memory.retention import compaction
from graph_memory.memory.search.index import copying, index
from graph_memory.memory.search.index.coverage import POSITION
from graph_memory.memory.search.index.index import index_page, schedule_rebuild
from graph_memory.memory.search.index.reindexing import change_model
from integration.search.fakes import Fake, vector, with_embedder
from integration.search.rows import Rows
from support import last, observe

pytestmark = [pytest.mark.anyio, pytest.mark.long]

ONTOLOGY = ontology_from({"node_types": ["Note"], "connection_types": [{"name": "Link", "from": ["*"], "to": ["*"]}]})
VECTORS = "MATCH (p:_Passage {_domain: $domain}) RETURN p._text, p._model, p._embedding, '_NewPassage' IN labels(p)"


@pytest.fixture
async def rows(memory: Memory, driver: Driver, domain: str) -> Rows:
    ours = with_embedder(memory, Fake())
    await ours.create_ontology(ONTOLOGY)
    return Rows(driver, ours, domain)


@pytest.fixture
def ours(memory: Memory) -> Memory:
    return with_embedder(memory, Fake())


async def put(memory: Memory, *texts: str) -> None:
    for text in texts:
        await memory.create_node("Note", text, id=text.rstrip("."))


def once_before(
    monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, meanwhile: Callable[[], Awaitable[object]]
) -> None:
    """Run an action before the first call of a function."""
    function, is_done = getattr(owner, name), False

    async def call_once(*values: Any, **named: Any) -> Any:
        nonlocal is_done
        if not is_done:
            is_done = True
            await meanwhile()
        return await function(*values, **named)

    monkeypatch.setattr(owner, name, call_once)


async def test_a_page_of_a_domain_that_was_deleted_is_not_written_into_one_of_the_same_name(
    ours: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(ours, "Before.")
    await rows.catch_up()
    await put(ours, "Old.")

    async def again() -> None:
        await ours.delete_domain(rows.domain)
        await ours.create_ontology(ONTOLOGY)
        await put(ours, "New.")
        await rows.catch_up()
        await put(ours, "Newer.")

    once_before(monkeypatch, index, "_write_changes", again)
    covered = await rows.catch_up()
    assert (covered.behind, covered.open) == (0, 2)
    assert rows.texts() == ["New.", "Newer."]


async def test_who_was_held_up_while_emptying_takes_nothing_from_the_index_that_others_made_anew(
    ours: Memory, rows: Rows
) -> None:
    await put(ours, "A.", "B.")
    await rows.catch_up()
    await schedule_rebuild(rows.core, rows.domain)
    stale = await rows.core.store.first_row(POSITION, domain=rows.domain)
    assert stale is not None
    assert stale.is_emptied
    covered = await rows.catch_up()
    await index._delete_rows(rows.core, rows.domain, stale)
    assert await rows.catch_up() == covered
    assert rows.texts() == ["A.", "B."]


async def test_an_index_that_is_ahead_of_its_log_is_made_anew(ours: Memory, rows: Rows) -> None:
    await put(ours, "Kept.")
    seq = await last(ours)
    await put(ours, "Lost.")
    await rows.catch_up()
    rows.run("MATCH (e:_Event {_domain: $domain}) WHERE e._seq > $seq DELETE e", seq=seq)
    rows.run("MATCH (d:_Domain {_id: $domain}) SET d._seq = $seq", seq=seq)
    covered = await rows.catch_up()
    assert (covered.seq, covered.behind, covered.open) == (seq, 0, 1)
    assert rows.texts() == ["Kept."]


async def test_an_index_that_others_advance_while_its_position_is_read_is_not_ahead(ours: Memory, rows: Rows) -> None:
    await put(ours, "Kept.")
    await rows.catch_up()
    [[before]] = rows.run("MATCH (i:_Index {_domain: $domain}) RETURN properties(i)")
    await schedule_rebuild(rows.core, rows.domain, below=0)
    assert rows.run("MATCH (i:_Index {_domain: $domain}) RETURN properties(i)") == [[before]]


async def test_what_is_found_wrong_twice_is_made_anew_twice(ours: Memory, rows: Rows) -> None:
    await put(ours, "A.")
    for _ in range(2):
        await rows.catch_up()
        rows.run("MATCH (p:_Passage {_domain: $domain}) DELETE p")
        await ours.upkeep.rebuild()
        assert (await rows.catch_up()).open == 1
        assert rows.texts() == ["A."]


async def test_an_index_that_does_not_know_what_is_compacted_is_made_anew(
    ours: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    await put(ours, "Kept.", "Gone.")
    await rows.catch_up()
    await ours.delete_node("Gone")
    await put(ours, "After.")

    async def failing(*_: object) -> bool:
        return False

    monkeypatch.setattr(compaction, "ensure_covers", failing)
    await ours.history.compact(await last(ours), archive=tmp_path / "a.gz")
    covered = await rows.catch_up()
    assert (covered.behind, covered.open) == (0, 2)
    assert rows.texts() == ["After.", "Kept."]


async def test_a_page_that_was_read_before_the_model_changed_gets_no_vector_of_the_old_one(
    ours: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ours.create_node("Note", "Same words.", id="a")
    await rows.catch_up()
    await ours.create_node("Note", "Same words.", id="b")
    other = Rows(rows._driver, with_embedder(ours, Fake("fake/other")), rows.domain)
    once_before(monkeypatch, index, "_write_changes", lambda: change_model(rows.core, rows.domain, Fake("fake/other")))
    assert (await other.catch_up()).without_vectors == 0
    assert rows.run(VECTORS) == [["Same words.", "fake/other", vector("Same words."), False]] * 2


async def test_a_branch_of_what_waits_for_vectors_of_another_model_gets_them_too(ours: Memory, rows: Rows) -> None:
    await put(ours, "A.")
    await rows.catch_up()
    await change_model(rows.core, rows.domain, Fake("fake/other"))
    name = f"{rows.domain}-branch"
    await ours.history.branch(name)
    branch = Rows(rows._driver, with_embedder(ours, Fake("fake/other")), name)
    assert (await branch.catch_up()).without_vectors == 0
    assert branch.run(VECTORS) == [["A.", "fake/other", vector("A."), False]]


async def test_a_branch_that_copies_from_an_index_that_is_made_anew_lacks_nothing(
    ours: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "PAGE", 1)
    await put(ours, "A.", "B.", "C.")
    await rows.catch_up()

    async def meanwhile() -> None:
        await schedule_rebuild(rows.core, rows.domain)
        position = await rows.core.store.first_row(POSITION, domain=rows.domain)
        assert position is not None
        await index._delete_rows(rows.core, rows.domain, position)

    once_before(monkeypatch, branching, "copy_rows", meanwhile)
    name = f"{rows.domain}-branch"
    await ours.history.branch(name)
    branch = Rows(rows._driver, ours, name)
    assert (await branch.catch_up()).open == 3
    assert branch.texts() == ["A.", "B.", "C."]


async def test_an_observation_is_of_the_type_of_its_node_also_where_its_snapshot_comes_first(
    ours: Memory, rows: Rows, tmp_path: Path
) -> None:
    await put(ours, "A.")
    await observe(ours, rows.domain, "A")
    await ours.update_node("A", properties={"p": 1})
    await ours.history.compact(await last(ours), archive=tmp_path / "a.gz")
    await rows.catch_up()
    assert rows.run("MATCH (p:_Passage {_domain: $domain, _owner: 'obs_A'}) RETURN p._type") == [["Note"]]


async def test_a_page_ends_after_much_text(ours: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "PAGE_TEXT", 3_000)
    await rows.catch_up()
    for number in range(4):
        await ours.create_node("Note", f"Text {number}. {'word ' * 150}", id=f"n{number}")
    assert await index_page(rows.core, rows.domain)
    assert rows.run("MATCH (p:_Passage {_domain: $domain}) RETURN DISTINCT p._owner ORDER BY p._owner") == [
        ["n0"],
        ["n1"],
    ]
    assert (await rows.catch_up()).behind == 0


async def test_an_event_that_is_not_seen_yet_is_waited_for(ours: Memory, rows: Rows) -> None:
    await rows.catch_up()
    await put(ours, "Before.")
    late = await last(ours) + 1
    await put(ours, "Late.")
    await put(ours, "After.")
    hide = "MATCH (e:_Event {_domain: $domain, _seq: $seq}) REMOVE e:_Event SET e:_Unseen RETURN 1"
    show = "MATCH (e:_Unseen {_domain: $domain, _seq: $seq}) REMOVE e:_Unseen SET e:_Event RETURN 1"
    rows.run(hide, seq=late)
    assert ((await rows.catch_up()).behind, rows.texts()) == (2, ["Before."])
    rows.run(show, seq=late)
    assert ((await rows.catch_up()).behind, rows.texts()) == (0, ["After.", "Before.", "Late."])


async def test_content_that_is_missing_is_waited_for_and_then_left_out(
    ours: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(ours, "Before.")
    node = await ours.create_node("Note", "long " * 10_000, id="b", title="Long")
    await put(ours, "z.")
    [[sha256]] = rows.run("MATCH (n:_Node {_domain: $domain, _id: 'b'}) RETURN n._content_sha256")
    assert node.node_id == "b"
    await rows.core.contents.blobs.delete(rows.domain, sha256)
    rows.core.contents.forget(rows.domain, [sha256])
    waiting = await rows.catch_up(within=1.0)
    assert (waiting.behind, rows.texts()) == (2, ["Before."])
    monkeypatch.setattr(index, "_LOST_AFTER", timedelta(0))
    assert (await rows.catch_up()).behind == 0
    assert rows.texts() == ["Before.", "Long", "z."]


async def test_many_that_say_the_same_get_their_vector_in_several_transactions(
    ours: Memory, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "MAX_VECTORS", 2)
    operations = [{"op": "create_node", "type": "Note", "content": "Same.", "id": f"n{number}"} for number in range(5)]
    await ours.execute_batch(operations)
    requests: list[Sequence[str]] = []
    passages = Fake.passages

    async def note_texts(fake: Fake, texts: Sequence[str]) -> list[list[float]]:
        requests.append(texts)
        return await passages(fake, texts)

    monkeypatch.setattr(Fake, "passages", note_texts)
    assert (await rows.catch_up()).without_vectors == 0
    assert rows.run(VECTORS) == [["Same.", "fake/three", vector("Same."), False]] * 5
    assert requests == [["Same."]]


def sentences(count: int) -> str:
    return " ".join(f"Sentence {number} says word{number % 997}." for number in range(count))


HUGE = [
    pytest.param(sentences(3_000), id="sentences"),
    pytest.param(sentences(30_000), id="many sentences", marks=pytest.mark.long),
    pytest.param("\n\n".join(["same words here"] * 60_000), id="paragraphs", marks=pytest.mark.long),
    pytest.param("x" * 1_000_000, id="one word", marks=pytest.mark.long),
]


@pytest.mark.parametrize("text", HUGE)
async def test_a_long_text_is_indexed(ours: Memory, rows: Rows, text: str) -> None:
    await ours.create_node("Note", text, id="a")
    covered = await rows.catch_up()
    assert (covered.behind, covered.without_vectors) == (0, 0)
    await ours.update_node("a", content=f"First. {text}", encoding="utf-8")
    assert (await rows.catch_up()).behind == 0
    assert rows.texts()[0].startswith("First.")


async def test_a_session_with_a_long_name_can_be_followed(ours: Memory, rows: Rows) -> None:
    long = ours.acting_as(None, "s" * 20_000)
    await long.create_node("Note", "Words.", id="a", path="p" * 255)
    await long.update_node("a", path="")
    await long.create_node("Note", "Other.", id="b")
    assert (await rows.catch_up()).behind == 0
    assert rows.texts() == ["Words.", "Other."]


async def test_a_lone_surrogate_does_not_come_in(ours: Memory, rows: Rows) -> None:
    for arguments in ({"content": "\ud800"}, {"content": "a", "tags": ["\ud800"]}, {"content": "a", "title": "\udfff"}):
        with pytest.raises(GraphError) as caught:
            await ours.create_node("Note", **arguments)
        assert caught.value.code in {Code.INVALID_ARGUMENT, Code.INVALID_ENCODING}
    assert (await rows.catch_up()).open == 0
