"""Stored times: RFC 3339 in UTC with milliseconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument


def rfc3339(argument: str, value: datetime | str | None) -> str:
    """Return the time as it is stored, by default the present time. A time without an offset is in UTC.

    Raises INVALID_ARGUMENT.
    """
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else value or datetime.now(UTC)
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (ValueError, OverflowError) as error:
        hint = "Pass a date and time as in 2026-11-26T10:00:00Z, or omit it for the current time."
        raise invalid_argument(argument, f"{quote(str(value))} is not a time", hint) from error


_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def day_or_time(argument: str, value: str | None) -> str | None:
    """Return a date unchanged, or a time as it is stored. Raises INVALID_ARGUMENT."""
    at = None if value is None else rfc3339(argument, value)
    return value if value is None or _DAY.fullmatch(value) else at
