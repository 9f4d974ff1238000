"""Times as the layer stores them: in UTC, to the millisecond."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from graph_memory.model.arguments import fault
from graph_memory.model.wording import quoted


def rfc3339(argument: str, given: datetime | str | None) -> str:
    """Return a time in UTC as it is stored, now if none is given; one without an offset is in UTC.

    Raises INVALID_ARGUMENT.
    """
    try:
        at = datetime.fromisoformat(given) if isinstance(given, str) else given or datetime.now(UTC)
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (ValueError, OverflowError) as error:
        hint = "Give a date and time as in 2026-11-26T10:00:00Z, or leave it out for now."
        raise fault(argument, f"{quoted(str(given))} is not a time", hint) from error


_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def day_or_time(argument: str, given: str | None) -> str | None:
    """Return a day as it is, and a time in UTC as it is stored. Raises INVALID_ARGUMENT."""
    at = None if given is None else rfc3339(argument, given)
    return given if given is None or _DAY.fullmatch(given) else at
