"""Failures of a model server: temporary or permanent. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

from pydantic import BaseModel, TypeAdapter, ValidationError

MESSAGE_CHARACTERS = 200
"""Maximum number of characters of a server's message in an error."""
_PASSING = (408, 409, 425, 429)


class TemporaryFailure(Exception):  # noqa: N818 - it is no error yet: the request is retried
    """The server did not answer the request, but may do so later. `retry_after` is the requested delay in seconds."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class PermanentFailure(Exception):  # noqa: N818 - it becomes an error with a hint by the status
    """The server rejected the request, and would reject it again."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class _Explained(BaseModel):
    message: str


class _Failure(BaseModel):
    error: _Explained | str


_FAILURES = TypeAdapter(_Failure)


def failure(status: int, headers: Mapping[str, str], body: bytes, now: datetime) -> TemporaryFailure | PermanentFailure:
    """Return the failure that a reply with an error status indicates."""
    explanation = _explanation_in(body)
    message = f"answered with status {status}{': ' + explanation if explanation else ''}"
    if status in _PASSING or status >= 500:
        return TemporaryFailure(message, _retry_after(headers.get("retry-after"), now))
    return PermanentFailure(message, status)


def unreadable_reply(error: ValidationError) -> PermanentFailure:
    """Return the failure for an invalid reply. Its message contains no part of the reply."""
    fault = error.errors(include_input=False, include_url=False)[0]
    location = ".".join(map(str, fault["loc"]))
    return PermanentFailure(f"sent an invalid reply: {location + ': ' if location else ''}{fault['msg']}")


def _explanation_in(body: bytes) -> str:
    try:
        error = _FAILURES.validate_json(body).error
    except ValidationError:
        return ""
    return " ".join((error if isinstance(error, str) else error.message).split())


def _retry_after(header: str | None, now: datetime) -> float | None:
    """Return the delay of a Retry-After header in seconds, or None if there is none or it is invalid."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(header) - now).total_seconds()
        except (ValueError, TypeError):  # no date, or a date without a time zone
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
