"""The hits of several domains in one order."""

from __future__ import annotations

from math import fsum

import pytest

from graph_memory.memory.search.multi_domain import merge_hits, merge_warnings
from graph_memory.memory.search.results import Hit, ScorePart, SearchResult


def hit(name: str, *parts: ScorePart) -> Hit:
    score = fsum(part.value for part in parts) if parts else None
    return Hit(id=name, kind="node", type="Note", title=name, why="", score=score, explanation=parts or None)


def words(value: float, score: float, of_best: float) -> ScorePart:
    return ScorePart(name="lexical", value=value, detail={"score": score, "of_best": of_best})


def meaning(value: float, cosine: float, of_best: float) -> ScorePart:
    return ScorePart(name="semantic", value=value, detail={"cosine": cosine, "of_best": of_best})


def search_result(*hits: Hit) -> SearchResult:
    return SearchResult(hits=hits, mode="hybrid", found=len(hits))


def test_each_side_is_measured_by_the_best_of_all_domains():
    strong = search_result(hit("a", words(0.5, 8.0, 1.0), meaning(0.5, 0.8, 1.0)), hit("b", words(0.25, 4.0, 0.5)))
    weak = search_result(hit("c", words(0.5, 2.0, 1.0), meaning(0.25, 0.2, 0.5)))
    order = merge_hits({"strong": strong, "weak": weak})
    assert [(hit.id, hit.domain) for hit in order] == [("a", "strong"), ("b", "strong"), ("c", "weak")]
    assert [hit.score for hit in order] == pytest.approx([1.0, 0.25, 0.5 * 0.25 + 0.25 * 0.5])
    for hit_ in order:
        assert fsum(part.value for part in hit_.explanation or ()) == pytest.approx(hit_.score)


def test_what_multiplies_the_evidence_follows_it_and_names_stay():
    strong = search_result(hit("a", words(0.5, 8.0, 1.0)))
    length, name = ScorePart(name="length", value=-0.1), ScorePart(name="name", value=0.15)
    weak = search_result(hit("c", words(0.5, 4.0, 1.0), length, name))
    [_, other] = merge_hits({"strong": strong, "weak": weak})
    assert [part.value for part in other.explanation or ()] == pytest.approx([0.25, -0.05, 0.15])


def test_what_a_hit_passes_on_is_less_where_that_is_less():
    strong = search_result(hit("a", words(0.5, 8.0, 1.0)))
    weak = search_result(
        hit("c", words(0.5, 4.0, 1.0)),
        hit("d", ScorePart(name="hop", value=0.2, detail={"from": "c"})),
        hit("e", ScorePart(name="hop", value=0.2, detail={"from": "one that is not shown"})),
    )
    order = {hit.id: hit.score for hit in merge_hits({"strong": strong, "weak": weak})}
    assert (order["c"], order["d"], order["e"]) == (0.25, 0.1, 0.1)


def test_one_domain_keeps_its_scores_and_what_only_follows_comes_last():
    alone = search_result(
        hit("a", words(0.5, 8.0, 1.0), meaning(0.4, 0.3, 0.8)), hit("neighbour"), hit("b", words(0.2, 3.2, 0.4))
    )
    assert [(hit.id, hit.score) for hit in merge_hits({"alone": alone})] == [
        ("a", 0.9),
        ("b", 0.2),
        ("neighbour", None),
    ]
    assert merge_hits({}) == []


def test_warnings_are_told_once_with_the_domains_that_they_are_about():
    assert merge_warnings({"a": ["same"], "b": ["same"]}) == ("same",)
    assert merge_warnings({"a": ["one"], "b": []}) == ("[a]: one",)
    assert merge_warnings({"a": [], "b": []}) is None
