"""Meanings of a text: an id, the beginning of an id, or the title of a node. Living subjects come first."""

from __future__ import annotations

import pytest

from graph_memory import Memory, ontology_from
from graph_memory.memory.history.resolve_subject import MAX_CANDIDATES
from tables import for_rows

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from(
    {"node_types": ["Note"], "connection_types": [{"name": "Link", "from": ["Note"], "to": ["Note"]}]}
)


@pytest.fixture
async def notes(memory: Memory) -> Memory:
    """A memory with two notes, one in the other's way, and a connection."""
    await memory.create_ontology(ONTOLOGY)
    await memory.create_node("Note", "# Kitchen", id="kitchen-1")
    await memory.create_node("Note", "# Garden", id="kitchen-12")
    await memory.create_connection("Link", "kitchen-1", "kitchen-12", id="conn-link-1")
    return memory


async def meanings_of(memory: Memory, text: str) -> list[str]:
    return [meaning.id for meaning in await memory.history.named(text)]


@for_rows(
    ("text", "ids"),
    [
        ("kitchen-1", ["kitchen-1"]),
        ("kitchen-12", ["kitchen-12"]),
        ("kitchen", ["kitchen-1", "kitchen-12"]),
        ("Kitchen", ["kitchen-1"]),
        ("Garden", ["kitchen-12"]),
        ("conn-link", ["conn-link-1"]),
        ("kitch", []),
        ("garden", []),
        ("domain", []),
        ("node_type/Note", []),
        ("", []),
        ("\ud800", []),
    ],
)
async def test_a_text_names_an_id_the_beginning_of_one_or_a_title(notes: Memory, text: str, ids: list[str]) -> None:
    assert await meanings_of(notes, text) == ids


async def test_what_is_there_is_meant_before_what_was_deleted(notes: Memory) -> None:
    await notes.delete_node("kitchen-1")
    assert await meanings_of(notes, "kitchen") == ["kitchen-12"]
    [result] = await notes.history.named("conn-link")
    assert (result.id, result.type, result.deleted) == ("conn-link-1", "Link", True)
    assert await meanings_of(notes, "kitchen-1") == ["kitchen-1"]
    assert await meanings_of(notes, "Kitchen") == []


async def test_an_id_that_was_erased_means_nothing_else_that_begins_so(notes: Memory) -> None:
    await notes.history.erase("kitchen-1")
    assert await meanings_of(notes, "kitchen") == ["kitchen-12"]
    [result] = await notes.history.named("kitchen-1")
    assert (result.id, result.type, result.deleted) == ("kitchen-1", None, True)


async def test_a_branch_knows_what_it_began_with(notes: Memory, domain: str) -> None:
    await notes.history.branch(f"{domain}-b")
    branch = notes.in_domain(f"{domain}-b")
    await branch.update_node("kitchen-1", content="# Cellar", encoding="utf-8")
    assert await meanings_of(branch, "conn-link") == ["conn-link-1"]
    assert (await meanings_of(branch, "Cellar"), await meanings_of(branch, "Kitchen")) == (["kitchen-1"], [])
    assert await meanings_of(notes, "Kitchen") == ["kitchen-1"]


async def test_of_very_many_some_are_given_and_a_whole_id_always(notes: Memory) -> None:
    for number in range(MAX_CANDIDATES + 3):
        await notes.create_node("Note", "# Same", id=f"many-{number:02}")
    await notes.create_node("Note", "# Same", id="many-")
    assert len(await notes.history.named("Same")) == MAX_CANDIDATES
    assert await meanings_of(notes, "many-") == ["many-"]
