"""How strong and important a connection is said to be, and how it came to be: what is given, and what is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

from graph_memory.model.text.wording import kind_of, quoted, shown, suggestion
from graph_memory.model.values.arguments import fault, is_encodable

MEASURES = ("semantic", "structural", "temporal", "confidence")
"""What a strength says, each from 0 to 1."""
STRENGTH = {f"_strength_{name}": name for name in MEASURES}
"""The names under which a connection keeps its strength."""
IMPORTANCE = "_importance"
CREATED_BY = "_created_by"
NUMBERS = (*STRENGTH, IMPORTANCE)
"""What a connection keeps as a number from 0 to 1."""
MADE = {"creation_method": "_creation_method", "created_by": CREATED_BY, "evidence": "_evidence"}
"""What is told of how a connection came to be, and the names under which it keeps that."""
LONGEST_MADE = 10_000
WHOLE_TEMPORAL = 1.0
WHOLE_CONFIDENCE = 0.9
"""What a strength that is given as one number has for these two."""
_SHAPE = f"Give one number from 0 to 1, or an object with {', '.join(MEASURES)}."


CreationMethod = Literal["manual", "automatic", "inferred"]
"""How a connection came to be. Only the service itself makes any but manual ones.

One that is automatic goes with another, as the inverse of one does; one that is inferred follows from others, which its
evidence names.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """How strong a connection is in several respects, each from 0 to 1; None is not set."""

    semantic: float | None = None
    structural: float | None = None
    temporal: float | None = None
    confidence: float | None = None

    def told(self) -> dict[str, float]:
        """Return what is set, by name."""
        values = {name: cast("float | None", getattr(self, name)) for name in MEASURES}
        return {name: value for name, value in values.items() if value is not None}

    def state(self) -> dict[str, float]:
        """Return what is set, as stored."""
        return {f"_strength_{name}": value for name, value in self.told().items()}

    def with_changes(self, edit: Strength) -> Strength:
        """Return it with what another one sets."""
        return Strength(**{**self.told(), **edit.told()})

    @classmethod
    def from_state(cls, stored: Mapping[str, object]) -> Strength:
        """Return what a stored map says."""
        return cls(**{name: cast("float", stored[key]) for key, name in STRENGTH.items() if key in stored})


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """How a connection came to be: by what means, from what, and by whom; what is manual is stored by its absence."""

    method: CreationMethod = "manual"
    evidence: str | None = None
    actor: str | None = None

    def told(self) -> dict[str, str]:
        """Return what is kept of it, by name."""
        method = None if self.method == "manual" else self.method
        own = {"creation_method": method, "created_by": self.actor, "evidence": self.evidence}
        return {name: text for name, text in own.items() if text is not None}

    def state(self) -> dict[str, str]:
        """Return what is stored of it."""
        return {MADE[name]: text for name, text in self.told().items()}

    @classmethod
    def from_state(cls, stored: Mapping[str, object]) -> Provenance:
        """Return what a stored map says; it says nothing of what was made before this was kept."""
        known = cast("Mapping[str, str]", stored)
        return cls(
            method=cast("CreationMethod", known.get("_creation_method", "manual")),
            evidence=known.get("_evidence"),
            actor=known.get(CREATED_BY),
        )


def check_provenance(given: Mapping[str, str]) -> Provenance:
    """Return how a connection came to be, from texts by their names. Raises INVALID_ARGUMENT."""
    method = given.get("creation_method", "manual")
    if method not in get_args(CreationMethod):
        hint = f"Give one of {', '.join(get_args(CreationMethod))}, or leave it out."
        raise fault("creation_method", f"creation_method is {quoted(method)}", hint)
    for name, text in given.items():
        if not 0 < len(text) <= LONGEST_MADE or not is_encodable(text):
            hint = f"Give 1 to {LONGEST_MADE:,} characters, or leave it out."
            raise fault(name, f"{name} is no text of that length", hint)
    return Provenance(
        method=cast("CreationMethod", method), evidence=given.get("evidence"), actor=given.get("created_by")
    )


def check_strength(given: object) -> Strength:
    """Return a strength: from an object what it names, from one number all four. None is nothing.

    Raises INVALID_ARGUMENT, naming what is at fault.
    """
    match given:
        case None:
            return Strength()
        case Mapping():
            named = cast("Mapping[object, object]", given)
            return Strength(**{_measure(name): fraction(f"strength.{name}", value) for name, value in named.items()})
        case bool() | str() | list() | tuple():
            raise fault("strength", f"strength is {kind_of(cast('object', given))}", _SHAPE)
        case _:
            value = fraction("strength", given)
            return Strength(semantic=value, structural=value, temporal=WHOLE_TEMPORAL, confidence=WHOLE_CONFIDENCE)


def fraction(argument: str, given: object) -> float:
    """Return a number from 0 to 1. Raises INVALID_ARGUMENT."""
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        raise fault(argument, f"{argument} is {kind_of(given)}, not a number", "Give a number from 0 to 1.")
    if not 0 <= given <= 1:
        raise fault(argument, f"{argument} is {quoted(given)}, which is not from 0 to 1", "Give a number from 0 to 1.")
    return float(given) + 0.0


def _measure(name: object) -> str:
    if name not in MEASURES:
        hint = suggestion(str(name), MEASURES, _SHAPE)
        raise fault("strength", f"strength has no {shown(name)}", hint)
    return str(name)
