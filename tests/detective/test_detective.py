"""Ten questions that a detective asks of 61,521 nodes: docs/guides/detective.md shows them and what comes back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from graph_memory import SyncMemory

pytestmark = pytest.mark.timeout(1_800)  # the first loads the graph
LARIVE, PRODUCTION, POWELL, WALKER, HOUSE, MORALES = "1522", "31868", "877", "861", "1280", "1286"
WARD, WILLIAMSON, PETERS = "874", "1279", "863"
TIES = ("KNOWS", "KNOWS_SN", "KNOWS_LW", "KNOWS_PHONE", "FAMILY_REL")
WAYS = {(POWELL, *others, WALKER) for others in ((WARD, WILLIAMSON), (WARD, PETERS), (MORALES, WILLIAMSON))}
"""All shortest ones."""


def ids(results: Iterable[Any]) -> list[str]:
    return [hit.id for hit in results]


def surnames(case: SyncMemory, results: Iterable[Any]) -> set[str]:
    return {str(case.get_node(hit.id).properties["surname"]) for hit in results if hit.type == "Person"}


def test_1_who_has_the_badge_26_5234182(case: SyncMemory) -> None:
    best = case.recall.search_memories("the officer with badge 26-5234182").hits[0]
    assert (best.id, best.type) == (LARIVE, "Officer")
    assert "Larive" in (best.passage or "")


def test_2_which_case_of_producing_cannabis_is_under_investigation(case: SyncMemory) -> None:
    memories = case.recall.search_memories(
        "production of cannabis, under investigation", filters={"node_types": ["Crime"]}
    )
    assert memories.hits[0].id == PRODUCTION


def test_3_which_drugs_cases_does_constable_larive_investigate(case: SyncMemory) -> None:
    result = case.recall.traverse_memories(
        LARIVE,
        max_depth=1,
        edge_filter={"types": ["INVESTIGATED_BY"], "direction": "in"},
        node_filter={"properties": {"type": "Drugs", "last_outcome": "Under investigation"}},
    )
    assert set(ids(result.nodes)) == {LARIVE, PRODUCTION, "57116", "57117"}


def test_4_what_evidence_is_there_and_who_is_party_to_them(case: SyncMemory) -> None:
    result = case.recall.traverse_memories(
        [PRODUCTION, "57116", "57117"],
        max_depth=1,
        edge_filter={"types": ["PARTY_TO", "INVOLVED_IN"], "direction": "in"},
    )
    assert surnames(case, result.nodes) == {"Powell", "Walker"}
    objects = {str(case.get_node(node.id).properties["description"]) for node in result.nodes if node.type == "Object"}
    assert {"43 Cannabis Plants, 3kg Prepared Cannabis", "£3,500 currency", "Electronic Scale"} <= objects
    assert len(objects) == 7


def test_5_how_are_the_two_suspects_connected(case: SyncMemory) -> None:
    [path] = case.recall.find_path(POWELL, WALKER, types=TIES).paths
    assert tuple(ids(path.nodes)) in WAYS


def test_6_is_there_more_than_one_way_between_them(case: SyncMemory) -> None:
    result = case.recall.find_path(POWELL, WALKER, mode="k_shortest", k=3, types=TIES)
    assert {tuple(ids(path.nodes)) for path in result.paths} == WAYS


def test_7_who_lives_at_111_silverdale_road(case: SyncMemory) -> None:
    house = case.recall.search_memories("111 Silverdale Road", filters={"node_types": ["Location"]}).hits[0]
    assert house.id == HOUSE
    neighbors = case.recall.get_neighbors(house.id, types=["CURRENT_ADDRESS"], direction="in")
    assert surnames(case, neighbors.neighbors) == {"Williamson", "Kelly", "Morales"}


def test_8_whom_did_powell_write_to_and_who_wrote_to_him(case: SyncMemory) -> None:
    result = case.recall.traverse_memories(
        POWELL, max_depth=4, max_nodes=100, edge_filter={"types": ["HAS_PHONE", "CALLER", "CALLED"]},
        node_filter={"types": ["Phone", "PhoneCall", "Person"]},
    )  # fmt: skip
    assert surnames(case, result.nodes) == {"Powell", "Dixon"}
    assert len([node for node in result.nodes if node.type == "PhoneCall"]) == 4


def test_9_who_are_the_children_of_morales_and_what_are_they_party_to(case: SyncMemory) -> None:
    result = case.recall.traverse_memories(
        MORALES,
        max_depth=1,
        edge_filter={"types": ["FAMILY_REL"], "direction": "out", "properties": {"rel_type": "PARENT"}},
    )
    assert surnames(case, result.nodes) == {"Morales", "Ward", "Powell"}
    children = [node.id for node in result.nodes if node.depth == 1]
    crimes = case.recall.traverse_memories(
        children, max_depth=1, edge_filter={"types": ["PARTY_TO"], "direction": "out"}
    )
    assert len([node for node in crimes.nodes if node.type == "Crime"]) == 7


def test_10_what_is_known_of_jack_powell(case: SyncMemory) -> None:
    result = case.recall.recall(focus=[POWELL], depth="deep", max_tokens=1_500)
    assert result.tokens_used <= 1_500
    assert isinstance(result.content, str)
    for known in (
        "Powell",
        "Alan",
        "Brian",
        "William",
        "Possession of Cannabis with Intent to Supply",
        "9 Malpas Drive",
    ):
        assert known in result.content, known
