"""The words of a domain are read by the analyser that was chosen for it: ours scores what Lucene's finds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, cast

import pytest
from neo4j import Driver

from graph_memory import Code, GraphError, Memory, ontology_from
from graph_memory.memory.search.index import reindexing
from graph_memory.memory.search.index.index import index_words
from graph_memory.memory.search.text.analysers import ANALYSERS
from graph_memory.memory.search.text.stop_words import STOP_WORDS
from graph_memory.model.text.analysers import ENGLISH, LABELS, index_of, label_of
from graph_memory.storage.schema import analyser_index
from integration.search.fakes import with_embedder
from integration.search.rows import Rows
from profiles import some

pytestmark = pytest.mark.anyio

SENTENCES = {
    "english": ("The tiles of Anna's kitchens were laid quickly.", "They are painting three larch doors."),
    "standard-folding": ("Das Café in Łódź serviert Crème brûlée.", "Søren's café is ＯＰＥＮ on Öland."),
    "cjk": ("東京タワーは高いです。カメラ", "我喜欢喝绿茶 and ＣＯＦＦＥＥ", "한국어 책을 읽는다", "ﾀﾜｰ"),
    "danish": ("Husene i byerne er gamle.", "Et hus ligger ved byen, og børnene leger."),
    "dutch": ("De huizen van de steden zijn mooi.", "Een mooie stad met een huis en honden."),
    "finnish": ("Talot ovat vanhoissa kaupungeissa.", "Vanha talo kaupungin laidalla."),
    "french": ("L’avion des chevaux mangés a décollé.", "Qu'il mange les avions nationaux, cheval national."),
    "german": ("Die Häuser der Städte sind größer.", "Das Haus in der Stadt, fuer Kinder und Strassen: Straße."),
    "italian": ("Le case dell'amico sono bellissime.", "All’amica piaceva la casa bella, e gli amici."),
    "norwegian": ("Husene i byene er gamle.", "Et gammelt hus ligger ved byen."),
    "portuguese": ("As canções das nações são felizes.", "A canção da nação, felizmente, os animais: animal."),
    "russian": ("Большие дома стоят в городах.", "Дом в большом городе у реки."),
    "spanish": ("Los niños cantaban canciones felices.", "Un niño canta una canción feliz; las luces, la luz."),
    "swedish": ("Husen i städerna är gamla.", "Ett gammalt hus ligger i staden."),
}
INFLECTED: dict[str, dict[str, set[int]]] = {
    "standard-folding": {"creme brulee": {0}, "oland soren open": {1}},
    "cjk": {"東京": {0}, "绿茶": {1}, "한국": {2}, "タワー": {0, 3}},
    "danish": {"huset": {0, 1}, "børn": {1}},
    "dutch": {"huize": {0}, "hond": {1}},
    "finnish": {"talossa": {0, 1}},
    "french": {"avion": {0, 1}, "nationale": {1}},
    "german": {"Hauses": {0, 1}, "Kindern": {1}, "Straßen": {1}},
    "italian": {"bellissima": {0}, "casa": {1}},
    "norwegian": {"huset": {0, 1}, "byens": {0, 1}},
    "portuguese": {"canção": {0, 1}, "animal": {1}},
    "russian": {"городах": {0, 1}, "реками": {1}},
    "spanish": {"canción": {0, 1}, "luz": {1}},
    "swedish": {"husen": {0, 1}, "staden": {1}},
}
"""Questions, and which of the sentences they find."""
FIND = (
    "UNWIND $words AS word CALL (word) { "
    "CALL db.index.fulltext.queryNodes($index, '_text:\"' + word + '\"') YIELD node "
    "WHERE node._scratch = $run RETURN collect(node._text) AS texts } RETURN word, texts"
)


@pytest.fixture(scope="module")
def scratch(shared_memory: Memory, driver: Driver) -> Iterator[Driver]:
    """A database with the indexes of all analysers, and each one's sentences in its index."""
    del shared_memory  # the steps of the schema drop such indexes, so they come first
    for name, texts in SENTENCES.items():
        driver.execute_query(analyser_index(name))
        driver.execute_query(
            "UNWIND $texts AS text CREATE (p:$($label)) SET p._scratch = $run, p._text = text, p._filter = ''",
            label=label_of(name),
            texts=list(texts),
            run=RUN,
        )
    driver.execute_query("CALL db.awaitIndexes(60)")
    yield driver
    driver.execute_query("MATCH (p:$any($labels)) WHERE p._scratch = $run DELETE p", labels=list(LABELS), run=RUN)


