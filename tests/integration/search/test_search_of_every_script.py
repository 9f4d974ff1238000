"""A word of any script is found as it was stored, by each analyser, in whichever form its accents are encoded."""

from __future__ import annotations

import unicodedata
from typing import Any, Literal, cast

import pytest
from neo4j import Driver

from graph_memory import Memory, ontology_from
from graph_memory.memory.search.index.coverage import WORD_RULES_VERSION
from graph_memory.memory.search.text.analysers import ANALYSERS
from integration.search.fakes import with_embedder
from integration.search.rows import Rows
from profiles import some
from support import SCRIPTS

pytestmark = pytest.mark.anyio


def id_of(script: str, form: str) -> str:
    return f"{script.replace(' ', '-')}.{form}"


FORMS: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")


@pytest.fixture
async def notes(memory: Memory) -> Memory:
    """A domain of each script's text in both forms, searched by words alone."""
    await memory.create_ontology(ontology_from({"node_types": ["Note"]}))
    for script, (text, _, _) in SCRIPTS.items():
        for form in FORMS:
            await memory.create_node("Note", unicodedata.normalize(form, text), id=id_of(script, form))
    return with_embedder(memory, None)


async def ids_by_word(notes: Memory, word: str) -> set[str]:
    result = await notes.recall.search_memories(word, search_mode="lexical", max_results=100)
    return {hit.id for hit in result.hits}


async def _check(notes: Memory) -> None:
    for script, (_, word, _) in SCRIPTS.items():
        for form in FORMS:
            results = await ids_by_word(notes, unicodedata.normalize(form, word))
            assert {id_of(script, form) for form in FORMS} <= results, (script, form, results)


async def test_a_stored_word_of_every_script_is_found(notes: Memory) -> None:
    await _check(notes)
    assert "Hindi.NFC" not in await ids_by_word(notes, SCRIPTS["Hindi"][2])
    assert "Turkish.NFC" not in await ids_by_word(notes, SCRIPTS["Turkish"][2])
    first = (await notes.recall.search_memories("ไก่ทอด", search_mode="lexical")).hits[0]
    assert first.id.startswith("Thai.")
    assert (await notes.upkeep.verify()).clean


@pytest.mark.long
@pytest.mark.parametrize("analyser", some([*ANALYSERS]))
async def test_a_stored_word_of_every_script_is_found_by_each_analyser(notes: Memory, analyser: str) -> None:
    await notes.upkeep.reindex(analyser=analyser)
    await _check(notes)


async def test_names_of_every_script_are_recognised_in_a_question(memory: Memory) -> None:
    for name in ("राम", "रोम", "กรุงเทพ", unicodedata.normalize("NFD", "Zoë"), "מֹשֶׁה"):
        await memory.entities.create_entities([{"name": name, "entityType": "t", "observations": ["is here"]}])
    for name in ("राम", "กรุงเทพ", "Zoë", "מֹשֶׁה"):
        result = await memory.recall.recall(focus=[name])
        assert name in unicodedata.normalize("NFC", str(result.content)), name
    assert "रोम" not in str((await memory.recall.recall(focus=["राम"])).content)


@pytest.mark.long
async def test_an_index_of_before_is_read_again_behind_the_searches_and_answers_meanwhile(
    notes: Memory, driver: Driver, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graph_memory.memory.search.index.retokenization.OWNERS", 20)
    await notes.entities.create_entities([{"name": "राम", "entityType": "Note", "observations": ["yes"]}])
    rows = Rows(driver, notes, domain)
    await rows.catch_up()
    before = rows.run(ROWS)
    forget = (
        "MATCH (i:_Index {_domain: $domain}) REMOVE i._reading WITH i MATCH (p:_Passage|_Name {_domain: $domain}) "
        "SET p._words = CASE WHEN p:_Name THEN ' र म ' END, p._key = CASE WHEN p:_Name THEN 'र' END RETURN count(*)"
    )
    rows.run(forget)
    assert (await notes.upkeep.verify()).clean
    assert (await rows.catch_up(within=0.0)).behind == 0
    assert rows.run("MATCH (i:_Index {_domain: $domain}) RETURN i._reading") == [[None]]
    assert "French.NFC" in await ids_by_word(notes, "élève")
    await rows.catch_up()
    assert rows.run("MATCH (i:_Index {_domain: $domain}) RETURN i._reading") == [[WORD_RULES_VERSION]]
    assert rows.run(ROWS) == before
    await _check(notes)
    assert (await notes.upkeep.verify()).clean


ROWS = cast(
    "Any",
    "MATCH (p:_Passage|_Name {_domain: $domain}) RETURN p._owner, p._place, p._words, p._key, p._since, p._until "
    "ORDER BY p._owner, p._place, p._words",
)
