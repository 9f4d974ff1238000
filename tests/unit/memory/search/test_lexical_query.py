"""Queries of the full-text index: they have the words that matter, and never the user's text as syntax."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from graph_memory.memory.search.text.lexical_query import lexical_query
from profiles import examples

FIELDS = {"own": 1.0, "window": 2.0}
SYNTAX = ["AND", "OR", "NOT", "TO", "&&", "||", "+", "-", "!", "(", ")", "{", "}", "[", "]", "^", '"', "~", "*", "?"]
SYNTAX += [":", "\\", "/", "own:", "_domain:x", '\\"', "it's", "3.14", "a.b", "北京大学", "ภาษาไทย", "what", "\u2028"]
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
CLAUSE = r'""(?:~2\^0\.3)?'
QUERY = re.compile(rf"own:\({CLAUSE}(?: {CLAUSE})*\)\^1 window:\({CLAUSE}(?: {CLAUSE})*\)\^2")


def query_terms(text: str) -> list[str]:
    query = lexical_query(text, fields={"own": 1.0})
    return re.findall(r'"((?:[^"\\]|\\.)*)"', query or "")


def test_a_question_asks_for_its_words_and_phrases_in_both_fields() -> None:
    inside = '"caroline" "go" "lgbtq" "caroline go"~2^0.3 "go lgbtq"~2^0.3'
    assert lexical_query("When did Caroline go to LGBTQ?", fields=FIELDS, slop=2) is not None
    query = lexical_query("When did Caroline go, LGBTQ?", fields=FIELDS)
    assert query == f"own:({inside})^1 window:({inside})^2"


def test_pronouns_are_asked_for_and_question_words_are_not() -> None:
    assert query_terms("What does she say about my cat?")[:5] == ["she", "say", "about", "my", "cat"]


def test_words_on_either_side_of_a_stop_word_are_a_phrase() -> None:
    assert "bank england" in query_terms("bank of England")


def test_a_question_of_question_words_asks_for_them() -> None:
    assert query_terms("Who is who?") == ["who", "is"]


def test_nothing_to_look_for_is_no_query() -> None:
    assert lexical_query("", fields=FIELDS) is None
    assert lexical_query(' ?! "" -- \\ ', fields=FIELDS) is None


def test_text_without_spaces_is_asked_for_in_pairs_of_characters() -> None:
    assert query_terms("北京大学")[:3] == ["北京", "京大", "大学"]


def test_a_long_text_asks_for_so_many_words_only() -> None:
    text = " ".join(f"word{number}" for number in range(5_000))
    assert len(query_terms(text)) == 64 + 63
    assert len(lexical_query("x" * 1_000_000, fields=FIELDS) or "") < 1_000


def test_without_a_boost_there_are_no_phrases() -> None:
    assert lexical_query("red lake", fields={"own": 0.5}, phrase_boost=0) == 'own:("red" "lake")^0.5'


@settings(max_examples=examples(500))
@given(
    st.one_of(st.text(max_size=300), st.lists(st.one_of(st.sampled_from(SYNTAX), st.text(max_size=5))).map(" ".join))
)
def test_nothing_of_the_text_stands_outside_of_quotes(text: str) -> None:
    query = lexical_query(text, fields=FIELDS)
    assert query is None or QUERY.fullmatch(QUOTED.sub('""', query))
