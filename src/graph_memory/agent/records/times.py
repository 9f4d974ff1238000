"""Stored times: RFC 3339 in UTC with milliseconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument


def rfc3339(argument: str, value: datetime | str | None) -> str:
    """Return the time in its stored form, by default the current time. A time without an offset is taken as UTC.

    Raises INVALID_ARGUMENT if the value is not a time.
    """
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else value or datetime.now(UTC)
        time = time if time.tzinfo else time.replace(tzinfo=UTC)
        return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (ValueError, OverflowError) as error:
        hint = "Pass a date and time as in 2026-11-26T10:00:00Z, or omit it for the current time."
        raise invalid_argument(argument, f"{quote(str(value))} is not a time", hint) from error


_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def day_or_time(argument: str, value: str | None) -> str | None:
    """Return a date unchanged, or a time in its stored form.

    Raises INVALID_ARGUMENT if the value is not a date or time.
    """
    time = None if value is None else rfc3339(argument, value)
    return value if value is None or _DAY.fullmatch(value) else time
