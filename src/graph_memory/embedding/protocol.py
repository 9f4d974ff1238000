"""OpenAI's embeddings protocol, as far as it is pure: what a reply must be, and what its failures mean."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

from pydantic import BaseModel, FiniteFloat, TypeAdapter, ValidationError

from graph_memory.embedding.texts import unit

SHOWN = 200
"""So many characters of what a server says about a failure are shown."""
_PASSING = (408, 409, 425, 429)


class Passing(Exception):  # noqa: N818 - it is no error yet: the request is made again
    """The server did not answer, or said that it cannot now; `retry_after` is when it asks to be tried, in seconds."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Refused(Exception):  # noqa: N818 - it becomes EmbeddingUnavailable, with a hint by the status
    """The server does not do what it is asked, and would not a second time."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class _Item(BaseModel):
    index: int
    embedding: list[FiniteFloat]


class _Reply(BaseModel):
    data: list[_Item]


class _Explained(BaseModel):
    message: str


class _Failure(BaseModel):
    error: _Explained | str


_FAILURES = TypeAdapter(_Failure)


def read_reply(body: bytes, count: int) -> list[list[float]]:
    """Return the vectors of a reply in the order of the texts, with the length 1. Raises Refused for others."""
    try:
        items = _Reply.model_validate_json(body, strict=True).data
    except ValidationError as error:
        fault = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, fault["loc"]))
        raise Refused(f"sent a reply that is none: {place + ': ' if place else ''}{fault['msg']}") from None
    vectors = {item.index: item.embedding for item in items}
    if len(items) != count or vectors.keys() != set(range(count)):
        raise Refused(f"sent {len(items)} vectors for {count} texts, or under other numbers")
    if len({len(vector) for vector in vectors.values()}) != 1:
        raise Refused("sent vectors of several lengths at once")
    try:
        return [unit(vectors[index]) for index in range(count)]
    except ValueError as error:
        raise Refused(f"sent a vector that {error}") from None


def failure(status: int, headers: Mapping[str, str], body: bytes, now: datetime) -> Passing | Refused:
    """Return what a reply without vectors means."""
    said = _said(body)
    message = f"answered with status {status}{': ' + said if said else ''}"
    if status in _PASSING or status >= 500:
        return Passing(message, _retry_after(headers.get("retry-after"), now))
    return Refused(message, status)


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
