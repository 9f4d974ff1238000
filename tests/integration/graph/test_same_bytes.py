"""The same bytes as text and as base64: one content, found by its hash wherever it lies, in whatever order it came."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest
from neo4j import Driver

from graph_memory import Code, GraphError, Memory, Settings, ontology_from, open_memory
from integration.graph.test_contents import blob
from profiles import some

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from(
    {"node_types": ["Note"], "connection_types": [{"name": "Link", "from_types": ["*"], "to_types": ["*"]}]}
)
LARGE = "a longer text about a kitchen\n" * 5_000
TEXTS = {"small": "words of a kitchen", "large": LARGE, "empty": ""}
texts = pytest.mark.parametrize("text", some([*TEXTS.values()]), ids=some([*TEXTS]))
orders = pytest.mark.parametrize("order", some([("utf-8", "base64"), ("base64", "utf-8")]), ids=" then ".join)


@pytest.fixture
async def notes(memory: Memory) -> AsyncIterator[Memory]:
    """A domain with types; whatever a test does in it, graph and log agree afterwards."""
    await memory.create_ontology(ONTOLOGY)
    yield memory
    assert (await memory.upkeep.verify()).differences == ()


async def both(memory: Memory, text: str, order: tuple[str, ...]) -> dict[str, str]:
    """Keep the same bytes as text and as base64, and once more on a connection; return the id of each."""
    made: dict[str, str] = {}
    for encoding in order:
        value = text if encoding == "utf-8" else base64.b64encode(text.encode()).decode()
        made[encoding] = (await memory.create_node("Note", value, encoding=encoding)).node_id
    made["link"] = (await memory.create_connection("Link", made[order[0]], made[order[1]], content=text)).connection_id
    return made


async def has(memory: Memory, made: dict[str, str], text: str, tmp_path: Path) -> None:
    """Assert that a domain has what was made, that verify is content with it, and that it can be exported."""
    for encoding in ("utf-8", "base64"):
        value = text if encoding == "utf-8" else base64.b64encode(text.encode()).decode()
        if encoding in made:
            content = await memory.get_node_content(made[encoding])
            assert (content.content, content.encoding) == (value, encoding)
    if "link" in made:
        assert (await memory.get_connection(made["link"], include_content=True)).content == text
    assert (await memory.upkeep.verify()).differences == ()
    name = (await memory.domain_info()).name
    await memory.transfer.export_file(tmp_path / f"{name}.jsonl")
    await memory.transfer.export_folder(tmp_path / uuid4().hex)


@pytest.mark.long
@texts
@orders
async def test_a_branch_of_a_branch_its_merge_and_its_export_have_both(
    notes: Memory, domain: str, tmp_path: Path, text: str, order: tuple[str, ...]
) -> None:
    await notes.history.branch(f"{domain}-a")
    branch = notes.in_domain(f"{domain}-a")
    made = await both(branch, text, order)
    await has(branch, made, text, tmp_path)
    await branch.history.branch(f"{domain}-b")
    second = notes.in_domain(f"{domain}-b")
    await has(second, made, text, tmp_path)
    await notes.history.merge(f"{domain}-b")
    await has(notes, made, text, tmp_path)
    copy = notes.in_domain(f"{domain}-copy")
    await copy.transfer.import_file(tmp_path / f"{domain}-b.jsonl", name=f"{domain}-copy")
    assert (await copy.upkeep.verify()).differences == ()


@texts
@orders
async def test_an_import_has_both(
    notes: Memory, domain: str, tmp_path: Path, text: str, order: tuple[str, ...]
) -> None:
    made = await both(notes, text, order)
    await has(notes, made, text, tmp_path)
    await notes.transfer.import_file(tmp_path / f"{domain}.jsonl", name=f"{domain}-copy")
    await has(notes.in_domain(f"{domain}-copy"), made, text, tmp_path)


@pytest.mark.long
@texts
@orders
async def test_what_takes_one_of_them_away_leaves_the_other(
    notes: Memory, settings: Settings, domain: str, tmp_path: Path, text: str, order: tuple[str, ...]
) -> None:
    made = await both(notes, text, order)
    kept = {order[1]: made[order[1]]}
    await notes.history.erase(made[order[0]])
    await has(notes, kept, text, tmp_path)
    await notes.upkeep.collect_blobs(dry_run=False, grace=0)
    await has(notes, kept, text, tmp_path)
    other = await notes.create_node("Note", text)
    await notes.update_node(other.node_id, content="something else", encoding="utf-8")
    last = (await notes.history.log(limit=1)).entries[0].seq
    await notes.history.compact(last, archive=tmp_path / "archive.jsonl.gz")
    await has(notes, kept, text, tmp_path)
    await notes.history.erase(made[order[1]])
    assert not blob(settings, domain, text.encode()).exists()


@texts
async def test_a_change_of_the_encoding_alone_is_taken_back_with_what_is_found_by_it(notes: Memory, text: str) -> None:
    node = (await notes.create_node("Note", text)).node_id
    await notes.update_node(node, content=base64.b64encode(text.encode()).decode(), encoding="base64")
    assert (await notes.search_content("kitchen")).node_ids == ()
    for encoding in ("utf-8", "base64", "utf-8"):
        last = (await notes.history.log(limit=1)).entries[0]
        await notes.history.revert(event_ids=[last.id])
        assert (await notes.get_node_content(node)).encoding == encoding
        is_found = encoding == "utf-8" and "kitchen" in text
        assert (await notes.search_content("kitchen")).node_ids == ((node,) if is_found else ())
        assert (await notes.upkeep.verify()).differences == ()


@pytest.mark.parametrize(
    ("harm", "encoding"),
    some([(harm, encoding) for harm in ("missing", "damaged") for encoding in ("utf-8", "base64")]),
)
async def test_verify_names_the_content_of_an_earlier_state_that_an_export_cannot_read(
    settings: Settings, driver: Driver, domain: str, tmp_path: Path, harm: str, encoding: str
) -> None:
    uncached = settings.model_copy(update={"domain": domain, "content_cache_bytes": 0})
    async with open_memory(uncached) as memory:
        await memory.create_ontology(ONTOLOGY)
        node = await memory.create_node("Note", "aGVsbG8=", encoding=encoding)
        await memory.update_node(node.node_id, content="new words", encoding="utf-8")
        if encoding == "base64":
            path = blob(settings, domain, b"hello")
            path.unlink() if harm == "missing" else path.write_bytes(b"harmed")
        else:
            harmed = "DELETE c" if harm == "missing" else "SET c._text = 'harmed'"
            query = f"MATCH (c:_Content {{_domain: $domain, _text: 'aGVsbG8='}}) {harmed}"
            driver.execute_query(query, domain=domain)  # pyright: ignore[reportArgumentType]
        with pytest.raises(GraphError) as caught:
            await memory.transfer.export_file(tmp_path / "log.jsonl")
        assert caught.value.code is Code.CONTENT_READ_FAILED
        [named] = (await memory.upkeep.verify()).differences
        assert (named.subject, named.found) == (node.node_id, harm)
        assert (await memory.upkeep.rebuild()).unmended == (named,)


async def test_text_that_lies_outside_of_neo4j_is_no_difference_when_the_same_came_into_it(
    settings: Settings, domain: str
) -> None:
    narrow = settings.model_copy(update={"domain": domain, "inline_content_bytes": 0})
    async with open_memory(narrow) as memory:
        await memory.create_ontology(ONTOLOGY)
        await memory.create_node("Note", "words of a kitchen")
    async with open_memory(settings.model_copy(update={"domain": domain})) as memory:
        await memory.create_node("Note", "words of a kitchen")
        assert (await memory.upkeep.verify()).differences == ()
