"""Words in texts are scored by Lucene's formula, with the statistics of one domain."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.memory.search.text.analysers import ENGLISH
from graph_memory.memory.search.text.bm25 import (
    QueryTermMap,
    Statistics,
    Text,
    analyse,
    count_near,
    parse_query,
    score,
    statistics_of,
)
from tables import for_rows

WORDS = [
    ("The cats' toys and Melanie's painting", ["cat", "toi", "melani", "paint"]),
    ("U.S.A. in 1,000.5 words, at 1:56 pm", ["u.s.a", "1,000.5", "word", "1", "56", "pm"]),
    ("I’m sure it wasn't hers", ["i’m", "sure", "wasn't", "her"]),
    ("Ölsardinen über STRASSEN", ["ölsardinen", "über", "strassen"]),
    ("such is it", []),
]


@for_rows(("text", "expected"), WORDS)
def test_words_are_those_of_the_english_analyser(text: str, expected: list[str]) -> None:
    assert [term for term in ENGLISH.terms(text) if term] == expected


def test_stop_words_count_as_positions() -> None:
    assert analyse("the light of the day") == Text({"light": [1], "dai": [4]}, 2, 5)


def test_only_the_terms_that_matter_are_read_and_all_are_counted() -> None:
    assert analyse("the light of the day", QueryTermMap(["dai", "night"])) == Text({"dai": [4]}, 2, 5)


@given(
    st.lists(st.sampled_from([*"sSyYé", "the", "It", "skies", "Dying", "yes", "1,000", "it's", "İs", "中文"])),
    st.text("sSyT' .é"),
)
def test_words_that_do_not_matter_change_nothing(drawn: list[str], rest: str) -> None:
    text = " ".join([*drawn, rest])
    all_terms = analyse(text)
    for wanted in (["ski", "y"], ["it", "1,000", "s", "中"], []):
        kept = {text: all_terms.positions[text] for text in wanted if text in all_terms.positions}
        assert analyse(text, QueryTermMap(wanted)) == Text(kept, all_terms.length, all_terms.words)


QUESTIONS = [
    ("When did Melanie paint a sunrise?", ["melani", "paint", "sunris"], [("melani", "paint"), ("paint", "sunris")]),
    ("What does she do?", ["she"], []),
    ("Who is it?", ["who"], []),
    ("What's up, Caroline", ["up", "carolin"], [("up", "carolin")]),
    ("bye bye", ["bye"], []),
    ("", [], []),
]


@for_rows(("question", "expected", "pairs"), QUESTIONS)
def test_question_words_are_dropped_and_pronouns_kept(
    question: str, expected: list[str], pairs: list[tuple[str, str]]
) -> None:
    query = parse_query(question)
    assert list(query.terms) == expected
    assert list(query.pairs) == pairs


def test_a_word_scores_as_in_lucene() -> None:
    statistics = Statistics(10, 4.0, {"sunris": 2})
    scores = score(analyse("sunrise sunrise over lakes"), parse_query("sunrise"), statistics)
    idf, norm = math.log(1 + 8.5 / 2.5), 1.2
    assert scores == {"sunris": pytest.approx(idf * 2 / (2 + norm))}


def test_a_pair_of_words_scores_beside_them_and_less_with_words_between() -> None:
    statistics = Statistics(10, 3.0, {"full": 1, "moon": 1})
    close, apart, turned = (
        score(analyse(text), parse_query("full moon"), statistics)
        for text in ("full moon", "full of moon", "moon full")
    )
    assert close["full moon"] > apart["full moon"]
    assert "full moon" not in turned
    assert close["full"] + close["moon"] > close["full moon"]


@for_rows(
    ("first", "second", "times"),
    [([0], [1], 1.0), ([0], [3], 1 / 3), ([0], [4], 0.0), ([1], [0], 0.0), ([0, 5], [1, 6], 2.0)],
)
def test_words_are_near_with_two_between_at_most(first: list[int], second: list[int], times: float) -> None:
    assert count_near(first, second) == times


def test_statistics_are_counted_from_texts() -> None:
    statistics = statistics_of([analyse("red red rose"), analyse("rose")])
    assert statistics == Statistics(2, 2.0, {"red": 1, "rose": 2})
    assert statistics_of([]) == Statistics(0, 0.0, {})


@given(st.text(), st.text(), st.integers(1, 1000), st.integers(0, 2000))
def test_no_score_is_negative_and_a_rarer_word_scores_more(text: str, question: str, texts: int, having: int) -> None:
    query, read = parse_query(question), analyse(text)
    common = Statistics(texts, 5.0, dict.fromkeys(query.terms, having))
    rare = Statistics(texts, 5.0, dict.fromkeys(query.terms, having // 2))
    for part, value in score(read, query, common).items():
        assert 0 <= value <= score(read, query, rare)[part]


def test_each_ideograph_and_hiragana_is_a_word_as_in_lucene() -> None:
    assert ENGLISH.terms("東京タワーは高い、Café") == ["東", "京", "タワー", "は", "高", "い", "café"]
    query = parse_query("東京タワー?")
    assert (query.terms, query.pairs) == (("東", "京", "タワー"), (("東", "京"), ("京", "タワー")))
