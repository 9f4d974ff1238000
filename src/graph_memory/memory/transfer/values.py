"""Defines the valid values in a file (numbers, times, ids and hashes), and parses objects with such values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, TypeVar, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from graph_memory.model.text.wording import quote
from graph_memory.model.time.clock import in_utc
from graph_memory.model.values.arguments import check_domain, check_new_id

MOST = 2**53
"""The highest possible event number."""
EARLIEST = datetime(1900, 1, 1, tzinfo=UTC)
"""The earliest time that can be recorded."""
_EVENT_ID = re.compile(r"evt_[0-9A-Za-z]{1,60}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_M = TypeVar("_M", bound=BaseModel)


class InvalidEvent(Exception):  # noqa: N818 - describes an error of an event, and is reported with its line
    """Raised if an event is invalid, or if the events read so far leave the subject `subject` in an invalid state."""

    def __init__(self, fault: str, subject: str | None = None) -> None:
        super().__init__(fault)
        self.subject = subject


class FileModel(BaseModel):
    """A model for data in a file: types are not converted, and unknown fields are rejected."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


def _time(value: object) -> datetime:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
        if moment is not None and moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise ValueError("a time with a zone, such as 2025-10-31T10:00:00Z")


def recorded_time(value: object) -> datetime:
    """Parse a recorded time. Raises ValueError if it is invalid or before 1900."""
    moment = _time(value)
    if moment < EARLIEST:
        raise ValueError("a time after 1899")
    return moment


def _world_time(value: object) -> datetime:
    if not isinstance(value, Mapping) or set(cast("Mapping[str, object]", value)) != {"time"}:
        raise ValueError('a time, such as {"time": "2025-10-31T10:00:00Z"}')
    return _time(cast("Mapping[str, object]", value)["time"])


def _moment(value: object) -> datetime:
    """Parse a time. A time without a zone is in UTC."""
    try:
        if isinstance(value, str):
            return in_utc(datetime.fromisoformat(value))
    except (ValueError, OverflowError):
        pass
    raise ValueError("a time, such as 2025-10-31T10:00:00Z")


def _event_id(value: str) -> str:
    if not _EVENT_ID.fullmatch(value):
        raise ValueError("an event id (evt_…)")
    return value


def _sha256(value: str) -> str:
    if not _SHA256.fullmatch(value):
        raise ValueError("a SHA-256 of 64 lowercase hexadecimal digits")
    return value


Seq = Annotated[int, Field(ge=1, le=MOST)]
Count = Annotated[int, Field(ge=0, le=MOST)]
Size = Annotated[int, Field(ge=0, le=2**63 - 1)]
Fraction = Annotated[float, Field(ge=0, le=1)]
Sha256 = Annotated[str, AfterValidator(_sha256)]
Recorded = Annotated[datetime, BeforeValidator(recorded_time)]
"""A time that the service recorded."""
WorldTime = Annotated[datetime, BeforeValidator(_world_time)]
"""A time in the world, which the file marks as an object."""
Moment = Annotated[datetime, BeforeValidator(_moment)]
"""A time in a file of an exported folder. A person may have edited it, so the time zone may be missing."""
EventId = Annotated[str, AfterValidator(_event_id)]
NewId = Annotated[str, AfterValidator(lambda value: check_new_id("id", value))]
DomainName = Annotated[str, AfterValidator(check_domain)]
Word = Annotated[str, Field(max_length=10_000)]


def read(model: type[_M], value: Mapping[str, object]) -> _M:
    """Parse an object from a file into a model.

    Raises InvalidEvent with the first missing, superfluous or invalid field.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise InvalidEvent(describe_fault(error)) from error


_EXPECTED = {
    "string_too_short": "text with at least one character",
    "string_too_long": "text of at most {max_length:,} characters",
    "too_short": "a list with an entry",
    "date": "a time, such as 2025-10-31T10:00:00Z",
    "string": "text",
    "dict": "an object",
    "model": "an object",
    "list": "a list",
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "finite": "a finite number",
    "greater_than_equal": "at least {ge:,}",
    "less_than_equal": "at most {le:,}",
}
"""Descriptions of valid values for error messages, keyed by the prefix of pydantic's rule name.

The limits in braces come from the context of pydantic's error.
"""


def describe_fault(error: ValidationError) -> str:
    """Return the first fault of data, as a predicate for its record, such as `lacks the field "id"`."""
    first_error = error.errors(include_url=False)[0]
    name, context = quote(".".join(map(str, first_error["loc"]))), first_error.get("ctx", {})
    match first_error["type"]:
        case "missing":
            return f"lacks the field {name}"
        case "extra_forbidden":
            return f"has the unexpected field {name}"
        case "value_error" if not first_error["loc"]:
            return str(context["error"])
        case "value_error":
            expected_value = str(context["error"])
        case "literal_error":
            expected_value = str(context["expected"]).replace("'", '"')
        case kind:
            template = next((text for start, text in _EXPECTED.items() if kind.startswith(start)), "of another kind")
            expected_value = template.format(**context)
    return f"has {quote(first_error['input'])} in the field {name}, which must be {expected_value}"
