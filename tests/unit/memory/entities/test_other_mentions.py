"""Mentions of a forgotten entity in other nodes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from graph_memory.memory.core import Core
from graph_memory.memory.entities.observations import other_mentions
from graph_memory.memory.entities.results import ForgetResult
from graph_memory.memory.search.ranking.scoring import Passage
from graph_memory.model.errors import Code, GraphError
from tables import for_rows

pytestmark = pytest.mark.anyio

DONE = ForgetResult(forgotten=(), entities=1, observations=2, relations=0, erased=True, domains=("home",))


async def test_a_search_that_fails_leaves_the_receipt_of_an_erasure_with_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def fail(*_: Any, **__: Any) -> None:
        raise GraphError(Code.TIMEOUT, "The query took longer than 30 seconds", {})

    monkeypatch.setattr(other_mentions, "scope_of", fail)
    forgotten = await other_mentions.with_mentions(cast("Core", None), "home", DONE, [["Ann"]], set())
    assert forgotten.model_copy(update={"warnings": None}) == DONE
    assert "took longer than 30 seconds" in str(forgotten.warnings)
    assert "scan" in str(forgotten.warnings)


def passage(text: str, unit: str = "mem_1") -> Passage:
    return cast("Passage", SimpleNamespace(text=text, unit=unit, owner=unit, place="observation"))


@for_rows(
    ("name", "text", "is_named"),
    [
        ("田中", "田中さんは社長です。", True),
        ("Ann", "Annさんは社長です。", True),
        ("Zo\u00eb", "met Zoe\u0308 in May", True),
        ("Zoe", "met Zoe\u0308 in May", False),
        ("STRASSE", "in der Stra\u00dfe", True),
        ("Ann", "lives in Annecy", False),
        ("Ann", "ask ANN first", True),
    ],
)
def test_a_name_is_found_in_any_encoding_and_as_a_whole_word_where_words_have_spaces(
    name: str, text: str, is_named: bool
) -> None:
    assert bool(other_mentions.lines_naming(passage(text), name)) is is_named


def test_a_mention_is_cut_around_the_name() -> None:
    [line] = other_mentions.lines_naming(passage("\u00df" * 300 + " " + "word " * 50 + "Ann" + " word" * 90), "Ann")
    assert "Ann" in line
    assert (line[0], line[-1], len(line)) == ("…", "…", 202)
    assert other_mentions.lines_naming(passage(" Ann flies. \nBen sails."), "Ann") == ["Ann flies."]


async def test_names_of_each_entity_are_searched_and_mentions_left_out_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: list[str] = []

    async def find(_scope: object, request: Any) -> Any:
        searched.append(request.query)
        passages = [passage(f"{request.query} {number}", f"mem_{number}") for number in range(4)]
        scored = {passage.unit: SimpleNamespace(passage=passage) for passage in passages}
        return SimpleNamespace(scored=scored, is_all=True)

    async def nothing(*_: object, **__: object) -> list[object]:
        return []

    monkeypatch.setattr(other_mentions, "rank_candidates", find)
    monkeypatch.setattr(other_mentions, "scope_of", nothing)
    monkeypatch.setattr(other_mentions, "node_briefs", nothing)
    names = [["Ann", *(f"Ann {number}" for number in range(4))], ["Ben"]]
    forgotten = await other_mentions.with_mentions(cast("Core", None), "home", DONE, names, set())
    assert searched == [*names[0], "Ben"]
    assert (len(forgotten.stays or ()), forgotten.more_stays, forgotten.warnings) == (20, 4, None)
    forgotten = await other_mentions.with_mentions(cast("Core", None), "home", DONE, [[*names[0], "Annie"]], set())
    assert "Not all names" in str(forgotten.warnings)
