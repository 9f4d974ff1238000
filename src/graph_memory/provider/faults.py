"""Failures of a model server: temporary or permanent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

from pydantic import BaseModel, ValidationError

MESSAGE_CHARACTERS = 200
"""Maximum number of characters of a server's message in an error."""
_TEMPORARY_STATUSES = (408, 409, 425, 429)


class TemporaryFailure(Exception):  # noqa: N818 - it is no error yet: the request is retried
    """The server did not answer the request, but may do so later. `retry_after` is its requested delay in seconds."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class PermanentFailure(Exception):  # noqa: N818 - it becomes an error with a hint by the status
    """The server rejected the request, and would reject it again."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class _ErrorDetail(BaseModel):
    message: str


class _Failure(BaseModel):
    error: _ErrorDetail | str


def failure(status: int, headers: Mapping[str, str], body: bytes, now: datetime) -> TemporaryFailure | PermanentFailure:
    """Return the failure for a reply with an error status."""
    explanation = _parse_explanation(body)
    message = f"answered with status {status}{': ' + explanation if explanation else ''}"
    if status in _TEMPORARY_STATUSES or status >= 500:
        return TemporaryFailure(message, _parse_retry_after(headers.get("retry-after"), now))
    return PermanentFailure(message, status)


def unreadable_reply(error: ValidationError) -> PermanentFailure:
    """Return the failure for an invalid reply. Its message does not quote the reply."""
    fault = error.errors(include_input=False, include_url=False)[0]
    location = ".".join(map(str, fault["loc"]))
    return PermanentFailure(f"sent an invalid reply: {location + ': ' if location else ''}{fault['msg']}")


def _parse_explanation(body: bytes) -> str:
    try:
        error = _Failure.model_validate_json(body).error
    except ValidationError:
        return ""
    return " ".join((error if isinstance(error, str) else error.message).split())


def _parse_retry_after(header: str | None, now: datetime) -> float | None:
    """Return a Retry-After header's delay in seconds, or None if it is missing or invalid."""
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
