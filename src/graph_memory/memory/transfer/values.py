"""Values in a file as they must be: numbers, times, ids and hashes; and the reading of objects that have them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, TypeVar, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from graph_memory.model.text.wording import kind_of, quoted, shown
from graph_memory.model.time.clock import in_utc
from graph_memory.model.values.arguments import check_domain, check_new_id

MOST = 2**53
"""The largest number of an event."""
EARLIEST = datetime(1900, 1, 1, tzinfo=UTC)
"""Nothing was recorded before."""
_EVENT_ID = re.compile(r"evt_[0-9A-Za-z]{1,60}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_M = TypeVar("_M", bound=BaseModel)


class Wrong(Exception):  # noqa: N818 - says what is wrong with an event, and is told with its line
    """What is wrong with an event; or with what the events so far leave of a `subject`."""

    def __init__(self, fault: str, subject: str | None = None) -> None:
        super().__init__(fault)
        self.subject = subject


class Strict(BaseModel):
    """What is read from a file: nothing is taken for another type, and nothing is there that is not named."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


def _time(given: object) -> datetime:
    try:
        found = datetime.fromisoformat(given) if isinstance(given, str) else None
        if found is not None and found.tzinfo is not None:
            return found.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise ValueError("holds no valid time")


def recorded_time(given: object) -> datetime:
    """Return a time of the service's own. Raises ValueError, also for one before 1900."""
    found = _time(given)
    if found < EARLIEST:
        raise ValueError("holds no time since 1900")
    return found


def _told(given: object) -> datetime:
    if not isinstance(given, Mapping) or set(cast("Mapping[str, object]", given)) != {"time"}:
        raise ValueError("holds no valid time")
    return _time(cast("Mapping[str, object]", given)["time"])


def _moment(given: object) -> datetime:
    """Return a time, in UTC unless it says otherwise."""
    try:
        if isinstance(given, str):
            return in_utc(datetime.fromisoformat(given))
    except (ValueError, OverflowError):
        pass
    raise ValueError("holds no valid time")


def _event_id(given: str) -> str:
    if not _EVENT_ID.fullmatch(given):
        raise ValueError("holds no event id")
    return given


def _sha256(given: str) -> str:
    if not _SHA256.fullmatch(given):
        raise ValueError("holds no SHA-256")
    return given


Seq = Annotated[int, Field(ge=1, le=MOST)]
Count = Annotated[int, Field(ge=0, le=MOST)]
Size = Annotated[int, Field(ge=0, le=2**63 - 1)]
Fraction = Annotated[float, Field(ge=0, le=1)]
Sha256 = Annotated[str, AfterValidator(_sha256)]
Recorded = Annotated[datetime, BeforeValidator(recorded_time)]
"""A time of the service's own: when something was written."""
Told = Annotated[datetime, BeforeValidator(_told)]
"""A time in the world, which says in the file that it is one."""
Moment = Annotated[datetime, BeforeValidator(_moment)]
"""A time as people write it in a folder."""
EventId = Annotated[str, AfterValidator(_event_id)]
NewId = Annotated[str, AfterValidator(lambda given: check_new_id("id", given))]
DomainName = Annotated[str, AfterValidator(check_domain)]
Word = Annotated[str, Field(max_length=10_000)]


def read(model: type[_M], given: Mapping[str, object]) -> _M:
    """Return an object of a file as what it should be. Raises `Wrong`, which names what it has too much or not."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise Wrong(_fault(error)) from error


_WANTED = {
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
"""What a value must be, by how the name of the rule begins that it breaks."""


def _fault(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False)[0]
    name = shown(".".join(map(str, first["loc"])))
    match first["type"]:
        case "missing":
            return f"has no {name}"
        case "extra_forbidden":
            return f"holds {name}, which does not belong there"
        case "literal_error":
            return f"holds {quoted(first['input'])} as {name}, which is not allowed"
        case "value_error":
            return f"{first['msg'].removeprefix('Value error, ')}{f' as {name}' if name else ''}"
        case kind:
            wanted = next((text for start, text in _WANTED.items() if kind.startswith(start)), "of another kind")
            return f"holds {kind_of(first['input'])} as {name}: it must be {wanted}"
