"""What the failures of a server that offers models mean; it is pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

from pydantic import BaseModel, TypeAdapter, ValidationError

SHOWN = 200
"""So many characters of what a server says about a failure are shown."""
_PASSING = (408, 409, 425, 429)


class Passing(Exception):  # noqa: N818 - it is no error yet: the request is made again
    """The server did not answer, or said that it cannot now; `retry_after` is when it asks to be tried, in seconds."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Refused(Exception):  # noqa: N818 - it becomes an error with a hint by the status
    """The server does not do what it is asked, and would not a second time."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class _Explained(BaseModel):
    message: str


class _Failure(BaseModel):
    error: _Explained | str


_FAILURES = TypeAdapter(_Failure)


def failure(status: int, headers: Mapping[str, str], body: bytes, now: datetime) -> Passing | Refused:
    """Return what a reply that is none means."""
    said = _said(body)
    message = f"answered with status {status}{': ' + said if said else ''}"
    if status in _PASSING or status >= 500:
        return Passing(message, _retry_after(headers.get("retry-after"), now))
    return Refused(message, status)


def misread(error: ValidationError) -> Refused:
    """Return the fault of a reply that is not what it must be, without any of it."""
    fault = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(map(str, fault["loc"]))
    return Refused(f"sent a reply that is none: {place + ': ' if place else ''}{fault['msg']}")


def _said(body: bytes) -> str:
    try:
        error = _FAILURES.validate_json(body).error
    except ValidationError:
        return ""
    return " ".join((error if isinstance(error, str) else error.message).split())


def _retry_after(given: str | None, now: datetime) -> float | None:
    """Return the seconds of a Retry-After, which is a number of them or a date; None for one that is neither."""
    if given is None:
        return None
    try:
        seconds = float(given)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(given) - now).total_seconds()
        except (ValueError, TypeError):  # no date, or one without a zone
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
