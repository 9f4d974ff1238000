"""Times and points of the log as a person types them: in the time zone of the machine unless they say another."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from graph_memory.model.results import rfc3339
from graph_memory.model.time.points import instant, moment, session_named

Read = Callable[[str | None], str | None]

LOCAL = None
"""The time zone of the machine, as the standard library names it."""
_OPEN = "open"
"""Takes a bound away instead of setting it."""


def point(option: str) -> Read:
    """Return what makes the point that an option names one that means the same everywhere.

    What it returns raises INVALID_ARGUMENT.
    """

    def read(given: str | None) -> str | None:
        if given is None or session_named(given) is not None:
            return given
        position = moment(option, given, datetime.now(UTC), LOCAL)
        if position.at is not None:
            return rfc3339(position.at)
        return position.event if position.seq is None else str(position.seq)

    return read


def world_time(option: str) -> Read:
    """Return what does so with a time in the world; `open` stays."""

    def read(given: str | None) -> str | None:
        if given is None or given == _OPEN:
            return given
        return rfc3339(instant(option, given, datetime.now(UTC), LOCAL))

    return read
