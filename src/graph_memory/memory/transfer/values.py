"""Valid values of a file (numbers, times, ids and hashes), and the parsing of objects with such values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, TypeVar, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from graph_memory.model.text.wording import kind_of, printable, quote
from graph_memory.model.time.clock import in_utc
from graph_memory.model.values.arguments import check_domain, check_new_id

MOST = 2**53
"""Maximum number of an event."""
EARLIEST = datetime(1900, 1, 1, tzinfo=UTC)
"""The earliest time that can be recorded."""
_EVENT_ID = re.compile(r"evt_[0-9A-Za-z]{1,60}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_M = TypeVar("_M", bound=BaseModel)


class Wrong(Exception):  # noqa: N818 - describes a fault of an event, and is reported with its line
    """Raised if an event is invalid, or if a `subject` is invalid after the events so far."""

    def __init__(self, fault: str, subject: str | None = None) -> None:
        super().__init__(fault)
        self.subject = subject


class Strict(BaseModel):
    """A model for data of a file: types are not converted, and unknown fields are refused."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


def _time(value: object) -> datetime:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
        if moment is not None and moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise ValueError("holds no valid time")


def recorded_time(value: object) -> datetime:
    """Parse a recorded time. Raises ValueError if it is invalid or before 1900."""
    moment = _time(value)
    if moment < EARLIEST:
        raise ValueError("holds no time since 1900")
    return moment


def _world_time(value: object) -> datetime:
    if not isinstance(value, Mapping) or set(cast("Mapping[str, object]", value)) != {"time"}:
        raise ValueError("holds no valid time")
    return _time(cast("Mapping[str, object]", value)["time"])


def _moment(value: object) -> datetime:
    """Return a time. It is in UTC unless it has another zone."""
    try:
        if isinstance(value, str):
            return in_utc(datetime.fromisoformat(value))
    except (ValueError, OverflowError):
        pass
    raise ValueError("holds no valid time")


def _event_id(value: str) -> str:
    if not _EVENT_ID.fullmatch(value):
        raise ValueError("holds no event id")
    return value


def _sha256(value: str) -> str:
    if not _SHA256.fullmatch(value):
        raise ValueError("holds no SHA-256")
    return value


Seq = Annotated[int, Field(ge=1, le=MOST)]
Count = Annotated[int, Field(ge=0, le=MOST)]
Size = Annotated[int, Field(ge=0, le=2**63 - 1)]
Fraction = Annotated[float, Field(ge=0, le=1)]
Sha256 = Annotated[str, AfterValidator(_sha256)]
Recorded = Annotated[datetime, BeforeValidator(recorded_time)]
"""A time that the service recorded."""
WorldTime = Annotated[datetime, BeforeValidator(_world_time)]
"""A time in the world, which is marked in the file."""
Moment = Annotated[datetime, BeforeValidator(_moment)]
"""A time in a folder, which people may write."""
EventId = Annotated[str, AfterValidator(_event_id)]
NewId = Annotated[str, AfterValidator(lambda value: check_new_id("id", value))]
DomainName = Annotated[str, AfterValidator(check_domain)]
Word = Annotated[str, Field(max_length=10_000)]


def read(model: type[_M], value: Mapping[str, object]) -> _M:
    """Parse an object from a file into a model. Raises `Wrong` with the first missing, superfluous or invalid field."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise Wrong(_fault(error)) from error


_EXPECTED = {
    "string_too_short": "text with at least one character",
    "string_too_long": "shorter",
    "string": "text",
    "dict": "an object",
    "model": "an object",
    "list": "a list",
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "finite": "a finite number",
    "greater": "larger",
    "less": "smaller",
}
"""Descriptions of valid values, by the prefix of the rule's name."""


def _fault(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False)[0]
    name = printable(".".join(map(str, first["loc"])))
    match first["type"]:
        case "missing":
            return f"has no {name}"
        case "extra_forbidden":
            return f"holds {name}, which does not belong there"
        case "literal_error":
            return f"holds {quote(first['input'])} as {name}, which is not allowed"
        case "value_error":
            return f"{first['msg'].removeprefix('Value error, ')}{f' as {name}' if name else ''}"
        case kind:
            wanted = next((text for start, text in _EXPECTED.items() if kind.startswith(start)), "of another kind")
            return f"holds {kind_of(first['input'])} as {name}: it must be {wanted}"
