"""The weight of a connection: within bounds, monotone in all that it is made of, and half after a half-life."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.model.values.strength import Strength
from graph_memory.model.values.weight import HALF_LIFE, weight

NOW = datetime(2026, 6, 1, tzinfo=UTC)
fractions = st.floats(0, 1)
maybe = st.none() | fractions
days = st.floats(0, 10_000)
lives = st.none() | st.floats(0.01, 36_500)


@dataclass(frozen=True)
class Measures:
    strength: Strength = field(default_factory=Strength)
    importance: float | None = None
    modified: datetime = NOW


strengths = st.builds(Strength, semantic=maybe, structural=maybe, temporal=maybe, confidence=maybe)
measures = st.builds(
    Measures, strength=strengths, importance=maybe, modified=days.map(lambda n: NOW - timedelta(days=n))
)


@given(measures, lives, fractions)
def test_it_is_from_0_to_1(subject: Measures, life: float | None, access: float) -> None:
    assert 0 <= weight(subject, NOW, half_life=life, co_access=access) <= 1


@given(measures, lives, fractions, st.sampled_from(["semantic", "structural", "temporal", "confidence"]), fractions)
def test_more_of_any_measure_is_never_less(subject: Measures, life: Any, access: float, name: str, more: float) -> None:
    before = getattr(subject.strength, name)
    low, high = sorted((0.0 if before is None else before, more))
    less, greater = (replace(subject, strength=replace(subject.strength, **{name: value})) for value in (low, high))
    arguments = {"half_life": life, "co_access": access}
    assert weight(less, NOW, **arguments) <= weight(greater, NOW, **arguments) + 1e-12


@given(measures, lives, fractions, fractions, fractions)
def test_more_importance_and_more_use_are_never_less(
    subject: Measures, life: Any, access: float, a: float, b: float
) -> None:
    low, high = sorted((a, b))
    less, greater = replace(subject, importance=low), replace(subject, importance=high)
    assert weight(less, NOW, half_life=life) <= weight(greater, NOW, half_life=life) + 1e-12
    assert weight(subject, NOW, co_access=low) <= weight(subject, NOW, co_access=high) + 1e-12


@given(measures, st.floats(0.01, 3_000))
def test_it_halves_after_a_half_life_and_never_grows_with_age(subject: Measures, life: float) -> None:
    first = weight(subject, NOW, half_life=life)
    later = weight(subject, NOW + timedelta(days=life), half_life=life)
    assert later == pytest.approx(first / 2, rel=1e-6)
    assert weight(subject, NOW + timedelta(days=life / 3), half_life=life) <= first


def test_the_values_that_the_guide_names() -> None:
    assert weight(Measures(), NOW) == pytest.approx(0.45)
    assert weight(Measures(modified=NOW - timedelta(days=HALF_LIFE)), NOW) == pytest.approx(0.225)
    assert weight(Measures(importance=1.0), NOW) == pytest.approx(0.725)
    whole = Strength(semantic=1.0, structural=1.0, temporal=1.0, confidence=1.0)
    assert weight(Measures(strength=whole, importance=1.0), NOW, co_access=1.0) == 1
    assert weight(Measures(strength=replace(whole, temporal=0.0), importance=1.0), NOW) == 0


def test_what_was_changed_later_than_now_has_no_age() -> None:
    assert weight(Measures(modified=NOW + timedelta(days=90)), NOW) == weight(Measures(), NOW)
