"""A weight expression is arithmetic over a few names, and never run as code."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_memory import GraphError
from graph_memory.memory.traversal.walks.edges import Edge
from graph_memory.memory.traversal.walks.weighting import parse_weighting
from tables import for_rows

EDGE = Edge("e", "X", "a", "b", 0.4, 0.45, 0.8, 10.0, {"rank": 3, "road length": 2.5, "text": "7", "sure": True})


def counts(expression: str | None, depth: int = 2) -> float:
    return parse_weighting(expression).rank(EDGE, depth)


@for_rows(
    ("rendered", "value"),
    [
        (None, 0.4),
        ("weight", 0.4),
        ("rank", 3.0),
        ("text", 0.0),
        ("sure", 0.0),
        ("missing", 0.0),
        ("strength", 0.45),
        ("importance * 2 / (1 + age_days)", 1.6 / 11),
        ("weight ** depth", 0.16),
        ("-age_days", -10.0),
        ("max(weight, importance) - min(1, depth, 0.5)", 0.3),
        ("sqrt(16) + abs(-1) + log(1) + exp(0)", 6.0),
        ('properties.rank + properties["road length"]', 5.5),
        ("1 / (age_days - 10)", 0.0),
        ("9.0 ** 9 ** 9 ** 9", 0.0),
        ("(0 - 1) ** 0.5", 0.0),
        ("log(0)", 0.0),
        ("1e308 * 10 - 1e308 * 10", 0.0),
    ],
)
def test_a_weight_is_computed(rendered: str | None, value: float):
    assert counts(rendered) == pytest.approx(value)


def test_only_a_property_alone_is_told_to_neo4j():
    assert parse_weighting("rank").property == "rank"
    assert not parse_weighting("rank").is_expression
    assert parse_weighting("properties.rank").is_expression


@for_rows(
    "text",
    [
        "",
        "_importance",
        "rank + 1",
        "__import__('os').system('true')",
        "weight.__class__",
        "properties.__class__()",
        "properties[0]",
        "(lambda: 1)()",
        "[weight][0]",
        "weight if depth else 0",
        "weight and depth",
        "'text'",
        "True + 1",
        "properties + 1",
        "1j",
        "max(weight)",
        "sqrt(1, 2)",
        "max(*[1, 2])",
        "log(x=1)",
        "weight := 1",
        "weight\n+ +",
        "1" * 201,
        "+".join(["1"] * 90),
        "(" * 150 + "1" + ")" * 150 + "x" * 10,
        "weight\0",
    ],
)
def test_what_is_no_arithmetic_is_refused(text: str):
    with pytest.raises(GraphError) as refused:
        parse_weighting(text)
    assert refused.value.details["argument"] == "weight"
    assert "properties.NAME" in (refused.value.hint or "")


@settings(max_examples=40)
@given(st.text(max_size=60) | st.from_regex(r"[a-z_.()*+/0-9 \[\]'\"-]{1,40}", fullmatch=True))
def test_any_text_is_a_number_or_refused(text: str):
    with suppress(GraphError):
        assert isinstance(parse_weighting(text).rank(EDGE, 1), float)
