"""Content is kept before the write that refers to it, and what a crash leaves behind can be cleaned up."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from neo4j import Driver

from graph_memory import Code, GraphError, Memory, Settings, ontology_from, open_memory
from graph_memory.memory.contents import Contents
from graph_memory.memory.core import last_state
from graph_memory.memory.graph.nodes import GET
from graph_memory.model.values.content import content_from
from graph_memory.storage.blobs.cache import ContentCache

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from({"node_types": ["Note"]})
LARGE = "large " * 4_000


@pytest.fixture
async def notes(memory: Memory) -> Memory:
    await memory.create_ontology(ONTOLOGY)
    return memory


def blob(settings: Settings, domain: str, data: bytes) -> Path:
    return settings.home / "blobs" / domain / hashlib.sha256(data).hexdigest()


async def test_small_text_is_kept_in_neo4j_and_large_or_binary_content_as_a_blob(
    notes: Memory, settings: Settings, domain: str, driver: Driver
) -> None:
    small = await notes.create_node("Note", "small")
    large = await notes.create_node("Note", LARGE)
    binary = await notes.create_node("Note", b"\x00\xff", encoding="base64", format="bin")
    rows = driver.execute_query(
        "MATCH (n:_Node {_domain: $d}) RETURN n._id AS id, n._content AS text", d=domain
    ).records
    assert {row["id"]: row["text"] for row in rows} == {
        small.node_id: "small",
        large.node_id: None,
        binary.node_id: None,
    }
    assert not blob(settings, domain, b"small").exists()
    assert blob(settings, domain, LARGE.encode()).exists()
    assert blob(settings, domain, b"\x00\xff").exists()
    assert (await notes.get_node_content(large.node_id)).content == LARGE
    assert (await notes.get_node_content(binary.node_id)).content == "AP8="


async def test_a_text_is_read_only_where_it_is_asked_for(notes: Memory, domain: str) -> None:
    note = (await notes.create_node("Note", "small")).node_id
    store = notes._core.store
    for with_text, text in ((False, None), (True, "small")):
        state = await last_state(store, GET, domain, note, with_text=with_text)
        assert state is not None
        assert state.text == text


async def test_content_grows_into_a_blob_and_shrinks_back(notes: Memory) -> None:
    node = await notes.create_node("Note", "small")
    for text in (LARGE, "small again", "", LARGE):
        await notes.update_node(node.node_id, content=text, encoding="utf-8")
        assert (await notes.get_node_content(node.node_id)).content == text
        assert (await notes.upkeep.verify()).clean
    await notes.update_node(node.node_id, content="AP8=", encoding="base64", format="bin")
    assert (await notes.search_content("large")).node_ids == ()
    assert (await notes.upkeep.verify()).clean


async def test_content_can_be_given_as_the_path_of_a_file(notes: Memory, tmp_path: Path) -> None:
    file = tmp_path / "note.md"
    file.write_text("# From a file")
    node = await notes.create_node("Note", file)
    assert (await notes.get_node_content(node.node_id)).content == "# From a file"
    with pytest.raises(GraphError) as caught:
        await notes.create_node("Note", tmp_path / "missing")
    assert caught.value.code is Code.INVALID_ARGUMENT


async def test_content_that_cannot_be_written_makes_no_node(settings: Settings, domain: str, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    unwritable = settings.model_copy(update={"domain": domain, "blob_url": str(blocked / "blobs")})
    async with open_memory(unwritable) as memory:
        await memory.create_ontology(ONTOLOGY)
        with pytest.raises(GraphError) as caught:
            await memory.create_node("Note", LARGE)
        assert caught.value.code is Code.FILE_CREATION_FAILED
        assert (await memory.query_nodes()).node_ids == ()
        await memory.create_node("Note", "small text needs no blob")


@pytest.mark.parametrize("harm", ["missing", "damaged"])
async def test_a_blob_that_is_missing_or_damaged_is_reported_and_named_by_verify(
    settings: Settings, domain: str, harm: str
) -> None:
    uncached = settings.model_copy(update={"domain": domain, "content_cache_bytes": 0})
    async with open_memory(uncached) as memory:
        await memory.create_ontology(ONTOLOGY)
        node = await memory.create_node("Note", LARGE)
        path = blob(settings, domain, LARGE.encode())
        path.unlink() if harm == "missing" else path.write_bytes(b"damaged")
        with pytest.raises(GraphError) as caught:
            await memory.get_node_content(node.node_id)
        assert caught.value.code is Code.CONTENT_READ_FAILED
        assert (await memory.get_node(node.node_id)).id == node.node_id
        assert [d.problem for d in (await memory.upkeep.verify()).differences] == ["content in store differs"]


async def test_a_blob_whose_write_failed_is_collected_after_its_grace_and_no_other(
    notes: Memory, settings: Settings, domain: str
) -> None:
    await notes.create_node("Note", LARGE)
    orphan = "orphan " * 4_000
    await notes._core.contents.put(domain, content_from(orphan, "utf-8", "markdown"))
    path = blob(settings, domain, orphan.encode())
    assert path.exists()

    async def collect(*, dry_run: bool, grace: float) -> list[str]:
        result = await notes.upkeep.collect_blobs(dry_run=dry_run, grace=grace)
        return [blob.name for blob in result.blobs if blob.domain == domain]

    assert await collect(dry_run=False, grace=3600) == []
    assert await collect(dry_run=True, grace=-1) == [path.name]
    assert path.exists()
    assert await collect(dry_run=False, grace=-1) == [path.name]
    assert not path.exists()
    assert (await notes.upkeep.verify()).clean


async def test_blobs_are_not_collected_where_another_database_keeps_its_own(
    settings: Settings, domain: str, tmp_path: Path
) -> None:
    async with open_memory(settings.model_copy(update={"domain": domain, "blob_url": str(tmp_path)})) as memory:
        await memory.create_ontology(ONTOLOGY)
        await memory.create_node("Note", LARGE)
        assert (await memory.upkeep.collect_blobs(dry_run=True, grace=-1)).blobs == ()
        await memory._core.contents.blobs.claim("another database")
        with pytest.raises(GraphError) as caught:
            await memory.upkeep.collect_blobs(dry_run=False, grace=-1)
        assert caught.value.code is Code.STORE_CONFLICT


async def test_a_process_that_does_not_know_a_further_database_does_not_own_its_blobs(
    settings: Settings, domain: str, tmp_path: Path
) -> None:
    async with open_memory(settings.model_copy(update={"domain": domain, "blob_url": str(tmp_path)})) as memory:
        plain = memory._core.contents
        [home] = plain.owners
        spread = Contents(
            plain.blobs, ContentCache(0), store=home, inline_limit=1, text_limit=1_000, databases=["work"]
        )
        await spread.put(domain, content_from("long", "utf-8", "text"))
        assert await spread.owns_all_blobs()
        assert not await plain.owns_all_blobs()


async def test_what_the_ontology_refuses_leaves_no_blob(notes: Memory, settings: Settings, domain: str) -> None:
    with pytest.raises(GraphError) as caught:
        await notes.create_node("Nothing", LARGE)
    assert caught.value.code is Code.INVALID_NODE_TYPE
    with pytest.raises(GraphError):
        await notes.create_node("Note", LARGE, domain=f"{domain}.none")
    with pytest.raises(GraphError):
        await notes.update_node("mem_none", content=LARGE, encoding="utf-8")
    assert not blob(settings, domain, LARGE.encode()).exists()
    assert not blob(settings, f"{domain}.none", LARGE.encode()).exists()


async def test_text_that_is_too_large_to_be_searched_is_refused(settings: Settings, domain: str) -> None:
    async with open_memory(settings.model_copy(update={"domain": domain, "text_content_bytes": 1000})) as memory:
        await memory.create_ontology(ONTOLOGY)
        with pytest.raises(GraphError) as caught:
            await memory.create_node("Note", "x" * 1001)
        assert caught.value.code is Code.CONTENT_TOO_LARGE
        await memory.create_node("Note", b"x" * 1001, encoding="base64")


async def test_a_copied_blob_is_new_again_also_where_it_was_there_already(
    notes: Memory, settings: Settings, domain: str
) -> None:
    """Else a clean-up might delete it before the write that needs it is committed."""
    contents, source = notes._core.contents, f"{domain}-source"
    sha256 = await contents.blobs.put(source, LARGE.encode())
    await contents.blobs.put(domain, LARGE.encode())
    os.utime(blob(settings, domain, LARGE.encode()), (0, 0))
    assert (await notes.upkeep.collect_blobs(dry_run=True, grace=60)).blobs
    await contents.copy(source, domain, sha256)
    assert domain not in {blob.domain for blob in (await notes.upkeep.collect_blobs(dry_run=True, grace=60)).blobs}


async def test_content_is_set_and_read_as_text_or_as_bytes(notes: Memory) -> None:
    node = (await notes.create_node("Note", "draft")).node_id
    for value, format_, encoding in (("Grüße", None, "utf-8"), (b"\x00\xff", "bin", "base64"), ("", "text", "utf-8")):
        changed = await notes.set_node_content(node, value, format_)
        content = await notes.get_node_content(node)
        assert content.data == (value.encode() if isinstance(value, str) else value)
        assert (content.encoding, content.format) == (encoding, format_ or "markdown")
        assert changed.version == (await notes.get_node(node)).version
    with pytest.raises(GraphError) as refused:
        await notes.set_node_content("mem_none", "text")
    assert refused.value.code is Code.NODE_NOT_FOUND
