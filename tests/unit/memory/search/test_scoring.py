"""Words in passages and around them, with the statistics of their domain."""

from __future__ import annotations

from dataclasses import replace
from math import fsum

import pytest

from graph_memory.memory.search.ranking.scoring import (
    Passage,
    PassageContext,
    QuerySample,
    ScoredPassage,
    TermFinder,
    TermScores,
    add_whole_scores,
    best_by_own_words,
    count_with_dates,
    estimate_windows,
    preselect,
    score_passages,
    select_candidates,
)
from graph_memory.memory.search.text.bm25 import Statistics, analyse, parse_query


def passage(name: str, text: str, *, date: str = "", cosine: float | None = None, place: str = "content/1") -> Passage:
    return Passage(
        id=name, owner=name, owner_kind="node", unit=name, type="Note", place=place, head="", text=text,
        date=date, created=0, valid_from=0, valid_to=1, of_owner=1, cosine=cosine,
    )  # fmt: skip


def in_order(*texts: str) -> PassageContext:
    passages = [passage(f"p{number}", text) for number, text in enumerate(texts)]
    return PassageContext(passages, [[passage.id for passage in passages]])


def question(text: str, texts: int = 100, **frequencies: int) -> QuerySample:
    return QuerySample(parse_query(text), texts, frequencies)


def test_a_window_has_whole_passages_until_there_are_60_words_on_either_side():
    context = in_order(*(" ".join([f"w{number}"] * 25) for number in range(9)))
    before, after = context.passages_around("p4")
    assert [text.id for text in before] == ["p1", "p2", "p3"]
    assert [text.id for text in after] == ["p5", "p6", "p7"]
    assert context.passages_around("p0")[0] == []
    assert context.pool(["p4"]) == [f"p{number}" for number in range(1, 8)]


def test_passages_whose_neighbours_are_unknown_are_not_joined():
    passages = [passage(name, name) for name in "abcd"]
    context = PassageContext(passages, [["a", "b"], ["c", "d"]])
    joined = [[text.id for side in context.passages_around(name) for text in side] for name in "bc"]
    assert joined == [["a"], ["d"]]


def test_a_window_counts_its_words_as_one_text_would():
    context = in_order("The red kayak", "was bought by a man", "with a red hat")
    words = TermFinder(parse_query("red kayak bought man"))
    passages = context.passages
    window = words.analyse_window(passages["p1"], *context.passages_around("p1"))
    assert window == analyse("The red kayak was bought by a man with a red hat", words.terms)
    headed = replace(passages["p1"], head="Shop", date="8 June 2023")
    assert words.analyse_own_text(headed) == analyse("8 June 2023 Shop was bought by a man", words.terms)


def test_what_follows_the_words_of_a_question_gets_a_score():
    context = in_order("What did you buy?", "A red kayak.", *["Something else entirely. " * 9] * 9)
    results = score_passages(question("buy", buy=1), context, ["p0", "p1", "p10"])
    assert results["p1"].own == {}
    assert results["p0"].lexical > results["p1"].lexical > 0 == results["p10"].lexical


def test_the_words_of_a_date_count_as_own():
    context = PassageContext([passage("a", "We met.", date="8 June 2023"), passage("b", "We met.")], [])
    results = score_passages(question("met in June", met=5), context, ["a", "b"])
    assert results["a"].own["june"] > 0
    assert "june" not in results["b"].own


def test_words_of_dates_are_counted_in_what_was_found():
    passages = [passage("a", "x", date="8 June 2023"), passage("b", "x", date="9 June 2023"), passage("c", "x")]
    counts = count_with_dates(asked_of := question("June 8", texts=300, june=6), passages, TermFinder(asked_of.query))
    assert counts == {"june": 200, "8": 100}


def test_a_word_is_in_a_window_as_often_as_chance_puts_it_there():
    own = Statistics(1_000, 20.0, {"rare": 1, "half": 500, "every": 1_000})
    window = estimate_windows(own, 60.0)
    assert window.length == 60.0
    assert window.frequencies == {"rare": 3, "half": 875, "every": 1_000}
    assert estimate_windows(Statistics(0, 0.0, {}), 9.0).frequencies == {}


def test_the_best_by_their_own_words_are_found_without_an_index():
    texts = {"a": "a red kayak", "b": "kayak kayak", "c": "a boat"}
    assert best_by_own_words(question("kayak", kayak=2), texts) == ["b", "a"]
    assert best_by_own_words(question("kayak"), {}) == []


def test_candidates_are_the_best_by_words_and_those_near_in_meaning():
    all_scored = [
        ScoredPassage(passage(f"p{number:03}", "x"), TermScores({"x": float(number)}, {})) for number in range(150)
    ]
    results = {candidate.passage.id for candidate in select_candidates(all_scored, {"p000", "p149"})}
    assert len(results) == 101
    assert {"p000", "p050", "p149"} <= results
    assert "p049" not in results


def test_candidates_are_chosen_among_what_is_promising_by_words_alone():
    """Of equal ones the key decides, which is not known before they are read."""
    points = {f"p{number:03}": TermScores({"x": float(number // 10)}, {}) for number in range(150)}
    all_scored = [ScoredPassage(passage(name, "x"), point) for name, point in points.items()]
    for near in (set[str](), {"p000", "p149"}):
        kept = preselect(points, near, 95)
        assert len(kept) == 100 + ("p000" in near)
        assert select_candidates(all_scored, near, 95) == select_candidates(
            [scored for scored in all_scored if scored.passage.id in kept], near, 95
        )
    assert len(preselect(points, set())) == 100
    assert len(preselect(points, set(), 1_000)) == 140


def part(place: str, points: TermScores, *, owner: str = "a") -> ScoredPassage:
    return ScoredPassage(replace(passage(f"{owner}/{place}", "x", place=place), owner=owner), points)


def test_a_passage_also_counts_the_words_in_other_passages_of_its_text():
    scored_passages = [
        part("content/1", TermScores({"kayak": 2.0}, {"kayak": 1.0})),
        part("content/2", TermScores({"red": 1.0, "kayak": 0.5}, {})),
        part("title", TermScores({"hat": 3.0}, {})),
        part("content/1", TermScores({"hat": 4.0}, {}), owner="b"),
    ]
    lexical = [scored.candidate.lexical for scored in add_whole_scores(scored_passages)]
    assert lexical == [3.5, 2.75, 3.0, 4.0]


def test_scores_of_the_index_are_not_shared_by_the_passages_of_a_text():
    scored_passages = [part(f"content/{score}", TermScores({}, {}, score)) for score in (7.0, 3.0)]
    assert [scored.candidate.lexical for scored in add_whole_scores(scored_passages)] == [7.0, 3.0]


def test_a_score_is_the_sum_of_what_words_gave_unless_the_index_gave_it():
    points = TermScores({"x": 1.5}, {"x": 0.5, "x y": 0.25})
    assert points.lexical == fsum((1.5, 0.5, 0.25))
    assert replace(points, index_score=7.0).lexical == 7.0
    assert ScoredPassage(passage("a", "x"), points).candidate.lexical == pytest.approx(2.25)
