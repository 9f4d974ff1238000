"""Interprets property values for Getting Things Done."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime

from graph_memory.model.values.properties import PropertyValue

Properties = Mapping[str, PropertyValue]

ACTIVE = "active"
NEXT = "next"
COMPLETE = frozenset({"complete", "completed"})
FINISHED = COMPLETE | {"cancelled"}
RESTING = FINISHED | {"on_hold", "someday"}
"""Project statuses in which the project's actions cannot be done now."""
UNSET = "none"
"""The value of a property that is no longer set. Properties cannot be removed."""

_PRIORITIES = {"high": 1.0, "medium": 2.0, "low": 3.0}
ENERGIES = ("low", "medium", "high")
_UNKNOWN_RANK = 1_000_000.0

_ISO_DURATION = re.compile(r"pt(?=\d)(?:(?P<hours>\d+(?:\.\d+)?)h)?(?:(?P<minutes>\d+(?:\.\d+)?)m)?")
_CLOCK = re.compile(r"(\d+):([0-5]\d)(?:\s*(?:h|hours?))?")
_RANGE = re.compile(r"\s*(?:-|–|\bto\b)\s*")
_DURATION_PART = re.compile(r"(\d+(?:[.,]\d+)?)\s*(days?|d|hours?|hrs?|h|minutes?|mins?|m)?(?![a-z])\.?")
_UNITS = {"d": 24 * 60.0, "h": 60.0, "m": 1.0}


def text_of(properties: Properties, name: str) -> str | None:
    """Return the property as text, or None if it is missing, empty or `none`."""
    value = properties.get(name)
    if value is None or value == UNSET or value == "":
        return None
    return value if isinstance(value, str) else str(value)


def set_value(properties: Properties, name: str) -> PropertyValue | None:
    """Return the property's value unchanged, or None if it is missing, empty or `none`."""
    return None if text_of(properties, name) is None else properties[name]


def day_of(value: PropertyValue | None) -> date | None:
    """Return the day of an RFC 3339 date or time in the machine's time zone, or None for other values."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
        return (moment.astimezone() if moment.tzinfo else moment).date()
    except (ValueError, OverflowError):  # a time at the end of the year 9999 may be out of range in this time zone
        return None


def minutes_of(value: PropertyValue | None) -> float | None:
    """Return a duration in minutes, or None if the value is not a duration. A range counts as its maximum.

    A number is in minutes. Text may be `30`, `30m`, `30-45 minutes`, `1h 30m`, `1.5 hours`, `1:30` or `PT1H30M`.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return float(value) if value >= 0 else None
    text = value.strip().lower().lstrip("~<≤ ")
    if match := _ISO_DURATION.fullmatch(text):
        return 60.0 * float(match["hours"] or 0) + float(match["minutes"] or 0)
    *lower, upper = _RANGE.split(text)
    return _sum_of_parts(upper) if len(lower) <= 1 and all(lower) else None


def _sum_of_parts(text: str) -> float | None:
    if clock := _CLOCK.fullmatch(text):
        return 60.0 * int(clock[1]) + int(clock[2])
    remainder = _DURATION_PART.sub("", text).replace("and", "").strip(" ,+")
    parts = _DURATION_PART.findall(text)
    if remainder or not parts:
        return None
    return sum(float(number.replace(",", ".")) * _UNITS[(unit or "m")[0]] for number, unit in parts)


def context_name(name: str) -> str:
    """Return the context's name in the form used for comparisons: `@Phone` becomes `phone`."""
    return name.strip().lstrip("@").strip().casefold()


def contexts_of(properties: Properties, connected: Iterable[str]) -> tuple[str, ...]:
    """Return the contexts that an action requires: from its property and its connected contexts."""
    context = text_of(properties, "context")
    names = [*([context] if context else []), *connected]
    return tuple(dict.fromkeys(filter(None, map(context_name, names))))


def is_within_energy(needed: str | None, available: str | None) -> bool:
    """Return whether the available energy is enough for an action. True if a level is unknown."""
    if needed not in ENERGIES or available not in ENERGIES:
        return True
    return ENERGIES.index(needed) <= ENERGIES.index(available)


def urgency(properties: Properties, title: str) -> tuple[date, float, str]:
    """Return a sort key: due day, then priority, then title. Nodes without a value come last."""
    return day_of(properties.get("due")) or date.max, _rank(properties.get("priority")), title.casefold()


def _rank(priority: PropertyValue | None) -> float:
    if isinstance(priority, str):
        word = priority.strip().lower()
        return float(word) if word.isascii() and word.isdigit() else _PRIORITIES.get(word, _UNKNOWN_RANK)
    return _UNKNOWN_RANK if priority is None or isinstance(priority, bool) else float(priority)
