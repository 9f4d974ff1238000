"""Words of every script, by each analyser: what an index has of a stored text, and what is looked for."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from graph_memory.memory.search.text import names, segmentation
from graph_memory.memory.search.text.analysers import ANALYSERS
from graph_memory.memory.search.text.bm25 import QueryTermMap, analyse, parse_query
from graph_memory.memory.search.text.segmentation import extra_words, normalise_text, split_run, split_words_and_runs
from support import SCRIPTS
from tables import for_rows


@for_rows("name", ANALYSERS)
@for_rows("script", SCRIPTS)
@for_rows("form", ["NFC", "NFD"])
def test_the_terms_of_a_stored_word_are_among_those_of_its_text_in_whichever_form(
    name: str, script: str, form: str
) -> None:
    text, word, other = SCRIPTS[script]
    stored, analyser = unicodedata.normalize(form, text), ANALYSERS[name]  # type: ignore[arg-type]
    for question in {unicodedata.normalize(text, word) for text in ("NFC", "NFD")}:  # type: ignore[arg-type]
        query = parse_query(question, analyser)
        assert query.terms
        positions = analyse(stored, QueryTermMap(query.terms, analyser)).positions
        assert set(query.terms) == set(positions), (query, positions)
    absent = parse_query(other, analyser)
    assert set(absent.terms) != set(analyse(stored, QueryTermMap(absent.terms, analyser)).positions)


@for_rows("name", ANALYSERS)
@for_rows(
    ("text", "question"),
    [
        ("İstanbul'da yaşıyor", "İstanbul"),
        ("İstanbul’a gitti", "istanbul"),
        ("Bursa'da", "Bursa"),
        ("İzmir'e gitti", "İzmir".lower()),
        ("ΟΔΟΣ ΑΘΗΝΑΣ", "οδος"),
        ("οδος Αθηνας", "ΟΔΟΣ"),
    ],
)
def test_words_are_found_without_a_suffix_after_an_apostrophe_and_in_both_forms_of_sigma(
    name: str, text: str, question: str
) -> None:
    analyser = ANALYSERS[name]
    query = parse_query(question, analyser)
    for form in ("NFC", "NFD"):
        positions = analyse(unicodedata.normalize(form, text), QueryTermMap(query.terms, analyser)).positions  # type: ignore[arg-type]
        assert query.terms
        assert set(query.terms) == set(positions)
    once_more = (extra_words(text) or "").split()
    assert set(query.terms) & {analyser.term_of(word) for word in (*split_words_and_runs(text), *once_more)}


def test_a_possessive_counts_once_where_the_analyser_leaves_it_out() -> None:
    assert ANALYSERS["english"].terms("Ida's tea") == ["ida", "tea"]


def test_marks_without_a_letter_are_no_words() -> None:
    text = "love ❤️ and 👩‍💻 of \u0301 it"
    assert (
        segmentation.split_words_and_runs(normalise_text(text))
        == names.split_words(text)
        == ["love", "and", "of", "it"]
    )


def test_vowel_signs_and_tones_are_parts_of_words_and_of_names() -> None:
    for text, another in (("राम", "रोम"), ("हिंदी", "हिंदू"), ("ไก่", "ไก"), ("क़लम", "कलम"), ("ปี", "ปู")):
        assert segmentation.split_run(text) != segmentation.split_run(another)
        assert names.split_words(text) != names.split_words(another)
        assert names.find_mentions(f"{text}", {another: ["x"]}, capitalised=False) == {}
        assert names.find_mentions(f"x {text} y", {text: ["x"]}, capitalised=False)


@for_rows(
    ("text", "otherwise"),
    [
        ("plain words", None),
        ("Zürich, naïve: हिंदी שלום 東京", None),
        (unicodedata.normalize("NFD", "the café in Zürich"), "café Zürich"),
        ("go to กรุงเทพ now", "ก รุ ง เ ท พ"),
        ("soft\xadware", "software"),
        ("\u2067שלום\u2069 עולם", "שלום"),
        ("İstanbul'da yaşıyor, Ankara’ya gitti", "İstanbul Ankara"),
        ("she'll ask O'Brien, don't", "she"),
        ("στους δρόμους", "στουσ δρόμουσ"),
    ],
)
def test_an_index_has_once_more_what_lucene_would_read_otherwise(text: str, otherwise: str | None) -> None:
    assert extra_words(text) == otherwise


SIMPLE = st.text(
    st.one_of(
        st.sampled_from("ab1'’‘.:·‧,;_ Éß\""),
        st.characters(max_codepoint=0x2027).filter(lambda text: bool(segmentation._SIMPLE.fullmatch(text))),
    ),
    max_size=20,
)


@given(SIMPLE)
def test_the_faster_way_finds_the_same_words(text: str) -> None:
    assert segmentation._SIMPLE.fullmatch(text)
    assert segmentation._SIMPLE_RUN.findall(text) == segmentation._RUN.findall(text)


@given(st.text(max_size=40))
def test_a_run_is_its_units_and_a_text_in_either_form_has_the_same_runs(text: str) -> None:
    composed = normalise_text(text)
    assert all("".join(split_run(run)) == run for run in split_words_and_runs(composed))
    assert split_words_and_runs(normalise_text(unicodedata.normalize("NFD", composed))) == split_words_and_runs(
        normalise_text(composed)
    )
