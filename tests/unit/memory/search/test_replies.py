"""Replies: passages cut around what was asked, in so many tokens, and why each hit is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.memory.search.ranking.excerpts import choose_excerpt
from graph_memory.memory.search.ranking.ranking import Candidate, RankedUnit, ScoreComponent
from graph_memory.memory.search.ranking.scoring import ScoredPassage, TermScores
from graph_memory.memory.search.ranking.why import describe_reasons, explain_score, rounded_score
from graph_memory.memory.search.results import Hit
from graph_memory.memory.search.text.bm25 import parse_query
from graph_memory.memory.search.token_budget import LENGTHS, fit_whole, tokens_of, tokens_of_text
from unit.memory.search.test_scoring import passage

TEXT = " ".join([*(f"before{number}" for number in range(80)), "walrus", *(f"after{number}" for number in range(80))])


def test_an_excerpt_stands_around_the_match_and_says_where_it_was_cut():
    result = choose_excerpt(TEXT, parse_query("walrus"), 100)
    assert TEXT[result.start : result.end] in result.text
    assert result.text.startswith("…")
    assert result.text.endswith("…")
    assert "walrus" in result.text
    assert "before79" in result.text
    assert "after0" in result.text


def test_a_short_text_is_shown_whole():
    assert choose_excerpt("A walrus.", parse_query("walrus"), 100).text == "A walrus."


def test_of_several_matches_the_stretch_with_the_most_different_words_is_shown():
    text = f"kayak kayak kayak {'filler ' * 50}kayak paddle {'filler ' * 50}"
    assert "paddle" in choose_excerpt(text, parse_query("kayak paddle"), 60).text


@given(st.text(max_size=300), st.sets(st.sampled_from(["a", "kayak"])), st.integers(1, 120))
def test_an_excerpt_is_a_part_of_the_text_and_no_longer_than_asked(text: str, terms: set[str], characters: int):
    result = choose_excerpt(text, parse_query(" ".join(terms)), characters)
    assert result.text.removeprefix("…").removesuffix("…") in text
    assert 0 <= result.start <= result.end <= len(text)
    assert result.end - result.start <= characters


def hits(number: int) -> Sequence[Hit]:
    return [
        Hit(id=f"n{place}", kind="node", type="Note", title="T", why="has x", passage="word " * 60)
        for place in range(number)
    ]


def shorten(stage: int, count: int = 10) -> Sequence[Hit]:
    return [hit.model_copy(update={"passage": (hit.passage or "")[: LENGTHS[stage]]}) for hit in hits(count)]


def fit(most: int, least: int = 0) -> Sequence[Hit]:
    return fit_whole(shorten, len(LENGTHS), 10, most, tokens_of, least)


def test_passages_are_shortened_before_hits_are_left_out():
    whole = tokens_of(shorten(0))
    few = fit(whole // 2)
    assert len(few) == 10
    assert tokens_of(few) <= whole // 2
    fewer = fit(150)
    assert 1 <= len(fewer) < 10
    assert tokens_of(fewer) <= 150 < tokens_of(shorten(3, len(fewer) + 1))
    assert not fit(10)
    assert len(fit(10, least=1)) == 1


def match() -> tuple[RankedUnit, ScoredPassage]:
    scored = ScoredPassage(passage("a", "x", cosine=0.61), TermScores({"kayak": 1.0 / 3}, {"kayak": 0.2, "paddl": 0.1}))
    made = (
        ScoreComponent("lexical", 1 / 3, {"score": 0.6333, "of_best": 2 / 3}),
        ScoreComponent("semantic", 0.1234567891, {"cosine": 0.61}),
        ScoreComponent("name", 0.15, {"name": "Ann", "namesakes": 1}),
        ScoreComponent("hop", 0.2, {"from": "b", "name": "Ann"}),
    )
    score = sum(part.value for part in made)
    return RankedUnit("a", score, Candidate("a", "content/1", scored.passage.key, 0.6333, 0.61), made), scored


def test_the_parts_of_a_score_add_up_as_they_are_shown():
    ranked, scored = match()
    shown = explain_score(ranked, scored, parse_query("kayak paddling"))
    assert sum(part.value for part in shown) == pytest.approx(rounded_score(ranked), abs=1e-12)
    assert rounded_score(ranked) == pytest.approx(ranked.score, abs=1e-5)
    assert shown[0].detail["passage"] == {"kayak": 0.3333}
    assert shown[0].detail["around"] == {"kayak": 0.2, "paddling": 0.1}
    assert "whole_text" not in shown[0].detail
    of_long_text = explain_score(ranked, replace(scored, whole=0.75), parse_query("kayak paddling"))
    assert of_long_text[0].detail["whole_text"] == 0.75


def test_why_names_the_words_the_meaning_the_name_and_who_mentions_it():
    ranked, scored = match()
    text = describe_reasons(ranked, scored, parse_query("kayak paddling"), {"b": "The trip"})
    assert text == (
        'has kayak; near paddling; "The trip" mentions it; its name "Ann" is in the question; close in meaning (0.61)'
    )


def test_the_tokens_of_a_text_of_any_length_are_counted():
    assert tokens_of_text("words " * 200_000) == pytest.approx(200_000, rel=0.01)
    assert tokens_of_text("") == 0


def test_texts_of_any_script_and_length_are_counted():
    assert tokens_of_text("\U0001f9ff" * 200_000) >= 200_000
    assert tokens_of_text("x y" * 200_000) >= 200_000
