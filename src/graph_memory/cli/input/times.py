"""Parses times and log positions as people type them, by default in the machine's time zone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from graph_memory.model.time.clock import rfc3339
from graph_memory.model.time.points import parse_instant, parse_log_position, parse_session_reference

OptionCallback = Callable[[str | None], str | None]

LOCAL = None
"""The time zone of the machine, as the standard library represents it."""
_OPEN = "open"
"""The word that removes the start or end of a validity period."""


def point_callback(option: str) -> OptionCallback:
    """Return a callback that converts a log position, such as "last month", to an event id, a number or a time.

    The callback raises INVALID_ARGUMENT if the text is not a log position. `last session` is returned unchanged.
    """

    def read(text: str | None) -> str | None:
        if text is None or parse_session_reference(text) is not None:
            return text
        position = parse_log_position(option, text, datetime.now(UTC), LOCAL)
        if position.at is not None:
            return rfc3339(position.at)
        return position.event if position.seq is None else str(position.seq)

    return read


def time_callback(option: str) -> OptionCallback:
    """Return a callback that converts a time, such as "last monday", to RFC 3339. `open` is returned unchanged.

    The callback raises INVALID_ARGUMENT if the text is not a time.
    """

    def read(text: str | None) -> str | None:
        if text is None or text == _OPEN:
            return text
        return rfc3339(parse_instant(option, text, datetime.now(UTC), LOCAL))

    return read
