"""Candidates are ordered, and every score is the sum of its parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import fsum
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from graph_memory.memory.search.ranking.ranking import (
    HALF_LIFE_DAYS,
    HOP_SHARE,
    NAME_BONUS,
    TOOL_OUTPUT_SHARE,
    Candidate,
    EvidenceWeights,
    RankedUnit,
    UnitFeatures,
    normalise,
    pass_on_scores,
    rank,
)
from graph_memory.memory.search.text.names import Mention
from tables import for_rows

OWNERS = ["ada", "bob", "cy", "dot", "eve", "flo", "gus", "hal"]


def candidate(owner: str, lexical: float = 0.0, cosine: float | None = 0.0, place: str = "content") -> Candidate:
    return Candidate(owner, place, f"{owner}/{place}", lexical, cosine)


def scores(ranked: list[RankedUnit]) -> dict[str, float]:
    return {hit.owner: round(hit.score, 6) for hit in ranked}


def parts(ranked: RankedUnit) -> dict[str, float]:
    return {part.name: round(part.value, 6) for part in ranked.parts}


ONE_PASSAGE = {owner: UnitFeatures(1) for owner in OWNERS}

TABLE: dict[str, tuple[list[Candidate], dict[str, float]]] = {
    "each side counts a half, as a part of its best": (
        [candidate("ada", 8.0, 0.2), candidate("bob", 4.0, 0.8), candidate("cy", 0.0, 0.4)],
        {"bob": 0.75, "ada": 0.625, "cy": 0.25},
    ),
    "without vectors the words decide alone": (
        [candidate("ada", 8.0, None), candidate("bob", 2.0, None)],
        {"ada": 1.0, "bob": 0.25},
    ),
    "without words the meaning decides alone": (
        [candidate("ada", 0.0, 0.8), candidate("bob", 0.0, 0.2)],
        {"ada": 1.0, "bob": 0.25},
    ),
    "what has no vector yet is judged by its words alone": (
        [candidate("ada", 8.0, None), candidate("bob", 4.0, None), candidate("cy", 4.0, 0.5)],
        {"ada": 1.0, "cy": 0.75, "bob": 0.5},
    ),
    "cosines that start high count from the lowest": (
        [candidate("ada", 0.0, 0.9), candidate("bob", 0.0, 0.8), candidate("cy", 0.0, 0.7)],
        {"ada": 1.0, "bob": 0.5, "cy": 0.0},
    ),
    "cosines that are all the same are all the best": (
        [candidate("ada", 0.0, 0.9), candidate("bob", 0.0, 0.9)],
        {"ada": 1.0, "bob": 1.0},
    ),
    "a negative cosine is as little as none": (
        [candidate("ada", 0.0, 0.5), candidate("bob", 0.0, -0.5)],
        {"ada": 1.0, "bob": 0.0},
    ),
    "a unit is as good as its best passage": (
        [candidate("ada", 2.0, 0.1), candidate("ada", 8.0, 0.1, "title"), candidate("bob", 4.0, 0.1)],
        {"ada": 1.0, "bob": 0.75},
    ),
    "nothing found is nothing ranked": ([], {}),
}


@for_rows("name", TABLE)
def test_evidence_is_fused_as_the_table_says(name: str) -> None:
    candidates, expected = TABLE[name]
    ranked = rank("?", candidates, ONE_PASSAGE)
    assert scores(ranked) == expected
    assert [hit.owner for hit in ranked] == list(expected)


def test_a_unit_of_many_passages_needs_a_little_more_evidence() -> None:
    candidates = [candidate("ada", 8.0, 0.5), candidate("bob", 8.0, 0.5), candidate("cy", 8.0, 0.5)]
    ranked = rank("?", candidates, {"ada": UnitFeatures(1000), "bob": UnitFeatures(2), "cy": UnitFeatures(1)})
    assert scores(ranked) == {"cy": 1.0, "bob": 0.95, "ada": 0.9001}
    assert parts(ranked[1]) == {"lexical": 0.5, "semantic": 0.5, "length": -0.05}


def test_a_name_in_the_question_counts_and_namesakes_share_it() -> None:
    candidates = [candidate("ada", 8.0, 0.5), candidate("bob", 8.0, 0.5)]
    units = {"ada": UnitFeatures(1, ("Mercury",)), "bob": UnitFeatures(1), "cy": UnitFeatures(1, ("Mercury", "Hermes"))}
    ranked = rank("How far is Mercury?", candidates, units)
    assert scores(ranked) == {"ada": 1.075, "bob": 1.0, "cy": 0.075}
    assert ranked[-1].best is None
    assert scores(rank("Is Hermes Mercury?", candidates, units))["cy"] == NAME_BONUS


def test_the_output_of_a_tool_counts_less_and_cannot_shrink_other_scores() -> None:
    statements = [candidate("ada", 8.0, 0.5), candidate("bob", 4.0, 0.25)]
    stuffed = candidate("eve", 400.0, 0.9)
    units = {**ONE_PASSAGE, "eve": UnitFeatures(1, ("Mercury",), is_tool_output=True)}
    without, ranked = rank("?", statements, units), rank("?", [*statements, stuffed], units)
    assert scores(ranked) == {**scores(without), "eve": TOOL_OUTPUT_SHARE}
    assert [hit.owner for hit in ranked] == ["ada", "bob", "eve"]
    assert parts(ranked[-1]) == {"lexical": 0.5, "semantic": 0.5, "source": TOOL_OUTPUT_SHARE - 1}
    assert scores(rank("?", [stuffed], units)) == {"eve": TOOL_OUTPUT_SHARE}


def test_places_weigh_as_the_user_says() -> None:
    candidates = [
        candidate(owner, 8.0, 0.5, place) for owner, place in zip(OWNERS, ["title", "tags", "content"], strict=False)
    ]
    ranked = rank("?", candidates, ONE_PASSAGE, weights=EvidenceWeights(title=2.0, tag=0.5, content=1.5))
    assert scores(ranked) == {"ada": 2.0, "cy": 1.5, "bob": 0.5}
    assert parts(ranked[0])["place"] == 1.0


def test_connections_count_only_where_the_user_says_so() -> None:
    candidates = [candidate("ada", 8.0, 0.5), candidate("bob", 8.0, 0.5)]
    units = {"ada": UnitFeatures(1), "bob": UnitFeatures(1, edges=10)}
    assert scores(rank("?", candidates, units)) == {"ada": 1.0, "bob": 1.0}
    ranked = rank("?", candidates, units, weights=EvidenceWeights(edge=0.4))
    assert scores(ranked) == {"bob": 1.2, "ada": 1.0}
    assert parts(ranked[0])["edges"] == 0.2


def test_what_was_changed_lately_counts_only_where_the_user_says_so() -> None:
    candidates = [candidate(owner, 8.0, 0.5) for owner in OWNERS[:4]]
    units = {
        "ada": UnitFeatures(1),
        "bob": UnitFeatures(1, age=0.0),
        "cy": UnitFeatures(1, age=HALF_LIFE_DAYS),
        "dot": UnitFeatures(1, age=2 * HALF_LIFE_DAYS),
    }
    assert set(scores(rank("?", candidates, units)).values()) == {1.0}
    ranked = rank("?", candidates, units, weights=EvidenceWeights(recency=0.4))
    assert scores(ranked) == {"bob": 1.4, "cy": 1.2, "dot": 1.1, "ada": 1.0}
    assert parts(ranked[1])["recency"] == 0.2


def test_what_is_used_often_and_lately_counts_only_where_the_user_says_so() -> None:
    candidates = [candidate(owner, 8.0, 0.5) for owner in OWNERS[:4]]
    units = {
        "ada": UnitFeatures(1),
        "bob": UnitFeatures(1, uses=10),
        "cy": UnitFeatures(1, uses=30),
        "dot": UnitFeatures(1, uses=10, days_unused=HALF_LIFE_DAYS),
    }
    assert set(scores(rank("?", candidates, units)).values()) == {1.0}
    ranked = rank("?", candidates, units, weights=EvidenceWeights(use=0.4))
    assert scores(ranked) == {"cy": 1.3, "bob": 1.2, "dot": 1.1, "ada": 1.0}
    assert parts(ranked[1])["use"] == 0.2


def test_the_best_pass_a_part_of_their_scores_on_to_whom_they_mention() -> None:
    ranked = rank("?", [candidate("ada", 8.0, None), candidate("bob", 4.0, None)], ONE_PASSAGE)
    hits = pass_on_scores(
        ranked, {"ada": {"cy": Mention("Cy", 1), "dot": Mention("Dot", 2)}, "bob": {"cy": Mention("Cy", 1)}}
    )
    assert scores(hits) == {"ada": 1.0, "bob": 0.5, "cy": HOP_SHARE, "dot": HOP_SHARE / 2}
    (part,) = hits[2].parts
    assert part.detail == {"from": "ada", "name": "Cy"}


def test_a_hop_takes_the_most_and_not_the_sum_and_goes_one_step() -> None:
    ranked = rank("?", [candidate("ada", 8.0, None), candidate("bob", 6.0, None)], ONE_PASSAGE)
    hits = pass_on_scores(
        ranked, {"ada": {"bob": Mention("Bob", 1)}, "bob": {"cy": Mention("Cy", 1), "bob": Mention("Bob", 1)}}
    )
    assert scores(hits) == {"bob": 1.15, "ada": 1.0, "cy": 0.3}


def test_only_the_best_five_pass_anything_on() -> None:
    ranked = rank("?", [candidate(owner, 8.0 - place, None) for place, owner in enumerate(OWNERS[:6])], ONE_PASSAGE)
    assert scores(pass_on_scores(ranked, {OWNERS[5]: {"hal": Mention("Hal", 1)}})) == scores(ranked)


amounts = st.floats(0, 50, allow_nan=False) | st.just(0.0)
cosines = st.none() | st.floats(-1, 1, allow_nan=False)
places = st.sampled_from(["content", "title", "tags", "summary"])
units = st.fixed_dictionaries(
    {
        owner: st.builds(UnitFeatures, st.integers(1, 40), st.just((owner.title(),)), st.integers(0, 50))
        for owner in OWNERS
    }
)
founds = st.lists(
    st.builds(
        lambda owner, place, lexical, cosine: candidate(owner, lexical, cosine, place),
        st.sampled_from(OWNERS),
        places,
        amounts,
        cosines,
    ),
    unique_by=lambda candidate: candidate.passage,
    max_size=20,
)
factors = st.floats(0, 3)
weightings = st.builds(EvidenceWeights, factors, factors, factors, factors, factors, factors)
questions = st.lists(st.sampled_from([*(owner.title() for owner in OWNERS), "who", "knows"]), max_size=5).map(" ".join)
mentions = st.dictionaries(
    st.sampled_from(OWNERS),
    st.dictionaries(st.sampled_from(OWNERS), st.builds(Mention, st.just("x"), st.integers(1, 3)), max_size=3),
)
Mentions = Mapping[str, Mapping[str, Mention]]


@given(questions, founds, units, weightings, mentions)
def test_parts_add_up_to_the_score_and_the_best_come_first(
    question: str, candidates: list[Candidate], of: dict[str, UnitFeatures], weights: EvidenceWeights, named: Mentions
) -> None:
    for ranked in (first := rank(question, candidates, of, weights=weights), pass_on_scores(first, named)):
        assert all(hit.score == fsum(part.value for part in hit.parts) for hit in ranked)
        assert ranked == sorted(ranked, key=lambda hit: (-hit.score, hit.owner))
        assert len({hit.owner for hit in ranked}) == len(ranked)
        assert {candidate.owner for candidate in candidates} <= {hit.owner for hit in ranked}


@given(questions, founds, units, weightings, mentions, st.randoms())
def test_the_order_of_what_is_found_changes_nothing(
    question: str,
    candidates: list[Candidate],
    of: dict[str, UnitFeatures],
    weights: EvidenceWeights,
    named: Mentions,
    random: Random,
) -> None:
    before = pass_on_scores(rank(question, candidates, of, weights=weights), named)
    shuffled, turned = list(candidates), dict(reversed(of.items()))
    random.shuffle(shuffled)
    assert pass_on_scores(rank(question, shuffled, turned, weights=weights), dict(reversed(named.items()))) == before


@given(
    st.lists(st.tuples(st.floats(0.1, 50), st.floats(0.1, 0.5)), min_size=1, max_size=len(OWNERS)),
    st.integers(0, len(OWNERS)),
    st.floats(1, 5),
    st.floats(1, 2),
)
def test_more_evidence_never_lowers_a_unit(
    evidence: list[tuple[float, float]], which: int, words: float, meaning: float
) -> None:
    candidates = [candidate(owner, *sides) for owner, sides in zip(OWNERS, evidence, strict=False)]
    place = which % len(candidates)
    more = list(candidates)
    more[place] = replace(
        candidates[place], lexical=candidates[place].lexical * words, cosine=(candidates[place].cosine or 0.0) * meaning
    )
    before, after = (scores(rank("?", evidence, ONE_PASSAGE)) for evidence in (candidates, more))
    owner = candidates[place].owner
    beaten = {text for text in before if before[text] < before[owner] - 1e-5}
    assert all(after[text] <= after[owner] + 1e-5 for text in beaten)


@given(founds)
def test_both_sides_are_between_0_and_1(candidates: list[Candidate]) -> None:
    for sides in normalise(candidates):
        assert 0 <= sides.lexical <= 1
        assert sides.semantic is None or 0 <= sides.semantic <= 1
