"""Which patterns fit a situation, and which have worked best."""

from __future__ import annotations

import math

import pytest

from graph_memory.agent.records.patterns import (
    Situation,
    conditions_of,
    has_word,
    match_patterns,
    register_condition,
    steps_of,
    wilson_lower_bound,
)
from graph_memory.agent.results import Pattern
from graph_memory.model.errors import Code, GraphError
from tables import for_rows


@for_rows(
    ("text", "word", "holds"),
    [
        ("The call hit a TIMEOUT.", "timeout", True),
        ("timeouts", "timeout", False),
        ("git push --force", "push --force", True),
        ("précafé café", "café", True),
        ("C++ and C", "C++", True),
        ("v12", "v1", False),
        ("数据库超时了", "超时", True),
        ("timeouttimeout timeout", "timeout", True),
    ],
)
def test_a_keyword_holds_where_it_is_a_word_of_its_own(text: str, word: str, holds: bool):
    assert has_word(text, word) is holds


def test_the_lower_bound_is_that_of_wilson():
    """Values of the table in Agresti & Coull (1998), to three digits."""
    assert wilson_lower_bound(0, 0) == 0
    assert wilson_lower_bound(0, 10) == pytest.approx(0, abs=1e-12)
    assert wilson_lower_bound(9, 10) == pytest.approx(0.596, abs=5e-4)
    assert wilson_lower_bound(10, 10) == pytest.approx(0.722, abs=5e-4)
    assert wilson_lower_bound(90, 100) > wilson_lower_bound(9, 10)


def pattern(name: str, *, confidence: float = 1, bound: float = 0, **scores: float) -> Pattern:
    conditions = conditions_of([{"value": word, "weight": weight} for word, weight in scores.items()])
    return Pattern(
        id=name, name=name, pattern_type="solution", conditions=conditions, confidence=confidence, success_bound=bound
    )


def test_the_share_of_the_weights_that_hold_counts_times_the_confidence_then_what_has_worked():
    known = [
        pattern("both", timeout=1, retry=1),
        pattern("half", timeout=1, never=1),
        pattern("sure", timeout=1, bound=0.4),
        pattern("unsure", timeout=1, confidence=0.2),
        pattern("other", disk=1),
    ]
    matches = match_patterns(known, Situation("retry after a timeout"), 10)
    assert [(match.pattern.name, match.score) for match in matches] == [
        ("sure", 1.0),
        ("both", 1.0),
        ("half", 0.5),
        ("unsure", 0.2),
    ]
    assert [condition.value for condition in matches[2].held] == ["timeout"]


def test_a_custom_condition_is_a_function_and_types_are_compared_in_any_case():
    register_condition("is_long", lambda situation: len(situation.query) > 5)
    kinds = [
        {"type": "custom", "value": "is_long"},
        {"type": "error_type", "value": "TimeoutError"},
        {"type": "entity_type", "value": "file"},
    ]
    result = Pattern(id="1", name="1", pattern_type="anti_pattern", conditions=conditions_of(kinds), confidence=0.6)
    [match] = match_patterns(
        [result], Situation("a long query", entity_types=["File"], error_types=["timeouterror"]), 1
    )
    assert (match.score, match.warning) == (0.6, "Avoid this: 1")
    assert match_patterns([result], Situation("short"), 1) == ()


@for_rows(
    "values",
    [
        [],
        [{"value": "x"}] * 51,
        [{"type": "words", "value": "x"}],
        [{"value": " "}],
        [{"type": "custom", "value": "nobody"}],
        *([{"value": "x", "weight": weight}] for weight in (0, -1, math.nan, math.inf, True, "1")),
    ],
)
def test_conditions_at_fault_are_refused(values: list[dict[str, object]]):
    with pytest.raises(GraphError) as caught:
        conditions_of(values)
    assert caught.value.code is Code.INVALID_ARGUMENT


def test_steps_are_text_or_an_action_with_its_tool():
    assert [step.to_dict() for step in steps_of(["wait", {"action": "retry", "tool": "http"}])] == [
        {"action": "wait"},
        {"action": "retry", "tool": "http"},
    ]
    for wrong in ([{"tool": "http"}], [{"action": "x", "other": 1}], ["x"] * 101):
        with pytest.raises(GraphError):
            steps_of(wrong)
