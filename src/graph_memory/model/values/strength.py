"""A connection's strength, importance and provenance, as arguments and as stored properties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

from graph_memory.model.text.wording import kind_of, quote, suggestion
from graph_memory.model.values.arguments import invalid_argument, is_encodable

MEASURES = ("semantic", "structural", "temporal", "confidence")
"""The components of a strength, each from 0 to 1."""
STRENGTH = {f"_strength_{name}": name for name in MEASURES}
"""The names of the components of a strength, by stored property."""
IMPORTANCE = "_importance"
CREATED_BY = "_created_by"
NUMBERS = (*STRENGTH, IMPORTANCE)
"""A connection's stored properties that are numbers from 0 to 1."""
PROVENANCE_KEYS = {"creation_method": "_creation_method", "created_by": CREATED_BY, "evidence": "_evidence"}
"""The stored properties of a provenance, by the name of their argument."""
MAX_PROVENANCE_LENGTH = 10_000
WHOLE_TEMPORAL = 1.0
WHOLE_CONFIDENCE = 0.9
"""The values of `temporal` and `confidence` in a strength given as one number."""
_HINT = f"Pass one number from 0 to 1, or an object with {', '.join(MEASURES)}."


CreationMethod = Literal["manual", "automatic", "inferred"]
"""How a connection was created. Only graph-memory itself creates connections that are not manual. An automatic
connection belongs to another connection, such as its inverse. An inferred connection follows from other connections,
whose ids are its evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """A connection's strength in four components, each from 0 to 1, or None if it is not set."""

    semantic: float | None = None
    structural: float | None = None
    temporal: float | None = None
    confidence: float | None = None

    def to_dict(self) -> dict[str, float]:
        """Return the set components by name."""
        values = {name: cast("float | None", getattr(self, name)) for name in MEASURES}
        return {name: value for name, value in values.items() if value is not None}

    def state(self) -> dict[str, float]:
        """Return the set components as stored properties."""
        return {f"_strength_{name}": value for name, value in self.to_dict().items()}

    def with_changes(self, edit: Strength) -> Strength:
        """Return the strength in which the components of `edit` that are set replace the old components."""
        return Strength(**{**self.to_dict(), **edit.to_dict()})

    @classmethod
    def from_state(cls, stored: Mapping[str, object]) -> Strength:
        """Return the strength in a connection's stored properties. Missing components are None."""
        return cls(**{name: cast("float", stored[key]) for key, name in STRENGTH.items() if key in stored})


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """How a connection was created, by whom, and from which evidence. The method `manual` is not stored."""

    method: CreationMethod = "manual"
    evidence: str | None = None
    actor: str | None = None

    def to_dict(self) -> dict[str, str]:
        """Return the set fields by argument name, without the default method `manual`."""
        method = None if self.method == "manual" else self.method
        texts = {"creation_method": method, "created_by": self.actor, "evidence": self.evidence}
        return {name: text for name, text in texts.items() if text is not None}

    def state(self) -> dict[str, str]:
        """Return the set fields as stored properties, without the default method `manual`."""
        return {PROVENANCE_KEYS[name]: text for name, text in self.to_dict().items()}

    @classmethod
    def from_state(cls, stored: Mapping[str, object]) -> Provenance:
        """Return the provenance in a connection's stored properties. Older connections have only default values."""
        values = cast("Mapping[str, str]", stored)
        return cls(
            method=cast("CreationMethod", values.get("_creation_method", "manual")),
            evidence=values.get("_evidence"),
            actor=values.get(CREATED_BY),
        )


def check_provenance(texts: Mapping[str, str]) -> Provenance:
    """Check a provenance's arguments, given as text by name, and return the provenance.

    Raises INVALID_ARGUMENT if the method is unknown, or a text is empty or too long.
    """
    method = texts.get("creation_method", "manual")
    if method not in get_args(CreationMethod):
        hint = f"Pass one of {', '.join(get_args(CreationMethod))}, or leave it out."
        raise invalid_argument("creation_method", f"{quote(method)} is not a creation_method", hint)
    for name, text in texts.items():
        if not 0 < len(text) <= MAX_PROVENANCE_LENGTH or not is_encodable(text):
            hint = f"Pass 1 to {MAX_PROVENANCE_LENGTH:,} characters, or leave it out."
            raise invalid_argument(name, f"{name} has {len(text):,} characters, or cannot be encoded", hint)
    return Provenance(
        method=cast("CreationMethod", method), evidence=texts.get("evidence"), actor=texts.get("created_by")
    )


def check_strength(strength: object) -> Strength:
    """Check the argument `strength`, and return the strength. None sets no component.

    An object sets the components that it contains. A number sets `semantic` and `structural`, and the other two
    components to constants. If a component is invalid, raises INVALID_ARGUMENT with its name.
    """
    match strength:
        case None:
            return Strength()
        case Mapping():
            measures = cast("Mapping[object, object]", strength)
            return Strength(
                **{_check_measure(name): check_fraction(f"strength.{name}", value) for name, value in measures.items()}
            )
        case bool() | str() | list() | tuple():
            raise invalid_argument(
                "strength", f"strength is {kind_of(cast('object', strength))}, not a number or an object", _HINT
            )
        case _:
            value = check_fraction("strength", strength)
            return Strength(semantic=value, structural=value, temporal=WHOLE_TEMPORAL, confidence=WHOLE_CONFIDENCE)


def check_fraction(argument: str, value: object) -> float:
    """Check a number from 0 to 1, and return it. Raises INVALID_ARGUMENT if it is not a number in this range."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        message = f"{argument} is {kind_of(value)}, not a number"
        raise invalid_argument(argument, message, "Pass a number from 0 to 1, such as 0.8.")
    if not 0 <= value <= 1:
        message = f"{argument} is {quote(value)}, not a number from 0 to 1"
        raise invalid_argument(argument, message, "Pass a number from 0 to 1, such as 0.8.")
    return float(value) + 0.0


def _check_measure(name: object) -> str:
    if name not in MEASURES:
        hint = suggestion(str(name), MEASURES, _HINT)
        raise invalid_argument("strength", f"strength contains the unknown key {quote(name)}", hint)
    return str(name)
