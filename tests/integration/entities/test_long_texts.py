"""Names and observations of any length are stored and found, even if they are too long for an index."""

from __future__ import annotations

import unicodedata
from typing import Literal

import pytest

from graph_memory import Memory
from graph_memory.memory.entities.indexing import index_texts
from graph_memory.model.subjects.subjects import LONGEST_INDEXED
from support import last

pytestmark = pytest.mark.anyio

WORDS = ("name", "kind", "text")


def long(word: str) -> str:
    """Return a text of three bytes a character that is over a limit of the store, with a word at its end."""
    return f"{'字' * 40_000} {word}"


async def test_long_texts_are_found_and_lead_to_the_end_of_a_relation(memory: Memory) -> None:
    long_kind = {"name": "B", "entityType": long("Kind"), "observations": ["short"]}
    values = [{"name": long("Name"), "entityType": "t", "observations": [long("Text")]}, long_kind]
    await memory.entities.create_entities(values)
    await memory.entities.create_relations([{"from": long("Name"), "to": "B", "relationType": "knows"}])
    everything = await memory.entities.read_graph()
    assert [entity.to_dict() for entity in everything.entities] == values
    results = {
        word: [entity.name for entity in (await memory.entities.search_nodes(f" {word}")).entities] for word in WORDS
    }
    assert results == {"name": [long("Name")], "kind": ["B"], "text": [long("Name")]}
    assert (await memory.entities.open_nodes([long("Name")])).relations == everything.relations


@pytest.mark.parametrize("length", [LONGEST_INDEXED - 2, LONGEST_INDEXED - 1, LONGEST_INDEXED, LONGEST_INDEXED + 1])
async def test_a_branch_and_a_check_agree_on_what_is_long(memory: Memory, domain: str, length: int) -> None:
    await memory.entities.create_entities([{"name": "n" * (length - 2), "type": "t", "observations": ["O" * length]}])
    branch = memory.in_domain((await memory.history.branch(f"{domain}-b", at=await last(memory))).domain)
    for domain_memory in (memory, branch):
        assert len((await domain_memory.entities.search_nodes("o" * length)).entities) == 1
        assert len((await domain_memory.entities.search_nodes("n" * (length - 2))).entities) == 1
        assert (await domain_memory.upkeep.verify()).clean


@pytest.mark.parametrize("stored", ["NFC", "NFD"])
@pytest.mark.parametrize("query", ["NFC", "NFD"])
async def test_a_text_is_found_in_whichever_form_its_accents_are_encoded(
    memory: Memory, domain: str, stored: Literal["NFC", "NFD"], query: Literal["NFC", "NFD"]
) -> None:
    def as_stored(text: str) -> str:
        return unicodedata.normalize(stored, text)

    entities = [{"name": as_stored("Zoë"), "entityType": as_stored("Künstlerin"), "observations": [as_stored("Café")]}]
    await memory.entities.create_entities(entities)
    for is_indexed in (False, True):
        for text in ("zoë", "KÜNSTLER", "café", "Ünst", "künstlerin café"):
            graph = await memory.entities.search_nodes(unicodedata.normalize(query, text))
            assert len(graph.entities) == 1, (text, is_indexed)
        await index_texts(memory._core, domain)
    assert (await memory.upkeep.verify()).clean
