"""Arguments of `remember`, and the parts of them that a reply repeats."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from graph_memory import GraphError
from graph_memory.memory.entities.remember_results import MAX_LENGTH, Outcome, Receipt
from graph_memory.memory.remember.facts import request_from
from graph_memory.model.errors import Code

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def test_what_is_wrong_with_a_statement_is_told_with_its_place() -> None:
    with pytest.raises(GraphError, match=r"^INVALID_ARGUMENT: observations\[1\].txt is not a valid key"):
        request_from({"name": "Ben", "observations": ["sings", {"txt": "likes tea"}]}, NOW)


def test_the_keys_of_a_statement_are_listed_with_what_it_replaces() -> None:
    with pytest.raises(GraphError) as refused:
        request_from({"name": "Ben", "observations": [{"words": "likes tea", "replaces": "likes milk"}]}, NOW)
    assert str(refused.value.hint).startswith("Valid keys: text, ")
    assert "replaces" in str(refused.value.hint)
    [fact] = request_from({"name": "Ben", "observations": [{"text": "likes tea", "replaces": "likes milk"}]}, NOW).facts
    assert fact.replaces == ("likes milk",)


def test_a_receipt_repeats_a_statement_but_no_document() -> None:
    short, long = "y" * MAX_LENGTH, "x" * (MAX_LENGTH + 1)
    receipt = Receipt(decision=Outcome.ADD, fact=long, rule="new", evidence=short)
    assert receipt.fact == "x" * (MAX_LENGTH - 1) + "…"
    assert receipt.evidence == short


@pytest.mark.parametrize("arguments", [{"name": "x y " * 2_000_000}, {"name": "Ben", "aliases": ["x y " * 2_000_000]}])
def test_a_name_that_is_too_long_is_rejected_before_it_is_compared_with_others(arguments: dict[str, object]) -> None:
    with pytest.raises(GraphError, match=r"of [0-9,]+ characters is over the limit") as refused:
        request_from({**arguments, "observations": ["sings"]}, NOW)
    assert refused.value.code is Code.CONTENT_TOO_LARGE
