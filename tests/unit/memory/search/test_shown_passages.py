"""Which passage of a hit is shown."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from graph_memory.memory.search.ranking.scoring import Passage, ScoredPassage, TermScores
from graph_memory.memory.search.ranking.shown_passages import choose_passage, is_name_only, sort_by_relevance
from graph_memory.memory.search.text.bm25 import parse_query
from unit.memory.search.test_scoring import passage


def best_observation(question: str, texts: Mapping[str, float | None]) -> str:
    others = [passage(text, text, place="text", cosine=cosine) for text, cosine in texts.items()]
    return next(
        (passage.text for passage in sort_by_relevance(parse_query(question), "Carla Mendes", others, {})),
        "Carla Mendes",
    )


@pytest.mark.parametrize(
    ("question", "texts", "expected"),
    [
        ("Where does Carla live?", {"Carla is a surveyor": 0.9, "lives in Lyon": 0.2}, "lives in Lyon"),
        ("Where does Carla live?", {"moved to Lyon": 0.6, "plays the cello": 0.4, "is tall": None}, "moved to Lyon"),
        ("Where does Carla Mendes live?", {}, "Carla Mendes"),
    ],
    ids=["the words that are not the name count", "then the meaning", "a name of which nothing is known"],
)
def test_what_says_most_beyond_the_name_is_shown(
    question: str, texts: Mapping[str, float | None], expected: str
) -> None:
    assert best_observation(question, texts) == expected


@pytest.mark.parametrize(
    ("question", "place", "expected"),
    [
        ("Where does Carla live?", "title", True),
        ("Carla Mendes", "title", False),
        ("Who is Carla?", "title", False),
        ("Where does Carla live?", "text", False),
    ],
)
def test_a_name_says_too_little_where_more_is_asked(question: str, place: str, expected: bool) -> None:
    assert is_name_only(parse_query(question), passage("name", "Carla Mendes", place=place)) is expected


def test_what_is_found_by_its_head_alone_gives_way_to_the_content() -> None:
    def scored_row(place: str, text: str, lexical: float) -> ScoredPassage:
        return ScoredPassage(passage(place, text, place=place), TermScores({"stove": lexical}, {}))

    tag, first, second = (
        scored_row("tags", "kitchen", 3.0),
        scored_row("content/1", "a", 1.0),
        scored_row("content/2", "b", 2.0),
    )
    assert choose(tag, first, second) == second.passage
    assert choose(scored_row("tags", "stove", 3.0), first) == passage("tags", "stove", place="tags")


def choose(*results: ScoredPassage) -> Passage:
    return choose_passage(parse_query("stove"), results[0], results)


def test_what_was_observed_is_ordered_by_words_beyond_the_name_and_by_meaning() -> None:
    cosines = {"Carla is tall": 0.1, "Carla moved to Lyon": 0.8, "lives by a lake": 0.5, "Carla sings": None}
    passages = [passage(text, text, place="text", cosine=cosine) for text, cosine in cosines.items()]
    points = {passage.key: TermScores({"carla": 9.0}, {"carla": 5.0}) for passage in passages}
    points[passages[2].key] = TermScores({"live": 2.0}, {})
    answer = sort_by_relevance(parse_query("Where does Carla live?"), "Carla Mendes", passages, points)
    assert [passage.text for passage in answer[:2]] == ["lives by a lake", "Carla moved to Lyon"]
    assert sort_by_relevance(parse_query("Carla Mendes"), "Carla Mendes", passages, points) == passages
