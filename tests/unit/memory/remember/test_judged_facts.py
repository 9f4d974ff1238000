"""The facts of one call beside one another."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from graph_memory.memory.remember.facts import request_from
from graph_memory.memory.remember.judged_facts import judge_facts, receipt_of


@pytest.mark.parametrize(
    ("observations", "decisions"),
    [
        (["Ben plays chess.", "Ben plays chess.", "Ben plays  chess"], ["ADD", "NOOP", "NOOP"]),
        (["Ben works at Merrow.", "Ben has worked for Merrow since 2026."], ["ADD", "ADD"]),
    ],
)
def test_what_says_the_same_as_an_earlier_fact_of_the_call_is_known(
    observations: list[Any], decisions: list[str]
) -> None:
    request = request_from({"name": "Ben", "observations": observations}, datetime.now(UTC))
    facts = judge_facts(request.facts, [], {}, "Ben", {})
    assert [receipt_of(fact, None).decision for fact in facts] == decisions
    assert not any(fact.open_replacements for fact in facts)


def test_two_facts_of_a_call_that_exclude_each_other_raise_a_question() -> None:
    request = request_from({"name": "Ben", "observations": ["Ben has a dog.", "Ben has no dog."]}, datetime.now(UTC))
    facts = judge_facts(request.facts, [], {}, "Ben", {})
    assert [receipt_of(fact, None).decision for fact in facts] == ["ADD", "ADD"]
    assert [doubt.known.text for fact in facts for doubt in fact.open_replacements] == ["Ben has a dog."]
