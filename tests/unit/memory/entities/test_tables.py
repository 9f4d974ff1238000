"""Tables of labelled pairs: what is not the same is never taken for known; what is, as often as it was measured."""

from __future__ import annotations

import json
from pathlib import Path

from graph_memory.memory.entities.statements.comparing import compared
from graph_memory.memory.entities.statements.judging import SAYS_NOTHING_NEW, judged
from tables import for_rows

TABLES = Path(__file__).parents[3] / "data" / "remember"


def rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def is_known(row: dict[str, str]) -> bool:
    return judged(compared(row["known"], row["new"], row["entity"])) in SAYS_NOTHING_NEW


@for_rows("path", sorted(TABLES.rglob("*.jsonl")))
def test_what_is_not_the_same_is_never_taken_for_known(path: Path):
    others = [row for row in rows(path) if row["label"] != "same"]
    assert others
    assert [row["id"] for row in others if is_known(row)] == []


def test_what_is_said_again_is_known_as_often_as_when_it_was_measured():
    same = [row for row in rows(TABLES / "seen" / "building.jsonl") if row["label"] == "same"]
    assert len(same) == 100
    assert sum(is_known(row) for row in same) >= 15