RUN = "test_analysers"


@pytest.mark.parametrize("name", ANALYSERS)
def test_what_lucene_finds_by_a_word_has_that_word_by_our_own_analysis_too(scratch: Driver, name: str) -> None:
    analyser, texts = ANALYSERS[name], SENTENCES[name]
    words = {part for text in texts for word in analyser.words(text) for part in (word, *analyser.parts(word))}
    words |= {word for question in INFLECTED.get(name, ()) for word in analyser.words(question)}
    rows = scratch.execute_query(FIND, words=sorted(words), index=index_of(cast("Any", name)), run=RUN).records
    pairs = {(row["word"], text) for row in rows for text in row["texts"]}
    ours = {
        (word, text)
        for word, text in product(words, texts)
        if (terms := set(filter(None, analyser.terms(word)))) and terms.issubset(analyser.terms(text))
    }
    assert len(pairs) >= len(texts)
    assert pairs <= ours, (pairs - ours, {word: analyser.terms(word) for word, _ in pairs - ours})


def test_stop_words_are_those_of_the_server(driver: Driver) -> None:
    listed = "CALL db.index.fulltext.listAvailableAnalyzers() YIELD analyzer, stopwords RETURN analyzer, stopwords"
    rendered = {
        row["analyzer"]: frozenset(filter(None, map(str.strip, row["stopwords"])))
        for row in driver.execute_query(listed).records
    }
    assert set(ANALYSERS) <= rendered.keys()
    ours = {
        name: analyser.stop_words for name, analyser in ANALYSERS.items() if name != "dutch"
    }  # it lists none, but has them
    assert ours == {name: rendered[name] for name in ours}
    assert STOP_WORDS["dutch"]


@pytest.fixture
async def notes(memory: Memory) -> Memory:
    """A domain that is searched by words alone."""
    await memory.create_ontology(ontology_from({"node_types": ["Note"]}))
    return with_embedder(memory, None)


async def fill(notes: Memory, name: str) -> None:
    for number, text in enumerate(SENTENCES[name]):
        await notes.create_node("Note", text, id=f"n{number}")


@pytest.mark.parametrize("name", some(tuple(INFLECTED)))
async def test_inflected_words_are_found_and_scored_in_the_language_of_the_domain(notes: Memory, name: str) -> None:
    await fill(notes, name)
    assert (await notes.upkeep.reindex(analyser=name)).analyser == name
    for question, numbers in INFLECTED[name].items():
        result = await notes.recall.search_memories(question, include_relevance_explanation=True)
        assert {hit.id for hit in result.hits} == {f"n{number}" for number in numbers}, (question, result)
        parts = [part for hit in result.hits for part in hit.explanation or () if part.name == "lexical"]
        assert all(part.detail["passage"] for part in parts), parts


@pytest.mark.long
async def test_a_domain_that_has_an_index_changes_its_analyser_and_keeps_its_vectors(
    memory: Memory, driver: Driver, domain: str
) -> None:
    await memory.create_ontology(ontology_from({"node_types": ["Note"]}))
    rows = Rows(driver, memory, domain)
    await fill(memory, "german")
    await memory.update_node("n0", content="Der Baum.", encoding="utf-8")
    before = await rows.catch_up()
    vectors = rows.run(VECTORS)
    assert (before.analyser, (await memory.domain_info()).analyser) == (ENGLISH, ENGLISH)
    covered = await memory.upkeep.reindex(analyser="german")
    assert (covered.analyser, covered.open, covered.without_vectors) == ("german", before.open, 0)
    assert (await memory.domain_info()).analyser == "german"
    await memory.create_node("Note", "Die Bäume.", id="later")
    await rows.catch_up()
    assert labels(rows) == [["_German"]]
    assert rows.run(VECTORS)[: len(vectors)] == vectors
    result = await memory.recall.search_memories("Baum", search_mode="lexical")
    assert {hit.id for hit in result.hits} == {"n0", "later"}
    past = await memory.recall.search_memories("Häusern", search_mode="lexical", as_of=before.seq - 1)
    assert {hit.id for hit in past.hits} == {"n0", "n1"}
    assert not (await memory.upkeep.verify()).differences
    await memory.history.branch(f"{domain}-branch")
    branch = Rows(driver, memory, f"{domain}-branch")
    assert (await branch.catch_up()).analyser == "german"
    assert labels(branch) == [["_German"]]
    await memory.upkeep.reindex()
    assert labels(rows) == [["_German"]]
    assert (await memory.upkeep.reindex(analyser="english")).analyser == ENGLISH
    assert labels(rows) == [["_English"]]


VECTORS = "MATCH (p:_Passage {_domain: $domain}) RETURN p._since, p._place, p._embedding ORDER BY p._since, p._place"


def labels(rows: Rows) -> list[list[Any]]:
    """The labels of analysers on a domain's passages."""
    text = "MATCH (p:_Passage {_domain: $domain}) UNWIND [l IN labels(p) WHERE l IN $known] AS l RETURN DISTINCT l"
    return sorted(rows.run(cast("Any", text), known=list(LABELS)))


async def test_while_the_analyser_changes_all_is_found_by_the_one_before_and_a_change_that_was_cut_off_goes_on(
    notes: Memory, driver: Driver, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(notes, "swedish")
    rows = Rows(driver, notes, domain)
    await index_words(notes._core, domain)
    monkeypatch.setattr(reindexing, "MAX_RELABELLED", 1)
    relabel, runs = reindexing._relabel, 0

    async def cut(*values: Any) -> None:
        nonlocal runs
        runs += 1
        await relabel(*values)
        if runs == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(reindexing, "_relabel", cut)
    with pytest.raises(KeyboardInterrupt):
        await notes.upkeep.reindex(analyser="swedish")
    await notes.create_node("Note", "Nya städer.", id="later")
    result = await notes.recall.search_memories("städerna hus later städer")
    assert {hit.id for hit in result.hits} == {"n0", "n1", "later"}
    assert labels(rows) == [["_English"], ["_Swedish"]]
    assert (await notes.upkeep.reindex(analyser="swedish")).analyser == "swedish"
    assert labels(rows) == [["_Swedish"]]
    result = await notes.recall.search_memories("husen, städernas")
    assert {hit.id for hit in result.hits} == {"n0", "n1", "later"}


async def test_what_is_erased_and_deleted_is_gone_from_every_index(notes: Memory, driver: Driver, domain: str) -> None:
    await fill(notes, "french")
    await notes.upkeep.reindex(analyser="french")
    rows = Rows(driver, notes, domain)
    await notes.history.erase("n0")
    assert rows.texts() == [SENTENCES["french"][1]]
    assert not (await notes.recall.search_memories("décollé")).hits
    await notes.delete_domain(domain)
    assert rows.run("MATCH (p:_Passage|_French|_Index {_domain: $domain}) RETURN p") == []


async def test_an_analyser_that_is_not_offered_is_refused(notes: Memory) -> None:
    with pytest.raises(GraphError) as caught:
        await notes.upkeep.reindex(analyser="klingon`")
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert "standard-folding" in str(caught.value.hint)
